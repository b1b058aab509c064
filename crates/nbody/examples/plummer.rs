//! A Plummer sphere on the devices of this machine, with the leapfrog.
//!
//! `cargo run --release -p volvelle-nbody --example plummer [-- BODIES [DEVICES]]`, where DEVICES is a list such as `threads` or
//! `opencl:0,threads`.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_nbody::initial::{self, Model};
use volvelle_nbody::{Physics, Simulation};
use volvelle_runtime::architecture::{Cpu, Gpu};
use volvelle_runtime::{Context, Node, Technology};
use volvelle_technologies::{Cache, Cuda, Interpreter, OpenCl, Threads};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().map_or(Ok(2000), |text| text.parse())?;
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
    let mut simulation = Simulation::new(&context, &initial::bodies(&Model::Plummer, count, 1)?, &physics)?;
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
