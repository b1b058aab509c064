//! Priorities of processes, as SPIN has them since version 6.2.
//!
//! Where a model mentions priorities, each process has one, from 1 to 255, and moves only where no process with a higher one
//! can move. It is 1 unless `active … priority n` or `run P() priority n` says otherwise; `set_priority` changes it, and so does an
//! assignment to `_priority`.

use super::code::{Code, Context};
use super::symbols::Instance;
use super::values::Value;
use crate::ast::{self, Place};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Node, Stmt};
use volvelle_model::{Domain, FieldId, SiteSubject};

/// The priority of a process for which the model gives none.
const USUAL: i64 = 1;
/// The highest priority.
const HIGHEST: i64 = 255;
/// The values of a field that holds a priority; 0 in empty slots.
pub(super) const DOMAIN: Domain = Domain::Int { lo: 0, hi: HIGHEST };

impl Code<'_, '_> {
    /// The number after `priority`; the default priority if absent.
    pub(super) fn priority_of(&mut self, priority: Option<ast::ExprId>) -> i64 {
        let Some(priority) = priority else { return USUAL };
        let place = self.env.place(priority);
        match self.env.constant(priority) {
            Some(n) if (1..=HIGHEST).contains(&n) => n,
            Some(n) => {
                let message = format!("{n} is not a priority");
                self.error(codes::TYPE_MISMATCH, message, place, "priorities are numbers from 1 to 255");
                USUAL
            }
            None => {
                let help = "`set_priority` changes it while the process runs";
                self.error(codes::NOT_CONSTANT, "a priority must be a constant", place, help);
                USUAL
            }
        }
    }

    /// Gives the process that starts in a slot its priority.
    pub(super) fn begin_with_priority(&mut self, slot: ExprId, priority: i64, block: &mut Block) {
        let Some(field) = self.out.program.network.priority else { return };
        let value = self.out.program.exprs.i64(priority);
        let statement = self.store_priority(field, slot, value);
        block.push(statement);
    }

    fn store_priority(&mut self, field: FieldId, slot: ExprId, value: ExprId) -> Stmt {
        let place = self.out.field_in(field, Some(slot));
        self.out.program.set(place, value)
    }

    /// `_priority`
    pub(super) fn own_priority(&mut self, cx: Context<'_>, place: Place) -> Option<Value> {
        if cx.scope.process.is_none() {
            self.error(codes::UNKNOWN_NAME, "`_priority` is available in processes only", place, "");
            return None;
        }
        let me = self.me(cx);
        self.priority_in(me)
    }

    /// The slot of the process whose code this is.
    pub(super) fn me(&mut self, cx: Context<'_>) -> ExprId {
        match cx.scope.instance {
            Instance::Own => self.out.program.read(volvelle_model::Place::Mover),
            Instance::At(slot) => slot,
        }
    }

    /// The priority of the process in a slot; 0 where there is none.
    pub(super) fn priority_in(&mut self, slot: ExprId) -> Option<Value> {
        let field = self.out.program.network.priority?;
        let live = self.is_live(slot);
        let place = self.out.field_in(field, Some(slot));
        let found = self.out.program.read(place);
        let e = &mut self.out.program.exprs;
        let zero = e.i64(0);
        Some(Value { id: e.select(live, found, zero), lo: 0, hi: HIGHEST })
    }

    /// `set_priority(pid, priority)`: nothing where there is no such process. `place` is that of the priority.
    pub(super) fn set_priority(&mut self, slot: ExprId, value: Value, place: Place) -> Option<Block> {
        let then = self.change_priority(slot, value, place)?;
        let cond = self.is_live(slot);
        Some(vec![Stmt::If { cond, then: vec![then], otherwise: vec![] }])
    }

    /// `_priority++` and `_priority--`
    pub(super) fn add_to_own_priority(
        &mut self,
        cx: Context<'_>,
        variable: ast::ExprId,
        amount: i64,
    ) -> Option<Block> {
        let place = self.env.place(variable);
        let old = self.own_priority(cx, place)?;
        let amount = self.number(amount);
        let id = self.out.program.exprs.binary(BinaryOp::Add, old.id, amount.id);
        let me = self.me(cx);
        let value = Value { id, lo: old.lo + amount.lo, hi: old.hi + amount.hi };
        Some(vec![self.change_priority(me, value, place)?])
    }

    /// `_priority = priority`, where `place` is that of the priority.
    pub(super) fn set_own_priority(&mut self, cx: Context<'_>, value: Value, place: Place) -> Option<Block> {
        let me = self.me(cx);
        Some(vec![self.change_priority(me, value, place)?])
    }

    fn change_priority(&mut self, slot: ExprId, value: Value, place: Place) -> Option<Stmt> {
        let field = self.out.program.network.priority?;
        let mut id = value.id;
        if value.lo < 1 || value.hi > HIGHEST {
            let site = self.site(FailKind::Range, SiteSubject::Assignment(field), place);
            id = self.out.program.exprs.add(Node::Range { arg: id, lo: 1, hi: HIGHEST, site });
        }
        Some(self.store_priority(field, slot, id))
    }
}
