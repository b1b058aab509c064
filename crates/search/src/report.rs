//! Results of searches.

use crate::visited::Halt;
use serde::{Deserialize, Serialize};
use volvelle_control::Stop;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// All reachable states (within the depth bound) were visited.
    Complete,
    /// An error was found that ends the search.
    Failed,
    /// A limit or the user stopped the search.
    Stopped(Stop),
    /// There are more states, or parts of states, than 32 bits number.
    TooLarge,
    /// A state does not fit into its layout.
    LayoutOverflow {
        /// The place of the overflow, as the system numbers it.
        code: u32,
    },
}

/// A path through the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    /// The packed states, from an initial one on, including those inside atomic sequences.
    pub states: Vec<Vec<u64>>,
    /// The steps between them, one fewer.
    pub steps: Vec<u32>,
    /// One of the steps stands for many that are not listed.
    pub gap: Option<Gap>,
}

/// Steps of a trail that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The step that stands for them: an index.
    pub at: usize,
    /// Number of steps, if an atomic sequence may count as one.
    pub steps: u64,
}

/// The number of the step that stands for omitted ones.
pub(crate) const UNLISTED: u32 = 0x7fff_fffe;

impl Trail {
    /// A trail of one state.
    pub fn starting(state: &[u64]) -> Self {
        Trail { states: vec![state.to_vec()], ..Trail::default() }
    }
}

/// An error of the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The property or line of the model that failed.
    pub site: u32,
    /// The step that failed; meaningless if the state itself is the error.
    pub step: u32,
    /// Number of stored steps from an initial state to the state of the error.
    pub depth: u64,
    /// Whether the last step of the trail is the one that failed (the model continues after it). Otherwise
    /// the trail ends in the state in which the step was attempted.
    pub went_on: bool,
    /// A shortest trail to the error. `None` if a limit or the user ended the search for it.
    pub trail: Option<Trail>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// States stored.
    pub states: u64,
    /// Whether these are pairs of a state of the system and one of a claim.
    pub is_product: bool,
    /// Steps from stored states (through atomic sequences) to stored states.
    pub transitions: u64,
    /// All steps, including those inside atomic sequences.
    pub steps: u64,
    /// Largest depth of a stored state: its distance from the initial states in breadth-first search, its
    /// stack position in depth-first search.
    pub depth: u64,
    /// Bytes that the states took, index included.
    pub bytes: u64,
    /// Errors in order of depth; at most one per site.
    pub faults: Vec<Fault>,
    /// With a claim: the propositions (as bits) that held in some state that the claim read. A missing
    /// proposition did not affect the verdict.
    pub held: u64,
}

impl From<Halt> for Outcome {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped(stop) => Outcome::Stopped(stop),
            Halt::TooLarge => Outcome::TooLarge,
            Halt::LayoutOverflow(code) => Outcome::LayoutOverflow { code },
        }
    }
}

impl Report {
    /// The report of an empty search.
    pub(crate) fn new() -> Self {
        Report {
            outcome: Outcome::Complete,
            states: 0,
            is_product: false,
            transitions: 0,
            steps: 0,
            depth: 0,
            bytes: 0,
            faults: Vec::new(),
            held: 0,
        }
    }

    /// Bytes a state.
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }
}
