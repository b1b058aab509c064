//! The vectorised interpreter: every instruction of a [`Program`] runs on many lanes at once, as a loop over arrays
//! that the compiler of this crate turns into vector instructions.

mod memory;
mod operations;
mod slots;

use crate::program::{Class, Conversion, Inst, Logic, Op, Program, Reg};
use crate::scalar;
use crate::spans::spans;
use memory::Buffers;
use operations::Simple;
use volvelle_kernel::{BufferDecl, Const, Exit, RawParts, Type};

/// Lanes of a run.
pub(crate) const LANES: usize = 128;

/// A word per lane. Masks are words as well: all ones or zero.
type Words = [u32; LANES];

/// A double per lane.
type Doubles = [u64; LANES];

/// A program whose registers are slots: those of words and masks, and those of doubles.
pub(crate) struct Portable {
    code: Vec<Inst>,
    invariants: Vec<(Class, Inst)>,
    /// Class of the operands, where the instruction does not tell.
    classes: Vec<Class>,
    /// Where labels stand.
    targets: Vec<usize>,
    words: usize,
    doubles: usize,
    counters: usize,
    /// Types of the elements of each buffer.
    elements: Vec<Type>,
}

impl Portable {
    /// Of a program of a verified kernel with these buffers.
    pub(crate) fn new(program: &Program, buffers: &[BufferDecl]) -> Self {
        let code: Vec<Op> = program.code.iter().map(|&inst| Op { inst, under: None }).collect();
        let slots = slots::assign(program, &spans(program, &code));
        let place = |inst: &Inst| {
            let mut inst = *inst;
            inst.each_use_mut(|reg| *reg = slots.of[reg.index()]);
            if let Some(dst) = inst.dst_mut() {
                *dst = slots.of[dst.index()];
            }
            inst
        };
        let class = |inst: &Inst| match inst {
            Inst::Blend { yes: reg, .. }
            | Inst::Assign { src: reg, .. }
            | Inst::Store { value: reg, .. }
            | Inst::Count { from: reg, .. } => program.class(*reg),
            _ => inst.dst().map_or(Class::Mask, |dst| program.class(dst)),
        };
        let mut targets = vec![0; program.labels as usize];
        for (i, inst) in program.code.iter().enumerate() {
            if let Inst::Label { label } | Inst::Head { label } = inst {
                targets[label.0 as usize] = i;
            }
        }
        Portable {
            code: program.code.iter().map(place).collect(),
            invariants: program.invariants.iter().map(|inst| (class(inst), place(inst))).collect(),
            classes: program.code.iter().map(class).collect(),
            targets,
            words: slots.words,
            doubles: slots.doubles,
            counters: program.counters as usize,
            elements: buffers.iter().map(|decl| decl.ty).collect(),
        }
    }

    /// Runs all lanes from `first` on. Parameters match the kernel.
    ///
    /// # Safety
    /// As for `Code::run_shared`.
    pub(crate) unsafe fn run(&self, first: u64, params: &[Const], buffers: &[RawParts]) -> Exit {
        let mut machine = Machine {
            words: (0..self.words).map(|_| Box::new([0; LANES])).collect(),
            doubles: (0..self.doubles).map(|_| Box::new([0; LANES])).collect(),
            spare_words: Box::new([0; LANES]),
            spare_doubles: Box::new([0; LANES]),
            counters: vec![0; self.counters],
            // SAFETY: the contract is that of this function.
            buffers: unsafe { Buffers::new(&self.elements, buffers) },
        };
        for &(class, inst) in &self.invariants {
            machine.invariant(class, inst, first, params);
        }
        match self.execute(&mut machine) {
            Ok(()) => Exit::Done,
            Err(exit) => exit,
        }
    }

    fn execute(&self, machine: &mut Machine<'_>) -> Result<(), Exit> {
        let mut at = 0;
        while let Some(&inst) = self.code.get(at) {
            at += 1;
            match inst {
                Inst::Skip { mask, to } => {
                    if !machine.any(mask) {
                        at = self.targets[to.0 as usize];
                    }
                }
                Inst::Count { counter, from, to, signed, end } => {
                    if !machine.count(counter.0 as usize, from, to, signed, self.classes[at - 1]) {
                        at = self.targets[end.0 as usize];
                    }
                }
                Inst::Repeat { head, mask, counter } => {
                    let more = counter.is_none_or(|c| {
                        let rounds = &mut machine.counters[c.0 as usize];
                        *rounds -= 1;
                        *rounds > 0
                    });
                    if more && mask.is_none_or(|mask| machine.any(mask)) {
                        at = self.targets[head.0 as usize];
                    }
                }
                Inst::Label { .. } | Inst::Head { .. } => {}
                Inst::Fail { mask, site } => {
                    if mask.is_none_or(|mask| machine.any(mask)) {
                        return Err(Exit::Failed(site));
                    }
                }
                Inst::Load { dst, buffer, index, mask } => {
                    machine.load(self.classes[at - 1], dst, buffer, index, mask)?;
                }
                Inst::Store { buffer, index, value, mask } => {
                    machine.store(self.classes[at - 1], buffer, index, value, mask)?;
                }
                Inst::PerLane { op, dst, a, b, mask } => {
                    let active = |m: &Machine<'_>, i: usize| mask.is_none_or(|r| m.words[r.index()][i] != 0);
                    for i in 0..LANES {
                        if !active(machine, i) {
                            continue;
                        }
                        match scalar::class(op) {
                            Class::Double => {
                                let (x, y) = (machine.doubles[a.index()][i], machine.doubles[b.index()][i]);
                                machine.spare_doubles[i] = scalar::apply(op, x, y)?;
                            }
                            _ => {
                                let (x, y) = (machine.words[a.index()][i], machine.words[b.index()][i]);
                                machine.spare_words[i] = scalar::apply(op, x.into(), y.into())? as u32;
                            }
                        }
                    }
                    machine.keep(scalar::class(op), dst);
                }
                _ => machine.compute(self.classes[at - 1], inst),
            }
        }
        Ok(())
    }
}

