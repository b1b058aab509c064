//! What becomes weights and propositions where a model is made a weighted structure.

/// The name of the weights that are 1.
pub const STEPS: &str = "steps";

/// How a model whose steps have no weights of their own becomes a weighted structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weighting {
    /// The reward structure or the variable that gives weights, or [`STEPS`].
    pub weights: Option<String>,
    /// Labels and variables by which states are told apart; `None`: those of a formula, or all that suit.
    pub observed: Option<Vec<String>>,
}

impl Weighting {}
