//! Searches that decide `E(f U[l,u] g)` and `A(f U[l,u] g)` in one state, visiting as few other states as
//! possible.
//!
//! If `l` is 0, nodes of the searched graph are states. Otherwise they are pairs of a state and the weight so
//! far, capped at `l` if `u` is infinite. With pairs, and with an infinite `u`, the weights of steps no
//! longer matter: steps and the bound count as 0. Facts about nodes are kept between searches: the least
//! bound known to suffice, and the bounds known to be too small. These are the values in N and infinity of
//! the assignments of symbolic dependency graphs, see [`crate::wctl`].

mod all;
mod exists;
mod ground;
mod pairs;

pub(super) use all::Refutation;
pub(super) use ground::Ground;

use super::interval::capped;
use crate::Failure;
use crate::paths::RadixHeap;
use pairs::Pairs;
use std::collections::VecDeque;
use std::ops::Range;
use volvelle_logic::WctlId;
use volvelle_space::WeightedStep;

/// Means that there is no bound, weight or position.
const NONE: u64 = u64::MAX;

/// The role of a node in an until.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Not known.
    Unknown,
    /// The right operand holds, at a weight in the interval.
    Goal,
    /// Not a goal, and the left operand holds.
    Open,
    /// Not a goal, and the left operand does not hold.
    Dead,
}

/// The facts about a node, and the data of searches.
#[derive(Clone, Debug)]
struct Entry {
    /// The least bound known to suffice.
    true_within: u64,
    /// All bounds below this one are known to be too small; `NONE` means all bounds.
    false_below: u64,
    /// Weight of the best path to it (existential), or of the heaviest path known from it (universal).
    distance: u64,
    /// The weight with which it was expanded (existential).
    expanded: u64,
    /// The search that set `distance`.
    mark: u32,
    /// The probe or breadth-first search that last met it.
    seen: u32,
    /// The previous node on the best path.
    parent: u32,
    /// The position of a step on the best path: the one to this node (existential), or from it (universal).
    choice: u32,
    kind: Kind,
}

const BLANK: Entry = Entry {
    true_within: NONE,
    false_below: 0,
    distance: 0,
    expanded: NONE,
    mark: 0,
    seen: 0,
    parent: 0,
    choice: u32::MAX,
    kind: Kind::Unknown,
};

/// The target of a step.
enum To {
    Node(u32),
    /// Above the upper end of the interval.
    Over,
    /// A pair not met before, in a search among known ones.
    Unknown,
}

/// A node on a stack.
#[derive(Clone, Debug)]
struct Frame {
    id: u32,
    /// The weight of the path to it.
    weight: u64,
    /// The next step to take; `end` is the end of its steps.
    place: usize,
    end: usize,
    /// The weight of the heaviest path from it so far; `choice` is its first step; `is_partial`: some paths
    /// are unknown.
    heaviest: u64,
    choice: u32,
    is_partial: bool,
}

/// A path that explains an answer, by positions of steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// For each step: its source, and its position.
    pub steps: Vec<(u32, usize)>,
    /// If set, the last step closes a cycle that begins with this step.
    pub cycle_start: Option<usize>,
}

/// An until, with all facts about it.
#[derive(Debug)]
pub(in crate::wctl) struct Search {
    left: WctlId,
    right: WctlId,
    lower: u64,
    upper: Option<u64>,
    /// The largest weight of a path; 0 if weights do not count.
    bound: u64,
    /// Whether the weights of steps count.
    is_weighted: bool,
    pairs: Option<Pairs>,
    entries: Vec<Entry>,
    /// Whether searches use facts of earlier ones, and add their own.
    uses_facts: bool,
    /// Whether searches are restricted to known nodes and steps.
    known_only: bool,
    /// The number of the latest search.
    epoch: u32,
    stack: Vec<Frame>,
    queue: RadixHeap<u32>,
    fifo: VecDeque<u32>,
    /// Nodes that the best-first search has met; `visited`: those of the probe.
    touched: Vec<u32>,
    visited: Vec<u32>,
    held: u64,
}

impl Search {
    /// An until with a closed interval.
    pub fn new(left: WctlId, right: WctlId, lower: u64, upper: Option<u64>) -> Self {
        let is_weighted = lower == 0 && upper.is_some();
        Search {
            left,
            right,
            lower,
            upper,
            bound: if is_weighted { upper.unwrap_or(0) } else { 0 },
            is_weighted,
            pairs: (lower > 0).then(Pairs::default),
            entries: Vec::new(),
            uses_facts: true,
            known_only: false,
            epoch: 0,
            stack: Vec::new(),
            queue: RadixHeap::new(),
            fifo: VecDeque::new(),
            touched: Vec::new(),
            visited: Vec::new(),
            held: 0,
        }
    }

