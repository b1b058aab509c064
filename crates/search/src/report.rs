//! What a search gives.

use crate::visited::Halt;
use volvelle_control::Stop;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All states within reach (and within the depth that was asked for) were visited.
    Complete,
    /// An error was found, and the search was not to go on behind it.
    Failed,
    /// A limit, or the user.
    Stopped(Stop),
    /// There are more states, or parts of states, than 32 bits number.
    TooLarge,
    /// A state has no room in its layout.
    NeedsRoom {
        /// What has no room, as the system put it.
        code: u32,
    },
}

/// A way through the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The states, packed, from an initial one on; those inside atomic sequences included.
    pub states: Vec<Vec<u64>>,
    /// The steps between them, one fewer.
    pub steps: Vec<u32>,
}

impl Trail {
    /// Goes on by some steps, each with the state that it leads to.
    pub fn append(&mut self, path: Vec<(u32, Vec<u64>)>) {
        for (step, state) in path {
            self.steps.push(step);
            self.states.push(state);
        }
    }
}

/// An error of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which property or line of the model failed.
    pub site: u32,
    /// The step that erred; without meaning where the state itself is the error.
    pub step: u32,
    /// Stored states from an initial one to the one that the error was found in, that one not counted.
    pub depth: u64,
    /// Whether the last step of the trail is the one that erred (one may go on behind it); else the trail ends in
    /// the state in which it was tried.
    pub went_on: bool,
    /// A shortest way there. `None` if a limit or the user ended the search for it.
    pub trail: Option<Trail>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// States stored.
    pub states: u64,
    /// Steps from stored states (through atomic sequences) to stored states.
    pub transitions: u64,
    /// All steps, those inside atomic sequences included.
    pub steps: u64,
    /// Largest depth of a stored state: its distance from the initial states in a breadth-first search, its place
    /// on the stack in a depth-first search.
    pub depth: u64,
    /// Bytes that the states took, index included.
    pub bytes: u64,
    /// Errors in the order of their depths; at most one for each site.
    pub faults: Vec<Fault>,
}

impl From<Halt> for Outcome {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Stopped(stop) => Outcome::Stopped(stop),
            Halt::TooLarge => Outcome::TooLarge,
            Halt::NeedsRoom(code) => Outcome::NeedsRoom { code },
        }
    }
}

impl Report {
    /// Nothing is searched yet.
    pub(crate) fn new() -> Self {
        Report {
            outcome: Outcome::Complete,
            states: 0,
            transitions: 0,
            steps: 0,
            depth: 0,
            bytes: 0,
            faults: Vec::new(),
        }
    }

    /// Bytes a state.
    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }
}
