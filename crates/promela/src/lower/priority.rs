//! Priorities of processes, as SPIN has them since version 6.2.
//!
//! Where a model mentions priorities, each process has one, from 1 to 255, and moves only where no process of a higher one
//! can. It is 1 unless `active … priority n` or `run P() priority n` says otherwise; `set_priority` changes it, and so does an
//! assignment to `_priority`.

use super::Lowering;
use super::expression::Value;
use super::variables::{Instance, Scope};
use crate::ast::{self, ExprKind, Place, Unit};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Node, Stmt};
use volvelle_model::{ComponentId, Domain, FieldId, SiteSubject};

/// The priority that a process has unless something else is said.
pub(super) const USUAL: i64 = 1;
/// The highest.
const HIGHEST: i64 = 255;

impl Lowering<'_> {
    /// Whether the model mentions priorities.
    pub(super) fn has_priorities(&self) -> bool {
        let in_header =
            self.model.units.iter().any(|u| matches!(u, Unit::Proctype(p) if p.priority.is_some()));
        in_header
            || self.model.exprs.0.iter().any(|e| match &e.kind {
                ExprKind::Run { priority, .. } => priority.is_some(),
                ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => true,
                ExprKind::Name(name) => name.text == "_priority",
                _ => false,
            })
    }

    /// Declares the field, in the header of processes.
    pub(super) fn priority_field(&mut self, header: ComponentId, place: Place) {
        if self.has_priorities() {
            let domain = Domain::Int { lo: 0, hi: HIGHEST };
            let field = self.field("_priority".into(), domain, Some(header), 1, place);
            self.field_types[field.index()] = Some(super::types::Scalar::Byte);
            self.program.network.priority = Some(field);
        }
    }

    /// The number behind `priority`.
    pub(super) fn priority_of(&mut self, priority: Option<ast::ExprId>) -> i64 {
        let Some(priority) = priority else { return USUAL };
        let place = self.place(priority);
        match self.constant(priority) {
            Some(n) if (1..=HIGHEST).contains(&n) => n,
            Some(n) => {
                let message = format!("{n} is no priority");
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
        let Some(field) = self.program.network.priority else { return };
        let value = self.program.exprs.i64(priority);
        let statement = self.store_priority(field, slot, value);
        block.push(statement);
    }

    fn store_priority(&mut self, field: FieldId, slot: ExprId, value: ExprId) -> Stmt {
        let place = self.program.field_in(field, Some(slot));
        self.program.set(place, value)
    }

    /// `get_priority(pid)`; 0 where there is no such process.
    pub(super) fn get_priority(&mut self, scope: &Scope, pid: ast::ExprId) -> Option<Value> {
        let pid = self.expr(scope, pid)?;
        self.priority_in(pid.id)
    }

    /// `_priority`
    pub(super) fn own_priority(&mut self, scope: &Scope, place: Place) -> Option<Value> {
        if scope.process.is_none() {
            self.error(codes::UNKNOWN_NAME, "`_priority` is known in processes only", place, "");
            return None;
        }
        let me = self.me(scope);
        self.priority_in(me)
    }

    fn me(&mut self, scope: &Scope) -> ExprId {
        match scope.instance {
            Instance::Own => self.program.read(volvelle_model::Place::Mover),
            Instance::At(slot) => slot,
        }
    }

    fn priority_in(&mut self, slot: ExprId) -> Option<Value> {
        let field = self.program.network.priority?;
        let live = self.is_live(slot);
        let place = self.program.field_in(field, Some(slot));
        let found = self.program.read(place);
        let e = &mut self.program.exprs;
        let zero = e.i64(0);
        Some(Value { id: e.select(live, found, zero), lo: 0, hi: HIGHEST })
    }

    /// `set_priority(pid, priority)`: nothing where there is no such process.
    pub(super) fn set_priority(
        &mut self,
        scope: &Scope,
        pid: ast::ExprId,
        priority: ast::ExprId,
    ) -> Option<Block> {
        let slot = self.expr(scope, pid)?;
        let place = self.place(priority);
        let value = self.expr(scope, priority)?;
        let then = self.change_priority(slot.id, value, place)?;
        let cond = self.is_live(slot.id);
        Some(vec![Stmt::If { cond, then: vec![then], otherwise: vec![] }])
    }

    /// Whether a variable is `_priority`.
    pub(super) fn is_own_priority(&self, scope: &Scope, variable: ast::ExprId) -> bool {
        let is_name =
            matches!(&self.model.exprs.get(variable).kind, ExprKind::Name(name) if name.text == "_priority");
        is_name && self.lookup(scope, "_priority").is_none()
    }

    /// `_priority++` and `_priority--`
    pub(super) fn add_to_own_priority(
        &mut self,
        scope: &Scope,
        variable: ast::ExprId,
        amount: i64,
    ) -> Option<Block> {
        let place = self.place(variable);
        let old = self.own_priority(scope, place)?;
        let amount = self.number(amount);
        let id = self.program.exprs.binary(BinaryOp::Add, old.id, amount.id);
        let me = self.me(scope);
        let value = Value { id, lo: old.lo + amount.lo, hi: old.hi + amount.hi };
        Some(vec![self.change_priority(me, value, place)?])
    }

    /// `_priority = priority`
    pub(super) fn set_own_priority(&mut self, scope: &Scope, priority: ast::ExprId) -> Option<Block> {
        let place = self.place(priority);
        let value = self.expr(scope, priority)?;
        let me = self.me(scope);
        Some(vec![self.change_priority(me, value, place)?])
    }

    fn change_priority(&mut self, slot: ExprId, value: Value, place: Place) -> Option<Stmt> {
        let field = self.program.network.priority?;
        let mut id = value.id;
        if value.lo < 1 || value.hi > HIGHEST {
            let site = self.site(FailKind::Range, SiteSubject::Assignment(field), place);
            id = self.program.exprs.add(Node::Range { arg: id, lo: 1, hi: HIGHEST, site });
        }
        Some(self.store_priority(field, slot, id))
    }
}
