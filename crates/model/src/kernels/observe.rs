//! The observation kernel: labels, state rewards and numeric observations of many states.

use super::state::StateKernel;
use crate::layout::Layout;
use crate::program::Program;
use crate::selection::Selection;
use volvelle_kernel::{Access, BinaryOp, Kernel, Stmt, Type};

/// The observation kernel of a program.
///
/// States in which the program stops earn no reward.
///
/// Buffers: packed states (`read u64`), the range of states (`read u64`), then one for each selected
/// label (`write bool`), reward structure (`write f64`) and number (`write f64`), in that order. Element `i` is
/// about state `i` of the batch.
#[derive(Clone, Debug)]
pub struct ObserveKernel {
    /// The code.
    pub kernel: Kernel,
    /// The observations that it evaluates.
    pub selection: Selection,
}

/// Makes the observation kernel.
pub fn observe(program: &Program, layout: &Layout, selection: &Selection) -> ObserveKernel {
    let mut state = StateKernel::new("observe", program, layout);
    let mut body = Vec::new();
    let stop = program.stop_condition();
    let goes_on = stop.filter(|_| !selection.rewards.is_empty()).map(|stop| state.exprs().not(stop));
    for &label in &selection.labels {
        let buffer = state.kernel.buffer(format!("label{label}"), Type::Bool, Access::Write);
        let index = state.kernel.get(state.index);
        body.push(Stmt::Store { buffer, index, value: program.labels[label].expr });
    }
    let total = state.kernel.local("reward", Type::F64);
    let item = state.kernel.local("item", Type::F64);
    for &structure in &selection.rewards {
        let buffer = state.kernel.buffer(format!("reward{structure}"), Type::F64, Access::Write);
        let zero = state.exprs().f64(0.0);
        body.push(state.set(total, zero));
        for reward in &program.rewards[structure].states {
            let (so_far, value) = (state.kernel.get(total), state.kernel.get(item));
            let sum = state.exprs().binary(BinaryOp::Add, so_far, value);
            let then = vec![
                state.set(item, reward.value),
                state.require_finite(item, reward.site),
                state.set(total, sum),
            ];
            let earned = Stmt::If { cond: reward.guard, then, otherwise: vec![] };
            body.push(match goes_on {
                Some(cond) => Stmt::If { cond, then: vec![earned], otherwise: vec![] },
                None => earned,
            });
        }
        let (index, value) = (state.kernel.get(state.index), state.kernel.get(total));
        body.push(Stmt::Store { buffer, index, value });
    }
    for &number in &selection.numbers {
        let buffer = state.kernel.buffer(format!("number{number}"), Type::F64, Access::Write);
        let index = state.kernel.get(state.index);
        body.push(Stmt::Store { buffer, index, value: program.numbers[number].expr });
    }
    ObserveKernel { kernel: state.finish(body), selection: selection.clone() }
}
