//! Building blocks of successor kernels: guards, weights, checks, records of choices.

use super::state::{StateKernel, Write};
use crate::ids::{ActionId, SortId};
use crate::interval::{self, Env};
use crate::layout::Layout;
use crate::parametric::Parametric;
use crate::program::Program;
use crate::rounding::Surroundings;
use crate::steps::{Alternative, Outcome, Weight};
use crate::underflow::SMALLEST;
use volvelle_kernel::{Access, BinaryOp, Block, Buffer, Const, ExprId, FailKind, Local, Site, Stmt, Type};

/// Selects what a step kernel reports besides successors and weights.
#[derive(Clone, Debug, Default)]
pub struct StepOptions {
    /// Whether to report choices. Every kind but CTMC needs them, and so do rewards.
    pub choices: bool,
    /// Reward structures whose transition rewards are wanted, by index.
    pub rewards: Vec<usize>,
    /// Whether to take tables of functions. Otherwise a program that applies functions is rejected
    /// ([`KernelError::Functions`](super::KernelError)).
    pub functions: bool,
    /// Whether to multiply out by loops only, for tests that compare the two ways.
    pub dynamic_only: bool,
}

/// A scratch buffer that the caller provides, as an append buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// `U64`, `F64` or `U32`.
    pub ty: Type,
    /// Limit of elements.
    pub capacity: usize,
}

/// The state of construction, shared with the loops of `dynamic`.
pub(super) struct Builder<'a> {
    pub state: StateKernel<'a>,
    pub options: &'a StepOptions,
    /// Set for a kernel of weights without successors: see `weights`.
    pub parametric: Option<&'a Parametric>,
    pub turned: Option<Site>,
    pub scratch: Vec<Scratch>,
    pub successors: Buffer,
    pub weights: Buffer,
    choice_ends: Buffer,
    choice_groups: Buffer,
    state_ends: Buffer,
    rewards: Buffer,
    /// The buffer for the data of labels, if they have some.
    pub label_data: Option<Buffer>,
    /// `i64` temporary.
    check: Local,
    /// Words of successors under construction, per nesting level.
    accumulators: Vec<Vec<Local>>,
    /// `f64` temporaries.
    reward: Local,
    reward_item: Local,
    /// Weight temporaries, one per nesting level.
    weight_locals: Vec<Local>,
    /// `i64` counters of loops over alternatives, one per nesting level.
    counters: Vec<Local>,
    /// `bool` temporary.
    holds: Option<Local>,
    /// Whether products of weights of the present group may leave the range of doubles.
    pub leaves_doubles: bool,
    /// The context of estimates of weights.
    pub surroundings: Surroundings,
}

impl<'a> Builder<'a> {
    pub fn new(
        program: &'a Program,
        layout: &'a Layout,
        options: &'a StepOptions,
        parametric: Option<&'a Parametric>,
    ) -> Self {
        let name = if parametric.is_some() { "weights" } else { "step" };
        let types = parametric.into_iter().flat_map(|p| p.types());
        let mut state = StateKernel::with_parameters(name, program, layout, types);
        let k = &mut state.kernel;
        let successors = k.buffer("successors", Type::U64, Access::Append);
        let weights = k.buffer("weights", Type::F64, Access::Append);
        let choice_ends = k.buffer("choice_ends", Type::U32, Access::Append);
        let choice_groups = k.buffer("choice_groups", Type::U32, Access::Append);
        let state_ends = k.buffer("state_ends", Type::U32, Access::Append);
        let rewards = k.buffer("rewards", Type::F64, Access::Append);
        let offered = program.longest_offer();
        let label_data =
            (options.choices && offered > 0).then(|| k.buffer("label_data", Type::U64, Access::Append));
        if options.functions {
            state.declare_tables();
        }
        let k = &mut state.kernel;
        let turned = parametric.map(|_| k.site(FailKind::Assertion, program.sites.len() as u32));
        if parametric.is_some() {
            state.declare_values();
        }
        state.declare_offered(offered);
        let k = &mut state.kernel;
        let check = k.local("check", Type::I64);
        let reward = k.local("reward", Type::F64);
        let reward_item = k.local("reward_item", Type::F64);
        Builder {
            state,
            options,
            parametric,
            turned,
            scratch: Vec::new(),
            successors,
            weights,
            choice_ends,
            choice_groups,
            state_ends,
            rewards,
            label_data,
            check,
            accumulators: Vec::new(),
            reward,
            reward_item,
            weight_locals: Vec::new(),
            counters: Vec::new(),
            holds: None,
            leaves_doubles: false,
            surroundings: Surroundings::new(program),
        }
    }

