//! Which states are expanded in full although successors could be left out: decided once for each state.
//!
//! On every cycle some state must be expanded in full, lest a step be put off for ever (Peled, *Combining partial order
//! reductions with on-the-fly model-checking*, FMSD 8, 1996), and the second search must see the cycles that the first
//! one saw (Holzmann, Peled and Yannakakis, *On nested depth first search*, 1996). So a worker that finds a successor on
//! its own stack expands in full, and writes down what it did when it leaves the state, before the state turns blue.
//!
//! That suffices for several workers. Of a cycle of states that were all decided to be reduced, take the one decided
//! first. The worker that did so found no successor on its stack, went through all of them, and left them before; that
//! on the cycle was thus decided earlier. A second search that meets a state before the decision makes it, for the full
//! expansion; a worker that learns of this when it leaves the state catches up.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_store::zeroed;

/// How much of a state's successors is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A part that suffices.
    Part,
    /// All of them.
    Full,
}

/// log2 of the words in the first segment; each further one doubles.
const FIRST: u32 = 10;

/// Segments that two bits for each of 2^32 states need.
const SEGMENTS: usize = 18;

/// States in a word.
const PER_WORD: u32 = 32;

/// Two bits a state: 0 if nothing is decided.
#[derive(Debug, Default)]
pub struct Decisions {
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// The segment of a state, and the word in it.
fn locate(state: u32) -> (usize, usize) {
    let word = (state / PER_WORD) as usize + (1 << FIRST);
    let segment = word.ilog2();
    ((segment - FIRST) as usize, word - (1 << segment))
}

fn decode(word: u64, state: u32) -> Option<Extent> {
    match word >> (2 * (state % PER_WORD)) & 3 {
        0 => None,
        1 => Some(Extent::Part),
        _ => Some(Extent::Full),
    }
}

impl Decisions {
    /// What is decided of a state.
    pub fn get(&self, state: u32) -> Option<Extent> {
        let (segment, word) = locate(state);
        decode(self.segments[segment].get()?[word].load(Ordering::Acquire), state)
    }

    /// Decides, unless that was done before; gives the decision.
    pub fn decide(&self, state: u32, extent: Extent) -> Extent {
        let (segment, word) = locate(state);
        let words = self.segments[segment].get_or_init(|| zeroed(1 << (FIRST as usize + segment)));
        let bits = match extent {
            Extent::Part => 1,
            Extent::Full => 2,
        } << (2 * (state % PER_WORD));
        let mut known = words[word].load(Ordering::Acquire);
        loop {
            if let Some(decided) = decode(known, state) {
                return decided;
            }
            let next = known | bits;
            match words[word].compare_exchange_weak(known, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return extent,
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
        let decisions = Decisions::default();
        let states = (0..70_000).step_by(7).chain([u32::MAX, u32::MAX - 1]);
        for state in states.clone() {
            assert_eq!(decisions.get(state), None);
            let first = if state % 3 == 0 { Extent::Full } else { Extent::Part };
            assert_eq!(decisions.decide(state, first), first);
        }
        for state in states {
            let first = if state % 3 == 0 { Extent::Full } else { Extent::Part };
            assert_eq!(decisions.decide(state, Extent::Full), first);
            assert_eq!(decisions.decide(state, Extent::Part), first);
            assert_eq!(decisions.get(state), Some(first));
        }
    }
}
