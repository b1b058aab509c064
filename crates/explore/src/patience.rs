//! How much is interpreted before code is made for a step kernel.

use volvelle_kernel::{Block, Stmt};
use volvelle_model::Program;

/// Transitions (and states) to interpret before code is made: this many take a part of the time of making it.
const INTERPRETED: u64 = 150;

/// The same for each statement of the kernel, where participants exchange values: all combinations of what they offer are in the code, so
/// that it is long for few states.
const INTERPRETED_PER_STATEMENT: u64 = 8;

/// Transitions (and states) of a program to interpret first, where this is its step kernel.
pub(crate) fn interpreted(program: &Program, kernel: &Block) -> u64 {
    match exchanges_values(program) {
        true => INTERPRETED.max(INTERPRETED_PER_STATEMENT * statements(kernel)),
        false => INTERPRETED,
    }
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
