//! Expressions that may leave the kernel, and the lazy operands that must therefore become branches.

use volvelle_kernel::{ExprId, Exprs, Node};

/// For each node whether evaluating it may leave the kernel.
pub(crate) fn fallible(exprs: &Exprs) -> Vec<bool> {
    let mut fallible = Vec::with_capacity(exprs.len());
    for id in exprs.ids() {
        let node = exprs.node(id);
        let mut may_fail = matches!(
            node,
            Node::Checked { .. } | Node::CheckedConvert { .. } | Node::Range { .. } | Node::Load { .. }
        );
        Exprs::each_operand(&node, |operand| may_fail |= fallible[operand.index()]);
        fallible.push(may_fail);
    }
    fallible
}

/// Where lazy operands of a node may fail: the operand that decides, and the lazy ones.
pub(crate) fn is_lazy(node: &Node, fallible: &[bool]) -> Option<(ExprId, Vec<ExprId>)> {
    match *node {
        Node::Select { cond, yes, no } if fallible[yes.index()] || fallible[no.index()] => {
            Some((cond, vec![yes, no]))
        }
        Node::And { lhs, rhs } | Node::Or { lhs, rhs } if fallible[rhs.index()] => Some((lhs, vec![rhs])),
        _ => None,
    }
}
