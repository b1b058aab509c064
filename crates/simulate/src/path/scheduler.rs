//! Decisions of a scheduler, read from its table.

use super::builder::Builder;
use crate::scheduler::Scheduler;
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Local, Stmt, Type};

impl Builder<'_> {
    /// Stores the choice of the scheduler (below `total`) in `drawn`; fails if there is none.
    pub(super) fn look_up(&mut self, scheduler: &Scheduler, total: ExprId, drawn: Local) -> Block {
        let Some(table) = self.table else { return Vec::new() };
        let plan = self.plan;
        let mut block = Vec::new();
        let mut keep = |builder: &mut Self, name: String, value: ExprId| {
            let local = builder.temporary(name, Type::U64);
            block.push(Stmt::Set { local, value });
            builder.kernel.get(local)
        };
        let mut words = Vec::with_capacity(scheduler.words.len());
        for (i, &word) in scheduler.words.iter().enumerate() {
            let wide = self.translator.wide(&mut self.kernel, &plan.program.exprs, word);
            let value = self.kernel.exprs.convert(Type::U64, wide);
            words.push(keep(self, format!("key{i}"), value));
        }
        let [by_word, by_end, by_displacement] = Scheduler::factors();
        let mut hash = self.kernel.exprs.u64(scheduler.seed);
        for (i, &word) in words.iter().enumerate() {
            let mixed = self.kernel.exprs.binary(BinaryOp::BitXor, hash, word);
            let value = stir(&mut self.kernel.exprs, mixed, by_word);
            hash = keep(self, format!("hash{i}"), value);
        }
        let value = stir(&mut self.kernel.exprs, hash, by_end);
        let hash = keep(self, "hash".to_owned(), value);
        let e = &mut self.kernel.exprs;
        let last_bucket = e.u64(scheduler.buckets - 1);
        let bucket = e.binary(BinaryOp::BitAnd, hash, last_bucket);
        let displacement = e.load(table, Type::U64, bucket);
        let displaced = e.binary(BinaryOp::BitXor, hash, displacement);
        let stirred = stir(e, displaced, by_displacement);
        let (factor, half, last) = (e.u64(by_word), e.u64(32), e.u64(scheduler.entries - 1));
        let product = e.binary(BinaryOp::Mul, stirred, factor);
        let high = e.binary(BinaryOp::Shr, product, half);
        let place = e.binary(BinaryOp::BitAnd, high, last);
        let (stride, first) = (e.u64(words.len() as u64 + 1), e.u64(scheduler.buckets));
        let offset = e.binary(BinaryOp::Mul, place, stride);
        let value = e.binary(BinaryOp::Add, offset, first);
        let at = keep(self, "entry".to_owned(), value);
        let e = &mut self.kernel.exprs;
        let behind = e.u64(words.len() as u64);
        let index = e.binary(BinaryOp::Add, at, behind);
        let value = e.load(table, Type::U64, index);
        let choice = keep(self, "choice".to_owned(), value);
        let e = &mut self.kernel.exprs;
        let zero = e.u64(0);
        let total = e.convert(Type::U64, total);
        let (some, known) = (e.binary(BinaryOp::Gt, choice, zero), e.binary(BinaryOp::Le, choice, total));
        let mut good = e.and(some, known);
        for (i, &word) in words.iter().enumerate() {
            let offset = e.u64(i as u64);
            let index = e.binary(BinaryOp::Add, at, offset);
            let entry = e.load(table, Type::U64, index);
            let same = e.binary(BinaryOp::Eq, entry, word);
            good = e.and(good, same);
        }
        let cond = e.not(good);
        block.push(Stmt::If { cond, then: vec![Stmt::Fail { site: scheduler.site }], otherwise: vec![] });
        let ty = self.kernel.locals[drawn.index()].ty;
        let e = &mut self.kernel.exprs;
        let one = e.u64(1);
        let number = e.binary(BinaryOp::Sub, choice, one);
        let value = e.convert(ty, number);
        block.push(Stmt::Set { local: drawn, value });
        block
    }
}

/// A round of hashing.
fn stir(e: &mut Exprs, hash: ExprId, factor: u64) -> ExprId {
    let (factor, half) = (e.u64(factor), e.u64(32));
    let product = e.binary(BinaryOp::Mul, hash, factor);
    let high = e.binary(BinaryOp::Shr, product, half);
    e.binary(BinaryOp::BitXor, product, high)
}
