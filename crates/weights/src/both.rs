//! Two models as one structure, in which their states are compared.

use super::model::WeightedModel;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_space::{WeightedStructure, WeightsTooFine};

/// The name of the state to which blocking states are led.
pub(super) const SINK: &str = "(sink)";

/// The states of both models, of which those of the second come behind those of the first; those of a single model, if it is the same twice.
pub(super) struct Both<'a> {
    pub structure: WeightedStructure,
    /// The initial states of the first and of the second.
    pub pair: (u32, u32),
    models: &'a [WeightedModel; 2],
}

impl<'a> Both<'a> {
    pub fn of(models: &'a [WeightedModel; 2]) -> Result<Self, Diagnostic> {
        let [left, right] = models;
        if left.has_states_of(right) {
            let pair = (left.structure.initial, right.structure.initial);
            return Ok(Both { structure: left.structure.clone(), pair, models });
        }
        let structure = left.structure.union(&right.structure).map_err(|WeightsTooFine| {
            Diagnostic::error(
                codes::WKS_WEIGHT,
                "the weights of both have no common measure that suits 64 bits",
            )
            .help("give weights with fewer digits")
        })?;
        let other = left.structure.num_states() as u32 + right.structure.initial;
        Ok(Both { pair: (structure.initial, other), structure, models })
    }

    /// The name of a state.
    pub fn name(&self, state: u32) -> String {
        let [left, right] = self.models;
        let (first, all) = (left.structure.num_states(), self.structure.num_states());
        match state as usize {
            state if state < first => left.name(state as u32).into_owned(),
            state if state < all && state - first < right.structure.num_states() => {
                right.name((state - first) as u32).into_owned()
            }
            _ => SINK.to_owned(),
        }
    }

    /// The weight of a step as a number, and the name of the state that it leads to.
    pub fn step(&self, step: volvelle_space::WeightedStep) -> (String, String) {
        (self.structure.number(step.weight).to_string(), self.name(step.target))
    }
}
