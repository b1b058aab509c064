//! What importers share.

use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_space::{WeightedBuilder, WeightedStep};

/// Steps and states while they are made, with weights by number.
#[derive(Default)]
pub(super) struct Making {
    pub(super) builder: WeightedBuilder,
    pub(super) weights: Vec<RBig>,
    pub(super) number_of: FxHashMap<RBig, u64>,
    pub(super) row: Vec<WeightedStep>,
}

/// A weight is negative.
pub(super) fn negative(weight: &RBig, state: &str) -> Diagnostic {
    Diagnostic::error(
        codes::WKS_WEIGHT,
        format!("a step has the weight {weight}, and weights are not negative"),
    )
    .note(format!("it leaves the state {state}"))
}
