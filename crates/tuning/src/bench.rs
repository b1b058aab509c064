//! `volvelle bench-kernels`, which `volvelle tune --measure` starts: does one job after the other, a line of JSON each, until its
//! input ends. Users have no need of it.

use crate::measuring::{Bench, Job};
use crate::options::BenchKernels;
use std::io::BufRead;
use volvelle_console::caches;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::question::Ask;

impl Ask for BenchKernels {
    const NAME: &'static str = "bench-kernels";
    const HAS_LIMITS: bool = false;
    const IS_HIDDEN: bool = true;

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Answers jobs. The first line is about the device, or says why there is none.
pub fn run(args: &BenchKernels, output: &Output) -> u8 {
    let line = |value: serde_json::Value| output.print(&format!("{value}\n"));
    let mut bench = match Bench::open(args.device) {
        Ok(bench) => bench,
        Err(why) => {
            line(serde_json::json!({ "error": why }));
            return EXIT_USAGE;
        }
    };
    let mut device = bench.device();
    if device.is_cpu {
        device.caches = caches::of_this_machine();
    }
    line(serde_json::json!({ "device": device }));
    for text in std::io::stdin().lock().lines() {
        let Ok(text) = text else { break };
        let Ok(job) = serde_json::from_str::<Job>(&text) else { return EXIT_USAGE };
        line(serde_json::to_value(bench.run(&job)).unwrap_or_default());
    }
    0
}
