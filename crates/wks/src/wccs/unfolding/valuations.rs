//! Propositions of terms, with multiplicities: each valuation is stored once.

use super::TooLarge;
use rustc_hash::FxHashMap;

/// No propositions.
pub(super) const EMPTY: u32 = 0;

#[derive(Clone, Debug)]
pub(super) struct Valuations {
    all: Vec<Box<[(u32, u32)]>>,
    number_of: FxHashMap<Box<[(u32, u32)]>, u32>,
    scratch: Vec<(u32, u32)>,
}

impl Valuations {
    pub fn new() -> Self {
        let empty: Box<[(u32, u32)]> = Box::default();
        let number_of = FxHashMap::from_iter([(empty.clone(), EMPTY)]);
        Valuations { all: vec![empty], number_of, scratch: Vec::new() }
    }

    #[inline]
    pub fn get(&self, valuation: u32) -> &[(u32, u32)] {
        &self.all[valuation as usize]
    }

    /// The sum of valuations, each times a count.
    pub fn sum(&mut self, terms: impl Iterator<Item = (u32, u32)>) -> Result<u32, TooLarge> {
        let mut terms = terms.filter(|&(valuation, _)| valuation != EMPTY).peekable();
        let Some((first, count)) = terms.next() else { return Ok(EMPTY) };
        if count == 1 && terms.peek().is_none() {
            return Ok(first);
        }
        self.scratch.clear();
        for (valuation, count) in std::iter::once((first, count)).chain(terms) {
            for &(proposition, times) in &self.all[valuation as usize] {
                let times = times.checked_mul(count).ok_or(TooLarge::Copies)?;
                self.scratch.push((proposition, times));
            }
        }
        self.number()
    }

    /// A valuation and a proposition more.
    pub fn with(&mut self, valuation: u32, proposition: u32) -> Result<u32, TooLarge> {
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.all[valuation as usize]);
        self.scratch.push((proposition, 1));
        self.number()
    }

    /// A valuation with other names.
    pub fn renamed(&mut self, valuation: u32, new: impl Fn(u32) -> u32) -> Result<u32, TooLarge> {
        self.scratch.clear();
        let all = self.all[valuation as usize].iter();
        self.scratch.extend(all.map(|&(proposition, times)| (new(proposition), times)));
        self.number()
    }

    /// The number of what is in the scratch, whose propositions may be in any order.
    fn number(&mut self) -> Result<u32, TooLarge> {
        self.scratch.sort_unstable();
        let mut kept = 0;
        for at in 0..self.scratch.len() {
            let (proposition, times) = self.scratch[at];
            if kept > 0 && self.scratch[kept - 1].0 == proposition {
                let sum = self.scratch[kept - 1].1.checked_add(times).ok_or(TooLarge::Copies)?;
                self.scratch[kept - 1].1 = sum;
            } else {
                self.scratch[kept] = (proposition, times);
                kept += 1;
            }
        }
        self.scratch.truncate(kept);
        if let Some(&number) = self.number_of.get(self.scratch.as_slice()) {
            return Ok(number);
        }
        let number = u32::try_from(self.all.len()).map_err(|_| TooLarge::Terms)?;
        let valuation: Box<[(u32, u32)]> = self.scratch.as_slice().into();
        self.all.push(valuation.clone());
        self.number_of.insert(valuation, number);
        Ok(number)
    }

    pub fn bytes(&self) -> usize {
        // A valuation is there twice: by number, and as a key.
        self.all.iter().map(|valuation| 16 * valuation.len() + 64).sum()
    }
}
