//! The results of a run, as screens, pages and JSON show them.

use crate::evidence::Evidence;
use crate::limits::is_limit;
use crate::statistics::Statistics;
use crate::trace::Counterexample;
use crate::verification::Verification;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;
use volvelle_control::{Fact, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_logic::{Answer, Constant, FormulaValue, Guarantee, Ratio, StopReason, Value};

/// Results of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The state space, or how much of it was reached.
    pub model: Option<ModelReport>,
    /// One entry for each property asked for, in their order.
    pub results: Vec<PropertyReport>,
    /// Diagnostics that are not about one property.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that ended exploration or one of the properties.
    pub stop: Option<Stop>,
}

/// An explored model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// Name of its file.
    pub file: String,
    /// The kind of the model, which says what its numbers mean: `DTMC`.
    pub kind: String,
    /// Constants of the model that were given values from outside, with these values.
    pub constants: Vec<Constant>,
    /// Whether all states were found; if not, the counts say how far exploration came.
    pub complete: bool,
    /// Whether an error ended the search before all states were found: then the counts need no remark that they
    /// are incomplete.
    pub ended_by_error: bool,
    /// States found.
    pub states: u64,
    /// Whether these are states of a product: pairs of a state of the model and one of the automaton of a claim.
    pub is_product: bool,
    /// How many searches there were, if several: the counts are those of the first.
    pub first_of: Option<u64>,
    /// Choices, for models with nondeterminism.
    pub choices: Option<u64>,
    /// Transitions found.
    pub transitions: u64,
    /// Initial states; `None` if exploration did not come to its end.
    pub initial_states: Option<u64>,
    /// States without a transition of their own; `None` if exploration did not come to its end.
    pub deadlocks: Option<u64>,
    /// States whose successors were not looked for, because every property is decided there. There may be fewer states
    /// than the model has. `None` if all states were expanded.
    pub unexpanded: Option<u64>,
    /// Bits of a packed state.
    pub bits: u32,
    /// Bytes held by states and matrix.
    pub bytes: u64,
    /// The code that evaluated the model: `native (Cranelift)`, `interpreter`.
    pub tier: Cow<'static, str>,
    /// From the text to the state space.
    pub time: Duration,
    /// How it was built, and why so.
    pub facts: Vec<Fact>,
}

/// The result of a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PropertyReport {
    /// Place in the property files, from 1; `None` for a text from the command line.
    pub number: Option<usize>,
    /// Name, where it has one.
    pub name: Option<String>,
    /// As the user wrote it.
    pub text: String,
    /// Constants that occur in it and were given from outside, with their values.
    pub constants: Vec<Constant>,
    /// The answer, or at least one error.
    pub outcome: Result<Answer, Vec<Diagnostic>>,
    /// For an answer that consists of states: what each of them is, such as `q=5 open=true`.
    pub states: Vec<String>,
    /// Path, subsystem and scheduler, where they were asked for.
    #[serde(skip)]
    pub evidence: Option<Box<Evidence>>,
    /// For a Promela model: runs that show why the property is false.
    #[serde(skip)]
    pub counterexamples: Vec<Counterexample>,
    /// Where paths were simulated: how many, and what they say.
    pub statistics: Option<Box<Statistics>>,
    /// The verification of the numerical value by paths, where it was asked for.
    pub verification: Option<Box<Verification>>,
    /// For this property alone.
    pub time: Duration,
    /// Whether work on it began before a limit, or the user, ended the run.
    pub begun: bool,
    /// Where there is no answer because the computation was stopped: bounds that were known by then.
    pub known: Option<[f64; 2]>,
    /// How the answer was computed, and why so.
    pub facts: Vec<Fact>,
    /// The values in all states, where they were asked for.
    pub values: Option<Vec<StateValue>>,
    /// Sentences that belong to the answer: conditions that hold nowhere, for one.
    pub remarks: Vec<String>,
}

/// The value of a formula in a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateValue {
    /// The state: `q=5 open=true`.
    pub state: String,
    /// The value there.
    pub value: FormulaValue,
    /// A number in rational arithmetic, where that is known.
    pub exact: Option<Ratio>,
}

impl PropertyReport {
    /// Whether values come without bounds: those of a classical method.
    pub fn is_unbounded(&self) -> bool {
        matches!(&self.outcome, Ok(Answer { guarantee: Guarantee::Approximate { .. }, .. }))
    }

    /// Why there is no answer, in a few words; `None` if there is one, or if the diagnostic has to say it.
    pub fn unanswered(&self) -> Option<&'static str> {
        let errors = self.outcome.as_ref().err()?;
        if !self.begun {
            return Some("not started");
        }
        errors.iter().find_map(|error| match error.code {
            codes::TIME_LIMIT => Some("time limit"),
            codes::MEMORY_LIMIT => Some("memory limit"),
            codes::STATE_LIMIT => Some("state limit"),
            codes::CANCELLED => Some("cancelled"),
            _ => None,
        })
    }

    /// Whether no error was found by a search that left out what lies deeper than its limit.
    pub fn is_cut(&self) -> bool {
        matches!(&self.outcome, Ok(Answer { stop: StopReason::DepthLimit, .. }))
    }

    /// Whether the answer is that the property is false.
    pub fn is_false(&self) -> bool {
        matches!(&self.outcome, Ok(Answer { value: Value::Bool(false), .. }))
    }
}

/// How a run ended, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything asked for was computed; no property is false.
    Done,
    /// A property is false. This stands, whatever else could not be computed.
    False,
    /// No property is false, but something could not be computed because of an error.
    Error,
    /// No property is false and there was no other error, but a limit was reached.
    Limit,
}

impl Status {
    /// Of a run with these results, diagnostics and limits.
    pub fn of<'a>(
        results: impl Iterator<Item = &'a PropertyReport> + Clone,
        diagnostics: &[Diagnostic],
        stop: Option<Stop>,
    ) -> Status {
        let in_results = results.clone().filter_map(|r| r.outcome.as_ref().err()).flatten();
        let all = diagnostics.iter().chain(in_results);
        let mut errors = all.filter(|d| d.severity == Severity::Error).map(|d| d.code).peekable();
        let some_error = errors.peek().is_some();
        if results.clone().any(PropertyReport::is_false) {
            Status::False
        } else if errors.any(|code| !is_limit(code)) {
            Status::Error
        } else if stop.is_some() || some_error || results.clone().any(PropertyReport::is_cut) {
            Status::Limit
        } else {
            Status::Done
        }
    }
}

impl Report {
    /// What was found; otherwise the reason is noted, with the limit that was reached if it is that.
    pub fn take<T>(&mut self, found: Result<T, (Diagnostic, Option<Stop>)>) -> Option<T> {
        let note = |(diagnostic, stop): (Diagnostic, Option<Stop>)| {
            self.diagnostics.push(diagnostic);
            self.stop = self.stop.or(stop);
        };
        found.map_err(note).ok()
    }

    /// How the run ended.
    pub fn status(&self) -> Status {
        Status::of(self.results.iter(), &self.diagnostics, self.stop)
    }

    /// All diagnostics: those of the run, then those of each property. What is said of several properties in the same
    /// words is said once.
    pub fn all_diagnostics(&self) -> Vec<&Diagnostic> {
        let in_results = self.results.iter().filter_map(|r| r.outcome.as_ref().err()).flatten();
        let mut known: HashSet<&Diagnostic> = HashSet::new();
        self.diagnostics.iter().chain(in_results).filter(|diagnostic| known.insert(diagnostic)).collect()
    }
}
