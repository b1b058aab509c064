//! The exact time of a configuration, by composition: the time of a work-group, and a schedule of groups over units.
//!
//! A work-group is executed region by region: what matters at a barrier is the slot that arrives last. A loop whose iterations are
//! alike repeats itself as soon as one iteration ends in the state in which it began, and the rest is a multiplication; so a
//! configuration of any size takes microseconds. Groups are handed to units in order, to whichever is idle; if all groups take
//! the same time, units work in rounds. The emitted Promela model ([`crate::emit`]) means the same, step by step; tests explore it
//! to check this composition.

use crate::expression::{Expr, Fault, Values};
use crate::kernel::Test;
use crate::model::{Model, Piece, Region, Step};
use std::collections::BinaryHeap;

/// Pieces of work that are evaluated for one configuration, at most.
const EFFORT_LIMIT: u64 = 50_000_000;

/// Why a configuration has no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A constraint does not hold.
    Constraint(String),
    /// A work-group needs more local memory than there is.
    LocalMemory {
        /// Bytes that it needs.
        needs: u64,
        /// Bytes that there are.
        has: u64,
    },
    /// A work-group has more items than the device allows.
    GroupTooLarge {
        /// Its items.
        items: u64,
        /// Items that the device allows.
        most: u64,
    },
    /// An expression has no value.
    Fault(Fault),
    /// The time cannot be evaluated in reasonable time.
    TooLong,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obstacle::Constraint(reason) => write!(f, "violates a constraint: {reason}"),
            Obstacle::LocalMemory { needs, has } => {
                write!(f, "needs {needs} bytes of local memory, the device has {has}")
            }
            Obstacle::GroupTooLarge { items, most } => {
                write!(f, "has work-groups of {items} items, the device allows {most}")
            }
            Obstacle::Fault(fault) => write!(f, "meets {fault}"),
            Obstacle::TooLong => f.write_str("takes too long to evaluate"),
        }
    }
}

impl From<Fault> for Obstacle {
    fn from(fault: Fault) -> Self {
        Obstacle::Fault(fault)
    }
}

/// The sizes of a valid configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Items of a work-group by dimension.
    pub local: [i64; 3],
    /// Work-groups by dimension.
    pub groups: [i64; 3],
}

impl Shape {
    /// Items of a work-group.
    pub fn items(&self) -> i64 {
        self.local.iter().product()
    }

    /// Number of work-groups.
    pub fn group_count(&self) -> i64 {
        self.groups.iter().product()
    }
}

/// The sizes of a configuration, or why it is not valid. `names` has the value of each name of the model.
pub fn shape(model: &Model, names: &[i64]) -> Result<Shape, Obstacle> {
    let values = Values::of(names);
    for constraint in &model.launch.constraints {
        if !constraint.test.holds(&values)? {
            return Err(Obstacle::Constraint(constraint.reason.clone()));
        }
    }
    let (mut local, mut groups) = ([1; 3], [1; 3]);
    for dimension in 0..model.dimensions() {
        local[dimension] = model.local_size(dimension).value(&values)?;
        groups[dimension] = model.groups(dimension).value(&values)?;
        if local[dimension] < 1 || groups[dimension] < 1 {
            return Err(Obstacle::Constraint("there is at least one work-item".to_owned()));
        }
    }
    let product = |sizes: [i64; 3]| sizes[0].checked_mul(sizes[1])?.checked_mul(sizes[2]);
    let items = product(local).ok_or(Fault::Overflow)?;
    product(groups).ok_or(Fault::Overflow)?;
    let most = u64::from(model.platform.work_group_max);
    if items as u64 > most {
        return Err(Obstacle::GroupTooLarge { items: items as u64, most });
    }
    let needs = model.local_bytes.value(&values)?.max(0) as u64;
    if needs > model.platform.local_memory_bytes {
        return Err(Obstacle::LocalMemory { needs, has: model.platform.local_memory_bytes });
    }
    Ok(Shape { local, groups })
}

