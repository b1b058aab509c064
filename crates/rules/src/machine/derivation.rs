//! Recording of derivations, where somebody asks.

use super::{Machine, Task};
use crate::ir::{FunctionId, JudgmentId, RoutineId};
use crate::memo::{Outcome, Target};
use crate::steps::{About, Step, Steps, Verdict};
use crate::value::{EnvId, FailureId, Value};

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
