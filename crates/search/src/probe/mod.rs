//! A probe for the first error: depth first in a given order, with little memory, until it finds one or is
//! stopped.
//!
//! A probe proves nothing. It keeps fingerprints of visited states, and its partial-order reduction relies on
//! the order of processes ([`Order`](crate::Order)) rather than on independence. What it finds is a real run of the system,
//! state by state. It visits states in the order of SPIN's verifiers (G. J. Holzmann, *The SPIN Model
//! Checker*, 2003), so that an error that these find early is found early, and it generates successors
//! process by process, as needed. [`crate::Turns`] runs it beside a search that proves.
//!
//! Cycles are found by nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis,
//! *Memory-efficient algorithms for the verification of temporal properties*, FMSD 1, 1992), whose first
//! search detects cycles over its own stack (Schwoon and Esparza, *A note on on-the-fly verification
//! algorithms*, TACAS 2005).

mod descent;
mod options;
mod stack;
mod table;
mod trail;

use options::INSIDE;
pub use options::{Found, Goal, Options};

use crate::report::{Outcome, Report};
use crate::system::System;
use descent::Descent;
use volvelle_control::Control;

/// Most words of a state.
const MAX_WORDS: usize = u16::MAX as usize;

/// Limit of states of a claim for which the set of possible states is kept.
const MAX_SUBSET: usize = 63;

/// Searches for an error. Does not report the end to the turns.
pub fn search(system: &dyn System, options: &Options<'_>, control: &Control<'_>) -> Found {
    let is_too_large = match options.goal {
        Goal::Beginnings(claim) => claim.states.len() > MAX_SUBSET,
        _ => false,
    };
    if is_too_large || system.words() >= MAX_WORDS {
        let report = Report { outcome: Outcome::TooLarge, ..Report::new() };
        return Found { report, lasso: None, visited: options.visited };
    }
    Descent::new(system, options, control).search()
}
