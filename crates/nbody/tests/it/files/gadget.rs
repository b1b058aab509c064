//! HDF5 in the convention of GADGET.

use super::{Folder, bits, odd};
use hdf5_metno::File;
use std::path::Path;
use volvelle_diagnostics::Sources;
use volvelle_nbody::Bodies;
use volvelle_nbody::files::{Precision, WriteOptions, read, write};
use volvelle_nbody::initial::{Model, bodies};

fn read_again(path: &Path) -> Bodies {
    read(path, &mut Sources::new()).unwrap()
}

fn refused(path: &Path) -> String {
    let found = read(path, &mut Sources::new()).unwrap_err();
    format!("{} {:?}", found[0].message, found[0].notes)
}

#[test]
fn what_was_written_is_read_with_the_same_bits() {
    let folder = Folder::new("gadget");
    let equal = bodies(&Model::Plummer, 50, 1).unwrap();
    for (number, bodies) in [odd(40, 3), equal, Bodies::default()].iter().enumerate() {
        for files in [1, 3] {
            let path = folder.file(&format!("snapshot_{number}{files}.hdf5"));
            write(&path, bodies, &WriteOptions { files, ..WriteOptions::default() }).unwrap();
            assert_eq!(bits(&read_again(&path)), bits(bodies));
            if files == 3 {
                // Any of them stands for all.
                let second = folder.file(&format!("snapshot_{number}3.2.hdf5"));
                assert_eq!(bits(&read_again(&second)), bits(bodies));
            }
        }
    }
}

#[test]
fn a_file_that_is_missing_is_named() {
    let folder = Folder::new("gadget-missing");
    let path = folder.file("snapshot.hdf5");
    write(&path, &odd(10, 4), &WriteOptions { files: 3, ..WriteOptions::default() }).unwrap();
    std::fs::remove_file(folder.file("snapshot.1.hdf5")).unwrap();
    assert!(refused(&path).contains("snapshot.1.hdf5` is not there"));
}

#[test]
fn single_precision_and_the_table_of_masses_are_in_the_file() {
    let folder = Folder::new("gadget-single");
    let path = folder.file("snapshot.hdf5");
    let bodies = bodies(&Model::Hernquist, 20, 1).unwrap();
    write(&path, &bodies, &WriteOptions { precision: Precision::Single, files: 1 }).unwrap();
    let again = read_again(&path);
    assert_eq!(again.masses, bodies.masses);
    assert_eq!(again.positions[3][1], f64::from(bodies.positions[3][1] as f32));
    let file = File::open(&path).unwrap();
    let group = file.group("PartType1").unwrap();
    assert_eq!(group.dataset("Coordinates").unwrap().shape(), [20, 3]);
    assert_eq!(group.dataset("Coordinates").unwrap().dtype().unwrap().size(), 4);
    assert!(group.dataset("Masses").is_err());
    let table = file.group("Header").unwrap().attr("MassTable").unwrap().read_raw::<f64>().unwrap();
    assert_eq!(table, [0.0, 0.05, 0.0, 0.0, 0.0, 0.0]);
}

/// A file of another program: gas with masses of its own, stars with the mass of the table; ids of 32 bits.
fn foreign(path: &Path, coordinates: [usize; 2]) {
    let file = File::create(path).unwrap();
    let header = file.create_group("Header").unwrap();
    let counts = header.new_attr::<i32>().shape(6).create("NumPart_ThisFile").unwrap();
    counts.write_raw(&[2, 0, 0, 0, 1, 0]).unwrap();
    let table = header.new_attr::<f64>().shape(6).create("MassTable").unwrap();
    table.write_raw(&[0.0, 0.0, 0.0, 0.0, 4.0, 0.0]).unwrap();
    header.new_attr::<f64>().create("Time").unwrap().write_scalar(&2.5).unwrap();
    header.new_attr::<i32>().create("NumFilesPerSnapshot").unwrap().write_scalar(&1).unwrap();
    for (kind, count) in [(0, 2), (4, 1)] {
        let group = file.create_group(&format!("PartType{kind}")).unwrap();
        let ids: Vec<u32> = (0..count).map(|i| 10 * kind + i).collect();
        group.new_dataset::<u32>().shape(ids.len()).create("ParticleIDs").unwrap().write_raw(&ids).unwrap();
        for name in ["Coordinates", "Velocities"] {
            let shape = if kind == 0 { coordinates } else { [1, 3] };
            let values: Vec<f32> = (0..shape[0] * shape[1]).map(|i| i as f32).collect();
            group.new_dataset::<f32>().shape(shape).create(name).unwrap().write_raw(&values).unwrap();
        }
    }
    let gas = file.group("PartType0").unwrap();
    gas.new_dataset::<f32>().shape(2).create("Masses").unwrap().write_raw(&[1.0_f32, 2.0]).unwrap();
}

#[test]
fn types_are_read_in_their_order() {
    let folder = Folder::new("gadget-types");
    let path = folder.file("foreign.h5");
    foreign(&path, [2, 3]);
    let bodies = read_again(&path);
    assert_eq!(bodies.time, 2.5);
    assert_eq!(bodies.ids, [0, 1, 40]);
    assert_eq!(bodies.masses, [1.0, 2.0, 4.0]);
    assert_eq!(bodies.positions, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 1.0, 2.0]]);
    let wrong = folder.file("wrong.h5");
    foreign(&wrong, [3, 2]);
    assert!(refused(&wrong).contains("[3, 2], but [2, 3] is expected"), "{}", refused(&wrong));
}

#[test]
fn damaged_files_are_refused() {
    let folder = Folder::new("gadget-damaged");
    let path = folder.file("snapshot.hdf5");
    std::fs::write(&path, b"a shopping list").unwrap();
    assert!(refused(&path).contains("cannot be read"));
    write(&path, &odd(5, 4), &WriteOptions::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    // Bytes of other values, or fewer of them: an error or other numbers, never a panic.
    for at in (0..bytes.len()).step_by(61) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        std::fs::write(&path, &damaged).unwrap();
        let _ = read(&path, &mut Sources::new());
        std::fs::write(&path, &bytes[..at]).unwrap();
        assert!(read(&path, &mut Sources::new()).is_err(), "{at} of {} bytes", bytes.len());
    }
}