/// The time of a configuration.
pub fn time(model: &Model, names: &[i64]) -> Result<u64, Obstacle> {
    let shape = shape(model, names)?;
    let (platform, costs) = (&model.platform, &model.platform.costs);
    let mut machine = Machine::new(model, names, shape);
    let around = u64::from(costs.group) + 2 * u64::from(costs.message_unit);
    let mut alike = None;
    if !model.depends_on_group {
        alike = Some(machine.group(0)?.checked_add(around).ok_or(Fault::Overflow)?);
    }
    let (groups, devices) = (shape.group_count() as u64, u64::from(platform.devices));
    let units = u64::from(platform.units);
    let (mut latest, mut first) = (0_u64, 0_u64);
    for device in 0..devices {
        let share = groups / devices + u64::from(device < groups % devices);
        let busy = match alike {
            Some(time) => share.div_ceil(units).checked_mul(time).ok_or(Fault::Overflow)?,
            None => machine.schedule(first..first + share, units, around)?,
        };
        first += share;
        let messages = (device + 2) * u64::from(costs.message_host);
        latest = latest.max(busy.checked_add(messages).ok_or(Fault::Overflow)?);
    }
    latest.checked_add(u64::from(costs.launch)).ok_or(Obstacle::Fault(Fault::Overflow))
}

/// A sum of times.
fn sum(a: u64, b: u64) -> Result<u64, Obstacle> {
    a.checked_add(b).ok_or(Obstacle::Fault(Fault::Overflow))
}

/// What a unit remembers between two regions.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Phase {
    /// Time that each slot has been busy since the last barrier.
    busy: Vec<u64>,
    /// How long the phase before the last barrier took.
    previous: u64,
    /// Whether that phase loaded from global memory ahead of time or could have.
    previous_loaded: bool,
    /// Whether this phase has loaded.
    loaded: bool,
    /// Whether no region has begun since the last barrier.
    fresh: bool,
}

/// A unit that executes a work-group.
struct Machine<'m> {
    model: &'m Model,
    names: &'m [i64],
    shape: Shape,
    slots: usize,
    warps: u64,
    counters: Vec<i64>,
    group: [i64; 3],
    phase: Phase,
    time: u64,
    /// When the phase began.
    began: u64,
    effort: u64,
}

impl<'m> Machine<'m> {
    fn new(model: &'m Model, names: &'m [i64], shape: Shape) -> Self {
        let warps = (shape.items() as u64).div_ceil(u64::from(model.platform.warp));
        let slots = warps.min(u64::from(model.platform.slots())) as usize;
        Machine {
            model,
            names,
            shape,
            slots,
            warps,
            counters: vec![0; usize::from(model.counters)],
            group: [0; 3],
            phase: Phase::default(),
            time: 0,
            began: 0,
            effort: 0,
        }
    }

