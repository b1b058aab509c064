//! What a step does.

use super::access::{Operated, operated, takes};
use super::walk::fits;
use super::{At, Interpreter, Label, State, Step, StepKind, Transfer, evaluate};
use crate::machine::Atomicity;
use crate::system::{
    Access, ChannelId, ChannelReference, Event, Expr, Mistake, NodeId, NodeKind, ProcessId, Reference,
    VariableId,
};

impl Interpreter<'_> {
    /// The state after a step, and what the step shows.
    pub fn successor(&self, state: &State, step: Step) -> (Label, State) {
        let mut after = state.clone();
        let label = self.perform(&mut after, step);
        (label, after)
    }

    /// Takes a step in place.
    ///
    /// # Panics
    /// The step is none of [`Interpreter::steps`].
    pub fn perform(&self, state: &mut State, step: Step) -> Label {
        let Step { process, kind } = step;
        match state.processes[process.index()].at {
            At::Ready(node) => self.leave_ready(state, process, node, kind),
            At::Waiting(node) => match self.kind(process, node) {
                NodeKind::Work(work, next) => {
                    self.walk(state, process, *next, true);
                    Label::Work(process, *work)
                }
                NodeKind::Access(_) => {
                    let then = match self.machine.atomicity {
                        Atomicity::Atomic => At::Done(node),
                        Atomicity::Split | Atomicity::Raced => At::Updating(node),
                    };
                    self.pass(state, process, node, kind, then, 1)
                }
                other => unreachable!("{other:?} takes no time"),
            },
            At::Updating(node) => match self.change(state, process, self.access(process, node)) {
                Ok(label) => {
                    self.changed(state, process, node, At::WaitingAgain(node));
                    label
                }
                Err(mistake) => self.mistaken(state, process, node, mistake),
            },
            At::WaitingAgain(node) => self.pass(state, process, node, kind, At::Done(node), 2),
            At::Done(node) => {
                self.walk(state, process, self.access(process, node).next, true);
                Label::EndAction(process)
            }
            At::Failed(node, mistake) => {
                state.processes[process.index()].at = At::Stopped;
                Label::Error(process, node, mistake)
            }
            At::Stopped => unreachable!("a process that has stopped takes no step"),
        }
    }

    fn access(&self, process: ProcessId, node: NodeId) -> &Access {
        match self.kind(process, node) {
            NodeKind::Access(access) => access,
            other => unreachable!("{other:?} is no access"),
        }
    }

    fn mistaken(&self, state: &mut State, process: ProcessId, node: NodeId, mistake: Mistake) -> Label {
        self.fail(state, process, node, mistake);
        Label::Internal
    }

    fn leave_ready(&self, state: &mut State, process: ProcessId, node: NodeId, kind: StepKind) -> Label {
        match self.kind(process, node) {
            NodeKind::Access(access) => match self.begin(state, process, access) {
                Ok(label) => {
                    match self.machine.atomicity {
                        Atomicity::Atomic => self.changed(state, process, node, At::Waiting(node)),
                        _ if self.is_untimed() => state.processes[process.index()].at = At::Updating(node),
                        _ => state.processes[process.index()].at = At::Waiting(node),
                    }
                    label
                }
                Err(mistake) => self.mistaken(state, process, node, mistake),
            },
            NodeKind::Work(..) if self.is_timed() => {
                state.processes[process.index()].at = At::Waiting(node);
                Label::Internal
            }
            NodeKind::Work(work, next) => {
                self.walk(state, process, *next, true);
                Label::Work(process, *work)
            }
            NodeKind::Event(event, next) => match self.observe(state, process, event) {
                Ok(label) => {
                    self.walk(state, process, *next, true);
                    label
                }
                Err(mistake) => self.mistaken(state, process, node, mistake),
            },
            NodeKind::Choice(ways) => {
                let StepKind::Way(way) = kind else { unreachable!("a choice has ways") };
                self.walk(state, process, ways[way as usize], true);
                Label::Choice(process, way)
            }
            // The head of a loop.
            NodeKind::Assign(..) | NodeKind::Branch(..) | NodeKind::Assert(..) => {
                self.walk(state, process, node, false);
                Label::Internal
            }
            NodeKind::End => unreachable!("a process that has ended takes no step"),
        }
    }

    fn variable(
        &self,
        state: &State,
        process: ProcessId,
        reference: &Reference,
    ) -> Result<VariableId, Mistake> {
        let locals = &state.processes[process.index()].locals;
        evaluate::element(reference.base.0, &reference.indices, locals).map(VariableId)
    }

    /// The beginning of an access: its transfer is decided, and unless memory and caches change later, they do.
    fn begin(&self, state: &mut State, process: ProcessId, access: &Access) -> Result<Label, Mistake> {
        let variable = self.variable(state, process, &access.variable)?;
        let of = &self.system.variables[variable.index()];
        let locals = &state.processes[process.index()].locals;
        let operated = operated(&access.operation, of, state.memory[variable.index()], locals)?;
        if self.machine.atomicity == Atomicity::Atomic && !takes(of, operated.stored) {
            return Err(Mistake::Range);
        }
        let situation = self.situation(state, process, of.line);
        let rule = self.rule(access.operation.on_cache(), situation).ok_or(Mistake::NoRow)?;
        let journey = self.journey(state, process, of.line, rule, situation);
        let decided = (self.machine.atomicity == Atomicity::Raced).then_some(situation);
        let transfer = Transfer { journey, variable, stage: 0, decided };
        if self.machine.atomicity == Atomicity::Atomic {
            self.change_by(state, process, access, transfer, situation, operated)?;
        }
        state.processes[process.index()].transfer = Some(transfer);
        Ok(Label::Access {
            process,
            operation: access.operation.name(),
            variable,
            shown: operated.shown,
            journey: Some(journey),
        })
    }

    /// The middle of an access: memory and caches change, as they are now or as it was decided.
    fn change(&self, state: &mut State, process: ProcessId, access: &Access) -> Result<Label, Mistake> {
        let mut transfer = state.processes[process.index()].transfer.expect("a transfer is under way");
        let of = &self.system.variables[transfer.variable.index()];
        let locals = &state.processes[process.index()].locals;
        let operated = operated(&access.operation, of, state.memory[transfer.variable.index()], locals)?;
        if !takes(of, operated.stored) {
            return Err(Mistake::Range);
        }
        let situation = match transfer.decided {
            Some(decided) => decided,
            None => {
                // The line comes from where it is now, and the latency is that of where it was.
                let situation = self.situation(state, process, of.line);
                let rule = self.rule(access.operation.on_cache(), situation).ok_or(Mistake::NoRow)?;
                transfer.journey = self.journey(state, process, of.line, rule, situation);
                situation
            }
        };
        self.change_by(state, process, access, transfer, situation, operated)?;
        let variable = transfer.variable;
        Ok(Label::Access {
            process,
            operation: access.operation.name(),
            variable,
            shown: operated.shown,
            journey: None,
        })
    }

    fn change_by(
        &self,
        state: &mut State,
        process: ProcessId,
        access: &Access,
        transfer: Transfer,
        situation: (volvelle_coherence::State, volvelle_coherence::State),
        operated: Operated,
    ) -> Result<(), Mistake> {
        let variable = transfer.variable;
        let of = &self.system.variables[variable.index()];
        let locals = &self.system.processes[process.index()].locals;
        let on_cache = access.operation.on_cache();
        let rule = self.rule(on_cache, situation).expect("it was there when the transfer was decided");
        let does_fit = access.result.is_none_or(|local| fits(&locals[local.index()], operated.result));
        // What is wrong with caches comes before what is wrong with the result; a mistake changes nothing.
        if does_fit {
            self.apply(state, process, of.line, (on_cache, rule, situation.0), transfer.journey)?;
        } else {
            let mut tried = state.clone();
            self.apply(&mut tried, process, of.line, (on_cache, rule, situation.0), transfer.journey)?;
            return Err(Mistake::Range);
        }
        if of.lo < of.hi {
            state.memory[variable.index()] = operated.stored;
        }
        if let Some(local) = access.result {
            state.processes[process.index()].locals[local.index()] = operated.result;
        }
        Ok(())
    }

    /// What follows the change of memory and caches: time passes, or the process computes at once.
    fn changed(&self, state: &mut State, process: ProcessId, node: NodeId, then: At) {
        let of = &mut state.processes[process.index()];
        if self.is_untimed() {
            of.transfer = None;
            self.walk(state, process, self.access(process, node).next, true);
        } else {
            of.at = then;
            if let Some(transfer) = &mut of.transfer {
                transfer.decided = None;
            }
        }
    }

    /// A latency passes, or a stage of it.
    fn pass(
        &self,
        state: &mut State,
        process: ProcessId,
        node: NodeId,
        kind: StepKind,
        then: At,
        half: u32,
    ) -> Label {
        let sharers = self.sharers(state, process);
        let of = &mut state.processes[process.index()];
        let Transfer { journey, variable, stage, .. } = of.transfer.expect("a transfer is under way");
        if let StepKind::Stage { goes_on } = kind {
            self.stage_ends(state, process, goes_on);
            return Label::Stage { process, variable, node, journey, stage, sharers, goes_on };
        }
        let half = (self.machine.atomicity != Atomicity::Atomic).then_some(half);
        of.at = then;
        if matches!(then, At::Done(_)) {
            of.transfer = None;
        }
        Label::Latency { process, variable, journey, half }
    }

    /// A stage of a latency ends, and with the last one the latency, or its first half.
    pub(crate) fn stage_ends(&self, state: &mut State, process: ProcessId, goes_on: bool) {
        let of = &mut state.processes[process.index()];
        let transfer = of.transfer.as_mut().expect("a transfer is under way");
        transfer.stage = if goes_on { transfer.stage + 1 } else { 0 };
        match of.at {
            _ if goes_on => {}
            At::Waiting(node) if self.machine.atomicity != Atomicity::Atomic => of.at = At::Updating(node),
            At::Waiting(node) | At::WaitingAgain(node) => {
                of.transfer = None;
                self.walk(state, process, self.access(process, node).next, true);
            }
            other => unreachable!("{other:?} does not wait"),
        }
    }

    /// Something is observed.
    fn observe(&self, state: &mut State, process: ProcessId, event: &Event) -> Result<Label, Mistake> {
        match event {
            Event::Mark(mark) => Ok(Label::Mark(process, *mark)),
            Event::Enter(reference) => self.section(state, process, reference, true),
            Event::Leave(reference) => self.section(state, process, reference, false),
            Event::Sent(channel, content) => self.message(state, process, channel, content, true),
            Event::Received(channel, content) => self.message(state, process, channel, content, false),
        }
    }

    fn section(
        &self,
        state: &mut State,
        process: ProcessId,
        reference: &Reference,
        enters: bool,
    ) -> Result<Label, Mistake> {
        let variable = self.variable(state, process, reference)?;
        if self.is_untimed() {
            let holder = &mut state.holders[variable.index()];
            match enters {
                true if holder.is_some() => return Err(Mistake::Exclusion),
                false if *holder != Some(process) => return Err(Mistake::NotInside),
                _ => *holder = enters.then_some(process),
            }
        }
        Ok(Label::Section { enters, process, variable })
    }

    fn message(
        &self,
        state: &mut State,
        process: ProcessId,
        reference: &ChannelReference,
        content: &Expr,
        sends: bool,
    ) -> Result<Label, Mistake> {
        let locals = &state.processes[process.index()].locals;
        let channel = ChannelId(evaluate::element(reference.base.0, &reference.indices, locals)?);
        let content = evaluate::value(content, locals).ok_or(Mistake::Arithmetic)?;
        let of = &self.system.channels[channel.index()];
        let has_contents = of.lo < of.hi;
        if has_contents && !(of.lo..=of.hi).contains(&content) {
            return Err(Mistake::Range);
        }
        // Messages without contents are all alike.
        let message = if has_contents { content } else { of.lo };
        if self.is_untimed() {
            let queue = &mut state.channels[channel.index()];
            if sends {
                if queue.len() >= of.capacity as usize {
                    return Err(Mistake::Overflow);
                }
                queue.push_back(message);
            } else {
                if queue.front() != Some(&message) {
                    return Err(Mistake::NotSent);
                }
                queue.pop_front();
            }
        }
        Ok(Label::Message { sends, process, channel, content: has_contents.then_some(content) })
    }
}
