//! Random statements.

use super::Builder;
use crate::entities::{Buffer, ExprId, Local};
use crate::expr::Node;
use crate::kernel::{Access, Block, Stmt};
use crate::operations::BinaryOp;
use crate::types::{Const, Type};

/// Deepest nesting of blocks.
const MAX_DEPTH: u32 = 5;
/// Deepest nesting of loops: with at most four rounds each, a statement runs at most 64 times.
const MAX_LOOPS: usize = 3;

impl Builder<'_, '_> {
    pub(super) fn body(&mut self) -> Block {
        let mut body = Block::new();
        while self.statements_left > 0 {
            self.statement(&mut body, 0);
        }
        body
    }

    fn block(&mut self, depth: u32) -> Block {
        let mut block = Block::new();
        for _ in 0..self.source.below(4) {
            if self.statements_left > 0 {
                self.statement(&mut block, depth);
            }
        }
        block
    }

    fn statement(&mut self, out: &mut Block, depth: u32) {
        self.statements_left -= 1;
        let choice = if depth < MAX_DEPTH { self.source.below(17) } else { self.source.below(9) };
        match choice {
            0..=3 => self.set(out),
            4 => self.store(out),
            5 => self.emit(out),
            6 => self.copy(out),
            7 => self.truncate(out),
            8 => self.leave(out, depth),
            9..=11 => {
                let cond = self.expr(Type::Bool);
                let then = self.block(depth + 1);
                let otherwise = if self.source.chance(128) { self.block(depth + 1) } else { Block::new() };
                out.push(Stmt::If { cond, then, otherwise });
            }
            12..=13 => self.switch(out, depth),
            // Lanes do not jump.
            16 if self.lanes.is_none() => self.machine(out, depth),
            _ => self.loop_over(out, depth),
        }
    }

    fn set(&mut self, out: &mut Block) {
        let locals: Vec<Local> =
            (0..self.kernel.locals.len() as u32).map(Local).filter(|&local| self.may_set(local)).collect();
        if locals.is_empty() {
            return;
        }
        let local = self.source.pick(&locals);
        let value = self.expr(self.kernel.locals[local.index()].ty);
        out.push(Stmt::Set { local, value });
    }

    fn buffers_with(&self, fits: impl Fn(Access) -> bool) -> Vec<Buffer> {
        let decls = self.kernel.buffers.iter().enumerate();
        decls.filter(|(_, d)| fits(d.access)).map(|(i, _)| Buffer(i as u32)).collect()
    }

    /// Where to put what is taken from a buffer, if something is: lanes may store to other elements than they take from, and
    /// vector code takes nothing.
    fn taken(&mut self, ty: Type) -> Option<Local> {
        if ty != Type::U32 || self.lanes.is_some() || self.source.chance(128) {
            return None;
        }
        let locals = (0..self.kernel.locals.len() as u32).map(Local);
        let fits = |local: &Local| self.kernel.locals[local.index()].ty == Type::U32 && self.may_set(*local);
        let locals: Vec<Local> = locals.filter(fits).collect();
        (!locals.is_empty()).then(|| self.source.pick(&locals))
    }

    /// Mostly behind a check of the length.
    fn store(&mut self, out: &mut Block) {
        let buffers = self.buffers_with(|access| access != Access::Read);
        if buffers.is_empty() {
            return self.set(out);
        }
        let buffer = self.source.pick(&buffers);
        let small = self.source.below(6) as u64;
        let index =
            if self.source.chance(160) { self.constant(Const::u64(small)) } else { self.expr(Type::U64) };
        let index = self.own(buffer, index);
        let ty = self.kernel.buffers[buffer.index()].ty;
        let store = match self.taken(ty) {
            Some(local) => Stmt::Take { local, buffer, index },
            None => Stmt::Store { buffer, index, value: self.expr(ty) },
        };
        if self.source.chance(24) {
            out.push(store);
            return;
        }
        let len = self.add(Node::Len(buffer));
        let cond = self.add(Node::Binary { op: BinaryOp::Lt, lhs: index, rhs: len });
        out.push(Stmt::If { cond, then: vec![store], otherwise: Block::new() });
    }

