//! Evidence that an answer is right: paths, subsystems, schedulers.

use volvelle_markov::WitnessRequest;

/// How a scheduler is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulerFormat {
    /// Columns, separated by tabulators.
    Table,
    /// JSON.
    Json,
}

/// The kinds of evidence that are asked for besides answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidences {
    /// An optimal scheduler of every property that has one.
    pub scheduler: Option<SchedulerFormat>,
    /// Paths and subsystems.
    pub witness: bool,
    /// Paths besides the most probable one.
    pub further: usize,
}

impl Evidences {
    /// For the engine.
    pub(crate) fn wanted(self) -> Option<WitnessRequest> {
        let wanted = WitnessRequest {
            scheduler: self.scheduler.is_some(),
            witness: self.witness,
            further: self.further,
        };
        (wanted != WitnessRequest::default()).then_some(wanted)
    }
}

/// Evidence that an answer is right.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The most probable path to the target.
    pub path: Option<PathReport>,
    /// The paths that are next in probability.
    pub further: Vec<PathReport>,
    /// States that suffice to exceed the bound of the property.
    pub subsystem: Option<SubsystemReport>,
    /// An optimal scheduler, as text in the format asked for.
    pub scheduler: Option<String>,
    /// The property is false, and path and subsystem show why.
    pub against: bool,
}

impl Evidence {
    /// The probability of all paths together. They are different paths to the target, hence disjoint.
    pub fn paths_together(&self) -> f64 {
        self.path.iter().chain(&self.further).map(|path| path.probability).sum()
    }
}

/// A path.
#[derive(Clone, Debug)]
pub struct PathReport {
    /// State by state.
    pub steps: Vec<StepReport>,
    /// Probability; zero where it is too small for a double.
    pub probability: f64,
    /// Its decimal logarithm.
    pub log10: f64,
    /// It leads to where the path formula of the property fails.
    pub negated: bool,
}

/// A state of a path, and how it goes on.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Number of the state.
    pub number: u32,
    /// The state: `q=5 open=true`.
    pub state: String,
    /// The action taken there, where it has a name.
    pub action: Option<String>,
    /// The choice taken, counted within the state; for an MDP.
    pub choice: Option<u32>,
    /// Probability of the next state; `None` at the end.
    pub probability: Option<f64>,
}

/// A critical subsystem.
#[derive(Clone, Debug)]
pub struct SubsystemReport {
    /// Its states: number, and what they are.
    pub states: Vec<(u32, String)>,
    /// Of how many.
    pub of: u64,
    /// Bounds of the probability of reaching the target within it.
    pub bounds: [f64; 2],
    /// The bound that this probability exceeds.
    pub threshold: f64,
}
