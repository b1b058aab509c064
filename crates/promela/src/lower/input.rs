//! The standard input `STDIN`.
//!
//! `chan STDIN;` without channels of its own is the standard input; `STDIN?c` receives a character. After the last one the
//! receive waits for ever, as in SPIN. A simulator puts the next character into a field of the state where a process waits for
//! one ([`Input`]), so that a person can type. For an analysis all characters are known before: they are constants of the
//! program, and a field of the state counts those that were read.

use super::channels::Pattern;
use super::code::{Code, Op};
use super::facts::{Facts, STDIN};
use super::values::Value;
use crate::ast::{Initial, Model, Place, Unit};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Type as Ty};
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
    /// Characters that an analysis reads at most: they are constants of its code.
    pub const MOST: usize = 1 << 16;

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

/// Whether a model reads the standard input: it names `STDIN`, and has no channel of this name.
pub fn reads_input(model: &Model) -> bool {
    let is_channel = |unit: &Unit| match unit {
        Unit::Declaration(declaration) => declaration
            .variables
            .iter()
            .any(|v| v.name.text == STDIN && matches!(v.initial, Some(Initial::Channel(_)))),
        _ => false,
    };
    Facts::of(model).reads_input && !model.units.iter().any(is_channel)
}

/// Characters in a word.
const PER_WORD: usize = 8;

/// The character at a position (`i64`): the word that it is in, found by halves, and then its bits.
fn character_at(e: &mut Exprs, characters: &[u8], position: ExprId) -> ExprId {
    let word = |part: &[u8]| part.iter().rev().fold(0, |word, &c| word << u8::BITS | u64::from(c));
    let mut found: Vec<ExprId> = characters.chunks(PER_WORD).map(|part| e.u64(word(part))).collect();
    let position = e.convert(Ty::U64, position);
    // Each round decides one more bit of the number of the word.
    let (mut bit, one) = (PER_WORD as u64, e.u64(1));
    while found.len() > 1 {
        let shift = e.u64(u64::from(bit.trailing_zeros()));
        let shifted = e.binary(BinaryOp::Shr, position, shift);
        let low = e.binary(BinaryOp::BitAnd, shifted, one);
        let is_second = e.binary(BinaryOp::Eq, low, one);
        found = found
            .chunks(2)
            .map(|pair| match *pair {
                [first, second] => e.select(is_second, second, first),
                _ => pair[0],
            })
            .collect();
        bit *= 2;
    }
    let Some(&word) = found.first() else { return e.i64(0) };
    let (within, three, byte) = (e.u64(PER_WORD as u64 - 1), e.u64(3), e.u64(0xff));
    let within = e.binary(BinaryOp::BitAnd, position, within);
    let shift = e.binary(BinaryOp::Shl, within, three);
    let word = e.binary(BinaryOp::Shr, word, shift);
    let character = e.binary(BinaryOp::BitAnd, word, byte);
    e.convert(Ty::I64, character)
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
            let message = "the model reads `STDIN`, and there is no input";
            let help = "pipe the input to the command (`< FILE`); or, to check the model for all inputs, choose the \
                        input: `select (c : 0 .. 255)`";
            self.unsupported(place, message, help);
            return None;
        };
        if self.env.input.as_ref().is_some_and(|characters| characters.len() > Input::MOST) {
            let message = format!("the standard input has more than {} characters", Input::MOST);
            self.unsupported(place, &message, "check the model with a shorter input");
            return None;
        }
        let next = self.out.program.field(field);
        let e = &mut self.out.program.exprs;
        let (zero, one) = (e.i64(0), e.i64(1));
        let (mut guard, character, after) = match &self.env.input {
            Some(characters) => {
                let end = e.i64(characters.len() as i64);
                let guard = e.binary(BinaryOp::Lt, next, end);
                (guard, character_at(e, characters, next), e.binary(BinaryOp::Add, next, one))
            }
            None => {
                let end = e.i64(Input::END);
                let read = e.binary(BinaryOp::Gt, next, zero);
                let not_end = e.binary(BinaryOp::Lt, next, end);
                (e.and(read, not_end), e.binary(BinaryOp::Sub, next, one), zero)
            }
        };
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
        effect.push(self.out.program.set(volvelle_model::Place::Field(field), after));
        let input = SharedResource::Field(field, Which::Constant(0));
        self.access_to(input, AccessMode::Read);
        self.access_to(input, AccessMode::Write);
        Some(Op { guard, offer: None, effect })
    }
}
