//! A Plummer sphere on the devices of this machine, with the leapfrog.
//!
//! `cargo run --release -p volvelle-nbody --example plummer [-- BODIES [DEVICES]]`, where DEVICES is a list such as `threads` or
//! `opencl:0,threads`.

use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::io::Write;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_nbody::{Bodies, Physics, Simulation};
use volvelle_runtime::architecture::{Cpu, Gpu};
use volvelle_runtime::{Context, Node, Technology};
use volvelle_technologies::{Cache, Cuda, Interpreter, OpenCl, Threads};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(2000), |text| text.parse())?;
    let devices = arguments.next().unwrap_or_else(|| "threads".to_owned());

    // The devices: all that the names select, together.
    let threads = std::thread::available_parallelism()?;
    let technologies: Vec<Arc<dyn Technology>> = vec![
        Arc::new(Cuda::new(Cache::none(), None)),
        Arc::new(OpenCl::new(Cache::none())),
        Arc::new(Threads::new(threads)),
        Arc::new(Interpreter),
    ];
    let node = Node::find(&[&Cpu::new(), &Gpu::new()], technologies);
    let served = node.select(&devices)?;
    let opened = served.into_iter().map(|served| node.open(served)).collect::<Result<Vec<_>, _>>()?;
    let context = Context::of(opened)?;

    // A tenth of a time unit between lines. The half-mass crossing time is 2.8 of these units.
    let physics = Physics::direct(0.01, 1.0 / 512.0);
    let mut simulation = Simulation::new(&context, &plummer(count), &physics)?;
    let start = simulation.totals()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "time  virial ratio  relative error of the energy")?;
    for line in 0..=10 {
        simulation.advance(f64::from(line) / 10.0, &Control::unlimited())?;
        let now = simulation.totals()?;
        let error = (now.energy - start.energy) / start.energy.abs();
        writeln!(out, "{:4.1}  {:12.4}  {error:10.2e}", now.time, now.virial_ratio)?;
    }
    Ok(())
}

/// A Plummer sphere of mass 1 and virial radius 1 in equilibrium (S. J. Aarseth, M. Hénon and R. Wielen 1974).
fn plummer(count: usize) -> Bodies {
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let scale = 3.0 * PI / 16.0;
    let mut bodies = Bodies { ids: (0..count as u64).collect(), ..Bodies::default() };
    for _ in 0..count {
        let radius = ((0.001 + 0.998 * unit()).powf(-2.0 / 3.0) - 1.0).powf(-0.5);
        let share = loop {
            let (q, g) = (unit(), 0.1 * unit());
            if g < q * q * (1.0 - q * q).powf(3.5) {
                break q;
            }
        };
        let speed = share * 2.0_f64.sqrt() * (1.0 + radius * radius).powf(-0.25);
        let mut direction = |length: f64| {
            let (z, around) = (2.0 * unit() - 1.0, TAU * unit());
            let across = (1.0 - z * z).sqrt();
            [length * across * around.cos(), length * across * around.sin(), length * z]
        };
        bodies.positions.push(direction(radius * scale));
        bodies.velocities.push(direction(speed / scale.sqrt()));
        bodies.masses.push(1.0 / count as f64);
    }
    bodies
}