    fn values(&self, item: i64) -> Values<'_> {
        let [width, height, _] = self.shape.local;
        let local = [item % width, item / width % height, item / width / height];
        Values { names: self.names, local, group: self.group, counters: &self.counters }
    }

    fn spend(&mut self) -> Result<(), Obstacle> {
        self.effort += 1;
        if self.effort > EFFORT_LIMIT { Err(Obstacle::TooLong) } else { Ok(()) }
    }

    /// The time that a unit needs for a work-group, without what surrounds it.
    fn group(&mut self, number: u64) -> Result<u64, Obstacle> {
        self.spend()?;
        let [width, height, _] = self.shape.groups;
        let number = number as i64;
        self.group = [number % width, number / width % height, number / width / height];
        self.phase = Phase { busy: vec![0; self.slots], ..Phase::default() };
        (self.time, self.began) = (0, 0);
        self.steps(&self.model.steps)?;
        let rest = self.phase.busy.iter().max().copied().unwrap_or(0);
        sum(self.time, rest)
    }

    fn steps(&mut self, steps: &'m [Step]) -> Result<(), Obstacle> {
        for step in steps {
            match step {
                Step::Region(region) => self.region(region)?,
                Step::Barrier => self.barrier()?,
                Step::If { test, then, other } => {
                    let branch = if test.holds(&self.values(0))? { then } else { other };
                    self.steps(branch)?;
                }
                Step::Loop { counter, test, trips, body, is_alike } => {
                    self.repeat(*counter, test, trips.as_ref().filter(|_| *is_alike), body)?;
                }
            }
        }
        Ok(())
    }

    /// A loop with barriers; `trips` is given if all iterations are alike.
    fn repeat(
        &mut self,
        counter: u16,
        test: &'m Expr,
        trips: Option<&'m Expr>,
        body: &'m [Step],
    ) -> Result<(), Obstacle> {
        let counter = usize::from(counter);
        let Some(trips) = trips else {
            self.counters[counter] = 0;
            while test.holds(&self.values(0))? {
                self.spend()?;
                self.steps(body)?;
                self.counters[counter] += 1;
            }
            return Ok(());
        };
        let trips = trips.value(&self.values(0))?.max(0) as u64;
        let mut done = 0;
        while done < trips {
            self.spend()?;
            let (phase, time) = (self.phase.clone(), self.time);
            let since = self.time - self.began;
            self.steps(body)?;
            done += 1;
            if self.phase == phase && self.time - self.began == since && done < trips {
                // The iteration ended as it began: so will all others.
                let rest = (self.time - time).checked_mul(trips - done).ok_or(Fault::Overflow)?;
                self.time = sum(self.time, rest)?;
                self.began += rest;
                break;
            }
        }
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Obstacle> {
        let longest = self.phase.busy.iter().max().copied().unwrap_or(0);
        let cost = u64::from(self.model.platform.costs.barrier);
        self.time = sum(self.time, sum(longest, cost)?)?;
        self.phase.busy.fill(0);
        self.phase.previous = self.time - self.began;
        self.phase.previous_loaded = self.phase.loaded;
        self.phase.loaded = false;
        self.phase.fresh = true;
        self.began = self.time;
        Ok(())
    }

    fn region(&mut self, region: &'m Region) -> Result<(), Obstacle> {
        let platform = &self.model.platform;
        let overlaps = platform.prefetch && region.only_loads && self.phase.fresh;
        let credit = if overlaps && !self.phase.previous_loaded { self.phase.previous } else { 0 };
        self.phase.fresh = false;
        self.phase.loaded |= region.only_loads;
        let mut work = vec![0_u64; self.slots];
        if region.depends.local {
            let warp = i64::from(platform.warp);
            for number in 0..self.warps {
                let first = number as i64 * warp;
                let lanes: Vec<i64> = (first..(first + warp).min(self.shape.items())).collect();
                let cost = self.warp(region, &lanes)?;
                let slot = &mut work[number as usize % self.slots];
                *slot = sum(*slot, cost)?;
            }
        } else {
            let cost = self.warp(region, &[0])?;
            let slots = self.slots as u64;
            for (slot, work) in work.iter_mut().enumerate() {
                let warps = self.warps / slots + u64::from((slot as u64) < self.warps % slots);
                *work = cost.checked_mul(warps).ok_or(Fault::Overflow)?;
            }
        }
        for (busy, work) in self.phase.busy.iter_mut().zip(work) {
            *busy = busy.checked_add(work.saturating_sub(credit)).ok_or(Fault::Overflow)?;
        }
        Ok(())
    }

    /// The time that a warp with these lanes needs for a region.
    fn warp(&mut self, region: &'m Region, lanes: &[i64]) -> Result<u64, Obstacle> {
        let cost = self.pieces(&region.work, lanes)?;
        let phase = if cost > 0 { u64::from(self.model.platform.costs.phase) } else { 0 };
        sum(cost, phase)
    }

    fn pieces(&mut self, pieces: &'m [Piece], lanes: &[i64]) -> Result<u64, Obstacle> {
        let mut total = 0_u64;
        for piece in pieces {
            self.spend()?;
            let cost = match piece {
                Piece::Cost(cost) => cost.time.value(&self.values(lanes[0]))?.max(0) as u64,
                Piece::If { test, then, other } => self.conditional(test, then, other, lanes)?,
                Piece::Loop { counter, test, trips, body, is_alike, body_depends } => {
                    let trips = trips.as_ref().filter(|_| *is_alike);
                    match trips {
                        Some(trips) if lanes.len() == 1 || !body_depends.local => {
                            self.alike(trips, body, lanes)?
                        }
                        _ => self.iterations(*counter, test, body, lanes)?,
                    }
                }
            };
            total = sum(total, cost)?;
        }
        Ok(total)
    }

    /// A loop whose iterations cost the same for all lanes: the longest-running lane decides.
    fn alike(&mut self, trips: &'m Expr, body: &'m [Piece], lanes: &[i64]) -> Result<u64, Obstacle> {
        let mut most = 0;
        let lanes_that_matter = if trips.dependence().local { lanes } else { &lanes[..1] };
        for &lane in lanes_that_matter {
            most = most.max(trips.value(&self.values(lane))?);
        }
        if most <= 0 {
            return Ok(0);
        }
        let once = self.pieces(body, lanes)?;
        once.checked_mul(most as u64).ok_or(Obstacle::Fault(Fault::Overflow))
    }

    fn iterations(
        &mut self,
        counter: u16,
        test: &'m Expr,
        body: &'m [Piece],
        lanes: &[i64],
    ) -> Result<u64, Obstacle> {
        let counter = usize::from(counter);
        let mut active = lanes.to_vec();
        let mut total = 0_u64;
        for k in 0.. {
            self.counters[counter] = k;
            let mut fault = None;
            active.retain(|&lane| {
                test.holds(&self.values(lane)).unwrap_or_else(|met| {
                    fault = Some(met);
                    false
                })
            });
            if let Some(fault) = fault {
                return Err(fault.into());
            }
            if active.is_empty() {
                break;
            }
            self.spend()?;
            let once = self.pieces(body, &active)?;
            total = sum(total, once)?;
        }
        Ok(total)
    }

    fn conditional(
        &mut self,
        test: &'m Test,
        then: &'m [Piece],
        other: &'m [Piece],
        lanes: &[i64],
    ) -> Result<u64, Obstacle> {
        match test {
            Test::Known(test) => {
                if !test.dependence().local {
                    let branch = if test.holds(&self.values(lanes[0]))? { then } else { other };
                    return self.pieces(branch, lanes);
                }
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for &lane in lanes {
                    let side = if test.holds(&self.values(lane))? { &mut yes } else { &mut no };
                    side.push(lane);
                }
                let mut total = 0;
                if !yes.is_empty() {
                    total = self.pieces(then, &yes)?;
                }
                if !no.is_empty() {
                    total = sum(total, self.pieces(other, &no)?)?;
                }
                Ok(total)
            }
            Test::Data | Test::Both => {
                let (then, other) = (self.pieces(then, lanes)?, self.pieces(other, lanes)?);
                let serial = *test == Test::Both || self.model.platform.warp > 1;
                if serial { sum(then, other) } else { Ok(then.max(other)) }
            }
        }
    }

    /// The time that a device needs for groups whose times differ: each goes to the unit that is idle first.
    fn schedule(&mut self, groups: std::ops::Range<u64>, units: u64, around: u64) -> Result<u64, Obstacle> {
        let mut ends: BinaryHeap<std::cmp::Reverse<u64>> = BinaryHeap::new();
        let mut latest = 0;
        for group in groups {
            let time = sum(self.group(group)?, around)?;
            let begin = match ends.len() as u64 >= units {
                true => ends.pop().map_or(0, |end| end.0),
                false => 0,
            };
            let end = sum(begin, time)?;
            latest = latest.max(end);
            ends.push(std::cmp::Reverse(end));
        }
        Ok(latest)
    }
}
