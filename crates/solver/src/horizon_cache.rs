//! Results for several horizons: the times that one pass over a chain serves, and the results of earlier passes.

use std::cell::RefCell;
use std::rc::Rc;

use volvelle_logic::{Optimum, StopReason};
use volvelle_space::BitSet;

/// Bytes of results that are kept from one horizon to the next.
const KEPT_BYTES: usize = 256 << 20;

/// A pass serves times up to this multiple of the time that is requested: a question about a short time does not wait
/// for the answer about a long one, and the passes for short times cost little beside the longest.
const FURTHEST: f64 = 50.0;

/// The place where a steady-state test ended a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// Steps made.
    pub step: u64,
    /// Steps that the whole series would have had.
    pub of: u64,
    /// Time that the steps made amount to.
    pub time: f64,
}

/// The inputs of a computation besides its time.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Reaching a set through another.
    Hit(BitSet, BitSet, Option<BitSet>),
    /// Expectation of values after a time in a set.
    Elapse(BitSet, Vec<[f64; 2]>, Option<BitSet>),
    /// Accumulation of rewards.
    Accumulate(Vec<f64>, Option<BitSet>),
    /// Steps backwards under the best choices: start, where values move, where they are kept, rewards.
    Steps(Optimum, Vec<f64>, Option<BitSet>, Option<BitSet>, Option<Vec<f64>>),
}

/// Bounds for all states, or for those that are requested.
#[derive(Clone, Debug)]
pub enum Bounds {
    /// Bounds for every state.
    All(Vec<[f64; 2]>),
    /// For some states; `otherwise` holds in the others.
    Listed {
        /// Bounds that hold everywhere.
        otherwise: [f64; 2],
        /// States with their bounds.
        listed: Vec<(u32, [f64; 2])>,
    },
}

impl Bounds {
    /// The bounds of every state.
    pub fn expand(self, states: usize) -> Vec<[f64; 2]> {
        match self {
            Bounds::All(bounds) => bounds,
            Bounds::Listed { otherwise, listed } => {
                let mut all = vec![otherwise; states];
                for (state, bounds) in listed {
                    all[state as usize] = bounds;
                }
                all
            }
        }
    }
}

/// The result for one time.
#[derive(Clone, Debug)]
pub struct Reached {
    /// Bounds.
    pub bounds: Bounds,
    /// Multiplications that they took.
    pub steps: u64,
    /// Why these were enough.
    pub stop: StopReason,
    /// Where PRISM's test stopped.
    pub stopped_at: Option<SteadyState>,
    /// Systems of equations that were solved in place of multiplications.
    pub solved: u64,
    /// Squarings of a matrix that were made in place of them.
    pub squarings: u64,
}

/// Times that several properties ask for, and the results for them.
#[derive(Debug, Default)]
pub struct HorizonCache {
    /// Each: the times of one operator in properties that are equal otherwise.
    groups: Vec<Vec<f64>>,
    known: RefCell<Vec<(Rc<Key>, f64, Reached)>>,
}

impl HorizonCache {
    /// A cache for groups of times, in each of which one pass may serve all.
    pub fn new(groups: Vec<Vec<f64>>) -> Self {
        HorizonCache { groups, known: RefCell::default() }
    }

    /// The times that one pass should serve together with `time`, which is the first; `None` if it is alone.
    pub fn companions(&self, time: f64, states: usize, all_states: bool) -> Option<Vec<f64>> {
        let groups = self.groups.iter().filter(|g| g.contains(&time));
        let mut times: Vec<f64> =
            groups.flatten().copied().filter(|&t| t > 0.0 && t <= FURTHEST * time).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let most = if all_states { KEPT_BYTES / (16 * states.max(1)) } else { usize::MAX };
        let at = times.iter().position(|&t| t == time)?;
        times.rotate_left(at);
        times.truncate(most.max(1));
        (times.len() > 1).then_some(times)
    }

    /// The result for a time, if it is there.
    pub fn find(&self, key: &Key, time: f64) -> Option<Reached> {
        let known = self.known.borrow();
        known.iter().find(|(k, t, _)| *t == time && **k == *key).map(|(_, _, reached)| reached.clone())
    }

    /// Keeps the results of a pass in place of those of the pass before for the same key.
    pub fn keep(&self, key: Key, results: impl Iterator<Item = (f64, Reached)>) {
        let mut known = self.known.borrow_mut();
        known.retain(|(k, ..)| **k != key);
        let key = Rc::new(key);
        known.extend(results.map(|(time, reached)| (key.clone(), time, reached)));
    }
}
