//! Interchangeable parts of a program: components (module `components`), and processes.
//!
//! Instances of one type run the same code. Exchanging two of them (their slots, with all that they hold) makes no
//! difference to what can happen if the program does not tell their numbers apart: it compares them with each other, stores
//! them, sends them, and uses them as indices of arrays and of channels whose elements are exchanged with them, but computes
//! nothing with them besides adding a constant (C. N. Ip, D. L. Dill, *Better verification through symmetry*, Formal Methods
//! in System Design 9, 1996, whose *scalarsets* these are). Which fields hold such numbers, and which arrays are indexed by
//! them, is found from the program (`classes`). Where a number is compared with a constant, the process of that number stays
//! where it is, and the others are still interchangeable.
//!
//! Processes end in the order of their numbers, the last first, so that an end would tell them apart: ends are left out
//! ([`Symmetry::without_ends`]). A process at its end does nothing and blocks no other, so that this changes no
//! observable behaviour of a program that starts finitely many processes and does not count them.
//!
//! Code that makes the initial state is not restricted: only steps have to treat all processes alike.

mod classes;
mod components;

pub use components::{Orbit, interchangeable_components};

use crate::accesses::{AccessMode, SharedResource};
use crate::ids::{FieldId, LocationId, Origin, PoolId};
use crate::network::Network;
use crate::places::Place;
use crate::program::Program;
use std::collections::BTreeSet;
use volvelle_kernel::{Block, Stmt};

/// A scalarset: numbers of processes (their slots), each with a constant added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scalarset {
    /// The constant that is added to the slot.
    pub offset: i64,
}

/// Interchangeable processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// Types of processes whose instances may be exchanged.
    pub types: Vec<usize>,
    /// Fields whose values are numbers of processes.
    pub numbers: Vec<(FieldId, Scalarset)>,
    /// Arrays whose indices are numbers of processes.
    pub arrays: Vec<(FieldId, Scalarset)>,
    /// Slots of the pool of channels are numbers of processes, as far as these ranges go.
    pub channels: Vec<(Scalarset, i64, i64)>,
    /// Slots of processes that stay where they are.
    pub fixed: BTreeSet<i64>,
    /// Values that numbers must keep to: other processes stay where they are, too.
    pub ranges: Vec<(Scalarset, i64, i64)>,
}

/// Why no processes are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryViolation {
    /// Some statement looks into other processes, or asks who moved last.
    LooksAround,
    /// An expression reads the number of processes.
    Counts,
    /// Processes end, and others are started again and again.
    ComesAndGoes,
    /// Processes may end before others are started, and get their numbers.
    EndsEarly,
    /// The program computes with the number of a process in a way that tells processes apart.
    Computes(Origin),
    /// A variable or an index is a number of a process here, and something else elsewhere.
    Mixes(Origin),
    /// The observed labels tell processes apart.
    Claim,
    /// Channels are chosen by numbers of processes, and otherwise, too.
    Channels,
}

impl Symmetry {
    /// The interchangeable processes of a program, of which some labels are looked at: what these name stays where it is.
    pub fn new(program: &Program, labels: &[usize]) -> Result<Self, SymmetryViolation> {
        let network = &program.network;
        if network.has_remote_reads || network.last.is_some() {
            return Err(SymmetryViolation::LooksAround);
        }
        let counted = SharedResource::Count(PoolId(0));
        if network
            .alternatives()
            .any(|t| t.accesses.iter().any(|t| t.resource == counted && t.mode == AccessMode::Read))
        {
            return Err(SymmetryViolation::Counts);
        }
        if has_ends(network) {
            if !starts_finitely_many(network) {
                return Err(SymmetryViolation::ComesAndGoes);
            }
            // Numbers that are free again are not given to others then.
            let asks = |t: &crate::Alternative| t.accesses.iter().any(|t| t.resource == counted);
            if network.alternatives().any(asks) && !starts_all_at_once(program) {
                return Err(SymmetryViolation::EndsEarly);
            }
        }
        // A type that tells its own instances apart is left alone; the others may still be interchangeable.
        let mut alone = BTreeSet::new();
        loop {
            match classes::find(program, labels, &alone) {
                Ok(symmetry) => return Ok(symmetry),
                Err((ty, why)) => {
                    if !alone.insert(ty) || alone.len() == network.types.len() {
                        return Err(why);
                    }
                }
            }
        }
    }

