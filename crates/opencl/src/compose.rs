//! The exact time of a configuration, by composition: the time of a work-group, and a schedule of groups over units.
//!
//! A work-group is executed region by region: the slot that arrives last decides when a barrier opens. A loop
//! whose iterations are alike repeats itself as soon as one iteration ends in the state in which it began;
//! the rest is a multiplication. So a configuration of any size takes microseconds. Groups are handed, in
//! order, to the unit that is idle first; if all groups take the same time, units work in rounds. The emitted
//! Promela model ([`crate::emit`]) has the same meaning step by step; tests explore it to check this
//! composition.

use crate::classes::Classes;
use crate::expression::{Expr, Fault};
use crate::kernel::Test;
use crate::model::{Model, Piece, Region, Step};
use crate::shape::{Cursor, Obstacle, Shape, shape};
use std::collections::{BinaryHeap, HashMap};

/// The time of a configuration.
pub fn time(model: &Model, names: &[i64]) -> Result<u64, Obstacle> {
    let shape = shape(model, names)?;
    let (platform, costs) = (&model.platform, &model.platform.costs);
    let mut machine = Machine::new(model, names, shape);
    let around = u64::from(costs.group) + 2 * u64::from(costs.message_unit);
    let classes = Classes::of(model, &mut machine.at)?;
    let times = machine.times_of(&classes, around)?;
    let (groups, devices) = (shape.group_count() as u64, u64::from(platform.devices));
    let units = u64::from(platform.units);
    let (mut latest, mut first) = (0_u64, 0_u64);
    for device in 0..devices {
        let share = groups / devices + u64::from(device < groups % devices);
        let busy = match &times {
            Times::Alike(time) => share.div_ceil(units).checked_mul(*time).ok_or(Fault::Overflow)?,
            Times::Differ(times) => machine.schedule(first..first + share, units, around, times)?,
        };
        first += share;
        let messages = (device + 2) * u64::from(costs.message_host);
        latest = latest.max(busy.checked_add(messages).ok_or(Fault::Overflow)?);
    }
    latest.checked_add(u64::from(costs.launch)).ok_or(Obstacle::Fault(Fault::Overflow))
}

/// How long a unit is busy with groups.
enum Times {
    /// All alike.
    Alike(u64),
    /// By class, with the class of each group. `None` if there are too many groups: then each one is computed.
    Differ(Option<(Vec<u64>, Vec<u32>)>),
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
    at: Cursor<'m>,
    slots: usize,
    warps: u64,
    phase: Phase,
    time: u64,
    /// When the phase began.
    began: u64,
    /// Times by slot of regions that are the same in all groups. Key: the region, and the iterations of the
    /// loops around it.
    known: HashMap<(*const Region, Vec<i64>), Vec<u64>>,
}

/// Limit of regions whose times are kept.
const KNOWN: usize = 1 << 12;

impl<'m> Machine<'m> {
    fn new(model: &'m Model, names: &'m [i64], shape: Shape) -> Self {
        let warps = (shape.items() as u64).div_ceil(u64::from(model.platform.warp));
        let slots = warps.min(u64::from(model.platform.slots())) as usize;
        Machine {
            model,
            at: Cursor::new(model, names, shape),
            slots,
            warps,
            phase: Phase::default(),
            time: 0,
            began: 0,
            known: HashMap::new(),
        }
    }

    /// How long a unit is busy with a group of each class.
    fn times_of(&mut self, classes: &Classes, around: u64) -> Result<Times, Obstacle> {
        if let [class] = classes.all.as_slice()
            && classes.is_exact
        {
            self.at.enter_at(class.representative());
            return Ok(Times::Alike(sum(self.group()?, around)?));
        }
        let by_group = classes.by_group().filter(|_| classes.is_exact);
        let Some(by_group) = by_group else { return Ok(Times::Differ(None)) };
        let mut times = Vec::with_capacity(classes.all.len());
        for class in &classes.all {
            self.at.enter_at(class.representative());
            times.push(sum(self.group()?, around)?);
        }
        Ok(Times::Differ(Some((times, by_group))))
    }

    /// The time that a unit needs for the current work-group, without the cost of handing it out.
    fn group(&mut self) -> Result<u64, Obstacle> {
        self.at.spend()?;
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
                    let branch = if test.holds(&self.at.values(0))? { then } else { other };
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
            self.at.counters[counter] = 0;
            while test.holds(&self.at.values(0))? {
                self.at.spend()?;
                self.steps(body)?;
                self.at.counters[counter] += 1;
            }
            return Ok(());
        };
        let trips = trips.value(&self.at.values(0))?.max(0) as u64;
        let mut done = 0;
        while done < trips {
            self.at.spend()?;
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
        let work = self.times(region)?;
        for (busy, work) in self.phase.busy.iter_mut().zip(work) {
            *busy = busy.checked_add(work.saturating_sub(credit)).ok_or(Fault::Overflow)?;
        }
        Ok(())
    }

    /// The time that each slot needs for a region.
    fn times(&mut self, region: &'m Region) -> Result<Vec<u64>, Obstacle> {
        let key = (!region.depends.group).then(|| (std::ptr::from_ref(region), self.at.counters.clone()));
        if let Some(known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return Ok(known.clone());
        }
        let mut work = vec![0_u64; self.slots];
        if region.depends.local && !self.at.is_uniform(&region.work) {
            let warp = i64::from(self.model.platform.warp);
            for number in 0..self.warps {
                let first = number as i64 * warp;
                let lanes: Vec<i64> = (first..(first + warp).min(self.at.shape.items())).collect();
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
        if let Some(key) = key.filter(|_| self.known.len() < KNOWN) {
            self.known.insert(key, work.clone());
        }
        Ok(work)
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
            self.at.spend()?;
            let cost = match piece {
                Piece::Cost(cost) => cost.time.value(&self.at.values(lanes[0]))?.max(0) as u64,
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

    /// A loop whose iterations cost the same for all lanes: the lane with most iterations decides.
    fn alike(&mut self, trips: &'m Expr, body: &'m [Piece], lanes: &[i64]) -> Result<u64, Obstacle> {
        let mut most = 0;
        let lanes_that_matter = if trips.dependence().local { lanes } else { &lanes[..1] };
        for &lane in lanes_that_matter {
            most = most.max(trips.value(&self.at.values(lane))?);
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
            self.at.counters[counter] = k;
            let mut fault = None;
            active.retain(|&lane| {
                test.holds(&self.at.values(lane)).unwrap_or_else(|met| {
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
            self.at.spend()?;
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
                    let branch = if test.holds(&self.at.values(lanes[0]))? { then } else { other };
                    return self.pieces(branch, lanes);
                }
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for &lane in lanes {
                    let side = if test.holds(&self.at.values(lane))? { &mut yes } else { &mut no };
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
    fn schedule(
        &mut self,
        groups: std::ops::Range<u64>,
        units: u64,
        around: u64,
        known: &Option<(Vec<u64>, Vec<u32>)>,
    ) -> Result<u64, Obstacle> {
        let mut ends: BinaryHeap<std::cmp::Reverse<u64>> = BinaryHeap::new();
        let mut latest = 0;
        for group in groups {
            let time = match known {
                Some((times, by_group)) => times[by_group[group as usize] as usize],
                None => {
                    self.at.enter(group as i64);
                    sum(self.group()?, around)?
                }
            };
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
