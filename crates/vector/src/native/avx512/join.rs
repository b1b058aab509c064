//! Joins instructions that the machine can execute as one.

use crate::program::{Cmp, Inst, Logic, Num, Op, Program};
use crate::tidy::uses;

/// The code of a program, with pairs of instructions joined if a value is used only by the next instruction:
///
/// - a comparison and the conjunction of its result with a mask (or of its negation, for integers);
/// - a computation and the assignment of its result under a mask.
pub(super) fn join(program: &Program) -> Vec<Op> {
    let uses = uses(program);
    let mut code: Vec<Op> = Vec::with_capacity(program.code.len());
    for &inst in &program.code {
        let joined = code.last().and_then(|last| join_two(program, &uses, last, &inst));
        match (joined, code.last_mut()) {
            (Some(op), Some(last)) => *last = op,
            _ => code.push(Op { inst, under: None }),
        }
    }
    code
}

fn join_two(program: &Program, uses: &[u32], first: &Op, second: &Inst) -> Option<Op> {
    let value = first.inst.dst()?;
    if program.variable[value.index()] || uses[value.index()] != 1 || first.under.is_some() {
        return None;
    }
    match (first.inst, *second) {
        (Inst::Compare { op, num, a, b, .. }, Inst::Logic { op: logic, dst, a: x, b: y }) => {
            let (op, mask) = match logic {
                Logic::And if x == value => (op, y),
                Logic::And if y == value => (op, x),
                Logic::AndNot if x == value && !num.is_float() => (opposite(op), y),
                _ => return None,
            };
            // Two results of 64 bits are put together before there is a mask to apply.
            let narrow = matches!(num, Num::I32 | Num::U32 | Num::F32);
            narrow.then_some(Op { inst: Inst::Compare { op, num, dst, a, b }, under: Some(mask) })
        }
        (inst, Inst::Assign { dst, src, mask: Some(mask) }) if src == value => {
            let can = matches!(
                inst,
                Inst::Unary { .. }
                    | Inst::Binary { .. }
                    | Inst::Shift { .. }
                    | Inst::MulHigh { .. }
                    | Inst::Convert { .. }
            );
            let mut inst = inst;
            *inst.dst_mut()? = dst;
            can.then_some(Op { inst, under: Some(mask) })
        }
        _ => None,
    }
}

fn opposite(op: Cmp) -> Cmp {
    match op {
        Cmp::Eq => Cmp::Ne,
        Cmp::Ne => Cmp::Eq,
        Cmp::Lt => Cmp::Ge,
        Cmp::Le => Cmp::Gt,
        Cmp::Gt => Cmp::Le,
        Cmp::Ge => Cmp::Lt,
    }
}
