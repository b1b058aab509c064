//! An MDP whose end components are single states: every run ends, in one last state, unless it is told to pay for ever.
//!
//! In: end components, each with a reward for remaining in it for ever. Out: an MDP in which that is a choice with this
//! reward, so that total rewards and averages are rewards until a state is reached.

use volvelle_space::{BitSet, Choices, Space, ValuesBuilder};

use crate::graph::EndComponents;

/// The mark of a choice that ends a run.
pub const END: u32 = u32::MAX;

/// The states in question, and what a run earns in them.
pub struct Kept<'a> {
    /// The states, which their choices do not leave.
    pub states: &'a BitSet,
    /// End components; those elsewhere do not count.
    pub found: &'a EndComponents,
    /// The reward for remaining in each component.
    pub remain: &'a [f64],
    /// The reward of a choice that leaves its component, or belongs to none.
    pub reward: &'a dyn Fn(usize) -> f64,
}

/// The collapsed MDP.
pub struct Collapsed {
    /// Classes, and the last state.
    pub space: Space,
    /// The reward of every choice.
    pub reward: Vec<f64>,
    /// For every choice that of the original space; [`END`] for remaining.
    pub choice_of: Vec<u32>,
    /// For every state of the original space its class; [`END`] outside.
    pub class_of: Vec<u32>,
}

impl Collapsed {
    /// Collapses end components of a space.
    pub fn new(space: &Space, kept: &Kept<'_>) -> Self {
        let Kept { states: keep, found, remain, reward } = *kept;
        let mut class_of = vec![END; space.num_states()];
        // The states of each class, with what remaining earns.
        let mut classes: Vec<(Vec<u32>, Option<f64>)> = Vec::new();
        for (members, &remain) in found.iter().zip(remain).filter(|(m, _)| keep.contains(m[0] as usize)) {
            members.iter().for_each(|&s| class_of[s as usize] = classes.len() as u32);
            classes.push((members.to_vec(), Some(remain)));
        }
        for s in keep.iter().filter(|&s| class_of[s] == END).collect::<Vec<_>>() {
            class_of[s] = classes.len() as u32;
            classes.push((vec![s as u32], None));
        }
        let last = classes.len() as u32;
        let mut start = vec![0u32];
        let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), ValuesBuilder::new());
        let (mut rewards, mut choice_of) = (Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        for (class, (members, remain)) in classes.iter().enumerate() {
            let choices = members.iter().flat_map(|&s| space.choices_of(s as usize));
            for choice in choices {
                row.clear();
                row.extend(space.transitions(choice).map(|(t, v)| (class_of[t], v)));
                if row.iter().all(|e| e.0 == class as u32) {
                    continue;
                }
                row.sort_by_key(|e| e.0);
                row.dedup_by(|second, first| {
                    let same = second.0 == first.0;
                    if same {
                        first.1 += second.1;
                    }
                    same
                });
                columns.extend(row.iter().map(|e| e.0));
                row.iter().for_each(|e| values.push(e.1));
                row_start.push(columns.len() as u32);
                rewards.push(reward(choice));
                choice_of.push(choice as u32);
            }
            if let Some(remain) = remain {
                columns.push(last);
                values.push(1.0);
                row_start.push(columns.len() as u32);
                rewards.push(*remain);
                choice_of.push(END);
            }
            start.push(choice_of.len() as u32);
        }
        columns.push(last);
        values.push(1.0);
        row_start.push(columns.len() as u32);
        rewards.push(0.0);
        choice_of.push(END);
        start.push(choice_of.len() as u32);
        let actions = vec![0; choice_of.len()];
        let space = Space {
            kind: space.kind,
            choices: Some(Choices::new(start, actions)),
            row_start,
            columns,
            values: values.finish(),
            initial: vec![],
            deadlocks: BitSet::new(last as usize + 1),
            labels: vec![],
            rewards: vec![],
            actions: vec![String::new()],
        };
        Collapsed { space, reward: rewards, choice_of, class_of }
    }
}
