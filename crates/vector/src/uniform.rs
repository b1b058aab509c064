//! Uniform values, which are the same in all lanes: loads of one element for all lanes, and registers that
//! need no second half.
//!
//! The lanes of a register belong to one group, and jumps are taken by the whole group. So a register is
//! uniform if all instructions that write it compute it from uniform registers, in all lanes at once.

use crate::program::{Arith, Inst, Num, Program, Reg};
use volvelle_kernel::BufferDecl;

/// Whether each register has the same value in all lanes.
fn uniform(program: &Program) -> Vec<bool> {
    let mut uniform = vec![true; program.classes.len()];
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for inst in program.invariants.iter().chain(&program.code) {
            let Some(dst) = inst.dst().filter(|dst| uniform[dst.index()]) else { continue };
            let mut same = match inst {
                Inst::Lane { .. } | Inst::Param { index: 0, .. } => false,
                Inst::Assign { mask, .. } | Inst::Load { mask, .. } | Inst::PerLane { mask, .. } => {
                    mask.is_none()
                }
                _ => true,
            };
            inst.each_use(|reg| same &= uniform[reg.index()]);
            if !same {
                uniform[dst.index()] = false;
                is_stable = false;
            }
        }
    }
    uniform
}

/// Replaces loads with uniform indices by loads of one element for all lanes.
pub(crate) fn loads(program: &mut Program, buffers: &[BufferDecl]) {
    let is_fit = |inst: &Inst| match inst {
        Inst::Load { mask: None, buffer, .. } => buffers[buffer.index()].ty.bytes() >= 4,
        _ => false,
    };
    if !program.code.iter().any(is_fit) {
        return;
    }
    let uniform = uniform(program);
    // The instructions that make temporaries and constants.
    let mut made: Vec<Option<Inst>> = vec![None; program.classes.len()];
    for inst in program.invariants.iter().chain(&program.code) {
        if let Some(dst) = inst.dst().filter(|dst| !program.variable[dst.index()]) {
            made[dst.index()] = Some(*inst);
        }
    }
    let constant = |reg: Reg| match made[reg.index()] {
        Some(Inst::Constant { bits, .. }) => i32::try_from(bits).ok().filter(|&c| c < 1 << 24),
        _ => None,
    };
    for inst in &mut program.code {
        if !is_fit(inst) {
            continue;
        }
        let Inst::Load { dst, buffer, index, .. } = *inst else { continue };
        if !uniform[index.index()] {
            continue;
        }
        let (mut base, mut offset) = (index, 0);
        if let Some(Inst::Binary { op: Arith::Add, num: Num::U64, a, b, .. }) = made[index.index()] {
            let sum = [(a, b), (b, a)].into_iter().find_map(|(a, b)| constant(b).map(|c| (a, c)));
            // A variable may have another value by now.
            if let Some((a, c)) = sum.filter(|(a, _)| !program.variable[a.index()]) {
                (base, offset) = (a, c);
            }
        }
        *inst = Inst::LoadUniform { dst, buffer, base, offset };
    }
}

/// Whether the two halves of a register can share a place: they are equal, and every instruction that writes
/// them handles one half after the other.
pub(crate) fn shared(program: &Program) -> Vec<bool> {
    let mut shared = uniform(program);
    for inst in &program.code {
        let simple = matches!(
            inst,
            Inst::Unary { .. }
                | Inst::Binary { .. }
                | Inst::MulAdd { .. }
                | Inst::Shift { .. }
                | Inst::LoadUniform { .. }
                | Inst::Assign { mask: None, .. }
        );
        if let Some(dst) = inst.dst().filter(|_| !simple) {
            shared[dst.index()] = false;
        }
    }
    shared
}
