//! Assigns registers of the program to registers of the machine, by linear scan (Poletto and Sarkar 1999,
//! doi:10.1145/330249.330250). If there are too few, the one whose uses weigh least is kept in memory.

use super::frame::aligned;
use super::place::{GENERAL, Halves, Place};
use crate::program::{Class, Inst, Label, Op, Program, Reg};
use crate::spans::{File, Span};

/// Registers of a machine for allocation; the others belong to the emitter.
#[derive(Clone, Copy)]
pub(super) struct Registers {
    /// Vector registers from 0 on.
    pub(super) vectors: u8,
    /// Mask registers; empty if masks are vectors.
    pub(super) masks: &'static [u8],
    /// Bytes of a vector.
    pub(super) bytes: i32,
}

/// The places of all registers.
pub(super) struct Allocation {
    /// By register.
    pub(super) places: Vec<Halves>,
    /// End of the frame so far, in bytes.
    pub(super) frame: i32,
}

/// Frequency of code that a skip may leave out, if it stores (the end of a path) or loops. Chosen by
/// measurement, as is [`LOGIC`].
const RARE: f32 = 0.5;

/// A guess of the relative frequencies of instructions. With many lanes, few skips leave anything out.
fn frequencies(code: &[Op]) -> Vec<f32> {
    let rare = rare_skips(code);
    let mut frequency = 1f32;
    // A loop follows a count or a skip to its end.
    let mut regions: Vec<(Label, f32)> = Vec::new();
    let mut all = Vec::with_capacity(code.len());
    for (i, op) in code.iter().enumerate() {
        match op.inst {
            Inst::Skip { to, .. } => {
                regions.push((to, frequency));
                frequency *= if rare[i] { RARE } else { 1.0 };
            }
            Inst::Count { end, .. } => regions.push((end, frequency)),
            Inst::Label { label } => {
                // Regions of one label: the first is the outermost.
                if let Some(first) = regions.iter().position(|(to, _)| *to == label) {
                    frequency = regions[first].1;
                    regions.truncate(first);
                }
            }
            Inst::Head { .. } => frequency *= 8.0,
            _ => {}
        }
        all.push(frequency);
    }
    all
}

/// Skips that leave out a store or a loop.
fn rare_skips(code: &[Op]) -> Vec<bool> {
    let mut rare = vec![false; code.len()];
    let mut open: Vec<(Label, usize)> = Vec::new();
    for (i, op) in code.iter().enumerate() {
        match op.inst {
            Inst::Skip { to, .. } => open.push((to, i)),
            Inst::Label { label } => open.retain(|(to, _)| *to != label),
            Inst::Store { .. } | Inst::Head { .. } => {
                for &(_, start) in &open {
                    rare[start] = true;
                }
            }
            _ => {}
        }
    }
    rare
}

/// The cost of a mask outside mask registers in a logical operation, relative to its cost as a predicate.
const LOGIC: f32 = 0.3;

/// The cost of keeping each register in memory.
fn weights(program: &Program, code: &[Op]) -> Vec<f32> {
    let mut weights = vec![0f32; program.classes.len()];
    for (op, frequency) in code.iter().zip(frequencies(code)) {
        // Masks can be combined in general registers as well; predicates need mask registers.
        let frequency = match op.inst {
            Inst::Logic { .. } | Inst::Skip { .. } | Inst::Repeat { .. } | Inst::Fail { .. } => {
                frequency * LOGIC
            }
            _ => frequency,
        };
        op.each_use(|reg| weights[reg.index()] += frequency);
        if let Some(dst) = op.inst.dst() {
            weights[dst.index()] += frequency;
        }
    }
    weights
}

/// One half of a register that wants a place.
#[derive(Clone, Copy)]
struct Unit {
    span: Span,
    reg: Reg,
    half: usize,
}

/// Assigns places to all registers without one; the halves of a shared double get the same place.
pub(super) fn allocate(
    program: &Program,
    code: &[Op],
    spans: &[Option<Span>],
    shared: &[bool],
    registers: Registers,
    mut places: Vec<Halves>,
    frame: i32,
) -> Allocation {
    let weights = weights(program, code);
    let (mut vectors, mut masks) = (Vec::new(), Vec::new());
    for (i, span) in spans.iter().enumerate() {
        let (Some(span), [Place::None, Place::None]) = (*span, places[i]) else { continue };
        let reg = Reg(i as u32);
        match program.class(reg) {
            Class::Mask if !registers.masks.is_empty() => masks.push(Unit { span, reg, half: 0 }),
            Class::Mask | Class::Word => vectors.push(Unit { span, reg, half: 0 }),
            Class::Double if shared[i] => vectors.push(Unit { span, reg, half: 0 }),
            Class::Double => vectors.extend([0, 1].map(|half| Unit { span, reg, half })),
        }
    }
    let mut frame = aligned(frame, 64);
    let left = scan(vectors, &weights, (0..registers.vectors).map(Place::Vector).collect(), &mut places);
    in_frame(&left, &mut places, &mut frame, registers.bytes);
    let left = scan(masks, &weights, registers.masks.iter().map(|&n| Place::Mask(n)).collect(), &mut places);
    let general = (0..GENERAL.len() as u8).rev().map(Place::General).collect();
    let left = scan(left, &weights, general, &mut places);
    in_frame(&left, &mut places, &mut frame, 8);
    for (i, halves) in places.iter_mut().enumerate() {
        if shared[i] && program.class(Reg(i as u32)) == Class::Double && halves[1] == Place::None {
            halves[1] = halves[0];
        }
    }
    Allocation { places, frame: aligned(frame, 64) }
}

/// Assigns places of one kind to units; returns the units without a place.
fn scan(mut units: Vec<Unit>, weights: &[f32], mut free: Vec<Place>, places: &mut [Halves]) -> Vec<Unit> {
    units.sort_by_key(|unit| (unit.span.first, unit.reg, unit.half));
    let mut active: Vec<Unit> = Vec::new();
    let mut left: Vec<Unit> = Vec::new();
    for &unit in units.iter() {
        active.retain(|other| {
            let over = other.span.last < unit.span.first;
            if over {
                free.push(places[other.reg.index()][other.half]);
            }
            !over
        });
        if let Some(place) = free.pop() {
            places[unit.reg.index()][unit.half] = place;
            active.push(unit);
            continue;
        }
        // A unit with many uses in a short span keeps its register, since it frees it soon.
        let weight = |unit: &Unit| {
            let steps = unit.span.last - unit.span.first + 1;
            weights[unit.reg.index()] / steps as f32
        };
        let lightest = active.iter().enumerate().min_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)));
        match lightest {
            Some((i, other)) if weight(other) < weight(&unit) => {
                places[unit.reg.index()][unit.half] = places[other.reg.index()][other.half];
                left.push(*other);
                active[i] = unit;
            }
            _ => left.push(unit),
        }
    }
    left.sort_by_key(|unit| (unit.span.first, unit.reg, unit.half));
    left
}

/// Assigns units places in the frame; units that are not needed at the same time share a place.
fn in_frame(units: &[Unit], places: &mut [Halves], frame: &mut i32, bytes: i32) {
    let mut slots = File::default();
    for unit in units {
        let slot = slots.take(unit.span);
        places[unit.reg.index()][unit.half] = Place::Frame(*frame + bytes * slot as i32);
    }
    *frame += bytes * slots.size as i32;
}
