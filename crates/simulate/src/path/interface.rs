//! The interface of path kernels: their shapes, parameters and buffers.

/// Which form the code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A loop over paths around a loop over steps; `lanes` must be 1 and `lane` 0.
    Nested,
    /// A loop over the steps of path `first + lane`, if that is below `end`; `lanes` means nothing.
    Single,
    /// One loop; a lane whose path has ended begins its next path, `lanes` further on.
    Flat,
    /// The same, but a lane takes the number of the next path that has not begun from a buffer behind the others,
    /// `next` (`write u32`), which has the number of paths that have begun. `lanes` means nothing.
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
    /// `write f64`: for each path from `first` on, what the monitors tell: a number for each column.
    pub const RESULTS: usize = 0;
    /// `write u64`: for each path from `first` on, twice its steps, plus one if it was given up.
    pub const STATUS: usize = 1;
    /// `read u32`: steps of the first automaton, then what repeating a letter means ([`crate::automaton::MonitorAutomaton`]); and so on for the others.
    pub const AUTOMATA: usize = 2;
    // Behind them, in this order: `read u64`, the table of the scheduler, where there is one; for every curve of rewards its horizons
    // (`read f64`; in discrete time `read u32`) and one that nothing passes; of a model that is
    // given by its states, the words of the states (`read u32`), the places of the transitions (`read u64`), in continuous time exit
    // rates (`read f64`), and rewards (`read f64`); what `final_state` stores; what lanes claim.
}