    /// The weight of the heaviest path from a state to the right operand, if known, for an interval that
    /// starts at 0.
    pub fn heaviest(&self, state: u32) -> Option<u64> {
        if !self.is_weighted {
            return None;
        }
        self.entries.get(state as usize).map(|entry| entry.true_within).filter(|&within| within != NONE)
    }

    /// Whether the interval is `[0, u]`.
    pub fn is_upper_bounded(&self) -> bool {
        self.is_weighted
    }

    /// Whether the interval starts above 0.
    pub fn has_lower_bound(&self) -> bool {
        self.pairs.is_some()
    }

    /// Makes room for a node.
    #[inline]
    fn reach<G: Ground>(&mut self, ground: &mut G, id: u32) {
        if id as usize >= self.entries.len() {
            let len = (id as usize + 1).max(self.entries.len() * 3 / 2);
            self.entries.reserve_exact(len - self.entries.len());
            self.entries.resize(len, BLANK);
            self.weigh(ground);
        }
    }

    /// Reports the bytes held.
    fn weigh<G: Ground>(&mut self, ground: &mut G) {
        let bytes = (size_of::<Entry>() * self.entries.capacity()
            + size_of::<Frame>() * self.stack.capacity()
            + 4 * (self.fifo.capacity() + self.touched.capacity() + self.visited.capacity()))
            as u64
            + self.pairs.as_ref().map_or(0, Pairs::bytes);
        ground.hold(bytes.saturating_sub(self.held));
        self.held = self.held.max(bytes);
    }

    /// The node of a state at the beginning of a path.
    fn root<G: Ground>(&mut self, ground: &mut G, state: u32) -> Result<u32, Failure> {
        let id = match &mut self.pairs {
            None => state,
            Some(pairs) => pairs.number(state, 0)?,
        };
        self.reach(ground, id);
        Ok(id)
    }

    /// The state of a node.
    fn state(&self, id: u32) -> u32 {
        self.pairs.as_ref().map_or(id, |pairs| pairs.pair(id).0)
    }

    /// A number for the next search.
    fn next_epoch(&mut self) -> u32 {
        if self.epoch == u32::MAX {
            self.entries.iter_mut().for_each(|entry| (entry.mark, entry.seen) = (0, 0));
            self.epoch = 0;
        }
        self.epoch += 1;
        self.epoch
    }

    fn classify<G: Ground>(&mut self, ground: &mut G, id: u32) -> Result<Kind, Failure> {
        let kind = self.entries[id as usize].kind;
        if kind != Kind::Unknown || self.known_only {
            return Ok(kind);
        }
        let (state, weight) = self.pairs.as_ref().map_or((id, 0), |pairs| pairs.pair(id));
        let kind = if weight >= self.lower && ground.decide(self.right, state)? {
            Kind::Goal
        } else if ground.decide(self.left, state)? {
            Kind::Open
        } else {
            Kind::Dead
        };
        self.entries[id as usize].kind = kind;
        Ok(kind)
    }

    /// The steps of a node; `None` in a search among known ones if they are unknown.
    fn outgoing<G: Ground>(&self, ground: &mut G, id: u32) -> Result<Option<Range<usize>>, Failure> {
        let state = self.state(id);
        if self.known_only { Ok(ground.generated(state)) } else { ground.outgoing(state).map(Some) }
    }

    /// The weight of a step, if weights count; otherwise 0.
    #[inline]
    fn weight(&self, step: WeightedStep) -> u64 {
        if self.is_weighted { step.weight } else { 0 }
    }

    #[inline]
    fn target<G: Ground>(&mut self, ground: &mut G, from: u32, step: WeightedStep) -> Result<To, Failure> {
        let Some(pairs) = &mut self.pairs else {
            self.reach(ground, step.target);
            return Ok(To::Node(step.target));
        };
        let (_, before) = pairs.pair(from);
        let weight = match self.upper {
            None => capped(before, step.weight, self.lower)?,
            Some(upper) => {
                let sum = super::interval::sum(before, step.weight, upper)?;
                if sum > upper {
                    return Ok(To::Over);
                }
                sum
            }
        };
        // The end of 64 bits may stand for a larger lower end.
        if weight == u64::MAX {
            return Err(Failure::Overflow);
        }
        if self.known_only {
            return Ok(pairs.known(step.target, weight).map_or(To::Unknown, To::Node));
        }
        let id = pairs.number(step.target, weight)?;
        self.reach(ground, id);
        Ok(To::Node(id))
    }
}
