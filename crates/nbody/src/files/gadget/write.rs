//! Writing. A body's type is its entry in the column `type`; without that column all are of type 1, matter
//! without collisions.

use super::names::{TYPE, TYPE_COLUMN, numbered};
use crate::bodies::Bodies;
use crate::files::format::{Precision, WriteOptions};
use crate::files::places::trouble;
use hdf5_metno::{File, Group, H5Type};
use std::ops::Range;
use std::path::Path;
use volvelle_diagnostics::Diagnostic;

/// The type of a body.
fn type_of(bodies: &Bodies, body: usize) -> usize {
    let column = bodies.others.iter().find(|column| column.name.eq_ignore_ascii_case(TYPE_COLUMN));
    let kind = column.and_then(|column| column.values[body].parse().ok());
    kind.filter(|kind| *kind < 6).unwrap_or(TYPE)
}

/// Writes a snapshot, in one file or in several.
pub fn write(path: &Path, bodies: &Bodies, options: &WriteOptions) -> Result<(), Diagnostic> {
    let files = options.files.max(1);
    for number in 0..files {
        let bound = |number: u32| (bodies.len() as u128 * u128::from(number) / u128::from(files)) as usize;
        let range = bound(number)..bound(number + 1);
        let path = if files == 1 { path.to_owned() } else { numbered(path, number) };
        if u32::try_from(range.len()).is_err() {
            let why =
                format!("a file of the convention has room for 2^32 - 1 particles, not for {}", range.len());
            return Err(trouble(&path, "cannot be written", &why).help("write more files"));
        }
        part(&path, bodies, range, options.precision, files)
            .map_err(|error| trouble(&path, "cannot be written", &error))?;
    }
    Ok(())
}

/// Writes the file with a range of the bodies.
fn part(
    path: &Path,
    bodies: &Bodies,
    range: Range<usize>,
    precision: Precision,
    files: u32,
) -> hdf5_metno::Result<()> {
    let file = File::create(path)?;
    let header = file.create_group("Header")?;
    let all: Vec<usize> = (0..bodies.len()).map(|body| type_of(bodies, body)).collect();
    let count = |kinds: &[usize]| -> [u64; 6] {
        std::array::from_fn(|kind| kinds.iter().filter(|other| **other == kind).count() as u64)
    };
    let (here, total) = (count(&all[range.clone()]), count(&all));
    // Equal masses are in the table, in which 0 means that they are not.
    let mass = bodies.masses.first().copied().filter(|&m| m > 0.0);
    let mass = mass.filter(|m| bodies.masses.iter().all(|other| other == m));
    let table = total.map(|count| if count > 0 { mass.unwrap_or(0.0) } else { 0.0 });
    list(&header, "NumPart_ThisFile", &here.map(|count| count as u32))?;
    list(&header, "NumPart_Total", &total.map(|count| count as u32))?;
    list(&header, "NumPart_Total_HighWord", &total.map(|count| (count >> 32) as u32))?;
    list(&header, "MassTable", &table)?;
    single(&header, "Time", bodies.time)?;
    single(&header, "Redshift", 0.0)?;
    single(&header, "BoxSize", 0.0)?;
    single(&header, "NumFilesPerSnapshot", files)?;
    single(&header, "Flag_DoublePrecision", u32::from(precision == Precision::Double))?;
    for kind in (0..6).filter(|kind| here[*kind] > 0) {
        let group = file.create_group(&format!("PartType{kind}"))?;
        let of_kind: Vec<usize> = range.clone().filter(|body| all[*body] == kind).collect();
        let count = of_kind.len();
        let vectors = |of: &[[f64; 3]]| -> Vec<f64> { of_kind.iter().flat_map(|body| of[*body]).collect() };
        let ids: Vec<u64> = of_kind.iter().map(|body| bodies.ids[*body]).collect();
        dataset(&group, "ParticleIDs", vec![count], &ids)?;
        floats(&group, "Coordinates", vec![count, 3], &vectors(&bodies.positions), precision)?;
        floats(&group, "Velocities", vec![count, 3], &vectors(&bodies.velocities), precision)?;
        if mass.is_none() {
            let masses: Vec<f64> = of_kind.iter().map(|body| bodies.masses[*body]).collect();
            floats(&group, "Masses", vec![count], &masses, precision)?;
        }
    }
    file.close()
}

fn list<T: H5Type>(header: &Group, name: &str, values: &[T; 6]) -> hdf5_metno::Result<()> {
    header.new_attr::<T>().shape(6).create(name)?.write_raw(values.as_slice())
}

fn single<T: H5Type>(header: &Group, name: &str, value: T) -> hdf5_metno::Result<()> {
    header.new_attr::<T>().create(name)?.write_scalar(&value)
}

fn dataset<T: H5Type>(group: &Group, name: &str, shape: Vec<usize>, values: &[T]) -> hdf5_metno::Result<()> {
    group.new_dataset::<T>().shape(shape).create(name)?.write_raw(values)
}

fn floats(
    group: &Group,
    name: &str,
    shape: Vec<usize>,
    values: &[f64],
    precision: Precision,
) -> hdf5_metno::Result<()> {
    match precision {
        Precision::Double => dataset(group, name, shape, values),
        Precision::Single => {
            let singles: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            dataset(group, name, shape, &singles)
        }
    }
}
