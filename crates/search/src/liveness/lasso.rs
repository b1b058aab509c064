//! Lassos: from numbers of states of the product to steps of the system.

use crate::path::{Goal, PathReconstruction};
pub use crate::product::STUTTER;
use crate::product::{Expansion, Machine, Product, claim_state};
use crate::report::Trail;
use crate::store::{Sources, StateSet};

/// An infinite run: a trail whose last state is the one at which its cycle begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The states and steps, those inside atomic sequences included.
    pub trail: Trail,
    /// Index of the state at which the cycle begins; the last state of the trail is the same.
    pub cycle: usize,
    /// The claim's state at each state of the trail. It moves where atomic sequences end.
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
    pub fn explain(&self, product: &Product<'_>, set: &StateSet) -> Option<Lasso> {
        let words = product.system.words();
        let mut stored = Sources::default();
        for &state in &self.states {
            set.load(state..state + 1, &mut stored);
        }
        let states: Vec<&[u64]> = stored.words.chunks_exact(words + 1).collect();
        explain(product, &states, self.start, None)
    }
}

/// The run through some states of the product; the last is that at `start`. Behind the first states of a gap so many are
/// missing.
pub fn explain(
    product: &Product<'_>,
    states: &[&[u64]],
    start: usize,
    gap: Option<(usize, u64)>,
) -> Option<Lasso> {
    let words = product.system.words();
    let first = states.first()?;
    let mut claim = vec![claim_state(first[words])];
    let mut trail = Trail::starting(&first[..words]);
    let mut machine = Machine::new(*product);
    let mut paths = PathReconstruction::new(product.system);
    let mut cycle = 0;
    for (at, pair) in states.windows(2).enumerate() {
        if at == start {
            cycle = trail.steps.len();
        }
        let (from, to) = (&pair[0][..words], &pair[1][..words]);
        if let Some((head, missing)) = gap
            && at + 1 == head
        {
            trail.skip(missing, to);
            claim.push(claim_state(pair[1][words]));
            continue;
        }
        machine.expand(pair[0], Expansion::Full).ok()?;
        let path = match machine.step_to(pair[1])? {
            STUTTER => vec![(STUTTER, to.to_vec())],
            step => paths.segment(from, &Goal::StateBy(to, step))?.path,
        };
        claim.extend(std::iter::repeat_n(claim_state(pair[0][words]), path.len() - 1));
        claim.push(claim_state(pair[1][words]));
        trail.append(path);
    }
    Some(Lasso { trail, cycle, claim })
}
