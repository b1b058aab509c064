//! Interchangeable parts of a program: components (module `components`), and processes.
//!
//! Instances of one type run the same code. Exchanging two of them (their slots, with all contents) makes no
//! difference to what can happen if the program does not distinguish their numbers. It may compare them with
//! each other, store them, send them, and use them as indices of arrays and channels whose elements are
//! exchanged with them. It must not compute with them, except by adding a constant. (C. N. Ip, D. L. Dill,
//! *Better verification through symmetry*, Formal Methods in System Design 9, 1996; these are their
//! *scalarsets*.) Analysis of the program finds the fields that hold such numbers, and the arrays that are
//! indexed by them (`classes`). If a number is compared with a constant, the process with that number stays
//! fixed; the others are still interchangeable.
//!
//! Processes end in the order of their numbers, the last first, so an end would distinguish them. Therefore
//! ends are removed ([`Symmetry::without_ends`]). A process at its end does nothing and blocks no other. So
//! this changes no observable behaviour of a program that starts finitely many processes and does not count
//! them.
//!
//! Code that makes the initial state is not restricted: only steps must treat all processes alike.

mod classes;
mod components;
mod scalarset;

use scalarset::has_ends;
pub use scalarset::{Scalarset, Symmetry, SymmetryViolation};

pub use components::{Orbit, interchangeable_components};

use crate::accesses::{AccessMode, SharedResource};
use crate::ids::{LocationId, PoolId};
use crate::network::Network;
use crate::places::Place;
use crate::program::Program;
use std::collections::BTreeSet;
use volvelle_kernel::{Block, Stmt};

impl Symmetry {
    /// The interchangeable processes of a program with some observed labels. Processes that these name stay
    /// fixed.
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
            // Then numbers that become free are never given to others.
            let asks = |t: &crate::Alternative| t.accesses.iter().any(|t| t.resource == counted);
            if network.alternatives().any(asks) && !starts_all_at_once(program) {
                return Err(SymmetryViolation::EndsEarly);
            }
        }
        // A type that distinguishes its own instances is not exchanged; others may still be.
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

    /// Changes the program so that processes stay at their end.
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

/// Whether a process that starts others cannot do so repeatedly, nor be started by a process that it starts.
/// Loops inside atomic sequences do not matter, since no process ends meanwhile.
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
    // Repeatedly remove types that start no remaining type. What remains lies on cycles.
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

/// Whether the only initial process starts all others before they can move.
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

/// Whether all paths from a location to another one are inside an atomic sequence.
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
