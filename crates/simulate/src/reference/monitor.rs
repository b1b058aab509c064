//! The reference monitor: measures along a path, decided step by step and observably, as compiled paths do in
//! registers.
//!
//! In every state, the caller calls [`ReferenceMonitor::arrive`], then (if the path continues)
//! [`ReferenceSimulator::stay`] and [`ReferenceMonitor::dwell`]; and for a step [`ReferenceSimulator::draw`],
//! [`ReferenceMonitor::step`] and [`ReferenceSimulator::take`]. The order of operations is that of `path`, so
//! values agree to the last bit, and the first failure is the same.

use crate::amounts::Amounts;
use crate::automaton::{ACCEPTS, REJECTS, STATE_BITS};
use crate::measure::{Event, Measure, Target, Window};
use crate::path::Plan;
use crate::reference::{ReferenceSimulator, Stay};
use volvelle_kernel::{ExprId, Site};
use volvelle_model::{ActionId, Kind};

/// Follows a path until all measures are decided, `max_steps` steps were taken, or an expression fails. In
/// this last case the simulator is in the state of the failure.
pub fn follow<'p>(
    plan: &'p Plan,
    seed: u64,
    path: u64,
    max_steps: u32,
) -> (ReferenceSimulator<'p>, ReferenceMonitor<'p>, Result<(), Site>) {
    let (mut walk, mut watch) = (ReferenceSimulator::new(plan, seed, path), ReferenceMonitor::new(plan));
    let mut go = || {
        while walk.steps() < max_steps {
            watch.arrive(&mut walk)?;
            if !watch.any_open() {
                break;
            }
            let stay = walk.stay()?;
            watch.dwell(&mut walk, &stay)?;
            if stay.for_ever || !watch.any_open() {
                break;
            }
            let combination = walk.draw()?;
            watch.step(&mut walk, plan.action(combination))?;
            walk.take(combination, None, &stay)?;
        }
        Ok(())
    };
    let result = go();
    (walk, watch, result)
}

/// The measures of a plan, along a path.
#[derive(Clone, Debug)]
pub struct ReferenceMonitor<'p> {
    plan: &'p Plan,
    values: Vec<f64>,
    open: Vec<bool>,
    /// States of the automata.
    automata: Vec<u32>,
    /// The amount spent, by measure and bound; also steps.
    spent: Vec<Vec<f64>>,
    /// The reward earned before the last step, by measure.
    before: Vec<f64>,
}

impl<'p> ReferenceMonitor<'p> {
    /// Begins with nothing decided.
    pub fn new(plan: &'p Plan) -> Self {
        let count = plan.measures.len();
        ReferenceMonitor {
            plan,
            values: vec![0.0; count],
            open: vec![true; count],
            automata: vec![0; plan.automata.len()],
            spent: plan
                .measures
                .iter()
                .map(|m| vec![0.0; m.amounts().map_or(0, |a| a.all().len())])
                .collect(),
            before: vec![0.0; count],
        }
    }

    /// The value of every measure; if it is undecided, the reward earned so far.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether a measure is not decided.
    pub fn is_open(&self, measure: usize) -> bool {
        self.open[measure]
    }

    /// Whether something is not decided.
    pub fn any_open(&self) -> bool {
        self.open.contains(&true)
    }

    fn is_timed(&self) -> bool {
        self.plan.program.kind() == Kind::Ctmc
    }

    fn close(&mut self, measure: usize, value: f64) {
        self.values[measure] = value;
        self.open[measure] = false;
    }

    /// Decides an indicator.
    fn conclude(&mut self, measure: usize, truth: bool) {
        let negated = matches!(self.plan.measures[measure], Measure::Indicator { negated: true, .. });
        self.close(measure, f64::from(u8::from(truth != negated)));
    }

    fn conclude_if(&mut self, measure: usize, hit: bool, lost: bool) {
        if hit || lost {
            self.conclude(measure, hit);
        }
    }