    fn emit(&mut self, out: &mut Block) {
        let buffers = self.buffers_with(|access| access == Access::Append);
        if buffers.is_empty() {
            return self.set(out);
        }
        let buffer = self.source.pick(&buffers);
        let value = self.expr(self.kernel.buffers[buffer.index()].ty);
        out.push(Stmt::Emit { buffer, value });
    }

    /// Mostly behind a check of the length.
    fn copy(&mut self, out: &mut Block) {
        let to = self.buffers_with(|access| access == Access::Append);
        if to.is_empty() {
            return self.set(out);
        }
        let buffer = self.source.pick(&to);
        let ty = self.kernel.buffers[buffer.index()].ty;
        let mut from = self.buffers_with(|_| true);
        from.retain(|&from| from != buffer && self.kernel.buffers[from.index()].ty == ty);
        if from.is_empty() {
            return self.emit(out);
        }
        let from = self.source.pick(&from);
        let count = 1 + self.source.below(4);
        let small = self.source.below(4) as u64;
        let start =
            if self.source.chance(200) { self.constant(Const::u64(small)) } else { self.expr(Type::U64) };
        let copy = Stmt::Copy { buffer, from, start, count };
        if self.source.chance(24) {
            out.push(copy);
            return;
        }
        let len = self.add(Node::Len(from));
        let most = self.constant(Const::u64(u64::from(count)));
        let lhs = self.add(Node::Binary { op: BinaryOp::Ge, lhs: len, rhs: most });
        let last = self.add(Node::Binary { op: BinaryOp::Sub, lhs: len, rhs: most });
        let rhs = self.add(Node::Binary { op: BinaryOp::Le, lhs: start, rhs: last });
        let cond = self.add(Node::And { lhs, rhs });
        out.push(Stmt::If { cond, then: vec![copy], otherwise: Block::new() });
    }

    fn truncate(&mut self, out: &mut Block) {
        let buffers = self.buffers_with(|access| access == Access::Append);
        if buffers.is_empty() {
            return self.set(out);
        }
        let buffer = self.source.pick(&buffers);
        let small = self.source.below(8) as u64;
        let len =
            if self.source.chance(128) { self.constant(Const::u64(small)) } else { self.expr(Type::U64) };
        out.push(Stmt::Truncate { buffer, len });
    }

    /// `break`, `goto`, `return` or `fail`, mostly behind a condition.
    fn leave(&mut self, out: &mut Block, depth: u32) {
        let leave = match self.source.below(4) {
            0 => Stmt::Return,
            1 => Stmt::Fail { site: self.site() },
            2 if self.blocks > 0 => self.goto(),
            _ if !self.counters.is_empty() => Stmt::Break,
            _ => return self.set(out),
        };
        if depth > 0 && self.source.chance(32) {
            out.push(leave);
            return;
        }
        let lhs = self.expr(Type::Bool);
        let rhs = self.expr(Type::Bool);
        let cond = self.add(Node::And { lhs, rhs });
        out.push(Stmt::If { cond, then: vec![leave], otherwise: Block::new() });
    }

    fn integer_ty(&mut self) -> Type {
        let ty = self.source.ty();
        if ty.is_int() { ty } else { Type::I32 }
    }

    fn switch(&mut self, out: &mut Block, depth: u32) {
        let ty = self.integer_ty();
        let on = if self.source.chance(160) {
            // Few values, so that cases are met.
            let any = self.expr(ty);
            let mask = self.constant(Const::int(ty, 7));
            self.add(Node::Binary { op: BinaryOp::BitAnd, lhs: any, rhs: mask })
        } else {
            self.expr(ty)
        };
        let dense = self.source.chance(128);
        let mut cases: Vec<(i64, Block)> = Vec::new();
        for i in 0..self.source.below(8) {
            let key = if dense { Const::int(ty, i as i64) } else { self.source.constant(ty) }.bits as i64;
            if cases.iter().all(|(k, _)| *k != key) {
                cases.push((key, self.block(depth + 1)));
            }
        }
        let default = self.block(depth + 1);
        out.push(Stmt::Switch { on, cases, default });
    }

