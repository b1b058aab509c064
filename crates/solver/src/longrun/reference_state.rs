//! The reference state of an irreducible chain, one that is visited often, and the order of all states by their distance
//! to it.
//!
//! Gauss–Seidel sweeps on backward equations go well in this order, because each state comes after the
//! states that its paths lead to; and elimination goes well when such a state is left over at the end,
//! because sums until it is reached stay small. The state is found by a simulated run with a fixed seed.

use volvelle_space::Space;

use crate::graph::Predecessors;

/// Steps of the simulated run for each state of a component, and most steps: there may be thousands of small components.
const STEPS_PER_STATE: usize = 64;
const MOST_STEPS: usize = 30_000;

/// The states of a closed component, ordered by their distance to the reference state. `place` holds the position of each of them
/// in `members`, and anything for other states.
pub fn order_by_distance_to_reference_state(
    space: &Space,
    predecessors: &Predecessors,
    members: &[u32],
    place: &[u32],
) -> Vec<u32> {
    let reference = reference_state(space, members, place);
    let mut left = vec![true; members.len()];
    let mut order = Vec::with_capacity(members.len());
    left[place[reference as usize] as usize] = false;
    order.push(reference);
    let mut next = 0;
    while next < order.len() {
        for &source in predecessors.of(order[next] as usize) {
            let at = place[source as usize] as usize;
            // Transient predecessors are passed over.
            if members.get(at) == Some(&source) && std::mem::take(&mut left[at]) {
                order.push(source);
            }
        }
        next += 1;
    }
    order
}

/// The reference state: the one in which the second half of a simulated run from the first state spends most time.
pub fn reference_state(space: &Space, members: &[u32], place: &[u32]) -> u32 {
    let mut time = vec![0.0; members.len()];
    let mut state = members[0] as usize;
    let steps = MOST_STEPS.min(STEPS_PER_STATE * members.len());
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for step in 0..steps {
        let total: f64 = space.transitions(state).filter(|&(t, _)| t != state).map(|(_, v)| v).sum();
        if total <= 0.0 {
            return state as u32;
        }
        if 2 * step >= steps {
            time[place[state] as usize] += 1.0 / total;
        }
        // xorshift64
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut left = (random >> 11) as f64 * 2f64.powi(-53) * total;
        let mut last = state;
        for (t, v) in space.transitions(state).filter(|&(t, _)| t != state) {
            last = t;
            left -= v;
            if left < 0.0 {
                break;
            }
        }
        state = last;
    }
    let visited = members.iter().zip(&time);
    let longest = |a: &(&u32, &f64), b: &(&u32, &f64)| a.1.total_cmp(b.1).then(b.0.cmp(a.0));
    visited.max_by(longest).map_or(members[0], |(&s, _)| s)
}

#[cfg(test)]
mod tests {
    use volvelle_reference::*;
    use volvelle_space::Kind;

    use super::*;

    #[test]
    fn distance_to_where_a_drift_leads() {
        // A queue that is nearly always full.
        let n = 50;
        let rows: Rows = (0..n)
            .map(|s| {
                let mut row = vec![];
                if s + 1 < n {
                    row.push((s + 1, 100.0));
                }
                if s > 0 {
                    row.push((s - 1, 1.0));
                }
                vec![row]
            })
            .collect();
        let space = space(Kind::Ctmc, &rows);
        let members: Vec<u32> = (0..n as u32).collect();
        let predecessors = Predecessors::new(&space);
        let order = order_by_distance_to_reference_state(&space, &predecessors, &members, &members);
        assert_eq!(order, (0..n as u32).rev().collect::<Vec<_>>());
    }
}
