//! The interface of path kernels: their shapes, parameters and buffers.

/// Which form the code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A loop over paths around a loop over steps; `lanes` must be 1 and `lane` 0.
    Nested,
    /// A loop over the steps of path `first + lane`, if that is below `end`; `lanes` is ignored.
    Single,
    /// One loop. When its path ends, a lane begins the path `lanes` further on.
    Flat,
    /// Like `Flat`, but a lane takes the number of the next path that has not begun from a further buffer,
    /// `next` (`write u32`), which counts the paths that have begun. `lanes` is ignored.
    Claiming,
}

impl Shape {
    /// Whether there is one loop, in which paths begin and end.
    pub(super) fn is_flat(self) -> bool {
        matches!(self, Shape::Flat | Shape::Claiming)
    }
}

/// Indices of the parameters.
pub mod param {
    /// `u64`: number of this lane.
    pub const LANE: usize = 0;
    /// `u64`: number of lanes.
    pub const LANES: usize = 1;
    /// `u64`: seed.
    pub const SEED: usize = 2;
    /// `u64`: first path.
    pub const FIRST: usize = 3;
    /// `u64`: path after the last.
    pub const END: usize = 4;
    /// `u32`: steps at which a path is given up.
    pub const MAX_STEPS: usize = 5;
}

/// Indices of the buffers.
pub mod buffer {
    /// `write f64`: for each path from `first` on, the row of the monitors: one number per column.
    pub const RESULTS: usize = 0;
    /// `write u64`: for each path from `first` on, twice its steps, plus one if it was given up.
    pub const STATUS: usize = 1;
    /// `read u32`: for each automaton, its steps and then its verdicts on repeated letters
    /// ([`crate::automaton::MonitorAutomaton`]).
    pub const AUTOMATA: usize = 2;
    // Further buffers, in this order: `read u64`, the table of the scheduler, if any; for every curve of
    // rewards its horizons (`read f64`; in discrete time `read u32`) and one that is never passed; of an
    // explicit model, the words of the states (`read u32`), the entries of the transitions (`read u64`), in
    // continuous time exit rates (`read f64`), and rewards (`read f64`); the ends of `final_state`; the
    // counter from which lanes claim.
}
