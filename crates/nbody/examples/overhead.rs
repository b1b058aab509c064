//! Direct sums with the leapfrog on OpenCL, timed for a comparison with a program without a runtime (`benches/nbody/overhead.py`).
//!
//! `target/release/examples/overhead FOLDER BODIES WARM STEPS BLOCKS`, under a launcher of MPI or alone. The folder gets the texts of all
//! kernels as the device compiles them (`acceleration.cl`, …), the options of its compiler, the bodies (`bodies`: x, y, z and mass of each, then
//! all velocities), and at the end their places (`runtime.RANK`). WARM steps are not timed; then each rank prints wall and CPU seconds of each block of
//! STEPS steps. Without warm steps, the first block computes one acceleration more than it has steps.

#![allow(clippy::print_stdout, reason = "its table is its result")]

mod clock;

use clock::cpu_seconds;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_nbody::initial::{self, Model};
use volvelle_nbody::{Bodies, Physics, Simulation};
use volvelle_runtime::network::Single;
use volvelle_runtime::{
    Command, Context, Error as Failure, Executable, Executor, Function, Network, Offer, Storage, Technology,
};
use volvelle_source::{Dialect, Jumps, Notes};
use volvelle_technologies::mpi::{self, Launcher, Settings};
use volvelle_technologies::{Cache, OpenCl};

/// The length of a step, whose multiples are not rounded.
const STEP: f64 = 1.0 / 1024.0;
const SOFTENING: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, bodies, warm, steps, blocks] = arguments.as_slice() else {
        return Err("arguments: FOLDER BODIES WARM STEPS BLOCKS".into());
    };
    let (folder, bodies) = (Path::new(folder), bodies.parse()?);
    let (warm, steps, blocks) = (warm.parse()?, steps.parse()?, blocks.parse()?);
    let launcher = Launcher::of(|name| std::env::var(name).ok());
    let program = |network| {
        run(network, folder, bodies, warm, steps, blocks)
            .map_err(|error| Failure::Unavailable(error.to_string()))
    };
    match launcher.has_several() {
        true => mpi::run(&launcher, Settings::default(), program)?,
        false => program(Arc::new(Single))?,
    }
    Ok(())
}

fn run(
    network: Arc<dyn Network>,
    folder: &Path,
    count: u64,
    warm: u32,
    steps: u32,
    blocks: u32,
) -> Result<(), Box<dyn Error>> {
    let rank = network.rank();
    let device = OpenCl::new(Cache::none()).open(0)?;
    let recorder = Arc::new(Recorder { device, functions: Mutex::default() });
    let context = Context::among(vec![recorder.clone()], network)?;
    let bodies = initial::bodies(&Model::Plummer, count, 1)?;
    let mut simulation = Simulation::new(&context, &bodies, &Physics::direct(SOFTENING, STEP))?;
    if rank == 0 {
        recorder.write(folder)?;
        write_bodies(folder, &bodies)?;
    }
    let mut done = 0;
    let mut advance = |simulation: &mut Simulation, steps: u32| {
        done += steps;
        simulation.advance(f64::from(done) * STEP, &Control::unlimited())
    };
    advance(&mut simulation, warm)?;
    for _ in 0..blocks {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        advance(&mut simulation, steps)?;
        println!("{:.9} {:.9}", start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    }
    let places: Vec<u8> =
        simulation.bodies()?.positions.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join(format!("runtime.{rank}")), places)?;
    Ok(())
}

/// Writes x, y, z and mass of all bodies, then all velocities.
fn write_bodies(folder: &Path, bodies: &Bodies) -> Result<(), Box<dyn Error>> {
    let places = bodies.positions.iter().zip(&bodies.masses).flat_map(|([x, y, z], mass)| [x, y, z, mass]);
    let numbers = places.chain(bodies.velocities.as_flattened());
    std::fs::write(folder.join("bodies"), numbers.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(())
}

/// A device that keeps in mind what was built for it.
struct Recorder {
    device: Arc<dyn Executor>,
    functions: Mutex<Vec<Function>>,
}

impl Recorder {
    /// Writes the text of each function, and the options of the compiler.
    fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        for function in &*self.functions.lock().unwrap_or_else(PoisonError::into_inner) {
            let ir = function.ir.as_ref().ok_or("a function without a kernel")?;
            let source = volvelle_source::source_with(ir, Dialect::OpenCl, &Notes::default(), Jumps::Labels)?;
            std::fs::write(folder.join(format!("{}.cl", function.name)), source.text)?;
        }
        std::fs::write(folder.join("options"), Dialect::OpenCl.options().join(" "))?;
        Ok(())
    }
}

impl Executor for Recorder {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn offer(&self) -> &Offer {
        self.device.offer()
    }

    fn lanes(&self) -> u64 {
        self.device.lanes()
    }

    fn storage(&self) -> Arc<dyn Storage> {
        self.device.storage()
    }

    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Failure> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner).push(function.clone());
        self.device.build(function)
    }

    fn run_in_order(&self, commands: &[Command<'_>]) -> Result<volvelle_kernel::Exit, Failure> {
        self.device.run_in_order(commands)
    }
}
