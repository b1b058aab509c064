//! Curves of rewards: the values of a measure at many horizons, reported one after the other as the path
//! passes them.
//!
//! Horizons are in a buffer, in increasing order; the path keeps the next one and its number. Every value
//! comes from the same operations, in the same order, as that of a measure with this single horizon.

use super::builder::Builder;
use super::curve_state::Curve;
use crate::measure::Measure;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Stmt, Type};

impl Builder<'_> {
    /// Whether a monitor is a curve of rewards.
    pub(super) fn tells_values(&self, monitor: usize) -> bool {
        self.curves[monitor].is_some()
    }

    fn curve(&self, monitor: usize) -> Curve {
        self.curves[monitor].expect("asked for curves only")
    }

    fn count(&self, monitor: usize) -> u64 {
        self.plan.monitors.all()[monitor].horizons.len() as u64
    }

    /// The first horizon is due next.
    pub(super) fn begin_curve(&mut self, monitor: usize) -> Block {
        let Curve { next, due, .. } = self.curve(monitor);
        let first = self.plan.monitors.all()[monitor].horizons[0];
        let e = &mut self.kernel.exprs;
        let none = e.u64(0);
        let first = match self.kernel.locals[due.index()].ty {
            Type::F64 => e.f64(first),
            ty => e.constant(Const::int(ty, first as i64)),
        };
        vec![Stmt::Set { local: next, value: none }, Stmt::Set { local: due, value: first }]
    }

    /// Reports values on entry to the state: in discrete time, the value at this number of steps.
    pub(super) fn curve_on_arrival(&mut self, monitor: usize, measure: Measure) -> Block {
        if self.is_timed() {
            return Vec::new();
        }
        let due = self.kernel.get(self.curve(monitor).due);
        let steps = self.kernel.get(self.steps);
        let is_due = self.kernel.exprs.binary(BinaryOp::Ge, steps, due);
        let value = match measure {
            Measure::Instantaneous { structure, .. } => self.state_reward(structure),
            _ => self.kernel.get(self.values[monitor]),
        };
        // Horizons differ by whole steps: only one is due.
        let (row, mut then) = self.row_of_curve(monitor);
        then.extend(self.tell(monitor, row, value));
        then.extend(self.close_if_told(monitor));
        self.when(is_due, then, vec![])
    }

    /// Adds the rewards of the state. In continuous time, reports the values at horizons until it is left.
    pub(super) fn curve_while_staying(&mut self, monitor: usize, measure: Measure) -> Block {
        let (structure, earns) = match measure {
            Measure::Instantaneous { structure, .. } => (structure, false),
            Measure::Cumulative { structure, .. } => (structure, true),
            _ => return Vec::new(),
        };
        if !self.is_timed() {
            return if earns {
                let reward = self.reward_of_stay(structure);
                self.add_to(self.values[monitor], reward)
            } else {
                Vec::new()
            };
        }
        let (mut block, mut reward) = (Vec::new(), self.state_reward(structure));
        if earns {
            reward = self.reward_of_stay(structure);
            (block, reward) = self.keep("reward", reward);
        }
        let due = self.kernel.get(self.curve(monitor).due);
        let left_at = self.kernel.get(self.then);
        let passed = if earns { BinaryOp::Ge } else { BinaryOp::Gt };
        let is_due = self.kernel.exprs.binary(passed, left_at, due);
        let mut then = Vec::new();
        let value = if earns {
            self.earned_until(monitor, reward, due)
        } else {
            let (kept, reward) = self.keep("reward", reward);
            then = kept;
            reward
        };
        then.extend(self.tell_while(monitor, is_due, value));
        then.extend(self.close_if_told(monitor));
        block.extend(self.when(is_due, then, vec![]));
        if earns {
            let value = self.earned_until(monitor, reward, left_at);
            if value != self.kernel.get(self.values[monitor]) {
                block.push(Stmt::Set { local: self.values[monitor], value });
            }
        }
        block
    }

    /// Reports the values at all remaining horizons in a state that is never left. In continuous time, they
    /// were reported already.
    pub(super) fn curve_for_ever(&mut self, monitor: usize, measure: Measure) -> Block {
        if self.is_timed() {
            return Vec::new();
        }
        let (mut block, value) = match measure {
            Measure::Instantaneous { structure, .. } => {
                let reward = self.state_reward(structure);
                self.keep("reward", reward)
            }
            Measure::Cumulative { structure, .. } => {
                let reward = self.reward_of_stay(structure);
                let (block, reward) = self.keep("reward", reward);
                (block, self.earned_after_steps(monitor, reward))
            }
            _ => return Vec::new(),
        };
        let next = self.kernel.get(self.curve(monitor).next);
        let count = self.kernel.exprs.u64(self.count(monitor));
        let is_left = self.kernel.exprs.binary(BinaryOp::Lt, next, count);
        block.extend(self.tell_while(monitor, is_left, value));
        block
    }

    /// The reward earned up to a moment: before the state, and in it.
    fn earned_until(&mut self, monitor: usize, reward: ExprId, until: ExprId) -> ExprId {
        let (so_far, now) = (self.kernel.get(self.values[monitor]), self.kernel.get(self.now));
        let e = &mut self.kernel.exprs;
        if e.as_const(reward) == Some(Const::f64(0.0)) {
            return so_far;
        }
        let dwell = e.binary(BinaryOp::Sub, until, now);
        let earned = e.binary(BinaryOp::Mul, reward, dwell);
        e.binary(BinaryOp::Add, so_far, earned)
    }

    /// The reward earned up to the next horizon in a state that is never left. The sum already includes the
    /// reward of this step.
    fn earned_after_steps(&mut self, monitor: usize, reward: ExprId) -> ExprId {
        let so_far = self.kernel.get(self.values[monitor]);
        let (due, steps) = (self.kernel.get(self.curve(monitor).due), self.kernel.get(self.steps));
        let e = &mut self.kernel.exprs;
        if e.as_const(reward) == Some(Const::f64(0.0)) {
            return so_far;
        }
        let (due, steps, one) = (e.convert(Type::F64, due), e.convert(Type::F64, steps), e.f64(1.0));
        let last = e.binary(BinaryOp::Sub, due, one);
        let left = e.binary(BinaryOp::Sub, last, steps);
        let earned = e.binary(BinaryOp::Mul, reward, left);
        e.binary(BinaryOp::Add, so_far, earned)
    }

    /// A value in a local, unless it is a constant.
    fn keep(&mut self, name: &str, value: ExprId) -> (Block, ExprId) {
        if self.kernel.exprs.as_const(value).is_some() {
            return (Vec::new(), value);
        }
        let local = self.temporary(name.to_owned(), Type::F64);
        (vec![Stmt::Set { local, value }], self.kernel.get(local))
    }

    /// Reports the value at the next horizon, and at following ones while they are due.
    fn tell_while(&mut self, monitor: usize, is_due: ExprId, value: ExprId) -> Block {
        let (row, mut block) = self.row_of_curve(monitor);
        let mut body = self.tell(monitor, row, value);
        body.push(Stmt::If { cond: is_due, then: vec![], otherwise: vec![Stmt::Break] });
        // All lanes run the same number of rounds; `is_due` ends the reports of each.
        let local = self.temporary("told".to_owned(), Type::U32);
        let e = &mut self.kernel.exprs;
        let from = e.constant(Const::int(Type::U32, 0));
        let to = e.constant(Const::int(Type::U32, u32::MAX.into()));
        block.push(Stmt::For { local, from, to, body });
        block
    }

    /// Reports the value at the next horizon, and moves to the one after it.
    fn tell(&mut self, monitor: usize, row: ExprId, value: ExprId) -> Block {
        let Curve { next, due, horizons } = self.curve(monitor);
        let number = self.kernel.get(next);
        let ty = self.kernel.locals[due.index()].ty;
        let e = &mut self.kernel.exprs;
        let (index, one) = (e.binary(BinaryOp::Add, row, number), e.u64(1));
        let after = e.binary(BinaryOp::Add, number, one);
        let then = e.load(horizons, ty, number);
        vec![
            Stmt::Store { buffer: self.results, index, value },
            Stmt::Set { local: next, value: after },
            Stmt::Set { local: due, value: then },
        ]
    }

    /// The position of a curve's columns in the results of the path.
    fn row_of_curve(&mut self, monitor: usize) -> (ExprId, Block) {
        let column = self.plan.monitors.all()[monitor].column as u64;
        let row = self.temporary("row".to_owned(), Type::U64);
        let base = self.results_of_path();
        let e = &mut self.kernel.exprs;
        let column = e.u64(column);
        let value = e.binary(BinaryOp::Add, base, column);
        (self.kernel.get(row), vec![Stmt::Set { local: row, value }])
    }

    /// Decides the curve if all horizons have passed.
    fn close_if_told(&mut self, monitor: usize) -> Block {
        let next = self.kernel.get(self.curve(monitor).next);
        let count = self.kernel.exprs.u64(self.count(monitor));
        let cond = self.kernel.exprs.binary(BinaryOp::Ge, next, count);
        vec![Stmt::If { cond, then: vec![self.close(monitor)], otherwise: vec![] }]
    }
}
