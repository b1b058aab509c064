//! Visible transitions: those that may change the value of an observed proposition.
//!
//! In: a program of processes, and the observed labels and marks of locations. Out: for each transition,
//! whether it (including its atomic sequence) may change the value of one of these. If this depends on the
//! element or channel that the instance uses, the result lists the accesses in question. The analysis is
//! sound, not complete: a transition that changes a variable of a label is visible even if the label keeps
//! its value.
//!
//! The expression of a label shows which places it reads. Labels test where a process is by comparing its
//! location with constants. Such a comparison is a set of locations, which a transition changes by entering
//! or leaving it.

use crate::accesses::{Access, AccessMode, SharedResource, Which};
use crate::closure::close;
use crate::ids::{FieldId, LocationId, PoolId};
use crate::network::Network;
use crate::places::{Place, each_write};
use crate::program::Program;
use rustc_hash::FxHashSet;
use volvelle_kernel::{BinaryOp, Block, EntityVec, ExprId, Exprs, Node};
use volvelle_store::BitSet;

/// The propositions and marks that are observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedPropositions {
    /// Labels of the program, by index.
    pub labels: Vec<usize>,
    /// Expressions of any type, whose values are observed.
    pub values: Vec<ExprId>,
    /// Whether some process is at an accepting location.
    pub accepting: bool,
    /// Whether some process is at a progress location.
    pub progress: bool,
}

/// The observed propositions that each transition may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleTransitions {
    /// By transition.
    pub changes: Vec<Changes>,
    /// The resources that are observed, each with a constant number or any.
    pub resources: Vec<SharedResource>,
}

/// How a transition, with its atomic sequence, may change observed propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// It may change some observed proposition.
    Seen,
    /// It changes an observed proposition only if one of these accesses is to an observed resource; with no
    /// accesses, never.
    If(Vec<Access>),
}

/// The parts of the state that labels and marks read.
#[derive(Debug, Default)]
struct Reads {
    resources: FxHashSet<SharedResource>,
    /// Fields of processes.
    fields: FxHashSet<FieldId>,
    /// Sets of locations, as flags.
    places: Vec<EntityVec<LocationId, bool>>,
    /// The location itself.
    location: bool,
}

impl VisibleTransitions {
    /// `None` if every step may change an observed value.
    pub fn new(program: &Program, watched: &ObservedPropositions) -> Option<Self> {
        let network = &program.network;
        let mut reads = Reads::default();
        for &label in &watched.labels {
            reads.label(program, program.labels[label].expr)?;
        }
        for &value in &watched.values {
            reads.label(program, value)?;
        }
        if watched.accepting {
            reads.places.push(network.locations.iter().map(|l| l.is_accepting).collect());
        }
        if watched.progress {
            reads.places.push(network.locations.iter().map(|l| l.is_progress).collect());
        }
        let mut resources: Vec<SharedResource> = reads.resources.iter().copied().collect();
        resources.sort_unstable();
        let numbers = first_numbers(network);
        let all: Vec<&crate::Alternative> = network.alternatives().collect();
        let own: Vec<Changes> = all.iter().map(|t| reads.changes(program, t, &resources)).collect();
        let chains = Chains::new(network, &reads, &own, &numbers, &all);
        let mut changes = Vec::with_capacity(own.len());
        for (location, (l, &first)) in network.locations.iter().zip(numbers.iter()) {
            for number in first..first + location.alternatives().count() {
                changes.push(chains.from(&reads, l, number));
            }
        }
        Some(VisibleTransitions { changes, resources })
    }

    /// Whether a resource is, or may be, one of those observed.
    pub fn sees(&self, resource: SharedResource) -> bool {
        self.resources.iter().any(|&watched| overlap(watched, resource) != Overlap::Never)
    }
}

/// The number of the first transition of each location.
pub fn first_numbers(network: &Network) -> EntityVec<LocationId, usize> {
    let counts = network.locations.iter().map(|l| l.alternatives().count());
    counts
        .scan(0, |next, count| {
            let first = *next;
            *next += count;
            Some(first)
        })
        .collect()
}

/// The changes of transitions together with their atomic sequences.
struct Chains {
    /// By transition: a set of the members described at [`SEEN`].
    sets: Vec<BitSet>,
    accesses: Vec<Access>,
    /// Number of locations in the sets: all if the location itself is read, else none.
    num_locations: usize,
}

/// Members of a set, in order: whether something is seen; for each set of locations, whether the chain
/// reaches one outside of it, and one inside; the locations that it reaches, if these count; and the
/// accesses.
const SEEN: usize = 0;

