//! Kernels that are generated, with their arguments.

use super::source::Source;
use crate::harness::Contents;
use crate::kernel::Kernel;
use crate::types::Const;

/// A kernel and what it is run on.
#[derive(Clone, Debug)]
pub struct Case {
    /// Accepted by the verifier.
    pub kernel: Kernel,
    /// A value for each parameter.
    pub params: Vec<Const>,
    /// Contents for each buffer.
    pub buffers: Vec<Contents>,
}

/// How lanes share buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// Number of the first lane.
    pub(super) first: u64,
    pub(super) count: u64,
}

/// Where everything is built.
pub(super) struct Builder<'s, 'b> {
    pub(super) source: &'s mut Source<'b>,
    pub(super) kernel: Kernel,
    /// Expressions made so far, to be used again.
    pub(super) made: Vec<crate::entities::ExprId>,
    /// Counters of the loops and machines around the current statement.
    pub(super) counters: Vec<crate::entities::Local>,
    /// Blocks of the innermost of them; a loop has none.
    pub(super) blocks: u32,
    /// Statements that may still be made.
    pub(super) statements_left: usize,
    /// For a kernel over many lanes: how they share the buffers.
    pub(super) lanes: Option<Lanes>,
}
