//! From instructions to tasks.

use super::joins::Joins;
use super::selection::Selection;
use crate::predictors::Transfer;
use crate::stage::{Done, Op, Stage};
use crate::text::Outcome;
use std::sync::Arc;
use volvelle_instructions::{Class, Step};

/// A task: instructions of the stage, and what is to be predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its first instruction, by its place in the stage.
    pub start: u32,
    /// The index after its last instruction.
    pub end: u32,
    /// Its first access to memory, by its place among the addresses of the stage.
    pub accesses: u32,
    /// Transfers of the stage before its end.
    pub transfers: u32,
    /// Whether it has more than one successor.
    pub is_predicted: bool,
    /// Whether the transfer that decides is taken.
    pub is_taken: bool,
    /// The instruction that decides, by number.
    pub decider: u32,
}

/// Cuts a stream into tasks.
#[derive(Clone, Debug)]
pub struct Cutter {
    selection: Selection,
    joins: Arc<Joins>,
    length: u32,
    /// Tasks that are complete, of the stage's present contents.
    pub tasks: Vec<Task>,
    /// Outcomes of the predicted tasks, in the same order.
    pub outcomes: Vec<Outcome>,
    /// The first instruction that is not processed yet.
    next: u32,
    /// Accesses to memory before it.
    next_access: u32,
    /// Transfers of control before it.
    next_transfer: u32,
    /// All tasks so far.
    pub count: u64,
    /// Tasks that are predicted.
    pub predicted: u64,
    /// Tasks whose last transfer is taken.
    pub taken: u64,
}

impl Cutter {
    /// Tasks of at most `length` instructions, at least 1; `joins` are for [`Selection::Postdominator`].
    pub fn new(selection: Selection, length: u32, joins: Arc<Joins>) -> Self {
        Cutter {
            selection,
            joins,
            length,
            tasks: Vec::new(),
            outcomes: Vec::new(),
            next: 0,
            next_access: 0,
            next_transfer: 0,
            count: 0,
            predicted: 0,
            taken: 0,
        }
    }

    /// How much of the stage lies before the first instruction that belongs to no complete task.
    pub(crate) fn done(&self) -> Done {
        Done { instructions: self.next, accesses: self.next_access, transfers: self.next_transfer }
    }

    /// So much at the beginning of the stage was removed.
    pub(crate) fn shift(&mut self, done: Done) {
        self.next -= done.instructions;
        self.next_access -= done.accesses;
        self.next_transfer -= done.transfers;
    }

    /// Cuts what the stage holds. While the stream continues, the last instruction is kept until its
    /// successor is known.
    pub(crate) fn cut(&mut self, stage: &Stage) {
        self.tasks.clear();
        self.outcomes.clear();
        match self.selection {
            // One loop for each, in which the rule is known.
            Selection::FirstBranch => self.run(stage, |_, at| Selection::FirstBranch.ends(at)),
            Selection::Length => self.run(stage, |_, at| Selection::Length.ends(at)),
            Selection::Span(most) => self.run(stage, |_, at| Selection::Span(most).ends(at)),
            Selection::Loop => self.run(stage, |_, at| Selection::Loop.ends(at)),
            Selection::Postdominator => {
                let joins = self.joins.clone();
                let mut open = Vec::new();
                self.run(stage, |task, at| join(&joins, &mut open, task, at));
            }
        }
    }

    /// Ends tasks where `ends` says so; it is asked after each instruction.
    #[inline]
    fn run(&mut self, stage: &Stage, mut ends: impl FnMut(&mut Task, &Behind<'_>) -> bool) {
        let known = stage.known();
        let (mut at, mut accesses) = (self.next, self.next_access);
        let mut task = Task::starting(at, accesses);
        let mut transfers = 0;
        while at < known {
            let step = stage.steps[at as usize];
            let op = &stage.ops[step.instruction() as usize];
            at += 1;
            accesses += u32::from(op.is_memory());
            if op.transfers() {
                transfers += 1;
                task.decide(step);
            }
            let is_first = at - task.start == 1;
            let next = &stage.steps[at as usize..];
            let is_end = ends(&mut task, &Behind { step, op, transfers, ops: &stage.ops, next, is_first });
            if is_end || at - task.start == self.length || (at == known && stage.is_complete) {
                task.end = at;
                task.transfers = self.next_transfer + transfers;
                self.next_transfer = task.transfers;
                self.finish(stage, task);
                task = Task::starting(at, accesses);
                transfers = 0;
                (self.next, self.next_access) = (at, accesses);
            }
        }
    }

    #[inline]
    fn finish(&mut self, stage: &Stage, task: Task) {
        self.count += 1;
        if task.is_predicted {
            self.predicted += 1;
            self.taken += u64::from(task.is_taken);
            let address = stage.op(task.start).pc;
            self.outcomes.push(Outcome { address, taken: task.is_taken });
        }
        self.tasks.push(task);
    }
}

impl Selection {
    /// Whether a task ends after an instruction, apart from joins.
    #[inline]
    fn ends(self, at: &Behind<'_>) -> bool {
        match self {
            Selection::FirstBranch => at.op.transfers(),
            Selection::Length => false,
            Selection::Span(most) => at.op.transfers() && at.transfers == most,
            Selection::Loop | Selection::Postdominator => at.ends_turn(),
        }
    }

