//! What transitions of a network have to do with each other: from what each uses to what each location may use, now
//! and later.
//!
//! [`Uses::now`] of a location is what its transitions use, atomic sequences behind them included; [`Uses::later`] is
//! what may be used from there on until the process ends, by it and by the processes that it starts. Both are sets of
//! [`Touch`]es; two sets conflict if some use of one does not commute with some use of the other
//! ([`commute`]).

use crate::network::{Location, LocationId, Manner, Network, Object, Role, Touch, Which};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_store::BitSet;

/// What a location uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// By its transitions, and those of the atomic sequences that they begin.
    pub now: Vec<Touch>,
    /// From there on, for ever.
    pub later: Vec<Touch>,
}

/// How far two uses of one object commute.
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
pub fn commute(now: Manner, other: Manner) -> Commuting {
    use Manner::{Add, Meet, Put, Read, Take, Write};
    match (now, other) {
        (Read, Read) | (Add, Add) => Commuting::Always,
        (Put, Take) => Commuting::UnlessFull,
        (Take, Put) => Commuting::UnlessEmpty,
        // A meeting point is no queue: nothing else is done there.
        (Meet, Read | Put | Take) | (Read | Put | Take, Meet) => Commuting::Always,
        (Read | Write | Add | Put | Take | Meet, _) => Commuting::No,
    }
}

/// The uses of all locations, by their numbers.
pub fn uses(network: &Network) -> Vec<Uses> {
    let now: Vec<FxHashSet<Touch>> =
        (0..network.locations.len()).map(|l| now(network, LocationId(l as u32))).collect();
    let later = later(network);
    let sorted = |set: FxHashSet<Touch>| {
        let mut all: Vec<Touch> = set.into_iter().collect();
        all.sort_unstable();
        all
    };
    now.into_iter().zip(later).map(|(now, later)| Uses { now: sorted(now), later: sorted(later) }).collect()
}

pub(crate) fn transitions(location: &Location) -> impl Iterator<Item = &crate::Transition> {
    location.tiers.iter().flat_map(|t| &t.transitions)
}

fn guard_of(network: &Network, location: LocationId) -> &[Touch] {
    network.type_of(location).map_or(&[], |t| &network.types[t].guard_touches)
}

fn now(network: &Network, start: LocationId) -> FxHashSet<Touch> {
    let mut all: FxHashSet<Touch> = guard_of(network, start).iter().copied().collect();
    let (mut stack, mut seen) = (vec![start], FxHashSet::default());
    while let Some(location) = stack.pop() {
        if !seen.insert(location) {
            continue;
        }
        for transition in transitions(&network.locations[location.index()]) {
            all.extend(transition.touches.iter().copied());
            // Whoever offers loses control to the one that takes.
            if transition.atomic && !matches!(transition.role, Role::Offer { .. }) {
                stack.push(transition.target);
            }
        }
    }
    all
}

/// A least fixed point over the control flow, with sets as bits over all touches.
fn later(network: &Network) -> Vec<FxHashSet<Touch>> {
    let mut numbers: FxHashMap<Touch, usize> = FxHashMap::default();
    let mut touches: Vec<Touch> = Vec::new();
    let mut number = |touch: Touch, touches: &mut Vec<Touch>| {
        *numbers.entry(touch).or_insert_with(|| {
            touches.push(touch);
            touches.len() - 1
        })
    };
    let mut own: Vec<Vec<usize>> = Vec::new();
    for (l, location) in network.locations.iter().enumerate() {
        let guard = guard_of(network, LocationId(l as u32)).iter();
        let all = transitions(location).flat_map(|t| &t.touches).chain(guard);
        own.push(all.map(|&t| number(t, &mut touches)).collect());
    }
    // What a process that is started uses: its own fields are not known yet.
    let anonymous: Vec<usize> = (0..touches.len())
        .collect::<Vec<_>>()
        .into_iter()
        .map(|t| number(without_owner(touches[t]), &mut touches))
        .collect();
    let mut sets = vec![BitSet::new(touches.len()); network.locations.len()];
    for (set, own) in sets.iter_mut().zip(&own) {
        own.iter().for_each(|&t| _ = set.insert(t));
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (l, location) in network.locations.iter().enumerate().rev() {
            let mut set = sets[l].clone();
            for transition in transitions(location) {
                set.unite(&sets[transition.target.index()]);
                for &created in &transition.creates {
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
    let listed = |set: &BitSet| set.iter().map(|t| touches[t]).collect();
    sets.iter().map(listed).collect()
}

fn without_owner(touch: Touch) -> Touch {
    let any = |which| match which {
        Which::Own(..) | Which::Mover => Which::Any,
        which => which,
    };
    let object = match touch.object {
        Object::Field(field, which) => Object::Field(field, any(which)),
        Object::Slot(pool, which) => Object::Slot(pool, any(which)),
        object => object,
    };
    Touch { object, ..touch }
}
