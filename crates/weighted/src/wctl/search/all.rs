//! `A(f U[l,u] g)` in one state: a depth-first search for a path that refutes it.
//!
//! The value of a node is the weight of the heaviest path from it to a goal. It is 0 for a goal, and infinite
//! for a dead node and for one that reaches a cycle without goals. The formula holds if the value is at most
//! the bound. Values of nodes that the search has left are exact, and are kept. A refutation is a dead node,
//! a cycle, or a weight above the bound.
//!
//! A depth-first search may follow an endless branch of an infinite system. Therefore, after a number of
//! nodes, a breadth-first search collects nodes. The depth-first search is repeated among these, and then
//! again without this restriction, up to a larger number of nodes. So every refutation is found.

use super::{Frame, Ground, Kind, NONE, Search, To, Way};
use crate::Failure;
use crate::wctl::interval::sum;

/// Limit of nodes of the first search.
const PATIENCE: usize = 16;
/// The weight of a node that is on the stack.
const ON_STACK: u64 = u64::MAX;

/// The way in which a path refutes the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wctl) enum Refutation {
    /// At its end neither operand holds, or the right one only outside of the interval.
    Dead,
    /// It closes a cycle.
    Cycle,
    /// Its weight is above the upper end of the interval.
    Heavy,
}

/// The outcome of a depth-first search.
enum Outcome {
    /// All paths meet a goal.
    Holds,
    Refuted(Refutation),
    /// There is no refutation among the nodes that it may visit.
    Unknown,
    /// The limit of nodes was reached.
    Paused,
}

impl Search {
    /// Whether the formula holds in a state.
    pub fn all<G: Ground>(&mut self, ground: &mut G, state: u32) -> Result<bool, Failure> {
        let root = self.root(ground, state)?;
        let entry = &self.entries[root as usize];
        if entry.true_within <= self.bound {
            return Ok(true);
        }
        if entry.false_below > self.bound {
            return Ok(false);
        }
        match self.classify(ground, root)? {
            Kind::Goal => {
                self.entries[root as usize].true_within = 0;
                return Ok(true);
            }
            Kind::Open => {}
            Kind::Dead | Kind::Unknown => return Ok(false),
        }
        let mut patience = PATIENCE;
        let mut collected = None;
        loop {
            match self.depth_first(ground, root, patience, None)? {
                Outcome::Holds => return Ok(true),
                Outcome::Refuted(_) => return Ok(false),
                Outcome::Unknown | Outcome::Paused => {}
            }
            let epoch = match collected {
                Some(epoch) => epoch,
                None => {
                    let epoch = self.next_epoch();
                    self.fifo.clear();
                    self.fifo.push_back(root);
                    collected = Some(epoch);
                    epoch
                }
            };
            self.collect(ground, epoch, patience)?;
            if matches!(self.depth_first(ground, root, usize::MAX, Some(epoch))?, Outcome::Refuted(_)) {
                return Ok(false);
            }
            patience = patience.saturating_mul(4);
        }
    }

    /// Expands nodes in breadth-first order, and marks them.
    fn collect<G: Ground>(&mut self, ground: &mut G, epoch: u32, most: usize) -> Result<(), Failure> {
        for _ in 0..most {
            let Some(id) = self.fifo.pop_front() else { return Ok(()) };
            if self.entries[id as usize].seen == epoch {
                continue;
            }
            self.entries[id as usize].seen = epoch;
            for place in self.outgoing(ground, id)?.into_iter().flatten() {
                ground.work()?;
                let To::Node(target) = self.target(ground, id, ground.step(place))? else { continue };
                if self.entries[target as usize].seen != epoch && self.classify(ground, target)? == Kind::Open
                {
                    self.fifo.push_back(target);
                }
            }
        }
        self.weigh(ground);
        Ok(())
    }