    /// Decides what the state decides on entry.
    ///
    /// # Errors
    /// An expression fails at this site.
    pub fn arrive(&mut self, walk: &mut ReferenceSimulator<'p>) -> Result<(), Site> {
        let steps = f64::from(walk.steps());
        for &measure in self.plan.monitors.order() {
            if !self.open[measure] {
                continue;
            }
            match self.plan.measures[measure] {
                Measure::Indicator { event, .. } => self.event_on_arrival(measure, event, walk)?,
                Measure::Cumulative { until, .. } if !self.is_timed() => self.open[measure] = steps < until,
                Measure::Instantaneous { structure, at } if !self.is_timed() && steps >= at => {
                    let reward = walk.state_reward(structure)?;
                    self.close(measure, reward);
                }
                Measure::Reach { target: Target::States(target), .. } => {
                    self.open[measure] = !walk.holds(target)?;
                }
                Measure::Reach { target: Target::Automaton(automaton), .. } => {
                    match self.read(automaton, walk)? {
                        ACCEPTS => self.open[measure] = false,
                        REJECTS => self.close(measure, f64::INFINITY),
                        _ => {}
                    }
                }
                Measure::Within { amounts, .. } => {
                    if self.exceeds(measure, &amounts) {
                        self.close(measure, self.before[measure]);
                    } else {
                        self.before[measure] = self.values[measure];
                    }
                }
                Measure::Cumulative { .. } | Measure::Instantaneous { .. } => {}
            }
        }
        Ok(())
    }

    /// Whether more was spent than a bound allows.
    fn exceeds(&self, measure: usize, amounts: &Amounts) -> bool {
        amounts.all().iter().zip(&self.spent[measure]).any(|(amount, &spent)| spent > amount.upper)
    }

    /// Adds what staying in the state spends, and a step.
    fn spend(
        &mut self,
        measure: usize,
        amounts: &Amounts,
        walk: &mut ReferenceSimulator<'p>,
    ) -> Result<(), Site> {
        for (i, amount) in amounts.all().iter().enumerate() {
            self.spent[measure][i] += match amount.structure {
                Some(structure) => walk.spent_by_staying(structure)?,
                None => 1.0,
            };
        }
        Ok(())
    }

    /// For each bound, the amount spent so far, and what a step spends in the state.
    fn rates(
        &self,
        measure: usize,
        amounts: &Amounts,
        walk: &mut ReferenceSimulator<'p>,
    ) -> Result<Vec<(f64, f64)>, Site> {
        let of = |(i, amount): (usize, &crate::amounts::Amount)| {
            let each = amount.structure.map_or(Ok(1.0), |structure| walk.spent_by_staying(structure))?;
            Ok((self.spent[measure][i], each))
        };
        amounts.all().iter().enumerate().map(of).collect()
    }

    /// Whether all bounds hold after some steps in the state; the first one is included.
    fn spends_enough(amounts: &Amounts, rates: &[(f64, f64)]) -> bool {
        let mut steps = 0.0f64;
        for (amount, &(spent, each)) in amounts.all().iter().zip(rates) {
            if spent < amount.lower {
                steps = steps.max(((amount.lower - spent) / each).ceil());
            }
        }
        let keeps = |(amount, &(spent, each)): (&crate::amounts::Amount, &(f64, f64))| {
            amount.upper == f64::INFINITY || spent + each * steps <= amount.upper
        };
        steps < f64::INFINITY && amounts.all().iter().zip(rates).all(keeps)
    }

    fn event_on_arrival(
        &mut self,
        measure: usize,
        event: Event,
        walk: &mut ReferenceSimulator<'p>,
    ) -> Result<(), Site> {
        let steps = f64::from(walk.steps());
        match event {
            Event::Now(condition) => {
                let truth = walk.holds(condition)?;
                self.conclude(measure, truth);
            }
            Event::Automaton(automaton) => {
                let known = self.read(automaton, walk)?;
                self.conclude_if(measure, known == ACCEPTS, known == REJECTS);
            }
            Event::Spending(left, right, amounts) => {
                let exceeds = self.exceeds(measure, &amounts);
                let enough =
                    amounts.all().iter().zip(&self.spent[measure]).all(|(a, &spent)| spent >= a.lower);
                let hit = !exceeds && enough && walk.holds(right)?;
                let lost = !hit && (exceeds || !walk.holds(left)?);
                self.conclude_if(measure, hit, lost);
            }
            Event::Next(condition, window) if walk.steps() >= 1 => {
                let truth = walk.holds(condition)? && self.is_within(window, walk.now());
                self.conclude(measure, truth);
            }
            Event::Next(..) => {}
            // In continuous time, a condition that holds early counts if it holds long enough.
            Event::Until(_, _, window) if self.is_timed() && window.lower > 0.0 => {}
            Event::Until(left, right, window) => {
                let timed = self.is_timed();
                let hit = (timed || steps >= window.lower) && walk.holds(right)?;
                let last = !timed && window.upper.is_some_and(|upper| steps >= upper);
                let lost = !hit && (last || !walk.holds(left)?);
                self.conclude_if(measure, hit, lost);
            }
        }
        Ok(())
    }

