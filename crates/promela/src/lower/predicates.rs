//! Predicates on processes, for claims: `enabled(pid)`, `pc_value(pid)`, `np_`.

use super::code::{Code, Context};
use super::symbols::Scope;
use super::values::Value;
use crate::ast::{self, ExprKind, Place};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp as Op, ExprId, Node, map_operands};
use volvelle_model::{self as model, LocationId, Program};

impl Code<'_, '_> {
    /// `np_` (`bool`): no process is at a progress label, and something can move.
    pub(super) fn no_progress(&mut self, cx: Context<'_>, place: Place) -> Option<ExprId> {
        if cx.scope.process.is_some() {
            self.claims_only("np_", place);
            return None;
        }
        Some(self.out.program.read(model::Place::NoProgress))
    }

    /// Reports a predicate outside of claims.
    fn claims_only(&mut self, what: &str, place: Place) {
        let message = format!("only claims (`never`, `ltl`) may use `{what}`");
        let help = "a process cannot see what others can do; use a shared variable instead";
        self.error(codes::UNSUPPORTED_CONSTRUCT, message, place, help);
    }

    /// `pc_value(pid)`: the location of a process among those of its type, counted from 1; 0 where there is no process.
    pub(super) fn pc_value(&mut self, slot: ExprId) -> Value {
        let location = self.location_of(slot).id;
        let mut number = self.out.program.exprs.i64(0);
        let mut most = 0;
        for (first, count) in self.env.processes.values().map(|p| p.locations).collect::<Vec<_>>() {
            let is_one = self.is_among(location, first, count);
            let e = &mut self.out.program.exprs;
            let before = e.i64(i64::from(first) - 1);
            let own = e.binary(Op::Sub, location, before);
            number = e.select(is_one, own, number);
            most = most.max(i64::from(count));
        }
        Value { id: number, lo: 0, hi: most }
    }

    /// Warns of comparisons of `pc_value` with numbers: SPIN numbers locations differently.
    pub(super) fn check_pc_value(&mut self, lhs: ast::ExprId, rhs: ast::ExprId) {
        let asks = |e: ast::ExprId| matches!(self.env.model.exprs.get(e).kind, ExprKind::PcValue(_));
        let number = |e: ast::ExprId| self.env.constant(e).is_some_and(|n| n != 0);
        if asks(lhs) && number(rhs) || asks(rhs) && number(lhs) {
            let place = self.env.place(lhs);
            let message = "`pc_value` is compared with a number, but SPIN numbers statements differently";
            let help = "use a label: `P@label` or `P[pid]@label`";
            self.warning(codes::UNUSED_OR_SUSPICIOUS, message, place, help);
        }
    }

    /// Whether `enabled` is allowed here; reports why not.
    pub(super) fn may_use_enabled(&mut self, scope: &Scope, place: Place) -> bool {
        if scope.process.is_some() {
            self.claims_only("enabled", place);
            return false;
        }
        if self.out.program.network.alternatives().any(|t| t.offer.is_some()) {
            let message = "`enabled` cannot be combined with rendezvous channels";
            let help = "whether a sender can move depends on its receivers; SPIN rejects this as well";
            self.unsupported(place, message, help);
            return false;
        }
        true
    }

    /// `enabled(pid)` (`bool`): the process in a slot can take a step. False where there is no such process.
    pub(super) fn enabled(&mut self, slot: ExprId) -> ExprId {
        let location = self.location_of(slot).id;
        let mut relocation = Relocation { slot, known: FxHashMap::default() };
        let mut result = self.out.program.exprs.bool(false);
        for number in 0..self.out.program.network.types.len() {
            let ty = &self.out.program.network.types[number];
            let (first, count, guard) = (ty.first, ty.count, ty.guard);
            let mut can = self.out.program.exprs.bool(false);
            for l in first.0..first.0 + count {
                let all = self.out.program.network.locations[LocationId(l).index()].alternatives();
                let guards: Vec<ExprId> = all.map(|a| a.guard).collect();
                let mut any = self.out.program.exprs.bool(false);
                for guard in guards {
                    let guard = relocation.expr(&mut self.out.program, guard);
                    any = self.out.program.exprs.or(any, guard);
                }
                let e = &mut self.out.program.exprs;
                let here = e.i64(i64::from(l));
                let is_here = e.binary(Op::Eq, location, here);
                let both = e.and(is_here, any);
                can = e.or(can, both);
            }
            if let Some(guard) = guard {
                let guard = relocation.expr(&mut self.out.program, guard);
                can = self.out.program.exprs.and(guard, can);
            }
            let is_one = self.is_among(location, first.0, count);
            let e = &mut self.out.program.exprs;
            let both = e.and(is_one, can);
            result = e.or(result, both);
        }
        result
    }
}

/// Rewrites expressions of the process that moves as expressions of the process in a slot.
struct Relocation {
    slot: ExprId,
    known: FxHashMap<ExprId, ExprId>,
}

impl Relocation {
    fn expr(&mut self, program: &mut Program, root: ExprId) -> ExprId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = program.exprs.node(id);
            let before = stack.len();
            program.each_operand(&node, |c| {
                if !self.known.contains_key(&c) {
                    stack.push(c);
                }
            });
            if stack.len() == before {
                stack.pop();
                let moved = self.node(program, map_operands(node, |c| self.known[&c]));
                self.known.insert(id, moved);
            }
        }
        self.known[&root]
    }

    /// A node whose operands are rewritten.
    fn node(&self, program: &mut Program, node: Node) -> ExprId {
        let place = match program.place_read(&node) {
            Some(model::Place::Mover) => return self.slot,
            Some(model::Place::Field(field)) => program.field_in(field, Some(self.slot)),
            // The slot may be an expression of the process that moves.
            Some(model::Place::Slot { pool, slot, field }) => {
                model::Place::Slot { pool, slot: self.known[&slot], field }
            }
            _ => return program.exprs.add(node),
        };
        match node {
            Node::Load { index, .. } => program.read_element(place, index),
            _ => program.read(place),
        }
    }
}
