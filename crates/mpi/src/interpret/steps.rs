//! Which steps are possible in a state.

use super::{At, Interpreter, State};
use crate::lower::View;
use crate::machine::Stage;
use crate::system::{NodeId, NodeKind, ProcessId};

/// A step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Who takes it.
    pub process: ProcessId,
    /// Which one.
    pub kind: StepKind,
}

/// Which step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// The only one that is possible where it is.
    Only,
    /// A way of a choice, from 0.
    Way(u32),
    /// A stage of a transfer ends, and the next one follows or not.
    Stage {
        /// Whether another stage follows.
        goes_on: bool,
    },
}

/// What comes before what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urgency {
    /// It takes no time.
    AtOnce,
    /// Before it everything happens that takes no time.
    Later,
}

impl Interpreter<'_> {
    /// The steps that are possible in a state, in the order of processes.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        let mut all: Vec<(Step, Urgency)> = Vec::new();
        for process in (0..state.processes.len() as u32).map(ProcessId) {
            let urgency = self.urgency(state, process);
            let ways = self.ways(state, process);
            all.extend(ways.into_iter().map(|kind| (Step { process, kind }, urgency)));
        }
        let first = all.iter().find(|(_, urgency)| *urgency == Urgency::AtOnce).map(|(step, _)| step.process);
        let Some(first) = first.filter(|_| self.view != View::Interleaved) else {
            return all.into_iter().map(|(step, _)| step).collect();
        };
        // In a fixed order it is the turn of the first process that can do something at once; otherwise of each of them.
        let is_turn = |&(step, urgency): &(Step, Urgency)| {
            let is_at_once = urgency == Urgency::AtOnce;
            is_at_once && (step.process == first || self.view == View::Timed { ordered: false })
        };
        all.into_iter().filter(is_turn).map(|(step, _)| step).collect()
    }

    /// How urgent what a process is about to do is.
    fn urgency(&self, state: &State, process: ProcessId) -> Urgency {
        match state.processes[process.index()].at {
            At::Waiting(_) | At::WaitingAgain(_) => Urgency::Later,
            At::Updating(_) if self.is_untimed() => Urgency::Later,
            At::Ready(node) if !self.is_timed() => match self.kind(process, node) {
                NodeKind::Access(_) | NodeKind::Work(..) => Urgency::Later,
                _ => Urgency::AtOnce,
            },
            _ => Urgency::AtOnce,
        }
    }

    /// The steps that a process can take where it is, whatever others can do.
    fn ways(&self, state: &State, process: ProcessId) -> Vec<StepKind> {
        match state.processes[process.index()].at {
            At::Ready(node) => match self.kind(process, node) {
                NodeKind::End => Vec::new(),
                NodeKind::Choice(ways) => (0..ways.len() as u32).map(StepKind::Way).collect(),
                _ => vec![StepKind::Only],
            },
            At::Waiting(node) | At::WaitingAgain(node) => match self.kind(process, node) {
                NodeKind::Access(_) if self.is_timed() => {
                    let stage = self.stage(state, process).expect("a transfer is under way");
                    let goes_on = (stage.goes_on > 0.0).then_some(StepKind::Stage { goes_on: true });
                    let ends = (stage.goes_on < 1.0).then_some(StepKind::Stage { goes_on: false });
                    goes_on.into_iter().chain(ends).collect()
                }
                _ => vec![StepKind::Only],
            },
            At::Updating(_) | At::Done(_) | At::Failed(..) => vec![StepKind::Only],
            At::Stopped => Vec::new(),
        }
    }

    pub(super) fn kind(&self, process: ProcessId, node: NodeId) -> &NodeKind {
        &self.system.processes[process.index()].nodes[node.index()].kind
    }

    /// The stage in which the transfer of a process is, if its latency passes.
    fn stage(&self, state: &State, process: ProcessId) -> Option<Stage> {
        let of = &state.processes[process.index()];
        let (At::Waiting(_) | At::WaitingAgain(_)) = of.at else { return None };
        let transfer = of.transfer?;
        Some(self.machine.part(process, transfer.journey)[transfer.stage as usize])
    }

    /// How many transfers are at the station of a process, itself included; 1 where it is at none.
    pub(super) fn sharers(&self, state: &State, process: ProcessId) -> u32 {
        let station = |process: ProcessId| self.stage(state, process).and_then(|stage| stage.station);
        let Some(own) = station(process) else { return 1 };
        let all = (0..state.processes.len() as u32).map(ProcessId);
        all.filter(|&other| station(other) == Some(own)).count() as u32
    }
}
