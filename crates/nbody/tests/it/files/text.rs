//! CSV and NEMO's ASCII.

use super::{Folder, bits, odd, said};
use std::path::Path;
use volvelle_diagnostics::Sources;
use volvelle_nbody::Bodies;
use volvelle_nbody::files::{Format, Precision, WriteOptions, parse, read, write, write_text};

const TEXTS: [Format; 2] = [Format::Csv, Format::Nemo];

fn written(format: Format, bodies: &Bodies, precision: Precision) -> Vec<u8> {
    let mut text = Vec::new();
    let options = WriteOptions { precision, ..WriteOptions::default() };
    write_text(format, bodies, &options, &mut text).unwrap();
    text
}

fn parsed(format: Format, text: &[u8]) -> Bodies {
    parse(format, "bodies", text, &mut Sources::new()).unwrap()
}

#[test]
fn what_was_written_is_read_with_the_same_bits() {
    for format in TEXTS {
        for count in [0, 1, 200] {
            let mut bodies = odd(count, 5);
            if format == Format::Nemo {
                bodies.ids = (0..count as u64).collect();
            }
            let again = parsed(format, &written(format, &bodies, Precision::Double));
            assert_eq!(bits(&again), bits(&bodies), "{format:?}");
        }
    }
}

#[test]
fn single_precision_is_that_of_32_bits() {
    let bodies = Bodies {
        time: 0.1,
        ids: vec![0],
        masses: vec![0.1],
        positions: vec![[1.0 / 3.0, 1e-30, 7.0]],
        velocities: vec![[0.0; 3]],
        ..Bodies::default()
    };
    for format in TEXTS {
        let text = written(format, &bodies, Precision::Single);
        let again = parsed(format, &text);
        assert_eq!(again.time, 0.1);
        for (found, exact) in again.positions[0].iter().zip(bodies.positions[0]) {
            assert_eq!(*found as f32, exact as f32, "{format:?}");
        }
        assert!(text.len() < written(format, &bodies, Precision::Double).len());
    }
}

#[test]
fn files_are_written_and_read_by_their_ending() {
    let folder = Folder::new("endings");
    let bodies = odd(10, 6);
    let path = folder.file("bodies.csv");
    write(&path, &bodies, &WriteOptions::default()).unwrap();
    assert_eq!(bits(&read(&path, &mut Sources::new()).unwrap()), bits(&bodies));
    assert_eq!(Format::of(Path::new("a/b.HDF5")), Some(Format::Gadget));
    assert_eq!(Format::of(Path::new("b.nemo")), Some(Format::Nemo));
    assert_eq!(Format::of(Path::new("b")), None);
    let refused = |name: &str| {
        let found = read(&folder.file(name), &mut Sources::new()).unwrap_err();
        format!("{} {:?} {:?}", found[0].message, found[0].notes, found[0].helps)
    };
    assert!(refused("bodies.xyz").contains("is that of no format"));
    assert!(refused("missing.csv").contains("No such file"));
    let nowhere = folder.file("none/bodies.csv");
    assert!(write(&nowhere, &bodies, &WriteOptions::default()).is_err());
}

#[test]
#[cfg(not(feature = "hdf5"))]
fn without_the_feature_hdf5_is_refused_by_its_name() {
    let found = read(Path::new("bodies.hdf5"), &mut Sources::new()).unwrap_err();
    assert!(found[0].notes[0].contains("feature `hdf5`"));
    let found = write(Path::new("bodies.hdf5"), &odd(1, 1), &WriteOptions::default()).unwrap_err();
    assert!(found.helps[0].contains("--features hdf5"));
}

#[test]
fn bodies_that_no_file_can_have_are_not_written() {
    for change in [
        |bodies: &mut Bodies| bodies.masses[1] = f64::NAN,
        |bodies: &mut Bodies| bodies.masses[1] = -1.0,
        |bodies: &mut Bodies| bodies.positions[0][1] = f64::INFINITY,
        |bodies: &mut Bodies| bodies.time = f64::NAN,
        |bodies: &mut Bodies| bodies.ids[1] = bodies.ids[0],
        |bodies: &mut Bodies| {
            bodies.velocities.pop();
        },
    ] {
        let mut bodies = odd(3, 8);
        change(&mut bodies);
        let found = write_text(Format::Csv, &bodies, &WriteOptions::default(), &mut Vec::new());
        assert!(found.is_err(), "{bodies:?}");
    }
    // Neither are those whose numbers leave the range of 32 bits.
    let mut bodies = odd(1, 8);
    bodies.positions[0][0] = 1e39;
    let options = WriteOptions { precision: Precision::Single, ..WriteOptions::default() };
    assert!(write_text(Format::Csv, &bodies, &options, &mut Vec::new()).is_err());
}

