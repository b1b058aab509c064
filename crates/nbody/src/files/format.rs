//! Which formats there are.

use std::path::Path;
use volvelle_diagnostics::{Diagnostic, codes};

/// A format of snapshots; see [`super`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Values with commas between them, a line for each body.
    Csv,
    /// NEMO's ASCII format.
    Nemo,
    /// HDF5 in the convention of GADGET; behind the feature `hdf5`.
    Gadget,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Nemo, Format::Gadget];

    /// The endings of file names, the usual one first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Format::Csv => &["csv"],
            Format::Nemo => &["nemo", "atos", "txt"],
            Format::Gadget => &["hdf5", "h5"],
        }
    }

    /// Whether it has a place for a column without an effect on the motion.
    pub fn keeps(self, column: &str) -> bool {
        match self {
            Format::Csv => true,
            Format::Nemo => false,
            Format::Gadget => column.eq_ignore_ascii_case("type"),
        }
    }

    /// The format that the ending of a file's name stands for.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.endings().contains(&ending.as_str()))
    }

    /// As [`Format::of`], or a diagnostic if there is none.
    pub(super) fn expected(path: &Path) -> Result<Format, Diagnostic> {
        Format::of(path).ok_or_else(|| {
            let message = format!("the ending of `{}` is that of no format of snapshots", path.display());
            let endings: Vec<String> = Format::ALL
                .iter()
                .flat_map(|format| format.endings())
                .map(|ending| format!("`.{ending}`"))
                .collect();
            Diagnostic::error(codes::SNAPSHOT, message)
                .help(format!("known endings are {}", endings.join(", ")))
        })
    }
}

/// Number of bits of numbers in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32.
    Single,
    /// 64: reading gives the same bits.
    #[default]
    Double,
}

/// How to write a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Bits of masses, positions and velocities. Times always have 64.
    pub precision: Precision,
    /// Number of files of a snapshot in HDF5. With more than one, `name.hdf5` becomes `name.0.hdf5`,
    /// `name.1.hdf5`, …
    pub files: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { precision: Precision::Double, files: 1 }
    }
}
