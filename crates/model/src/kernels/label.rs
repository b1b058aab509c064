//! The data of labels, as step kernels write them.
//!
//! All choices have equally many words: the first says how many values follow (in its lowest byte), and which of them are truth
//! values (bit 8 for the first); the rest are the values, padded with zeros. Steps of the silent action show no values.

use super::builder::Builder;
use crate::ids::ActionId;
use crate::offers::LabelValue;
use volvelle_kernel::{Block, Buffer, Stmt, Type};

/// Values that a label has room for.
pub(super) const MOST_VALUES: usize = 56;

/// The values in the words of a choice.
pub fn label_values(words: &[u64]) -> Vec<LabelValue> {
    let Some((head, values)) = words.split_first() else { return Vec::new() };
    let value = |(k, &word): (usize, &u64)| match head >> (8 + k) & 1 {
        1 => LabelValue::Bool(word != 0),
        _ => LabelValue::Int(word as i64),
    };
    values.iter().enumerate().take((head & 0xff) as usize).map(value).collect()
}

impl Builder<'_> {
    /// Writes the data of a choice's label: the values that are exchanged, of these types.
    pub fn label(&mut self, buffer: Buffer, action: ActionId, data: &[Type]) -> Block {
        let data = if action == ActionId::SILENT { &[] } else { data };
        let flags = data.iter().enumerate().map(|(k, &ty)| u64::from(ty == Type::Bool) << (8 + k));
        let head = self.state.exprs().u64(data.len() as u64 | flags.sum::<u64>());
        let mut block = vec![Stmt::Emit { buffer, value: head }];
        for k in 0..self.state.offered.len() {
            let value = match k < data.len() {
                true => {
                    let local = self.state.offered[k];
                    let value = self.state.kernel.get(local);
                    self.state.exprs().convert(Type::U64, value)
                }
                false => self.state.exprs().u64(0),
            };
            block.push(Stmt::Emit { buffer, value });
        }
        block
    }
}
