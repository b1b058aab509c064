//! Shared resources that the steps from a location use.

use volvelle_model::{
    Access, AccessMode, Alternative, FieldId, Item, Location, LocationId, PoolId, Program, SharedResource,
    Which,
};

/// A queue that every step from a location uses in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueUse {
    pub pool: PoolId,
    pub which: Which,
    /// Whether the steps append to the queue; otherwise they take from its front.
    pub puts: bool,
}

/// The pool slots that an alternative uses, except the channel of its own rendezvous.
pub fn slots(alternative: &Alternative) -> impl Iterator<Item = (PoolId, Which, AccessMode)> {
    let of = |access: &Access| match access.resource {
        SharedResource::Slot(pool, which) => Some((pool, which, access.mode)),
        SharedResource::Everything => Some((PoolId(0), Which::Any, access.mode)),
        _ => None,
    };
    alternative.accesses.iter().filter(|access| access.mode != AccessMode::Meet).filter_map(of)
}

/// The queue that all steps from a location use, if they use one alike.
pub fn queue_use(location: &Location) -> Option<QueueUse> {
    let [block] = location.blocks.as_slice() else { return None };
    let use_of = |alternative: &Alternative| {
        let mut slots = slots(alternative);
        let (pool, which, mode) = slots.next()?;
        let puts = match mode {
            AccessMode::Put => true,
            AccessMode::Take => false,
            _ => return None,
        };
        let is_only = alternative.offer.is_none() && slots.all(|slot| slot == (pool, which, mode));
        is_only.then_some(QueueUse { pool, which, puts })
    };
    let first = use_of(block.alternatives.first()?)?;
    block.alternatives.iter().all(|alternative| use_of(alternative) == Some(first)).then_some(first)
}

/// The fields on which the offers of a location depend: a write to one may change an offer.
pub fn offer_reads(program: &Program, location: &Location) -> Vec<FieldId> {
    let mut fields = Vec::new();
    for alternative in location.alternatives() {
        let Some(offer) = &alternative.offer else { continue };
        fields.extend(program.reads(alternative.guard));
        fields.extend(offer.at.into_iter().flat_map(|at| program.reads(at)));
        for item in alternative.items() {
            if let Item::Give(value) = item {
                fields.extend(program.reads(*value));
            }
        }
    }
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// By location: the shared resources that a step from there may use, with the rest of its atomic sequence.
pub fn touches(program: &Program) -> Vec<Vec<SharedResource>> {
    let network = &program.network;
    let of = |location: &Location| -> Vec<SharedResource> {
        let accesses = location.alternatives().flat_map(|alternative| &alternative.accesses);
        accesses.filter(|access| access.mode != AccessMode::Meet).map(|access| access.resource).collect()
    };
    let mut touches: Vec<Vec<SharedResource>> = network.locations.iter().map(of).collect();
    // Backward over atomic sequences, to a fixed point.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (number, location) in network.locations.iter().enumerate().rev() {
            for alternative in location.alternatives().filter(|alternative| alternative.then_exclusive()) {
                let target = alternative.target();
                if target == LocationId::NOWHERE || target.index() == number {
                    continue;
                }
                for resource in touches[target.index()].clone() {
                    if !touches[number].contains(&resource) {
                        touches[number].push(resource);
                        changed = true;
                    }
                }
            }
        }
    }
    touches
}

/// By location and field: whether a process, or one that it creates, may use a shared field there or later.
pub fn uses(program: &Program) -> Vec<Vec<bool>> {
    let network = &program.network;
    let mut uses = vec![vec![false; program.fields.len()]; network.locations.len()];
    let fields = |alternative: &Alternative| -> Vec<usize> {
        let of = |access: &volvelle_model::Access| match access.resource {
            SharedResource::Field(field, _) => Some(field.index()),
            _ => None,
        };
        alternative.accesses.iter().filter_map(of).collect()
    };
    for (uses, location) in uses.iter_mut().zip(&network.locations) {
        location.alternatives().flat_map(fields).for_each(|field| uses[field] = true);
    }
    // Backward over the control flow, to a fixed point.
    loop {
        let mut changed = false;
        for (number, location) in network.locations.iter().enumerate().rev() {
            for alternative in location.alternatives() {
                let created = alternative.creates.iter().map(|&ty| network.types[ty].first.index());
                let target = alternative.target();
                let next = (target != LocationId::NOWHERE).then(|| target.index());
                for later in created.chain(next).filter(|&later| later != number) {
                    let later = uses[later].clone();
                    for (own, _) in uses[number].iter_mut().zip(later).filter(|(own, later)| *later && !**own)
                    {
                        *own = true;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return uses;
        }
    }
}
