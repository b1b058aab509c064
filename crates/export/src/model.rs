//! What is written: a model in one of the formats, state by state.

use std::io;
use volvelle_control::{Control, Stop};
use volvelle_explicit::WriteError;
use volvelle_explore::{ExploreError, Explored};
use volvelle_model::Program;

/// A file format. [`Format::of_extension`] finds the one that a file name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// PRISM transitions.
    Tra,
    /// PRISM states.
    Sta,
    /// PRISM labels.
    Lab,
    /// PRISM state rewards: one file for each reward structure.
    Srew,
    /// PRISM transition rewards: one file for each reward structure.
    Trew,
    /// Graphviz.
    Dot,
    /// Storm's explicit format.
    Drn,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] =
        [Format::Tra, Format::Sta, Format::Lab, Format::Srew, Format::Trew, Format::Dot, Format::Drn];

    /// The ending of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Tra => "tra",
            Format::Sta => "sta",
            Format::Lab => "lab",
            Format::Srew => "srew",
            Format::Trew => "trew",
            Format::Dot => "dot",
            Format::Drn => "drn",
        }
    }

    /// The format with this ending (without the dot; case does not matter).
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.extension().eq_ignore_ascii_case(extension))
    }

    /// Whether a file holds one reward structure, so that a program with several needs several files.
    pub fn is_per_reward_structure(self) -> bool {
        matches!(self, Format::Srew | Format::Trew)
    }
}

/// The model to write: all labels and reward structures of the program must have been observed
/// ([`volvelle_model::kernels::Selection::all`]).
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// The program, as it was explored.
    pub program: &'a Program,
    /// Its states.
    pub explored: &'a Explored,
}

/// Why a file was not written to its end.
#[derive(Debug)]
pub enum ExportError {
    /// Writing failed.
    Io(io::Error),
    /// A limit was reached or the user stopped it.
    Stopped(Stop),
    /// The program cannot be stepped through one state at a time.
    Step(ExploreError),
    /// There is no reward structure with this index.
    NoSuchRewardStructure(usize),
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::Io(error)
    }
}

impl From<WriteError> for ExportError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => ExportError::Io(error),
            WriteError::Stopped(stop) => ExportError::Stopped(stop),
            // Explored models are of kinds that every format holds.
            WriteError::Refused(finding) => ExportError::Io(io::Error::other(finding.message)),
        }
    }
}

impl From<Stop> for ExportError {
    fn from(stop: Stop) -> Self {
        ExportError::Stopped(stop)
    }
}

/// States between two looks at limits.
pub(super) const PATIENCE: usize = 1 << 12;

/// The numbers of all states, with a look at the limits now and then.
pub(crate) fn each_state<'a>(
    states: usize,
    control: &'a Control<'_>,
) -> impl Iterator<Item = Result<usize, ExportError>> + 'a {
    (0..states).map(|state| {
        if state.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        Ok(state)
    })
}
