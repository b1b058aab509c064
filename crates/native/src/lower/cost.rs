//! The cost of evaluating an expression, to choose between computing a lazy operand and jumping around it.

use volvelle_kernel::{BinaryOp, Exprs, Node, Type, UnaryOp};

/// May fail, touches memory or calls: must not be evaluated unless the kernel says so.
pub(super) const NEVER: u8 = u8::MAX;

/// Up to this many instructions it is cheaper to evaluate a lazy operand than to risk a mispredicted jump.
pub(super) const CHEAP: u8 = 8;

/// Estimated instructions per node with its operands, as a tree; [`NEVER`] where it must stay lazy.
pub(super) fn costs(exprs: &Exprs) -> Vec<u8> {
    let mut costs: Vec<u8> = Vec::with_capacity(exprs.len());
    for id in exprs.ids() {
        let node = exprs.node(id);
        let mut total = own(exprs, &node) as u32;
        let mut never = total == NEVER as u32;
        Exprs::each_operand(&node, |c| {
            let cost = costs[c.index()];
            never |= cost == NEVER;
            total += cost as u32;
        });
        // A large but harmless tree saturates below `NEVER`; it is far beyond `CHEAP` either way.
        costs.push(if never { NEVER } else { total.min(NEVER as u32 - 1) as u8 });
    }
    costs
}

/// Estimated instructions of the node alone.
fn own(exprs: &Exprs, node: &Node) -> u8 {
    match *node {
        Node::Const(_) | Node::Local(..) | Node::Len(_) => 0,
        Node::Unary { op, .. } => match op {
            UnaryOp::Sqrt => CHEAP,
            UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc => 2,
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::Abs => 1,
        },
        Node::Binary { op, lhs, .. } => match op {
            BinaryOp::Div => CHEAP,
            BinaryOp::Min | BinaryOp::Max if exprs.ty(lhs).is_float() => 4,
            BinaryOp::Min | BinaryOp::Max => 2,
            _ => 1,
        },
        Node::Convert { to, arg } => match (exprs.ty(arg), to) {
            (from, to) if from.is_float() && to.is_int() => 6,
            (Type::U64, to) if to.is_float() => 6,
            _ => 1,
        },
        Node::Reinterpret { to, arg } if exprs.ty(arg).is_float() && to.is_int() => 4,
        Node::Reinterpret { .. } => 1,
        // May be a call.
        Node::MulAdd { .. } => CHEAP,
        Node::Select { .. } => 2,
        Node::And { .. } | Node::Or { .. } => 1,
        Node::Load { .. }
        | Node::Checked { .. }
        | Node::CheckedConvert { .. }
        | Node::Range { .. }
        | Node::Math { .. } => NEVER,
    }
}
