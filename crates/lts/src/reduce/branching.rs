//! Branching bisimulation by signature refinement, on a system without internal cycles.
//!
//! The signature of a state is the set of pairs of a label and a block that it has itself, but for internal transitions within its own
//! block (*inert* ones), together with the signatures of those states that inert transitions lead to (Blom and Orzan, *Distributed branching
//! bisimulation reduction of state spaces*, ENTCS 89(1), 2003, doi:10.1016/S1571-0661(05)80099-4). Since states are numbered so that internal
//! transitions lead to smaller numbers, one pass in the order of numbers finds all signatures. In each round only those states are
//! looked at whose signatures may have changed; the signature of the others is kept with their block. Signatures are compared by hashes,
//! and the result is verified, as for strong bisimulation.

use super::blocks::Blocks;
use super::contract::Stretch;
use super::incoming::Incoming;
use super::marks::{Marks, Moved};
use super::parallel;
use super::signatures::{Scratch, SignatureId, Signatures, Table, Union, merge};
use super::splitting::{NO_GROUP, Shard, split};
use super::strong::{DENSE, fold, sort};
use super::weights::{Items, item};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::OnceLock;
use volvelle_control::{Control, Stop};
use volvelle_space::{BitSet, Edge, Lts};

/// The item of states that diverge, where that counts; it is that of no transition.
const DIVERGES: u64 = u64::MAX;

/// The coarsest branching bisimulation; divergence counts for the states of `divergent`. Internal transitions lead from greater to
/// smaller numbers of states, and not within a stretch that is independent.
pub(super) fn refine(
    lts: &Lts,
    stretches: &[Stretch],
    items: &Items,
    divergent: Option<&BitSet>,
    control: &Control<'_>,
) -> Result<Blocks, Stop> {
    let system = System { lts, stretches, items, divergent, incoming: OnceLock::new() };
    for seed in 0.. {
        let blocks = with_seed(&system, seed, control)?;
        if system.is_stable(&blocks, control.threads) {
            return Ok(blocks);
        }
    }
    unreachable!("some seed has no collision")
}

fn with_seed(system: &System<'_>, seed: u64, control: &Control<'_>) -> Result<Blocks, Stop> {
    let states = system.lts.num_states();
    let mut work = Refinement {
        system,
        threads: control.threads,
        blocks: Blocks::one(states),
        marks: Marks::new(states),
        changed: (0..states as u32).collect(),
        signatures: Signatures::new(fold(seed)),
        table: Table::default(),
        group_of: vec![0; states],
        of_many: FxHashMap::default(),
        kept: Vec::new(),
        live: 0,
    };
    work.changed.iter().for_each(|&state| {
        work.marks.insert(state);
    });
    for round in 1.. {
        control.check()?;
        work.blocks.report(round, control);
        control.check_memory(work.bytes())?;
        work.find_signatures();
        let first_new = work.split(round);
        work.mark_after(first_new);
        if work.changed.is_empty() {
            break;
        }
    }
    Ok(work.blocks)
}

/// The system that is reduced.
struct System<'a> {
    lts: &'a Lts,
    stretches: &'a [Stretch],
    items: &'a Items,
    divergent: Option<&'a BitSet>,
    /// Sources of transitions, once they are needed.
    incoming: OnceLock<Sources>,
}

/// Sources of internal transitions, and of the others.
struct Sources {
    internal: Incoming,
    visible: Incoming,
}

