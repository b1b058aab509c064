//! What the memories of a strategy stand for where bounds on rewards are left.

use volvelle_logic::Counted;

/// A bound of which something is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remaining {
    /// What is counted.
    pub counted: Counted,
    /// Whether it is an upper bound, of which something may be spent; of a lower bound something has to be spent.
    pub upper: bool,
    /// The amount that one unit stands for: numerator and denominator.
    pub unit: [f64; 2],
}

impl Remaining {
    /// An amount in units.
    pub fn amount(&self, units: u32) -> f64 {
        f64::from(units) * self.unit[0] / self.unit[1]
    }
}

/// How much is left with each memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Amounts {
    /// The bounds.
    pub of: Vec<Remaining>,
    /// For every memory what is left of each bound, in units; `None` where nothing matters any more.
    pub left: Vec<Option<Box<[u32]>>>,
}

impl Amounts {
    /// What is left with a memory.
    pub fn of_memory(&self, memory: u32) -> Option<impl Iterator<Item = (Remaining, f64)> + '_> {
        let left = self.left.get(memory as usize)?.as_ref()?;
        Some(self.of.iter().zip(left).map(|(&of, &left)| (of, of.amount(left))))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.left.len() * (16 + 4 * self.of.len())
    }
}
