//! Concrete states.

use super::Interpreter;
use crate::machine::Journey;
use crate::system::{Mistake, NodeId, ProcessId, VariableId};
use std::collections::VecDeque;
use volvelle_coherence::State as Copy;

/// A state of a system on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// By process.
    pub processes: Vec<ProcessState>,
    /// By variable, its value in memory order.
    pub memory: Vec<i64>,
    /// By line and process (`line * processes + process`), the state of the line in the cache.
    pub copies: Vec<Copy>,
    /// By line and process, whether the copy is the latest; all `false` where that is not noted.
    pub latest: Vec<bool>,
    /// By line, whether memory is the latest; all `true` where that is not noted.
    pub memory_latest: Vec<bool>,
    /// By variable, who is in its critical section; nobody where that is not verified.
    pub holders: Vec<Option<ProcessId>>,
    /// By channel, the messages under way; none where that is not verified.
    pub channels: Vec<VecDeque<i64>>,
}

/// The state of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessState {
    /// Where it is.
    pub at: At,
    /// Values of its locals.
    pub locals: Vec<i64>,
    /// The transfer under way.
    pub transfer: Option<Transfer>,
}

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// About to take a step.
    Ready(NodeId),
    /// The latency of an access, or a delay, passes; of an access that changes caches in its middle the first half.
    Waiting(NodeId),
    /// In the middle of an access.
    Updating(NodeId),
    /// The second half passes.
    WaitingAgain(NodeId),
    /// The latency has passed.
    Done(NodeId),
    /// It has made a mistake.
    Failed(NodeId, Mistake),
    /// It has said so.
    Stopped,
}

/// A transfer under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// What is transferred, and from where.
    pub journey: Journey,
    /// For which variable.
    pub variable: VariableId,
    /// How many stages are behind it.
    pub stage: u32,
    /// The own state and the strongest other one at the beginning, where caches change later by what they were then.
    pub decided: Option<(Copy, Copy)>,
}

impl Interpreter<'_> {
    /// The state in which the system starts: what processes compute before their first step is done.
    pub fn initial(&self) -> State {
        let system = self.system;
        let (lines, processes) = (system.lines.len(), system.processes.len());
        let of_process = |process: &crate::system::Process| ProcessState {
            at: At::Ready(process.start),
            locals: process.locals.iter().map(|local| local.initial).collect(),
            transfer: None,
        };
        let mut state = State {
            processes: system.processes.iter().map(of_process).collect(),
            memory: system.variables.iter().map(|variable| variable.initial).collect(),
            copies: vec![Copy::INVALID; lines * processes],
            latest: vec![false; lines * processes],
            memory_latest: vec![true; lines],
            holders: vec![None; system.variables.len()],
            channels: system
                .channels
                .iter()
                .map(|channel| VecDeque::with_capacity(channel.capacity as usize))
                .collect(),
        };
        for (process, of) in system.processes.iter().enumerate() {
            self.walk(&mut state, ProcessId(process as u32), of.start, true);
        }
        state
    }
}
