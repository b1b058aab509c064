//! How much is interpreted before a step kernel is compiled.

use volvelle_kernel::{Block, Stmt};
use volvelle_model::Program;

/// Transitions (and states) to interpret before compilation: this takes a fraction of the time of compiling.
const INTERPRETED: u64 = 150;

/// The same per statement of the kernel, if participants exchange values: the code contains all combinations
/// of offers, and is long for few states.
const INTERPRETED_PER_STATEMENT: u64 = 8;

/// Number of statements up to which compilation time is proportional to length. It grows faster for longer
/// kernels, most of whose statements are rarely executed: so the longer they are, the more is interpreted.
const LONG: u64 = 4_000;

/// The work to interpret first: `usual`, or more if compilation would take long.
pub(crate) fn stretched(usual: u64, kernel: &Block) -> u64 {
    usual.saturating_mul((statements(kernel) / LONG).max(1))
}

/// Transitions (and states) to interpret before compiling the step kernel of a program. Compiling takes time
/// for every statement, interpreting only for executed ones: if jumps skip most of them, more is interpreted.
pub(crate) fn interpreted(program: &Program, kernel: &Block) -> u64 {
    let all = statements(kernel);
    match exchanges_values(program) {
        true => INTERPRETED.max(INTERPRETED_PER_STATEMENT * all),
        false => stretched(INTERPRETED, kernel).max(INTERPRETED * (all / on_the_way(kernel).max(1))),
    }
}

/// The number of statements that one run of a block may execute, counting loops once.
fn on_the_way(block: &Block) -> u64 {
    // Recursion is as deep as blocks nest in a step kernel, which grows with the participants of a step and
    // the tested fields.
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
