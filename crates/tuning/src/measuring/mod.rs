//! Measuring kernels of a user: jobs go in, answers come out, one at a time.
//!
//! A [`Job`] is everything about one launch: text, options, sizes, arguments; an [`Answer`] its times, or why there are none. Both
//! are lines of JSON, since a [`Bench`] runs in a process of its own: a kernel that writes beyond its buffers may end that
//! process, and one that never ends is ended with it.

mod bench;
mod calibration;
mod campaign;
mod compare;
mod contents;
mod launch;
mod prediction;
mod task;

pub use bench::{Bench, Device};
pub use calibration::{Calibration, calibrate};
pub use campaign::{Campaign, Effort, Hooks};
pub use launch::Wanted;
pub use prediction::{Predictor, Subject};
pub use task::{Condition, NoTask, Task, TaskArgument};

use serde::{Deserialize, Serialize};
use volvelle_tune::strategy::Failure;

/// A launch that should be timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Text in OpenCL C.
    pub text: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Options of the compiler, such as `-D WG=64`.
    pub options: String,
    /// Work items in each dimension.
    pub global: Vec<usize>,
    /// Work items of a group in each dimension.
    pub local: Vec<usize>,
    /// The arguments, in the order of the kernel's declaration.
    pub arguments: Vec<JobArgument>,
    /// Runs that are timed.
    pub repetitions: u32,
    /// Milliseconds of timed runs after which no further one begins.
    pub enough_ms: f64,
    /// What is done with the results.
    pub results: Results,
}

/// What is done with the results of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Results {
    /// They are kept: results of later launches are compared with them.
    Keep,
    /// They are compared with what was kept.
    Compare,
    /// Nothing.
    Ignore,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JobArgument {
    /// A buffer in global memory.
    Buffer {
        /// Type of the elements, as OpenCL C names it.
        element: String,
        /// Number of elements.
        length: usize,
        /// Contents before the launch.
        contents: Contents,
        /// How it is compared, if it is a result.
        compared: Option<Compared>,
    },
    /// Local memory.
    Local {
        /// Bytes for a group.
        bytes: usize,
    },
    /// A number.
    Scalar {
        /// Its type.
        element: String,
        /// Its value.
        value: f64,
    },
}

/// Contents of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Contents {
    /// One number everywhere.
    Constant(f64),
    /// 0, 1, 2, …
    Counting,
    /// Random numbers from a fixed seed: whole ones below 2²⁰ (or what the type holds), others from 0 to 1.
    Random,
}

/// How results are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compared {
    /// Element by element.
    Each,
    /// The smallest elements.
    Least,
    /// The largest elements.
    Greatest,
    /// The sums.
    Sum,
}

/// How a launch ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Milliseconds of each timed run, by the device's clock.
    pub times: Vec<f64>,
    /// Why there are none.
    pub failure: Option<String>,
    /// More about it, such as the compiler's messages.
    pub detail: String,
    /// Milliseconds of compiling.
    pub compile_ms: f64,
    /// Milliseconds of writing arguments, of the first run, and of comparing its results.
    pub verification_ms: f64,
    /// Milliseconds of all timed runs, by the host's clock.
    pub benchmark_ms: f64,
}

impl Answer {
    /// A launch that failed.
    pub fn failed(failure: Failure, detail: impl Into<String>) -> Self {
        Answer { failure: Some(failure.name().to_owned()), detail: detail.into(), ..Answer::default() }
    }

    /// The kind of failure, if it failed.
    pub fn failure(&self) -> Option<Failure> {
        const ALL: [Failure; 6] = [
            Failure::Constraint,
            Failure::Compile,
            Failure::LocalMemory,
            Failure::Launch,
            Failure::Timeout,
            Failure::Incorrect,
        ];
        let name = self.failure.as_ref()?;
        // A word that another version wrote: something failed at any rate.
        Some(ALL.into_iter().find(|failure| failure.name() == name).unwrap_or(Failure::Launch))
    }

    /// The median of the times.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = sorted.get(sorted.len() / 2)?;
        let lower = sorted[(sorted.len() - 1) / 2];
        Some((lower + upper) / 2.0)
    }
}

#[cfg(test)]
mod tests;
