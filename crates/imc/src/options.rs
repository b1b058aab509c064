//! Options of a chain and of its analyses.

use dashu_ratio::RBig;

/// Values of names of rates. If a name has several, the last one counts.
pub type Values = Vec<(String, RBig)>;

/// The actions whose occurrences are measured.
///
/// With fewer measured actions, fewer choices matter: actions that are not measured may happen more or less
/// often, depending on the order of internal steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Measured {
    /// All except internal steps and branches without an action. A rate without an action counts under its
    /// label.
    #[default]
    All,
    /// These: labels without their rate or probability.
    Only(Vec<String>),
}

impl Measured {
    pub(crate) fn contains(&self, action: &str) -> bool {
        match self {
            Measured::All => true,
            Measured::Only(wanted) => wanted.iter().any(|wanted| wanted == action),
        }
    }
}

/// The treatment of immediate choices that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choices {
    /// Reject them.
    #[default]
    Refuse,
    /// Keep them, for the least and the greatest values over all schedulers.
    Keep,
}

/// Options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values of names of rates.
    pub values: Values,
    /// The actions that are measured.
    pub measured: Measured,
    /// Immediate choices that matter.
    pub choices: Choices,
    /// Options of the numerical analyses.
    pub numerical: volvelle_markov::Options,
}
