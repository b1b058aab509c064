//! `STDIN`: characters for simulations.
//!
//! `chan STDIN;` without channels of its own is the standard input; `STDIN?c` takes a character. What can be read is no part of
//! a model, so that only simulations have it: who takes the steps puts the next character into a field of the state where
//! a process waits for one ([`Input`]). Behind the last character there is none: the receive waits for ever, as in SPIN.

use super::statements::Op;
use super::variables::Scope;
use super::{Lowering, expression::Value};
use crate::ast::{self, ExprKind, Place};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::codes;
use volvelle_kernel::BinaryOp;
use volvelle_model::{Domain, FieldId, LocationId, Manner, Object, Role, Which};

/// How characters come into a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Global field: 1 + the next character; 0 where it is to be read; [`Input::END`].
    pub field: FieldId,
    /// Where processes wait for a character.
    pub readers: FxHashSet<LocationId>,
}

impl Input {
    /// Behind the last character.
    pub const END: i64 = 257;
}

const NAME: &str = "STDIN";

impl Lowering<'_> {
    /// Declares the field, for simulations of models that read.
    pub(super) fn input_field(&mut self, place: Place) {
        let reads = |e: &ast::Expr| matches!(&e.kind, ExprKind::Name(name) if name.text == NAME);
        if self.printing.is_some() && self.model.exprs.0.iter().any(reads) {
            let field = self.field(":input".into(), Domain::Int { lo: 0, hi: Input::END }, None, 1, place);
            self.input = Some(Input { field, readers: FxHashSet::default() });
        }
    }

    /// Whether an expression is the standard input.
    pub(super) fn is_input(&self, scope: &Scope, channel: ast::ExprId) -> bool {
        let ExprKind::Name(name) = &self.model.exprs.get(channel).kind else { return false };
        let has_channel = |variable: super::variables::VarId| {
            let info = &self.variables[variable.0 as usize];
            info.channel.is_some() || info.process.is_some() || self.assigned.contains(NAME)
        };
        name.text == NAME && !self.lookup(scope, NAME).is_some_and(has_channel)
    }

    /// Complains of a use of the standard input that is none.
    pub(super) fn no_input(&mut self, place: Place) {
        let help = "write `STDIN?c`, with a variable or a value";
        self.error(codes::TYPE_MISMATCH, "`STDIN` can be received from, and nothing else", place, help);
    }

    /// The operations of `STDIN?c`.
    pub(super) fn receive_input(
        &mut self,
        scope: &Scope,
        args: &[ast::ExprId],
        place: Place,
    ) -> Option<Vec<Op>> {
        let &[arg] = args else {
            self.no_input(place);
            return None;
        };
        let Some(field) = self.input.as_ref().map(|input| input.field) else {
            let message = "`STDIN` is read in simulations only";
            let help = "to check the model for all inputs, choose them: `select (c : 0 .. 255)`";
            self.unsupported(place, message, help);
            return None;
        };
        let next = self.program.field(field);
        let e = &mut self.program.exprs;
        let (zero, one, end) = (e.i64(0), e.i64(1), e.i64(Input::END));
        let character = e.binary(BinaryOp::Sub, next, one);
        let read = e.binary(BinaryOp::Gt, next, zero);
        let not_end = e.binary(BinaryOp::Lt, next, end);
        let mut guard = e.and(read, not_end);
        let mut effect = Vec::new();
        match &self.model.exprs.get(arg).kind {
            ExprKind::Name(name) if name.text == "_" => {}
            ExprKind::Name(name) if self.lookup(scope, &name.text).is_none() => {
                guard = self.is_character(scope, arg, (guard, character))?;
            }
            ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Field { .. } => {
                let access = self.access(scope, arg)?;
                effect.push(self.write(access, Value { id: character, lo: 0, hi: 255 }));
            }
            _ => guard = self.is_character(scope, arg, (guard, character))?,
        }
        effect.push(self.program.set(volvelle_model::Place::Field(field), zero));
        let input = Object::Field(field, Which::Constant(0));
        self.touch(input, Manner::Read);
        self.touch(input, Manner::Write);
        Some(vec![Op { guard, role: Role::Alone, effect }])
    }

    fn is_character(
        &mut self,
        scope: &Scope,
        arg: ast::ExprId,
        (guard, character): (volvelle_kernel::ExprId, volvelle_kernel::ExprId),
    ) -> Option<volvelle_kernel::ExprId> {
        let wanted = self.expr(scope, arg)?;
        let e = &mut self.program.exprs;
        let same = e.binary(BinaryOp::Eq, character, wanted.id);
        Some(e.and(guard, same))
    }

    /// Finds out where processes wait for characters.
    pub(super) fn find_readers(&mut self) {
        let Some(input) = &mut self.input else { return };
        let field = Object::Field(input.field, Which::Constant(0));
        for (l, location) in self.program.network.locations.iter().enumerate() {
            let mut transitions = location.tiers.iter().flat_map(|t| &t.transitions);
            if transitions.any(|t| t.touches.iter().any(|touch| touch.object == field)) {
                input.readers.insert(LocationId(l as u32));
            }
        }
    }
}
