//! Kernels that are being written.

use std::cell::RefCell;
use volvelle_kernel::{Block, ExprId, Kernel, Local};

/// A kernel in the making.
pub(crate) struct Writer {
    pub(super) inner: RefCell<Inner>,
}

pub(super) struct Inner {
    pub(super) kernel: Kernel,
    /// The blocks that are open, the innermost last.
    pub(super) open: Vec<Block>,
}

/// A place for an index.
#[derive(Clone, Copy)]
pub(crate) struct Place<'w> {
    pub(super) writer: &'w Writer,
    pub(super) local: Local,
}

/// A running sum.
#[derive(Clone, Copy)]
pub(crate) struct Total<'w> {
    pub(super) writer: &'w Writer,
    pub(super) local: Local,
}

/// A condition of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Condition<'w> {
    pub(super) writer: &'w Writer,
    pub(super) id: ExprId,
}