impl Chains {
    fn new(
        network: &Network,
        reads: &Reads,
        own: &[Changes],
        numbers: &EntityVec<LocationId, usize>,
        all: &[&crate::Alternative],
    ) -> Self {
        let num_locations = if reads.location { network.locations.len() } else { 0 };
        let first = 1 + 2 * reads.places.len() + num_locations;
        let mut accesses: Vec<Access> = own.iter().flat_map(Changes::uses).copied().collect();
        accesses.sort_unstable();
        accesses.dedup();
        let len = first + accesses.len();
        let mut sets: Vec<BitSet> = vec![BitSet::new(len); own.len()];
        for ((set, own), alternative) in sets.iter_mut().zip(own).zip(all) {
            let target = alternative.target();
            if *own == Changes::Seen {
                set.insert(SEEN);
            }
            for (k, places) in reads.places.iter().enumerate() {
                set.insert(1 + 2 * k + usize::from(places[target]));
            }
            if reads.location {
                set.insert(1 + 2 * reads.places.len() + target.index());
            }
            for access in own.uses() {
                let _ = accesses.binary_search(access).map(|t| set.insert(first + t));
            }
        }
        let follow = |alternative: &&crate::Alternative| {
            let target = alternative.target();
            let count = network.locations[target.index()].alternatives().count();
            // A process that sends loses control to the receiver.
            let goes_on = alternative.then_exclusive() && !alternative.gives();
            (numbers[target]..numbers[target] + if goes_on { count } else { 0 }).map(|to| (to, ())).collect()
        };
        let edges: Vec<Vec<(usize, ())>> = all.iter().map(follow).collect();
        close(&mut sets, &edges, |set, other, ()| set.unite(other));
        Chains { sets, accesses, num_locations }
    }

    /// The changes of a transition from a location.
    fn from(&self, reads: &Reads, from: LocationId, number: usize) -> Changes {
        let set = &self.sets[number];
        let places = 1 + 2 * reads.places.len();
        let first = places + self.num_locations;
        let differs = |(k, places): (usize, &EntityVec<LocationId, bool>)| {
            set.contains(1 + 2 * k + usize::from(!places[from]))
        };
        let moves = |l: usize| l != from.index() && set.contains(places + l);
        if set.contains(SEEN)
            || reads.places.iter().enumerate().any(differs)
            || (0..self.num_locations).any(moves)
        {
            return Changes::Seen;
        }
        Changes::If(set.iter().filter(|&t| t >= first).map(|t| self.accesses[t - first]).collect())
    }
}

impl Changes {
    fn uses(&self) -> &[Access] {
        match self {
            Changes::Seen => &[],
            Changes::If(uses) => uses,
        }
    }
}

/// Whether two accesses mean the same resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlap {
    Never,
    Always,
    /// That depends on the instance.
    Depends,
}

fn overlap(watched: SharedResource, used: SharedResource) -> Overlap {
    let which = |watched, used| match (watched, used) {
        (Which::Constant(a), Which::Constant(b)) if a != b => Overlap::Never,
        (Which::Constant(_), Which::Own(..) | Which::Mover) => Overlap::Depends,
        _ => Overlap::Always,
    };
    match (watched, used) {
        (_, SharedResource::Everything) => Overlap::Always,
        (SharedResource::Field(a, w), SharedResource::Field(b, u)) if a == b => which(w, u),
        (SharedResource::Slot(a, w), SharedResource::Slot(b, u)) if a == b => which(w, u),
        (SharedResource::Count(a), SharedResource::Count(b)) if a == b => Overlap::Always,
        _ => Overlap::Never,
    }
}

impl Reads {
    /// Whether the change from one location to another is observed.
    fn differ(&self, from: LocationId, to: LocationId) -> bool {
        self.location && from != to || self.places.iter().any(|set| set[from] != set[to])
    }

    /// The changes of a single transition, apart from its location.
    fn changes(
        &self,
        program: &Program,
        alternative: &crate::Alternative,
        resources: &[SharedResource],
    ) -> Changes {
        let types = &program.network.types;
        let starts = |&created: &usize| self.differ(LocationId::NOWHERE, types[created].first);
        if alternative.creates.iter().any(starts) || self.are_written(program, alternative.effect()) {
            return Changes::Seen;
        }
        let mut accesses = Vec::new();
        for access in &alternative.accesses {
            if matches!(access.mode, AccessMode::Test | AccessMode::Read | AccessMode::Meet) {
                continue;
            }
            let overlaps = resources.iter().map(|&o| overlap(o, access.resource));
            match overlaps.fold(Overlap::Never, |all, one| match (all, one) {
                (Overlap::Always, _) | (_, Overlap::Always) => Overlap::Always,
                (Overlap::Depends, _) | (_, Overlap::Depends) => Overlap::Depends,
                _ => Overlap::Never,
            }) {
                Overlap::Always => return Changes::Seen,
                Overlap::Depends => accesses.push(*access),
                Overlap::Never => {}
            }
        }
        Changes::If(accesses)
    }

    /// Whether an effect writes an observed field of a process. Accesses do not list a process's own fields.
    fn are_written(&self, program: &Program, effect: &Block) -> bool {
        if self.fields.is_empty() && !self.location {
            return false;
        }
        let mut written = false;
        each_write(effect, &mut |place, _| {
            written |= program.place(place).field().is_some_and(|field| self.fields.contains(&field));
        });
        written
    }

