//! A probe for the first error: depth first in a given order, with little memory, until it finds one or is told to stop.
//!
//! A probe proves nothing: it keeps fingerprints of the states that it visited, and its partial-order reduction follows the order of
//! processes ([`Order`]) more than independence. What it finds is a run of the system, state by state. It visits states in the order in
//! which SPIN's verifiers do (G. J. Holzmann, *The SPIN Model Checker*, 2003), so that an error that these find soon is found soon,
//! and generates successors process by process, when it comes to them. [`crate::Turns`] has it run beside a search that proves.
//!
//! Cycles are found by nested depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis, *Memory-efficient algorithms for the
//! verification of temporal properties*, FMSD 1, 1992), the first search of which notices cycles over its own stack (Schwoon and
//! Esparza, *A note on on-the-fly verification algorithms*, TACAS 2005).

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

/// Set in the claim's word inside atomic sequences: the claim has moved already.
const INSIDE: u64 = 1 << 63;

/// The errors that are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// Steps that fail, and states that are errors.
    Errors,
    /// Beginnings of runs that the claim accepts whatever follows ([`Claim::is_terminal`]).
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
    /// Processes that have precedence move alone. It must not matter to the goal how often an observation is repeated.
    pub reduce: bool,
    /// Stored states that are deeper are not visited. Once there are such, a state is visited again where it is met less deep.
    pub max_depth: Option<u64>,
    /// States that this probe may visit, besides those visited before; then it ends with [`Stop::States`](volvelle_control::Stop::States).
    pub max_visits: Option<u64>,
    /// Trails of more stored states are given in part: their beginning and their end ([`crate::Trail::gap`]).
    pub longest_trail: usize,
    /// Stored states at the beginning and at the end of longer ones.
    pub listed: usize,
    /// When to go on and when to stop.
    pub turns: &'a Turns,
    /// States that were visited before, by a probe that began with a smaller layout.
    pub visited: u64,
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub struct Found {
    /// [`Outcome::Failed`] with an error; [`Outcome::Complete`] if nothing is left to visit; else why it ended.
    pub report: Report,
    /// For [`Goal::Cycles`]: the run.
    pub lasso: Option<Lasso>,
    /// States that were visited, those inside atomic sequences and of second searches included.
    pub visited: u64,
}

/// Most words of a state.
const MAX_WORDS: usize = u16::MAX as usize;

/// Most states of a claim of which the set of current states is known.
const MAX_SUBSET: usize = 63;

/// Looks for an error. Does not tell the turns how it ended.
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
