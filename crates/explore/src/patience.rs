//! How much is interpreted before code is made for a step kernel.

use volvelle_kernel::{Block, Stmt};
use volvelle_model::Program;

/// Transitions (and states) to interpret before code is made: this many take a part of the time of making it.
const INTERPRETED: u64 = 150;

/// The same for each statement of the kernel, where participants exchange values: all combinations of what they offer are in the code, so
/// that it is long for few states.
const INTERPRETED_PER_STATEMENT: u64 = 8;

/// Statements of a kernel up to which the time for its code follows its length. That of longer ones grows faster, and most of them are passed
/// by few states only: the more there are, the more is interpreted.
const LONG: u64 = 4_000;

/// `usual` units of work to interpret first, or more where code would take long to make.
pub(crate) fn stretched(usual: u64, kernel: &Block) -> u64 {
    usual.saturating_mul((statements(kernel) / LONG).max(1))
}

/// Transitions (and states) of a program to interpret first, where this is its step kernel. Making code takes time for every
/// statement, interpreting only for those on the way: where jumps leave most of them out, more is interpreted.
pub(crate) fn interpreted(program: &Program, kernel: &Block) -> u64 {
    let all = statements(kernel);
    match exchanges_values(program) {
        true => INTERPRETED.max(INTERPRETED_PER_STATEMENT * all),
        false => stretched(INTERPRETED, kernel).max(INTERPRETED * (all / on_the_way(kernel).max(1))),
    }
}

/// The number of statements that one run of a block may pass, where loops are passed once.
fn on_the_way(block: &Block) -> u64 {
    // Recursion is as deep as blocks nest in a step kernel: with the participants of a step and the fields that are tested.
    let of = |statement: &Stmt| match statement {
        Stmt::If { then, otherwise, .. } => 1 + on_the_way(then) + on_the_way(otherwise),
        Stmt::Switch { cases, default, .. } => {
            let cases = cases.iter().map(|(_, block)| on_the_way(block));
            1 + cases.max().unwrap_or(0).max(on_the_way(default))
        }
        Stmt::For { body, .. } => 1 + on_the_way(body),
        Stmt::Machine { blocks, .. } => 1 + blocks.iter().map(on_the_way).sum::<u64>(),
        _ => 1,
    };
    block.iter().map(of).sum()
}

/// Whether participants of some steps exchange values.
fn exchanges_values(program: &Program) -> bool {
    let mut participants = program.groups.iter().flat_map(|group| &group.participants);
    participants.any(|p| p.alternatives.iter().any(|alternative| alternative.offer.is_some()))
}

/// The number of statements of a block, with all inside.
fn statements(block: &Block) -> u64 {
    let (mut count, mut todo) = (0, vec![block]);
    while let Some(block) = todo.pop() {
        count += block.len() as u64;
        for statement in block {
            match statement {
                Stmt::If { then, otherwise, .. } => todo.extend([then, otherwise]),
                Stmt::Switch { cases, default, .. } => {
                    todo.extend(cases.iter().map(|(_, block)| block).chain([default]));
                }
                Stmt::For { body, .. } => todo.push(body),
                Stmt::Machine { blocks, .. } => todo.extend(blocks),
                _ => {}
            }
        }
    }
    count
}
