//! CPU time of sums using a tree on one core, and their errors.
//!
//! `cargo run --release -p volvelle-nbody --example tree [-- BODIES [FOLDER]]`. Bodies are those of a Plummer sphere without motion. If a
//! folder is given, it gets the files `places` (x, y and z of each body as `f64`) and `accelerations` (the same of their sums over all pairs),
//! from which others can compute the errors of their own sums. Building the tree and copying it to the device count. Each figure is the median of up
//! to five measurements, each of at least 0.2 CPU seconds.

mod clock;

use clock::cpu_seconds;
use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use volvelle_nbody::{Bodies, Physics, Simulation, Solver};
use volvelle_runtime::{Context, Technology};
use volvelle_technologies::Threads;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(32768), |text| text.parse())?;
    let bodies = sphere(count);
    let softening = 0.01;
    let context = Context::of(vec![Threads::new(NonZeroUsize::MIN).open(0)?])?;
    let direct = Physics::direct(softening, 0.01);
    let (expected, seconds) = measure(&mut Simulation::new(&context, &bodies, &direct)?)?;
    if let Some(folder) = arguments.next() {
        for (name, values) in [("places", &bodies.positions), ("accelerations", &expected)] {
            let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
            std::fs::write(Path::new(&folder).join(name), bytes)?;
        }
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{count} bodies, all pairs: {seconds:.4} CPU s")?;
    writeln!(out, "angle  quadrupole    CPU s  relative error: mean  greatest")?;
    for quadrupole in [false, true] {
        for opening_angle in [0.2, 0.3, 0.5, 0.7, 1.0] {
            let physics = Physics { solver: Solver::Tree { opening_angle, quadrupole }, ..direct.clone() };
            let (found, seconds) = measure(&mut Simulation::new(&context, &bodies, &physics)?)?;
            let errors = found.iter().zip(&expected).map(|(a, b)| distance(a, b) / distance(b, &[0.0; 3]));
            let (sum, most) =
                errors.fold((0.0, 0.0_f64), |(sum, most), error| (sum + error, most.max(error)));
            let mean = sum / count as f64;
            writeln!(out, "{opening_angle:5}  {quadrupole:10}  {seconds:7.4}  {mean:20.2e}  {most:8.1e}")?;
        }
    }
    Ok(())
}

/// Accelerations, and CPU seconds.
type Measured = (Vec<[f64; 3]>, f64);

/// Accelerations, and the median time that they took.
fn measure(simulation: &mut Simulation) -> Result<Measured, Box<dyn Error>> {
    let begin = cpu_seconds();
    let found = simulation.accelerations()?;
    let mut times = vec![cpu_seconds() - begin];
    // The first sum also allocates. Where it takes long, that is nothing.
    while times.len() < 6 && cpu_seconds() - begin < 5.0 {
        let (start, mut rounds) = (cpu_seconds(), 0.0);
        while cpu_seconds() - start < 0.2 {
            simulation.accelerations()?;
            rounds += 1.0;
        }
        times.push((cpu_seconds() - start) / rounds);
    }
    let from = usize::from(times.len() > 1);
    times[from..].sort_by(f64::total_cmp);
    Ok((found, times[(from + times.len()) / 2]))
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Plummer's density, with a scale length of 1.
fn sphere(count: usize) -> Bodies {
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let place = |_| {
        let radius = ((0.001 + 0.998 * unit()).powf(-2.0 / 3.0) - 1.0).powf(-0.5);
        let (z, around) = (2.0 * unit() - 1.0, std::f64::consts::TAU * unit());
        let across = (1.0 - z * z).sqrt();
        [radius * across * around.cos(), radius * across * around.sin(), radius * z]
    };
    Bodies {
        time: 0.0,
        ids: (0..count as u64).collect(),
        masses: vec![1.0 / count as f64; count],
        positions: (0..count).map(place).collect(),
        velocities: vec![[0.0; 3]; count],
        ..Bodies::default()
    }
}
