//! Runs long atomic sequences in a loop, in place.
//!
//! [`super::follow`] may stop at a location where a single step is possible, because a loop begins anew or
//! the sequence is long. There the process continues in a machine whose blocks are the locations; no state in
//! between is copied, stored or observed. The caller limits the number of steps
//! ([`super::network_buffer::REACH`]), so that endless loops end and their states become visible. The process
//! stops at a choice, a handshake, an assertion, or the creation of a process or channel.

use super::TRANSIENT;
use super::access::{Version, Who};
use super::builder::Builder;
use super::follow::may_fail;
use crate::ids::LocationId;
use crate::program::SiteSubject;
use crate::steps::Alternative;
use std::collections::BTreeMap;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Stmt, Type};

/// The variables of a machine.
struct Run {
    /// The location (`i64`); -1 for none.
    at: Local,
    /// Number of steps done (`u32`).
    done: Local,
    /// Whether the atomic sequence is over.
    over: Local,
}

/// The number of the machine's block for each location.
type Numbers = BTreeMap<LocationId, u32>;

impl<'a> Builder<'a> {
    /// Lets the successors of this state run on.
    pub(super) fn run_on(&mut self) -> Block {
        if self.entries.is_empty() && !self.is_counting {
            return Block::new();
        }
        let k = &mut self.access.kernel;
        let (index, step) = (k.local("index", Type::U64), k.local("step", Type::U32));
        let run = Run {
            at: k.local("at", Type::I64),
            done: k.local("done", Type::U32),
            over: k.local("over", Type::Bool),
        };
        let (before, end, number) = (self.get(self.before), self.len(self.steps), self.get(index));
        let e = self.access.exprs();
        let value = e.load(self.steps, Type::U32, number);
        let none = e.constant(Const::int(Type::U32, 0));
        let mut body = vec![Stmt::Set { local: step, value }, Stmt::Set { local: run.done, value: none }];
        if !self.entries.is_empty() {
            let (step_value, bit) = (self.get(step), self.transient());
            let set = self.binary(BinaryOp::BitAnd, step_value, bit);
            let cond = self.binary(BinaryOp::Ne, set, none);
            let then = self.run_one(index, step, &run);
            body.push(Stmt::If { cond, then, otherwise: Vec::new() });
        }
        if self.is_counting {
            let done = self.get(run.done);
            let one = self.access.exprs().constant(Const::int(Type::U32, 1));
            let value = self.binary(BinaryOp::Add, done, one);
            body.push(Stmt::Emit { buffer: self.lengths, value });
        }
        vec![Stmt::For { local: index, from: before, to: end, body }]
    }

    fn transient(&mut self) -> ExprId {
        self.access.exprs().constant(Const::int(Type::U32, i64::from(TRANSIENT)))
    }

    /// Lets one successor run on.
    fn run_one(&mut self, index: Local, step: Local, run: &Run) -> Block {
        let k = &mut self.access.kernel;
        let (rounds, start) = (k.local("rounds", Type::U64), k.local("start", Type::U32));
        let owner = self.program().network.owner.expect("some process goes on alone");
        let location = self.program().network.location.expect("a network has a field for locations");
        let context = (Version::Target, Who::Mover);
        let (number, words) = (self.get(index), self.u64(self.access.layout.words() as u64));
        let first = self.binary(BinaryOp::Mul, number, words);
        let mut block = vec![Stmt::Set { local: self.access.target, value: first }];
        let owner = self.access.scalar(owner, context);
        let e = self.access.exprs();
        let one = e.i64(1);
        let slot = e.binary(BinaryOp::Sub, owner, one);
        block.push(Stmt::Set { local: self.access.slots[Who::Mover as usize], value: slot });
        block.extend(self.enter(Who::Mover));
        let value = self.access.scalar(location, context);
        let e = self.access.exprs();
        let (no, none) = (e.bool(false), e.constant(Const::int(Type::U32, i64::from(u32::MAX))));
        block.push(Stmt::Set { local: run.at, value });
        block.push(Stmt::Set { local: run.over, value: no });
        block.push(Stmt::Set { local: start, value: none });
        let numbers = self.run_locations();
        let begin = |builder: &mut Self, number: u32| {
            let value = builder.access.exprs().constant(Const::int(Type::U32, i64::from(number)));
            vec![Stmt::Set { local: start, value }]
        };
        let entries: Vec<LocationId> = self.entries.iter().copied().collect();
        let cases = entries.iter().map(|l| (i64::from(l.0), begin(self, numbers[l]))).collect();
        let at = self.get(run.at);
        block.push(Stmt::Switch { on: at, cases, default: Vec::new() });
        let blocks = self.run_blocks(&numbers, run);
        let (zero, state) = (self.u64(0), self.get(self.state));
        let to = self.access.exprs().load(self.reach, Type::U64, state);
        let start = self.get(start);
        block.push(Stmt::Machine { local: rounds, from: zero, to, start, blocks });
        let end = self.run_end(index, step, run);
        let done = self.get(run.done);
        let none = self.access.exprs().constant(Const::int(Type::U32, 0));
        let cond = self.binary(BinaryOp::Ne, done, none);
        block.push(Stmt::If { cond, then: end, otherwise: Vec::new() });
        block
    }

