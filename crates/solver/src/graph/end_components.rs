//! Maximal end components of an MDP: sets of states in which a scheduler can stay for ever and visit
//! everything again and again.
//!
//! Alternates between strongly connected components and pruning (de Alfaro 1997; Chatterjee and Henzinger, SODA
//! 2011, without their lock-step refinement): a choice that leaves its component cannot be part of an end
//! component, a state without choices neither. Only components that lost something are looked at again.

use volvelle_space::{BitSet, Space, components};

/// Disjoint maximal end components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndComponents {
    /// States, grouped.
    pub states: Vec<u32>,
    /// Component `c` is `states[start[c]..start[c + 1]]`.
    pub start: Vec<u32>,
    /// The choices on which a scheduler stays in the component of their state.
    pub staying: BitSet,
}

impl EndComponents {
    /// The components.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        self.start.windows(2).map(|w| &self.states[w[0] as usize..w[1] as usize])
    }
}

/// The maximal end components within `inside`, using only choices for which `allowed` holds.
pub fn end_components(space: &Space, inside: &BitSet, allowed: impl Fn(usize) -> bool) -> EndComponents {
    const NONE: u32 = u32::MAX;
    let n = space.num_states();
    let mut result =
        EndComponents { states: Vec::new(), start: vec![0], staying: BitSet::new(space.num_choices()) };
    let mut alive = inside.clone();
    let mut usable = BitSet::new(space.num_choices());
    for s in inside.iter() {
        for choice in space.choices_of(s).filter(|&c| allowed(c)) {
            let row = &space.columns[space.row(choice)];
            if !row.is_empty() && row.iter().all(|&t| inside.contains(t as usize)) {
                usable.insert(choice);
            }
        }
    }
    let mut component_of = vec![NONE; n];
    let mut candidates: Vec<u32> = inside.iter().map(|s| s as u32).collect();
    let mut local = vec![NONE; n];
    while !candidates.is_empty() {
        // The graph of usable choices on the candidates, renumbered.
        for (i, &s) in candidates.iter().enumerate() {
            local[s as usize] = i as u32;
        }
        let mut start = vec![0usize];
        let mut columns = Vec::new();
        for &s in &candidates {
            for choice in space.choices_of(s as usize).filter(|&c| usable.contains(c)) {
                columns.extend(
                    space.columns[space.row(choice)]
                        .iter()
                        .map(|&t| local[t as usize])
                        .filter(|&t| t != NONE),
                );
            }
            start.push(columns.len());
        }
        let found = components(candidates.len(), |v| &columns[start[v]..start[v + 1]], |_| true);
        for &s in &candidates {
            local[s as usize] = NONE;
        }
        for (c, members) in found.iter().enumerate() {
            for &v in members {
                component_of[candidates[v as usize] as usize] = c as u32;
            }
        }
        let mut again = Vec::new();
        for (c, members) in found.iter().enumerate() {
            let mut changed = false;
            let mut kept = Vec::new();
            for &v in members {
                let s = candidates[v as usize];
                let mut any = false;
                for choice in space.choices_of(s as usize) {
                    if !usable.contains(choice) {
                        continue;
                    }
                    let stays = space.columns[space.row(choice)]
                        .iter()
                        .all(|&t| alive.contains(t as usize) && component_of[t as usize] == c as u32);
                    if stays {
                        any = true;
                    } else {
                        usable.remove(choice);
                        changed = true;
                    }
                }
                if any {
                    kept.push(s);
                } else {
                    alive.remove(s as usize);
                    changed = true;
                }
            }
            if kept.is_empty() {
                continue;
            }
            if changed {
                again.extend_from_slice(&kept);
            } else {
                for &s in &kept {
                    for choice in space.choices_of(s as usize).filter(|&c| usable.contains(c)) {
                        result.staying.insert(choice);
                    }
                }
                result.states.extend_from_slice(&kept);
                result.start.push(result.states.len() as u32);
            }
        }
        for &s in &candidates {
            component_of[s as usize] = NONE;
        }
        candidates = again;
    }
    result
}

/// The union of sets of states, such as some end components.
pub fn members<'a>(states: usize, sets: impl Iterator<Item = &'a [u32]>) -> BitSet {
    BitSet::of(states, sets.flatten().map(|&s| s as usize))
}
