//! Exact sums of positive doubles, in a form that is the same for equal sums.
//!
//! The order in which rates are added must not decide whether two states go to a block with the same rate. A sum is
//! kept as `high + low` without error where two doubles suffice, which is nearly always; where they do not, it is
//! added up again as an expansion (Shewchuk, *Adaptive precision floating-point arithmetic*, DCG 18, 1997).
//! Numbers far from the ends of the range of doubles are assumed ([`in_range`]), so that nothing overflows and the
//! errors of additions are doubles themselves.

use rustc_hash::FxHashMap;

/// The key of a sum: two sums are equal exactly if their keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Key {
    high: u64,
    low: u64,
    /// 0, or the number of the third part and those behind it among all such lists seen.
    rest: u32,
}

/// `a + b`, rounded, and the rounding error. `a` and `b` in any order (Knuth's two-sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Whether numbers are positive and of a size whose sums can be exact.
pub fn in_range(value: f64) -> bool {
    value == 0.0 || (1e-250..1e250).contains(&value)
}

/// A running sum in two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Short {
    /// The larger part; zero exactly for the empty sum.
    pub high: f64,
    low: f64,
    /// Two parts did not suffice.
    wide: bool,
}

impl Short {
    /// Adds a positive number.
    pub fn add(&mut self, value: f64) {
        let (high, error) = two_sum(self.high, value);
        let (low, lost) = two_sum(self.low, error);
        (self.high, self.low) = (high, low);
        self.wide |= lost != 0.0;
    }

    /// The sum as a key, unless two parts did not suffice.
    pub fn key(self) -> Option<Key> {
        // high + low may not be normalised yet: |low| can be as large as several roundings.
        let (high, low) = two_sum(self.high, self.low);
        (!self.wide).then_some(Key { high: high.to_bits(), low: low.to_bits(), rest: 0 })
    }
}

/// Numbers for what does not fit into two parts.
#[derive(Debug, Default)]
pub struct Wide {
    known: FxHashMap<Vec<u64>, u32>,
}

impl Wide {
    /// The key of a sum.
    pub fn key(&mut self, terms: impl Iterator<Item = f64>) -> Key {
        let parts = exact_sum(terms);
        let part = |i: usize| parts.get(i).copied().unwrap_or(0.0).to_bits();
        let rest: Vec<u64> = parts.iter().skip(2).map(|p| p.to_bits()).collect();
        let next = self.known.len() as u32 + 1;
        let rest = if rest.is_empty() { 0 } else { *self.known.entry(rest).or_insert(next) };
        Key { high: part(0), low: part(1), rest }
    }
}

/// The sum of numbers as a list of doubles: the first is the sum rounded to nearest, the second what is missing, rounded
/// to nearest, and so on. Equal sums have equal lists.
pub fn exact_sum(terms: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut partials: Vec<f64> = Vec::new();
    terms.for_each(|term| grow(&mut partials, term));
    let mut parts = Vec::new();
    while let Some(rounded) = round(&partials) {
        parts.push(rounded);
        grow(&mut partials, -rounded);
    }
    parts
}

/// Adds a number to an expansion: parts that do not overlap, the smallest first, without zeros.
fn grow(partials: &mut Vec<f64>, mut term: f64) {
    let mut kept = 0;
    for i in 0..partials.len() {
        let (sum, error) = two_sum(term, partials[i]);
        if error != 0.0 {
            partials[kept] = error;
            kept += 1;
        }
        term = sum;
    }
    partials.truncate(kept);
    if term != 0.0 {
        partials.push(term);
    }
}

/// An expansion rounded to nearest, ties to even; `None` for zero.
fn round(partials: &[f64]) -> Option<f64> {
    let mut from_top = partials.iter().rev().copied();
    let mut high = from_top.next()?;
    for part in from_top.by_ref() {
        let (sum, low) = two_sum(high, part);
        high = sum;
        if low != 0.0 {
            // A tie was rounded to even without looking at what comes below: that decides.
            let next = from_top.next().unwrap_or(0.0);
            if (low > 0.0 && next > 0.0) || (low < 0.0 && next < 0.0) {
                let twice = 2.0 * low;
                let moved = high + twice;
                if moved - high == twice {
                    high = moved;
                }
            }
            break;
        }
    }
    Some(high)
}

/// The double nearest to a sum.
pub fn rounded_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut partials: Vec<f64> = Vec::new();
    terms.for_each(|term| grow(&mut partials, term));
    round(&partials).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;
    use volvelle_reference::{Random, exact};

    fn terms(random: &mut Random) -> Vec<f64> {
        let spread = [1, 3, 60, 400][random.below(4)];
        (0..1 + random.below(9))
            .map(|_| {
                let mantissa = if random.one_in(3) { 1 } else { random.bits() >> 11 | 1 };
                mantissa as f64 * 2f64.powi(random.below(spread) as i32 - spread as i32 / 2)
            })
            .collect()
    }

    fn short(terms: &[f64]) -> Short {
        let mut sum = Short::default();
        terms.iter().for_each(|&t| sum.add(t));
        sum
    }

    #[test]
    fn keys_are_equal_exactly_for_equal_sums() {
        let mut random = Random(5);
        let (mut wide, mut short_ones, mut equal) = (Wide::default(), 0, 0);
        for _ in 0..4000 {
            let a = terms(&mut random);
            let mut b = a.clone();
            for _ in 0..b.len() {
                let (i, j) = (random.below(b.len()), random.below(b.len()));
                b.swap(i, j);
            }
            if random.one_in(2) {
                // Another way to write the same, or nearly.
                let half = b[0] / 2.0;
                b[0] = half;
                b.push(if random.one_in(2) { half } else { half.next_up() });
            }
            let truth = |v: &[f64]| v.iter().fold(RBig::ZERO, |s, &t| s + exact(t));
            let same = truth(&a) == truth(&b);
            equal += usize::from(same);
            assert_eq!(wide.key(a.iter().copied()) == wide.key(b.iter().copied()), same, "{a:?} {b:?}");
            if let Some(key) = short(&a).key() {
                assert_eq!(key, wide.key(a.iter().copied()), "{a:?}");
                short_ones += 1;
            }
            let parts = exact_sum(a.iter().copied());
            assert_eq!(truth(&parts), truth(&a));
            let nearest = truth(&a).to_f64().value();
            assert_eq!(rounded_sum(a.iter().copied()), nearest, "{a:?}");
        }
        assert!(short_ones > 1000 && short_ones < 4000, "{short_ones}");
        assert!(equal > 2000 && equal < 4000, "{equal}");
    }

    #[test]
    fn the_order_does_not_matter() {
        let orders = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]];
        let keys: Vec<_> = orders.iter().map(|o| short(o).key()).collect();
        assert!(keys.iter().all(|k| k.is_some() && *k == keys[0]));
        assert_ne!(short(&[0.1, 0.2]).key(), short(&[0.3]).key());
    }
}
