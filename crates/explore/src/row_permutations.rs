//! Where the successors of a state went in its sorted row, so that other weights can follow them.
//!
//! If the targets of a row increase, its successors keep their order, and only a bit is stored. For other
//! rows, each successor has a *slot*: the position in the row to which its weight was added. Most models have
//! short rows, so a slot takes a byte.

use volvelle_store::BitSet;

/// States between two marks.
const MARK_EVERY: usize = 4096;

/// The slots of some consecutive rows, as threads collect them.
#[derive(Debug, Default)]
pub struct RowPermutationsBuilder {
    ordered: Vec<bool>,
    slots: Vec<u32>,
}

impl RowPermutationsBuilder {
    /// No rows.
    pub fn clear(&mut self) {
        self.ordered.clear();
        self.slots.clear();
    }

    /// Records a row whose successors came in order, with distinct targets; or a row without successors.
    pub fn in_order(&mut self) {
        self.ordered.push(true);
    }

    /// Records a row by its sorted keys: target in the upper half, number of the successor in the lower.
    pub fn out_of_order(&mut self, keys: &[u64]) {
        self.ordered.push(false);
        let first = self.slots.len();
        self.slots.resize(first + keys.len(), 0);
        let mut slot = 0;
        for (i, &key) in keys.iter().enumerate() {
            if i > 0 && keys[i - 1] >> 32 != key >> 32 {
                slot += 1;
            }
            self.slots[first + (key as u32) as usize] = slot;
        }
    }
}

/// A position where reading can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// A state,
    pub state: usize,
    /// its first row,
    pub row: usize,
    /// and the first slot of its rows.
    pub slot: usize,
}

/// The slots of all rows.
#[derive(Debug, Default)]
pub struct RowPermutations {
    /// A bit for each row: whether it came in order.
    ordered: BitSet,
    rows: usize,
    codes: Codes,
    marks: Vec<Mark>,
}

#[derive(Debug)]
enum Codes {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Wide(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Codes::Byte(Vec::new())
    }
}

impl Codes {
    fn len(&self) -> usize {
        match self {
            Codes::Byte(codes) => codes.len(),
            Codes::Short(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }

    fn widen_for(&mut self, largest: u32) {
        let wide = |codes: &[u16]| Codes::Wide(codes.iter().map(|&c| c.into()).collect());
        match self {
            Codes::Byte(codes) if largest > u8::MAX.into() => {
                let short: Vec<u16> = codes.iter().map(|&c| c.into()).collect();
                *self = if largest > u16::MAX.into() { wide(&short) } else { Codes::Short(short) };
            }
            Codes::Short(codes) if largest > u16::MAX.into() => *self = wide(codes),
            _ => {}
        }
    }
}

impl RowPermutations {
    /// Appends the rows of the states from `state` on.
    pub fn append(&mut self, state: usize, more: &RowPermutationsBuilder) {
        if self.marks.last().is_none_or(|mark| state >= mark.state + MARK_EVERY) {
            self.marks.push(Mark { state, row: self.rows, slot: self.codes.len() });
        }
        for &ordered in &more.ordered {
            if ordered {
                self.ordered.insert_growing(self.rows);
            }
            self.rows += 1;
        }
        self.codes.widen_for(more.slots.iter().copied().max().unwrap_or(0));
        match &mut self.codes {
            Codes::Byte(codes) => codes.extend(more.slots.iter().map(|&s| s as u8)),
            Codes::Short(codes) => codes.extend(more.slots.iter().map(|&s| s as u16)),
            Codes::Wide(codes) => codes.extend_from_slice(&more.slots),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let codes = match &self.codes {
            Codes::Byte(codes) => codes.len(),
            Codes::Short(codes) => 2 * codes.len(),
            Codes::Wide(codes) => 4 * codes.len(),
        };
        (codes + size_of::<Mark>() * self.marks.len()) as u64 + self.ordered.bytes()
    }

    /// Positions where reading can begin: the first state, and some others in order.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Whether the successors of a row came in order.
    pub fn is_ordered(&self, row: usize) -> bool {
        self.ordered.contains(row)
    }

    /// Adds the weights of an unordered row to `row`, in the order of discovery; `first` is the position of
    /// its first slot. `None` if the slots belong to another row.
    #[must_use]
    pub fn scatter(&self, first: usize, weights: &[f64], row: &mut [f64]) -> Option<()> {
        fn add<T: Copy + Into<u32>>(codes: &[T], weights: &[f64], row: &mut [f64]) -> Option<()> {
            for (&code, &weight) in codes.iter().zip(weights) {
                *row.get_mut(code.into() as usize)? += weight;
            }
            Some(())
        }
        let range = first..first + weights.len();
        match &self.codes {
            Codes::Byte(codes) => add(codes.get(range)?, weights, row),
            Codes::Short(codes) => add(codes.get(range)?, weights, row),
            Codes::Wide(codes) => add(codes.get(range)?, weights, row),
        }
    }
}
