//! `E(f U[l,u] g)` in one state: a depth-first probe and an exact best-first search take turns.
//!
//! The probe visits a node once, and quickly finds witnesses deep down. The best-first search (E. W.
//! Dijkstra, Numer. Math. 1, 1959, doi:10.1007/BF01386390) is exact. Both resume where they paused. In an
//! infinite system, infinitely many states may have the same weight. Therefore every fourth node of the
//! best-first search is the one that has waited longest: so every path gets its turn, and a witness is found
//! if there is one. A node whose weight decreases later is expanded again.

use super::{Frame, Ground, Kind, NONE, Search, To, Way};
use crate::Failure;
use crate::wctl::interval::sum;

/// Nodes of the first turn of each search; `TURN`: of a later turn. Then the exact search gets more.
const FIRST_TURN: usize = 4;
const TURN: usize = 1 << 10;

/// The outcome of a turn.
enum Turn {
    Found,
    /// There is no path within any relevant bound.
    NoPath,
    /// No path was found, but the bound cut off some nodes that may be reached by lighter paths.
    Exhausted,
    Paused,
}

impl Search {
    /// Whether the formula holds in a state.
    pub fn exists<G: Ground>(&mut self, ground: &mut G, state: u32) -> Result<bool, Failure> {
        let root = self.root(ground, state)?;
        match self.known_exists(root, 0) {
            Some(known) => return Ok(known),
            None if self.classify(ground, root)? != Kind::Open => {
                return Ok(self.settle(root) == Kind::Goal);
            }
            None => {}
        }
        let epoch = self.next_epoch();
        self.stack.clear();
        self.visited.clear();
        self.visit(ground, root, 0, epoch)?;
        self.start(root, epoch);
        let (mut pruned, mut probing, mut turns, mut size) = (false, true, 0usize, FIRST_TURN);
        loop {
            if probing {
                match self.probe(ground, epoch, size, &mut pruned)? {
                    Turn::Found => return Ok(true),
                    Turn::NoPath => return Ok(false),
                    Turn::Exhausted => probing = false,
                    Turn::Paused => {}
                }
            }
            // If weights do not count, the probe is as exact as the other search.
            let turn = match (probing, self.is_weighted && turns > 64) {
                (false, _) => usize::MAX,
                (true, true) => 4 * size,
                (true, false) => size,
            };
            (turns, size) = (turns + 1, TURN.min(2 * size));
            match self.best_first(ground, epoch, turn)? {
                Turn::Found => return Ok(true),
                Turn::NoPath => return Ok(false),
                Turn::Exhausted | Turn::Paused => {}
            }
        }
    }

    /// The known answer for a node when `spent` of the bound is used up.
    #[inline]
    fn known_exists(&self, id: u32, spent: u64) -> Option<bool> {
        let entry = &self.entries[id as usize];
        let left = self.bound - spent;
        if entry.true_within <= left {
            Some(true)
        } else if entry.false_below > left {
            Some(false)
        } else {
            None
        }
    }

    /// Records the answer that the kind of a node implies. Returns the kind.
    fn settle(&mut self, id: u32) -> Kind {
        let entry = &mut self.entries[id as usize];
        match entry.kind {
            Kind::Goal => entry.true_within = 0,
            Kind::Dead => entry.false_below = NONE,
            _ => {}
        }
        entry.kind
    }

    /// Pushes a node on the stack.
    pub(super) fn push<G: Ground>(&mut self, ground: &mut G, id: u32, weight: u64) -> Result<bool, Failure> {
        let Some(steps) = self.outgoing(ground, id)? else { return Ok(false) };
        if self.stack.len() == self.stack.capacity() {
            self.stack.reserve(64);
            self.weigh(ground);
        }
        self.stack.push(Frame {
            id,
            weight,
            place: steps.start,
            end: steps.end,
            heaviest: 0,
            choice: u32::MAX,
            is_partial: false,
        });
        Ok(true)
    }

    /// Records that the probe has met a node, and pushes it on the stack.
    fn visit<G: Ground>(&mut self, ground: &mut G, id: u32, weight: u64, epoch: u32) -> Result<(), Failure> {
        self.entries[id as usize].seen = epoch;
        self.visited.push(id);
        self.push(ground, id, weight)?;
        Ok(())
    }

