//! Mathematical functions written out.

use crate::math;
use volvelle_kernel::verify::MAX_NESTING;
use volvelle_kernel::{Kernel, MathFn, Node};

/// Puts arithmetic in the place of [`MathFn::Exp`] and [`MathFn::Log`], for back ends that cannot call functions: the
/// kernel means the same, bit for bit (any NaN for any other). [`MathFn::Pow`] stays. Expressions are renumbered.
///
/// Gives whether it was done. Functions inside functions nest deeper when written out; where they would nest deeper than
/// the verifier allows, the kernel stays as it was.
///
/// # Panics
/// Where the kernel is not valid.
pub fn expand_math(kernel: &mut Kernel) -> bool {
    let mut expanded = kernel.canonical();
    expanded.map_nodes(|exprs, node| match node {
        Node::Math { f: MathFn::Log, args } => math::log(exprs, args[0]),
        Node::Math { f: MathFn::Exp, args } => math::exp(exprs, args[0]),
        node => exprs.add(node),
    });
    let deepest = expanded.exprs.ids().map(|id| expanded.exprs.nesting(id)).max();
    if deepest.is_some_and(|depth| depth > MAX_NESTING) {
        return false;
    }
    *kernel = expanded;
    true
}
