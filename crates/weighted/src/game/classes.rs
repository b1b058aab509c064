//! Classes of states that no simulation distinguishes.
//!
//! This is strong bisimulation with weights, made coarser where the window allows it. Without lower bounds,
//! only the least weight of the steps to each class matters; steps inside the own class are answered by
//! staying, and do not help the defender. Without upper bounds, only the largest weight to each class
//! matters. If `s1 ~ s` and `t1 ~ t` for such an equivalence and R is a simulation, then so is `~ R ~`: `t1`
//! repeats the path of `t` that answers a step, step by step, with weights that are as good. So the largest
//! simulation is a union of pairs of classes: the largest simulation between classes.
//!
//! The method is signature refinement: blocks are split by the signatures of their members. Only states that
//! moved and their predecessors get new signatures, and the largest part keeps the number of the block. In
//! total, signatures have O(m log n) entries.

use crate::Failure;
use crate::bisimulation::Options;
use crate::window::Window;
use std::ops::Range;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// The steps to a class that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dominance {
    /// The lightest one; none to the own class.
    Least,
    /// The heaviest one; none of weight 0 to the own class.
    Largest,
    /// One of each weight; none of weight 0 to the own class.
    All,
    /// One of each weight: strong bisimulation, also distinguishing states that can stay forever by steps of
    /// weight 0.
    Strong,
    /// One, of any weight. These classes are not an equivalence of the game; counterparts in structures with
    /// changed weights share a class.
    Shape,
}

impl Dominance {
    /// The dominance for a window. `divergence`: see [`Options`].
    pub(crate) fn of(window: &Window, options: Options) -> Self {
        match window {
            Window::AtMost | Window::AtMostWidened(_) => Dominance::Least,
            Window::AtLeast if options.divergence => Dominance::Strong,
            Window::AtLeast => Dominance::Largest,
            Window::Around(_) => Dominance::All,
        }
    }
}

/// Rows of different lengths in one array.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    pub(crate) starts: Vec<u32>,
    pub(crate) items: Vec<T>,
}

impl<T: Copy> Rows<T> {
    #[inline]
    pub(crate) fn row(&self, number: u32) -> &[T] {
        &self.items[self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize]
    }

    /// Sorts items into rows; each row keeps their order.
    pub(crate) fn sorted(rows: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = vec![0u32; rows + 1];
        items.clone().for_each(|(row, _)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut sorted: Vec<T> = Vec::new();
        if let Some((_, first)) = items.clone().next() {
            sorted.resize(starts[rows] as usize, first);
        }
        for (row, item) in items {
            sorted[next[row as usize] as usize] = item;
            next[row as usize] += 1;
        }
        Rows { starts, items: sorted }
    }
}

/// The steps of a state that matter, by block and weight, in increasing order.
pub(crate) fn sign(
    structure: &WeightedStructure,
    dominance: Dominance,
    block_of: &[u32],
    state: u32,
    into: &mut Vec<(u32, u64)>,
) {
    into.clear();
    let own = block_of[state as usize];
    for step in structure.outgoing(state) {
        let block = block_of[step.target as usize];
        let inert = block == own
            && match dominance {
                Dominance::Least => true,
                Dominance::Largest | Dominance::All => step.weight == 0,
                Dominance::Strong | Dominance::Shape => false,
            };
        if !inert {
            into.push((block, if dominance == Dominance::Shape { 0 } else { step.weight }));
        }
    }
    into.sort_unstable();
    match dominance {
        Dominance::Least => into.dedup_by_key(|entry| entry.0),
        Dominance::All | Dominance::Strong | Dominance::Shape => into.dedup(),
        // The later one is larger.
        Dominance::Largest => into.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = later.1;
            }
            same
        }),
    }
}

