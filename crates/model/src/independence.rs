//! Independence of the transitions of a network: the resources that each location may use, now and later, and which
//! uses commute.
//!
//! [`Uses::now`] of a location is what its transitions use, atomic sequences behind them included; [`Uses::later`] is
//! what the process and the processes that it starts may use from there on until it ends. Both are sets of
//! [`Access`]es; two sets conflict if some use of one does not commute with some use of the other
//! ([`commute`]).

use crate::accesses::{Access, AccessMode, SharedResource, Which};
use crate::ids::LocationId;
use crate::network::Network;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::EntityVec;
use volvelle_store::BitSet;

/// The accesses of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// By its transitions, and those of the atomic sequences that they begin.
    pub now: Vec<Access>,
    /// From there on, for ever.
    pub later: Vec<Access>,
}

/// How far two uses of one resource commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commuting {
    /// Always.
    Always,
    /// As long as the queue is not full.
    UnlessFull,
    /// As long as the queue is not empty.
    UnlessEmpty,
    /// Not in general.
    No,
}

/// Whether a use that is possible now commutes with another one, whenever that happens, and stays possible.
pub fn commute(now: AccessMode, other: AccessMode) -> Commuting {
    use AccessMode::{Add, Meet, Put, Read, Take, Test, Write};
    match (now, other) {
        (Read | Test, Read | Test) | (Add, Add) => Commuting::Always,
        (Put, Take) => Commuting::UnlessFull,
        (Take, Put) => Commuting::UnlessEmpty,
        // A meeting point is no queue: nothing else is done there.
        (Meet, Read | Test | Put | Take) | (Read | Test | Put | Take, Meet) => Commuting::Always,
        (Read | Test | Write | Add | Put | Take | Meet, _) => Commuting::No,
    }
}

/// The uses of all locations, by their numbers.
pub fn uses(network: &Network) -> EntityVec<LocationId, Uses> {
    let now: Vec<FxHashSet<Access>> =
        (0..network.locations.len()).map(|l| now(network, LocationId(l as u32))).collect();
    let later = later(network);
    let sorted = |set: FxHashSet<Access>| {
        let mut all: Vec<Access> = set.into_iter().collect();
        all.sort_unstable();
        all
    };
    now.into_iter().zip(later).map(|(now, later)| Uses { now: sorted(now), later: sorted(later) }).collect()
}

fn guard_of(network: &Network, location: LocationId) -> &[Access] {
    network.type_of(location).map_or(&[], |t| &network.types[t].guard_accesses)
}

fn now(network: &Network, start: LocationId) -> FxHashSet<Access> {
    let mut all: FxHashSet<Access> = guard_of(network, start).iter().copied().collect();
    let (mut stack, mut seen) = (vec![start], FxHashSet::default());
    while let Some(location) = stack.pop() {
        if !seen.insert(location) {
            continue;
        }
        for alternative in network.locations[location.index()].alternatives() {
            all.extend(alternative.accesses.iter().copied());
            // A process that offers loses control to the one that takes.
            if alternative.then_exclusive() && !alternative.gives() {
                stack.push(alternative.target());
            }
        }
    }
    all
}

/// A least fixed point over the control flow, with sets as bits over all accesses.
fn later(network: &Network) -> Vec<FxHashSet<Access>> {
    let mut numbers: FxHashMap<Access, usize> = FxHashMap::default();
    let mut accesses: Vec<Access> = Vec::new();
    let mut number = |access: Access, accesses: &mut Vec<Access>| {
        *numbers.entry(access).or_insert_with(|| {
            accesses.push(access);
            accesses.len() - 1
        })
    };
    let mut own: Vec<Vec<usize>> = Vec::new();
    for (l, location) in network.locations.iter().enumerate() {
        let guard = guard_of(network, LocationId(l as u32)).iter();
        let all = location.alternatives().flat_map(|t| &t.accesses).chain(guard);
        own.push(all.map(|&t| number(t, &mut accesses)).collect());
    }
    // The accesses of a process that is started: its own fields are not known yet.
    let anonymous: Vec<usize> = (0..accesses.len())
        .collect::<Vec<_>>()
        .into_iter()
        .map(|t| number(without_owner(accesses[t]), &mut accesses))
        .collect();
    let mut sets = vec![BitSet::new(accesses.len()); network.locations.len()];
    for (set, own) in sets.iter_mut().zip(&own) {
        own.iter().for_each(|&t| _ = set.insert(t));
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (l, location) in network.locations.iter().enumerate().rev() {
            let mut set = sets[l].clone();
            for alternative in location.alternatives() {
                set.unite(&sets[alternative.target().index()]);
                for &created in &alternative.creates {
                    let entry = network.types[created].first.index();
                    for t in sets[entry].iter().take_while(|&t| t < anonymous.len()) {
                        set.insert(anonymous[t]);
                    }
                }
            }
            if set != sets[l] {
                sets[l] = set;
                changed = true;
            }
        }
    }
    let listed = |set: &BitSet| set.iter().map(|t| accesses[t]).collect();
    sets.iter().map(listed).collect()
}

fn without_owner(access: Access) -> Access {
    let any = |which| match which {
        Which::Own(..) | Which::Mover => Which::Any,
        which => which,
    };
    let resource = match access.resource {
        SharedResource::Field(field, which) => SharedResource::Field(field, any(which)),
        SharedResource::Slot(pool, which) => SharedResource::Slot(pool, any(which)),
        resource => resource,
    };
    Access { resource, ..access }
}