    /// `if all guards { inner }`
    pub fn when_enabled<'b>(
        &mut self,
        alternatives: impl Iterator<Item = &'b Alternative>,
        inner: Block,
    ) -> Block {
        let mut cond = self.state.exprs().bool(true);
        for alternative in alternatives {
            cond = self.state.exprs().and(cond, alternative.guard);
        }
        self.when(cond, inner)
    }

    /// `if cond { inner }`
    pub fn when(&mut self, cond: ExprId, inner: Block) -> Block {
        match self.state.exprs().as_const(cond).and_then(Const::as_bool) {
            Some(true) => inner,
            Some(false) => Vec::new(),
            None => vec![Stmt::If { cond, then: inner, otherwise: Vec::new() }],
        }
    }

    /// Runs `inner` with the product of `weight` and the weight of an outcome, if it is positive.
    pub fn weighted(
        &mut self,
        level: usize,
        weight: ExprId,
        factor: &Weight,
        inner: impl FnOnce(&mut Self, ExprId) -> Block,
    ) -> Block {
        match *factor {
            Weight::Constant { value, .. } => {
                let product = self.times_constant(weight, value);
                inner(self, product)
            }
            // Always positive and finite: see `Parametric`.
            Weight::Expr { expr, .. } if self.is_positive_parameter(expr) => {
                let product = self.times(weight, expr);
                inner(self, product)
            }
            Weight::Expr { expr, site } => {
                let local = self.weight_local(level);
                let value = self.state.kernel.get(local);
                let product = self.times(weight, value);
                let then = inner(self, product);
                let e = self.state.exprs();
                let (zero, infinity) = (e.f64(0.0), e.f64(f64::INFINITY));
                let not_negative = e.binary(BinaryOp::Ge, value, zero);
                let finite = e.binary(BinaryOp::Lt, value, infinity);
                let good = e.and(not_negative, finite);
                let bad = e.not(good);
                let positive = e.binary(BinaryOp::Gt, value, zero);
                let mut block = vec![
                    Stmt::Set { local, value: expr },
                    Stmt::If { cond: bad, then: vec![Stmt::Fail { site }], otherwise: vec![] },
                ];
                block.extend(self.same_as_base(expr, positive));
                block.push(Stmt::If { cond: positive, then, otherwise: vec![] });
                block
            }
        }
    }

    fn times_constant(&mut self, weight: ExprId, factor: f64) -> ExprId {
        let factor = self.state.exprs().f64(factor);
        self.times(weight, factor)
    }

    /// The product of weights. A constant one is dropped (x·1 = x exactly).
    pub fn times(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let e = self.state.exprs();
        let one = e.f64(1.0);
        match (lhs == one, rhs == one) {
            (true, _) => rhs,
            (_, true) => lhs,
            _ => {
                let product = e.binary(BinaryOp::Mul, lhs, rhs);
                self.positive(product)
            }
        }
    }

    /// A product of positive weights, kept a positive double if it might leave their range.
    pub fn positive(&mut self, product: ExprId) -> ExprId {
        if !self.leaves_doubles {
            return product;
        }
        let e = self.state.exprs();
        let (smallest, largest) = (e.f64(SMALLEST), e.f64(f64::MAX));
        let product = e.binary(BinaryOp::Max, product, smallest);
        e.binary(BinaryOp::Min, product, largest)
    }

    pub fn weight_local(&mut self, level: usize) -> Local {
        while self.weight_locals.len() <= level {
            let name = format!("weight{}", self.weight_locals.len());
            self.weight_locals.push(self.state.kernel.local(name, Type::F64));
        }
        self.weight_locals[level]
    }

    /// The counter of a loop over alternatives at a nesting level.
    pub fn counter(&mut self, level: usize) -> Local {
        while self.counters.len() <= level {
            let name = format!("alternative{}", self.counters.len());
            self.counters.push(self.state.kernel.local(name, Type::I64));
        }
        self.counters[level]
    }

    /// The local for whether a guard holds.
    pub fn holds(&mut self) -> Local {
        let kernel = &mut self.state.kernel;
        *self.holds.get_or_insert_with(|| kernel.local("holds", Type::Bool))
    }

    /// The local for word `k` of a successor under construction at a nesting level.
    pub fn accumulator(&mut self, level: usize, k: usize) -> Local {
        while self.accumulators.len() <= level {
            let level = self.accumulators.len();
            let words = self.state.words.len();
            let locals =
                (0..words).map(|k| self.state.kernel.local(format!("next{level}_{k}"), Type::U64)).collect();
            self.accumulators.push(locals);
        }
        self.accumulators[level][k]
    }

    /// Range checks of assigned fields that take no bits.
    pub fn zero_width(&mut self, writes: &[Write]) -> Block {
        if !self.emits_successors() {
            return Vec::new();
        }
        self.state.zero_width_checks(writes, self.check)
    }

    /// The assignments of an outcome, with the ranges that the guard implies.
    pub fn writes(&self, alternative: &Alternative, outcome: &Outcome) -> Vec<Write> {
        if !self.emits_successors() {
            return Vec::new();
        }
        let program = self.state.program;
        let exprs = &self.state.kernel.exprs;
        let env = Env::new(program).assume(exprs, alternative.guard);
        let write = |&assignment: &crate::Assignment| {
            let (lo, hi) = program.fields[assignment.field.index()].domain.bounds();
            let in_range = interval::of(exprs, assignment.value, &env).is_some_and(|v| v.within(lo, hi));
            Write { assignment, in_range }
        };
        outcome.assignments().iter().map(write).collect()
    }

    /// Fails if the probabilities of an alternative do not sum to one.
    pub fn sum_check(&mut self, alternative: &Alternative) -> Option<Stmt> {
        alternative.sum.and_then(|sum| sum.check(self.state.exprs()))
    }

    fn emit_count(&mut self, buffer: Buffer, counted: Buffer) -> Stmt {
        let e = self.state.exprs();
        let len = e.add(volvelle_kernel::Node::Len(counted));
        let value = e.convert(Type::U32, len);
        Stmt::Emit { buffer, value }
    }

    /// Records the end of a choice, with its rewards and the data of its label, which are values of these
    /// sorts.
    pub fn choice_end(&mut self, group: usize, action: ActionId, data: &[SortId]) -> Block {
        if !self.options.choices {
            return Vec::new();
        }
        let mut block = vec![self.emit_count(self.choice_ends, self.weights)];
        let number = self.state.exprs().constant(Const::int(Type::U32, group as i64));
        block.push(Stmt::Emit { buffer: self.choice_groups, value: number });
        for i in 0..self.options.rewards.len() {
            block.extend(self.choice_reward(self.options.rewards[i], action));
        }
        if let Some(buffer) = self.label_data {
            block.extend(self.label(buffer, action, data));
        }
        block
    }

    fn choice_reward(&mut self, structure: usize, action: ActionId) -> Block {
        let program = self.state.program;
        let zero = self.state.exprs().f64(0.0);
        let mut block = vec![Stmt::Set { local: self.reward, value: zero }];
        for item in program.rewards[structure].transitions.iter().filter(|item| item.action == action) {
            let total = self.state.kernel.get(self.reward);
            let value = self.state.kernel.get(self.reward_item);
            let sum = self.state.exprs().binary(BinaryOp::Add, total, value);
            let then = vec![
                Stmt::Set { local: self.reward_item, value: item.value },
                self.state.require_finite(self.reward_item, item.site),
                Stmt::Set { local: self.reward, value: sum },
            ];
            block.push(Stmt::If { cond: item.guard, then, otherwise: vec![] });
        }
        let value = self.state.kernel.get(self.reward);
        block.push(Stmt::Emit { buffer: self.rewards, value });
        block
    }

    pub fn state_end(&mut self) -> Stmt {
        let counted = if self.options.choices { self.choice_ends } else { self.weights };
        self.emit_count(self.state_ends, counted)
    }

    /// Declares a scratch buffer, numbered by its position in the list.
    pub fn scratch(&mut self, name: String, ty: Type, capacity: usize) -> Buffer {
        self.scratch.push(Scratch { ty, capacity });
        self.state.kernel.buffer(name, ty, Access::Append)
    }
}
