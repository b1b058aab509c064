//! Segments of paths: from a state drawn from a population, until the importance of the state reaches a level
//! or the property is decided; the latter includes states from which the target is unreachable.
//!
//! The code is that of whole paths, with another beginning and another end. A path begins in a drawn state,
//! at a drawn time and number of steps, with its own stream, all from buffers. It also ends on arrival in a
//! state of sufficient importance. It stores a record of its final state, time and steps, from which another
//! segment may begin. States are examined on entry, before anything is drawn for leaving them, so nothing is
//! lost.

use super::builder::Builder;
use super::interface::{Shape, param};
use super::plan::Plan;
use super::segment_state::Segment;
use crate::importance::Importance;
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Kernel, Local, Stmt, Type};

/// The importance when the property is satisfied: greater than any other.
pub const TARGET: i32 = i32::MAX;

/// Indices of the parameters after those of whole paths.
pub mod parameter {
    /// `i32`: importance at which a segment ends.
    pub const LEVEL: usize = 6;
    /// `u64`: number of states that a segment may begin in.
    pub const COUNT: usize = 7;
}

/// The kernel of segments of a plan that measures a single indicator.
///
/// Parameters are those of whole paths, then [`parameter`]. Buffers: `results` and `status` as for whole paths (steps of the
/// segment only), `starts` (`i64`: fields and steps of each state), `start_times`, `table` (`u16`, of the importance), `ends`
/// and `end_times` likewise for each path, `bests` (`i32`: the greatest importance on the segment, [`TARGET`] where the
/// property was satisfied).
pub fn segment(plan: &Plan, importance: &Importance) -> Kernel {
    let mut builder = Builder::new(plan, Shape::Nested, Some(importance));
    let visit = builder.visit();
    builder.build(visit)
}

impl Builder<'_> {
    /// Steps at the beginning of a path.
    pub(super) fn first_step(&mut self) -> ExprId {
        match &self.segment {
            Some(segment) => self.kernel.get(segment.begun),
            None => self.kernel.exprs.constant(Const::int(Type::U32, 0)),
        }
    }

    /// A segment begins: the state is drawn and loaded.
    pub(super) fn begin_segment(&mut self) -> Block {
        let Some(Segment { count, start, begun, best, starts, start_times, .. }) =
            self.segment.as_ref().map(Segment::parts)
        else {
            return Vec::new();
        };
        let count = self.kernel.get(count);
        let mut block = self.stream.below64(&mut self.kernel, count, start);
        let number = self.kernel.get(start);
        let row = self.row(number);
        for i in 0..=self.fields.len() {
            let e = &mut self.kernel.exprs;
            let offset = e.u64(i as u64);
            let index = if i == 0 { row } else { e.binary(BinaryOp::Add, row, offset) };
            let value = e.load(starts, Type::I64, index);
            let local = self.fields.get(i).copied().unwrap_or(begun);
            let ty = self.kernel.locals[local.index()].ty;
            let value = self.kernel.exprs.convert(ty, value);
            block.push(Stmt::Set { local, value });
        }
        if self.plan.clock {
            let value = self.kernel.exprs.load(start_times, Type::F64, number);
            block.push(Stmt::Set { local: self.now, value });
        }
        let value = self.kernel.exprs.constant(Const::int(Type::I32, 0));
        block.push(Stmt::Set { local: best, value });
        block
    }

    /// The position of a state's record.
    fn row(&mut self, number: ExprId) -> ExprId {
        let width = self.kernel.exprs.u64(self.fields.len() as u64 + 1);
        self.kernel.exprs.binary(BinaryOp::Mul, number, width)
    }

    /// `if the state is important enough, or hopeless { the segment ends } else { block }`
    pub(super) fn unless_reached(&mut self, block: Block) -> Block {
        let Some(Segment { importance, level, here, best, table, .. }) =
            self.segment.as_ref().map(Segment::parts)
        else {
            return block;
        };
        let value = match importance {
            Importance::Expression(expr) => {
                let value = self.expr(*expr);
                self.kernel.exprs.convert(Type::I32, value)
            }
            Importance::Table(entries) => {
                let mut index = self.kernel.exprs.u64(0);
                for &(field, least, stride) in &entries.fields {
                    let value = self.kernel.get(self.fields[field]);
                    let e = &mut self.kernel.exprs;
                    let value = e.convert(Type::I64, value);
                    let (least, stride) = (e.i64(least), e.u64(stride.into()));
                    let value = e.binary(BinaryOp::Sub, value, least);
                    let value = e.convert(Type::U64, value);
                    let value = e.binary(BinaryOp::Mul, value, stride);
                    index = e.binary(BinaryOp::Add, index, value);
                }
                let e = &mut self.kernel.exprs;
                let entry = e.load(table, Type::U16, index);
                e.convert(Type::I32, entry)
            }
        };
        let (is_here, known, level) = (self.kernel.get(here), self.kernel.get(best), self.kernel.get(level));
        let e = &mut self.kernel.exprs;
        let greatest = e.binary(BinaryOp::Max, known, is_here);
        let mut cond = e.binary(BinaryOp::Ge, is_here, level);
        if matches!(importance, Importance::Table(_)) {
            let zero = e.constant(Const::int(Type::I32, 0));
            let hopeless = e.binary(BinaryOp::Eq, is_here, zero);
            cond = e.or(cond, hopeless);
        }
        let then = self.end();
        vec![
            Stmt::Set { local: here, value },
            Stmt::Set { local: best, value: greatest },
            Stmt::If { cond, then, otherwise: block },
        ]
    }

    /// The record of a segment's end.
    pub(super) fn store_segment(&mut self) -> Block {
        let Some(Segment { best, ends, end_times, bests, .. }) = self.segment.as_ref().map(Segment::parts)
        else {
            return Vec::new();
        };
        let path = self.kernel.get(self.path);
        let first = self.kernel.get(self.params[param::FIRST]);
        let number = self.kernel.exprs.binary(BinaryOp::Sub, path, first);
        let row = self.row(number);
        let record: Vec<Local> = self.fields.iter().copied().chain([self.steps]).collect();
        let mut block = self.store_row(ends, row, &record);
        if self.plan.clock {
            let value = self.kernel.get(self.now);
            block.push(Stmt::Store { buffer: end_times, index: number, value });
        }
        let (satisfied, known) = (self.kernel.get(self.values[0]), self.kernel.get(best));
        let e = &mut self.kernel.exprs;
        let one = e.f64(1.0);
        let satisfied = e.binary(BinaryOp::Eq, satisfied, one);
        let target = e.constant(Const::int(Type::I32, TARGET.into()));
        let value = e.select(satisfied, target, known);
        block.push(Stmt::Store { buffer: bests, index: number, value });
        block
    }
}
