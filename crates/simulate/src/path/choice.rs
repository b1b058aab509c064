//! Drawing: sums of weights, holding times, and the choice of a combination.

use super::builder::Builder;
use super::sums::{Sums, number_type};
use crate::weights::{Arithmetic, Weights};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Stmt, Type};
use volvelle_model::{Kind, RowSum};

impl Builder<'_> {
    /// A weight if its guards hold, else zero.
    pub(super) fn weight_under_guards(&mut self, guards: &[ExprId], weight: ExprId, ty: Type) -> ExprId {
        let mut cond = self.kernel.exprs.bool(true);
        for &guard in guards {
            let guard = self.expr(guard);
            cond = self.both(cond, guard);
        }
        let weight = self.expr(weight);
        let e = &mut self.kernel.exprs;
        let zero = e.constant(Const { ty, bits: 0 });
        let weight = if ty == Type::F64 { weight } else { e.convert(ty, weight) };
        e.select(cond, weight, zero)
    }

    /// Adds numbers up. `name` starts the names of locals.
    pub(super) fn add_up(&mut self, name: &str, numbers: &[ExprId], arithmetic: Arithmetic) -> (Block, Sums) {
        let mut sums = Sums { arithmetic, upto: Vec::new() };
        let ty = sums.ty();
        let mut block = Vec::new();
        let zero = self.kernel.exprs.constant(Const { ty, bits: 0 });
        let mut sum: Option<ExprId> = None;
        for (i, &number) in numbers.iter().enumerate() {
            let e = &mut self.kernel.exprs;
            let value = match sum {
                Some(sum) if number == zero => sum,
                Some(sum) if sum == zero => number,
                Some(sum) => e.binary(BinaryOp::Add, sum, number),
                None => number,
            };
            let is_plain = e.as_const(value).is_some() || Some(value) == sum;
            let upto = if is_plain {
                value
            } else {
                let local = self.temporary(format!("{name}{i}"), ty);
                block.push(Stmt::Set { local, value });
                self.kernel.get(local)
            };
            sums.upto.push(upto);
            sum = Some(upto);
        }
        (block, sums)
    }

    /// Evaluates the weights of the combinations, and whether a step leaves the state.
    pub(super) fn evaluate_weights(&mut self) -> Block {
        let plan = self.plan;
        if self.rows.is_some() {
            return self.weigh_row();
        }
        if plan.combinations.is_empty() {
            self.dead = self.kernel.exprs.bool(true);
            return Vec::new();
        }
        let (mut block, sums) = match self.tree.clone() {
            Some(tree) => self.sums_at_root(&tree),
            None => {
                let ty = number_type(plan.weights.arithmetic);
                let weights = plan.combinations.iter().zip(&plan.weights.values);
                let weights: Vec<ExprId> = weights
                    .map(|(combination, &weight)| self.weight_under_guards(&combination.guards, weight, ty))
                    .collect();
                self.add_up("sum", &weights, plan.weights.arithmetic)
            }
        };
        self.total = sums.total();
        let e = &mut self.kernel.exprs;
        let zero = e.constant(Const { ty: sums.ty(), bits: 0 });
        let mut value = e.binary(BinaryOp::Eq, self.total, zero);
        if plan.ends_where_nothing_changes() {
            let mut absorbed = self.absorbed();
            if let Some(spends) = plan.spends {
                let spends = self.expr(spends);
                let e = &mut self.kernel.exprs;
                let quiet = e.not(spends);
                absorbed = e.and(absorbed, quiet);
            }
            value = self.kernel.exprs.or(absorbed, value);
        }
        self.dead = if self.kernel.exprs.as_const(value).is_some() {
            value
        } else {
            block.push(Stmt::Set { local: self.dead_local, value });
            self.kernel.get(self.dead_local)
        };
        self.sums = Some(sums);
        block
    }

    /// The exit rate, per unit of time.
    pub(super) fn exit_rate(&mut self) -> ExprId {
        let e = &mut self.kernel.exprs;
        let rate = e.convert(Type::F64, self.total);
        if self.plan.weights.unit == 1.0 {
            return rate;
        }
        let unit = e.f64(self.plan.weights.unit);
        e.binary(BinaryOp::Mul, rate, unit)
    }

    /// Draws when the state will be left: never, if no step leaves it.
    pub(super) fn draw_time(&mut self) -> Block {
        let variate = self.temporary("variate".to_owned(), Type::F64);
        let never = self.kernel.exprs.f64(f64::INFINITY);
        let then = vec![Stmt::Set { local: self.then, value: never }];
        if self.kernel.exprs.as_const(self.dead).and_then(Const::as_bool) == Some(true) {
            return then;
        }
        let mut otherwise = self.stream.exponential(&mut self.kernel, variate);
        let rate = self.exit_rate();
        let (now, variate) = (self.kernel.get(self.now), self.kernel.get(variate));
        let e = &mut self.kernel.exprs;
        let dwell = e.binary(BinaryOp::Div, variate, rate);
        let value = e.binary(BinaryOp::Add, now, dwell);
        otherwise.push(Stmt::Set { local: self.then, value });
        self.when(self.dead, then, otherwise)
    }

    /// A step: draws a combination, and performs its stages.
    pub(super) fn go(&mut self) -> Block {
        if self.rows.is_some() {
            return self.follow_row();
        }
        let Some(sums) = self.sums.clone() else { return Vec::new() };
        let mut block = Vec::new();
        let ends = self.plan.ends_where_nothing_changes() && self.place.is_none();
        if ends {
            let value = self.kernel.exprs.bool(false);
            block.push(Stmt::Set { local: self.still, value });
        }
        // If only one combination can be enabled, nothing is drawn; in discrete time there are rarely more.
        let chance = self.plan.program.kind() == Kind::Dtmc;
        block.extend(match self.tree.clone() {
            Some(tree) => self.choose_in_tree(&tree, &sums, chance),
            None => self.choose("pick", &sums, chance, |builder, combination| builder.take(combination)),
        });
        if self.place.is_some() {
            // Each branch of the step has jumped to its location.
            return block;
        }
        if ends && self.may_stay() {
            let cond = self.kernel.get(self.still);
            let value = self.nothing_changes(&sums);
            block.push(Stmt::If {
                cond,
                then: vec![Stmt::Set { local: self.absorbed, value }],
                otherwise: vec![],
            });
        }
        if self.plan.clock {
            let value = self.kernel.get(self.then);
            block.push(Stmt::Set { local: self.now, value });
        }
        block.extend(self.count_step());
        block
    }

    /// Draws one of several choices by weight, and performs it. With `often_alone`, nothing is drawn if the
    /// total is one.
    pub(super) fn choose(
        &mut self,
        name: &str,
        sums: &Sums,
        often_alone: bool,
        mut leaf: impl FnMut(&mut Self, usize) -> Block,
    ) -> Block {
        if sums.len() == 1 {
            return leaf(self, 0);
        }
        let (mut block, drawn) = self.draw(name, sums, often_alone);
        // Alternatives whose weight is always zero are never chosen.
        let mut choices: Vec<usize> =
            (0..sums.len()).filter(|&i| !sums.is_nothing(&self.kernel.exprs, i)).collect();
        if choices.is_empty() {
            choices.push(0);
        }
        block.extend(self.decide(drawn, sums, &choices, &mut leaf));
        block
    }

    /// Draws a number below the total of some weights.
    pub(super) fn draw(&mut self, name: &str, sums: &Sums, often_alone: bool) -> (Block, Local) {
        let ty = sums.ty();
        let drawn = self.temporary(name.to_owned(), ty);
        // Outcomes are drawn by chance even if a scheduler makes the choices.
        let scheduler = self.plan.scheduler.as_ref().filter(|_| often_alone);
        let mut block = match scheduler {
            Some(scheduler) => self.look_up(scheduler, sums.total(), drawn),
            None => self.draw_below(sums, drawn),
        };
        if often_alone {
            let e = &mut self.kernel.exprs;
            let (zero, one) = (e.constant(Const { ty, bits: 0 }), e.constant(Const { ty, bits: 1 }));
            let cond = e.binary(BinaryOp::Gt, sums.total(), one);
            let alone = vec![Stmt::Set { local: drawn, value: zero }];
            block = self.when(cond, block, alone);
        }
        (block, drawn)
    }

    /// The choice for a drawn number, among these: the first whose sum exceeds it.
    pub(super) fn decide(
        &mut self,
        drawn: Local,
        sums: &Sums,
        choices: &[usize],
        leaf: &mut impl FnMut(&mut Self, usize) -> Block,
    ) -> Block {
        if let [choice] = choices {
            return leaf(self, *choice);
        }
        // Halves: as deep as the logarithm of the number of combinations.
        let (low, high) = choices.split_at(choices.len() / 2);
        let drawn_value = self.kernel.get(drawn);
        let cond = self.kernel.exprs.binary(BinaryOp::Lt, drawn_value, sums.upto(low[low.len() - 1]));
        let then = self.decide(drawn, sums, low, leaf);
        let otherwise = self.decide(drawn, sums, high, leaf);
        self.when(cond, then, otherwise)
    }

    /// A number below the total, into `drawn`.
    fn draw_below(&mut self, sums: &Sums, drawn: Local) -> Block {
        let total = sums.total();
        let below = |builder: &mut Self, ty: Type| {
            let total = builder.kernel.exprs.convert(ty, total);
            let local = builder.temporary("drawn".to_owned(), ty);
            let draw = match ty {
                Type::U32 => builder.stream.below32(&mut builder.kernel, total, local),
                _ => builder.stream.below64(&mut builder.kernel, total, local),
            };
            (draw, local)
        };
        let (mut block, value) = match sums.arithmetic {
            Arithmetic::Exact32 => below(self, Type::U32),
            Arithmetic::Exact64 => below(self, Type::U64),
            Arithmetic::Float => {
                let local = self.temporary("drawn".to_owned(), Type::F64);
                let block = self.stream.unit(&mut self.kernel, local);
                let unit = self.kernel.get(local);
                let e = &mut self.kernel.exprs;
                let product = e.binary(BinaryOp::Mul, unit, total);
                // Rounding may give the total itself, which no choice has.
                let (inside, zero) = (e.binary(BinaryOp::Lt, product, total), e.f64(0.0));
                let value = e.select(inside, product, zero);
                let mut block = block;
                block.push(Stmt::Set { local: drawn, value });
                return block;
            }
        };
        let value = self.kernel.get(value);
        let value = self.kernel.exprs.convert(sums.ty(), value);
        block.push(Stmt::Set { local: drawn, value });
        block
    }

    /// Takes a combination: its rewards and its stages.
    pub(super) fn take(&mut self, combination: usize) -> Block {
        let plan = self.plan;
        let mut block = self.earn_by_step(plan.combinations[combination].action);
        for sum in &plan.combinations[combination].sums {
            let expr = self.expr(sum.expr);
            block.extend(RowSum { expr, ..*sum }.check(&mut self.kernel.exprs));
        }
        block.extend(self.stages(combination));
        block
    }

    /// The sums of a stage's branches.
    pub(super) fn stage_sums(
        &mut self,
        combination: usize,
        stage: usize,
        weights: &Weights,
    ) -> (Block, Sums) {
        let ty = number_type(weights.arithmetic);
        let numbers: Vec<ExprId> =
            weights.values.iter().map(|&weight| self.weight_under_guards(&[], weight, ty)).collect();
        self.add_up(&format!("branch{combination}_{stage}_"), &numbers, weights.arithmetic)
    }
}
