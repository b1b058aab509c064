//! Benchmark of a device that was not requested: the time of a step on threads and on the device decides which continues.

use std::time::Duration;

use volvelle_control::Fact;

use crate::sweeps::Sweeps;

/// Time that building kernels and filling a device may take. A device that was not requested is tried only after threads
/// have worked for that long, and where at least as much work is left.
const PATIENCE: Duration = Duration::from_millis(400);

/// Times of steps that were measured so far.
#[derive(Default)]
pub struct DeviceBenchmark {
    threads: Measured,
    device: Measured,
    /// Whether the device has made its first step, which includes preparations with some technologies.
    is_warm: bool,
    is_over: bool,
}

/// Time for a number of steps.
#[derive(Clone, Copy, Default)]
struct Measured {
    time: Duration,
    steps: u64,
}

impl Measured {
    /// Milliseconds for one.
    fn each_ms(self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.steps.max(1) as f64
    }
}

/// The side that continues, with the reason.
pub enum Verdict {
    /// The device.
    Device(Fact),
    /// Threads.
    Threads(Fact),
}

impl DeviceBenchmark {
    /// Whether times are still wanted.
    pub fn goes_on(&self) -> bool {
        !self.is_over
    }

    /// Ends the benchmark without a verdict.
    pub fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether it is time to fill the device: threads took as long as filling may take, and at least as much work is left.
    pub fn is_time(&self, steps_to_come: u64) -> bool {
        let to_come_ms = self.threads.each_ms() * steps_to_come as f64;
        self.threads.time >= PATIENCE && to_come_ms >= 1e3 * PATIENCE.as_secs_f64()
    }

    /// Adds the time of steps on threads.
    pub fn add_threads(&mut self, time: Duration, steps: u64) {
        self.threads.time += time;
        self.threads.steps += steps;
    }

    /// Whether the device makes its first step now.
    pub fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.is_warm, true)
    }

    /// Decides by the time of steps on the device, and ends the benchmark.
    pub fn decide(&mut self, sweeps: &Sweeps, time: Duration, steps: u64) -> Verdict {
        self.device = Measured { time, steps };
        self.is_over = true;
        let [threads, device] = [self.threads, self.device].map(Measured::each_ms);
        let name = sweeps.name();
        if device < threads {
            let why = format!("{device:.3} ms per step against {threads:.3} ms on threads");
            Verdict::Device(Fact::text("sweeps", name).because(why))
        } else {
            let why = format!("{threads:.3} ms per step against {device:.3} ms on {name}");
            Verdict::Threads(Fact::text("sweeps", "threads").because(why))
        }
    }
}
