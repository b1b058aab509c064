//! Slots for registers; registers that are not needed at the same time share one.

use crate::program::{Class, Program, Reg};
use crate::spans::{File, Span};

/// The slots of registers, and the number of slots.
pub(super) struct Slots {
    /// By register; the register's class selects the file.
    pub(super) of: Vec<Reg>,
    /// Places of words and masks.
    pub(super) words: usize,
    pub(super) doubles: usize,
}

/// Assigns slots by linear scan (Poletto and Sarkar 1999, doi:10.1145/330249.330250); their number is
/// unlimited.
pub(super) fn assign(program: &Program, spans: &[Option<Span>]) -> Slots {
    let mut order: Vec<(Span, usize)> =
        spans.iter().enumerate().filter_map(|(reg, span)| span.map(|span| (span, reg))).collect();
    order.sort_by_key(|(span, reg)| (span.first, *reg));
    let mut slots = Slots { of: vec![Reg(0); spans.len()], words: 0, doubles: 0 };
    let mut words = File::default();
    let mut doubles = File::default();
    for (span, reg) in order {
        let file = if program.classes[reg] == Class::Double { &mut doubles } else { &mut words };
        slots.of[reg] = Reg(file.take(span));
    }
    slots.words = words.size as usize;
    slots.doubles = doubles.size as usize;
    slots
}