    /// The locations that are passed, starting from the entries.
    fn run_locations(&self) -> Numbers {
        let mut numbers = Numbers::new();
        let mut open: Vec<LocationId> = self.entries.iter().copied().collect();
        while let Some(location) = open.pop() {
            if numbers.contains_key(&location) {
                continue;
            }
            let Some(choices) = self.choices_at(location) else { continue };
            numbers.insert(location, 0);
            let passed = choices.into_iter().filter(|choice| !self.stops(choice) && choice.then_exclusive());
            open.extend(passed.map(Alternative::target).filter(|&target| target != LocationId::NOWHERE));
        }
        for (number, value) in (0..).zip(numbers.values_mut()) {
            *value = number;
        }
        numbers
    }

    /// Whether a transition is a step of its own. Failed assertions must be attributed to their own step. If
    /// room is lacking, the last successor must be the state that lacks it.
    fn stops(&self, alternative: &Alternative) -> bool {
        let is_own = |subject: &SiteSubject| matches!(subject, SiteSubject::Assertion | SiteSubject::Room(_));
        may_fail(self, alternative.effect(), &is_own)
    }

    fn run_blocks(&mut self, numbers: &Numbers, run: &Run) -> Vec<Block> {
        let context = (Version::Target, Who::Mover);
        let mut blocks = Vec::with_capacity(numbers.len());
        for &location in numbers.keys() {
            let choices = self.choices_at(location).expect("it has a number");
            let mut branches = Vec::with_capacity(choices.len());
            for choice in choices {
                let cond = self.access.expr(choice.guard, context);
                let then =
                    if self.stops(choice) { Block::new() } else { self.run_step(choice, numbers, run) };
                branches.push((cond, then));
            }
            let mut block = Block::new();
            for (cond, then) in branches.into_iter().rev() {
                block = self.branch(cond, then, block);
            }
            blocks.push(block);
        }
        blocks
    }

    /// A step, and the block that it leads to.
    fn run_step(&mut self, choice: &'a Alternative, numbers: &Numbers, run: &Run) -> Block {
        let target = choice.target();
        let mut block = self.block(choice.effect(), (Version::Target, Who::Mover), None);
        let at = if target == LocationId::NOWHERE { -1 } else { i64::from(target.0) };
        let value = self.access.exprs().i64(at);
        block.push(Stmt::Set { local: run.at, value });
        let done = self.get(run.done);
        let one = self.access.exprs().constant(Const::int(Type::U32, 1));
        let value = self.binary(BinaryOp::Add, done, one);
        block.push(Stmt::Set { local: run.done, value });
        if !choice.then_exclusive() {
            let value = self.access.exprs().bool(true);
            block.push(Stmt::Set { local: run.over, value });
        } else if let Some(&number) = numbers.get(&target) {
            block.push(Stmt::Goto { block: number });
        }
        block
    }

    /// Stores where the process has arrived.
    fn run_end(&mut self, index: Local, step: Local, run: &Run) -> Block {
        let at = self.get(run.at);
        let zero = self.access.exprs().i64(0);
        let cond = self.binary(BinaryOp::Ge, at, zero);
        let then = self.move_to(Who::Mover, at);
        let mut end = vec![Stmt::If { cond, then, otherwise: Vec::new() }];
        let mut over = self.bookkeeping(Who::Mover, false);
        let (number, step, bit) = (self.get(index), self.get(step), self.transient());
        let value = self.binary(BinaryOp::Sub, step, bit);
        over.push(Stmt::Store { buffer: self.steps, index: number, value });
        let cond = self.get(run.over);
        end.push(Stmt::If { cond, then: over, otherwise: Vec::new() });
        end
    }
}