    fn probe<G: Ground>(
        &mut self,
        ground: &mut G,
        epoch: u32,
        turn: usize,
        pruned: &mut bool,
    ) -> Result<Turn, Failure> {
        let mut visits = 0;
        while let Some(top) = self.stack.last_mut() {
            if top.place == top.end {
                self.stack.pop();
                continue;
            }
            let (from, before) = (top.id, top.weight);
            let step = ground.step(top.place);
            top.place += 1;
            ground.work()?;
            let To::Node(id) = self.target(ground, from, step)? else { continue };
            let weight = sum(before, self.weight(step), self.bound)?;
            if weight > self.bound {
                *pruned = true;
                continue;
            }
            match self.known_exists(id, weight) {
                Some(true) => {
                    let total = weight + self.entries[id as usize].true_within;
                    self.confirm_stack(total);
                    return Ok(Turn::Found);
                }
                Some(false) => {
                    *pruned |= self.is_weighted && self.entries[id as usize].false_below != NONE;
                    continue;
                }
                None => {}
            }
            // If nothing is cut off, every node is visited, whatever its weight.
            if self.entries[id as usize].seen == epoch {
                continue;
            }
            self.classify(ground, id)?;
            match self.settle(id) {
                Kind::Goal => {
                    self.confirm_stack(weight);
                    return Ok(Turn::Found);
                }
                Kind::Open => {
                    self.visit(ground, id, weight, epoch)?;
                    visits += 1;
                    if visits == turn {
                        return Ok(Turn::Paused);
                    }
                }
                Kind::Dead | Kind::Unknown => {}
            }
        }
        if *pruned {
            return Ok(Turn::Exhausted);
        }
        // Every reachable node was visited, and none is a goal.
        for &id in &self.visited {
            self.entries[id as usize].false_below = NONE;
        }
        Ok(Turn::NoPath)
    }

    /// Records for all nodes on the stack that a path of weight `total` leads through them to a goal.
    fn confirm_stack(&mut self, total: u64) {
        for frame in &self.stack {
            let entry = &mut self.entries[frame.id as usize];
            entry.true_within = entry.true_within.min(total - frame.weight);
        }
    }

    fn start(&mut self, root: u32, epoch: u32) {
        self.queue.clear();
        self.fifo.clear();
        self.touched.clear();
        self.meet(root, 0, u32::MAX, epoch);
    }

    /// Records a better path to a node, which must be expanded.
    fn meet(&mut self, id: u32, weight: u64, parent: u32, epoch: u32) {
        let entry = &mut self.entries[id as usize];
        if entry.mark != epoch {
            self.touched.push(id);
            entry.expanded = NONE;
        }
        (entry.mark, entry.distance, entry.parent) = (epoch, weight, parent);
        if self.is_weighted {
            self.queue.push(weight, id);
        }
        self.fifo.push_back(id);
    }

    /// Takes the next node to expand; `None` if all nodes within the bound were expanded with their least
    /// weights.
    fn next(&mut self, by_age: bool) -> Option<u32> {
        if by_age || !self.is_weighted {
            while let Some(id) = self.fifo.pop_front() {
                if self.entries[id as usize].expanded != self.entries[id as usize].distance {
                    return Some(id);
                }
            }
        }
        while let Some((weight, id)) = self.queue.pop() {
            let entry = &self.entries[id as usize];
            if entry.distance == weight && entry.expanded != weight {
                return Some(id);
            }
        }
        None
    }

