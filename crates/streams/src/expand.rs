//! Mathematical functions written out.

use crate::math;
use volvelle_kernel::verify::MAX_NESTING;
use volvelle_kernel::{ExprId, Exprs, Kernel, MathFn, Node, map_block, map_operands};

/// Puts arithmetic in the place of [`MathFn::Exp`] and [`MathFn::Log`], for back ends that cannot call functions: the
/// kernel means the same, bit for bit (any NaN for any other). [`MathFn::Pow`] stays. Expressions are numbered anew.
///
/// Gives whether it was done. Functions inside functions nest deeper when written out; where they would nest deeper than
/// the verifier allows, the kernel stays as it was.
///
/// # Panics
/// Where the kernel is not valid.
pub fn expand_math(kernel: &mut Kernel) -> bool {
    let old = kernel.canonical();
    let mut exprs = Exprs::new();
    let mut renumbered = Vec::with_capacity(old.exprs.len());
    for id in old.exprs.ids() {
        let new = |id: ExprId| -> ExprId { renumbered[id.index()] };
        let expanded = match old.exprs.node(id) {
            Node::Math { f: MathFn::Log, args } => math::log(&mut exprs, new(args[0])),
            Node::Math { f: MathFn::Exp, args } => math::exp(&mut exprs, new(args[0])),
            node => exprs.add(map_operands(node, new)),
        };
        renumbered.push(expanded);
    }
    let deepest = renumbered.iter().map(|&id| exprs.nesting(id)).max();
    if deepest.is_some_and(|depth| depth > MAX_NESTING) {
        return false;
    }
    kernel.body = map_block(&old.body, &|id| renumbered[id.index()]);
    kernel.exprs = exprs;
    true
}
