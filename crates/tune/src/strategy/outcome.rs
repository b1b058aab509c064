//! What strategies are, and what they are told.

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

/// The time of a configuration according to a model, in any unit; `None` if it cannot run according to the
/// model.
pub type Prediction = Rc<dyn Fn(ConfigurationId) -> Option<f64>>;
