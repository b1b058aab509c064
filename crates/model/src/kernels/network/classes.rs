//! Priority classes: a process moves only where no process of a higher class can.
//!
//! A loop visits the processes class by class, from the highest down, until one class has steps. The code of
//! a process exists once. If a process has exclusive control, processes of higher classes are visited before
//! it. If one of them can move, its steps are discarded and nothing moves in this state, so that exclusive
//! control ends.

use super::access::Who;
use super::builder::{Builder, Classes};
use crate::ids::FieldId;
use volvelle_kernel::{BinaryOp, Block, ExprId, Stmt, Type};

/// Higher than every class.
const ABOVE: i64 = 256;

impl Builder<'_> {
    /// The steps of the highest class that has any.
    pub(super) fn by_class(&mut self) -> Block {
        let Some(Classes { round, class, next, alone, errors, .. }) = self.classes else { return Vec::new() };
        let mut block = vec![self.set_len(errors, self.errors)];
        block.extend(self.find_alone());
        let above = self.access.exprs().i64(ABOVE);
        block.push(Stmt::Set { local: class, value: above });
        let mut body = self.find_next();
        let (zero, next_value) = (self.access.exprs().i64(0), self.get(next));
        let none = self.binary(BinaryOp::Eq, next_value, zero);
        body.push(Stmt::If { cond: none, then: vec![Stmt::Break], otherwise: vec![] });
        body.push(Stmt::Set { local: class, value: next_value });
        body.extend(self.of_class());
        let nothing = self.nothing_since(self.before);
        let something = self.access.exprs().not(nothing);
        let (class_value, alone_value) = (self.get(class), self.get(alone));
        // Lower classes than that of a process with exclusive control cannot affect it.
        let last = self.binary(BinaryOp::Le, class_value, alone_value);
        let done = self.access.exprs().or(something, last);
        body.push(Stmt::If { cond: done, then: vec![Stmt::Break], otherwise: vec![] });
        let (zero, live) = (self.u64(0), self.get(self.live));
        block.push(Stmt::For { local: round, from: zero, to: live, body });
        block.extend(self.take_back());
        block
    }

    fn class_of(&mut self, field: FieldId) -> ExprId {
        self.access.scalar(field, (super::access::Version::Source, Who::Mover))
    }

    /// Finds the class of the process with exclusive control.
    fn find_alone(&mut self) -> Block {
        let Some(Classes { priority, alone, .. }) = self.classes else { return Vec::new() };
        let zero = self.access.exprs().i64(0);
        let mut block = vec![Stmt::Set { local: alone, value: zero }];
        if let Some(cond) = self.alone() {
            let from = self.get(self.from);
            let slot = self.access.exprs().convert(Type::I64, from);
            let mut then = vec![Stmt::Set { local: self.access.slots[0], value: slot }];
            then.extend(self.enter(Who::Mover));
            let value = self.class_of(priority);
            then.push(Stmt::Set { local: alone, value });
            block.push(Stmt::If { cond, then, otherwise: vec![] });
        }
        block
    }

    /// Finds the next lower class; 0 if there is none.
    fn find_next(&mut self) -> Block {
        let Some(Classes { priority, class, next, .. }) = self.classes else { return Vec::new() };
        let zero = self.access.exprs().i64(0);
        let mut body = self.enter(Who::Mover);
        let value = self.class_of(priority);
        let (class, found) = (self.get(class), self.get(next));
        let e = self.access.exprs();
        let below = e.binary(BinaryOp::Lt, value, class);
        let higher = e.binary(BinaryOp::Gt, value, found);
        let cond = e.and(below, higher);
        body.push(Stmt::If { cond, then: vec![Stmt::Set { local: next, value }], otherwise: vec![] });
        vec![Stmt::Set { local: next, value: zero }, self.for_all(body)]
    }

    fn for_all(&mut self, body: Block) -> Stmt {
        let zero = self.access.exprs().i64(0);
        let live = self.get(self.live);
        let to = self.access.exprs().convert(Type::I64, live);
        Stmt::For { local: self.access.slots[0], from: zero, to, body }
    }

    /// The steps of the present class. In the class of a process with exclusive control, no other process
    /// moves.
    fn of_class(&mut self) -> Block {
        let Some(Classes { priority, class, alone, .. }) = self.classes else { return Vec::new() };
        let mut body = self.enter(Who::Mover);
        let value = self.class_of(priority);
        let (class, alone) = (self.get(class), self.get(alone));
        let slot = self.get(self.access.slots[0]);
        let (from, to) = (self.get(self.from), self.get(self.to));
        let e = self.access.exprs();
        let same = e.binary(BinaryOp::Eq, value, class);
        let slot = e.convert(Type::U64, slot);
        let (after, before) = (e.binary(BinaryOp::Ge, slot, from), e.binary(BinaryOp::Lt, slot, to));
        let among = e.and(after, before);
        let higher = e.binary(BinaryOp::Ne, class, alone);
        let may = e.or(higher, among);
        let cond = e.and(same, may);
        let then = self.process();
        body.push(Stmt::If { cond, then, otherwise: vec![] });
        vec![self.for_all(body)]
    }

    /// Discards the steps of higher classes if a process has exclusive control.
    fn take_back(&mut self) -> Block {
        let Some(Classes { class, alone, errors, .. }) = self.classes else { return Vec::new() };
        let Some(goes_alone) = self.alone() else { return Vec::new() };
        let (class, alone) = (self.get(class), self.get(alone));
        let higher = self.binary(BinaryOp::Gt, class, alone);
        let cond = self.access.exprs().and(goes_alone, higher);
        let words = self.u64(self.access.layout.words() as u64);
        let before = self.get(self.before);
        let states = self.binary(BinaryOp::Mul, before, words);
        let errors_before = self.get(errors);
        let then = vec![
            Stmt::Truncate { buffer: self.steps, len: before },
            Stmt::Truncate { buffer: self.access.successors, len: states },
            Stmt::Truncate { buffer: self.errors, len: errors_before },
        ];
        vec![Stmt::If { cond, then, otherwise: vec![] }]
    }
}
