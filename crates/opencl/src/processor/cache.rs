//! Lines that an access brings into a cache, from its strides.

/// A cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its size.
    pub bytes: u32,
    /// Lines that have place in each of its sets.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
}

/// Memory that a processor can address without looking up a page again.
pub(crate) const PAGES: Cache = Cache { bytes: 64 * 4096, ways: 64, line: 4096 };

/// A loop around an access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turn {
    /// Its iterations.
    pub count: f64,
    /// Bytes from one iteration to the next.
    pub stride: i64,
}

impl Cache {
    /// The number of lines that an access misses in the cache; `turns` are the loops around it, the innermost
    /// first.
    ///
    /// If all that the last iteration of a loop touched fits into the cache, the next iteration brings in
    /// only the lines it moves on to. What fits depends on the sets that the strides reach: with a stride of
    /// a large power of two, lines share few sets. (Footprints are counted as in M. E. Wolf, M. S. Lam, *A
    /// data locality optimizing algorithm*, PLDI 1991.)
    pub(crate) fn misses(&self, turns: &[Turn]) -> f64 {
        let line = i64::from(self.line.max(1));
        let sets = (i64::from(self.bytes) / (line * i64::from(self.ways.max(1)))).max(1);
        let (mut lines, mut misses, mut reached) = (1.0_f64, 1.0_f64, 1_i64);
        for turn in turns {
            let stride = turn.stride.saturating_abs();
            let (growth, new_sets) = if stride < line {
                let runs = (turn.count * stride as f64 / line as f64).max(1.0);
                (runs, runs.ceil())
            } else {
                let shared = greatest_common_divisor(sets, stride / line);
                (turn.count.max(1.0), turn.count.min((sets / shared) as f64).max(1.0))
            };
            let fits = lines <= (reached * i64::from(self.ways)) as f64;
            misses *= if fits { growth } else { turn.count.max(1.0) };
            lines *= growth;
            reached = (reached as f64 * new_sets).min(sets as f64) as i64;
        }
        misses
    }
}

fn greatest_common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    /// A cache with least-recently-used replacement, line by line.
    fn simulated(cache: &Cache, turns: &[Turn]) -> u64 {
        let sets = u64::from(cache.bytes / (cache.line * cache.ways));
        let mut kept: Vec<Vec<u64>> = vec![Vec::new(); sets as usize];
        let mut at = vec![0_i64; turns.len()];
        let mut misses = 0;
        loop {
            let address: i64 = at.iter().zip(turns).map(|(i, turn)| i * turn.stride).sum();
            let line = address as u64 / u64::from(cache.line);
            let set = &mut kept[(line % sets) as usize];
            match set.iter().position(|known| *known == line) {
                Some(place) => _ = set.remove(place),
                None => misses += 1,
            }
            set.push(line);
            if set.len() > cache.ways as usize {
                set.remove(0);
            }
            let Some(next) = (0..turns.len()).find(|k| ((at[*k] + 1) as f64) < turns[*k].count) else {
                return misses;
            };
            at[..next].fill(0);
            at[next] += 1;
        }
    }

    /// The model is within a factor of two of a simulated cache, except for a few nests that barely fit or
    /// barely do not fit.
    #[test]
    fn misses_of_simulated_caches() {
        let mut random = Random(11);
        let cache = Cache { bytes: 8 << 10, ways: 4, line: 64 };
        let mut differ = 0;
        for _ in 0..400 {
            let trips = 1_i64 << random.below(8);
            let items = 1_i64 << random.below(7);
            // Strides of iterations and of items: items side by side, each item with its own run, all alike, or at random.
            let (inner, outer) = match random.below(4) {
                0 => (4 * items, 4),
                1 => (4, 4 * trips),
                2 => (4, 0),
                _ => (4 * (1 << random.below(9)), 4),
            };
            let turn = |count: i64, stride| Turn { count: count as f64, stride };
            let turns = [turn(trips, inner), turn(items, outer)];
            let (found, expected) = (cache.misses(&turns), simulated(&cache, &turns) as f64);
            let ratio = (found / expected).max(expected / found);
            assert!(ratio <= 16.0, "{turns:?}: {found}, simulated {expected}");
            differ += u32::from(ratio > 2.0);
        }
        assert!(differ < 20, "{differ} of 400 differ by more than a factor of two");
    }
}
