//! Where the parts of a kernel stand in its text.

use crate::entities::ExprId;
use crate::kernel::Kernel;
use crate::verify::Place;
use rustc_hash::FxHashMap;

/// A kernel, and where its parts stand.
#[derive(Clone, Debug)]
pub struct Located {
    /// The kernel.
    pub kernel: Kernel,
    /// Its places.
    pub places: Places,
}

/// Where the parts of a kernel stand: byte offsets of names, statements and operators.
#[derive(Clone, Debug, Default)]
pub struct Places {
    pub(super) kernel: usize,
    pub(super) buffers: Vec<usize>,
    pub(super) locals: Vec<usize>,
    /// In the order of the text, as [`Place::Stmt`] counts them.
    pub(super) statements: Vec<usize>,
    /// Of equal expressions the first.
    pub(super) exprs: FxHashMap<ExprId, usize>,
}

impl Places {
    /// The byte offset of what the verifier names; of what has no text, that of the kernel's name.
    pub fn offset(&self, place: Place) -> usize {
        let found = match place {
            Place::Kernel => None,
            Place::Buffer(buffer) => self.buffers.get(buffer.index()).copied(),
            Place::Local(local) => self.locals.get(local.index()).copied(),
            Place::Stmt(number) => number.checked_sub(1).and_then(|at| self.statements.get(at).copied()),
            Place::Expr(expr) => self.exprs.get(&expr).copied(),
        };
        found.unwrap_or(self.kernel)
    }
}
