//! Explored spaces of labelled transition systems.

use volvelle_space::{BitSet, Space};

/// Makes an explored space the labelled transition system that it stands for: states without a transition have none, rather than a
/// self-loop, and of equal transitions of a state there is one. [`Space::deadlocks`] is then empty.
///
/// Does nothing where transitions have numbers or rewards that differ: where choices have several transitions, or there are reward
/// structures.
pub fn make_transition_system(space: &mut Space) {
    let Some(choices) = &mut space.choices else { return };
    let is_plain = space.columns.len() + 1 == space.row_start.len();
    if !is_plain || choices.markovian.is_some() || !space.rewards.is_empty() {
        return;
    }
    let (states, mut kept) = (choices.start.len() - 1, 0usize);
    let mut seen: Vec<(u32, u32)> = Vec::new();
    for state in 0..states {
        let range = choices.start[state] as usize..choices.start[state + 1] as usize;
        choices.start[state] = kept as u32;
        if space.deadlocks.contains(state) {
            continue;
        }
        seen.clear();
        for choice in range {
            let edge = (choices.action[choice], space.columns[choice]);
            seen.push(edge);
            (choices.action[kept], space.columns[kept]) = edge;
            kept += 1;
        }
        // Equal transitions are rare: states with few of them are sorted in no time.
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            let first = choices.start[state] as usize;
            let mut end = first;
            for at in first..kept {
                let edge = (choices.action[at], space.columns[at]);
                let earlier = (first..end).any(|k| (choices.action[k], space.columns[k]) == edge);
                if !earlier {
                    (choices.action[end], space.columns[end]) = edge;
                    end += 1;
                }
            }
            kept = end;
        }
    }
    choices.start[states] = kept as u32;
    choices.action.truncate(kept);
    space.columns.truncate(kept);
    space.row_start.truncate(kept + 1);
    space.values = std::iter::repeat_n(1.0, kept).collect::<Vec<f64>>().into();
    space.deadlocks = BitSet::of(states, std::iter::empty());
}
