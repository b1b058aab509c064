//! The quotient of a weighted structure by weighted branching bisimulation.

use super::both::SINK;
use super::compare::Comparison;
use super::failed;
use super::model::WeightedModel;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_session::limits::Allowance;
use volvelle_weighted::bisimulation::{bisimulation, quotient};

/// A quotient.
pub struct WeightedReduction {
    /// Its structure. Each class has the name of one of its states, the first one.
    pub model: WeightedModel,
    /// Time for the reduction alone.
    pub time: Duration,
}

/// Reduces a structure: one state for each class of weighted branching bisimulation.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn reduce_weighted(
    model: &WeightedModel,
    comparison: Comparison,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<WeightedReduction, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let refused = |failure| failed(failure, allowance);
    let options = comparison.options();
    let whole = comparison.normalised(model.structure.clone());
    let partition = bisimulation(&whole, options, control).map_err(refused)?;
    let structure = quotient(&whole, &partition, options, control).map_err(refused)?;
    let name = |state: u32| match state as usize >= model.structure.num_states() {
        true => SINK.to_owned(),
        false => model.name(state).into_owned(),
    };
    let mut first: Vec<Option<u32>> = vec![None; partition.count];
    for (state, &class) in (0..).zip(&partition.block_of) {
        first[class as usize].get_or_insert(state);
    }
    let names = first.into_iter().flatten().map(name).collect();
    Ok(WeightedReduction { model: WeightedModel::named(structure, names), time: start.elapsed() })
}
