//! Instances: processes by their slots.

use super::code::Code;
use super::symbols::ProcessId;
use super::values::Value;
use crate::ast;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp as Op, ExprId, FailKind, Node, Type as Ty};
use volvelle_model::{PoolId, SiteSubject};

/// The pool of processes.
pub(super) const PROCESSES: PoolId = PoolId(0);
/// The pool of channels.
pub(super) const CHANNELS: PoolId = PoolId(1);

/// Slots in which `P@label` looks for a `P` that was started by `run`.
const SLOTS_LOOKED_AT: i64 = 32;

impl Code<'_, '_> {
    /// The location of the process in a slot; 0 where there is none.
    pub(super) fn location_of(&mut self, slot: ExprId) -> Value {
        let live = self.is_live(slot);
        let field = self.env.fields.location;
        let place = self.out.field_in(field, Some(slot));
        let location = self.out.program.read(place);
        let e = &mut self.out.program.exprs;
        let zero = e.i64(0);
        let id = e.select(live, location, zero);
        Value { id, lo: 0, hi: i64::from(u32::MAX) }
    }

    /// Whether there is a process in a slot (`bool`).
    pub(super) fn is_live(&mut self, slot: ExprId) -> ExprId {
        let count = self.out.program.field(self.env.fields.processes);
        let e = &mut self.out.program.exprs;
        let (slot, count) = (e.convert(Ty::U64, slot), e.convert(Ty::U64, count));
        e.binary(Op::Lt, slot, count)
    }

    /// Whether a location is one of `count` from `first` on.
    pub(super) fn is_among(&mut self, location: ExprId, first: u32, count: u32) -> ExprId {
        let e = &mut self.out.program.exprs;
        let first = e.i64(i64::from(first));
        let offset = e.binary(Op::Sub, location, first);
        let offset = e.convert(Ty::U64, offset);
        let count = e.u64(u64::from(count));
        e.binary(Op::Lt, offset, count)
    }

    /// The slot of the youngest process of a type, which SPIN selects; -1 if the first slots have no process of it.
    pub(super) fn youngest(&mut self, number: ProcessId, process: &ast::Name) -> ExprId {
        let slots = self.env.processes[number].slots.clone();
        let started = self.env.facts.started.contains(&process.text);
        if let ([slot], false) = (slots.as_slice(), started) {
            return self.out.program.exprs.i64(*slot);
        }
        if slots.len() > 1 {
            let message = format!("`{}` has several instances: the most recent one is used", process.text);
            let note = format!("`{}[pid]` selects one", process.text);
            self.warning(codes::UNUSED_OR_SUSPICIOUS, message, process.place, &note);
        }
        let (first, count) = self.env.processes[number].locations;
        let mut found = self.out.program.exprs.i64(-1);
        for slot in 0..SLOTS_LOOKED_AT {
            let slot = self.out.program.exprs.i64(slot);
            let location = self.location_of(slot);
            let right = self.is_among(location.id, first, count);
            found = self.out.program.exprs.select(right, slot, found);
        }
        found
    }

    /// The slot of a process, which must be there and of a type.
    pub(super) fn checked_slot(&mut self, process: ProcessId, slot: ExprId, place: ast::Place) -> ExprId {
        let live = self.is_live(slot);
        let location = self.location_of(slot);
        let (first, count) = self.env.processes[process].locations;
        let right = self.is_among(location.id, first, count);
        let e = &mut self.out.program.exprs;
        let good = e.and(live, right);
        let minus = e.i64(-1);
        let checked = e.select(good, slot, minus);
        let site = self.site(FailKind::Range, SiteSubject::Expression, place);
        self.out.program.exprs.add(Node::Range { arg: checked, lo: 0, hi: 65_535, site })
    }
}