    /// The search. `among` restricts expansion to nodes with this mark.
    fn depth_first<G: Ground>(
        &mut self,
        ground: &mut G,
        root: u32,
        patience: usize,
        among: Option<u32>,
    ) -> Result<Outcome, Failure> {
        let run = self.next_epoch();
        self.stack.clear();
        let mut visits = 0;
        if !self.enter(ground, root, 0, run)? {
            return Ok(Outcome::Unknown);
        }
        while let Some(top) = self.stack.last_mut() {
            if top.place == top.end {
                if let Some(outcome) = self.leave(ground) {
                    return Ok(outcome);
                }
                continue;
            }
            let place = top.place;
            let (from, before) = (top.id, top.weight);
            top.place += 1;
            let step = ground.step(place);
            ground.work()?;
            let id = match self.target(ground, from, step)? {
                To::Node(id) => id,
                To::Over => return Ok(self.refute(NONE, Refutation::Heavy)),
                To::Unknown => {
                    self.lack();
                    continue;
                }
            };
            let own = self.weight(step);
            let weight = sum(before, own, self.bound)?;
            if weight > self.bound {
                return Ok(self.refute(weight, Refutation::Heavy));
            }
            let entry = &self.entries[id as usize];
            if self.uses_facts {
                if entry.false_below > self.bound - weight {
                    let total = match entry.false_below {
                        NONE => NONE,
                        more => sum(weight, more, self.bound)?,
                    };
                    return Ok(self.refute(total, Refutation::Heavy));
                }
                if entry.true_within != NONE {
                    let value = entry.true_within;
                    self.raise(own + value, place);
                    continue;
                }
            }
            if entry.mark == run {
                match entry.distance {
                    ON_STACK => return Ok(self.refute(NONE, Refutation::Cycle)),
                    value if value > self.bound - weight => {
                        return Ok(self.refute(weight + value, Refutation::Heavy));
                    }
                    value => {
                        self.raise(own + value, place);
                        // The known weight is that of some path, perhaps not of the heaviest.
                        if self.uses_facts {
                            self.lack();
                        }
                        continue;
                    }
                }
            }
            match self.classify(ground, id)? {
                Kind::Goal => {
                    if self.uses_facts {
                        self.entries[id as usize].true_within = 0;
                    }
                    self.raise(own, place);
                }
                Kind::Dead => {
                    if self.uses_facts {
                        self.entries[id as usize].false_below = NONE;
                    }
                    return Ok(self.refute(NONE, Refutation::Dead));
                }
                Kind::Unknown => self.lack(),
                Kind::Open => {
                    let may = among.is_none_or(|epoch| self.entries[id as usize].seen == epoch);
                    if !may || !self.enter(ground, id, weight, run)? {
                        self.lack();
                        continue;
                    }
                    visits += 1;
                    if visits > patience {
                        return Ok(Outcome::Paused);
                    }
                }
            }
        }
        Ok(Outcome::Unknown)
    }

    /// Pushes a node on the stack, if its steps are known or may be generated.
    fn enter<G: Ground>(&mut self, ground: &mut G, id: u32, weight: u64, run: u32) -> Result<bool, Failure> {
        let entered = self.push(ground, id, weight)?;
        if entered {
            let entry = &mut self.entries[id as usize];
            (entry.mark, entry.distance) = (run, ON_STACK);
        }
        Ok(entered)
    }

    /// Records a path from the node at the top.
    fn raise(&mut self, value: u64, place: usize) {
        if let Some(top) = self.stack.last_mut()
            && (value > top.heaviest || top.choice == u32::MAX)
        {
            (top.heaviest, top.choice) = (value, place as u32);
        }
    }

    /// Records that some paths from the node at the top are unknown.
    fn lack(&mut self) {
        if let Some(top) = self.stack.last_mut() {
            top.is_partial = true;
        }
    }

