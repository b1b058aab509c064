//! The model of execution: a kernel on a platform.
//!
//! A host starts devices, a device hands work-groups to its units one by one, a unit runs one work-group at a
//! time (Garanina, Staroletov and Gorlatch, Sections 3 and 4). The items of a group form warps. A unit runs
//! as many warps at the same time as its elements allow ([`Platform::slots`]): warp `w` runs in slot
//! `w mod slots`. Code between barriers is a *region*: each slot executes it for its warps one after another.
//! At a barrier, all slots wait for each other.
//!
//! Lanes of a warp step together: if a condition differs among them, the warp executes both branches in turn,
//! and it stays in a loop as long as one of its lanes does. With warps of one lane, this is the paper's
//! model.

mod build;
mod step;

pub use step::{Cost, Model, Piece, Region, Step, depends};

use crate::expression::Expr;
use crate::platform::Platform;
use volvelle_diagnostics::Diagnostic;

pub use build::transactions;

impl Model {
    /// The model of a kernel on a platform, or diagnostics if there is none.
    pub fn new(kernel: &crate::Kernel, platform: &Platform) -> Result<Model, Vec<Diagnostic>> {
        build::build(kernel, platform)
    }

    /// Size of a work-group in a dimension.
    pub fn local_size(&self, dimension: usize) -> Expr {
        self.launch.local.get(dimension).cloned().unwrap_or(Expr::Int(1))
    }

    /// Number of work-groups in a dimension.
    pub fn groups(&self, dimension: usize) -> Expr {
        let global = self.launch.global.get(dimension).cloned().unwrap_or(Expr::Int(1));
        Expr::binary(crate::expression::Op::Div, global, self.local_size(dimension))
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.launch.local.len()
    }
}
