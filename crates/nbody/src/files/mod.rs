//! Snapshots: files with the bodies at one time.
//!
//! Converts files to [`Bodies`] and back. Readers accept any bytes: mistakes give diagnostics (V1921) with
//! file, line, column and number of the particle, counted from 1.
//!
//! **CSV** ([`Format::Csv`]). Lines that begin with `#` are comments; one of them may be `# time = 1.5`
//! (default 0). The first other line names the columns, in any order: `id`, `mass`, `x`, `y`, `z`, `vx`,
//! `vy`, `vz`. Without `id`, bodies are numbered from 0. Columns with other names have no effect, and are
//! written as they were read. Each further line is a body.
//!
//! **ASCII of NEMO** ([`Format::Nemo`]): what the programs `atos` and `stoa` of that toolbox read and write
//! (P. J. Teuben, *The stellar dynamics toolbox NEMO*, 1995), the format of J. Barnes's tree code. Numbers
//! separated by blanks or ends of lines: the number of bodies, the dimension (3), the time; then all masses,
//! all positions, all velocities. Exponents may be written with `d`, as in Fortran. There are no ids: bodies
//! are numbered from 0. The writer puts each number of the head, each mass and each vector on a line.
//!
//! **HDF5 in the convention of GADGET** ([`Format::Gadget`]; V. Springel, *User guide for GADGET-2*, section 6.2), behind the feature `hdf5` of this crate,
//! which needs the HDF5 library. Attributes of the group `Header`: `NumPart_ThisFile`, `NumPart_Total`, `MassTable`, `Time`, `NumFilesPerSnapshot`,
//! and when writing `Redshift` and `BoxSize`, which are 0. Groups `PartType0` to `PartType5` with the datasets `Coordinates`, `Velocities`, `ParticleIDs`
//! and, where the mass in the table is 0, `Masses`. All types are read, in their order, and kept as a column `type` where
//! they are not all 1. `snapshot_000.0.hdf5` stands for all files of its snapshot.
//! Numbers are taken as they are: positions are not turned into physical ones by the factor of a cosmological expansion.
//!
//! Doubles are written so that reading gives the same bits.

mod csv;
mod format;
#[cfg(feature = "hdf5")]
mod gadget;
mod nemo;
mod places;
mod whole;

pub use format::{Format, Precision, WriteOptions};

use crate::bodies::Bodies;
use places::{Mistakes, trouble};
use std::io::{BufWriter, Write};
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources};

/// Reads a snapshot from a file, whose ending determines the format. Lines that diagnostics show are added to
/// `sources`.
///
/// # Errors
/// V1921, for each mistake up to 20.
pub fn read(path: &Path, sources: &mut Sources) -> Result<Bodies, Vec<Diagnostic>> {
    let format = Format::expected(path).map_err(|error| vec![error])?;
    if format == Format::Gadget {
        return gadget_read(path).map_err(|error| vec![error]);
    }
    let bytes = std::fs::read(path).map_err(|error| vec![trouble(path, "cannot be read", &error)])?;
    parse(format, &path.to_string_lossy(), &bytes, sources)
}

/// Reads a snapshot from the bytes of a text. `name` is its name in diagnostics; lines that these show are
/// added to `sources`.
///
/// # Errors
/// V1921, for each mistake up to 20; also if the format is not a text format.
pub fn parse(
    format: Format,
    name: &str,
    bytes: &[u8],
    sources: &mut Sources,
) -> Result<Bodies, Vec<Diagnostic>> {
    let mut mistakes = Mistakes::new(name, bytes, sources);
    let bodies = match format {
        Format::Csv => csv::parse(bytes, &mut mistakes),
        Format::Nemo => nemo::parse(bytes, &mut mistakes),
        Format::Gadget => {
            mistakes.general("HDF5 is read from a file, not from a text".to_owned());
            None
        }
    };
    let found = mistakes.found();
    match bodies {
        Some(bodies) if found.is_empty() => Ok(bodies),
        _ => Err(found),
    }
}

/// Writes a snapshot into a file, whose ending determines the format. Replaces a file of that name.
///
/// # Errors
/// V1921: the ending is unknown, the file cannot be written, or the format cannot express these bodies.
pub fn write(path: &Path, bodies: &Bodies, options: &WriteOptions) -> Result<(), Diagnostic> {
    let format = Format::expected(path)?;
    whole::fits(bodies, options.precision).map_err(|why| trouble(path, "cannot be written", &why))?;
    if format == Format::Gadget {
        return gadget_write(path, bodies, options);
    }
    let write = || {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        write_text(format, bodies, options, &mut out)?;
        out.flush()
    };
    write().map_err(|error| trouble(path, "cannot be written", &error))
}

/// Writes a snapshot as text.
///
/// # Errors
/// Those of `out`; the format is not a text format; no file can hold these bodies: their lists differ in
/// length, a number is infinite, ….
pub fn write_text(
    format: Format,
    bodies: &Bodies,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let refused = |why: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, why);
    whole::fits(bodies, options.precision).map_err(refused)?;
    match format {
        Format::Csv => csv::write(bodies, options.precision, out),
        Format::Nemo => nemo::write(bodies, options.precision, out),
        Format::Gadget => Err(refused("HDF5 is no text".to_owned())),
    }
}

#[cfg(feature = "hdf5")]
use gadget::{read as gadget_read, write as gadget_write};

#[cfg(not(feature = "hdf5"))]
fn gadget_read(path: &Path) -> Result<Bodies, Diagnostic> {
    Err(places::no_hdf5(path))
}

#[cfg(not(feature = "hdf5"))]
fn gadget_write(path: &Path, _: &Bodies, _: &WriteOptions) -> Result<(), Diagnostic> {
    Err(places::no_hdf5(path))
}
