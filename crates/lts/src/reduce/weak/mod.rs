//! Weak bisimulation by signature refinement, on a system that is reduced modulo branching bisimulation.
//!
//! A weak transition is a transition with internal ones around it (Milner, *Communication and Concurrency*, 1989). The signature of a state
//! is, for each label, the set of blocks that weak transitions lead to; for the internal action these include the state's own
//! block. Since there are no internal cycles, signatures are found in one pass in the order of internal transitions. Sets are
//! shared where they are equal, and differ little from others where they are not ([`Signatures`]). In each round only those states are
//! looked at that reach a state that moved.

mod needed;
mod sets;

pub(super) use needed::Needed;

use super::blocks::Blocks;
use super::incoming::Incoming;
use super::marks::Marks;
use super::signatures::Table;
use super::splitting::{Shard, split};
use needed::needed;
use sets::Sets;
use volvelle_control::{Control, Stop};
use volvelle_space::{Edge, Lts};

/// The coarsest weak bisimulation, and the transitions that its quotient needs. Internal transitions of the system have no cycles.
pub(super) fn refine(lts: &Lts, control: &Control<'_>) -> Result<(Blocks, Needed), Stop> {
    let internal = Incoming::new(lts, Edge::is_internal, control.threads);
    let visible = Incoming::new(lts, |edge| !edge.is_internal(), control.threads);
    let order = internal_order(lts, &internal);
    let mut place = vec![0u32; order.len()];
    for (k, &state) in (0..).zip(&order) {
        place[state as usize] = k;
    }
    let system = System { lts, internal, visible, order, place };
    for seed in 0.. {
        let (blocks, sets) = with_seed(&system, seed, control)?;
        if sets.agree(&blocks) {
            let needed = needed(lts, &blocks, &sets);
            return Ok((blocks, needed));
        }
    }
    unreachable!("some seed has no collision")
}

/// States between two looks at limits.
const PATIENCE: usize = 1 << 12;

/// The system that is reduced.
struct System<'a> {
    lts: &'a Lts,
    /// Sources of internal transitions, and of the others.
    internal: Incoming,
    visible: Incoming,
    /// States, those that internal transitions of a state lead to before it; and the place of each.
    order: Vec<u32>,
    place: Vec<u32>,
}

impl System<'_> {
    fn bytes(&self) -> u64 {
        self.lts.bytes() + self.internal.bytes() + self.visible.bytes() + 8 * self.order.len() as u64
    }
}

fn with_seed(system: &System<'_>, seed: u64, control: &Control<'_>) -> Result<(Blocks, Sets), Stop> {
    let states = system.lts.num_states();
    let mut blocks = Blocks::one(states);
    let mut sets = Sets::new(states, seed);
    let mut table = Table::default();
    let mut changed = Changed { reached: Marks::new(states), marks: Marks::new(states), states: Vec::new() };
    changed.all(system);
    for round in 1.. {
        control.check()?;
        blocks.report(round, control);
        control.check_memory(system.bytes() + blocks.bytes() + sets.bytes())?;
        sets.forget(&changed.states, |state| changed.reached.contains(state));
        table.clear();
        let mut members = Vec::with_capacity(changed.states.len());
        for &state in changed.states.iter().filter(|&&state| changed.reached.contains(state)) {
            sets.find_internal(system.lts, &blocks, state);
        }
        for (k, &state) in changed.states.iter().enumerate() {
            if k % PATIENCE == 0 {
                control.check()?;
                control.check_memory(system.bytes() + blocks.bytes() + sets.bytes())?;
            }
            sets.find_row(system.lts, state);
            let block = blocks.of(state);
            if blocks.size(block) > 1 {
                let group = table.add(block, sets.hash(state), || 0);
                members.push((state, group));
            }
        }
        let first_new = blocks.len() as u32;
        let shards = [Shard { groups: std::mem::take(&mut table.groups), members }];
        split(&mut blocks, &shards, round, control.threads);
        if first_new as usize == blocks.len() {
            break;
        }
        changed.after(system, &blocks, first_new);
    }
    Ok((blocks, sets))
}

/// The states whose signatures change in a round.
struct Changed {
    /// Those from which internal transitions lead to a state that moved.
    reached: Marks,
    /// All of them.
    marks: Marks,
    /// All of them, in the order of internal transitions.
    states: Vec<u32>,
}

impl Changed {
    fn all(&mut self, system: &System<'_>) {
        self.states.clone_from(&system.order);
        for &state in &self.states {
            self.reached.insert(state);
            self.marks.insert(state);
        }
    }

    /// The states that reach one in a block from some number on.
    fn after(&mut self, system: &System<'_>, blocks: &Blocks, first_new: u32) {
        self.reached.clear(&self.states);
        self.marks.clear(&self.states);
        let states = &mut self.states;
        states.clear();
        for block in first_new..blocks.len() as u32 {
            states.extend(blocks.members(block).filter(|&state| self.reached.insert(state)));
        }
        close(system, &self.reached, states, 0);
        states.iter().for_each(|&state| {
            self.marks.insert(state);
        });
        // Those with a transition to one of them, and those that reach these.
        let reached = states.len();
        for k in 0..reached {
            let sources = system.visible.of(states[k]);
            states.extend(sources.iter().filter(|&&source| self.marks.insert(source)));
        }
        close(system, &self.marks, states, reached);
        states.sort_unstable_by_key(|&state| system.place[state as usize]);
    }
}

/// Appends the states from which internal transitions lead to those from some place on, and marks them.
fn close(system: &System<'_>, marks: &Marks, states: &mut Vec<u32>, from: usize) {
    let mut next = from;
    while let Some(&state) = states.get(next) {
        next += 1;
        states.extend(system.internal.of(state).iter().filter(|&&source| marks.insert(source)));
    }
}

/// States in an order in which those that internal transitions of a state lead to come before it.
fn internal_order(lts: &Lts, incoming: &Incoming) -> Vec<u32> {
    let internal = |state: u32| lts.outgoing(state).iter().filter(|edge| edge.is_internal()).count() as u32;
    let mut left: Vec<u32> = (0..lts.num_states() as u32).map(internal).collect();
    let mut order: Vec<u32> =
        (0..lts.num_states() as u32).filter(|&state| left[state as usize] == 0).collect();
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for &source in incoming.of(state) {
            left[source as usize] -= 1;
            if left[source as usize] == 0 {
                order.push(source);
            }
        }
    }
    assert_eq!(order.len(), lts.num_states(), "there are no internal cycles");
    order
}