/// The state of a run.
#[allow(clippy::vec_box)] // places are exchanged with the spare ones, by their addresses
struct Machine<'b> {
    words: Vec<Box<Words>>,
    doubles: Vec<Box<Doubles>>,
    /// Results are written here and then exchanged with their slot, so that a result may go where an operand was.
    spare_words: Box<Words>,
    spare_doubles: Box<Doubles>,
    /// Rounds that are left.
    counters: Vec<u64>,
    buffers: Buffers<'b>,
}

impl Machine<'_> {
    fn any(&self, mask: Reg) -> bool {
        self.words[mask.index()].iter().fold(0, |any, m| any | m) != 0
    }

    /// Puts what was just computed into its slot.
    fn keep(&mut self, class: Class, dst: Reg) {
        match class {
            Class::Double => std::mem::swap(&mut self.spare_doubles, &mut self.doubles[dst.index()]),
            _ => std::mem::swap(&mut self.spare_words, &mut self.words[dst.index()]),
        }
    }

    fn invariant(&mut self, class: Class, inst: Inst, first: u64, params: &[Const]) {
        let (dst, bits) = match inst {
            Inst::Constant { dst, bits } if class == Class::Mask => (dst, 0u64.wrapping_sub(bits)),
            Inst::Constant { dst, bits } => (dst, bits),
            Inst::Param { dst, index: 0 } => (dst, first),
            Inst::Param { dst, index } => (dst, params[index as usize].bits),
            Inst::Len { dst, buffer } => (dst, self.buffers.len(buffer)),
            Inst::Lane { dst } => {
                let lanes = &mut self.doubles[dst.index()];
                lanes.iter_mut().enumerate().for_each(|(i, lane)| *lane = first.wrapping_add(i as u64));
                return;
            }
            _ => unreachable!("no invariant: {inst:?}"),
        };
        match class {
            Class::Double => *self.doubles[dst.index()] = [bits; LANES],
            _ => *self.words[dst.index()] = [bits as u32; LANES],
        }
    }

    /// Sets a counter; false where there is no round.
    fn count(&mut self, counter: usize, from: Reg, to: Reg, signed: bool, class: Class) -> bool {
        let (from, to) = match class {
            Class::Double => (self.doubles[from.index()][0], self.doubles[to.index()][0]),
            _ => {
                let (from, to) = (self.words[from.index()][0], self.words[to.index()][0]);
                if signed { (from as i32 as u64, to as i32 as u64) } else { (u64::from(from), u64::from(to)) }
            }
        };
        let below = if signed { (from as i64) < to as i64 } else { from < to };
        self.counters[counter] = if below { to.wrapping_sub(from) } else { 0 };
        below
    }

    /// An instruction that does nothing but compute.
    fn compute(&mut self, class: Class, inst: Inst) {
        match inst {
            Inst::Logic { op, dst, a, b } => {
                match op {
                    Logic::And => self.words_of_two(a, b, |x, y| x & y),
                    Logic::AndNot => self.words_of_two(a, b, |x, y| !x & y),
                    Logic::Or => self.words_of_two(a, b, |x, y| x | y),
                    Logic::Xor => self.words_of_two(a, b, |x, y| x ^ y),
                }
                self.keep(Class::Word, dst);
            }
            Inst::Blend { dst, mask, yes, no } => self.blend(class, dst, mask, yes, no),
            Inst::Assign { dst, src, mask: Some(mask) } => self.blend(class, dst, mask, src, dst),
            Inst::Assign { dst, src, mask: None } => {
                match class {
                    Class::Double => *self.spare_doubles = *self.doubles[src.index()],
                    _ => *self.spare_words = *self.words[src.index()],
                }
                self.keep(class, dst);
            }
            Inst::Convert { op, dst, a } => {
                self.convert(op, a);
                self.keep(Conversion::classes(op).1, dst);
            }
            _ => {
                let Some(simple) = Simple::of(inst) else { unreachable!("not computed here: {inst:?}") };
                self.simple(simple);
                self.keep(class, simple.dst);
            }
        }
    }

    fn blend(&mut self, class: Class, dst: Reg, mask: Reg, yes: Reg, no: Reg) {
        let mask = &self.words[mask.index()];
        match class {
            Class::Double => {
                let (yes, no) = (&*self.doubles[yes.index()], &*self.doubles[no.index()]);
                let out = &mut *self.spare_doubles;
                blend(out, mask, yes, no, |m, yes, no| {
                    let m = m as i32 as i64 as u64;
                    yes & m | no & !m
                });
            }
            _ => {
                let (yes, no) = (&*self.words[yes.index()], &*self.words[no.index()]);
                blend(&mut self.spare_words, mask, yes, no, |m, yes, no| yes & m | no & !m);
            }
        }
        self.keep(class, dst);
    }
}

/// A choice in every lane.
fn blend<T: Copy>(
    out: &mut [T; LANES],
    mask: &Words,
    yes: &[T; LANES],
    no: &[T; LANES],
    f: impl Fn(u32, T, T) -> T,
) {
    for i in 0..LANES {
        out[i] = f(mask[i], yes[i], no[i]);
    }
}
