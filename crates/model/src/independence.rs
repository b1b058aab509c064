//! Independence of the transitions of a network: the resources that each location may use, and which uses
//! commute.
//!
//! [`Uses::now`] of a location has the uses of its transitions, including the atomic sequences that they
//! begin. [`Uses::later`] has the uses of the process, and of processes that it starts, from there until it
//! ends. Both are sets of [`Access`]es. Two sets conflict if some use in one does not commute with some use
//! in the other ([`commute`]).

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
    /// From there on, until the process ends.
    pub later: Vec<Access>,
}

/// The condition under which two uses of one resource commute.
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

/// Whether a use that is possible now commutes with another one at any later time, and stays possible.
pub fn commute(now: AccessMode, other: AccessMode) -> Commuting {
    use AccessMode::{Add, Meet, Put, Read, Take, Test, Write};
    match (now, other) {
        (Read | Test, Read | Test) | (Add, Add) => Commuting::Always,
        (Put, Take) => Commuting::UnlessFull,
        (Take, Put) => Commuting::UnlessEmpty,
        // Rendezvous channels have no queue, so nothing else accesses them.
        (Meet, Read | Test | Put | Take) | (Read | Test | Put | Take, Meet) => Commuting::Always,
        (Read | Test | Write | Add | Put | Take | Meet, _) => Commuting::No,
    }
}

/// The uses of all locations, by number.
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

/// Dependences that the accesses of single alternatives do not show.
///
/// A step may depend on another statement's being *impossible*. This is so in a block behind other blocks
/// (`else`, the main part of an `unless`), and inside an atomic sequence, which is interrupted where it
/// cannot continue. A put and a take commute for the processes that perform them, but not for a step that
/// depends on their being impossible. Therefore the deciding resource also counts as read; and inside a
/// sequence as written, since the same process may have just filled or emptied the queue.
///
/// Whether an offer is possible depends on the processes that wait to receive it. If a step depends on that,
/// reaching a location with a receive counts as a use of the channel; leaving one does so anyway. Receivers
/// need no such rule: what can be received makes no other step impossible, and always interrupts an atomic
/// sequence.
struct Details {
    /// By location: whether some step leads there with exclusive control.
    is_inside: Vec<bool>,
    /// Whether some step depends on which offers are possible.
    offers_decide: bool,
}

/// By location: whether some step leads there with exclusive control.
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

/// Whether the arrival at a receive affects what other processes can do, besides sending to it.
pub fn is_waiting_noticed(network: &Network) -> bool {
    offers_decide(network, &inside(network))
}

impl Details {
    fn of(network: &Network) -> Self {
        let is_inside = inside(network);
        let offers_decide = offers_decide(network, &is_inside);
        Details { is_inside, offers_decide }
    }

    /// The uses of the alternatives of a location. `inside`: by a process with exclusive control.
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

    /// The uses of one alternative. `inside`: by a process with exclusive control; `is_decided`: some other
    /// step depends on its being impossible; `is_guarded`: the type of the process has a guard.
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
                // Ends of processes commute. But each waits for the ends of younger processes, and a guard
                // may prevent it then.
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
    /// By alternative, in the order of step numbers: the uses that decide whether it is possible, and those
    /// of its effect. The rest of its atomic sequence is not included.
    pub alternatives: Vec<Vec<Access>>,
    /// By location inside an atomic sequence: the uses that decide whether a process that gets there
    /// continues. Empty for other locations.
    pub arrivals: EntityVec<LocationId, Vec<Access>>,
}

/// The uses of each alternative, without the rest of its atomic sequence.
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
            // Later blocks depend on its being impossible.
            before.extend(uses.alternatives[first..].concat());
        }
        uses.arrivals.push(if inside { details.at(network, id, true) } else { Vec::new() });
    }
    uses
}

/// The uses of channels by a process that arrives at a location and waits to receive there.
fn waiting(network: &Network, location: LocationId) -> impl Iterator<Item = Access> + '_ {
    let takers = network.locations[location.index()].alternatives().filter(|a| a.takes());
    let meetings = takers.flat_map(|a| &a.accesses).filter(|access| access.mode == AccessMode::Meet);
    meetings.map(|&access| Access { mode: AccessMode::Write, ..access })
}

/// The uses of a process until it first stops. A location leads to those that it reaches with exclusive
/// control; locations outside of a sequence and inside of one are separate nodes.
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
            // A process that sends loses control to the receiver.
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
