//! How long sums by way of a tree take on one core, and how large their errors are.
//!
//! `cargo run --release -p volvelle-nbody --example tree [-- BODIES [FILE]]`. Bodies are those of a Plummer sphere without motion, and are
//! written to the file, if one is given: x, y and z of each in a line.

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;
use volvelle_nbody::{Bodies, Physics, Simulation, Solver};
use volvelle_runtime::{Context, Technology};
use volvelle_technologies::Threads;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(32768), |text| text.parse())?;
    let bodies = sphere(count);
    if let Some(file) = arguments.next() {
        let lines = bodies.positions.iter().map(|[x, y, z]| format!("{x:e} {y:e} {z:e}\n"));
        std::fs::write(file, lines.collect::<String>())?;
    }
    let softening = 0.01;
    let context = Context::of(vec![Threads::new(NonZeroUsize::MIN).open(0)?])?;
    let direct = Physics::direct(softening, 0.01);
    let (expected, seconds) = measure(&mut Simulation::new(&context, &bodies, &direct)?)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{count} bodies, all pairs: {seconds:.4} s")?;
    writeln!(out, "angle  quadrupole  seconds  mean relative error")?;
    for quadrupole in [false, true] {
        for opening_angle in [0.3, 0.5, 0.7, 1.0] {
            let physics = Physics { solver: Solver::Tree { opening_angle, quadrupole }, ..direct.clone() };
            let (found, seconds) = measure(&mut Simulation::new(&context, &bodies, &physics)?)?;
            let errors = found.iter().zip(&expected).map(|(a, b)| distance(a, b) / distance(b, &[0.0; 3]));
            let mean = errors.sum::<f64>() / count as f64;
            writeln!(out, "{opening_angle:5}  {quadrupole:10}  {seconds:7.4}  {mean:.2e}")?;
        }
    }
    Ok(())
}

/// Accelerations, and a time.
type Measured = (Vec<[f64; 3]>, f64);

/// Accelerations, and the median time that they took.
fn measure(simulation: &mut Simulation) -> Result<Measured, Box<dyn Error>> {
    let found = simulation.accelerations()?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        simulation.accelerations()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((found, times[2]))
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
    }
}
