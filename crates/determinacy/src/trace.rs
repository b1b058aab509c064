//! A path: events, and loops of which one iteration is kept.

use crate::value::Value;

/// A cell that a step changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The cell.
    pub cell: u32,
    /// The step adds something to it, whatever it was.
    pub is_addition: bool,
    /// Value before.
    pub before: Value,
    /// Value afterwards.
    pub after: Value,
}

/// An offer that a process has at the location where it takes another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedOffer {
    /// Where it is made.
    pub channel: i64,
    /// Whether it gives values.
    pub gives: bool,
}

/// What a process has to do with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The process.
    pub slot: u32,
    /// The location where it was.
    pub location: u32,
    /// The number of the alternative that it takes.
    pub alternative: u32,
    /// What its guards read, with the values: cells of its own as well as shared ones.
    pub guards: Vec<(u32, Value)>,
    /// Other offers that it has there.
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

/// A step of one process, or a handshake of two, with the steps of an atomic sequence that follow and cannot wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The process that moves or gives, and the one that takes.
    pub sides: Vec<Side>,
    /// The numbers of the alternatives: of the first side, then of the steps that follow.
    pub steps: Vec<u32>,
    /// Where a handshake happens.
    pub channel: Option<i64>,
    /// What is exchanged.
    pub message: Vec<Value>,
    /// Shared cells that effects read.
    pub reads: Vec<u32>,
    /// Shared cells that effects write.
    pub writes: Vec<Write>,
    /// Processes that are created.
    pub created: Vec<u32>,
    /// Where the processes of its sides are behind it, and those that are created.
    pub targets: Vec<(u32, u32)>,
    /// Processes that have ended with it.
    pub ended: Vec<u32>,
    /// All cells that change, with the values before and after.
    pub changes: Vec<(u32, Value, Value)>,
    /// Which one of several steps was chosen here.
    pub decision: Option<u32>,
    /// The process that went on alone before, and had to wait.
    pub released: Option<u32>,
    /// Nothing else can move.
    pub is_timeout: bool,
    /// Where the goal is reached with this event: the shared cells on which the goal depends, and those of the cost.
    pub goal: Option<[Vec<(u32, Value)>; 2]>,
}

/// A part of a path.
#[derive(Clone, Debug)]
pub enum Item {
    /// One event.
    Event(Box<Event>),
    /// The same events again and again.
    Loop(Box<Loop>),
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Iterations, at least 2.
    pub count: i64,
    /// What cells gain by an iteration.
    pub gains: Vec<(u32, i64)>,
    /// One iteration. Values depend on its number by the slope of this loop's depth.
    pub body: Vec<Item>,
}
