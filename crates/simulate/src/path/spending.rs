//! Bounds on what a path spends: sums that grow with every step, and what they decide.

use super::builder::Builder;
use crate::amounts::{Amount, Amounts};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Stmt, Type, UnaryOp};

impl Builder<'_> {
    /// Begins with nothing spent.
    pub(super) fn begin_spending(&mut self, monitor: usize) -> Block {
        let Some(spending) = self.spending[monitor].clone() else { return Vec::new() };
        let value = self.kernel.exprs.f64(0.0);
        let locals = spending.sums.into_iter().flatten().chain(spending.before);
        locals.map(|local| Stmt::Set { local, value }).collect()
    }

    /// The local of a sum; `None` for steps.
    pub(super) fn sum(&self, monitor: usize, bound: usize) -> Option<Local> {
        self.spending[monitor].as_ref().and_then(|spending| spending.sums[bound])
    }

    /// The amount spent, after `more` steps.
    fn spent(&mut self, monitor: usize, bound: usize, more: f64) -> ExprId {
        match self.sum(monitor, bound) {
            Some(sum) => self.kernel.get(sum),
            None => {
                let steps = self.kernel.get(self.steps);
                let e = &mut self.kernel.exprs;
                let steps = e.convert(Type::F64, steps);
                let more = e.f64(more);
                if e.as_const(more) == Some(Const::f64(0.0)) {
                    return steps;
                }
                e.binary(BinaryOp::Add, steps, more)
            }
        }
    }

    /// Whether more is spent than a bound allows.
    fn exceeded(&mut self, monitor: usize, amounts: &Amounts, more: f64) -> ExprId {
        let mut exceeded = self.kernel.exprs.bool(false);
        for (i, amount) in amounts.all().iter().enumerate().filter(|(_, a)| a.upper < f64::INFINITY) {
            let spent = self.spent(monitor, i, more);
            let e = &mut self.kernel.exprs;
            let upper = e.f64(amount.upper);
            let above = e.binary(BinaryOp::Gt, spent, upper);
            exceeded = e.or(exceeded, above);
        }
        exceeded
    }

    /// Whether the sums on entry to the state are within all bounds, and whether one is exceeded.
    pub(super) fn within_amounts(&mut self, monitor: usize, amounts: &Amounts) -> [ExprId; 2] {
        let exceeded = self.exceeded(monitor, amounts, 0.0);
        let mut within = self.kernel.exprs.not(exceeded);
        if self.kernel.exprs.as_const(exceeded).and_then(Const::as_bool) == Some(false) {
            within = self.kernel.exprs.bool(true);
        }
        for (i, amount) in amounts.all().iter().enumerate().filter(|(_, a)| a.lower > 0.0) {
            let spent = self.spent(monitor, i, 0.0);
            let e = &mut self.kernel.exprs;
            let lower = e.f64(amount.lower);
            let enough = e.binary(BinaryOp::Ge, spent, lower);
            within = e.and(within, enough);
        }
        [within, exceeded]
    }

    /// Adds what staying in the state spends.
    pub(super) fn spend_by_staying(&mut self, monitor: usize, amounts: &Amounts) -> Block {
        let mut block = Vec::new();
        for (i, amount) in amounts.all().iter().enumerate() {
            if let (Some(structure), Some(sum)) = (amount.structure, self.sum(monitor, i)) {
                let spent = self.spent_by_staying(structure);
                block.extend(self.add_to(sum, spent));
            }
        }
        block
    }

    /// On entry to a state: a reward within budgets counts up to here, unless a budget is exceeded.
    pub(super) fn within_on_arrival(&mut self, monitor: usize, amounts: &Amounts) -> Block {
        let Some(before) = self.spending[monitor].as_ref().and_then(|spending| spending.before) else {
            return Vec::new();
        };
        let exceeded = self.exceeded(monitor, amounts, 0.0);
        let (kept, earned) = (self.kernel.get(before), self.kernel.get(self.values[monitor]));
        let over = vec![Stmt::Set { local: self.values[monitor], value: kept }, self.close(monitor)];
        self.when(exceeded, over, vec![Stmt::Set { local: before, value: earned }])
    }

    /// In a state that is never left: a reward within budgets is earned in every step that they allow. All
    /// sums already include the first step.
    pub(super) fn within_for_ever(&mut self, monitor: usize, structure: usize, amounts: &Amounts) -> Block {
        let Some(before) = self.spending[monitor].as_ref().and_then(|spending| spending.before) else {
            return Vec::new();
        };
        let exceeded = self.exceeded(monitor, amounts, 1.0);
        let infinity = self.kernel.exprs.f64(f64::INFINITY);
        let mut steps = infinity;
        for (i, amount) in amounts.all().iter().enumerate().filter(|(_, a)| a.upper < f64::INFINITY) {
            let spent = self.spent(monitor, i, 1.0);
            let each = self.spent_in_a_step(amount);
            let e = &mut self.kernel.exprs;
            let (zero, upper) = (e.f64(0.0), e.f64(amount.upper));
            let left = e.binary(BinaryOp::Sub, upper, spent);
            let times = e.binary(BinaryOp::Div, left, each);
            let times = e.unary(UnaryOp::Floor, times);
            let spends = e.binary(BinaryOp::Gt, each, zero);
            let times = e.select(spends, times, infinity);
            steps = e.binary(BinaryOp::Min, steps, times);
        }
        let each = self.reward_of_stay(structure);
        let (kept, earned) = (self.kernel.get(before), self.kernel.get(self.values[monitor]));
        let e = &mut self.kernel.exprs;
        let zero = e.f64(0.0);
        let more = e.binary(BinaryOp::Mul, each, steps);
        let earns = e.binary(BinaryOp::Ne, each, zero);
        let more = e.select(earns, more, zero);
        let all = e.binary(BinaryOp::Add, earned, more);
        let value = e.select(exceeded, kept, all);
        vec![Stmt::Set { local: self.values[monitor], value }]
    }

    /// In a state that is never left and satisfies both sides of an until: whether all bounds hold after some
    /// steps. All sums already include one step.
    pub(super) fn spends_enough_for_ever(&mut self, monitor: usize, amounts: &Amounts) -> ExprId {
        let mut steps = self.kernel.exprs.f64(0.0);
        for (i, amount) in amounts.all().iter().enumerate().filter(|(_, a)| a.lower > 0.0) {
            let spent = self.spent(monitor, i, 1.0);
            let each = self.spent_in_a_step(amount);
            let e = &mut self.kernel.exprs;
            let (zero, lower) = (e.f64(0.0), e.f64(amount.lower));
            let enough = e.binary(BinaryOp::Ge, spent, lower);
            let missing = e.binary(BinaryOp::Sub, lower, spent);
            let times = e.binary(BinaryOp::Div, missing, each);
            let times = e.unary(UnaryOp::Ceil, times);
            let times = e.select(enough, zero, times);
            steps = e.binary(BinaryOp::Max, steps, times);
        }
        let e = &mut self.kernel.exprs;
        let infinity = e.f64(f64::INFINITY);
        let mut enough = e.binary(BinaryOp::Lt, steps, infinity);
        for (i, amount) in amounts.all().iter().enumerate().filter(|(_, a)| a.upper < f64::INFINITY) {
            let spent = self.spent(monitor, i, 1.0);
            let each = self.spent_in_a_step(amount);
            let e = &mut self.kernel.exprs;
            let upper = e.f64(amount.upper);
            let more = e.binary(BinaryOp::Mul, each, steps);
            let total = e.binary(BinaryOp::Add, spent, more);
            let within = e.binary(BinaryOp::Le, total, upper);
            enough = e.and(enough, within);
        }
        enough
    }

    /// The amount that a step spends in a state that is never left.
    fn spent_in_a_step(&mut self, amount: &Amount) -> ExprId {
        match amount.structure {
            Some(structure) => self.spent_by_staying(structure),
            None => self.kernel.exprs.f64(1.0),
        }
    }
}
