//! Independence of the transitions of a network: the resources that each location may use, now and later, and which
//! uses commute.
//!
//! [`Uses::now`] of a location is what its transitions use, atomic sequences behind them included; [`Uses::later`] is
//! what the process and the processes that it starts may use from there on until it ends. Both are sets of
//! [`Access`]es; two sets conflict if some use of one does not commute with some use of the other
//! ([`commute`]).

use crate::accesses::{Access, AccessMode, SharedResource, Which};
use crate::closure::close;
use crate::ids::LocationId;
use crate::network::{Location, Network, PriorityBlock};
use crate::steps::Alternative;
use rustc_hash::FxHashMap;
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
    let details = Details::of(network);
    let mut all = Numbered::default();
    let now = now(network, &details, &mut all);
    let later = later(network, &details, &mut all);
    let sorted = |set: &BitSet| {
        let mut list: Vec<Access> = set.iter().map(|t| all.accesses[t]).collect();
        list.sort_unstable();
        list
    };
    now.iter().zip(&later).map(|(now, later)| Uses { now: sorted(now), later: sorted(later) }).collect()
}

/// Accesses by number.
#[derive(Default)]
struct Numbered {
    numbers: FxHashMap<Access, usize>,
    accesses: Vec<Access>,
}

impl Numbered {
    fn number(&mut self, access: Access) -> usize {
        *self.numbers.entry(access).or_insert_with(|| {
            self.accesses.push(access);
            self.accesses.len() - 1
        })
    }

    fn list(&mut self, accesses: Vec<Access>) -> Vec<usize> {
        accesses.into_iter().map(|access| self.number(access)).collect()
    }
}

fn guard_of(network: &Network, location: LocationId) -> &[Access] {
    network.type_of(location).map_or(&[], |t| &network.types[t].guard_accesses)
}

/// What the accesses of alternatives do not tell by themselves.
///
/// A step may depend on another statement's being *impossible*: where a block of alternatives comes after others (`else`,
/// the main part of an `unless`), and inside of an atomic sequence, which is interrupted where it cannot go on. Putting and
/// taking commute for the one that puts or takes, but not for such a step: so whatever decides is read as well, and inside
/// of a sequence written, since there the same process may have filled or emptied the queue just before.
///
/// Whether an offer is possible depends on the processes that wait for it: where a step depends on that, coming to a
/// location that takes is a use of the meeting point. (Leaving one is a use in any case.) Takers are never waited for: what
/// can be taken makes no other step impossible, and an atomic sequence is always interrupted there.
struct Details {
    /// By location: whether some step that leads there goes on alone.
    is_inside: Vec<bool>,
    /// Whether it makes a difference which offers are possible.
    offers_decide: bool,
}

/// By location: whether some step that leads there goes on alone.
fn inside(network: &Network) -> Vec<bool> {
    let mut is_inside = vec![false; network.locations.len()];
    for alternative in network.alternatives().filter(|a| a.then_exclusive() && !a.gives()) {
        is_inside[alternative.target().index()] = true;
    }
    is_inside
}

fn offers_decide(network: &Network, is_inside: &[bool]) -> bool {
    let gives = |block: &PriorityBlock| block.alternatives.iter().any(Alternative::gives);
    let decides = |(location, &inside): (&Location, &bool)| {
        let before = location.blocks.len().saturating_sub(usize::from(!inside));
        location.blocks[..before].iter().any(gives)
    };
    network.locations.iter().zip(is_inside).any(decides)
}

/// Whether coming to a location that takes values makes a difference to what other processes can do, besides giving them.
pub fn is_waiting_noticed(network: &Network) -> bool {
    offers_decide(network, &inside(network))
}

impl Details {
    fn of(network: &Network) -> Self {
        let is_inside = inside(network);
        let offers_decide = offers_decide(network, &is_inside);
        Details { is_inside, offers_decide }
    }

    /// The uses by the alternatives of a location. `inside`: by a process that goes on alone.
    fn at(&self, network: &Network, location: LocationId, inside: bool) -> Vec<Access> {
        let blocks = &network.locations[location.index()].blocks;
        let mut all: Vec<Access> = guard_of(network, location).to_vec();
        let is_guarded = !all.is_empty();
        for (i, block) in blocks.iter().enumerate() {
            let is_decided = inside || i + 1 < blocks.len();
            for alternative in &block.alternatives {
                self.by(network, alternative, [inside, is_decided, is_guarded], &mut all);
            }
        }
        all
    }

    /// The uses by one alternative: by a process that goes on alone (`inside`); where other steps depend on its being
    /// impossible (`is_decided`); of a process with a guard (`is_guarded`).
    fn by(
        &self,
        network: &Network,
        alternative: &Alternative,
        [inside, is_decided, is_guarded]: [bool; 3],
        all: &mut Vec<Access>,
    ) {
        for &access in &alternative.accesses {
            all.push(access);
            let more = match access.mode {
                AccessMode::Put | AccessMode::Take if inside => AccessMode::Write,
                AccessMode::Put | AccessMode::Take if is_decided => AccessMode::Read,
                // Ends of processes commute, but each waits for those of younger ones, and a guard may stop it then.
                AccessMode::Add if is_guarded && alternative.target() == LocationId::NOWHERE => {
                    AccessMode::Read
                }
                AccessMode::Meet if alternative.gives() && is_decided => AccessMode::Read,
                _ => continue,
            };
            all.push(Access { mode: more, ..access });
        }
        if self.offers_decide {
            all.extend(waiting(network, alternative.target()));
            for &created in &alternative.creates {
                all.extend(waiting(network, network.types[created].first).map(without_owner));
            }
        }
    }
}