impl System<'_> {
    /// The items that a state has itself, sorted and without duplicates.
    fn own_items(&self, blocks: &Blocks, state: u32, own: &mut Vec<u64>) {
        let block = blocks.of(state);
        let is_inert = |edge: Edge| edge.is_internal() && blocks.of(edge.target) == block;
        own.clear();
        self.items.push(self.lts, blocks, state, |edge| !is_inert(edge), own);
        if self.divergent.is_some_and(|divergent| divergent.contains(state as usize)) {
            own.push(DIVERGES);
        }
        sort(own);
        own.dedup();
    }

    /// The same with several threads, of a state with many transitions.
    fn many_own_items(&self, blocks: &Blocks, state: u32, threads: usize) -> Vec<u64> {
        let block = blocks.of(state);
        let edges = self.lts.outgoing(state);
        let parts = parallel::ranges(threads, edges.len(), |range| {
            let is_inert = |edge: &Edge| edge.is_internal() && blocks.of(edge.target) == block;
            let of_part = edges[range]
                .iter()
                .filter(|edge| !is_inert(edge))
                .filter(|edge| !self.items.has_weight(edge.label));
            let mut own: Vec<u64> = of_part.map(|edge| item(edge.label, blocks.of(edge.target))).collect();
            own.sort_unstable();
            own.dedup();
            own
        });
        let mut own = Vec::new();
        for part in parts {
            let before = std::mem::take(&mut own);
            merge(&before, &part, &mut own);
        }
        let mut rest = Vec::new();
        self.items.push_weighted(self.lts, blocks, state, &mut rest);
        if self.divergent.is_some_and(|divergent| divergent.contains(state as usize)) {
            rest.push(DIVERGES);
        }
        if !rest.is_empty() {
            own.append(&mut rest);
            own.sort_unstable();
            own.dedup();
        }
        own
    }

    /// The states that inert transitions of a state lead to.
    fn inert<'b>(&'b self, blocks: &'b Blocks, state: u32) -> impl Iterator<Item = u32> + 'b {
        let block = blocks.of(state);
        let internal = self.lts.outgoing(state).iter().take_while(|edge| edge.is_internal());
        internal.map(|edge| edge.target).filter(move |&target| blocks.of(target) == block)
    }

    /// Whether the partition is a branching bisimulation: the states of a block without inert transitions, which all others reach by
    /// inert ones, have the same items, and the others have no further ones.
    fn is_stable(&self, blocks: &Blocks, threads: usize) -> bool {
        let is_bottom = |state: u32| self.inert(blocks, state).next().is_none();
        let states = self.lts.num_states();
        // There are no internal cycles: of the states of a block, the one with the least number has no inert transition.
        let mut first = vec![u32::MAX; blocks.len()];
        for state in (0..states as u32).rev() {
            first[blocks.of(state) as usize] = state;
        }
        let of_range = |range: Range<usize>| {
            let (mut bottom, mut own) = (Vec::new(), Vec::new());
            let mut of_bottom = u32::MAX;
            // By places, the states of a block stand together.
            blocks.at(range.start as u32, range.len() as u32).all(|state| {
                let block = blocks.of(state);
                let first = first[block as usize];
                first == state || {
                    if block != of_bottom {
                        of_bottom = block;
                        self.own_items(blocks, first, &mut bottom);
                    }
                    self.own_items(blocks, state, &mut own);
                    if is_bottom(state) { own == bottom } else { is_subset(&own, &bottom) }
                }
            })
        };
        parallel::ranges(threads, states, of_range).into_iter().all(|is_stable| is_stable)
    }
}

struct Refinement<'a> {
    system: &'a System<'a>,
    threads: usize,
    blocks: Blocks,
    /// The states of `changed`.
    marks: Marks,
    /// The states whose signatures may have changed, in increasing order.
    changed: Vec<u32>,
    /// Signatures of all states: of those in `changed` by their groups, of the others by their blocks.
    signatures: Signatures,
    /// Groups of the states of `changed`.
    table: Table,
    /// By state of `changed`: its group.
    group_of: Vec<u32>,
    /// By state of `changed` with many transitions: the items that it has itself.
    of_many: FxHashMap<u32, Vec<u64>>,
    /// By block: the signature of its states that are not in `changed`; `u32::MAX` where it was never needed.
    kept: Vec<SignatureId>,
    /// Items of signatures when those without use were last removed.
    live: usize,
}

/// Transitions of a state from which on all threads look at them.
const MANY: usize = if cfg!(test) { 3 } else { 1 << 15 };

/// Items without use that do not matter.
const SLACK: usize = 1 << 18;

