//! What is searched: a transition system that is generated while the search goes on.
//!
//! A state is a fixed number of 64-bit words; what they mean is the system's own affair. A step is a number that the
//! search hands back in trails and otherwise does not read.

/// Set in a step whose target lies inside an atomic sequence: the target is expanded at once and never stored.
pub const TRANSIENT: u32 = 1 << 31;

/// Set in the observation of a state that is accepting by itself.
pub const ACCEPTING: u64 = 1 << 62;

/// Set in the observation of a state that is a progress state.
pub const PROGRESS: u64 = 1 << 63;

/// A transition system generated on the fly.
pub trait System: Sync {
    /// 64-bit words of a packed state; at least 1.
    fn words(&self) -> usize;

    /// All initial states, concatenated. None of them is inside an atomic sequence.
    fn initial(&self) -> Vec<u64>;

    /// A machine for one worker.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// A machine that may take several steps inside an atomic sequence at once, the first of which gives the number:
    /// the same stored targets with fewer states on the way. For searches; trails are found with all steps.
    fn swift_expander(&self) -> Box<dyn Expander + '_> {
        self.expander()
    }

    /// A machine that may leave out successors which are not needed to find deadlocks and errors, as long as no
    /// successor is left out for ever: it says of which states it did ([`Successors::reduced`]). May take several
    /// steps at once as [`System::swift_expander`].
    fn reducing_expander(&self) -> Box<dyn Expander + '_> {
        self.swift_expander()
    }

    /// Processes that steps belong to. Only searches under weak fairness ask.
    fn num_processes(&self) -> usize {
        1
    }

    /// The process that takes a step, below [`System::num_processes`]. [`TRANSIENT`] is not set in `step`.
    fn process_of(&self, step: u32) -> u32 {
        let _ = step;
        0
    }

    /// The other process that a step moves, where there is one (a rendezvous).
    fn partner_of(&self, step: u32) -> Option<u32> {
        let _ = step;
        None
    }
}

/// One worker's machine.
pub trait Expander {
    /// Expands the states (concatenated), as many as there is room for, at least one; appends nothing of a state
    /// that is not complete. `out` is cleared first.
    ///
    /// The successors of a state and their order depend on nothing but the state.
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit;
}

/// How a call of [`Expander::expand`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All states are expanded.
    Done,
    /// [`Successors::ends`] tells how many states are complete; call again for the others.
    Full,
    /// The state behind the complete ones has a successor for which the layout has no room: the search ends with
    /// [`Outcome::NeedsRoom`](crate::Outcome::NeedsRoom), and the caller starts again with a larger layout.
    NeedsRoom {
        /// What has no room; the system's own affair.
        code: u32,
    },
}

/// What a call of [`Expander::expand`] found.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Successors, packed, `words` words each.
    pub states: Vec<u64>,
    /// Which step led to each: a number below 2^31, perhaps with [`TRANSIENT`].
    pub steps: Vec<u32>,
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
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.states.clear();
        self.steps.clear();
        self.ends.clear();
        self.observations.clear();
        self.errors.clear();
        self.reduced.clear();
    }
}

/// A step that went wrong, or a state that must not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepError {
    /// Index of the source state in the call.
    pub source: u32,
    /// The successor (an index into [`Successors::steps`]) that the step led to, where one may go on behind it.
    pub successor: Option<u32>,
    /// Which property or line of the model failed.
    pub site: u32,
    /// The step that erred, as in [`Successors::steps`]; without meaning for an error of the state itself.
    pub step: u32,
}