/// The number of the block of every state.
pub(crate) fn refine(
    structure: &WeightedStructure,
    dominance: Dominance,
    control: &Control<'_>,
) -> Result<Vec<u32>, Failure> {
    let states = structure.num_states();
    let mut block_of: Vec<u32> = (0..states as u32).map(|state| structure.valuation_of(state)).collect();
    let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); structure.valuations().len()];
    let mut place = vec![0u32; states];
    for state in 0..states {
        let block = &mut blocks[block_of[state] as usize];
        place[state] = block.len() as u32;
        block.push(state as u32);
    }
    let backwards = (0..states as u32)
        .flat_map(|source| structure.outgoing(source).iter().map(move |step| (step.target, source)));
    let sources = Rows::sorted(states, backwards);
    control.check_memory(structure.bytes() * 3)?;

    let mut dirty: Vec<u32> = (0..states as u32).collect();
    let mut is_dirty = vec![true; states];
    let mut signature = Vec::new();
    // Signatures of this round, and the range of each state's signature.
    let mut all: Vec<(u32, u64)> = Vec::new();
    let mut signed: Vec<(u32, u32, Range<usize>)> = Vec::new();
    let mut moved: Vec<u32> = Vec::new();
    while !dirty.is_empty() {
        control.check()?;
        dirty.sort_unstable_by_key(|&state| (block_of[state as usize], state));
        all.clear();
        signed.clear();
        let mut record = |state: u32, all: &mut Vec<(u32, u64)>| {
            sign(structure, dominance, &block_of, state, &mut signature);
            let start = all.len();
            all.extend_from_slice(&signature);
            start..all.len()
        };
        // Compute all signatures before anything moves. If only some members of a block are dirty, one other
        // member represents the rest, which all have the same signature.
        let mut others: Vec<(u32, Range<usize>)> = Vec::new();
        for group in dirty.chunk_by(|a, b| block_of[*a as usize] == block_of[*b as usize]) {
            let block = block_of[group[0] as usize];
            for &state in group {
                let at = record(state, &mut all);
                signed.push((block, state, at));
            }
            if group.len() < blocks[block as usize].len() {
                let clean = blocks[block as usize].iter().find(|&&state| !is_dirty[state as usize]);
                let at = record(*clean.expect("fewer are dirty than there are"), &mut all);
                others.push((block, at));
            }
        }
        signed.sort_unstable_by(|a, b| (a.0, &all[a.2.clone()], a.1).cmp(&(b.0, &all[b.2.clone()], b.1)));
        moved.clear();
        let mut others = others.into_iter().peekable();
        for group in signed.chunk_by(|a, b| a.0 == b.0) {
            let block = group[0].0;
            let other = others.next_if(|other| other.0 == block).map(|other| other.1);
            if other.is_none() && all[group[0].2.clone()] == all[group[group.len() - 1].2.clone()] {
                continue;
            }
            for (_, state, _) in group {
                let members = &mut blocks[block as usize];
                let at = place[*state as usize] as usize;
                members.swap_remove(at);
                if let Some(&filler) = members.get(at) {
                    place[filler as usize] = at as u32;
                }
            }
            let mut parts: Vec<Vec<u32>> = vec![std::mem::take(&mut blocks[block as usize])];
            for part in group.chunk_by(|a, b| all[a.2.clone()] == all[b.2.clone()]) {
                let states = part.iter().map(|entry| entry.1);
                if other.as_ref().is_some_and(|other| all[other.clone()] == all[part[0].2.clone()]) {
                    parts[0].extend(states);
                } else {
                    parts.push(states.collect());
                }
            }
            let largest =
                (0..parts.len()).rev().max_by_key(|&part| parts[part].len()).expect("there are parts");
            parts.swap(0, largest);
            for (number, part) in parts.into_iter().enumerate() {
                if part.is_empty() {
                    continue;
                }
                let to = if number == 0 { block } else { blocks.len() as u32 };
                for (at, &state) in part.iter().enumerate() {
                    place[state as usize] = at as u32;
                    block_of[state as usize] = to;
                }
                if number == 0 {
                    blocks[block as usize] = part;
                } else {
                    moved.extend_from_slice(&part);
                    blocks.push(part);
                }
            }
        }
        dirty.iter().for_each(|&state| is_dirty[state as usize] = false);
        dirty.clear();
        for &state in &moved {
            for &touched in std::iter::once(&state).chain(sources.row(state)) {
                if !std::mem::replace(&mut is_dirty[touched as usize], true) {
                    dirty.push(touched);
                }
            }
        }
    }
    Ok(block_of)
}
