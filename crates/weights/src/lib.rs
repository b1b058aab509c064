//! Weighted systems: their structures, relations between their states, and distances.
//!
//! [`weighted_model`] makes a structure of a model; the other functions ask `volvelle-weighted` about it, and describe the answers with the
//! names of states.

mod ask;
mod both;
mod check;
mod compare;
mod distance;
pub mod document;
mod import;
pub mod json;
mod making;
mod model;
mod optimum;
pub mod options;
mod pairs;
mod parameters;
mod reduce;
pub mod stepping;
mod unknown;
mod values;

pub use check::{ExplainedPart, ShownStep, WctlReport, WctlResult, WctlSettings, check_wctl};
pub use compare::{Comparison, RefutedPair, WeightedComparison, WeightedRelation, compare_weighted};
pub use distance::{AnsweredStep, DistanceKind, WeightedDistance, bound, weighted_distance};
pub use making::{weighted_model, weighted_model_of_pair};
pub use model::{SelectedState, StructureFormat, WeightedModel};
pub use optimum::{Goal, WeightedOptimum, weighted_optimum};
pub use pairs::{AllDistances, Closeness, Group, GroupStep, all_distances, close_states};
pub use parameters::Assumed;
pub use reduce::{WeightedReduction, reduce_weighted};
pub use volvelle_session::weighting::{STEPS, Weighting};

use volvelle_control::Stop;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::limits::{self, Allowance};
use volvelle_weighted::Failure;

/// A failure as a diagnostic, with the limit that was reached.
fn failed(failure: Failure, allowance: &Allowance) -> (Diagnostic, Option<Stop>) {
    match failure {
        Failure::Stopped(stop) => (limits::stopped(stop, allowance), Some(stop)),
        Failure::Overflow => {
            let message = "sums of weights are too large for 64 bits";
            let refused = Diagnostic::error(codes::WKS_WEIGHT, message)
                .note("weights are computed with as multiples of their largest common measure")
                .help("give weights in a larger unit, or with fewer digits");
            (refused, None)
        }
        Failure::System(reason) => (Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, reason), None),
    }
}