    /// The lengths of tasks of a wrong path. Joins are unknown there: tasks end as with [`Selection::Loop`].
    pub(crate) fn cut_wrong(self, ops: &[Op], path: &[Step], most: u32, mut each: impl FnMut(usize) -> bool) {
        let (mut start, mut transfers) = (0, 0);
        for (at, &step) in path.iter().enumerate() {
            let op = &ops[step.instruction() as usize];
            transfers += u32::from(op.transfers());
            let behind = Behind { step, op, transfers, ops, next: &path[at + 1..], is_first: at == start };
            if self.ends(&behind) || at + 1 - start == most as usize || at + 1 == path.len() {
                if !each(at + 1 - start) {
                    return;
                }
                (start, transfers) = (at + 1, 0);
            }
        }
    }
}

/// What is known after an instruction of a task.
struct Behind<'s> {
    step: Step,
    op: &'s Op,
    /// Transfers of the task so far.
    transfers: u32,
    ops: &'s [Op],
    /// The instructions executed next, as far as they are known.
    next: &'s [Step],
    /// Whether the task begins with it.
    is_first: bool,
}

impl Behind<'_> {
    /// Where the next instruction is.
    #[inline]
    fn next(&self) -> Option<u64> {
        self.next.first().map(|step| self.ops[step.instruction() as usize].pc)
    }

    /// Whether the turn of a loop or a part of a function ends.
    #[inline]
    fn ends_turn(&self) -> bool {
        match self.op.class {
            Class::Branch | Class::Jump => {
                self.step.is_taken() && self.next().is_some_and(|next| next <= self.op.pc)
            }
            _ => self.op.transfers(),
        }
    }
}

/// A branch whose paths have not met again: where they will meet, and the direction taken.
type Open = (Option<u64>, Step);

/// The rule of [`Selection::Postdominator`]: `open` holds the branches of the task whose paths have not met.
fn join(joins: &Joins, open: &mut Vec<Open>, task: &mut Task, at: &Behind<'_>) -> bool {
    if at.is_first {
        open.clear();
    }
    if Selection::Postdominator.ends(at) {
        return true;
    }
    match at.op.class {
        Class::Branch => open.push((joins.of_branch(at.op.pc), at.step)),
        // The paths of a jump never part.
        Class::Jump => {}
        _ if open.is_empty() => return false,
        _ => {}
    }
    let (count, next) = (open.len(), at.next());
    open.retain(|(join, _)| join.is_none() || *join != next);
    match open.last() {
        Some((_, step)) => {
            task.decide(*step);
            false
        }
        None => {
            task.is_predicted = false;
            count > 0
        }
    }
}

impl Task {
    /// A task that begins, before the first of its instructions.
    fn starting(start: u32, accesses: u32) -> Self {
        Task { start, end: start, accesses, transfers: 0, is_predicted: false, is_taken: false, decider: 0 }
    }

    /// Records a transfer: it decides where the task leads.
    #[inline]
    fn decide(&mut self, step: Step) {
        (self.is_predicted, self.is_taken, self.decider) = (true, step.is_taken(), step.instruction());
    }

    /// What predictors of targets see of a task: its final transfer, if that is taken and its successor is
    /// known.
    pub(crate) fn transfer(&self, stage: &Stage) -> Option<Transfer> {
        let target = stage.pc(self.end).filter(|_| self.is_predicted && self.is_taken)?;
        let last = stage.op(self.end - 1);
        let is_call = matches!(last.class, Class::Call | Class::IndirectCall);
        last.transfers().then(|| Transfer {
            task: stage.op(self.start).pc,
            target,
            behind: is_call.then(|| last.pc.wrapping_add(u64::from(last.length))),
            is_return: last.class == Class::Return,
        })
    }
}