    /// The letter of the state.
    fn letter(&self, automaton: usize, walk: &mut ReferenceSimulator<'p>) -> Result<usize, Site> {
        let mut letter = 0;
        for (i, &condition) in self.plan.automata[automaton].conditions.iter().enumerate() {
            letter |= usize::from(walk.holds(condition)?) << i;
        }
        Ok(letter)
    }

    /// Reads the letter of the state, and returns the verdict known then.
    fn read(&mut self, automaton: usize, walk: &mut ReferenceSimulator<'p>) -> Result<u32, Site> {
        let letter = self.letter(automaton, walk)?;
        let table = &self.plan.automata[automaton];
        let entry = table.steps[self.automata[automaton] as usize * table.letters() + letter];
        self.automata[automaton] = entry & ((1 << STATE_BITS) - 1);
        Ok(entry >> STATE_BITS)
    }

    /// The verdict if the path stays in the state forever.
    fn repeat(&self, automaton: usize, walk: &mut ReferenceSimulator<'p>) -> Result<u32, Site> {
        let letter = self.letter(automaton, walk)?;
        let table = &self.plan.automata[automaton];
        Ok(table.for_ever[self.automata[automaton] as usize * table.letters() + letter])
    }

    /// Whether the second state was entered in a window.
    fn is_within(&self, window: Window, now: f64) -> bool {
        let moment = if self.is_timed() { now } else { 1.0 };
        window.is_everything() || (window.lower <= moment && window.upper.is_none_or(|upper| moment <= upper))
    }

    /// Adds the rewards of the state for its holding time, and decides measures by the time at which it is
    /// left. A state that is never left decides all of them.
    ///
    /// # Errors
    /// An expression fails at this site.
    pub fn dwell(&mut self, walk: &mut ReferenceSimulator<'p>, stay: &Stay) -> Result<(), Site> {
        for &measure in self.plan.monitors.order() {
            if !self.open[measure] {
                continue;
            }
            match self.plan.measures[measure] {
                Measure::Indicator { event: Event::Until(left, right, window), .. } if self.is_timed() => {
                    self.event_by_time(measure, (left, right), window, walk, stay)?;
                }
                Measure::Indicator { event: Event::Spending(.., amounts), .. } => {
                    self.spend(measure, &amounts, walk)?;
                }
                Measure::Within { structure, amounts } => {
                    self.values[measure] += walk.reward_of_stay(structure)?;
                    self.spend(measure, &amounts, walk)?;
                }
                Measure::Indicator { .. } => {}
                Measure::Cumulative { structure, until } => {
                    let reward = walk.reward_of_stay(structure)?;
                    if self.is_timed() {
                        let over = stay.until >= until;
                        let dwell = if over { until } else { stay.until } - walk.now();
                        self.values[measure] += reward * dwell;
                        self.open[measure] = !over;
                    } else {
                        self.values[measure] += reward;
                    }
                }
                Measure::Instantaneous { structure, at } if self.is_timed() && stay.until > at => {
                    let reward = walk.state_reward(structure)?;
                    self.close(measure, reward);
                }
                Measure::Instantaneous { .. } => {}
                Measure::Reach { structure, target } => {
                    let reward = structure.map_or(Ok(1.0), |structure| walk.reward_of_stay(structure))?;
                    let automaton = matches!(target, Target::Automaton(_));
                    if automaton && stay.for_ever {
                        // The letter is read again at rate one.
                        self.values[measure] += reward;
                    } else if self.is_timed() && self.plan.can_move() {
                        // If the mean time is infinite, so is the final value.
                        if reward != 0.0 {
                            self.values[measure] += reward / stay.weight;
                        }
                    } else {
                        self.values[measure] += reward;
                    }
                }
            }
        }
        if stay.for_ever { self.stay_for_ever(walk) } else { Ok(()) }
    }