    /// Adds everything that a label reads; `None` if it reads something that every step may change.
    fn label(&mut self, program: &Program, root: ExprId) -> Option<()> {
        let exprs = &program.exprs;
        let (mut stack, mut seen) = (vec![root], FxHashSet::default());
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some((set, slot)) = place_set(program, id) {
                self.places.push(set);
                stack.push(slot);
                continue;
            }
            if let Some(slot) = location_read(program, id) {
                self.location = true;
                stack.push(slot);
                continue;
            }
            let node = exprs.node(id);
            let known = |id| constant(exprs, id).map_or(Which::Any, Which::Constant);
            match (program.place_read(&node), &node) {
                (None | Some(Place::Room { .. } | Place::Size(_)), _) => {}
                (Some(Place::Field(field)), Node::Load { index, .. }) => {
                    self.field(program, field, known(*index));
                }
                (Some(Place::Field(field)), _) => self.field(program, field, Which::Constant(0)),
                (Some(Place::Slot { slot, field, .. }), _) => self.field(program, field, known(slot)),
                // Reduced states keep at least one step, so whether a step is possible stays the same.
                (Some(Place::NoProgress), _) => {
                    self.places.push(program.network.locations.iter().map(|l| l.is_progress).collect());
                }
                // Whether nothing else can move, or something that labels should not read.
                (
                    Some(
                        Place::Timeout
                        | Place::Mover
                        | Place::Temporary(_)
                        | Place::Offered(_)
                        | Place::Noted
                        | Place::Table(_)
                        | Place::Parameter(_),
                    ),
                    _,
                ) => return None,
            }
            program.each_operand(&node, |operand| stack.push(operand));
        }
        Some(())
    }

    /// Adds a field; `which` is the element of a global field, or the slot of others.
    fn field(&mut self, program: &Program, field: FieldId, which: Which) {
        let pools = &program.network.pools;
        if let Some(pool) = pools.iter().position(|p| p.count == field) {
            self.resources.insert(SharedResource::Count(PoolId(pool as u32)));
            return;
        }
        let Some(component) = program.fields[field.index()].component else {
            self.resources.insert(SharedResource::Field(field, which));
            return;
        };
        let holds = |p: &crate::Pool| p.header == component || p.members.contains(&component);
        match pools.iter().position(holds) {
            Some(0) | None if program.network.location == Some(field) => self.location = true,
            Some(0) | None => {
                self.fields.insert(field);
            }
            Some(pool) => {
                self.resources.insert(SharedResource::Slot(PoolId(pool as u32), which));
            }
        }
    }
}

/// The value of an integer constant, ignoring conversions.
fn constant(exprs: &Exprs, id: ExprId) -> Option<i64> {
    let id = match exprs.node(id) {
        Node::Convert { arg, .. } => arg,
        _ => id,
    };
    exprs.as_const(id)?.as_i64()
}

/// If an expression is the location of the process in a slot (or nowhere if there is none): the slot.
fn location_read(program: &Program, id: ExprId) -> Option<ExprId> {
    let exprs = &program.exprs;
    let plain = |id: ExprId| match exprs.node(id) {
        Node::Convert { arg, .. } => arg,
        _ => id,
    };
    let Node::Select { cond, yes, no } = exprs.node(id) else { return None };
    let Some(Place::Slot { slot, field, .. }) = program.place_read(&exprs.node(yes)) else { return None };
    let Node::Binary { op: BinaryOp::Lt, lhs, rhs } = exprs.node(cond) else { return None };
    let count = Place::Field(program.network.pools.first()?.count);
    let is_one = Some(field) == program.network.location
        && constant(exprs, no) == Some(i64::from(LocationId::NOWHERE.0))
        && program.place_read(&exprs.node(plain(rhs))) == Some(count)
        && (plain(lhs) == plain(slot)
            || constant(exprs, lhs).is_some_and(|a| constant(exprs, slot) == Some(a)));
    is_one.then_some(slot)
}

/// If an expression tests whether the process in a slot is at one of some locations: these, and the slot.
fn place_set(program: &Program, id: ExprId) -> Option<(EntityVec<LocationId, bool>, ExprId)> {
    let exprs = &program.exprs;
    let Node::Binary { op, lhs, rhs } = exprs.node(id) else { return None };
    let count = program.network.locations.len() as i64;
    let set = |locations: std::ops::Range<i64>| (0..count).map(|l| locations.contains(&l)).collect();
    match op {
        BinaryOp::Eq => {
            let (read, at) = match constant(exprs, rhs) {
                Some(at) => (lhs, at),
                None => (rhs, constant(exprs, lhs)?),
            };
            Some((set(at..at + 1), location_read(program, read)?))
        }
        BinaryOp::Lt => {
            // A single unsigned comparison of the distance from the first location.
            let Node::Convert { arg, .. } = exprs.node(lhs) else { return None };
            let Node::Binary { op: BinaryOp::Sub, lhs: read, rhs: first } = exprs.node(arg) else {
                return None;
            };
            let (first, length) = (constant(exprs, first)?, constant(exprs, rhs)?);
            Some((set(first..first + length), location_read(program, read)?))
        }
        _ => None,
    }
}
