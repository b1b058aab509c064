//! Snapshots of particle systems: any bytes in, no panic; and what was read is written and read again unchanged.

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_nbody::Bodies;
use volvelle_nbody::files::{Format, WriteOptions, parse, write_text};

/// Reads bytes as a snapshot in each format of text.
pub fn snapshot_text(bytes: &[u8]) {
    for format in [Format::Csv, Format::Nemo] {
        let mut sources = Sources::new();
        match parse(format, "bodies", bytes, &mut sources) {
            Ok(bodies) => survives(format, &bodies),
            Err(found) => {
                assert!(!found.is_empty(), "a snapshot is refused with a reason");
                let options = RenderOptions { color: true, ..RenderOptions::default() };
                let _ = render_all(&found, &sources, options);
            }
        }
    }
}

/// Writes bodies, and reads them again with the same bits.
fn survives(format: Format, bodies: &Bodies) {
    let mut text = Vec::new();
    write_text(format, bodies, &WriteOptions::default(), &mut text).expect("what was read can be written");
    let again = parse(format, "again", &text, &mut Sources::new()).expect("what was written is read");
    assert_eq!(bits(&again), bits(bodies), "as {format:?}");
}

fn bits(bodies: &Bodies) -> Vec<u64> {
    let vectors = bodies.positions.iter().chain(&bodies.velocities).flatten();
    let numbers = vectors.chain(&bodies.masses).chain([&bodies.time]);
    numbers.map(|x| x.to_bits()).chain(bodies.ids.iter().copied()).collect()
}
