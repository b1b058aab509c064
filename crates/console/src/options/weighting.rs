//! What becomes weights and propositions where a model of another language is made a weighted structure.

use clap::Args;
use volvelle_session::weighting::Weighting;

/// How a model becomes a weighted structure.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Weights")]
pub struct WeightingArgs {
    /// What gives weights to the steps of a model: a reward structure of a PRISM model, a global variable of a Promela model, which
    /// statements make larger; or `steps`, and each step weighs 1
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    pub weights: Option<String>,

    /// The labels and variables of a PRISM or Promela model by which states are told apart, separated by commas. By default those of the
    /// formulas; without formulas the labels, or the global variables of a model that has no labels
    #[arg(hide_short_help = true, long, value_name = "NAMES", value_delimiter = ',')]
    pub observe: Option<Vec<String>>,
}

impl WeightingArgs {
    /// The same for a session.
    pub fn weighting(&self) -> Weighting {
        Weighting { weights: self.weights.clone(), observed: self.observe.clone() }
    }
}
