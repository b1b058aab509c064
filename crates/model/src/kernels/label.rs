//! The data of labels, as step kernels write them.
//!
//! Each choice has the same number of words. The first word has the number of values in its lowest 7 bits,
//! and from bit 8 on one bit for each value that is a truth value. The values follow. If the program has
//! sorts besides integers and truth values, bit 7 of the first word is set, and the sorts follow the values,
//! two per word. The rest is padded with zeros. Steps of the silent action show no values.

use super::builder::Builder;
use crate::ids::{ActionId, SortId};
use crate::offers::LabelValue;
use crate::program::Program;
use volvelle_kernel::{Block, Buffer, Stmt, Type};

/// Limit of values in a label.
pub(super) const MOST_VALUES: usize = 56;

/// The values in the words of a choice.
pub fn label_values(words: &[u64]) -> Vec<LabelValue> {
    let Some((head, values)) = words.split_first() else { return Vec::new() };
    let count = (head & (SORTED - 1)) as usize;
    let value = |(k, &word): (usize, &u64)| {
        let sort = match head & SORTED {
            0 => SortId((head >> (8 + k) & 1) as u32),
            _ => SortId((values[count + k / 2] >> (32 * (k % 2))) as u32),
        };
        match sort {
            SortId::BOOLEAN => LabelValue::Bool(word != 0),
            SortId::INTEGER => LabelValue::Int(word as i64),
            sort => LabelValue::Of(sort, word as i64),
        }
    };
    values.iter().enumerate().take(count).map(value).collect()
}

/// Set in the first word if sorts follow the values.
const SORTED: u64 = 1 << 7;

/// Words of label data in a program whose longest offer has this many values.
pub(super) fn label_words(program: &Program, offered: usize) -> usize {
    1 + offered + if has_sorts(program) { offered.div_ceil(2) } else { 0 }
}

fn has_sorts(program: &Program) -> bool {
    program.sorts.len() > 2
}

impl Builder<'_> {
    /// Writes the data of a choice's label: the exchanged values, which are of these sorts.
    pub fn label(&mut self, buffer: Buffer, action: ActionId, data: &[SortId]) -> Block {
        let data = if action == ActionId::SILENT { &[] } else { data };
        let sorted = has_sorts(self.state.program);
        let flags = data.iter().enumerate().map(|(k, &sort)| u64::from(sort == SortId::BOOLEAN) << (8 + k));
        let flags = if sorted { SORTED } else { flags.sum::<u64>() };
        let mut words = vec![self.state.exprs().u64(data.len() as u64 | flags)];
        for k in 0..data.len() {
            let local = self.state.offered[k];
            let value = self.state.kernel.get(local);
            words.push(self.state.exprs().convert(Type::U64, value));
        }
        if sorted {
            for pair in data.chunks(2) {
                let high = pair.get(1).map_or(0, |sort| u64::from(sort.0) << 32);
                words.push(self.state.exprs().u64(u64::from(pair[0].0) | high));
            }
        }
        let zero = self.state.exprs().u64(0);
        words.resize(label_words(self.state.program, self.state.offered.len()), zero);
        words.into_iter().map(|value| Stmt::Emit { buffer, value }).collect()
    }
}
