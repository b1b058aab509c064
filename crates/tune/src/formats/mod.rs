//! Files of other tuners: problems (T1), results (T4), and the cache of Kernel Tuner.
//!
//! Texts in, values out, and the reverse; no file is opened here. Readers never panic, and reject what they
//! do not understand. The schemas are those of the *Auto-Tuning Association* that Kernel Tuner 1.5 ships
//! (version 1.0.0).

pub mod cache;
mod json;
pub mod t1;
pub mod t4;

pub use json::{Unreadable, python};

use crate::Value;
use crate::strategy::{Failure, Outcome};

/// A configuration that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The values of the parameters, in their order.
    pub values: Vec<Value>,
    /// The time in milliseconds that counts, or the reason why there is none.
    pub outcome: Outcome,
    /// All times in milliseconds.
    pub times: Vec<f64>,
    /// Milliseconds of compiling.
    pub compile_ms: f64,
    /// Milliseconds of all runs.
    pub benchmark_ms: f64,
    /// Milliseconds of comparing results with the reference.
    pub verification_ms: f64,
    /// Milliseconds of choosing the configuration.
    pub strategy_ms: f64,
    /// When it was measured, as a text.
    pub timestamp: String,
    /// More about a failure, such as the compiler's messages.
    pub detail: String,
}

impl Measurement {
    /// A configuration of which only the outcome is known.
    pub fn new(values: Vec<Value>, outcome: Outcome) -> Self {
        let times = outcome.time().into_iter().collect();
        Measurement {
            values,
            outcome,
            times,
            compile_ms: 0.0,
            benchmark_ms: 0.0,
            verification_ms: 0.0,
            strategy_ms: 0.0,
            timestamp: String::new(),
            detail: String::new(),
        }
    }
}

/// The names of failures in Kernel Tuner and T4. They distinguish fewer failures than we do; `failure` keeps
/// ours.
pub const FAILURES: [(Failure, &str, &str); 6] = [
    (Failure::Constraint, "InvalidConfig", "constraints"),
    (Failure::LocalMemory, "InvalidConfig", "constraints"),
    (Failure::Compile, "CompilationFailedConfig", "compile"),
    (Failure::Launch, "RuntimeFailedConfig", "runtime"),
    (Failure::Timeout, "RuntimeFailedConfig", "timeout"),
    (Failure::Incorrect, "RuntimeFailedConfig", "correctness"),
];
