//! Knowledge at a point of a path. A process *knows* an event if the event precedes its last one under every
//! schedule.

use crate::clock::{self, Clock, Point};
use crate::history::History;
use crate::value::Value;
use crate::windows::{Ghost, Meetings};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use volvelle_model::PoolId;

/// A channel with a buffer.
pub(super) type Slot = (PoolId, i64);

/// Knowledge about a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    /// The only sender and the only receiver, once they have used the queue.
    pub sender: Option<u32>,
    pub receiver: Option<u32>,
    /// For each message, oldest first: the past of its send.
    pub messages: VecDeque<Clock>,
    /// For each free place, in the order of use: the past of the receive that freed it.
    pub room: VecDeque<Clock>,
}

/// The last handshake of a process: its class, its window, and the clock of the process after it.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) class: u32,
    pub(super) window: u32,
    pub(super) clock: Clock,
}

/// The knowledge at a point of the path.
#[derive(Clone, Debug)]
pub struct Known {
    /// By process: the past of its last event.
    pub(super) clocks: Vec<Clock>,
    /// Processes that have ended.
    pub(super) ended: Vec<bool>,
    /// The location of each process, once it has moved or was created.
    pub(super) at: Vec<Option<u32>>,
    pub(super) cells: FxHashMap<u32, History>,
    /// By class of handshakes: those since the piece began.
    pub(super) meetings: Vec<Meetings>,
    /// By channel: offers that were not used.
    pub(super) ghosts: FxHashMap<i64, Vec<Ghost>>,
    /// By channel: handshakes of earlier pieces of the path.
    pub(super) past: FxHashMap<i64, Vec<[Point; 2]>>,
    /// The past of the last contested step.
    pub(super) chain: Clock,
    /// Channels with buffers.
    pub(super) queues: FxHashMap<Slot, Queue>,
    /// The last write of a cell on which the goal depends, if any.
    pub(super) goal: Vec<Point>,
    /// Whether those writes lack an order that all schedules share.
    pub(super) goal_is_unordered: bool,
    /// The event that reached the goal.
    pub(super) reached: Option<Point>,
    /// By process: its last handshake.
    pub(super) last_handshakes: Vec<Option<Last>>,
    /// Whether a server may have to wait within a window.
    pub(super) may_block: bool,
}

impl Known {
    /// The knowledge before the first event.
    pub fn new(processes: usize) -> Self {
        Known {
            clocks: vec![clock::nothing(processes); processes],
            ended: vec![false; processes],
            at: vec![None; processes],
            cells: FxHashMap::default(),
            meetings: Vec::new(),
            ghosts: FxHashMap::default(),
            past: FxHashMap::default(),
            chain: clock::nothing(processes),
            queues: FxHashMap::default(),
            goal: Vec::new(),
            goal_is_unordered: false,
            reached: None,
            last_handshakes: vec![None; processes],
            may_block: false,
        }
    }

    /// The point of the next event of a process.
    pub(super) fn next(&self, process: u32) -> Point {
        let number = self.clocks[process as usize][process as usize] + 1;
        Point { process, number }
    }

    /// Applies a function to all values.
    pub(super) fn each_value(&mut self, f: impl Fn(Value) -> Option<Value>) -> Option<()> {
        for history in self.cells.values_mut() {
            for write in &mut history.writes {
                write.before = f(write.before)?;
                write.after = f(write.after)?;
            }
        }
        Some(())
    }
}
