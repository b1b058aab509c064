//! Variables of the model in the smallest type that holds their range.

use volvelle_kernel::{Block, Exprs, Kernel, Local, Node, Stmt, Type};
use volvelle_model::interval::Interval;

/// The smallest type with these values.
pub(super) fn smallest(values: Interval) -> Type {
    let holds = |bits: u32| values.lo >= -(1 << (bits - 1)) && values.hi < 1 << (bits - 1);
    match values.lo >= 0 {
        true if values.hi < 1 << 8 => Type::U8,
        true if values.hi < 1 << 16 => Type::U16,
        _ if holds(8) => Type::I8,
        _ if holds(16) => Type::I16,
        _ => Type::I32,
    }
}

/// Gives locals of type `i32` smaller types that hold all their values.
pub(super) fn narrow(kernel: &mut Kernel, locals: &[(Local, Type)]) {
    let mut types: Vec<Option<Type>> = vec![None; kernel.locals.len()];
    for &(local, ty) in locals {
        if kernel.locals[local.index()].ty == Type::I32 && ty != Type::I32 {
            types[local.index()] = Some(ty);
            kernel.locals[local.index()].ty = ty;
        }
    }
    kernel.map_nodes(|exprs, node| match node {
        Node::Local(local, ty) => match types[local.index()] {
            Some(narrow) => {
                let narrow = exprs.add(Node::Local(local, narrow));
                exprs.convert(ty, narrow)
            }
            None => exprs.add(node),
        },
        node => exprs.add(node),
    });
    let body = std::mem::take(&mut kernel.body);
    kernel.body = convert_sets(body, &types, &mut kernel.exprs);
}

/// Converts values where they are set. Recursion is as deep as blocks nest, which the verifier limits.
fn convert_sets(block: Block, types: &[Option<Type>], exprs: &mut Exprs) -> Block {
    let convert = |statement: Stmt| match statement {
        Stmt::Set { local, value } => {
            let value = types[local.index()].map_or(value, |ty| exprs.convert(ty, value));
            Stmt::Set { local, value }
        }
        Stmt::If { cond, then, otherwise } => Stmt::If {
            cond,
            then: convert_sets(then, types, exprs),
            otherwise: convert_sets(otherwise, types, exprs),
        },
        Stmt::For { local, from, to, body } => {
            Stmt::For { local, from, to, body: convert_sets(body, types, exprs) }
        }
        Stmt::Switch { on, cases, default } => Stmt::Switch {
            on,
            cases: cases.into_iter().map(|(key, block)| (key, convert_sets(block, types, exprs))).collect(),
            default: convert_sets(default, types, exprs),
        },
        Stmt::Machine { local, from, to, start, blocks } => Stmt::Machine {
            local,
            from,
            to,
            start,
            blocks: blocks.into_iter().map(|block| convert_sets(block, types, exprs)).collect(),
        },
        other => other,
    };
    block.into_iter().map(convert).collect()
}
