//! The vectorised interpreter: every instruction of a [`Program`] runs on many lanes at once, as a loop over arrays
//! that the compiler of this crate turns into vector instructions.

mod compute;
mod machine;
mod memory;
mod operations;
mod slots;

pub(crate) use machine::LANES;

use crate::program::{Class, Inst, Op, Program};
use crate::scalar;
use crate::spans::spans;
use machine::{Buffers, Machine};
use volvelle_kernel::{BufferDecl, Const, Exit, RawParts, Type};

/// A program whose registers are mapped to slots: separate ones for words and masks, and for doubles.
pub(crate) struct Portable {
    code: Vec<Inst>,
    invariants: Vec<(Class, Inst)>,
    /// Class of the operands, if the instruction does not determine it.
    classes: Vec<Class>,
    /// Positions of the labels.
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
                Inst::LoadUniform { dst, buffer, base, offset } => {
                    machine.load_uniform(self.classes[at - 1], dst, buffer, base, offset)?;
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
