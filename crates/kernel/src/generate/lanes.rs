//! Kernels over many lanes: how lanes keep out of each other's way.

use super::source::Source;
use super::{Builder, Case, Lanes};
use crate::code::{Code, Compiler, Exit};
use crate::entities::{Buffer, ExprId, Local};
use crate::expr::Node;
use crate::harness::{Contents, Outcome, run, same_value};
use crate::interp::Interpreter;
use crate::kernel::{Access, Block, Stmt};
use crate::operations::BinaryOp;
use crate::types::{Const, Type};

/// Elements that each lane has for itself in a buffer that is written.
const SHARE: u64 = 4;

impl Lanes {
    /// Elements of a buffer in which each lane has its share.
    pub(super) fn elements(&self) -> u64 {
        self.count * SHARE
    }
}

impl Builder<'_, '_> {
    /// Declares the parameter that is the number of the lane. Nothing sets it.
    pub(super) fn declare_lane(&mut self, count: usize) -> Const {
        self.kernel.param("lane", Type::U64);
        let first = if self.source.chance(128) { self.source.below(100).into() } else { self.source.word() };
        self.lanes = Some(Lanes { first, count: count as u64 });
        Const::u64(first)
    }

    /// Whether a statement may set a local.
    pub(super) fn may_set(&self, local: Local) -> bool {
        !self.counters.contains(&local) && (self.lanes.is_none() || local != Local(0))
    }

    /// How many lanes come before this one.
    fn position(&mut self, lanes: Lanes) -> ExprId {
        let lane = self.add(Node::Local(Local(0), Type::U64));
        let first = self.constant(Const::u64(lanes.first));
        self.add(Node::Binary { op: BinaryOp::Sub, lhs: lane, rhs: first })
    }

    /// Makes an index into a buffer one of the lane's own, or one beyond the end.
    pub(super) fn own(&mut self, buffer: Buffer, index: ExprId) -> ExprId {
        let Some(lanes) = self.lanes.filter(|_| self.kernel.buffers[buffer.index()].access == Access::Write)
        else {
            return index;
        };
        if self.source.chance(8) {
            let far = self.constant(Const::u64(1 << 40));
            return self.add(Node::Binary { op: BinaryOp::BitOr, lhs: index, rhs: far });
        }
        let (share, last) = (self.constant(Const::u64(SHARE)), self.constant(Const::u64(SHARE - 1)));
        let position = self.position(lanes);
        let start = self.add(Node::Binary { op: BinaryOp::Mul, lhs: position, rhs: share });
        let offset = self.add(Node::Binary { op: BinaryOp::BitAnd, lhs: index, rhs: last });
        self.add(Node::Binary { op: BinaryOp::Add, lhs: start, rhs: offset })
    }

    /// Many elements, for which few bytes of a fuzzer do.
    pub(super) fn many(&mut self, ty: Type, count: u64) -> Contents {
        let mut values = Source::seeded(self.source.word());
        Contents::Elements((0..count).map(|_| values.constant(ty)).collect())
    }

    /// Statements that give some locals a value that differs from lane to lane.
    pub(super) fn set_locals(&mut self, contents: &mut Vec<Contents>) -> Block {
        let mut block = Block::new();
        let Some(lanes) = self.lanes else { return block };
        for i in 1..self.kernel.locals.len() {
            if self.source.chance(64) {
                continue;
            }
            let ty = self.kernel.locals[i].ty;
            let buffer = self.kernel.buffer(format!("initial_{i}"), ty, Access::Read);
            contents.push(self.many(ty, lanes.count));
            let index = self.position(lanes);
            let value = self.add(Node::Load { buffer, ty, index });
            block.push(Stmt::Set { local: Local(i as u32), value });
        }
        block
    }

    /// Ends the body by storing every local.
    pub(super) fn store_locals(&mut self, contents: &mut Vec<Contents>) {
        let Some(lanes) = self.lanes else { return };
        for i in 0..self.kernel.locals.len() {
            let ty = self.kernel.locals[i].ty;
            let buffer = self.kernel.buffer(format!("final_{i}"), ty, Access::Write);
            contents.push(Contents::Elements((0..lanes.count).map(|_| Const { ty, bits: 0 }).collect()));
            let index = self.position(lanes);
            let value = self.kernel.get(Local(i as u32));
            self.kernel.body.push(Stmt::Store { buffer, index, value });
        }
    }
}

/// The outcome of a case over many lanes in the reference interpreter.
#[derive(Clone, Debug)]
pub struct LaneByLane {
    lanes: usize,
    /// How lanes fail that do.
    pub failures: Vec<Exit>,
    /// The buffers at the end, where no lane fails.
    outcome: Option<Outcome>,
}

impl LaneByLane {
    /// Compares what a run of all lanes left with the reference. Gives the exit.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn compare(&self, found: &Outcome) -> Result<Exit, String> {
        match &self.outcome {
            Some(expected) if found == expected => Ok(Exit::Done),
            Some(expected) => Err(difference(expected, found)),
            None if self.failures.contains(&found.exit) => Ok(found.exit),
            None => Err(format!("the run ends with {:?}, lanes fail with {:?}", found.exit, self.failures)),
        }
    }
}

impl Case {
    /// Runs a case for `lanes` lanes, one after the other, on the reference interpreter.
    ///
    /// # Panics
    /// Where the verifier does not accept the kernel, or its first parameter is not the number of a lane.
    pub fn lane_by_lane(&self, lanes: usize) -> LaneByLane {
        let code = Interpreter.compile(&self.kernel).expect("a valid kernel");
        let exit = |lane: usize| {
            let params = self.params_of(lane);
            run(&*code, &self.kernel.buffers, &params, &self.buffers).exit
        };
        let failures: Vec<Exit> = (0..lanes).map(exit).filter(|exit| *exit != Exit::Done).collect();
        let outcome = failures.is_empty().then(|| self.run_in_steps(&*code, 1, lanes));
        LaneByLane { lanes, failures, outcome }
    }

    /// Compares code that runs `width` lanes at once, a divisor of all lanes, with the reference. Gives the exit.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn agrees(&self, reference: &LaneByLane, code: &dyn Code, width: usize) -> Result<Exit, String> {
        reference.compare(&self.run_in_steps(code, width, reference.lanes))
    }

    fn params_of(&self, lane: usize) -> Vec<Const> {
        let mut params = self.params.clone();
        params[0] = Const::u64(params[0].bits.wrapping_add(lane as u64));
        params
    }

    /// Runs `width` lanes after the other, until some do not end well.
    fn run_in_steps(&self, code: &dyn Code, width: usize, lanes: usize) -> Outcome {
        let mut contents = self.buffers.clone();
        let mut outcome = Outcome { exit: Exit::Done, buffers: Vec::new() };
        for lane in (0..lanes).step_by(width) {
            outcome = run(code, &self.kernel.buffers, &self.params_of(lane), &contents);
            if outcome.exit != Exit::Done {
                break;
            }
            contents = outcome.buffers.iter().cloned().map(Contents::Elements).collect();
        }
        outcome
    }
}

fn difference(expected: &Outcome, found: &Outcome) -> String {
    if expected.exit != found.exit {
        return format!("{:?} instead of {:?}", found.exit, expected.exit);
    }
    for (buffer, (a, b)) in expected.buffers.iter().zip(&found.buffers).enumerate() {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if !same_value(*a, *b) {
                return format!("buffer {buffer}, element {i}: {b:x?} instead of {a:x?}");
            }
        }
    }
    "buffers differ in length".to_owned()
}