#[test]
fn columns_may_come_in_any_order_and_have_company() {
    let text = b"\xef\xbb\xbf# by hand\r\n\r\n#time=2.5\r\nVX, vy,vz,mass,x,y,z,colour\r\n 1,2,3, 0.5 ,4,5,6,red\r\n# between\r\n1,2,3,0.5,4,5,1e-3,\xff\r\n";
    let bodies = parsed(Format::Csv, text);
    assert_eq!(bodies.time, 2.5);
    assert_eq!(bodies.ids, [0, 1]);
    assert_eq!(bodies.masses, [0.5, 0.5]);
    assert_eq!(bodies.positions, [[4.0, 5.0, 6.0], [4.0, 5.0, 0.001]]);
    assert_eq!(bodies.velocities, [[1.0, 2.0, 3.0]; 2]);
}

#[test]
fn mistakes_in_csv_are_shown_at_their_places() {
    const HEAD: &str = "id,mass,x,y,z,vx,vy,vz\n";
    let at = |lines: &str| said(Format::Csv, format!("{HEAD}{lines}").as_bytes());
    for (lines, place, words) in [
        ("1,1,0,0,0,0,0,0\n2,1,0,0,nan,0,0,0\n", "3:9", "`z` is no finite number"),
        ("1,1,0,0,0,0,0,0\n2,1,0,0,nan,0,0,0\n", "3:9", "at particle 2"),
        ("1,1,0,0,1e999,0,0,0\n", "2:9", "no finite number"),
        ("1,-1,0,0,0,0,0,0\n", "2:3", "a mass is not negative"),
        ("-1,1,0,0,0,0,0,0\n", "2:1", "whole number"),
        ("1,1,0,0,0,0,0\n", "2:1", "7 values, but there are 8 columns"),
        ("1,1,0,0,0,0,0,0,5\n", "2:17", "more values than the 8 columns"),
        ("7,1,0,0,0,0,0,0\n8,1,1,0,0,0,0,0\n7,1,2,0,0,0,0,0\n", "4:1", "occurs twice"),
        ("# time = soon\n", "2:10", "the time is no finite number"),
        ("# time = 1\n# time = 2\n", "3:10", "a second time"),
    ] {
        let said = at(lines);
        assert!(said.contains(&format!("bodies.csv:{place}")) && said.contains(words), "{lines}\n{said}");
    }
    // Several at once, but not thousands.
    let said_all = at(&"x,1,0,0,0,0,0,0\n".repeat(1000));
    assert_eq!(said_all.matches("error[V1921]").count(), 20);
    // Of a line that is too long to show, a part, and where that begins.
    let long = at(&format!("1,1,0,0,0{},x\n", " ".repeat(5000)));
    assert!(long.contains("from its byte 4011 on") && long.len() < 10_000, "{long}");
    assert!(said(Format::Csv, b"").contains("no line with the names"));
    assert!(said(Format::Csv, b"id,mass,x,y\n").contains("no column z, vx, vy, vz"));
    assert!(said(Format::Csv, b"mass,mass,x,y,z,vx,vy,vz\n").contains("occurs twice"));
}

#[test]
fn numbers_of_nemo_may_stand_anywhere() {
    let bodies = parsed(Format::Nemo, b" 2 3 1.5d0 0.25\n0.75 1 2 3\r\n4 5 6\t1D-1 0 0 0 0 -1.5e1");
    assert_eq!(bodies.time, 1.5);
    assert_eq!(bodies.masses, [0.25, 0.75]);
    assert_eq!(bodies.positions, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(bodies.velocities, [[0.1, 0.0, 0.0], [0.0, 0.0, -15.0]]);
}

#[test]
fn mistakes_in_nemo_are_shown_at_their_places() {
    for (text, place, words) in [
        ("", "1:1", "begins with the number of bodies"),
        ("-1\n", "1:1", "begins with the number of bodies"),
        ("99999999999\n3\n0\n", "1:1", "more bodies than the file has room for"),
        ("1\n2\n0\n", "2:1", "must be 3"),
        ("1\n3\nnoon\n1\n0 0 0\n0 0 0\n", "3:1", "a time should be here"),
        ("1\n3\n0\n-1\n0 0 0\n0 0 0\n", "4:1", "a mass is not negative"),
        ("1\n3\n0\n1\n0 inf 0\n0 0 0\n", "5:3", "a position should be here"),
        ("1\n3\n0\n1\n0 inf 0\n0 0 0\n", "5:3", "at particle 1"),
        ("1\n3\n0\n1\n0 0 0\n0 0\n", "7:1", "the file ends where a velocity should be"),
        ("1\n3\n0\n1\n0 0 0\n0 0 0\n7\n", "7:1", "should end here"),
    ] {
        let said = said(Format::Nemo, text.as_bytes());
        assert!(said.contains(&format!("bodies.csv:{place}")) && said.contains(words), "{text}\n{said}");
    }
}