    /// The program in which processes stay at their end.
    pub fn without_ends(program: &mut Program) {
        let never = program.exprs.bool(false);
        for location in &mut program.network.locations {
            for alternative in location.alternatives_mut() {
                if alternative.target() == LocationId::NOWHERE {
                    alternative.guard = never;
                    *alternative.effect_mut() = Block::new();
                }
            }
        }
    }
}

fn has_ends(network: &Network) -> bool {
    network.alternatives().any(|t| t.target() == LocationId::NOWHERE)
}

/// Whether no process that starts others can do so again and again, nor be started by a process that it starts. Loops inside
/// atomic sequences do not matter: no process ends meanwhile.
fn starts_finitely_many(network: &Network) -> bool {
    let types = network.types.len();
    let mut starts = vec![BTreeSet::new(); types];
    for (l, location) in network.locations.iter().enumerate() {
        for alternative in location.alternatives() {
            if alternative.creates.is_empty() {
                continue;
            }
            if !goes_back_at_once(network, alternative.target(), LocationId(l as u32)) {
                return false;
            }
            if let Some(ty) = network.type_of(LocationId(l as u32)) {
                starts[ty].extend(alternative.creates.iter().copied());
            }
        }
    }
    // Types that are left when those that start nothing that is left are taken away, again and again, are on cycles.
    let mut left: BTreeSet<usize> = (0..types).collect();
    loop {
        let before = left.len();
        let kept = left.clone();
        left.retain(|&ty| starts[ty].iter().any(|other| kept.contains(other)));
        if left.len() == before {
            return left.is_empty();
        }
    }
}

/// Whether the only process that is there from the beginning starts all others before they can move.
fn starts_all_at_once(program: &Program) -> bool {
    let network = &program.network;
    let count = Place::Field(network.pools[0].count);
    let made = network
        .initialisation
        .iter()
        .filter(|s| matches!(s, Stmt::Set { local, .. } if program.place(*local) == count))
        .count();
    let mut starter = None;
    for (l, location) in network.locations.iter().enumerate() {
        let here = LocationId(l as u32);
        if location.alternatives().all(|t| t.creates.is_empty()) {
            continue;
        }
        let Some(ty) = network.type_of(here) else { return false };
        let one = *starter.get_or_insert(ty) == ty;
        if !one || made != 1 || !goes_back_at_once(network, network.types[ty].first, here) {
            return false;
        }
    }
    true
}

/// Whether all ways from a location to another one are inside an atomic sequence.
fn goes_back_at_once(network: &Network, from: LocationId, to: LocationId) -> bool {
    let edges = |at: LocationId| network.locations[at.index()].alternatives();
    let mut before = vec![Vec::new(); network.locations.len()];
    let ahead =
        closure(from, |at| edges(at).map(|t| t.target()).filter(|&t| t != LocationId::NOWHERE).collect());
    for &at in &ahead {
        edges(at).for_each(|t| before[t.target().index()].push(at));
    }
    let behind = closure(to, |at| before[at.index()].clone());
    let between = |at: &LocationId| ahead.contains(at) && behind.contains(at);
    ahead
        .iter()
        .filter(|at| between(at))
        .all(|&at| edges(at).all(|t| t.then_exclusive() || !between(&t.target())))
}

fn closure(from: LocationId, next: impl Fn(LocationId) -> Vec<LocationId>) -> BTreeSet<LocationId> {
    let (mut stack, mut seen) = (vec![from], BTreeSet::new());
    while let Some(at) = stack.pop() {
        if seen.insert(at) {
            stack.extend(next(at));
        }
    }
    seen
}
