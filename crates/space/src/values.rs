//! Probabilities or rates of transitions, in as few bytes as their variety allows.
//!
//! A model has few distinct probabilities and rates, as a rule: one for each update that was written.
//! While there are at most 256 of them a transition takes one byte, up to 65,536 two; beyond that the
//! numbers themselves are stored.

use std::collections::HashMap;
use std::ops::Range;

/// The value of a numeric observation in a state where evaluating it failed: a NaN that no computation gives.
pub const UNDEFINED: f64 = f64::from_bits(0x7ff8_756e_6465_6600);

/// Whether a value is [`UNDEFINED`].
pub fn is_undefined(value: f64) -> bool {
    value.to_bits() == UNDEFINED.to_bits()
}

/// Numbers by position.
#[derive(Clone, Debug)]
pub struct Values {
    distinct: Vec<f64>,
    codes: Codes,
}

#[derive(Clone, Debug)]
enum Codes {
    /// Places in `distinct`.
    Byte(Vec<u8>),
    /// Places in `distinct`.
    Short(Vec<u16>),
    /// The numbers; `distinct` is empty.
    Plain(Vec<f64>),
}

/// The storage of [`Values`], for loops that look it up once instead of for every number.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// Places in a table of up to 256 numbers, and the table.
    Byte(&'a [u8], &'a [f64]),
    /// Places in a table of up to 65,536 numbers, and the table.
    Short(&'a [u16], &'a [f64]),
    /// The numbers.
    Plain(&'a [f64]),
}

impl Values {
    /// The storage of the numbers.
    pub fn view(&self) -> View<'_> {
        match &self.codes {
            Codes::Byte(codes) => View::Byte(codes, &self.distinct),
            Codes::Short(codes) => View::Short(codes, &self.distinct),
            Codes::Plain(values) => View::Plain(values),
        }
    }

    /// Number of numbers.
    pub fn len(&self) -> usize {
        match &self.codes {
            Codes::Byte(codes) => codes.len(),
            Codes::Short(codes) => codes.len(),
            Codes::Plain(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a position.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match &self.codes {
            Codes::Byte(codes) => self.distinct[codes[i] as usize],
            Codes::Short(codes) => self.distinct[codes[i] as usize],
            Codes::Plain(values) => values[i],
        }
    }

    /// The numbers of a range, in order.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = f64> + '_ {
        range.map(|i| self.get(i))
    }

    /// All numbers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.range(0..self.len())
    }

    /// The numbers that occur, if there are few enough that they were counted.
    pub fn distinct(&self) -> Option<&[f64]> {
        (!matches!(self.codes, Codes::Plain(_))).then_some(&self.distinct)
    }

    /// The numbers as a plain vector.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().collect()
    }

    /// Bytes that a transition's number takes.
    pub fn width(&self) -> usize {
        match &self.codes {
            Codes::Byte(_) => 1,
            Codes::Short(_) => 2,
            Codes::Plain(_) => 8,
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        (self.len() * self.width() + 8 * self.distinct.len()) as u64
    }
}

/// Bit by bit: −0 differs from 0, and how the numbers are stored makes no difference.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Values { distinct: Vec::new(), codes: Codes::Plain(values) }
    }
}

impl FromIterator<f64> for Values {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut builder = ValuesBuilder::new();
        values.into_iter().for_each(|value| builder.push(value));
        builder.finish()
    }
}

/// Slots of the cache in front of the map of distinct numbers.
const CACHE: usize = 256;

/// Values under construction.
#[derive(Clone, Debug)]
pub struct ValuesBuilder {
    values: Values,
    places: HashMap<u64, u16>,
    /// Bits of a number and its place, by a hash of the bits. An entry is right or unused (place
    /// `u16::MAX` of no number, as zero bits would be a number).
    cache: Vec<(u64, u16)>,
}

