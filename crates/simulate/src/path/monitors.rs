//! Measures on the path: what the state decides on arrival, what the holding time decides, and what is left where a path
//! stays for ever.

use super::Builder;
use crate::measure::{Event, Measure, Target, Window};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Stmt, Type};
use volvelle_model::Kind;

impl Builder<'_> {
    fn is_timed(&self) -> bool {
        self.plan.program.kind == Kind::Ctmc
    }

    /// Whether something is not decided.
    pub(super) fn any_open(&mut self) -> ExprId {
        let mut any = self.kernel.exprs.bool(false);
        for i in 0..self.open.len() {
            let open = self.kernel.get(self.open[i]);
            any = self.kernel.exprs.or(any, open);
        }
        any
    }

    /// Whether holding times decide something.
    pub(super) fn decides_by_time(&self) -> bool {
        self.plan.clock
    }

    /// `if the measure is open { block }`; with a single measure, it is.
    fn while_open(&mut self, measure: usize, block: Block) -> Block {
        if self.open.len() == 1 || block.is_empty() {
            return block;
        }
        let cond = self.kernel.get(self.open[measure]);
        vec![Stmt::If { cond, then: block, otherwise: vec![] }]
    }

    /// Decides a measure, whose value is known.
    pub(super) fn close(&mut self, measure: usize) -> Stmt {
        if self.ends_with_its_measure() {
            return Stmt::Break;
        }
        let value = self.kernel.exprs.bool(false);
        Stmt::Set { local: self.open[measure], value }
    }

    /// Decides an indicator.
    fn conclude(&mut self, measure: usize, truth: bool) -> Block {
        let negated = matches!(self.plan.measures[measure], Measure::Indicator { negated: true, .. });
        let value = self.kernel.exprs.f64(f64::from(u8::from(truth != negated)));
        vec![Stmt::Set { local: self.values[measure], value }, self.close(measure)]
    }

    /// Decides an indicator by a condition.
    fn conclude_by(&mut self, measure: usize, cond: ExprId) -> Block {
        let (then, otherwise) = (self.conclude(measure, true), self.conclude(measure, false));
        self.when(cond, then, otherwise)
    }

    /// `if hit { true } else if lost { false }`
    fn conclude_if(&mut self, measure: usize, hit: ExprId, lost: ExprId) -> Block {
        let lost = {
            let then = self.conclude(measure, false);
            self.when(lost, then, vec![])
        };
        let then = self.conclude(measure, true);
        self.when(hit, then, lost)
    }

    /// `if cond { then } else { otherwise }`, where that is not known.
    pub(super) fn when(&mut self, cond: ExprId, then: Block, otherwise: Block) -> Block {
        match self.kernel.exprs.as_const(cond).and_then(Const::as_bool) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then.is_empty() && otherwise.is_empty() => Vec::new(),
            None => vec![Stmt::If { cond, then, otherwise }],
        }
    }

    fn steps_constant(&mut self, steps: f64) -> ExprId {
        self.kernel.exprs.constant(Const::int(Type::U32, steps as i64))
    }

    /// `steps >= bound`
    pub(super) fn steps_reach(&mut self, bound: f64) -> ExprId {
        let steps = self.kernel.get(self.steps);
        let bound = self.steps_constant(bound);
        self.kernel.exprs.binary(BinaryOp::Ge, steps, bound)
    }

    fn not(&mut self, cond: ExprId) -> ExprId {
        let e = &mut self.kernel.exprs;
        match e.as_const(cond).and_then(Const::as_bool) {
            Some(truth) => e.bool(!truth),
            None => e.not(cond),
        }
    }

    /// What the state decides when it is entered.
    pub(super) fn arrive(&mut self) -> Block {
        let mut block = Vec::new();
        for measure in 0..self.plan.measures.len() {
            let decisions = match self.plan.measures[measure] {
                Measure::Indicator { event, .. } => self.event_on_arrival(measure, event),
                Measure::Cumulative { until, .. } if !self.is_timed() => {
                    let done = self.steps_reach(until);
                    let then = vec![self.close(measure)];
                    self.when(done, then, vec![])
                }
                Measure::Instantaneous { structure, at } if !self.is_timed() => {
                    let now = self.steps_reach(at);
                    let value = self.state_reward(structure);
                    let then = vec![Stmt::Set { local: self.values[measure], value }, self.close(measure)];
                    self.when(now, then, vec![])
                }
                Measure::Reach { target: Target::States(target), .. } => {
                    let reached = self.expr(target);
                    let then = vec![self.close(measure)];
                    self.when(reached, then, vec![])
                }
                Measure::Reach { target: Target::Word(word), .. } => {
                    let (mut block, accepts, rejects) = self.read_letter(word);
                    let infinity = self.kernel.exprs.f64(f64::INFINITY);
                    let never =
                        vec![Stmt::Set { local: self.values[measure], value: infinity }, self.close(measure)];
                    let lost = self.when(rejects, never, vec![]);
                    let reached = vec![self.close(measure)];
                    block.extend(self.when(accepts, reached, lost));
                    block
                }
                _ => Vec::new(),
            };
            block.extend(self.while_open(measure, decisions));
        }
        block
    }

    fn event_on_arrival(&mut self, measure: usize, event: Event) -> Block {
        match event {
            Event::Now(condition) => {
                let cond = self.expr(condition);
                self.conclude_by(measure, cond)
            }
            Event::Word(word) => {
                let (mut block, accepts, rejects) = self.read_letter(word);
                block.extend(self.conclude_if(measure, accepts, rejects));
                block
            }
            Event::Next(condition, window) => {
                let second = self.steps_reach(1.0);
                let entered = self.entered_within(window);
                let holds = self.expr(condition);
                let cond = self.kernel.exprs.and(entered, holds);
                let then = self.conclude_by(measure, cond);
                self.when(second, then, vec![])
            }
            // In continuous time what holds early counts if it holds long enough: see `event_by_time`.
            Event::Until(_, _, window) if self.is_timed() && window.lower > 0.0 => Vec::new(),
            Event::Until(left, right, window) => {
                let (mut hit, left) = (self.expr(right), self.expr(left));
                let mut lost = self.not(left);
                if !self.is_timed() {
                    if window.lower > 0.0 {
                        let late_enough = self.steps_reach(window.lower);
                        hit = self.kernel.exprs.and(late_enough, hit);
                    }
                    if let Some(upper) = window.upper {
                        let last = self.steps_reach(upper);
                        lost = self.kernel.exprs.or(last, lost);
                    }
                }
                self.conclude_if(measure, hit, lost)
            }
        }
    }

    /// Whether the state was entered in a window.
    fn entered_within(&mut self, window: Window) -> ExprId {
        if !self.is_timed() {
            let within = window.lower <= 1.0 && window.upper.is_none_or(|u| u >= 1.0);
            return self.kernel.exprs.bool(within);
        }
        let mut within = self.kernel.exprs.bool(true);
        if window.is_everything() {
            return within;
        }
        let now = self.kernel.get(self.now);
        let e = &mut self.kernel.exprs;
        let lower = e.f64(window.lower);
        let not_early = e.binary(BinaryOp::Ge, now, lower);
        within = e.and(within, not_early);
        if let Some(upper) = window.upper {
            let upper = e.f64(upper);
            let not_late = e.binary(BinaryOp::Le, now, upper);
            within = e.and(within, not_late);
        }
        within
    }

    /// What is earned in the state, and what the time of leaving it decides.
    pub(super) fn dwell(&mut self) -> Block {
        let mut block = Vec::new();
        for measure in 0..self.plan.measures.len() {
            let decisions = match self.plan.measures[measure] {
                Measure::Indicator { event: Event::Until(left, right, window), .. } if self.is_timed() => {
                    self.event_by_time(measure, left, right, window)
                }
                Measure::Indicator { .. } => Vec::new(),
                Measure::Cumulative { structure, until } => self.earn_until(measure, structure, until),
                Measure::Instantaneous { structure, at } if self.is_timed() => {
                    let then = self.kernel.get(self.then);
                    let e = &mut self.kernel.exprs;
                    let at = e.f64(at);
                    let cond = e.binary(BinaryOp::Gt, then, at);
                    let value = self.state_reward(structure);
                    let then = vec![Stmt::Set { local: self.values[measure], value }, self.close(measure)];
                    self.when(cond, then, vec![])
                }
                Measure::Instantaneous { .. } => Vec::new(),
                Measure::Reach { structure, .. } => self.earn_while_staying(measure, structure),
            };
            block.extend(self.while_open(measure, decisions));
        }
        block
    }

    /// An until in continuous time, by when the state is left.
    fn event_by_time(&mut self, measure: usize, left: ExprId, right: ExprId, window: Window) -> Block {
        let left_at = self.kernel.get(self.then);
        let late = window.upper.map(|upper| {
            let e = &mut self.kernel.exprs;
            let upper = e.f64(upper);
            e.binary(BinaryOp::Gt, left_at, upper)
        });
        if window.lower == 0.0 {
            let Some(late) = late else { return Vec::new() };
            let then = self.conclude(measure, false);
            return self.when(late, then, vec![]);
        }
        let (left, right) = (self.expr(left), self.expr(right));
        let entered = self.kernel.get(self.now);
        let e = &mut self.kernel.exprs;
        let lower = e.f64(window.lower);
        // The state is held during `now..then`, which reaches into the window; until then, `left` has to hold.
        let reaches = e.binary(BinaryOp::Gt, left_at, lower);
        let in_time = e.binary(BinaryOp::Ge, entered, lower);
        let lasts = e.or(in_time, left);
        let holds = e.and(right, lasts);
        let hit = e.and(reaches, holds);
        let mut lost = self.not(left);
        if let Some(late) = late {
            lost = self.kernel.exprs.or(late, lost);
        }
        self.conclude_if(measure, hit, lost)
    }

    /// The state is never left: everything is decided, and the path ends.
    pub(super) fn stay_for_ever(&mut self) -> Block {
        let mut block = Vec::new();
        for measure in 0..self.plan.measures.len() {
            let decisions = match self.plan.measures[measure] {
                Measure::Indicator { event, .. } => self.event_for_ever(measure, event),
                Measure::Cumulative { structure, until } if !self.is_timed() => {
                    self.earn_steps_left(measure, structure, until)
                }
                Measure::Instantaneous { structure, .. } if !self.is_timed() => {
                    let value = self.state_reward(structure);
                    vec![Stmt::Set { local: self.values[measure], value }]
                }
                // Decided by time, which never ends here.
                Measure::Cumulative { .. } | Measure::Instantaneous { .. } => Vec::new(),
                Measure::Reach { structure, target: Target::Word(word) } => {
                    self.earn_until_repeated(measure, structure, word)
                }
                Measure::Reach { target: Target::States(_), .. } => {
                    let value = self.kernel.exprs.f64(f64::INFINITY);
                    vec![Stmt::Set { local: self.values[measure], value }]
                }
            };
            block.extend(self.still_open(measure, decisions));
        }
        block.extend(self.end());
        block
    }

    /// `if the measure is open { block }`, also with a single measure: time may have decided it.
    fn still_open(&mut self, measure: usize, block: Block) -> Block {
        if block.is_empty() || self.ends_with_its_measure() {
            return block;
        }
        let cond = self.kernel.get(self.open[measure]);
        vec![Stmt::If { cond, then: block, otherwise: vec![] }]
    }

    fn event_for_ever(&mut self, measure: usize, event: Event) -> Block {
        match event {
            // Decided on arrival.
            Event::Now(_) => Vec::new(),
            Event::Word(word) => {
                let meaning = self.repeat_letter(word);
                let e = &mut self.kernel.exprs;
                let rejected = e.constant(Const::int(Type::U32, 0));
                let cond = e.binary(BinaryOp::Ne, meaning, rejected);
                self.conclude_by(measure, cond)
            }
            // Without transitions a state is its own successor, after one step or at rate one.
            Event::Next(condition, window) => {
                let holds = self.expr(condition);
                if !self.is_timed() || window.is_everything() {
                    let within = self.entered_within(window);
                    let cond = self.kernel.exprs.and(within, holds);
                    return self.conclude_by(measure, cond);
                }
                let variate = self.temporary(format!("loop{measure}"), Type::F64);
                let mut block = self.stream.exponential(&mut self.kernel, variate);
                let (now, dwell) = (self.kernel.get(self.now), self.kernel.get(variate));
                let value = self.kernel.exprs.binary(BinaryOp::Add, now, dwell);
                block.push(Stmt::Set { local: self.now, value });
                let within = self.entered_within(window);
                let cond = self.kernel.exprs.and(within, holds);
                block.extend(self.conclude_by(measure, cond));
                block
            }
            Event::Until(_, right, window) => {
                // What held from the start would have been seen. In discrete time it may have to hold later.
                let cond = if !self.is_timed() && window.lower > 0.0 {
                    self.expr(right)
                } else {
                    self.kernel.exprs.bool(false)
                };
                self.conclude_by(measure, cond)
            }
        }
    }
}
