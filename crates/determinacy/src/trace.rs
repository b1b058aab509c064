//! A path: events, and loops of which one iteration is stored.

use crate::value::Value;

/// A cell that a step changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The cell.
    pub cell: u32,
    /// Whether the step adds a constant to the cell.
    pub is_addition: bool,
    /// Value before.
    pub before: Value,
    /// Value afterwards.
    pub after: Value,
}

/// An offer that a process has at a location where it takes another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedOffer {
    /// Where it is made.
    pub channel: i64,
    /// Whether it gives values.
    pub gives: bool,
}

/// The part of one process in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The process.
    pub slot: u32,
    /// The location where it was.
    pub location: u32,
    /// The number of the alternative that it takes.
    pub alternative: u32,
    /// The reads of its guards, with values: its own cells as well as shared ones.
    pub guards: Vec<(u32, Value)>,
    /// Other offers that it had there.
    pub unused: Vec<UnusedOffer>,
}

impl Side {
    /// A side.
    pub fn new(
        slot: u32,
        location: u32,
        alternative: u32,
        guards: Vec<(u32, Value)>,
        unused: Vec<UnusedOffer>,
    ) -> Self {
        Side { slot, location, alternative, guards, unused }
    }
}

/// A step of one process or a handshake of two, with the following steps of the atomic sequence that cannot
/// wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The process that moves or sends, then the one that receives.
    pub sides: Vec<Side>,
    /// The alternatives taken: that of the first side, then those of the following steps.
    pub steps: Vec<u32>,
    /// The channel of a handshake.
    pub channel: Option<i64>,
    /// The values exchanged.
    pub message: Vec<Value>,
    /// Shared cells that effects read.
    pub reads: Vec<u32>,
    /// Shared cells that effects write.
    pub writes: Vec<Write>,
    /// Processes that are created.
    pub created: Vec<u32>,
    /// The locations afterwards, of the processes of its sides and of created ones.
    pub targets: Vec<(u32, u32)>,
    /// Processes that have ended with it.
    pub ended: Vec<u32>,
    /// All cells that change, with the values before and after.
    pub changes: Vec<(u32, Value, Value)>,
    /// The option chosen, if there were several.
    pub decision: Option<u32>,
    /// The owner of an atomic sequence that had to wait before this event.
    pub released: Option<u32>,
    /// Whether the event is a `timeout`.
    pub is_timeout: bool,
    /// If this event reaches the goal: the shared cells that the goal reads, and those that the cost reads.
    pub goal: Option<[Vec<(u32, Value)>; 2]>,
}

/// A part of a path.
#[derive(Clone, Debug)]
pub enum Item {
    /// One event.
    Event(Box<Event>),
    /// Events that repeat.
    Loop(Box<Loop>),
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Iterations, at least 2.
    pub count: i64,
    /// The change of each cell per iteration.
    pub gains: Vec<(u32, i64)>,
    /// One iteration. Values depend on the iteration number through the slope of this loop's depth.
    pub body: Vec<Item>,
}
