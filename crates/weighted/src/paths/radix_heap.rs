//! A priority queue for keys that are never below the last one taken, as in Dijkstra's algorithm.
//!
//! R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, *Faster algorithms for the shortest path problem*, J.
//! ACM 37(2), 1990, doi:10.1145/77600.77615: an entry lies in the bucket of the highest bit in which its key
//! differs from the last one taken.

/// Entries, taken by least key.
#[derive(Debug)]
pub(crate) struct RadixHeap<T> {
    last: u64,
    buckets: Vec<Vec<(u64, T)>>,
    len: usize,
}

impl<T: Copy> RadixHeap<T> {
    /// An empty queue.
    pub fn new() -> Self {
        RadixHeap { last: 0, buckets: (0..=64).map(|_| Vec::new()).collect(), len: 0 }
    }

    /// Removes all entries; keys may start from 0 again.
    pub fn clear(&mut self) {
        if self.len > 0 {
            self.buckets.iter_mut().for_each(Vec::clear);
        }
        (self.last, self.len) = (0, 0);
    }

    /// Adds an entry; its key must not be below the last one taken.
    #[inline]
    pub fn push(&mut self, key: u64, entry: T) {
        debug_assert!(key >= self.last);
        self.buckets[64 - (key ^ self.last).leading_zeros() as usize].push((key, entry));
        self.len += 1;
    }

    /// Takes an entry with the least key.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        if self.buckets[0].is_empty() {
            let bucket = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut entries = std::mem::take(&mut self.buckets[bucket]);
            self.last = entries.iter().map(|&(key, _)| key).min()?;
            for (key, entry) in entries.drain(..) {
                self.buckets[64 - (key ^ self.last).leading_zeros() as usize].push((key, entry));
            }
            self.buckets[bucket] = entries;
        }
        self.buckets[0].pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    #[test]
    fn entries_come_in_order() {
        let mut random = Random(3);
        for _ in 0..50 {
            let mut heap = RadixHeap::new();
            let mut model = std::collections::BinaryHeap::new();
            let mut last = 0u64;
            for _ in 0..300 {
                if random.chance(60) {
                    let key = last.saturating_add(random.bits() >> random.below(64));
                    heap.push(key, ());
                    model.push(std::cmp::Reverse(key));
                } else {
                    let key = heap.pop().map(|(key, ())| key);
                    assert_eq!(key, model.pop().map(|std::cmp::Reverse(key)| key));
                    last = key.unwrap_or(last);
                }
            }
        }
    }
}
