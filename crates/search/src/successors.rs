//! Successors of states, and what generates them.

/// Set in a step whose target lies inside an atomic sequence: the target is expanded at once and never stored.
pub const TRANSIENT: u32 = 1 << 31;

/// Set in the observation of a state that is accepting by itself.
pub const ACCEPTING: u64 = 1 << 62;

/// Set in the observation of a state that is a progress state.
pub const PROGRESS: u64 = 1 << 63;

/// The successor generator of one worker.
pub trait Expander {
    /// Expands the states (concatenated), as many as there is room for, at least one; appends nothing of a state
    /// that is not complete. `out` is cleared first.
    ///
    /// The successors of a state and their order depend only on the state.
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit;

    /// The same, where a path-compressing expander may take so many further steps behind each step of the states, as long as the
    /// process has no choice inside an atomic sequence. The successors of a state depend on the state and this number.
    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let _ = reach;
        self.expand(states, out)
    }

    /// How often a location of another process was looked at, so far, to find out which successors can be left out: a measure of
    /// time that is the same in each run.
    fn looked_at(&self) -> u64 {
        0
    }
}

/// Further steps that may follow a step of a stored state.
pub const REACH: u64 = 32;

/// The same behind a state inside an atomic sequence with this hash, to which so many expansions led one after the other that had a
/// single successor each.
///
/// Of long chains few states are kept, to save time and memory; but a chain that repeats a state, or joins another one, has to meet
/// one that was kept. So the distances are random, and grow with the square root of the length: the number of kept states that both
/// have in common can be expected to grow with its logarithm, from the first steps on (cf. J. M. Pollard, *Kangaroos, monopoly and
/// discrete logarithms*, Journal of Cryptology 13, 2000).
pub fn reach(hash: u64, run: u32) -> u64 {
    let number = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    1 + number % u64::from(run / 16).max(LEAST_REACH)
}

const LEAST_REACH: u64 = 16;

/// How a call of [`Expander::expand`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All states are expanded.
    Done,
    /// [`Successors::ends`] counts the complete states; call again for the others.
    Full,
    /// The state after the complete ones has a successor that does not fit into the layout: the search ends with
    /// [`Outcome::LayoutOverflow`](crate::Outcome::LayoutOverflow), and the caller restarts it with a larger layout.
    LayoutOverflow {
        /// The place of the overflow, as the system numbers it.
        code: u32,
    },
}

/// The result of a call of [`Expander::expand`].
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Successors, packed, `words` words each.
    pub states: Vec<u64>,
    /// The step to each: a number below 2^31, perhaps with [`TRANSIENT`].
    pub steps: Vec<u32>,
    /// How many steps led to each, for expanders that count them; else empty.
    pub lengths: Vec<u32>,
    /// Successors up to the end of each complete source state.
    pub ends: Vec<u32>,
    /// One for each complete source state: bits of atomic propositions, [`ACCEPTING`] and [`PROGRESS`].
    pub observations: Vec<u64>,
    /// Errors of complete source states.
    pub errors: Vec<StepError>,
    /// Indices of the source states of which successors were left out, in ascending order.
    pub reduced: Vec<u32>,
}

impl Successors {
    /// Removes everything, keeps the allocations.
    pub fn clear(&mut self) {
        self.states.clear();
        self.steps.clear();
        self.lengths.clear();
        self.ends.clear();
        self.observations.clear();
        self.errors.clear();
        self.reduced.clear();
    }
}

/// A step that fails, or a state that is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError {
    /// Index of the source state in the call.
    pub source: u32,
    /// The successor (an index into [`Successors::steps`]) that the step led to, where the model continues after it.
    pub successor: Option<u32>,
    /// The property or line of the model that failed.
    pub site: u32,
    /// The step that failed, as in [`Successors::steps`]; without meaning for an error of the state itself.
    pub step: u32,
}