/// The uses of single alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SingleUses {
    /// By alternative, in the order of the numbers of steps: what decides whether it can happen, and what it does, without what
    /// follows it in an atomic sequence.
    pub alternatives: Vec<Vec<Access>>,
    /// By location: what decides whether a process that comes there inside of an atomic sequence goes on; empty for locations that are
    /// not inside of one.
    pub arrivals: EntityVec<LocationId, Vec<Access>>,
}

/// The uses of all alternatives by themselves.
pub fn single_uses(network: &Network) -> SingleUses {
    let details = Details::of(network);
    let mut uses = SingleUses::default();
    for (l, location) in network.locations.iter().enumerate() {
        let (id, inside) = (LocationId(l as u32), details.is_inside[l]);
        let guard = guard_of(network, id);
        let mut before: Vec<Access> = Vec::new();
        for (i, block) in location.blocks.iter().enumerate() {
            let is_decided = inside || i + 1 < location.blocks.len();
            let first = uses.alternatives.len();
            for alternative in &block.alternatives {
                let mut all = [guard, &before].concat();
                details.by(network, alternative, [inside, is_decided, !guard.is_empty()], &mut all);
                all.sort_unstable();
                all.dedup();
                uses.alternatives.push(all);
            }
            // Those of later blocks depend on its being impossible.
            before.extend(uses.alternatives[first..].concat());
        }
        uses.arrivals.push(if inside { details.at(network, id, true) } else { Vec::new() });
    }
    uses
}

/// The uses of meeting points by a process that comes to a location and waits there for what it can take.
fn waiting(network: &Network, location: LocationId) -> impl Iterator<Item = Access> + '_ {
    let takers = network.locations[location.index()].alternatives().filter(|a| a.takes());
    let meetings = takers.flat_map(|a| &a.accesses).filter(|access| access.mode == AccessMode::Meet);
    meetings.map(|&access| Access { mode: AccessMode::Write, ..access })
}

/// What a process may use until it stops for the first time: each location outside of a sequence, and then each inside of one, leads
/// to those where the process goes on alone.
fn now(network: &Network, details: &Details, all: &mut Numbered) -> Vec<BitSet> {
    let count = network.locations.len();
    let is_alone = |inside: bool, l: usize| !inside || details.is_inside[l];
    let nodes = || [false, true].into_iter().flat_map(|inside| (0..count).map(move |l| (inside, l)));
    let own: Vec<Vec<usize>> = nodes()
        .map(|(inside, l)| match is_alone(inside, l) {
            true => all.list(details.at(network, LocationId(l as u32), inside)),
            false => Vec::new(),
        })
        .collect();
    let edges: Vec<Vec<(usize, ())>> = nodes()
        .map(|(inside, l)| {
            let alternatives = network.locations[l].alternatives().filter(|_| is_alone(inside, l));
            // A process that offers loses control to the one that takes.
            let alone = alternatives.filter(|a| a.then_exclusive() && !a.gives());
            alone.map(|a| (count + a.target().index(), ())).collect()
        })
        .collect();
    let mut sets = sets(&own, all.accesses.len());
    close(&mut sets, &edges, |set, other, ()| set.unite(other));
    sets.truncate(count);
    sets
}

fn sets(own: &[Vec<usize>], count: usize) -> Vec<BitSet> {
    own.iter().map(|own| BitSet::of(count, own.iter().copied())).collect()
}

/// A least fixed point over the control flow, with sets as bits over all accesses.
fn later(network: &Network, details: &Details, all: &mut Numbered) -> Vec<BitSet> {
    let own: Vec<Vec<usize>> = (0..network.locations.len())
        .map(|l| all.list(details.at(network, LocationId(l as u32), details.is_inside[l])))
        .collect();
    // The accesses of a process that is started: its own fields are not known yet.
    let known = all.accesses.len();
    let anonymous: Vec<usize> = (0..known).map(|t| all.number(without_owner(all.accesses[t]))).collect();
    let edges: Vec<Vec<(usize, bool)>> = network
        .locations
        .iter()
        .map(|location| {
            let edges = location.alternatives().flat_map(|alternative| {
                let created = alternative.creates.iter().map(|&t| (network.types[t].first.index(), true));
                created.chain([(alternative.target().index(), false)])
            });
            edges.collect()
        })
        .collect();
    let mut sets = sets(&own, all.accesses.len());
    close(&mut sets, &edges, |set, other, is_created| match is_created {
        false => set.unite(other),
        true => other.iter().take_while(|&t| t < known).for_each(|t| _ = set.insert(anonymous[t])),
    });
    sets
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
