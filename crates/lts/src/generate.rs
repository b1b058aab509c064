//! Makes labelled transition systems from tables of states.

use crate::step::ProcessStep;
use crate::system::LabelledStates;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_explicit::Variable;
use volvelle_explore::{NO_STEP, Tabulated};

/// States between two looks at limits.
const PATIENCE: usize = 1 << 10;

/// The label of a step between two states, packed.
pub type StepLabel<'a> = dyn Fn(ProcessStep, &[u64], &[u64]) -> String + 'a;

/// The labelled transition system of a table of all statements. `label` names a step between two states; `variables` become
/// those of the system.
///
/// # Errors
/// A limit was reached, or the user stopped.
pub fn labelled(
    table: &Tabulated,
    label: &StepLabel<'_>,
    variables: Vec<Variable>,
    control: &Control<'_>,
) -> Result<LabelledStates, Stop> {
    let (space, states) = (&table.space, &table.states);
    let mut edges = Vec::with_capacity(space.num_choices());
    let mut labels: FxHashMap<String, u32> = FxHashMap::default();
    for state in 0..states.len() {
        if state.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        for choice in space.choices_of(state) {
            let (step, target) = (table.steps[choice], space.columns[choice]);
            if step == NO_STEP {
                continue;
            }
            let label = label(ProcessStep::of_number(step), states.get(state), states.get(target as usize));
            let next = labels.len() as u32;
            edges.push([state as u32, *labels.entry(label).or_insert(next), target]);
        }
    }
    let mut by_number: Vec<(u32, String)> = labels.into_iter().map(|(label, n)| (n, label)).collect();
    by_number.sort_unstable();
    let ends = table.failures.iter().filter(|failure| failure.is_end);
    let mut stuck: Vec<u32> = ends.map(|failure| failure.state.0).collect();
    stuck.dedup();
    Ok(LabelledStates {
        states: states.len() as u32,
        expanded: table.expanded as u32,
        labels: by_number.into_iter().map(|(_, label)| label).collect(),
        edges,
        stuck,
        variables,
    })
}
