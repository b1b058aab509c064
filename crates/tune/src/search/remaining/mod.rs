//! A lower bound on the cost from a state to the goal.
//!
//! Some process must execute a statement that makes the goal true. Before, it may have to wait for a counter
//! (module `statics`): enough other processes must reach statements that count. Module `alone` finds how long
//! each process takes at least, by following it alone. The bound of a state is a minimum over the processes
//! that may make the goal true: the maximum of the process's own time, and the time until enough others have
//! counted. Slices are ordered by the sum of cost and bound (A*: P. E. Hart, N. J. Nilsson, B. Raphael, *A
//! formal basis for the heuristic determination of minimum cost paths*, 1968). States whose sum exceeds the
//! best known cost are cut off.

mod alone;
mod statics;

pub use statics::Statics;

use alone::Alone;
use statics::GOAL;
use volvelle_model::{FieldId, LocationId, NetworkLayout, Program};

/// Bounds for the states of a search.
pub struct Remaining<'s> {
    alone: Alone<'s>,
    layout: &'s NetworkLayout,
    locations: Vec<LocationId>,
    times: Vec<(i64, bool)>,
    /// Number of states examined, and of those with a positive bound.
    tried: u64,
    raised: u64,
}

/// After `TRIAL` states, bounds are given up unless one state in `PAYS` has a positive bound.
const TRIAL: u64 = 1 << 12;
const PAYS: u64 = 4;

impl<'s> Remaining<'s> {
    /// Bounds for states in this layout whose costs are in a range.
    pub fn new(
        program: &'s Program,
        layout: &'s NetworkLayout,
        statics: &'s Statics,
        costs: (i64, i64),
    ) -> Self {
        let alone = Alone::new(program, statics, costs);
        Remaining { alone, layout, locations: Vec::new(), times: Vec::new(), tried: 0, raised: 0 }
    }

    /// A lower bound on the cost of the goal for runs through a state with this cost.
    pub fn total(&mut self, state: &[u64], cost: i64) -> i64 {
        if self.tried >= TRIAL && self.raised * PAYS < self.tried {
            return cost;
        }
        let bound = self.bound(state, cost);
        self.tried += 1;
        self.raised += u64::from(bound > 0);
        cost.saturating_add(bound)
    }

    /// A lower bound on the additional cost of the goal, from a state in which it does not hold.
    pub fn bound(&mut self, state: &[u64], cost: i64) -> i64 {
        let statics = self.alone.statics;
        let network = &self.alone.program.network;
        let (Some(location), Some(pool)) = (network.location, network.pools.first()) else { return 0 };
        let live = self.layout.get(state, pool.count, 0, 0) as usize;
        self.locations.clear();
        self.locations
            .extend((0..live).map(|slot| LocationId(self.layout.get(state, location, slot, 0) as u32)));
        if self.locations.iter().any(|at| statics.creates[at.index()]) {
            return 0;
        }
        let counted: Vec<i64> =
            (0..statics.counters.len()).map(|counter| self.counted(counter, state, cost)).collect();
        let mut least = i64::MAX;
        for slot in 0..live {
            let at = self.locations[slot];
            if !statics.reaches(GOAL, at) {
                continue;
            }
            let passed =
                statics.counters.iter().zip(&counted).filter(|(counter, _)| counter.is_passed[at.index()]);
            let others = passed.map(|(_, &counted)| counted).max().unwrap_or(0);
            let own = self.time_of(GOAL, slot, state, cost);
            least = least.min(own.max(others));
        }
        let asked = statics.counters.iter().zip(&counted).filter(|(counter, _)| counter.is_goal);
        let least = least.max(asked.map(|(_, &counted)| counted).max().unwrap_or(0));
        // The goal is never reached from here; the search finds this out by itself.
        if least == i64::MAX { 0 } else { least }
    }

    /// A lower bound on the time until a counter reaches its value; 0 if none is known.
    fn counted(&mut self, counter: usize, state: &[u64], cost: i64) -> i64 {
        let counter = &self.alone.statics.counters[counter];
        if self.locations.iter().any(|at| counter.is_written[at.index()]) {
            return 0;
        }
        let value = self.layout.get(state, counter.field, 0, 0);
        let needed = counter.value.saturating_sub(value).saturating_mul(counter.step);
        if needed <= 0 {
            return 0;
        }
        let mut times = std::mem::take(&mut self.times);
        times.clear();
        for slot in 0..self.locations.len() {
            if self.alone.statics.reaches(counter.set, self.locations[slot]) {
                times.push((self.time_of(counter.set, slot, state, cost), counter.is_once));
            }
        }
        times.sort_unstable();
        let mut count = 0;
        let enough = times.iter().find(|(_, is_once)| {
            count += 1;
            !is_once || count >= needed
        });
        let time = enough.map_or(0, |&(time, _)| time);
        self.times = times;
        if time == i64::MAX { 0 } else { time }
    }

    /// A lower bound on the time until the process in a slot reaches a set of statements.
    fn time_of(&mut self, set: usize, slot: usize, state: &[u64], cost: i64) -> i64 {
        let at = self.locations[slot];
        let statics = self.alone.statics;
        let value = |&field: &FieldId| {
            let value = self.layout.get(state, field, slot, 0);
            match statics.degrees[field.index()] {
                _ if !statics.may_be_read(field, at) => None,
                0 => Some(value),
                1 => {
                    let distance = value - cost;
                    Some(statics.floors[field.index()].map_or(distance, |floor| distance.max(floor)))
                }
                _ => None,
            }
        };
        let own = statics.fields_at(at).iter().map(value).collect();
        self.alone.until(set, (at.0, own))
    }
}
