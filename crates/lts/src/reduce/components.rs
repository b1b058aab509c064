//! Strongly connected components of internal transitions.
//!
//! D. J. Pearce, *A space-efficient algorithm for finding strongly connected components*, Information Processing Letters 116(1), 2016,
//! doi:10.1016/j.ipl.2015.08.010, with an explicit stack: one number for each state, so that a state that is met takes one access to
//! memory that is far away.

use volvelle_space::Lts;

/// A partition of states into components, a component after those that it reaches.
pub(super) struct Components {
    /// The component of each state.
    pub of: Vec<u32>,
    /// The states, those of a component together.
    pub members: Vec<u32>,
    /// Component `c` is `members[starts[c]..starts[c + 1]]`.
    pub starts: Vec<u32>,
}

/// A state on the path of the search.
struct Visit {
    state: u32,
    /// The next of its transitions, and the last one's successor.
    next: u32,
    end: u32,
    /// Whether no state before it on the path was reached.
    is_root: bool,
}

/// The components of a system in which the internal transitions of each state stand first.
pub(super) fn internal_components(lts: &Lts) -> Components {
    let states = lts.num_states();
    let (starts, edges) = (lts.starts(), lts.edges());
    // 0 before a state is met; then its number on the path, or the least one that is known to be reached; at last a number of its
    // component, which count down from the greatest one and stay above those of paths.
    let mut number = vec![0u32; states];
    let (mut next_number, mut next_component) = (1u32, u32::MAX);
    let (mut path, mut finished): (Vec<Visit>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut found = Components { of: Vec::new(), members: Vec::with_capacity(states), starts: vec![0] };
    let visit = |state: u32| Visit {
        state,
        next: starts[state as usize],
        end: starts[state as usize + 1],
        is_root: true,
    };
    for root in 0..states as u32 {
        if number[root as usize] != 0 {
            continue;
        }
        number[root as usize] = next_number;
        next_number += 1;
        path.push(visit(root));
        'path: while let Some(Visit { state, next, end, is_root }) = path.last_mut() {
            let state = *state;
            let mut own = number[state as usize];
            while *next < *end && edges[*next as usize].is_internal() {
                let target = edges[*next as usize].target;
                match number[target as usize] {
                    0 => {
                        // This transition is looked at again when the target is done.
                        number[state as usize] = own;
                        number[target as usize] = next_number;
                        next_number += 1;
                        path.push(visit(target));
                        continue 'path;
                    }
                    other if other < own => {
                        own = other;
                        *is_root = false;
                    }
                    _ => {}
                }
                *next += 1;
            }
            number[state as usize] = own;
            if *is_root {
                next_number -= 1;
                while let Some(&other) = finished.last().filter(|other| number[**other as usize] >= own) {
                    finished.pop();
                    next_number -= 1;
                    number[other as usize] = next_component;
                    found.members.push(other);
                }
                number[state as usize] = next_component;
                next_component -= 1;
                found.members.push(state);
                found.starts.push(found.members.len() as u32);
            } else {
                finished.push(state);
            }
            path.pop();
        }
    }
    number.iter_mut().for_each(|number| *number = u32::MAX - *number);
    found.of = number;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;
    use volvelle_space::{Labels, components_by};

    #[test]
    fn they_are_those_of_the_algorithm_of_tarjan() {
        for seed in 0..500 {
            let mut random = Random(seed);
            let states = 1 + random.below(40);
            let mut labels = Labels::new();
            labels.number("a");
            let transitions: Vec<(u32, u32, u32)> = (0..random.below(3 * states))
                .map(|_| {
                    let label = u32::from(random.one_in(4));
                    (random.below(states) as u32, label, random.below(states) as u32)
                })
                .collect();
            let mut lts = Lts::from_transitions(states as u32, 0, labels, &transitions);
            lts.sort(1);
            let found = internal_components(&lts);
            let internal = |state: usize, k: usize| {
                let edge = lts.outgoing(state as u32).get(k).filter(|edge| edge.is_internal());
                edge.map(|edge| edge.target)
            };
            let expected = components_by(states, internal, |_| true);
            let of = expected.component_of(states);
            assert_eq!(found.starts.len() - 1, expected.len());
            for (component, bounds) in found.starts.windows(2).enumerate() {
                for &state in &found.members[bounds[0] as usize..bounds[1] as usize] {
                    assert_eq!(found.of[state as usize] as usize, component);
                }
            }
            for s in 0..states {
                for t in 0..states {
                    assert_eq!(found.of[s] == found.of[t], of[s] == of[t], "seed {seed}: {s} {t}");
                }
                for k in 0.. {
                    let Some(target) = internal(s, k) else { break };
                    assert!(found.of[target as usize] <= found.of[s], "seed {seed}: {s}");
                }
            }
        }
    }
}
