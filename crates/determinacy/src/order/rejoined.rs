//! Joins the knowledge of paths that reach the same state.
//!
//! Events are numbered backward from the present: the last event of each process has the number [`PRESENT`],
//! so that knowledge can be compared. What every process knows is left out. Two pieces of knowledge are
//! joined to what holds in both: a process knows what it knows on both paths, and an access counts if it
//! happened on either. The writes whose values processes may still wait for must be the same on both.

use super::Known;
use crate::clock::{self, Clock, Point};
use crate::history::History;
use std::rc::Rc;

/// The number of the last event of each process.
const PRESENT: u32 = 1 << 30;

impl Known {
    /// Numbers events from the present, and drops what every live process knows.
    pub fn normalise(&mut self) {
        let counts: Vec<u32> = (0..self.clocks.len()).map(|p| self.clocks[p][p]).collect();
        let moved = |process: usize, number: u32| match number {
            0 => 0,
            number => (number + PRESENT).saturating_sub(counts[process]).max(1),
        };
        let point = |point: &mut Point| point.number = moved(point.process as usize, point.number);
        let clock = |clock: &mut Clock| {
            for (process, number) in Rc::make_mut(clock).iter_mut().enumerate() {
                *number = moved(process, *number);
            }
        };
        self.clocks.iter_mut().for_each(clock);
        for (process, clock) in self.clocks.iter_mut().enumerate() {
            Rc::make_mut(clock)[process] = PRESENT;
        }
        clock(&mut self.chain);
        for history in self.cells.values_mut() {
            clock(&mut history.floor);
            history.reads.iter_mut().for_each(point);
            for write in &mut history.writes {
                point(&mut write.point);
                clock(&mut write.clock);
            }
        }
        self.queues.values_mut().for_each(|queue| queue.each_clock(clock));
        self.ghosts.values_mut().flatten().for_each(|ghost| point(&mut ghost.point));
        self.past.values_mut().flatten().flatten().for_each(point);
        self.goal.iter_mut().for_each(point);
        self.forget();
    }

    /// Drops what every live process knows.
    fn forget(&mut self) {
        let live: Vec<Clock> = self
            .clocks
            .iter()
            .zip(&self.ended)
            .filter(|(_, ended)| !**ended)
            .map(|(c, _)| c.clone())
            .collect();
        let is_open = |&point: &Point| !live.iter().all(|clock| clock::contains(clock, point));
        for history in self.cells.values_mut() {
            let known = history.writes.iter().take_while(|write| !is_open(&write.point)).count();
            history.writes.drain(..known);
            history.reads.retain(is_open);
            for (process, number) in Rc::make_mut(&mut history.floor).iter_mut().enumerate() {
                if *number > 0 && !is_open(&Point { process: process as u32, number: *number }) {
                    *number = 0;
                }
            }
        }
        let is_empty = |history: &History| {
            history.writes.is_empty() && history.reads.is_empty() && history.floor.iter().all(|&n| n == 0)
        };
        self.cells.retain(|_, history| !is_empty(history));
        self.ghosts.values_mut().for_each(|ghosts| ghosts.retain(|ghost| is_open(&ghost.point)));
        self.ghosts.retain(|_, ghosts| !ghosts.is_empty());
        self.past.values_mut().for_each(|met| met.retain(|sides| sides.iter().any(is_open)));
        self.past.retain(|_, met| !met.is_empty());
        self.goal.retain(is_open);
    }

    /// Appends the writes that some process does not know of to a key for comparing states.
    pub fn open_writes(&self, key: &mut Vec<i64>) {
        let mut cells: Vec<(&u32, &History)> =
            self.cells.iter().filter(|(_, history)| !history.writes.is_empty()).collect();
        cells.sort_unstable_by_key(|(cell, _)| **cell);
        for (cell, history) in cells {
            key.extend([i64::from(*cell), history.writes.len() as i64]);
            for write in &history.writes {
                let Point { process, number } = write.point;
                key.extend([i64::from(process), i64::from(number), i64::from(write.is_addition)]);
                key.extend([write.before.base, write.after.base]);
            }
        }
    }

    /// Joins the knowledge of another path to the same state, with the same open writes. Returns whether that
    /// changed this one.
    pub fn rejoin(&mut self, other: &Known) -> bool {
        let mut changed = false;
        for (own, other) in self.clocks.iter_mut().zip(&other.clocks) {
            changed |= clock::meet(own, other);
        }
        changed |= clock::meet(&mut self.chain, &other.chain);
        let processes = self.clocks.len();
        for (&cell, theirs) in &other.cells {
            let own = self.cells.entry(cell).or_insert_with(|| History::new(processes));
            for (own, theirs) in own.writes.iter_mut().zip(&theirs.writes) {
                changed |= clock::meet(&mut own.clock, &theirs.clock);
            }
            changed |= clock::join(&mut own.floor, &theirs.floor);
            for &read in &theirs.reads {
                let is_known = own.reads.iter().any(|r| r.process == read.process && r.number >= read.number);
                if !is_known {
                    own.read(read);
                    changed = true;
                }
            }
        }
        for (&channel, theirs) in &other.ghosts {
            let own = self.ghosts.entry(channel).or_default();
            for ghost in theirs {
                if !own.iter().any(|g| (g.gives, g.point) == (ghost.gives, ghost.point)) {
                    own.push(ghost.clone());
                    changed = true;
                }
            }
        }
        for (&channel, theirs) in &other.past {
            let own = self.past.entry(channel).or_default();
            for sides in theirs {
                if !own.contains(sides) {
                    own.push(*sides);
                    changed = true;
                }
            }
        }
        for &point in &other.goal {
            if !self.goal.contains(&point) {
                self.goal.push(point);
                changed = true;
            }
        }
        changed |= self.rejoin_queues(other);
        changed |= other.goal_is_unordered && !self.goal_is_unordered || other.may_block && !self.may_block;
        self.goal_is_unordered |= other.goal_is_unordered;
        self.may_block |= other.may_block;
        changed
    }
}
