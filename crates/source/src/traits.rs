//! Facts about a kernel as a whole.

use std::collections::BTreeSet;
use volvelle_kernel::{Block, Const, ExprId, Kernel, Node, Stmt, Type};

/// See the module.
pub(crate) struct Traits {
    /// Locals that some statement sets.
    pub(crate) is_set: Vec<bool>,
    /// Locals that something reads.
    pub(crate) is_read: Vec<bool>,
    /// Types of all expressions that statements need.
    pub(crate) types: BTreeSet<Type>,
}

impl Traits {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let mut is_set = vec![false; kernel.locals.len()];
        let mut is_read = is_set.clone();
        let mut roots = Vec::new();
        each_statement(&kernel.body, |statement| {
            roots.extend(operands(statement));
            match statement {
                Stmt::Set { local, .. } => is_set[local.index()] = true,
                Stmt::For { local, .. } | Stmt::Machine { local, .. } | Stmt::Take { local, .. } => {
                    is_set[local.index()] = true;
                    // It is compared, or is in one statement with a side effect.
                    is_read[local.index()] = true;
                }
                _ => {}
            }
        });
        let exprs = &kernel.exprs;
        let mut types = BTreeSet::new();
        for id in exprs.needed(roots) {
            types.insert(exprs.ty(id));
            if let Node::Local(local, _) = exprs.node(id) {
                is_read[local.index()] = true;
            }
        }
        Traits { is_set, is_read, types }
    }
}

/// Calls `f` for all statements, those inside of others too.
fn each_statement<'k>(body: &'k Block, mut f: impl FnMut(&'k Stmt)) {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            f(statement);
            match statement {
                Stmt::If { then, otherwise, .. } => blocks.extend([then, otherwise]),
                Stmt::Switch { cases, default, .. } => {
                    blocks.extend(cases.iter().map(|(_, block)| block));
                    blocks.push(default);
                }
                Stmt::For { body, .. } => blocks.push(body),
                Stmt::Machine { blocks: inside, .. } => blocks.extend(inside),
                _ => {}
            }
        }
    }
}

/// The reachable blocks of a machine; `start` is the first one, if it is known.
pub(crate) fn reachable_blocks(blocks: &[Block], start: Option<Const>) -> Vec<bool> {
    let Some(start) = start else { return vec![true; blocks.len()] };
    let mut reached = vec![false; blocks.len()];
    let mut waiting = vec![usize::try_from(start.bits).unwrap_or(usize::MAX)];
    while let Some(number) = waiting.pop() {
        if blocks.get(number).is_none() || std::mem::replace(&mut reached[number], true) {
            continue;
        }
        let mut inside = vec![&blocks[number]];
        while let Some(block) = inside.pop() {
            for statement in block {
                match statement {
                    Stmt::Goto { block } => waiting.push(*block as usize),
                    Stmt::If { then, otherwise, .. } => inside.extend([then, otherwise]),
                    Stmt::Switch { cases, default, .. } => {
                        inside.extend(cases.iter().map(|(_, block)| block));
                        inside.push(default);
                    }
                    // Jumps inside of these go elsewhere.
                    _ => {}
                }
            }
        }
    }
    reached
}

/// The expressions of a statement itself.
fn operands(statement: &Stmt) -> Vec<ExprId> {
    match *statement {
        Stmt::Set { value, .. } | Stmt::Emit { value, .. } => vec![value],
        Stmt::Store { index, value, .. } => vec![index, value],
        Stmt::Take { index, .. } => vec![index],
        Stmt::Copy { start, .. } => vec![start],
        Stmt::Truncate { len, .. } => vec![len],
        Stmt::If { cond, .. } => vec![cond],
        Stmt::Switch { on, .. } => vec![on],
        Stmt::For { from, to, .. } => vec![from, to],
        Stmt::Machine { from, to, start, .. } => vec![from, to, start],
        Stmt::Goto { .. } | Stmt::Break | Stmt::Fail { .. } | Stmt::Return => vec![],
    }
}