    /// An until in continuous time, at the time when the state is left.
    fn event_by_time(
        &mut self,
        measure: usize,
        (left, right): (ExprId, ExprId),
        window: Window,
        walk: &mut ReferenceSimulator<'p>,
        stay: &Stay,
    ) -> Result<(), Site> {
        let late = window.upper.is_some_and(|upper| stay.until > upper);
        if window.lower == 0.0 {
            self.conclude_if(measure, false, late);
            return Ok(());
        }
        // The path is in the state during `now..until`, which reaches into the window; until then, `left`
        // must hold.
        let hit = stay.until > window.lower
            && walk.holds(right)?
            && (walk.now() >= window.lower || walk.holds(left)?);
        let lost = !hit && (late || !walk.holds(left)?);
        self.conclude_if(measure, hit, lost);
        Ok(())
    }

    fn stay_for_ever(&mut self, walk: &mut ReferenceSimulator<'p>) -> Result<(), Site> {
        for &measure in self.plan.monitors.order() {
            if !self.open[measure] {
                continue;
            }
            match self.plan.measures[measure] {
                Measure::Indicator { event, .. } => {
                    let truth = match event {
                        Event::Now(_) => unreachable!("decided on arrival"),
                        Event::Automaton(automaton) => self.repeat(automaton, walk)? != 0,
                        Event::Spending(left, right, amounts) => {
                            let rates = self.rates(measure, &amounts, walk)?;
                            walk.holds(left)? && walk.holds(right)? && Self::spends_enough(&amounts, &rates)
                        }
                        // A state without transitions is its own successor, after one step or at rate one.
                        Event::Next(condition, window) => {
                            let timed = self.is_timed() && !window.is_everything();
                            let entered = if timed { walk.now() + walk.exponential() } else { walk.now() };
                            self.is_within(window, entered) && walk.holds(condition)?
                        }
                        // If `right` counted from the start, the until was decided on arrival. In discrete
                        // time it may have to hold later.
                        Event::Until(_, right, window) => {
                            !self.is_timed() && window.lower > 0.0 && walk.holds(right)?
                        }
                    };
                    self.conclude(measure, truth);
                }
                Measure::Cumulative { structure, until } => {
                    // The reward of this step is included already. In continuous time, the end of time
                    // decided it.
                    let steps = f64::from(walk.steps());
                    let value =
                        self.values[measure] + walk.reward_of_stay(structure)? * (until - 1.0 - steps);
                    self.close(measure, value);
                }
                Measure::Within { structure, amounts } => {
                    let mut steps = f64::INFINITY;
                    for (amount, (spent, each)) in
                        amounts.all().iter().zip(self.rates(measure, &amounts, walk)?)
                    {
                        if each > 0.0 && amount.upper < f64::INFINITY {
                            steps = steps.min(((amount.upper - spent) / each).floor());
                        }
                    }
                    let each = walk.reward_of_stay(structure)?;
                    let more = if each == 0.0 { 0.0 } else { each * steps };
                    let value = match self.exceeds(measure, &amounts) {
                        true => self.before[measure],
                        false => self.values[measure] + more,
                    };
                    self.close(measure, value);
                }
                Measure::Instantaneous { structure, .. } => {
                    let reward = walk.state_reward(structure)?;
                    self.close(measure, reward);
                }
                Measure::Reach { target: Target::States(_), .. } => self.close(measure, f64::INFINITY),
                Measure::Reach { structure, target: Target::Automaton(automaton) } => {
                    let reward = structure.map_or(Ok(1.0), |structure| walk.reward_of_stay(structure))?;
                    let value = match self.repeat(automaton, walk)? {
                        0 => f64::INFINITY,
                        meaning => self.values[measure] + reward * (f64::from(meaning) - 2.0),
                    };
                    self.close(measure, value);
                }
            }
        }
        Ok(())
    }

    /// Adds what a step with an action earns, before it is taken.
    ///
    /// # Errors
    /// A reward fails at this site.
    pub fn step(&mut self, walk: &mut ReferenceSimulator<'p>, action: ActionId) -> Result<(), Site> {
        for &measure in self.plan.monitors.order() {
            if !self.open[measure] {
                continue;
            }
            let taken = self.plan.measures[measure];
            match taken {
                Measure::Cumulative { structure, .. }
                | Measure::Within { structure, .. }
                | Measure::Reach { structure: Some(structure), .. } => {
                    self.values[measure] += walk.transition_reward(structure, action)?;
                }
                _ => {}
            }
            for (i, amount) in taken.amounts().iter().flat_map(|amounts| amounts.all()).enumerate() {
                if let Some(structure) = amount.structure {
                    self.spent[measure][i] += walk.spent_by_step(structure, action)?;
                }
            }
        }
        Ok(())
    }
}
