//! Rewards of states and transitions.

use super::builder::Builder;
use crate::measure::{Measure, Target};
use crate::table::Earns;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Node, Site, Stmt, Type, UnaryOp};
use volvelle_model::{ActionId, Kind};

impl Builder<'_> {
    /// The reward of the state, per step or unit of time.
    pub(super) fn state_reward(&mut self, structure: usize) -> ExprId {
        if self.rows.is_some() {
            return self.row_reward(structure, Earns::State);
        }
        self.items_of_state(structure, f64::NEG_INFINITY)
    }

    /// Like [`Builder::reward_of_stay`], for a reward that is spent: fails if an item is negative. For a
    /// table this was checked before.
    pub(super) fn spent_by_staying(&mut self, structure: usize) -> ExprId {
        if self.rows.is_some() {
            return self.row_reward(structure, Earns::Stay);
        }
        self.items_of_state(structure, 0.0)
    }

    fn items_of_state(&mut self, structure: usize, least: f64) -> ExprId {
        let plan = self.plan;
        let items = plan.program.rewards[structure].states.iter();
        let items: Vec<_> = items.map(|item| (item.guard, item.value, item.site)).collect();
        self.sum_of_rewards(&items, least)
    }

    /// The reward of staying in the state, per step or unit of time. In a table it includes that of the steps
    /// out of the state.
    pub(super) fn reward_of_stay(&mut self, structure: usize) -> ExprId {
        if self.rows.is_some() {
            return self.row_reward(structure, Earns::Stay);
        }
        self.state_reward(structure)
    }

    /// The sum of the items whose guards hold, in order. An item below `least` is an error.
    fn sum_of_rewards(&mut self, items: &[(ExprId, ExprId, Site)], least: f64) -> ExprId {
        let mut sum: Option<ExprId> = None;
        for &(guard, value, site) in items {
            let guard = self.expr(guard);
            let value = self.finite_reward(value, site, least);
            let e = &mut self.kernel.exprs;
            let zero = e.f64(0.0);
            let earned = e.select(guard, value, zero);
            sum = Some(match sum {
                Some(sum) => e.binary(BinaryOp::Add, sum, earned),
                None => earned,
            });
        }
        sum.unwrap_or_else(|| self.kernel.exprs.f64(0.0))
    }

    /// A reward; fails if it is infinite, NaN, or less than `least`.
    fn finite_reward(&mut self, value: ExprId, site: Site, least: f64) -> ExprId {
        let value = self.expr(value);
        let e = &mut self.kernel.exprs;
        let is_finite = match e.node(value) {
            Node::Const(c) => c.as_f64().is_some_and(|value| value.is_finite() && value >= least),
            Node::Convert { .. } => least < 0.0,
            _ => false,
        };
        if is_finite {
            return value;
        }
        let infinity = e.f64(f64::INFINITY);
        let magnitude = e.unary(UnaryOp::Abs, value);
        let mut finite = e.binary(BinaryOp::Lt, magnitude, infinity);
        if least > f64::NEG_INFINITY {
            let least = e.f64(least);
            let enough = e.binary(BinaryOp::Ge, value, least);
            finite = e.and(finite, enough);
        }
        let bad = crate::weights::failing(e, site);
        e.select(finite, value, bad)
    }

    pub(super) fn add_to(&mut self, local: Local, earned: ExprId) -> Block {
        if self.kernel.exprs.as_const(earned) == Some(Const::f64(0.0)) {
            return Vec::new();
        }
        let so_far = self.kernel.get(local);
        let value = self.kernel.exprs.binary(BinaryOp::Add, so_far, earned);
        vec![Stmt::Set { local, value }]
    }

    /// Adds the reward of the state up to a horizon.
    pub(super) fn earn_until(&mut self, monitor: usize, structure: usize, until: f64) -> Block {
        let reward = self.reward_of_stay(structure);
        if self.plan.program.kind() != Kind::Ctmc {
            return self.add_to(self.values[monitor], reward);
        }
        let (now, then) = (self.kernel.get(self.now), self.kernel.get(self.then));
        let e = &mut self.kernel.exprs;
        let horizon = e.f64(until);
        let over = e.binary(BinaryOp::Ge, then, horizon);
        let last = e.select(over, horizon, then);
        let dwell = e.binary(BinaryOp::Sub, last, now);
        let earned = if e.as_const(reward) == Some(Const::f64(0.0)) {
            reward
        } else {
            e.binary(BinaryOp::Mul, reward, dwell)
        };
        let mut block = self.add_to(self.values[monitor], earned);
        let close = vec![self.close(monitor)];
        block.extend(self.when(over, close, vec![]));
        block
    }

    /// Discrete time: adds the reward of a state that is never left, after this step and up to a horizon.
    pub(super) fn earn_steps_left(&mut self, monitor: usize, structure: usize, until: f64) -> Block {
        let reward = self.reward_of_stay(structure);
        let steps = self.kernel.get(self.steps);
        let e = &mut self.kernel.exprs;
        if e.as_const(reward) == Some(Const::f64(0.0)) {
            return Vec::new();
        }
        let steps = e.convert(Type::F64, steps);
        // The reward of this step is in the sum already.
        let horizon = e.f64(until - 1.0);
        let left = e.binary(BinaryOp::Sub, horizon, steps);
        let earned = e.binary(BinaryOp::Mul, reward, left);
        self.add_to(self.values[monitor], earned)
    }

    /// Adds the reward of a state on the way to a target; in continuous time, for the mean holding time.
    pub(super) fn earn_while_staying(&mut self, monitor: usize, structure: Option<usize>) -> Block {
        let reward = match structure {
            Some(structure) => self.reward_of_stay(structure),
            None => self.kernel.exprs.f64(1.0),
        };
        if self.kernel.exprs.as_const(reward) == Some(Const::f64(0.0)) {
            return Vec::new();
        }
        if self.plan.program.kind() != Kind::Ctmc || !self.plan.can_move() {
            return self.add_to(self.values[monitor], reward);
        }
        let mut rate = self.exit_rate();
        if matches!(self.measure(monitor), Measure::Reach { target: Target::Automaton(_), .. }) {
            // A state without transitions reads its letter again at rate one.
            let dead = self.dead;
            let one = self.kernel.exprs.f64(1.0);
            rate = self.kernel.exprs.select(dead, one, rate);
        }
        let earned = self.kernel.exprs.binary(BinaryOp::Div, reward, rate);
        self.add_to(self.values[monitor], earned)
    }

    /// Adds the reward of a state without transitions until its letter was read often enough; it is read
    /// again after one step, or at rate one. The sum already includes the first reading.
    pub(super) fn earn_until_repeated(
        &mut self,
        monitor: usize,
        structure: Option<usize>,
        automaton: usize,
    ) -> Block {
        let reward = match structure {
            Some(structure) => self.reward_of_stay(structure),
            None => self.kernel.exprs.f64(1.0),
        };
        let meaning = self.repeat_letter(automaton);
        let so_far = self.kernel.get(self.values[monitor]);
        let e = &mut self.kernel.exprs;
        let (rejected, two) = (e.constant(Const::int(Type::U32, 0)), e.f64(2.0));
        let never = e.binary(BinaryOp::Eq, meaning, rejected);
        let times = e.convert(Type::F64, meaning);
        let times = e.binary(BinaryOp::Sub, times, two);
        let earned = e.binary(BinaryOp::Mul, reward, times);
        let total = e.binary(BinaryOp::Add, so_far, earned);
        let infinity = e.f64(f64::INFINITY);
        let value = e.select(never, infinity, total);
        vec![Stmt::Set { local: self.values[monitor], value }]
    }

    /// Adds the rewards of a step with an action.
    pub(super) fn earn_by_step(&mut self, action: ActionId) -> Block {
        let plan = self.plan;
        let mut block = Vec::new();
        for i in 0..self.open.len() {
            let measure = self.measure(i);
            let earned = match measure {
                Measure::Cumulative { structure, .. } | Measure::Within { structure, .. } => Some(structure),
                Measure::Reach { structure, .. } => structure,
                _ => None,
            };
            let mut sums: Vec<_> =
                earned.map(|structure| (structure, self.values[i], f64::NEG_INFINITY)).into_iter().collect();
            for (bound, amount) in measure.amounts().iter().flat_map(|amounts| amounts.all()).enumerate() {
                let sum = amount.structure.zip(self.sum(i, bound));
                sums.extend(sum.map(|(structure, sum)| (structure, sum, 0.0)));
            }
            let mut then = Vec::new();
            for (structure, sum, least) in sums {
                let items =
                    plan.program.rewards[structure].transitions.iter().filter(|item| item.action == action);
                let items: Vec<_> = items.map(|item| (item.guard, item.value, item.site)).collect();
                if !items.is_empty() {
                    let earned = self.sum_of_rewards(&items, least);
                    then.extend(self.add_to(sum, earned));
                }
            }
            if then.is_empty() {
                continue;
            }
            if self.open.len() > 1 {
                let cond = self.kernel.get(self.open[i]);
                block.push(Stmt::If { cond, then, otherwise: vec![] });
            } else {
                block.extend(then);
            }
        }
        block
    }
}
