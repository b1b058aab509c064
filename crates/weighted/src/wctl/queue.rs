//! A priority queue for keys that never fall below the last one taken: the radix heap.
//!
//! R. K. Ahuja, K. Mehlhorn, J. Orlin, R. E. Tarjan, *Faster algorithms for the shortest path problem*, J. ACM 37(2), 1990,
//! doi:10.1145/77600.77615. Small weights and weights of zero cost next to nothing: they stay in the first buckets.

/// Pairs of a key and a number.
#[derive(Debug)]
pub(super) struct RadixQueue {
    /// Bucket 0: keys equal to `last`; bucket `b`: keys whose highest bit that differs from `last` is bit `b - 1`.
    buckets: Vec<Vec<(u64, u32)>>,
    last: u64,
    len: usize,
}

impl RadixQueue {
    pub fn new() -> Self {
        RadixQueue { buckets: vec![Vec::new(); 65], last: 0, len: 0 }
    }

    /// Empties it, for keys from 0 on.
    pub fn clear(&mut self) {
        if self.len > 0 {
            self.buckets.iter_mut().for_each(Vec::clear);
        }
        (self.last, self.len) = (0, 0);
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        64 - (key ^ self.last).leading_zeros() as usize
    }

    /// Adds a number with a key that is not below the last one taken.
    #[inline]
    pub fn push(&mut self, key: u64, number: u32) {
        debug_assert!(key >= self.last);
        let bucket = self.bucket(key);
        self.buckets[bucket].push((key, number));
        self.len += 1;
    }

    /// Takes a pair with the least key.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, u32)> {
        if self.len == 0 {
            return None;
        }
        if self.buckets[0].is_empty() {
            self.spread();
        }
        self.len -= 1;
        self.buckets[0].pop()
    }

    fn spread(&mut self) {
        let first = self.buckets.iter().position(|bucket| !bucket.is_empty()).unwrap_or(0);
        let mut members = std::mem::take(&mut self.buckets[first]);
        self.last = members.iter().map(|&(key, _)| key).min().unwrap_or(self.last);
        for &(key, number) in &members {
            let bucket = self.bucket(key);
            self.buckets[bucket].push((key, number));
        }
        members.clear();
        // The room is kept for later.
        self.buckets[first] = members;
    }
}

#[cfg(test)]
mod tests {
    use super::RadixQueue;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    use volvelle_random::Random;

    #[test]
    fn agrees_with_a_binary_heap() {
        let mut random = Random(11);
        let mut queue = RadixQueue::new();
        for round in 0..300 {
            queue.clear();
            let mut model = BinaryHeap::new();
            let mut least = 0;
            let spread = 1u64 << random.below(40);
            for number in 0..200 {
                if random.chance(60) {
                    let key = least + random.bits() % spread;
                    queue.push(key, number);
                    model.push(Reverse(key));
                } else {
                    let taken = queue.pop().map(|(key, _)| key);
                    assert_eq!(taken, model.pop().map(|Reverse(key)| key), "round {round}");
                    least = taken.unwrap_or(least);
                }
            }
        }
    }
}
