//! Cleans up a program: removes instructions without use, and computes a value in its variable instead of
//! copying it there.

use crate::program::{Inst, Program, Reg};
use volvelle_kernel::BufferDecl;

/// How often each register is read.
pub(crate) fn uses(program: &Program) -> Vec<u32> {
    let mut uses = vec![0u32; program.classes.len()];
    for inst in &program.code {
        inst.each_use(|reg| uses[reg.index()] += 1);
    }
    uses
}

/// Tidies a program; what it computes stays the same.
pub(crate) fn tidy(program: &mut Program, buffers: &[BufferDecl]) {
    let mut counts = uses(program);
    while drop_unused(program, &mut counts) {}
    crate::uniform::loads(program, buffers);
    // Indices of such loads are no longer needed.
    let mut uses = uses(program);
    while drop_unused(program, &mut uses) {}
    crate::sink::sink(program);
    write_in_place(program, &uses);
    program.invariants.retain(|inst| inst.dst().is_some_and(|dst| uses[dst.index()] > 0));
}

/// One pass from the end; true if there may be more to drop.
fn drop_unused(program: &mut Program, uses: &mut [u32]) -> bool {
    let mut again = false;
    let mut kept: Vec<Inst> = Vec::with_capacity(program.code.len());
    for inst in program.code.drain(..).rev() {
        let unused = inst.is_pure() && inst.dst().is_some_and(|dst| is_unused(&inst, dst, uses));
        if !unused {
            kept.push(inst);
            continue;
        }
        inst.each_use(|reg| {
            uses[reg.index()] -= 1;
            // A write of a variable may follow a read of it.
            again |= program.variable[reg.index()] && uses[reg.index()] == 0;
        });
    }
    kept.reverse();
    program.code = kept;
    again
}

/// A variable that is read only to compute its own next value is dead too.
fn is_unused(inst: &Inst, dst: Reg, uses: &[u32]) -> bool {
    let mut own = 0;
    inst.each_use(|reg| own += u32::from(reg == dst));
    uses[dst.index()] == own
}

/// `t := …; x := t` becomes `x := …` if nothing else reads `t`.
fn write_in_place(program: &mut Program, uses: &[u32]) {
    let mut code: Vec<Inst> = Vec::with_capacity(program.code.len());
    for &inst in &program.code {
        if let Inst::Assign { dst, src, mask: None } = inst
            && !program.variable[src.index()]
            && uses[src.index()] == 1
            && let Some(last) = code.last_mut()
            && last.dst() == Some(src)
            && !matches!(
                last,
                Inst::Load { .. }
                    | Inst::LoadUniform { .. }
                    | Inst::PerLane { .. }
                    | Inst::Assign { mask: Some(_), .. }
            )
        {
            if let Some(place) = last.dst_mut() {
                *place = dst;
            }
            continue;
        }
        code.push(inst);
    }
    program.code = code;
}