    /// A jump to a block of the machine around.
    fn goto(&mut self) -> Stmt {
        Stmt::Goto { block: self.source.below(self.blocks) }
    }

    /// A local to count with, if there is one and loops do not nest too deep.
    fn counter(&mut self) -> Option<Local> {
        let integers = self.kernel.locals.iter().enumerate().filter(|(_, d)| d.ty.is_int());
        let free: Vec<Local> = integers.map(|(i, _)| Local(i as u32)).filter(|&l| self.may_set(l)).collect();
        (!free.is_empty() && self.counters.len() < MAX_LOOPS).then(|| self.source.pick(&free))
    }

    fn loop_over(&mut self, out: &mut Block, depth: u32) {
        let Some(local) = self.counter() else { return self.set(out) };
        let (from, to) = self.bounds(self.kernel.locals[local.index()].ty);
        self.counters.push(local);
        let around = std::mem::replace(&mut self.blocks, 0);
        let body = self.block(depth + 1);
        self.blocks = around;
        self.counters.pop();
        out.push(Stmt::For { local, from, to, body });
    }

    /// Blocks that mostly end with jumps, to themselves as well.
    fn machine(&mut self, out: &mut Block, depth: u32) {
        let Some(local) = self.counter() else { return self.set(out) };
        let (from, to) = self.bounds(self.kernel.locals[local.index()].ty);
        let blocks = 1 + self.source.below(5);
        let start = if self.source.chance(160) {
            let block = self.source.below(blocks + 1);
            self.constant(Const::int(Type::U32, block.into()))
        } else {
            let any = self.expr(Type::U32);
            let mask = self.constant(Const::int(Type::U32, 3));
            self.add(Node::Binary { op: BinaryOp::BitAnd, lhs: any, rhs: mask })
        };
        self.counters.push(local);
        let around = std::mem::replace(&mut self.blocks, blocks);
        let mut bodies = Vec::new();
        for _ in 0..blocks {
            let mut body = self.block(depth + 1);
            if self.source.chance(96) {
                let cond = self.expr(Type::Bool);
                let (then, otherwise) = (vec![self.goto()], vec![self.goto()]);
                body.push(Stmt::If { cond, then, otherwise });
            } else if self.source.chance(200) {
                body.push(self.goto());
            }
            bodies.push(body);
        }
        self.blocks = around;
        self.counters.pop();
        out.push(Stmt::Machine { local, from, to, start, blocks: bodies });
    }

    /// Bounds at most four apart.
    fn bounds(&mut self, ty: Type) -> (ExprId, ExprId) {
        match self.source.below(4) {
            0 => {
                let rounds = self.source.below(5) as i64;
                (self.constant(Const::int(ty, 0)), self.constant(Const::int(ty, rounds)))
            }
            1 => {
                // Up to the last value of the type.
                let max = if ty.is_signed() { ((1u64 << (ty.bits() - 1)) - 1) as i64 } else { -1 };
                let rounds = self.source.below(5) as i64;
                let from = self.constant(Const::int(ty, max.wrapping_sub(rounds)));
                (from, self.constant(Const::int(ty, max)))
            }
            _ => {
                let from = self.expr(ty);
                let any = self.expr(ty);
                let mask = self.constant(Const::int(ty, 3));
                let rounds = self.add(Node::Binary { op: BinaryOp::BitAnd, lhs: any, rhs: mask });
                (from, self.add(Node::Binary { op: BinaryOp::Add, lhs: from, rhs: rounds }))
            }
        }
    }
}
