//! From instructions to tasks.

use super::selection::Selection;
use crate::predictors::Transfer;
use crate::stage::{Op, Stage};
use crate::text::Outcome;
use volvelle_instructions::Class;

/// A task: instructions of the stage, and what is to be predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its first instruction, by its place in the stage.
    pub start: u32,
    /// Behind its last instruction.
    pub end: u32,
    /// Its first access to memory, by its place among the addresses of the stage.
    pub accesses: u32,
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
    length: u32,
    /// Tasks that are complete, of the stage's present contents.
    pub tasks: Vec<Task>,
    /// Outcomes of those that are predicted, in the same order.
    pub outcomes: Vec<Outcome>,
    /// The instruction from which on nothing was cut.
    next: u32,
    /// Accesses to memory before it.
    next_access: u32,
    /// All tasks so far.
    pub count: u64,
    /// Those that are predicted.
    pub predicted: u64,
    /// Those whose last transfer is taken.
    pub taken: u64,
}

impl Cutter {
    /// Tasks of at most `length` instructions, at least 1.
    pub fn new(selection: Selection, length: u32) -> Self {
        Cutter {
            selection,
            length,
            tasks: Vec::new(),
            outcomes: Vec::new(),
            next: 0,
            next_access: 0,
            count: 0,
            predicted: 0,
            taken: 0,
        }
    }

    /// The first instruction of the stage that belongs to no complete task.
    pub(crate) fn rest(&self) -> u32 {
        self.next
    }

    /// So many instructions and accesses at the beginning of the stage were removed.
    pub(crate) fn shift(&mut self, instructions: u32, accesses: u32) {
        self.next -= instructions;
        self.next_access -= accesses;
    }

    /// Cuts what the stage has. While the stream goes on, the last instruction waits for the one behind it.
    pub(crate) fn cut(&mut self, stage: &Stage) {
        self.tasks.clear();
        self.outcomes.clear();
        match self.selection {
            Selection::FirstBranch => self.run(stage, |_, op, _| op.transfers()),
            Selection::Length => self.run(stage, |_, _, _| false),
            Selection::Span(most) => self.run(stage, |transfers, _, _| transfers == most),
            Selection::Loop => self.run(stage, |_, op, back| match op.class {
                Class::Branch | Class::Jump => back,
                _ => op.transfers(),
            }),
        }
    }

    /// Ends tasks where `ends` says so, given the transfers of the task so far, the instruction, and whether it jumped backwards.
    #[inline]
    fn run(&mut self, stage: &Stage, ends: impl Fn(u32, &Op, bool) -> bool) {
        let known = stage.known();
        let (mut at, mut accesses) = (self.next, self.next_access);
        let mut task =
            Task { start: at, end: at, accesses, is_predicted: false, is_taken: false, decider: 0 };
        let mut transfers = 0;
        while at < known {
            let step = stage.steps[at as usize];
            let op = &stage.ops[step.instruction() as usize];
            at += 1;
            accesses += u32::from(op.is_memory());
            let mut is_end = at - task.start == self.length;
            if op.transfers() {
                transfers += 1;
                (task.is_predicted, task.is_taken) = (true, step.is_taken());
                task.decider = step.instruction();
                let is_back = step.is_taken() && stage.pc(at).is_some_and(|next| next <= op.pc);
                is_end |= ends(transfers, op, is_back);
            }
            if is_end || (at == known && stage.is_complete) {
                task.end = at;
                self.finish(stage, task);
                task =
                    Task { start: at, end: at, accesses, is_predicted: false, is_taken: false, decider: 0 };
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

impl Task {
    /// What predictors of targets see of a task that ends with a transfer that is taken, if it does and its successor is known.
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
