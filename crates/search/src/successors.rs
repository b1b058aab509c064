//! Successors of states, and the interface that generates them.

/// Set in a step whose target lies inside an atomic sequence: the target is expanded at once and not stored.
pub const TRANSIENT: u32 = 1 << 31;

/// Set in the observation of a state that is accepting by itself.
pub const ACCEPTING: u64 = 1 << 62;

/// Set in the observation of a state that is a progress state.
pub const PROGRESS: u64 = 1 << 63;

/// The successor generator of one worker.
pub trait Expander {
    /// Expands the states (concatenated): as many as there is room for, at least one. Appends nothing of an
    /// incomplete state. Clears `out` first.
    ///
    /// The successors of a state and their order depend on the state alone.
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit;

    /// Like [`Expander::expand`]. A path-compressing expander may take up to `reach` further steps after each
    /// step, while the process has no choice inside an atomic sequence. The successors of a state depend on
    /// the state and this number.
    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let _ = reach;
        self.expand(states, out)
    }

    /// How often a location of another process was examined so far to find successors that can be left out.
    /// This measures time in a reproducible way.
    fn looked_at(&self) -> u64 {
        0
    }
}

/// Further steps that may follow a step of a stored state.
pub const REACH: u64 = 32;

/// The number of further steps after a state inside an atomic sequence, given its hash, and the number of
/// consecutive expansions with a single successor that led to it.
///
/// Few states of long chains are kept, to save time and memory. But a chain that repeats a state or joins
/// another chain must meet one that was kept. So the distances are random, and grow with the square root of
/// the length: the expected number of kept states that both chains share grows with its logarithm, from the
/// first steps on (cf. J. M. Pollard, *Kangaroos, monopoly and discrete logarithms*, Journal of Cryptology
/// 13, 2000).
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
    /// The state after the complete ones has a successor that does not fit the layout. The search ends with
    /// [`Outcome::LayoutOverflow`](crate::Outcome::LayoutOverflow), and the caller restarts it with a larger
    /// layout.
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
    /// The number of steps to each, for expanders that count them; else empty.
    pub lengths: Vec<u32>,
    /// Successors up to the end of each complete source state.
    pub ends: Vec<u32>,
    /// One for each complete source state: bits of atomic propositions, [`ACCEPTING`] and [`PROGRESS`].
    pub observations: Vec<u64>,
    /// Errors of complete source states.
    pub errors: Vec<StepError>,
    /// Indices of source states with successors left out, in ascending order.
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
    /// The successor (an index into [`Successors::steps`]) of the step, if the model continues after the
    /// error.
    pub successor: Option<u32>,
    /// The property or line of the model that failed.
    pub site: u32,
    /// The step that failed, as in [`Successors::steps`]; meaningless if the state itself is the error.
    pub step: u32,
}
