//! Mathematical functions written out.

use crate::math;
use volvelle_kernel::verify::MAX_NESTING;
use volvelle_kernel::{Kernel, MathFn, Node};

/// Replaces [`MathFn::Exp`] and [`MathFn::Log`] by arithmetic, for back ends that cannot call functions. The
/// meaning of the kernel stays the same, bit for bit except for which NaN results. [`MathFn::Pow`] stays.
/// Expressions are renumbered.
///
/// Returns whether it was done. Nested functions nest deeper when written out. If they would exceed the
/// verifier's limit, the kernel stays unchanged.
///
/// # Panics
/// If the kernel is not valid.
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
