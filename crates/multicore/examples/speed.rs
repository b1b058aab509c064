//! Millions of instructions and tasks a second of predictors and machines, on a stream in memory.
//!
//! `cargo run --release -p volvelle-multicore --example speed`

#[path = "../tests/it/streams.rs"]
mod streams;

use std::io::Write;
use streams::{Look, Synthetic};
use volvelle_control::Control;
use volvelle_instructions::{Batch, Failure, Listing, Stream};
use volvelle_multicore::{Ahead, Configuration, Machine, ShippedProtocols, Specification, run};

/// A stream kept in memory, so that making it up costs nothing, played again and again.
struct Played {
    listing: Listing,
    batches: Vec<Batch>,
    at: usize,
    times: usize,
}

impl Played {
    fn new(look: Look, batches: usize, times: usize) -> Self {
        let mut stream = Synthetic::new(3, u64::MAX, look);
        let mut all = Vec::new();
        for _ in 0..batches {
            let mut batch = Batch::default();
            stream.next(&mut batch, 8192, &Control::unlimited()).expect("it goes on");
            all.push(batch);
        }
        Played { listing: stream.listing().clone(), batches: all, at: 0, times }
    }
}

impl Stream for Played {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn next(&mut self, batch: &mut Batch, _: usize, _: &Control<'_>) -> Result<bool, Failure> {
        if self.at == self.batches.len() * self.times {
            return Ok(false);
        }
        batch.clone_from(&self.batches[self.at % self.batches.len()]);
        self.at += 1;
        Ok(true)
    }
}

const LOOK: Look = Look { size: 3000, bytes: 40_000, memory: 30, branches: 18 };

const PREDICTORS: [&str; 9] = [
    "always-taken",
    "bimodal-12",
    "gag-14",
    "gshare-14",
    "perceptron-8",
    "perceptron-24",
    "hashed",
    "tage",
    "tage-sc-l",
];

fn main() {
    predictors();
    machines();
}

fn predictors() {
    for name in PREDICTORS {
        let predictor = Specification::parse(name).expect("a known name");
        let machine = Machine { task_length: 16, ..Machine::default() };
        measure(name, &[Configuration::untimed(machine, predictor)]);
    }
}

fn machines() {
    let configuration = |machine: &str, predictor: &str, tasks| {
        let predictor = Specification::parse(predictor).expect("a known name");
        let mut machine = Machine::preset(machine).expect("a preset");
        machine.tasks_per_core = tasks;
        Configuration::new(machine, predictor)
    };
    for (machine, mode) in [
        ("paper", "rounds"),
        ("paper-single-8", "rounds"),
        ("paper-quad-4", "rounds"),
        ("paper-quad-8", "rounds"),
        ("paper-quad-16", "rounds"),
        ("paper-octa-16", "rounds"),
        ("paper-quad-8", "rolling"),
        ("paper-quad-8", "optimistic"),
    ] {
        let mut one = configuration(machine, "perceptron-8", 2);
        one.machine.set("mode", mode, &mut ShippedProtocols).expect("a mode");
        measure(&format!("{machine} {mode}"), &[one]);
    }
    let eight: Vec<Configuration> = ["paper-quad-4", "paper-quad-8", "paper-quad-16", "paper-octa-8"]
        .iter()
        .flat_map(|machine| ["gag-14", "perceptron-8"].map(|predictor| configuration(machine, predictor, 2)))
        .collect();
    measure("eight", &eight);
    let machine = Machine { task_length: 16, ..Machine::default() };
    let all: Vec<Configuration> = PREDICTORS
        .iter()
        .map(|name| {
            Configuration::untimed(machine.clone(), Specification::parse(name).expect("a known name"))
        })
        .collect();
    measure("all predictors", &all);
}

/// Seconds that this thread has had a processor: others may have it, too. By the clock of the kernel, which Linux has.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds: f64 = text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

fn measure(name: &str, configurations: &[Configuration]) {
    let mut stream = Played::new(LOOK, 200, 5);
    let start = processor_seconds();
    let answers =
        run(&mut stream, configurations, &Ahead::default(), &Control::unlimited()).expect("a right stream");
    let seconds = processor_seconds() - start;
    let answer = &answers[0];
    let count = configurations.len() as f64;
    let _ = writeln!(
        std::io::stdout(),
        "{name}: {:.1} M instruction-configurations/s, {:.1} M tasks/s; ipc {:.2}, {:.1} mispredictions and {:.1} misses per 1000",
        answer.instructions as f64 * count / seconds / 1e6,
        answer.tasks as f64 * count / seconds / 1e6,
        answer.ipc(),
        answer.mpki(),
        answer.dcache.misses as f64 * 1000.0 / answer.instructions as f64,
    );
}
