//! Measures on the path: decisions of the state on arrival, decisions of the holding time, and the rest if a
//! path stays forever.

use super::builder::Builder;
use crate::measure::{Event, Measure, Target, Window};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Stmt, Type};
use volvelle_model::Kind;

impl Builder<'_> {
    pub(super) fn is_timed(&self) -> bool {
        self.plan.program.kind() == Kind::Ctmc
    }

    /// The measure of a monitor; up to the last horizon if it is a curve.
    pub(super) fn measure(&self, monitor: usize) -> Measure {
        self.plan.monitors.all()[monitor].measure
    }

    /// When the state was entered, in time or steps.
    pub(super) fn moment(&mut self) -> ExprId {
        if self.is_timed() {
            return self.kernel.get(self.now);
        }
        let steps = self.kernel.get(self.steps);
        self.kernel.exprs.convert(Type::F64, steps)
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

    /// `if the monitor is open { block }`; a single monitor is always open.
    fn while_open(&mut self, monitor: usize, block: Block) -> Block {
        if self.open.len() == 1 || block.is_empty() {
            return block;
        }
        let cond = self.kernel.get(self.open[monitor]);
        vec![Stmt::If { cond, then: block, otherwise: vec![] }]
    }

    /// Closes a monitor, whose results are known.
    pub(super) fn close(&mut self, monitor: usize) -> Stmt {
        if self.ends_with_its_measure() {
            return Stmt::Break;
        }
        let value = self.kernel.exprs.bool(false);
        Stmt::Set { local: self.open[monitor], value }
    }

    /// Decides an indicator.
    fn conclude(&mut self, monitor: usize, truth: bool) -> Block {
        let value = if !self.plan.monitors.all()[monitor].tells_moment() {
            let negated = matches!(self.measure(monitor), Measure::Indicator { negated: true, .. });
            self.kernel.exprs.f64(f64::from(u8::from(truth != negated)))
        } else if truth {
            self.moment()
        } else {
            // It is infinite from the beginning.
            return vec![self.close(monitor)];
        };
        vec![Stmt::Set { local: self.values[monitor], value }, self.close(monitor)]
    }

    /// Decides an indicator by a condition.
    fn conclude_by(&mut self, monitor: usize, cond: ExprId) -> Block {
        let (then, otherwise) = (self.conclude(monitor, true), self.conclude(monitor, false));
        self.when(cond, then, otherwise)
    }

    /// `if hit { true } else if lost { false }`
    fn conclude_if(&mut self, monitor: usize, hit: ExprId, lost: ExprId) -> Block {
        let lost = {
            let then = self.conclude(monitor, false);
            self.when(lost, then, vec![])
        };
        let then = self.conclude(monitor, true);
        self.when(hit, then, lost)
    }

    /// `if cond { then } else { otherwise }`, unless `cond` is constant.
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

    /// Decides measures when the state is entered.
    pub(super) fn arrive(&mut self) -> Block {
        let mut block = Vec::new();
        for monitor in 0..self.open.len() {
            let decisions = match self.measure(monitor) {
                measure if self.tells_values(monitor) => self.curve_on_arrival(monitor, measure),
                Measure::Indicator { event, .. } => self.event_on_arrival(monitor, event),
                Measure::Cumulative { until, .. } if !self.is_timed() => {
                    let done = self.steps_reach(until);
                    let then = vec![self.close(monitor)];
                    self.when(done, then, vec![])
                }
                Measure::Instantaneous { structure, at } if !self.is_timed() => {
                    let now = self.steps_reach(at);
                    let value = self.state_reward(structure);
                    let then = vec![Stmt::Set { local: self.values[monitor], value }, self.close(monitor)];
                    self.when(now, then, vec![])
                }
                Measure::Within { amounts, .. } => self.within_on_arrival(monitor, &amounts),
                Measure::Reach { target: Target::States(target), .. } => {
                    let reached = self.expr(target);
                    let then = vec![self.close(monitor)];
                    self.when(reached, then, vec![])
                }
                Measure::Reach { target: Target::Automaton(automaton), .. } => {
                    let (mut block, accepts, rejects) = self.read_letter(automaton);
                    let infinity = self.kernel.exprs.f64(f64::INFINITY);
                    let never =
                        vec![Stmt::Set { local: self.values[monitor], value: infinity }, self.close(monitor)];
                    let lost = self.when(rejects, never, vec![]);
                    let reached = vec![self.close(monitor)];
                    block.extend(self.when(accepts, reached, lost));
                    block
                }
                _ => Vec::new(),
            };
            block.extend(self.while_open(monitor, decisions));
        }
        block
    }

    fn event_on_arrival(&mut self, monitor: usize, event: Event) -> Block {
        match event {
            Event::Now(condition) => {
                let cond = self.expr(condition);
                self.conclude_by(monitor, cond)
            }
            Event::Automaton(automaton) => {
                let (mut block, accepts, rejects) = self.read_letter(automaton);
                block.extend(self.conclude_if(monitor, accepts, rejects));
                block
            }
            Event::Spending(left, right, amounts) => {
                let [within, exceeded] = self.within_amounts(monitor, &amounts);
                let (left, right) = (self.expr(left), self.expr(right));
                let fails = self.not(left);
                let e = &mut self.kernel.exprs;
                let (hit, lost) = (e.and(within, right), e.or(exceeded, fails));
                self.conclude_if(monitor, hit, lost)
            }
            Event::Next(condition, window) => {
                let second = self.steps_reach(1.0);
                let entered = self.entered_within(window);
                let holds = self.expr(condition);
                let cond = self.kernel.exprs.and(entered, holds);
                let then = self.conclude_by(monitor, cond);
                self.when(second, then, vec![])
            }
            // In continuous time, a condition that holds early counts if it holds long enough: see
            // `event_by_time`.
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
                self.conclude_if(monitor, hit, lost)
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

    /// Adds the rewards of the state, and decides measures by the time at which it is left.
    pub(super) fn dwell(&mut self) -> Block {
        let mut block = Vec::new();
        for monitor in 0..self.open.len() {
            let decisions = match self.measure(monitor) {
                measure if self.tells_values(monitor) => self.curve_while_staying(monitor, measure),
                Measure::Indicator { event: Event::Until(left, right, window), .. } if self.is_timed() => {
                    self.event_by_time(monitor, left, right, window)
                }
                Measure::Indicator { event: Event::Spending(.., amounts), .. } => {
                    self.spend_by_staying(monitor, &amounts)
                }
                Measure::Within { structure, amounts } => {
                    let earned = self.reward_of_stay(structure);
                    let mut block = self.add_to(self.values[monitor], earned);
                    block.extend(self.spend_by_staying(monitor, &amounts));
                    block
                }
                Measure::Indicator { .. } => Vec::new(),
                Measure::Cumulative { structure, until } => self.earn_until(monitor, structure, until),
                Measure::Instantaneous { structure, at } if self.is_timed() => {
                    let then = self.kernel.get(self.then);
                    let e = &mut self.kernel.exprs;
                    let at = e.f64(at);
                    let cond = e.binary(BinaryOp::Gt, then, at);
                    let value = self.state_reward(structure);
                    let then = vec![Stmt::Set { local: self.values[monitor], value }, self.close(monitor)];
                    self.when(cond, then, vec![])
                }
                Measure::Instantaneous { .. } => Vec::new(),
                Measure::Reach { structure, .. } => self.earn_while_staying(monitor, structure),
            };
            block.extend(self.while_open(monitor, decisions));
        }
        block
    }

    /// An until in continuous time, at the time when the state is left.
    fn event_by_time(&mut self, monitor: usize, left: ExprId, right: ExprId, window: Window) -> Block {
        let left_at = self.kernel.get(self.then);
        let late = window.upper.map(|upper| {
            let e = &mut self.kernel.exprs;
            let upper = e.f64(upper);
            e.binary(BinaryOp::Gt, left_at, upper)
        });
        if window.lower == 0.0 {
            let Some(late) = late else { return Vec::new() };
            let then = self.conclude(monitor, false);
            return self.when(late, then, vec![]);
        }
        let (left, right) = (self.expr(left), self.expr(right));
        let entered = self.kernel.get(self.now);
        let e = &mut self.kernel.exprs;
        let lower = e.f64(window.lower);
        // The path is in the state during `now..then`, which reaches into the window; until then, `left` must
        // hold.
        let reaches = e.binary(BinaryOp::Gt, left_at, lower);
        let in_time = e.binary(BinaryOp::Ge, entered, lower);
        let lasts = e.or(in_time, left);
        let holds = e.and(right, lasts);
        let hit = e.and(reaches, holds);
        let mut lost = self.not(left);
        if let Some(late) = late {
            lost = self.kernel.exprs.or(late, lost);
        }
        self.conclude_if(monitor, hit, lost)
    }

    /// The state is never left: everything is decided, and the path ends.
    pub(super) fn stay_for_ever(&mut self) -> Block {
        let mut block = Vec::new();
        for monitor in 0..self.open.len() {
            let decisions = match self.measure(monitor) {
                measure if self.tells_values(monitor) => self.curve_for_ever(monitor, measure),
                Measure::Indicator { event, .. } => self.event_for_ever(monitor, event),
                Measure::Cumulative { structure, until } if !self.is_timed() => {
                    self.earn_steps_left(monitor, structure, until)
                }
                Measure::Instantaneous { structure, .. } if !self.is_timed() => {
                    let value = self.state_reward(structure);
                    vec![Stmt::Set { local: self.values[monitor], value }]
                }
                Measure::Within { structure, amounts } => self.within_for_ever(monitor, structure, &amounts),
                // Decided by time, which never ends here.
                Measure::Cumulative { .. } | Measure::Instantaneous { .. } => Vec::new(),
                Measure::Reach { structure, target: Target::Automaton(automaton) } => {
                    self.earn_until_repeated(monitor, structure, automaton)
                }
                Measure::Reach { target: Target::States(_), .. } => {
                    let value = self.kernel.exprs.f64(f64::INFINITY);
                    vec![Stmt::Set { local: self.values[monitor], value }]
                }
            };
            block.extend(self.still_open(monitor, decisions));
        }
        block.extend(self.end());
        block
    }

    /// `if the monitor is open { block }`, even for a single one, since time may have decided it.
    fn still_open(&mut self, monitor: usize, block: Block) -> Block {
        if block.is_empty() || self.ends_with_its_measure() {
            return block;
        }
        let cond = self.kernel.get(self.open[monitor]);
        vec![Stmt::If { cond, then: block, otherwise: vec![] }]
    }

    fn event_for_ever(&mut self, monitor: usize, event: Event) -> Block {
        match event {
            // Decided on arrival.
            Event::Now(_) => Vec::new(),
            Event::Automaton(automaton) => {
                let meaning = self.repeat_letter(automaton);
                let e = &mut self.kernel.exprs;
                let rejected = e.constant(Const::int(Type::U32, 0));
                let cond = e.binary(BinaryOp::Ne, meaning, rejected);
                self.conclude_by(monitor, cond)
            }
            // A state without transitions is its own successor, after one step or at rate one.
            Event::Next(condition, window) => {
                let holds = self.expr(condition);
                if !self.is_timed() || window.is_everything() {
                    let within = self.entered_within(window);
                    let cond = self.kernel.exprs.and(within, holds);
                    return self.conclude_by(monitor, cond);
                }
                let variate = self.temporary(format!("loop{monitor}"), Type::F64);
                let mut block = self.stream.exponential(&mut self.kernel, variate);
                let (now, dwell) = (self.kernel.get(self.now), self.kernel.get(variate));
                let value = self.kernel.exprs.binary(BinaryOp::Add, now, dwell);
                block.push(Stmt::Set { local: self.now, value });
                let within = self.entered_within(window);
                let cond = self.kernel.exprs.and(within, holds);
                block.extend(self.conclude_by(monitor, cond));
                block
            }
            Event::Spending(left, right, amounts) => {
                // On arrival too little was spent, or `right` did not hold.
                let (left, right) = (self.expr(left), self.expr(right));
                let enough = self.spends_enough_for_ever(monitor, &amounts);
                let e = &mut self.kernel.exprs;
                let both = e.and(left, right);
                let cond = e.and(both, enough);
                self.conclude_by(monitor, cond)
            }
            Event::Until(_, right, window) => {
                // If `right` counted from the start, the until was decided on arrival. In discrete time it
                // may have to hold later.
                let cond = if !self.is_timed() && window.lower > 0.0 {
                    self.expr(right)
                } else {
                    self.kernel.exprs.bool(false)
                };
                self.conclude_by(monitor, cond)
            }
        }
    }
}
