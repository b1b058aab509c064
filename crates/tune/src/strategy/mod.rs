//! Strategies: the order in which configurations are measured.
//!
//! A [`Strategy`] is asked for the next configuration, and told how long it took or how it failed. It names
//! each configuration at most once. The order depends on the seed and the answers alone.
//!
//! [`Guided`] is the strategy of choice: it starts with what a model predicts, if there is one, and learns from each measurement.

mod draw;
mod features;
mod guided;
mod local;
mod plain;
mod surrogate;

pub use draw::Draw;
pub use guided::Guided;
pub use local::Local;
pub use plain::{Exhaustive, Random};

use crate::space::{ConfigurationId, Space};
use std::rc::Rc;

/// The outcome of measuring a configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The time of a run, in a unit that is the same for all configurations.
    Time(f64),
    /// There is no time.
    Failed(Failure),
}

impl Outcome {
    /// The time, if there is one.
    pub fn time(&self) -> Option<f64> {
        match self {
            Outcome::Time(time) => Some(*time),
            Outcome::Failed(_) => None,
        }
    }
}

/// The reason why a configuration has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Failure {
    /// It violates a condition that is only known while measuring.
    Constraint,
    /// The compiler rejects the text.
    Compile,
    /// The device has not enough local memory.
    LocalMemory,
    /// The device does not launch it, or aborts it.
    Launch,
    /// It took longer than allowed.
    Timeout,
    /// The results differ from the reference.
    Incorrect,
}

impl Failure {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Constraint => "constraint",
            Failure::Compile => "compile",
            Failure::LocalMemory => "local memory",
            Failure::Launch => "launch",
            Failure::Timeout => "timeout",
            Failure::Incorrect => "wrong result",
        }
    }
}

/// A strategy.
pub trait Strategy {
    /// The configuration that should be measured next; `None` if there is no other.
    fn next(&mut self, space: &Space) -> Option<ConfigurationId>;

    /// Reports a measurement, also one that the strategy did not ask for.
    fn tell(&mut self, space: &Space, configuration: ConfigurationId, outcome: &Outcome);
}

/// The names of the strategies, as options and files have them.
pub const NAMES: [&str; 4] = ["exhaustive", "random", "local", "guided"];

/// The time of a configuration according to a model, in any unit; `None` if it cannot run according to the
/// model.
pub type Prediction = Rc<dyn Fn(ConfigurationId) -> Option<f64>>;

/// The strategy with a name.
pub fn by_name(
    name: &str,
    space: &Space,
    seed: u64,
    predicted: Option<Prediction>,
) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "exhaustive" => Box::new(Exhaustive::default()),
        "random" => Box::new(Random::new(seed)),
        "local" => Box::new(Local::new(seed)),
        "guided" | "model" => Box::new(Guided::new(space, seed, predicted)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
