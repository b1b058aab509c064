//! Which fields expressions read.

use volvelle_kernel::{ExprId, Exprs, Node};
use volvelle_store::BitMatrix;

/// Most words of the table.
const MOST_WORDS: usize = 1 << 22;

/// For every expression the fields it reads, as bits.
#[derive(Clone, Debug)]
pub(super) struct Reads(BitMatrix);

impl Reads {
    /// For all expressions of an arena; `None` if this takes too much memory.
    pub fn new(exprs: &Exprs, fields: usize) -> Option<Self> {
        if exprs.len().saturating_mul(BitMatrix::words_per_row(fields)) > MOST_WORDS {
            return None;
        }
        let mut reads = BitMatrix::new(exprs.len(), fields);
        for id in exprs.ids() {
            let node = exprs.node(id);
            if let Node::Local(local, _) = node {
                reads.insert(id.index(), local.index());
            }
            Exprs::each_operand(&node, |operand| _ = reads.unite_rows(id.index(), operand.index()));
        }
        Some(Reads(reads))
    }

    /// Whether an expression reads a field.
    pub fn contains(&self, expr: ExprId, field: usize) -> bool {
        self.0.contains(expr.index(), field)
    }

    /// The fields that an expression reads.
    pub fn fields(&self, expr: ExprId) -> impl Iterator<Item = usize> + '_ {
        self.0.row(expr.index())
    }
}
