//! Spans: the parts of a program in which registers hold values that are still needed.

use crate::program::{Class, Inst, Op, Program};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A range of steps: instruction `i` reads in step `2 i` and writes in step `2 i + 1`. Doubles are already
/// written in step `2 i`, since one half may be written before the other half of an operand is read.
/// Invariants are written before step 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// First step in which the register has a value.
    pub(crate) first: u32,
    /// Last step in which it is needed.
    pub(crate) last: u32,
}

impl Span {
    fn cover(&mut self, step: u32) {
        self.first = self.first.min(step);
        self.last = self.last.max(step);
    }
}

/// The span of each register that occurs.
pub(crate) fn spans(program: &Program, code: &[Op]) -> Vec<Option<Span>> {
    let mut spans: Vec<Option<Span>> = vec![None; program.classes.len()];
    let mut cover = |reg: usize, step: u32| {
        spans[reg].get_or_insert(Span { first: step, last: step }).cover(step);
    };
    for inst in &program.invariants {
        inst.dst().iter().for_each(|dst| cover(dst.index(), 0));
    }
    let mut heads = FxHashMap::default();
    let mut loops = Vec::new();
    for (i, op) in code.iter().enumerate() {
        let step = 2 * i as u32;
        op.each_use(|reg| cover(reg.index(), step));
        if let Some(dst) = op.inst.dst() {
            cover(dst.index(), step + 1);
            if op.merges() || program.class(dst) == Class::Double {
                cover(dst.index(), step);
            }
        }
        match op.inst {
            Inst::Head { label } => {
                heads.insert(label, step);
            }
            Inst::Repeat { head, .. } => loops.push((head, step + 1)),
            _ => {}
        }
    }
    let keeps: FxHashMap<_, _> = program.loops.iter().map(|l| (l.head, &l.keeps)).collect();
    // Inner loops end first.
    for (label, end) in loops {
        let Some(&start) = heads.get(&label) else { continue };
        for span in spans.iter_mut().flatten() {
            if span.first < start && span.last >= start && span.last < end {
                span.last = end;
            }
        }
        let Some(keeps) = keeps.get(&label) else { continue };
        for reg in *keeps {
            if let Some(span) = &mut spans[reg.index()]
                && span.first <= end
                && span.last >= start
            {
                span.cover(start);
                span.cover(end);
            }
        }
    }
    spans
}

/// Places shared by registers that are not needed at the same time. Registers take them in the order of their
/// spans.
#[derive(Default)]
pub(crate) struct File {
    /// Places in all.
    pub(crate) size: u32,
    free: Vec<u32>,
    /// Last step and place of the registers that still hold one.
    taken: BinaryHeap<Reverse<(u32, u32)>>,
}

impl File {
    /// A place for a span.
    pub(crate) fn take(&mut self, span: Span) -> u32 {
        while let Some(&Reverse((last, slot))) = self.taken.peek() {
            if last >= span.first {
                break;
            }
            self.taken.pop();
            self.free.push(slot);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.size += 1;
            self.size - 1
        });
        self.taken.push(Reverse((span.last, slot)));
        slot
    }
}
