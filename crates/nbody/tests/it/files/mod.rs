//! Snapshots: written files are read again, and wrong ones are reported.

#[cfg(feature = "hdf5")]
mod gadget;
mod pages;
mod text;

use std::path::PathBuf;
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_nbody::Bodies;
use volvelle_nbody::files::{Format, parse};
use volvelle_random::Random;

/// Bodies with all kinds of finite numbers.
fn odd(count: usize, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let mut number = || loop {
        let x = f64::from_bits(random.bits());
        if x.is_finite() {
            return x;
        }
    };
    let mut bodies = Bodies { time: number(), ..Bodies::default() };
    for body in 0..count {
        bodies.ids.push(u64::MAX - 7 * body as u64);
        bodies.masses.push(number().abs());
        bodies.positions.push([(); 3].map(|()| number()));
        bodies.velocities.push([-0.0, number(), f64::MIN_POSITIVE / 8.0]);
    }
    bodies
}

/// All bits of bodies; 0 and -0 are equal as numbers.
fn bits(bodies: &Bodies) -> Vec<u64> {
    let vectors = bodies.positions.iter().chain(&bodies.velocities).flatten();
    let numbers = vectors.chain(&bodies.masses).chain([&bodies.time]);
    numbers.map(|x| x.to_bits()).chain(bodies.ids.iter().copied()).collect()
}

/// What is said about a text.
fn said(format: Format, text: &[u8]) -> String {
    let mut sources = Sources::new();
    match parse(format, "bodies.csv", text, &mut sources) {
        Ok(bodies) => panic!("{bodies:?}"),
        Err(found) => render_all(&found, &sources, RenderOptions::default()),
    }
}

/// A folder of a test, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("volvelle-nbody-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
