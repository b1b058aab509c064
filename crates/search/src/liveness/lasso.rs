//! Lassos: from numbers of states of the product to steps of the system.

use crate::path::{Goal, PathReconstruction};
pub use crate::product::STUTTER;
use crate::product::{Expansion, Machine, Product, claim_state};
use crate::report::Trail;
use crate::store::{Sources, StateSet};
use crate::trail_builder::{Listing, PathSegment, TrailBuilder};

/// An infinite run: a trail that ends in the state at which its cycle begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states and steps, including those inside atomic sequences.
    pub trail: Trail,
    /// Index of the state at which the cycle begins; the last state of the trail is the same.
    pub cycle: usize,
    /// The claim's state at each state of the trail. It changes at the ends of atomic sequences.
    pub claim: Vec<u32>,
}

/// A lasso in numbers: the last state is that at `start`.
#[derive(Clone, Debug)]
pub struct Cycle {
    pub states: Vec<u32>,
    pub start: usize,
}

impl Cycle {
    /// The steps of the system.
    pub fn explain(&self, product: &Product<'_>, set: &StateSet, listing: Listing) -> Option<Lasso> {
        let words = product.system.words();
        let mut stored = Sources::default();
        for &state in &self.states {
            set.load(state..state + 1, &mut stored);
        }
        let states: Vec<&[u64]> = stored.words.chunks_exact(words + 1).collect();
        explain(product, &states, self.start, None, listing)
    }
}

/// The run through some states of the product, of which the last is the one at `start`. A gap gives the
/// number of states missing after its first ones.
pub fn explain(
    product: &Product<'_>,
    states: &[&[u64]],
    start: usize,
    gap: Option<(usize, u64)>,
    listing: Listing,
) -> Option<Lasso> {
    let words = product.system.words();
    let first = states.first()?;
    let mut trail = TrailBuilder::starting(&first[..words], claim_state(first[words]), listing);
    let mut machine = Machine::new(*product);
    let mut paths = PathReconstruction::new(product.system, listing);
    let mut cycle = 0;
    for (at, pair) in states.windows(2).enumerate() {
        if at == start {
            cycle = trail.place();
        }
        let (from, to) = (&pair[0][..words], &pair[1][..words]);
        if let Some((head, missing)) = gap
            && at + 1 == head
        {
            trail.skip(missing, to, claim_state(pair[1][words]));
            continue;
        }
        machine.expand(pair[0], Expansion::Full).ok()?;
        let segment = match machine.step_to(pair[1])? {
            STUTTER => PathSegment { path: vec![(STUTTER, to.to_vec())], ..PathSegment::default() },
            step => paths.segment(from, &Goal::StateBy(to, step))?,
        };
        trail.append(segment, claim_state(pair[0][words]), claim_state(pair[1][words]));
    }
    trail.close();
    let cycle = trail.index_of(cycle);
    let (trail, claim) = trail.finish();
    Some(Lasso { trail, cycle, claim })
}