    fn best_first<G: Ground>(&mut self, ground: &mut G, epoch: u32, turn: usize) -> Result<Turn, Failure> {
        let mut expanded = 0;
        while expanded < turn {
            let Some(id) = self.next(expanded % 4 == 3) else {
                self.refute_touched();
                return Ok(Turn::NoPath);
            };
            expanded += 1;
            let entry = &mut self.entries[id as usize];
            let before = entry.distance;
            entry.expanded = before;
            let Some(steps) = self.outgoing(ground, id)? else { continue };
            for place in steps {
                ground.work()?;
                let step = ground.step(place);
                let To::Node(target) = self.target(ground, id, step)? else { continue };
                let weight = sum(before, self.weight(step), self.bound)?;
                if weight > self.bound {
                    continue;
                }
                match self.known_exists(target, weight) {
                    Some(true) => {
                        let total = weight + self.entries[target as usize].true_within;
                        self.confirm_parents(id, total);
                        return Ok(Turn::Found);
                    }
                    Some(false) => continue,
                    None => {}
                }
                let entry = &self.entries[target as usize];
                if entry.mark == epoch && entry.distance <= weight {
                    continue;
                }
                self.classify(ground, target)?;
                match self.settle(target) {
                    Kind::Goal => {
                        self.confirm_parents(id, weight);
                        return Ok(Turn::Found);
                    }
                    Kind::Open => self.meet(target, weight, id, epoch),
                    Kind::Dead | Kind::Unknown => {}
                }
            }
            if expanded % 256 == 0 {
                self.weigh(ground);
            }
        }
        Ok(Turn::Paused)
    }

    /// Records for a node and its parents that a path of weight `total` from the root leads through them to a
    /// goal. Weights of parents may have decreased since, so this path exists but may not be the lightest.
    fn confirm_parents(&mut self, mut id: u32, total: u64) {
        while id != u32::MAX {
            let entry = &mut self.entries[id as usize];
            entry.true_within = entry.true_within.min(total - entry.distance);
            id = entry.parent;
        }
    }

    /// Records, for the nodes of a search that found no path, that the remaining bound does not suffice
    /// there.
    fn refute_touched(&mut self) {
        for &id in &self.touched {
            let entry = &mut self.entries[id as usize];
            entry.false_below = entry.false_below.max((self.bound - entry.distance).saturating_add(1));
        }
    }

    /// The lightest path from a state to a goal, and its weight. Weights of steps count here even if the
    /// bound is infinite. `None` if there is no path within the bound, or if `most` states were visited
    /// without finding one.
    ///
    /// # Errors
    /// The sum of weights does not fit into 64 bits.
    pub fn lightest<G: Ground>(
        &mut self,
        ground: &mut G,
        state: u32,
        bound: u64,
        known_only: bool,
        most: u64,
    ) -> Result<Option<(Way, u64)>, Failure> {
        self.known_only = known_only;
        let mut expanded = 0;
        let root = self.root(ground, state)?;
        let epoch = self.next_epoch();
        self.queue.clear();
        self.queue.push(0, root);
        let entry = &mut self.entries[root as usize];
        (entry.mark, entry.distance, entry.parent, entry.expanded) = (epoch, 0, u32::MAX, NONE);
        let mut found = None;
        while let Some((weight, id)) = self.queue.pop() {
            let entry = &mut self.entries[id as usize];
            if entry.distance != weight || entry.expanded == weight {
                continue;
            }
            entry.expanded = weight;
            match self.classify(ground, id)? {
                Kind::Goal => {
                    found = Some((self.way_to(id), weight));
                    break;
                }
                Kind::Dead | Kind::Unknown => continue,
                Kind::Open => {}
            }
            if expanded == most {
                break;
            }
            expanded += 1;
            let Some(steps) = self.outgoing(ground, id)? else { continue };
            for place in steps {
                ground.work()?;
                let step = ground.step(place);
                let To::Node(target) = self.target(ground, id, step)? else { continue };
                let along = sum(weight, step.weight, bound)?;
                let entry = &mut self.entries[target as usize];
                if along > bound || entry.mark == epoch && entry.distance <= along {
                    continue;
                }
                if entry.mark != epoch {
                    entry.expanded = NONE;
                }
                (entry.mark, entry.distance, entry.parent, entry.choice) = (epoch, along, id, place as u32);
                self.queue.push(along, target);
            }
        }
        self.known_only = false;
        Ok(found)
    }

    fn way_to(&self, mut id: u32) -> Way {
        let mut steps = Vec::new();
        loop {
            let entry = &self.entries[id as usize];
            if entry.parent == u32::MAX {
                steps.reverse();
                return Way { steps, cycle_start: None };
            }
            steps.push((self.state(entry.parent), entry.choice as usize));
            id = entry.parent;
        }
    }
}
