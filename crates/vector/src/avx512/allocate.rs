//! Which registers of the machine hold which registers of the program, by linear scan (Poletto and Sarkar 1999,
//! doi:10.1145/330249.330250): where there are too few, the one whose uses weigh least lives in memory.

use super::frame::aligned;
use crate::program::{Class, Inst, Op, Program, Reg};
use crate::spans::{File, Span};

/// Where a vector of 512 bits is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: the register does not occur.
    None,
    /// A vector register, by number.
    Vector(u8),
    /// In the frame, at this byte.
    Frame(i32),
    /// One value for all lanes, in the frame at this byte.
    Uniform(i32),
    /// A mask register, by number.
    Mask(u8),
    /// A mask that is constant.
    Fixed(bool),
}

/// Vector registers that may be given away; the rest is for the emitter.
pub(super) const VECTORS: u8 = 29;
/// Mask registers that may be given away.
pub(super) const MASKS: [u8; 5] = [1, 2, 3, 4, 5];

/// The places of a register: a double has a low and a high half, eight lanes each.
pub(super) type Halves = [Place; 2];

/// Where everything is.
pub(super) struct Allocation {
    /// By register.
    pub(super) places: Vec<Halves>,
    /// End of the frame so far, in bytes.
    pub(super) frame: i32,
}

/// How often instructions run, relative to one another, as a guess.
fn frequencies(code: &[Op]) -> Vec<f32> {
    let mut frequency = 1f32;
    let mut regions = Vec::new();
    let mut loops = Vec::new();
    let mut all = Vec::with_capacity(code.len());
    for op in code {
        match op.inst {
            Inst::Skip { to, .. } => {
                regions.push((to, frequency));
                frequency *= 0.25;
            }
            Inst::Label { label } => {
                while let Some(&(to, outer)) = regions.last()
                    && to == label
                {
                    frequency = outer;
                    regions.pop();
                }
            }
            Inst::Head { .. } => {
                loops.push(frequency);
                frequency *= 8.0;
            }
            _ => {}
        }
        all.push(frequency);
        if let Inst::Repeat { .. } = op.inst {
            frequency = loops.pop().unwrap_or(1.0);
        }
    }
    all
}

/// How much it would cost to have each register in memory.
fn weights(program: &Program, code: &[Op]) -> Vec<f32> {
    let mut weights = vec![0f32; program.classes.len()];
    for (op, frequency) in code.iter().zip(frequencies(code)) {
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

/// Gives places to all registers that have none yet.
pub(super) fn allocate(
    program: &Program,
    code: &[Op],
    spans: &[Option<Span>],
    mut places: Vec<Halves>,
    frame: i32,
) -> Allocation {
    let weights = weights(program, code);
    let (mut vectors, mut masks) = (Vec::new(), Vec::new());
    for (i, span) in spans.iter().enumerate() {
        let (Some(span), [Place::None, Place::None]) = (*span, places[i]) else { continue };
        let reg = Reg(i as u32);
        match program.class(reg) {
            Class::Mask => masks.push(Unit { span, reg, half: 0 }),
            Class::Word => vectors.push(Unit { span, reg, half: 0 }),
            Class::Double => vectors.extend([0, 1].map(|half| Unit { span, reg, half })),
        }
    }
    let mut frame = aligned(frame, 64);
    scan(&mut vectors, &weights, (0..VECTORS).map(Place::Vector).collect(), &mut places, &mut frame, 64);
    scan(&mut masks, &weights, MASKS.map(Place::Mask).to_vec(), &mut places, &mut frame, 8);
    Allocation { places, frame: aligned(frame, 64) }
}

fn scan(
    units: &mut [Unit],
    weights: &[f32],
    mut free: Vec<Place>,
    places: &mut [Halves],
    frame: &mut i32,
    bytes: i32,
) {
    units.sort_by_key(|unit| (unit.span.first, unit.reg, unit.half));
    let mut active: Vec<Unit> = Vec::new();
    let mut in_memory: Vec<Unit> = Vec::new();
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
        let weight = |unit: &Unit| weights[unit.reg.index()];
        let lightest = active.iter().enumerate().min_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)));
        match lightest {
            Some((i, other)) if weight(other) < weight(&unit) => {
                places[unit.reg.index()][unit.half] = places[other.reg.index()][other.half];
                in_memory.push(*other);
                active[i] = unit;
            }
            _ => in_memory.push(unit),
        }
    }
    // Places in the frame are shared by those that are not needed at the same time.
    in_memory.sort_by_key(|unit| (unit.span.first, unit.reg, unit.half));
    let mut slots = File::default();
    for unit in in_memory {
        let slot = slots.take(unit.span);
        places[unit.reg.index()][unit.half] = Place::Frame(*frame + bytes * slot as i32);
    }
    *frame += bytes * slots.size as i32;
}
