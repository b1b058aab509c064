//! Reading.

use super::names::TYPE_COLUMN;
use super::names::{numbered, without_number};
use crate::bodies::{Bodies, Column};
use crate::files::places::trouble;
use crate::files::whole;
use hdf5_metno::{Container, File, Group, H5Type};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::Diagnostic;

/// No filter of HDF5 packs zeros more tightly than deflate, which needs one byte for 1032.
const DENSEST: u64 = 1100;

/// Reads all files of a snapshot.
pub fn read(path: &Path) -> Result<Bodies, Diagnostic> {
    let parts = || {
        let first = numbered(path, 0);
        if !path.exists() && first.exists() {
            return Parts::of(&first);
        }
        Parts::of(path)
    };
    let parts = parts().map_err(|why| trouble(path, "cannot be read", &why))?;
    let mut bodies = Bodies { time: parts.time, ..Bodies::default() };
    let mut types: Vec<u8> = Vec::new();
    for path in &parts.paths {
        append(path, &mut bodies, &mut types).map_err(|why| trouble(path, "cannot be understood", &why))?;
    }
    // The column is left out if all bodies are of the usual type.
    if types.iter().any(|kind| usize::from(*kind) != super::names::TYPE) {
        let values = types.iter().map(|kind| kind.to_string().into()).collect();
        bodies.others.push(Column { name: TYPE_COLUMN.to_owned(), values });
    }
    whole::check(&bodies).map_err(|why| trouble(path, "cannot be understood", &why))?;
    Ok(bodies)
}

/// The files of a snapshot.
struct Parts {
    time: f64,
    paths: Vec<PathBuf>,
}

impl Parts {
    fn of(path: &Path) -> Result<Parts, String> {
        let file = open(path)?;
        let header = group(&file, "Header")?;
        let time = attribute::<f64>(&header, "Time", 1)?[0];
        let files = match header.attr("NumFilesPerSnapshot").is_ok() {
            true => attribute::<u32>(&header, "NumFilesPerSnapshot", 1)?[0],
            false => 1,
        };
        let paths = match (files, without_number(path)) {
            (0 | 1, _) => vec![path.to_owned()],
            (_, Some(whole)) => {
                let paths: Vec<PathBuf> = (0..files)
                    .map(|number| numbered(&whole, number))
                    .take_while(|path| path.exists())
                    .collect();
                if paths.len() < files as usize {
                    let missing = numbered(&whole, paths.len() as u32);
                    return Err(format!("it has {files} files, and `{}` is not there", missing.display()));
                }
                paths
            }
            (_, None) => return Err(format!("it has {files} files, but the name of this one has no number")),
        };
        Ok(Parts { time, paths })
    }
}

fn open(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| error.to_string())
}

fn group(file: &Group, name: &str) -> Result<Group, String> {
    file.group(name).map_err(|_| format!("it has no group `{name}`"))
}

/// The numbers of an attribute.
fn attribute<T: H5Type>(header: &Group, name: &str, count: usize) -> Result<Vec<T>, String> {
    let attribute = header.attr(name).map_err(|_| format!("`Header` has no attribute `{name}`"))?;
    numbers(&attribute, &format!("attribute `{name}` of `Header`"), count)
}

/// The numbers of an attribute or a dataset, of which there must be `count`.
fn numbers<T: H5Type>(container: &Container, what: &str, count: usize) -> Result<Vec<T>, String> {
    let size = container.space().map_err(|error| format!("{what}: {error}"))?.size();
    if size != count {
        return Err(format!("{what} has {size} numbers, but {count} are expected"));
    }
    container.read_raw::<T>().map_err(|error| format!("{what}: {error}"))
}

/// Adds the bodies of a file, with their types.
fn append(path: &Path, bodies: &mut Bodies, types: &mut Vec<u8>) -> Result<(), String> {
    let file = open(path)?;
    let header = group(&file, "Header")?;
    let counts = attribute::<u64>(&header, "NumPart_ThisFile", 6)?;
    let table = match header.attr("MassTable").is_ok() {
        true => attribute::<f64>(&header, "MassTable", 6)?,
        false => vec![0.0; 6],
    };
    for (kind, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let name = format!("PartType{kind}");
        let group = group(&file, &name)?;
        let count = usize::try_from(count).map_err(|_| format!("`{name}` has {count} particles"))?;
        let start = bodies.len();
        types.resize(start + count, kind as u8);
        bodies.ids.extend(dataset::<u64>(&group, &name, "ParticleIDs", &[count])?);
        for (dataset_name, vectors) in
            [("Coordinates", &mut bodies.positions), ("Velocities", &mut bodies.velocities)]
        {
            let flat = dataset::<f64>(&group, &name, dataset_name, &[count, 3])?;
            vectors.extend(flat.chunks_exact(3).map(|v| [v[0], v[1], v[2]]));
        }
        match table[kind] == 0.0 {
            true => bodies.masses.extend(dataset::<f64>(&group, &name, "Masses", &[count])?),
            false => bodies.masses.resize(start + count, table[kind]),
        }
    }
    Ok(())
}

/// The numbers of a dataset of this shape.
fn dataset<T: H5Type>(group: &Group, kind: &str, name: &str, shape: &[usize]) -> Result<Vec<T>, String> {
    let what = format!("`{kind}/{name}`");
    let dataset = group.dataset(name).map_err(|_| format!("it has no dataset {what}"))?;
    let found = dataset.get_shape().map_err(|error| format!("{what}: {error}"))?;
    if found != shape {
        return Err(format!("{what} has the shape {found:?}, but {shape:?} is expected"));
    }
    // A damaged file may announce any size, so memory is allocated only for what the file can hold.
    let count = shape.iter().try_fold(1_u64, |product, &n| product.checked_mul(n as u64));
    if count.is_none_or(|count| count > dataset.storage_size().saturating_mul(DENSEST)) {
        return Err(format!("{what} has the shape {found:?}, but the file holds less"));
    }
    numbers(&dataset, &what, shape.iter().product())
}
