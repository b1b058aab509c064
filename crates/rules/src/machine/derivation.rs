//! Steps of a derivation: which rules and functions were applied to what, and how each ended. Recorded where somebody asks.
//!
//! They lie in the order in which they began, each with the number of the step behind its last premise: a derivation of any depth is a
//! row. What fails is there, too, since an alternative that holds is the first one for a reason.

use super::{Machine, Task};
use crate::ir::{FunctionId, JudgmentId, RoutineId};
use crate::memo::{Outcome, Target};
use crate::value::{EnvId, FailureId, Value};

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// A judgment. The first value of its step is the environment, then come the inputs.
    Judgment(JudgmentId),
    /// A function. The values of its step are the arguments.
    Function(FunctionId),
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did not yet.
    Open,
    /// It holds; the results are here among all values.
    Holds(u32, u32),
    /// It fails.
    Fails,
}

/// An application of a rule or of the body of a function, or a result that was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is applied.
    pub routine: RoutineId,
    /// What it is about.
    pub about: About,
    /// Where that to which it is applied is, among all values.
    pub inputs: (u32, u32),
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the result was known.
    pub cached: bool,
    /// The number of the step behind its last premise.
    pub end: u32,
}

/// Steps, and the values that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) values: Vec<Value>,
    open: Vec<u32>,
    /// Frames that are no premises: texts of values, conditions, what is said about failures.
    silent: u32,
}

impl Steps {
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + self.values.capacity() * 8 + self.open.capacity() * 4
    }

    fn add(&mut self, values: &[Value]) -> (u32, u32) {
        let first = self.values.len() as u32;
        self.values.extend_from_slice(values);
        (first, self.values.len() as u32)
    }
}

fn is_silent(task: Task) -> bool {
    match task {
        Task::Blame(_) | Task::Show(_) | Task::Condition | Task::Global | Task::Cycle { .. } => true,
        Task::Rule(_) | Task::Function(_) | Task::Check | Task::Closure => false,
    }
}

impl Machine<'_> {
    /// Steps of the question that was asked last; none are recorded from here on.
    pub(crate) fn take_steps(&mut self) -> Option<Steps> {
        self.watched.as_mut().and_then(|watched| watched.steps.take())
    }

    fn steps(&mut self) -> Option<&mut Steps> {
        self.watched.as_mut().and_then(|watched| watched.steps.as_mut())
    }

    /// Another question begins.
    pub(super) fn forget_steps(&mut self) {
        if let Some(steps) = self.steps() {
            *steps = Steps::default();
        }
    }

    /// A frame begins; what it is applied to is in registers.
    pub(super) fn note_begin(&mut self, routine: RoutineId, task: Task, first: usize, count: usize) {
        let Some(steps) = self.watched.as_mut().and_then(|watched| watched.steps.as_mut()) else { return };
        if is_silent(task) {
            steps.silent += 1;
        }
        let about = match task {
            Task::Rule(judgment) => About::Judgment(judgment),
            Task::Function(function) => About::Function(function),
            _ => return,
        };
        if steps.silent == 0 {
            let inputs = steps.add(&self.regs[first..first + count]);
            steps.open.push(steps.steps.len() as u32);
            let verdict = Verdict::Open;
            steps.steps.push(Step { routine, about, inputs, verdict, cached: false, end: 0 });
        }
    }

    /// A frame ends, with results in registers or with a failure.
    pub(super) fn note_end(&mut self, task: Task, outcome: Result<(usize, usize), FailureId>) {
        let Some(steps) = self.watched.as_mut().and_then(|watched| watched.steps.as_mut()) else { return };
        if is_silent(task) {
            steps.silent = steps.silent.saturating_sub(1);
            return;
        }
        if steps.silent > 0 || !matches!(task, Task::Rule(_) | Task::Function(_)) {
            return;
        }
        let Some(at) = steps.open.pop() else { return };
        let verdict = match outcome {
            Ok((first, count)) => {
                let (from, to) = steps.add(&self.regs[first..first + count]);
                Verdict::Holds(from, to)
            }
            Err(_) => Verdict::Fails,
        };
        let end = steps.steps.len() as u32;
        let step = &mut steps.steps[at as usize];
        (step.verdict, step.end) = (verdict, end);
    }

    /// A result was known; the inputs are in registers.
    pub(super) fn note_known(
        &mut self,
        target: Target,
        env: EnvId,
        inputs: (usize, usize),
        outcome: Outcome,
    ) {
        if self.steps().is_none_or(|steps| steps.silent > 0) {
            return;
        }
        let (first, count) = inputs;
        let system = self.system;
        let judgments = system.judgments.len() as u32;
        let (about, dispatch, routines) = if target < judgments {
            let judgment = &system.judgments[JudgmentId(target)];
            (About::Judgment(JudgmentId(target)), &judgment.dispatch, &judgment.rules)
        } else {
            let id = FunctionId(target - judgments);
            (About::Function(id), &system.functions[id].dispatch, &system.functions[id].bodies)
        };
        let crate::dispatch::Choice::One(one) = self.choice(dispatch, first..first + count) else { return };
        let results = match outcome {
            Outcome::Holds(from, to) => Some(self.memo.values((from, to)).to_vec()),
            Outcome::Fails(_) => None,
        };
        let Some(steps) = self.watched.as_mut().and_then(|watched| watched.steps.as_mut()) else { return };
        let mut applied_to = Vec::with_capacity(count + 1);
        if let About::Judgment(_) = about {
            applied_to.push(Value::Env(env));
        }
        applied_to.extend_from_slice(&self.regs[first..first + count]);
        let inputs = steps.add(&applied_to);
        let verdict = match results {
            Some(results) => {
                let (from, to) = steps.add(&results);
                Verdict::Holds(from, to)
            }
            None => Verdict::Fails,
        };
        let end = steps.steps.len() as u32 + 1;
        let routine = routines[usize::from(one)];
        steps.steps.push(Step { routine, about, inputs, verdict, cached: true, end });
    }
}
