//! What is known at a point of a path.

use crate::clock::{self, Clock, Point};
use crate::history::History;
use crate::value::Value;
use crate::windows::{Ghost, Meetings};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use volvelle_model::PoolId;

/// A channel with a buffer.
pub(super) type Slot = (PoolId, i64);

/// What is known of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    /// The processes that send and receive, as far as they have done so.
    pub sender: Option<u32>,
    pub receiver: Option<u32>,
    /// What must have happened where its messages have been sent, the first one first.
    pub messages: VecDeque<Clock>,
    /// What must have happened where there is room for further messages.
    pub room: VecDeque<Clock>,
}

/// The last handshake of a process: its class and window, and what the process knew behind it.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) class: u32,
    pub(super) window: u32,
    pub(super) clock: Clock,
}

/// What is known at a point of the path.
#[derive(Clone, Debug)]
pub struct Known {
    /// By process: what must have happened where its last event has.
    pub(super) clocks: Vec<Clock>,
    /// Processes that have ended.
    pub(super) ended: Vec<bool>,
    /// Where each process is, once it has moved or was created.
    pub(super) at: Vec<Option<u32>>,
    pub(super) cells: FxHashMap<u32, History>,
    /// By class of handshakes.
    pub(super) meetings: Vec<Meetings>,
    /// By channel: offers that were not used.
    pub(super) ghosts: FxHashMap<i64, Vec<Ghost>>,
    /// By channel: handshakes of earlier pieces of the path.
    pub(super) past: FxHashMap<i64, Vec<[Point; 2]>>,
    /// What must have happened where the last contested step has.
    pub(super) chain: Clock,
    /// Channels with buffers.
    pub(super) queues: FxHashMap<Slot, Queue>,
    /// The last write of a cell on which the goal depends: one of these.
    pub(super) goal: Vec<Point>,
    /// Those writes are not in an order that all schedules have.
    pub(super) goal_is_unordered: bool,
    /// Where the goal was reached.
    pub(super) reached: Option<Point>,
    /// By process: its last handshake.
    pub(super) last_handshakes: Vec<Option<Last>>,
    /// A server may have to wait within a window.
    pub(super) may_block: bool,
}

impl Known {
    /// Nothing.
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

    /// The next event of a process.
    pub(super) fn next(&self, process: u32) -> Point {
        let number = self.clocks[process as usize][process as usize] + 1;
        Point { process, number }
    }

    /// Changes all values.
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
