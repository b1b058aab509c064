//! Approximate searches: they may omit states, and cover more of a system than memory can store.
//!
//! A depth-first search that stores the states of its stack in full, but only a hash of other visited states:
//!
//! - [`Memory::Bits`]: some bits of one large array (Holzmann, *An analysis of bitstate hashing*, FMSD 13,
//!   1998).
//! - [`Memory::Fingerprints`]: 64 bits each (Wolper and Leroy, *Reliable hashing without collision
//!   detection*, CAV 1993).
//!
//! [`swarm`] runs many small searches of the first kind, each with its own order and hash functions
//! (Holzmann, Joshi and Groce, *Swarm verification techniques*, TSE 37, 2011).
//!
//! A state with the hash of another one is not expanded. So errors may be omitted, but every reported error
//! is one. The omission is estimated ([`Estimate`]).

mod bits;
mod depth_first;
mod fingerprints;
mod hashes;
mod sample;
pub mod swarm;

pub use hashes::{Memory, Options};
use hashes::{VisitedHashes, mixed};

use crate::report::{Outcome, Report};
use crate::system::System;
use bits::BitArray;
use depth_first::{DepthFirst, Order};
use fingerprints::Fingerprints;
use volvelle_control::Control;

/// The estimated omission of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Probability that a reachable state was not visited. For a swarm, the share of states that none of its
    /// searches visited.
    pub omission: f64,
    /// Bits of memory for each state.
    pub bits_per_state: f64,
    /// Number of searches made.
    pub searches: u64,
    /// Whether some states were not expanded because they lie too deep.
    pub is_bounded: bool,
}

/// Searches, with one worker.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> (Report, Estimate) {
    match options.memory {
        Memory::Bits { bits, functions } => {
            let mut array = match BitArray::new(bits, functions, 0, control) {
                Ok(array) => array,
                Err(halt) => {
                    return (Report { outcome: halt.into(), ..Report::new() }, Estimate::of_nothing());
                }
            };
            let (report, is_bounded) = go(system, options, control, &mut array);
            let states = report.states.max(1) as f64;
            let bits_per_state = array.bits() as f64 / states;
            (report, Estimate { omission: array.omission(), bits_per_state, searches: 1, is_bounded })
        }
        Memory::Fingerprints => {
            let mut table = Fingerprints::new();
            let (report, is_bounded) = go(system, options, control, &mut table);
            let bits_per_state = 8.0 * table.bytes() as f64 / report.states.max(1) as f64;
            (report, Estimate { omission: table.omission(), bits_per_state, searches: 1, is_bounded })
        }
    }
}

fn go(
    system: &dyn System,
    options: &Options,
    control: &Control<'_>,
    memory: &mut dyn VisitedHashes,
) -> (Report, bool) {
    let mut walk = DepthFirst::new(system, options, control, memory, Order::AsGiven);
    if let Err(halt) = walk.run() {
        walk.report.outcome = halt.into();
    }
    walk.finish()
}

impl Estimate {
    /// The estimate before any search.
    fn of_nothing() -> Self {
        Estimate { omission: 1.0, bits_per_state: 0.0, searches: 0, is_bounded: false }
    }
}

/// Whether a search ended by itself.
fn is_end(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Complete | Outcome::Failed)
}
