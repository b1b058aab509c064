//! The kernel of the weights of a program with parameters.
//!
//! This is the step kernel without successors. It follows the same control flow, and emits the same weights
//! and transition rewards as the step kernel of the program with these parameter values. It fails if a weight
//! is positive and its counterpart in the base is not, or vice versa. If it does not fail, its weights belong
//! to the successors of the base, one by one.

use super::KernelError;
use super::builder::{Builder, StepOptions};
use super::step::{StepKernel, finish};
use crate::layout::Layout;
use crate::parametric::Parametric;
use volvelle_kernel::{BinaryOp, ExprId, Stmt};

/// Makes the kernel of the weights and transition rewards of a program with parameters.
pub fn weights(
    parametric: &Parametric,
    layout: &Layout,
    options: &StepOptions,
) -> Result<StepKernel, KernelError> {
    if !parametric.program().applications.is_empty() {
        return Err(KernelError::Functions);
    }
    finish(Builder::new(parametric.program(), layout, options, Some(parametric)))
}

impl Builder<'_> {
    /// Whether successors are emitted. Kernels of weights emit none, since the base has the same ones.
    pub fn emits_successors(&self) -> bool {
        self.parametric.is_none()
    }

    /// Words of the successors to emit.
    pub fn emitted_words(&self) -> usize {
        if self.emits_successors() { self.state.words.len() } else { 0 }
    }

    /// The counterpart in the base program of a weight with parameters.
    pub fn base_of(&self, expr: ExprId) -> Option<ExprId> {
        self.parametric?.base_of(expr)
    }

    /// Whether a weight is just a parameter: it was a constant in the text, and so is always positive.
    pub fn is_positive_parameter(&self, expr: ExprId) -> bool {
        self.parametric.is_some_and(|p| p.is_parameter(expr))
    }

    /// Fails unless a weight is positive exactly if that of the base is. `positive` says whether it is.
    pub fn same_as_base(&mut self, expr: ExprId, positive: ExprId) -> Option<Stmt> {
        let (base, site) = (self.base_of(expr)?, self.turned?);
        let e = self.state.exprs();
        let zero = e.f64(0.0);
        let was_positive = e.binary(BinaryOp::Gt, base, zero);
        let cond = e.binary(BinaryOp::Ne, positive, was_positive);
        Some(Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] })
    }
}
