//! The standard input `STDIN`: characters for simulations.
//!
//! `chan STDIN;` without channels of its own is the standard input; `STDIN?c` receives a character. The input is no part of a
//! model, so that only simulations have it: the simulator puts the next character into a field of the state where a process
//! waits for one ([`Input`]). After the last character the receive waits for ever, as in SPIN.

use super::channels::Pattern;
use super::code::{Code, Op};
use super::values::Value;
use crate::ast::Place;
use rustc_hash::FxHashSet;
use volvelle_diagnostics::codes;
use volvelle_kernel::BinaryOp;
use volvelle_model::{AccessMode, FieldId, LocationId, Program, SharedResource, Which};

/// The place through which a simulator gives characters to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Global field: 1 + the next character; 0 where it is to be read; [`Input::END`].
    pub field: FieldId,
    /// Locations at which processes wait for a character.
    pub readers: FxHashSet<LocationId>,
}

impl Input {
    /// The value of the field after the last character.
    pub const END: i64 = 257;

    /// The input through a field of a finished program.
    pub(super) fn of(program: &Program, field: FieldId) -> Input {
        let read = SharedResource::Field(field, Which::Constant(0));
        let mut readers = FxHashSet::default();
        for (l, location) in program.network.locations.iter().enumerate() {
            let mut transitions = location.alternatives();
            if transitions.any(|t| t.accesses.iter().any(|touch| touch.resource == read)) {
                readers.insert(LocationId(l as u32));
            }
        }
        Input { field, readers }
    }
}

impl Code<'_, '_> {
    /// Reports a use of the standard input other than a receive.
    pub(super) fn input_misuse(&mut self, place: Place) {
        let help = "write `STDIN?c`, with a variable or a value";
        self.error(codes::TYPE_MISMATCH, "`STDIN` can only be received from", place, help);
    }

    /// The operation of `STDIN?c`.
    pub(super) fn receive_input(&mut self, pattern: Option<Pattern>, place: Place) -> Option<Op> {
        let Some(pattern) = pattern else {
            self.input_misuse(place);
            return None;
        };
        let Some(field) = self.env.fields.input else {
            let message = "`STDIN` is read in simulations only";
            let help = "to check the model for all inputs, choose the input: `select (c : 0 .. 255)`";
            self.unsupported(place, message, help);
            return None;
        };
        let next = self.out.program.field(field);
        let e = &mut self.out.program.exprs;
        let (zero, one, end) = (e.i64(0), e.i64(1), e.i64(Input::END));
        let character = e.binary(BinaryOp::Sub, next, one);
        let read = e.binary(BinaryOp::Gt, next, zero);
        let not_end = e.binary(BinaryOp::Lt, next, end);
        let mut guard = e.and(read, not_end);
        let mut effect = Vec::new();
        match pattern {
            Pattern::Ignored => {}
            Pattern::Variable(access) => {
                effect.push(self.write(access, Value { id: character, lo: 0, hi: 255 }));
            }
            Pattern::Value(wanted) => {
                let e = &mut self.out.program.exprs;
                let same = e.binary(BinaryOp::Eq, character, wanted.id);
                guard = e.and(guard, same);
            }
        }
        effect.push(self.out.program.set(volvelle_model::Place::Field(field), zero));
        let input = SharedResource::Field(field, Which::Constant(0));
        self.access_to(input, AccessMode::Read);
        self.access_to(input, AccessMode::Write);
        Some(Op { guard, offer: None, effect })
    }
}