impl Refinement<'_> {
    fn bytes(&self) -> u64 {
        let lists = 4 * (self.changed.len() + self.group_of.len() + self.kept.len()) as u64;
        let sources = self.system.incoming.get();
        let sources = sources.map_or(0, |sources| sources.internal.bytes() + sources.visible.bytes());
        let system = self.system.lts.bytes() + sources;
        system + self.blocks.bytes() + lists + self.signatures.bytes() + self.table.bytes()
    }

    /// Finds the signatures of the states that changed, and groups these states.
    fn find_signatures(&mut self) {
        if self.signatures.num_items() > 2 * self.live + SLACK {
            self.signatures.keep(&mut self.kept);
            self.live = self.signatures.num_items();
        }
        self.table.clear();
        let changed = std::mem::take(&mut self.changed);
        let (lts, threads) = (self.system.lts, self.threads);
        let many = changed.iter().filter(|&&state| threads > 1 && lts.range(state).len() > MANY);
        let of_many = |&state: &u32| (state, self.system.many_own_items(&self.blocks, state, threads));
        self.of_many = many.map(of_many).collect();
        let (mut rest, mut work) = (&changed[..], Work::default());
        for stretch in self.system.stretches {
            let (states, later) = rest.split_at(rest.partition_point(|&state| state < stretch.states.end));
            rest = later;
            let threads = match stretch.is_independent {
                true => parallel::threads_with(self.threads, states.len(), parallel::STATES),
                false => 1,
            };
            if threads == 1 {
                for &state in states {
                    work.scratch.clear();
                    match self.signature(state, &mut work) {
                        Found::Group(group) => self.join(state, group),
                        Found::Union(union) => self.add(state, union, &work.scratch),
                    }
                }
                continue;
            }
            let parts = parallel::equal_ranges(threads, states.len(), |range| {
                let (mut work, mut groups) = (Work::default(), Vec::with_capacity(range.len()));
                let mut unions = Vec::new();
                for &state in &states[range] {
                    groups.push(match self.signature(state, &mut work) {
                        Found::Group(group) => group,
                        Found::Union(union) => {
                            unions.push(union);
                            OF_UNION
                        }
                    });
                }
                (groups, unions, work.scratch)
            });
            let mut states = states.iter();
            for (groups, unions, scratch) in parts {
                let mut unions = unions.into_iter();
                for (group, &state) in groups.into_iter().zip(&mut states) {
                    if group != OF_UNION {
                        self.join(state, group);
                    } else if let Some(union) = unions.next() {
                        self.add(state, union, &scratch);
                    }
                }
            }
        }
        self.changed = changed;
        self.of_many = FxHashMap::default();
    }

    /// The signature of a state; those of states that inert transitions lead to are known.
    fn signature(&self, state: u32, work: &mut Work) -> Found {
        let Refinement { system, signatures, table, group_of, blocks, marks, kept, of_many, .. } = self;
        let Work { own, inherited, scratch } = work;
        let group_of = |target: u32| group_of[target as usize];
        let known = if of_many.is_empty() { None } else { of_many.get(&state) };
        let own = match known {
            Some(own) => own,
            None => {
                system.own_items(blocks, state, own);
                own
            }
        };
        inherited.clear();
        inherited.extend(system.inert(blocks, state).map(|target| match marks.contains(target) {
            true => table.signatures[group_of(target) as usize],
            false => kept[blocks.of(state) as usize],
        }));
        if inherited.len() > 1 {
            inherited.sort_unstable();
            inherited.dedup();
        }
        let union = signatures.union(own, inherited, scratch);
        if let Union::Known(id) = union {
            let mut targets = system.inert(blocks, state).filter(|&target| marks.contains(target));
            if let Some(same) = targets.find(|&target| table.signatures[group_of(target) as usize] == id) {
                return Found::Group(group_of(same));
            }
        }
        Found::Union(union)
    }

    /// Puts a state into a group.
    #[inline]
    fn join(&mut self, state: u32, group: u32) {
        self.table.groups.count[group as usize] += 1;
        self.group_of[state as usize] = group;
    }

    /// Puts a state into the group of its signature.
    fn add(&mut self, state: u32, found: Union, scratch: &Scratch) {
        let Refinement { signatures, table, group_of, blocks, .. } = self;
        let block = blocks.of(state);
        group_of[state as usize] = match found {
            Union::Known(id) => table.add(block, signatures.hash(id), || id),
            Union::New(new) => table.add(block, new.hash, || signatures.insert(new, scratch)),
        };
    }

    /// Splits blocks; gives the number of the first that is new.
    fn split(&mut self, round: u32) -> u32 {
        let Refinement { table, signatures, kept, .. } = self;
        let mut groups = std::mem::take(&mut table.groups);
        for (group, &signature) in table.signatures.iter().enumerate() {
            let before = kept.get(groups.block[group] as usize).copied().filter(|&id| id != u32::MAX);
            if before.is_some_and(|before| signatures.hash(before) == signatures.hash(signature)) {
                groups.count[group] = 0;
            }
        }
        let members = self.changed.iter().map(|&state| (state, self.group_of[state as usize])).collect();
        let shards = [Shard { groups, members }];
        let first_new = self.blocks.len() as u32;
        let moves = split(&mut self.blocks, &shards, round, self.threads);
        kept.resize(self.blocks.len(), u32::MAX);
        for of in moves.iter().flatten().filter(|of| of.group == NO_GROUP) {
            kept[of.now as usize] = kept[of.block as usize];
        }
        for of in moves.iter().flatten().filter(|of| of.group != NO_GROUP) {
            kept[of.now as usize] = table.signatures[of.group as usize];
        }
        let [Shard { groups, .. }] = shards;
        table.groups = groups;
        first_new
    }

    /// Finds the states whose signatures change because states moved to blocks from some number on.
    fn mark_after(&mut self, first_new: u32) {
        self.marks.clear(&self.changed);
        let new = first_new..self.blocks.len() as u32;
        self.marks.settle(&self.blocks, new.clone(), self.threads);
        let moved: u64 = new.map(|block| u64::from(self.blocks.size(block))).sum();
        // About as many states as before, if any.
        let many = if moved == 0 { 0 } else { moved as usize + self.changed.len() / 4 };
        if many > self.system.lts.num_states() / DENSE {
            self.mark_many(first_new);
        } else {
            self.mark_few(first_new);
        }
    }

    /// Looks at all states in the order of their numbers.
    fn mark_many(&mut self, first_new: u32) {
        let Refinement { system: System { lts, stretches, .. }, blocks, marks, threads, .. } = self;
        let states = lts.num_states();
        let moved = Moved::new(blocks, first_new, states, *threads);
        let (marks, blocks) = (&*marks, &*blocks);
        let changes = |state: u32| {
            let is_moved = moved.contains(state);
            lts.outgoing(state).iter().any(|edge| {
                let target = edge.target;
                if !edge.is_internal() {
                    return moved.contains(target);
                }
                if !(is_moved || moved.contains(target) || marks.contains(target)) {
                    return false;
                }
                let (own, other) = (blocks.of(state), blocks.of(target));
                // Where both moved together, the transition is as inert as before.
                if own == other {
                    return marks.contains(target);
                }
                other >= first_new || (own >= first_new && blocks.parent(own) == other)
            })
        };
        let of_range = |range: Range<u32>| -> Vec<u32> {
            range.filter(|&state| !marks.is_settled(state) && changes(state) && marks.insert(state)).collect()
        };
        let mut found = Vec::new();
        for Stretch { states, is_independent } in *stretches {
            let threads = if *is_independent { *threads } else { 1 };
            found.extend(parallel::ranges(threads, states.len(), |range| {
                of_range(states.start + range.start as u32..states.start + range.end as u32)
            }));
        }
        self.changed = parallel::joined(found);
    }

    /// Looks at what leads to states that moved.
    fn mark_few(&mut self, first_new: u32) {
        self.changed.clear();
        let new = first_new..self.blocks.len() as u32;
        if new.is_empty() {
            return;
        }
        let Refinement { system, blocks, marks, changed, threads, .. } = self;
        let lts = system.lts;
        let Sources { internal, visible } = system.incoming.get_or_init(|| Sources {
            internal: Incoming::new(lts, Edge::is_internal, *threads),
            visible: Incoming::new(lts, |edge| !edge.is_internal(), *threads),
        });
        let block = |state: u32| blocks.of(state);
        let mut mark = |state: u32| {
            if marks.insert(state) {
                changed.push(state);
            }
        };
        for new in new {
            let old = blocks.parent(new);
            for state in blocks.members(new) {
                visible.of(state).iter().for_each(|&source| mark(source));
                // Where both moved together, the transition is as inert as before.
                internal
                    .of(state)
                    .iter()
                    .filter(|&&source| block(source) != new)
                    .for_each(|&source| mark(source));
                let mut own = lts.outgoing(state).iter().take_while(|edge| edge.is_internal());
                if own.any(|edge| block(edge.target) == old) {
                    mark(state);
                }
            }
        }
        let mut next = 0;
        while let Some(&state) = changed.get(next) {
            next += 1;
            for &source in internal.of(state) {
                if block(source) == block(state) && marks.insert(source) {
                    changed.push(source);
                }
            }
        }
        marks.sort(changed);
    }
}

/// What is known of the signature of a state.
enum Found {
    /// It is that of a state which an inert transition leads to: they are in the same group.
    Group(u32),
    Union(Union),
}

/// Instead of a group: the next one in a list of unions.
const OF_UNION: u32 = u32::MAX;

/// Room for the work on signatures of states.
#[derive(Default)]
struct Work {
    own: Vec<u64>,
    inherited: Vec<SignatureId>,
    scratch: Scratch,
}

/// Whether a sorted list has all items of another one.
fn is_subset(list: &[u64], of: &[u64]) -> bool {
    if list.len() > of.len() {
        return false;
    }
    if 8 * list.len() < of.len() {
        return list.iter().all(|item| of.binary_search(item).is_ok());
    }
    let mut rest = of.iter();
    list.iter().all(|item| rest.any(|other| other == item))
}
