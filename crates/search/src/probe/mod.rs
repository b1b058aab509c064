//! A probe for the first error: depth first in a given order, with little memory, until it finds one or is
//! stopped.
//!
//! A probe proves nothing. It keeps fingerprints of visited states, and its partial-order reduction relies on
//! the order of processes ([`Order`]) rather than on independence. What it finds is a real run of the system,
//! state by state. It visits states in the order of SPIN's verifiers (G. J. Holzmann, *The SPIN Model
//! Checker*, 2003), so that an error that these find early is found early, and it generates successors
//! process by process, as needed. [`crate::Turns`] runs it beside a search that proves.
//!
//! Cycles are found by nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis,
//! *Memory-efficient algorithms for the verification of temporal properties*, FMSD 1, 1992), whose first
//! search detects cycles over its own stack (Schwoon and Esparza, *A note on on-the-fly verification
//! algorithms*, TACAS 2005).

mod descent;
mod stack;
mod table;
mod trail;

use crate::claim::Claim;
use crate::liveness::Lasso;
use crate::ordered::Order;
use crate::report::{Outcome, Report};
use crate::system::System;
use crate::turns::Turns;
use descent::Descent;
use volvelle_control::Control;

/// Set in the claim's word inside atomic sequences, where the claim has moved already.
const INSIDE: u64 = 1 << 63;

/// The errors that are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// Steps that fail, and states that are errors.
    Errors,
    /// Prefixes of runs that the claim accepts whatever follows ([`Claim::is_terminal`]).
    Beginnings(&'a Claim),
    /// Infinite runs, as in [`crate::liveness`].
    Cycles(crate::liveness::Goal<'a>),
}

/// Options of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The errors that are looked for.
    pub goal: Goal<'a>,
    /// The order of successors.
    pub order: Order,
    /// Whether processes with precedence move alone. The goal must not depend on how often an observation is
    /// repeated.
    pub reduce: bool,
    /// Limit of the depth of visited states. Once it cuts off states, a state is visited again when reached
    /// at less depth.
    pub max_depth: Option<u64>,
    /// Limit of states that this probe visits, besides those visited before. It then ends with
    /// [`Stop::States`](volvelle_control::Stop::States).
    pub max_visits: Option<u64>,
    /// Limit of stored states of a trail. Of longer ones, beginning and end are given
    /// ([`crate::Trail::gap`]).
    pub longest_trail: usize,
    /// Stored states at the beginning and at the end of longer ones.
    pub listed: usize,
    /// When to continue and when to stop.
    pub turns: &'a Turns,
    /// Number of states visited before, by a probe with a smaller layout.
    pub visited: u64,
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub struct Found {
    /// [`Outcome::Failed`] with an error; [`Outcome::Complete`] if nothing is left to visit; else the reason
    /// for stopping.
    pub report: Report,
    /// For [`Goal::Cycles`]: the run.
    pub lasso: Option<Lasso>,
    /// Number of visited states, including those inside atomic sequences and of second searches.
    pub visited: u64,
}

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
