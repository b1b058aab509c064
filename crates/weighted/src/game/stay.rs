//! Divergence: whether a state can stay forever on steps of weight 0 while the other one cannot follow.
//!
//! Universal bounded simulation is meant to carry `A(f U[0,u] g)` from `t` to `s` (Theorem 7 of Foshammer,
//! Larsen, Mardare and Xue). It fails to do so if `s` can cycle by steps of weight 0 forever while `t` must
//! move on. Therefore, for related `(s, t)`, every infinite path of steps of weight 0 `s = s0 -> s1 -> ..`
//! must have a state `sk` such that `(sk, t1)` is related for some step `t -> t1` of any weight. (After
//! condition D4 in R. J. van Glabbeek, B. Luttik, N. Trčka, *Branching bisimilarity with explicit
//! divergence*, Fundam. Inform. 93(4), 2009.) The condition is monotone in the relation, so the largest
//! relation that satisfies it is a greatest fixpoint.

use crate::bisimulation::Options;
use volvelle_space::{BitSet, WeightedStructure, components_by};

/// States with an infinite path of steps of weight 0. With [`Options::blocking_diverges`], a state without
/// steps has a loop.
#[derive(Debug)]
pub(crate) struct Stay {
    can: BitSet,
    blocking_diverges: bool,
}

/// An endless path of steps of weight 0: its states, and the index of the state to which the last one leads
/// back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    pub states: Vec<u32>,
    pub back_to: usize,
}

/// Whether a state must move on.
pub(crate) enum Followed {
    /// No: on this path, no state is related to a successor of the other state.
    Stays(Lasso),
    /// Yes, while these pairs are related.
    Moves(Vec<(u32, u32)>),
}

impl Stay {
    /// `None` if nothing diverges, or if the relation ignores divergence.
    pub fn new(structure: &WeightedStructure, options: Options) -> Option<Self> {
        if !options.divergence {
            return None;
        }
        let states = structure.num_states();
        let loops = |state: u32| options.blocking_diverges && structure.outgoing(state).is_empty();
        let successor = |v: usize, place: usize| {
            let step = structure.outgoing(v as u32).get(place)?;
            // Other steps become loops, which do not affect components.
            Some(if step.weight == 0 { step.target } else { v as u32 })
        };
        let mut can = BitSet::of(states, std::iter::empty());
        let mut any = false;
        for members in components_by(states, successor, |_| true).iter() {
            // Components come after those that they reach.
            let diverges = members.len() > 1
                || members.iter().any(|&state| {
                    let zero = structure.outgoing(state).iter().filter(|step| step.weight == 0);
                    loops(state) || zero.clone().any(|s| s.target == state || can.contains(s.target as usize))
                });
            if diverges {
                any = true;
                members.iter().for_each(|&state| {
                    can.insert(state as usize);
                });
            }
        }
        any.then_some(Stay { can, blocking_diverges: options.blocking_diverges })
    }

    /// Whether a state can stay forever.
    pub fn can(&self, state: u32) -> bool {
        self.can.contains(state as usize)
    }

    /// Whether `s` can stay forever while `t` cannot follow.
    pub fn follow(
        &self,
        structure: &WeightedStructure,
        (s, t): (u32, u32),
        related: impl Fn(u32, u32) -> bool,
        scratch: &mut Scratch,
    ) -> Followed {
        let Scratch { seen, path } = scratch;
        seen.clear();
        path.clear();
        let loops = |state: u32| self.blocking_diverges && structure.outgoing(state).is_empty();
        let mut relies = Vec::new();
        let followed = |x: u32| {
            let mut successors = structure.outgoing(t).iter().map(|step| step.target);
            let found = successors.find(|&next| related(x, next));
            found.or_else(|| (loops(t) && related(x, t)).then_some(t))
        };
        // Depth first; `true`: on the current path.
        let mut enter = Some(s);
        loop {
            if let Some(x) = enter.take() {
                if let Some(next) = followed(x) {
                    relies.push((x, next));
                    seen.insert(x, false);
                } else if loops(x) {
                    let mut states: Vec<u32> = path.iter().map(|&(state, _)| state).collect();
                    states.push(x);
                    return Followed::Stays(Lasso { back_to: states.len() - 1, states });
                } else {
                    seen.insert(x, true);
                    path.push((x, 0));
                }
            }
            let Some(&mut (x, ref mut place)) = path.last_mut() else { break };
            let Some(step) = structure.outgoing(x).get(*place as usize) else {
                seen.insert(x, false);
                path.pop();
                continue;
            };
            *place += 1;
            if step.weight > 0 || !self.can(step.target) {
                continue;
            }
            match seen.get(&step.target) {
                None => enter = Some(step.target),
                Some(true) => {
                    let states: Vec<u32> = path.iter().map(|&(state, _)| state).collect();
                    let back_to = states.iter().position(|&state| state == step.target).unwrap_or(0);
                    return Followed::Stays(Lasso { states, back_to });
                }
                Some(false) => {}
            }
        }
        Followed::Moves(relies)
    }
}

/// Memory of [`Stay::follow`], reused.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    seen: rustc_hash::FxHashMap<u32, bool>,
    path: Vec<(u32, u32)>,
}
