//! The cycle proviso: whether a state is expanded by an ample set or in full, decided once for each state.
//!
//! On every cycle some state must be expanded in full, so that no step is ignored forever (Peled, *Combining
//! partial order reductions with on-the-fly model-checking*, FMSD 8, 1996). The second search must see the
//! cycles of the first one (Holzmann, Peled and Yannakakis, *On nested depth first search*, 1996). So a
//! worker that finds a successor on its own stack expands in full. It records the decision when it leaves the
//! state, before it colours the state blue.
//!
//! This is correct for several workers, too. Suppose that all states of a cycle are ample, and consider the
//! one decided first. Its worker found no successor on its stack, visited all successors, and left them
//! before. So the successor on the cycle was decided earlier, a contradiction. If a second search visits an
//! undecided state, it decides for full expansion; a worker that finds this decision when leaving the state
//! then visits the other successors.

use crate::product::Expansion;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_store::zeroed;

/// log2 of the words in the first segment; each further one doubles.
const FIRST: u32 = 10;

/// Segments that two bits for each of 2^32 states need.
const SEGMENTS: usize = 18;

/// States in a word.
const PER_WORD: u32 = 32;

/// The decisions: two bits a state, 0 if it is undecided.
#[derive(Debug, Default)]
pub struct CycleProviso {
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// The segment of a state, and the word in it.
fn locate(state: u32) -> (usize, usize) {
    let word = (state / PER_WORD) as usize + (1 << FIRST);
    let segment = word.ilog2();
    ((segment - FIRST) as usize, word - (1 << segment))
}

fn decode(word: u64, state: u32) -> Option<Expansion> {
    match word >> (2 * (state % PER_WORD)) & 3 {
        0 => None,
        1 => Some(Expansion::Ample),
        _ => Some(Expansion::Full),
    }
}

impl CycleProviso {
    /// The decision on a state.
    pub fn get(&self, state: u32) -> Option<Expansion> {
        let (segment, word) = locate(state);
        decode(self.segments[segment].get()?[word].load(Ordering::Acquire), state)
    }

    /// Decides on a state, unless that was done before; returns the decision.
    pub fn decide(&self, state: u32, expansion: Expansion) -> Expansion {
        let (segment, word) = locate(state);
        let words = self.segments[segment].get_or_init(|| zeroed(1 << (FIRST as usize + segment)));
        let bits = match expansion {
            Expansion::Ample => 1,
            Expansion::Full => 2,
        } << (2 * (state % PER_WORD));
        let mut known = words[word].load(Ordering::Acquire);
        loop {
            if let Some(decided) = decode(known, state) {
                return decided;
            }
            let next = known | bits;
            match words[word].compare_exchange_weak(known, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return expansion,
                Err(other) => known = other,
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().filter_map(OnceLock::get).map(|words| 8 * words.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_decision_stays() {
        let proviso = CycleProviso::default();
        let states = (0..70_000).step_by(7).chain([u32::MAX, u32::MAX - 1]);
        for state in states.clone() {
            assert_eq!(proviso.get(state), None);
            let first = if state % 3 == 0 { Expansion::Full } else { Expansion::Ample };
            assert_eq!(proviso.decide(state, first), first);
        }
        for state in states {
            let first = if state % 3 == 0 { Expansion::Full } else { Expansion::Ample };
            assert_eq!(proviso.decide(state, Expansion::Full), first);
            assert_eq!(proviso.decide(state, Expansion::Ample), first);
            assert_eq!(proviso.get(state), Some(first));
        }
    }
}