impl Default for ValuesBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ValuesBuilder {
    /// No values.
    pub fn new() -> Self {
        let values = Values { distinct: Vec::new(), codes: Codes::Byte(Vec::new()) };
        // A NaN is never stored, hence never found.
        ValuesBuilder { values, places: HashMap::new(), cache: vec![(u64::MAX, 0); CACHE] }
    }

    /// The values so far.
    pub fn so_far(&self) -> &Values {
        &self.values
    }

    /// The values.
    pub fn finish(self) -> Values {
        self.values
    }

    /// Appends a number.
    pub fn push(&mut self, value: f64) {
        self.extend(&[value]);
    }

    /// Appends numbers. Their bits are kept, except for the NaN whose bits are all set.
    pub fn extend(&mut self, more: &[f64]) {
        for (i, &value) in more.iter().enumerate() {
            if let Codes::Plain(values) = &mut self.values.codes {
                values.extend_from_slice(&more[i..]);
                return;
            }
            let bits = value.to_bits();
            let slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % CACHE;
            let place = match self.cache[slot] {
                (known, place) if known == bits => Some(place),
                _ => self.place(bits, slot),
            };
            match (&mut self.values.codes, place) {
                (Codes::Byte(codes), Some(place)) => codes.push(place as u8),
                (Codes::Short(codes), Some(place)) => codes.push(place),
                (Codes::Plain(values), _) => values.push(value),
                (_, None) => unreachable!("a number without a place makes the values plain"),
            }
        }
    }

    /// The place of a number that the cache does not know, which may change how numbers are stored.
    /// `None` once they are stored as they are.
    fn place(&mut self, bits: u64, slot: usize) -> Option<u16> {
        let place = match self.places.get(&bits) {
            Some(&place) => place,
            None => self.new_place(bits)?,
        };
        self.cache[slot] = (bits, place);
        Some(place)
    }

    fn new_place(&mut self, bits: u64) -> Option<u16> {
        let Values { distinct, codes } = &mut self.values;
        let place = u16::try_from(distinct.len()).ok();
        match (&*codes, place) {
            (Codes::Byte(narrow), Some(256)) => {
                *codes = Codes::Short(narrow.iter().map(|&c| c as u16).collect());
            }
            (Codes::Short(wide), None) => {
                let values = wide.iter().map(|&c| distinct[c as usize]).collect();
                *codes = Codes::Plain(values);
                distinct.clear();
                self.places.clear();
                return None;
            }
            _ => {}
        }
        let place = place?;
        distinct.push(f64::from_bits(bits));
        self.places.insert(bits, place);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[f64], width: usize) {
        let mut builder = ValuesBuilder::new();
        for chunk in numbers.chunks(7) {
            builder.extend(chunk);
        }
        let values = builder.finish();
        assert_eq!(values.width(), width);
        assert_eq!(values.len(), numbers.len());
        assert!(numbers.iter().zip(values.iter()).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!(values, Values::from(numbers.to_vec()));
        let occurring: std::collections::HashSet<u64> = numbers.iter().map(|v| v.to_bits()).collect();
        assert!(values.distinct().is_none_or(|d| d.len() == occurring.len()));
    }

    #[test]
    fn widens_as_needed() {
        let numbers = |distinct: usize| -> Vec<f64> {
            (0..200_000usize).map(|i| ((i * 7919) % distinct) as f64 / 3.0).collect()
        };
        check(&[], 1);
        check(&[0.0, -0.0, 0.5, 0.0], 1);
        check(&numbers(256), 1);
        check(&numbers(257), 2);
        check(&numbers(65_536), 2);
        check(&numbers(65_537), 8);
    }

    #[test]
    fn tells_bits_apart() {
        let a: Values = [1.0, 0.0].into_iter().collect();
        let b: Values = [1.0, -0.0].into_iter().collect();
        assert_ne!(a, b);
        assert_eq!(a.range(0..1).collect::<Vec<_>>(), [1.0]);
    }
}
