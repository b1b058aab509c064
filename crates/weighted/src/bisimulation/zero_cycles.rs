//! Cycles of weight 0, for which Theorem 1 fails with the literal Definition 4.

use volvelle_space::{WeightedStructure, components_by};

/// A cycle of weight 0, if there is one: its states in order. Each has a step of weight 0 to the next one,
/// and the last one to the first.
pub fn has_zero_weight_cycle(structure: &WeightedStructure) -> Option<Vec<u32>> {
    let states = structure.num_states();
    let mut starts = vec![0u32];
    let mut targets: Vec<u32> = Vec::new();
    for state in 0..states as u32 {
        let steps = structure.outgoing(state).iter();
        targets.extend(steps.filter(|step| step.weight == 0).map(|step| step.target));
        starts.push(targets.len() as u32);
    }
    let successors = |v: usize| &targets[starts[v] as usize..starts[v + 1] as usize];
    if let Some(state) = (0..states).find(|&state| successors(state).contains(&(state as u32))) {
        return Some(vec![state as u32]);
    }
    let found = components_by(states, |v, place| successors(v).get(place).copied(), |_| true);
    let component = found.component_of(states);
    let members = found.iter().find(|members| members.len() > 1)?;
    // Every state of a component has a successor inside it, so following them leads to a state met before.
    let mut met = rustc_hash::FxHashMap::default();
    let mut walk = Vec::new();
    let mut at = *members.iter().min()?;
    loop {
        if let Some(&first) = met.get(&at) {
            return Some(walk.split_off(first));
        }
        met.insert(at, walk.len());
        walk.push(at);
        at = *successors(at as usize).iter().find(|&&to| component[to as usize] == component[at as usize])?;
    }
}
