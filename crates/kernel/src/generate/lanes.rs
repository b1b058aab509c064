//! Kernels over many lanes: how lanes keep out of each other's way.

use super::Builder;
use crate::expr::{BinaryOp, ExprId, Node};
use crate::harness::Contents;
use crate::kernel::{Access, Block, Buffer, Local, Stmt};
use crate::types::{Const, Type};

/// Elements that each lane has for itself in a buffer that is written.
const SHARE: u64 = 4;

/// How lanes share buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// Number of the first lane.
    first: u64,
    count: u64,
}

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
            contents.push(Contents::Elements((0..lanes.count).map(|_| self.source.constant(ty)).collect()));
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