    /// Removes the node at the top. Returns the outcome if it was the last one.
    fn leave<G: Ground>(&mut self, ground: &mut G) -> Option<Outcome> {
        let Frame { id, heaviest, choice, is_partial, .. } = self.stack.pop()?;
        let entry = &mut self.entries[id as usize];
        (entry.distance, entry.choice) = (heaviest, choice);
        if self.uses_facts && !is_partial {
            (entry.true_within, entry.false_below) = (heaviest, heaviest);
        }
        let Some(top) = self.stack.last() else {
            return Some(if is_partial { Outcome::Unknown } else { Outcome::Holds });
        };
        let place = top.place - 1;
        let own = self.weight(ground.step(place));
        self.raise(own + heaviest, place);
        if is_partial {
            self.lack();
        }
        None
    }

    /// Records for all nodes on the stack that a path of weight `total` leads through them.
    fn refute(&mut self, total: u64, refutation: Refutation) -> Outcome {
        if self.uses_facts {
            for frame in &self.stack {
                let entry = &mut self.entries[frame.id as usize];
                let value = if total == NONE { NONE } else { total - frame.weight };
                entry.false_below = entry.false_below.max(value);
            }
        }
        Outcome::Refuted(refutation)
    }

    /// The heaviest path to the right operand, from a state in which the formula holds with an interval
    /// `[0, u]`.
    ///
    /// # Errors
    /// See [`Ground`].
    pub fn heaviest_way<G: Ground>(&mut self, ground: &mut G, state: u32) -> Result<Way, Failure> {
        let mut way = Way::default();
        let mut id = self.root(ground, state)?;
        // All paths of the nodes on the way are known, so each has its choice.
        while self.classify(ground, id)? == Kind::Open {
            ground.work()?;
            let place = self.entries[id as usize].choice as usize;
            way.steps.push((id, place));
            id = ground.step(place).target;
        }
        Ok(way)
    }

    /// A path from a state that refutes the formula, if there is one.
    ///
    /// # Errors
    /// See [`Ground`].
    pub fn refuting<G: Ground>(
        &mut self,
        ground: &mut G,
        state: u32,
        known_only: bool,
    ) -> Result<Option<(Way, Refutation)>, Failure> {
        let root = self.root(ground, state)?;
        match self.classify(ground, root)? {
            Kind::Goal => return Ok(None),
            Kind::Dead => return Ok(Some((Way::default(), Refutation::Dead))),
            Kind::Open | Kind::Unknown => {}
        }
        (self.known_only, self.uses_facts) = (known_only, false);
        let outcome = self.depth_first(ground, root, usize::MAX, None);
        let found = match outcome {
            Ok(Outcome::Refuted(refutation)) => Some((self.refuting_way(ground, refutation)?, refutation)),
            Ok(_) => None,
            Err(failure) => return Err(failure),
        };
        (self.known_only, self.uses_facts) = (false, true);
        Ok(found)
    }

    /// The path on the stack, continued to the refutation.
    fn refuting_way<G: Ground>(&mut self, ground: &mut G, refutation: Refutation) -> Result<Way, Failure> {
        let steps = self.stack.iter().map(|frame| (self.state(frame.id), frame.place - 1)).collect();
        let mut way = Way { steps, cycle_start: None };
        let Some(top) = self.stack.last() else { return Ok(way) };
        let step = ground.step(top.place - 1);
        let mut weight = sum(top.weight, self.weight(step), self.bound)?;
        let (from, mut id) = (top.id, top.id);
        if let To::Node(target) = self.target(ground, from, step)? {
            id = target;
        }
        match refutation {
            Refutation::Dead => {}
            Refutation::Cycle => way.cycle_start = self.stack.iter().position(|frame| frame.id == id),
            // The excessive weight may belong to a path from a node that the search has left.
            Refutation::Heavy if self.pairs.is_none() => {
                while weight <= self.bound {
                    let place = self.entries[id as usize].choice as usize;
                    way.steps.push((id, place));
                    let step = ground.step(place);
                    weight = sum(weight, step.weight, self.bound)?;
                    id = step.target;
                }
            }
            Refutation::Heavy => {}
        }
        Ok(way)
    }
}
