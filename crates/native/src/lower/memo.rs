//! Values of expressions that were computed in the current statement, in which nothing that they read can change.
//!
//! A value is known wherever the block that computed it dominates.

use cranelift_codegen::ir::Value;
use volvelle_kernel::ExprId;

/// Values computed in the current statement, in nested scopes of dominance.
pub(super) struct Memo {
    values: Vec<Option<Value>>,
    /// Nodes with a value, in order of computation.
    known: Vec<ExprId>,
    /// Length of `known` at the start of each open scope.
    scopes: Vec<usize>,
}

impl Memo {
    pub(super) fn new(nodes: usize) -> Self {
        Memo { values: vec![None; nodes], known: Vec::new(), scopes: Vec::new() }
    }

    pub(super) fn get(&self, id: ExprId) -> Option<Value> {
        self.values[id.index()]
    }

    pub(super) fn insert(&mut self, id: ExprId, value: Value) {
        self.values[id.index()] = Some(value);
        self.known.push(id);
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(self.known.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.scopes.pop().expect("scopes nest");
        self.forget_from(start);
    }

    fn forget_from(&mut self, start: usize) {
        for id in self.known.drain(start..) {
            self.values[id.index()] = None;
        }
    }

    /// Forgets everything: a statement has changed what expressions read, or another block begins.
    pub(super) fn clear(&mut self) {
        debug_assert!(self.scopes.is_empty());
        self.forget_from(0);
    }
}
