//! Buffers and locals of the kernel for a model that is given by its states.

use crate::table::Rows;
use volvelle_kernel::{Access, Buffer, Kernel, Local, Type};
use volvelle_space::Kind;

/// Buffers and locals.
pub(super) struct RowState {
    /// For each state the number of its first transition, then its marks.
    pub words: Buffer,
    /// For each transition its threshold and two targets.
    pub places: Buffer,
    /// Exit rates, in continuous time.
    pub rates: Option<Buffer>,
    /// Rewards, in the order of [`Rows::vectors`].
    pub vectors: Vec<Buffer>,
    /// The state of the path, `u32`.
    pub row: Local,
    /// Its marks, `u32` each.
    pub marks: Vec<Local>,
}

impl RowState {
    pub fn declare(kernel: &mut Kernel, rows: &Rows) -> Self {
        let words = kernel.buffer("words", Type::U32, Access::Read);
        let places = kernel.buffer("places", Type::U64, Access::Read);
        let is_timed = rows.table.space().kind == Kind::Ctmc;
        let rates = is_timed.then(|| kernel.buffer("rates", Type::F64, Access::Read));
        let rewards = 0..rows.vectors.len();
        let vectors =
            rewards.map(|i| kernel.buffer(format!("rewards{i}"), Type::F64, Access::Read)).collect();
        let row = kernel.local("row_of_state", Type::U32);
        let marks = (1..rows.stride).map(|i| kernel.local(format!("marks{i}"), Type::U32)).collect();
        RowState { words, places, rates, vectors, row, marks }
    }
}
