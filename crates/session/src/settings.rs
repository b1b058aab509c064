//! How a model is analysed.

use crate::engine::Tier;
use crate::evidence::Evidences;
use crate::limits::Allowance;
use crate::verification::Verifying;
use volvelle_estimate::Sampling;
use volvelle_markov::Options as Numeric;

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Limits that the user set.
    pub allowance: Allowance,
    /// The code that evaluates the model.
    pub tier: Tier,
    /// Whether states without transitions get a self-loop; otherwise they are an error.
    pub fix_deadlocks: bool,
    /// Whether choices of an mdp may be left out that others stand for.
    pub reduce: bool,
    /// Whether one state may stand for those that differ from it by a permutation of interchangeable modules.
    pub symmetry: bool,
    /// Whether all states are wanted, rather than those that the properties need.
    pub full_space: bool,
    /// How numbers are computed, and how precisely.
    pub numeric: Numeric,
    /// Whether bounds that are wider than `numeric` asks for are an error.
    pub strict_precision: bool,
    /// Whether values in all states are wanted.
    pub all_states: bool,
    /// Whether numbers are computed with fractions: `numeric` only finds where to start from.
    pub exact: bool,
    /// How numerical answers are verified by paths.
    pub verify: Verifying,
    /// Answers are simulated, in this way.
    pub sampling: Option<Sampling>,
    /// Schedulers and witnesses beside the answers.
    pub evidence: Evidences,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            allowance: Allowance::default(),
            tier: Tier::Auto,
            fix_deadlocks: true,
            reduce: false,
            symmetry: false,
            full_space: false,
            numeric: Numeric::default(),
            strict_precision: false,
            all_states: false,
            exact: false,
            verify: Verifying::default(),
            sampling: None,
            evidence: Evidences::default(),
        }
    }
}
