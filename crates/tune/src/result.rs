//! The result of tuning: the best configuration, the time of every configuration, and the evidence for both.

use std::fmt;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A name.
    Text(String),
}

impl Value {
    /// A whole number; truth values are 0 and 1, as in C.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Float(_) | Value::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => value.fmt(f),
            Value::Float(value) => value.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::Text(value) => value.fmt(f),
        }
    }
}

/// The evidence for the time of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// One run for each sequence of choices, with a proof that every interleaving that reaches the goal takes
    /// as long.
    Certified,
    /// All runs were explored, up to the time in question.
    Exhaustive,
    /// Composed from the exact time of a part; the text names the proof.
    Composed(String),
    /// Some run takes this time; others may take less.
    Found,
    /// No run is known, only bounds.
    Unknown,
    /// Predicted by a model that is not proven to be exact.
    Predicted,
    /// Measured on a device.
    Measured,
    /// The configuration cannot be used, for the reason given.
    Invalid(String),
}

/// A configuration with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Values of [`Tuning::parameters`], in their order.
    pub values: Vec<Value>,
    /// The least time of all runs is at least this ...
    pub lo: f64,
    /// ... and at most this; infinite where no run is known to reach the goal.
    pub hi: f64,
    /// The greatest time of a run that reaches the goal, where all runs are known.
    pub greatest: Option<f64>,
    /// Whether all runs that reach the goal take the same time; `None` if unknown. It is `false` if all runs
    /// were explored and some end without the goal.
    pub all_alike: Option<bool>,
    /// Number of states explored for it, or steps of its only run.
    pub states: u64,
    /// How the time is known.
    pub evidence: Evidence,
    /// The time that a model predicts, in the same unit, if the time itself is measured.
    pub predicted: Option<f64>,
}

impl Row {
    /// The time, where it is known.
    pub fn time(&self) -> Option<f64> {
        (self.lo == self.hi && self.hi.is_finite()).then_some(self.hi)
    }

    /// Whether no run of the configuration reaches the goal.
    pub fn never_ends(&self) -> bool {
        self.lo == f64::INFINITY
    }
}

/// Whether the best configurations are proven to be best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// They are, by the argument given.
    Proven(String),
    /// They are the best of those that were tried; the text says why there is no proof.
    Unproven(String),
}

/// The effect of one parameter: the ratio of worst to best time, with all others as in the best
/// configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// Index in [`Tuning::parameters`].
    pub parameter: usize,
    /// The value with the best time.
    pub best: (Value, f64),
    /// The same for the worst time.
    pub worst: (Value, f64),
}

impl Sensitivity {
    /// Worst by best time; at least 1.
    pub fn ratio(&self) -> f64 {
        if self.best.1 == 0.0 { f64::INFINITY } else { self.worst.1 / self.best.1 }
    }
}

/// A step of a method that approaches the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What was tried.
    pub text: String,
    /// Its outcome.
    pub outcome: String,
    /// States that were explored for it.
    pub states: u64,
}

/// A configuration whose time is known before a search begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// Values of the parameters.
    pub values: Vec<i64>,
    /// The least and the greatest time of its runs. They may differ if the model makes choices beyond the
    /// parameters.
    pub times: Option<(i64, i64)>,
    /// If set, there may be further runs; they take more than this.
    pub above: Option<i64>,
    /// Whether this is proven for all runs.
    pub certified: bool,
    /// Steps of the runs.
    pub steps: u64,
}

/// The result of tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// What is minimised, as written: `time`.
    pub objective: String,
    /// The unit of times; empty for the time of a model.
    pub unit: String,
    /// The condition that ends a run, as written; empty for a kernel.
    pub goal: String,
    /// All configurations that are known, the best first.
    pub rows: Vec<Row>,
    /// How many configurations there are; `None` where that is not known.
    pub configurations: Option<u64>,
    /// Whether the best is proven to be best.
    pub proof: Proof,
    /// How the result was obtained.
    pub method: String,
    /// The steps of the method, where it has some.
    pub steps: Vec<Step>,
    /// States that were explored.
    pub states: u64,
    /// Transitions that were explored.
    pub transitions: u64,
}

impl Tuning {
    /// Whether times come from states and runs of a model.
    pub fn is_about_states(&self) -> bool {
        let is_measured = |row: &Row| matches!(row.evidence, Evidence::Measured | Evidence::Invalid(_));
        !self.rows.iter().all(is_measured)
    }

    /// Whether some measured times have predictions.
    pub fn has_predictions(&self) -> bool {
        self.rows.iter().any(|row| row.predicted.is_some())
    }

    /// The best time; `None` if no configuration is known to reach the goal.
    pub fn time(&self) -> Option<f64> {
        let least = self.rows.iter().map(|row| row.hi).fold(f64::INFINITY, f64::min);
        least.is_finite().then_some(least)
    }

    /// The configurations with the best time.
    pub fn best(&self) -> impl Iterator<Item = &Row> {
        let time = self.time();
        self.rows.iter().filter(move |row| Some(row.hi) == time)
    }

    /// Whether the best time is proven to be the best.
    pub fn is_proven(&self) -> bool {
        matches!(self.proof, Proof::Proven(_))
    }

    /// Configurations whose time is known.
    pub fn decided(&self) -> u64 {
        self.rows.iter().filter(|row| row.time().is_some() || row.never_ends()).count() as u64
    }

    /// Sorts the table: by time, then by the values of the parameters.
    pub fn sort(&mut self) {
        self.rows.sort_by(|a, b| {
            let times = a.hi.total_cmp(&b.hi).then(a.lo.total_cmp(&b.lo));
            times.then_with(|| a.values.partial_cmp(&b.values).unwrap_or(std::cmp::Ordering::Equal))
        });
    }

    /// The effect of each parameter around the first of the best configurations. Leaves out parameters
    /// without another value whose time is known.
    pub fn sensitivities(&self) -> Vec<Sensitivity> {
        let Some(best) = self.best().next() else { return Vec::new() };
        let of = |parameter: usize| {
            let differs_here_only = |row: &&Row| {
                let mut pairs = row.values.iter().zip(&best.values).enumerate();
                row.time().is_some() && pairs.all(|(p, (a, b))| p == parameter || a == b)
            };
            let times = self.rows.iter().filter(differs_here_only);
            let mut times: Vec<(Value, f64)> =
                times.map(|row| (row.values[parameter].clone(), row.hi)).collect();
            times.sort_by(|a, b| a.1.total_cmp(&b.1));
            (times.len() > 1).then(|| Sensitivity {
                parameter,
                best: times[0].clone(),
                worst: times[times.len() - 1].clone(),
            })
        };
        (0..self.parameters.len()).filter_map(of).collect()
    }
}
