//! How fast a device runs the paths of a model, in every way that there is: for benches.
//!
//! `device_ways DEVICE MODEL PROPERTY PATHS [CONSTANT=VALUE,...]`, where DEVICE is `threads`, `interpreter`, `opencl:0`, `cuda:0`;
//! the compiler of CUDA is looked for in the folder that `VOLVELLE_CUDA_LIBRARIES` names, and where the system looks.
#![expect(clippy::print_stdout, reason = "it is a program")]

#[path = "plan/mod.rs"]
mod plan;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;
use volvelle_runtime::{Executor, Technology};
use volvelle_simulate::device::{DevicePaths, DeviceVariant, Layout};
use volvelle_simulate::engine::Outcome;
use volvelle_simulate::path::Limits;
use volvelle_technologies::{Cache, Cuda, Interpreter, OpenCl, Threads};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [device, model, property, paths, constants @ ..] = arguments.as_slice() else {
        println!("device_ways DEVICE MODEL PROPERTY PATHS [CONSTANT=VALUE,...]");
        return;
    };
    let text = std::fs::read_to_string(model).expect("a file");
    let plan = plan::plan(&text, property, constants.first().map_or("", String::as_str));
    let executor = open(device);
    let count: u64 = paths.parse().expect("a number of paths");
    let located = |locations| DeviceVariant {
        layout: Layout::Single,
        locations: Some(Limits { locations, statements: 20_000 }),
    };
    let ways = Layout::ALL.into_iter().map(DeviceVariant::general).chain([16, 64, 256, 1024].map(located));
    println!("{} ({}), {count} paths", executor.name(), executor.offer().device.name);
    for way in ways {
        let start = Instant::now();
        let device = match DevicePaths::new(&plan, Arc::clone(&executor), way) {
            Ok(device) => device,
            Err(error) => {
                println!("{way:?}: {error}");
                continue;
            }
        };
        let made = start.elapsed().as_secs_f64();
        // The first run may have to make something, too.
        device.run(2, 0..count, u32::MAX).expect("it runs");
        let (start, busy) = (Instant::now(), processor_seconds());
        let outcome = device.run(1, 0..count, u32::MAX).expect("it runs");
        let seconds = start.elapsed().as_secs_f64();
        let Outcome::Ended(blocks) = outcome else {
            println!("{way:?}: a path failed");
            continue;
        };
        let steps: u64 = blocks.iter().map(|block| block.steps).sum();
        let [speed, per_core] =
            [seconds, processor_seconds() - busy].map(|seconds| steps as f64 / seconds / 1e6);
        println!(
            "{speed:>8.1} M steps/s {per_core:>8.1} a core {seconds:>6.2} s   made in {made:.2} s   {way:?}"
        );
    }
}

/// Processor time of this program in seconds; 0 if the system does not tell.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn open(device: &str) -> Arc<dyn Executor> {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let (technology, number) = device.split_once(':').unwrap_or((device, "0"));
    let technology: Box<dyn Technology> = match technology {
        "threads" => Box::new(Threads::new(threads)),
        "interpreter" => Box::new(Interpreter),
        "opencl" => Box::new(OpenCl::default()),
        "cuda" => {
            Box::new(Cuda::new(Cache::none(), std::env::var_os("VOLVELLE_CUDA_LIBRARIES").map(Into::into)))
        }
        _ => panic!("there is no technology `{technology}`"),
    };
    technology.open(number.parse().expect("the number of a device")).expect("a device")
}
