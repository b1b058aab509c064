//! Judgments, functions, and how they end.

use super::{Breakdown, Ended, Flow, Machine, NONE, Run, Step, Task, Trouble};
use crate::dispatch::Choice;
use crate::failure::What;
use crate::ir::{FunctionId, JudgmentId, Memo as Kept, RoutineId};
use crate::memo::{BUSY, Memo, Outcome, Read};
use crate::value::{EnvId, FailureId, Value};
use rustc_hash::FxHashSet;

impl Machine<'_> {
    /// Begins a judgment whose environment is in a register, and whose inputs are behind it.
    pub(super) fn begin_ask(&mut self, id: JudgmentId, first: usize, out: usize, above: usize) -> Flow {
        let judgment = self.judgment(id);
        let count = judgment.input_count;
        let env = match self.regs[first] {
            Value::Env(env) => env,
            _ => return self.fail_with("access to null environment", judgment.span),
        };
        let inputs = first + 1..first + 1 + count;
        for at in inputs.clone() {
            self.leaks(self.regs[at]);
        }
        if self.regs[inputs.clone()].contains(&Value::Null) {
            return Err(Trouble::Failed(self.failure(What::Null, None, judgment.span)));
        }
        let target = id.0;
        let mut run = NONE;
        if judgment.memo.watches() {
            match self.run_of(target, &judgment.memo, first, first + 1, count, out, above, env, true)? {
                Some(number) => run = number,
                None => return Ok(()),
            }
        }
        let choice = self.choice(&judgment.dispatch, inputs.clone());
        match choice {
            Choice::One(one) => {
                self.statistics.applications += 1;
                let rule = judgment.rules[usize::from(one)];
                self.push_frame(rule, Task::Rule(id), first, count + 1, out, env, run, above);
                Ok(())
            }
            Choice::None | Choice::Several(..) => {
                self.drop_run(run);
                let failure = self.failure(What::NoRule(id), None, judgment.span);
                self.keep_args(failure, first, count + 1);
                Err(Trouble::Failed(failure))
            }
        }
    }

    /// Begins a function whose arguments are in registers.
    pub(super) fn begin_call(&mut self, id: FunctionId, first: usize, out: usize, above: usize) -> Flow {
        let system = self.system;
        let function = &system.functions[id];
        let count = function.params.len();
        let target = (self.system.judgments.len() as u32) + id.0;
        let mut run = NONE;
        if function.memo.watches() {
            match self.run_of(target, &function.memo, first, first, count, out, above, EnvId::EMPTY, false)? {
                Some(number) => run = number,
                None => return Ok(()),
            }
        }
        // Null is no kind of any class: where all classes fit it is an argument as others are.
        let has_null = self.regs[first..first + count].contains(&Value::Null);
        if has_null {
            self.drop_run(run);
            return Err(Trouble::Failed(self.failure(What::Null, None, function.span)));
        }
        match self.choice(&function.dispatch, first..first + count) {
            Choice::One(one) => {
                self.statistics.applications += 1;
                let body = function.bodies[usize::from(one)];
                self.push_frame(body, Task::Function(id), first, count, out, EnvId::EMPTY, run, above);
                Ok(())
            }
            Choice::None | Choice::Several(..) => {
                self.drop_run(run);
                let failure = self.failure(What::NoBody(id), None, function.span);
                self.keep_args(failure, first, count);
                Err(Trouble::Failed(failure))
            }
        }
    }

    pub(super) fn begin_invoke(&mut self, first: usize, count: usize, out: usize, above: usize) -> Flow {
        let Value::Closure(closure) = self.regs[first] else {
            return Err(self.broke("the function is null"));
        };
        let (routine, captured) = self.heap.routine(closure);
        let all: Vec<Value> = captured.iter().chain(&self.regs[first + 1..first + count]).copied().collect();
        if self.regs.len() < above + all.len() {
            self.regs.resize(above + all.len(), Value::Null);
        }
        self.regs[above..above + all.len()].copy_from_slice(&all);
        self.push_frame(RoutineId(routine), Task::Closure, above, all.len(), out, EnvId::EMPTY, NONE, above);
        Ok(())
    }

    pub(super) fn choice(
        &self,
        dispatch: &crate::dispatch::Dispatch,
        args: std::ops::Range<usize>,
    ) -> Choice {
        let node = self.system.universe.common.node;
        dispatch.choose(args.map(|at| self.class(self.regs[at]).unwrap_or(node)))
    }

    fn keep_args(&mut self, failure: FailureId, first: usize, count: usize) {
        let start = self.failure_args.len() as u32;
        self.failure_args.extend_from_slice(&self.regs[first..first + count]);
        self.failures[failure.index()].args = (start, self.failure_args.len() as u32);
    }

    /// Looks for a kept result, and whether the same is running already. Gives the number of the run, NONE where it is neither kept nor
    /// watched; nothing where there is a result or a frame that gives it.
    #[allow(clippy::too_many_arguments, reason = "these are the parts of a call")]
    fn run_of(
        &mut self,
        target: u32,
        kept: &Kept,
        first: usize,
        inputs: usize,
        count: usize,
        out: usize,
        above: usize,
        env: EnvId,
        judgment: bool,
    ) -> Result<Option<u32>, Trouble> {
        for at in inputs..inputs + count {
            self.regs[at] = self.heap.same(self.regs[at]);
        }
        let params = inputs - first + count;
        let mut keeps = kept.cached;
        if let Some(condition) = kept.condition {
            match self.condition.take() {
                Some(holds) => keeps = holds,
                None => {
                    self.push_frame(
                        condition,
                        Task::Condition,
                        first,
                        params,
                        above,
                        EnvId::EMPTY,
                        NONE,
                        above + 1,
                    );
                    return Err(Trouble::Again);
                }
            }
        }
        let place = Memo::place(target, &self.regs[inputs..inputs + count]);
        let here = self.memo.at(place);
        // The newest run at the place, and the newest entry.
        let running = if here & BUSY == 0 { NONE } else { here & !BUSY };
        let newest = if running == NONE { here } else { self.runs[running as usize].newest };
        if keeps && self.caches && newest != 0 {
            let found = self.memo.find(&self.heap, newest, target, &self.regs[inputs..inputs + count], env);
            let found = found.filter(|(outcome, _)| !judgment || self.lends(*outcome, env));
            if let Some((outcome, reads)) = found {
                self.statistics.hits += 1;
                if !self.runs.is_empty() {
                    for read in reads {
                        let at = read.env.or(Some(env));
                        let found = match (read.env, read.key) {
                            (None, Some(key)) => {
                                let binding = self.heap.find(env, key);
                                binding.map(|binding| (self.heap.binding(binding).1, binding))
                            }
                            _ => read.found,
                        };
                        self.log.push(Read { env: at, found, ..*read });
                    }
                }
                if self.watched.is_some() {
                    self.note_known(target, env, (inputs, count), outcome);
                }
                return match outcome {
                    Outcome::Holds(from, to) => {
                        let values = self.memo.values((from, to));
                        self.regs[out..out + values.len()].copy_from_slice(values);
                        Ok(None)
                    }
                    Outcome::Fails(failure) => Err(Trouble::Failed(self.lent(failure, env))),
                };
            }
        }
        let mut same = running;
        while same != NONE {
            let run = self.runs[same as usize];
            let args = run.args as usize..run.args as usize + count;
            if run.target == target
                && run.env == env
                && self.run_args[args] == self.regs[inputs..inputs + count]
            {
                let Some(cycle) = kept.cycle else {
                    let name = if judgment {
                        self.system.judgments[JudgmentId(target)].name.clone()
                    } else {
                        let number = target - self.system.judgments.len() as u32;
                        self.system.functions[FunctionId(number)].name.clone()
                    };
                    return Err(self.broke(format!(
                        "`{name}` asks for itself with the same arguments; `cycle = …` at its declaration says what holds then"
                    )));
                };
                let task = Task::Cycle { judgment, head: same };
                self.push_frame(cycle, task, first, params, out, EnvId::EMPTY, NONE, above);
                return Ok(None);
            }
            same = run.below;
        }
        let number = self.runs.len() as u32;
        let args = self.run_args.len() as u32;
        self.run_args.extend_from_slice(&self.regs[inputs..inputs + count]);
        self.memo.set(place, BUSY | number);
        self.runs.push(Run {
            target,
            place,
            newest,
            args,
            env,
            effects: self.effects,
            below: running,
            keeps: keeps && self.caches,
        });
        Ok(Some(number))
    }

    /// Ends the newest run.
    fn drop_run(&mut self, number: u32) {
        if number == NONE {
            return;
        }
        if let Some(run) = self.runs.pop() {
            if run.below == NONE {
                self.memo.set(run.place, run.newest);
            } else {
                self.runs[run.below as usize].newest = run.newest;
                self.memo.set(run.place, BUSY | run.below);
            }
            self.run_args.truncate(run.args as usize);
        }
    }

    /// Leaves the newest frame; what was read, and what it depends on, goes to the one below. Its result is kept where it may be.
    fn leave(&mut self, outcome: Result<(usize, usize), FailureId>) -> super::Frame {
        let frame = self.frames[self.frames.len() - 1];
        if self.watched.is_some() {
            self.note_end(frame.task, outcome);
        }
        if frame.run == NONE && frame.taint == NONE {
            self.frames.pop();
            if self.runs.is_empty() {
                self.log.clear();
            }
            return frame;
        }
        if frame.run != NONE {
            let run = self.runs[frame.run as usize];
            let is_judgment = (run.target as usize) < self.system.judgments.len();
            self.settle(&frame, is_judgment);
            let finished = frame.taint >= frame.run;
            if run.keeps && finished && run.effects == self.effects {
                // The newest run has the last arguments.
                let args = &self.run_args[run.args as usize..];
                let log = &self.log[frame.log as usize..];
                let own = |read: &Read| is_judgment && read.env == Some(frame.env);
                let whole = log.iter().any(|read| own(read) && read.key.is_none()).then_some(frame.env);
                let reads = log
                    .iter()
                    .filter(|read| read.key.is_some() || !own(read))
                    .map(|read| Read { env: if own(read) { None } else { read.env }, ..*read });
                let outcome = match outcome {
                    Ok((first, count)) => Ok(&self.regs[first..first + count]),
                    Err(failure) => Err(failure),
                };
                let newest = self.memo.keep(run.newest, run.target, args, reads, whole, outcome);
                self.runs[frame.run as usize].newest = newest;
            }
            self.drop_run(frame.run);
        }
        self.frames.pop();
        let taint = if frame.run != NONE && frame.taint >= frame.run { NONE } else { frame.taint };
        if let Some(below) = self.frames.last_mut() {
            below.taint = below.taint.min(taint);
        }
        if self.runs.is_empty() {
            self.log.clear();
        }
        frame
    }

    /// Reads that a result depends on beyond its arguments, each once. To a judgment these are reads of environments that grew from its
    /// own one, of mappings that were there before; all others came with its arguments. To a function they are all: those of its caller.
    fn settle(&mut self, frame: &super::Frame, is_judgment: bool) {
        let start = frame.log as usize;
        if start == self.log.len() {
            return;
        }
        let mut known: FxHashSet<Read> = FxHashSet::default();
        let mut end = start;
        for at in start..self.log.len() {
            let mut read = self.log[at];
            if is_judgment {
                let mut above = read.env.unwrap_or(frame.env);
                // Newer environments have larger numbers than those that they grew from.
                while above > frame.env {
                    above = self.heap.binding(above).2;
                }
                if above != frame.env || read.found.is_some_and(|(_, binding)| binding > frame.env) {
                    continue;
                }
                read.env = Some(frame.env);
            }
            if known.insert(read) {
                self.log[end] = read;
                end += 1;
            }
        }
        self.log.truncate(end);
    }

    /// The newest frame has results in registers.
    pub(super) fn finish(&mut self, first: usize, count: usize) -> Step {
        for at in first..first + count {
            self.leaks(self.regs[at]);
        }
        let frame = self.leave(Ok((first, count)));
        let out = frame.out as usize;
        if self.watched.is_some()
            && let Task::Rule(judgment) = frame.task
        {
            self.note_result(judgment, frame.base as usize + 1, first);
        }
        match frame.task {
            Task::Rule(_) | Task::Function(_) | Task::Closure => {
                self.regs.copy_within(first..first + count, out);
            }
            Task::Check => {}
            Task::Global => {
                let global =
                    self.system.globals.iter().find(|(_, global)| global.value == Some(frame.routine));
                if let Some((id, _)) = global {
                    self.globals[id.index()] = Some(self.regs[first]);
                }
            }
            Task::Blame(failure) => {
                let parts = &self.regs[first..first + 4];
                let said = crate::failure::Said {
                    message: parts[0],
                    source: parts[1],
                    feature: parts[2],
                    data: parts[3],
                };
                self.failures[failure.index()].said = Some(said);
            }
            Task::Show(data) => {
                let text = match self.regs[first] {
                    Value::Text(text) => text,
                    _ => self.default_text(data),
                };
                self.shown.insert(data, text);
            }
            Task::Condition => self.condition = Some(self.regs[first] == Value::Truth(true)),
            Task::Cycle { judgment, head } => {
                let value = self.regs[first];
                if let Some(below) = self.frames.last_mut() {
                    below.taint = below.taint.min(head);
                }
                let outputs = if judgment {
                    let target = self.runs[head as usize].target;
                    self.system.judgments[JudgmentId(target)].outputs().count()
                } else {
                    1
                };
                if value == Value::Truth(false) && outputs == 0 {
                    let failure = self.failure(What::Fail, None, self.system.routines[frame.routine].span);
                    return self.raise(failure);
                }
                self.regs[out] = value;
            }
        }
        if self.frames.is_empty() { Step::Ended(Ended::Holds(Vec::new())) } else { Step::Next }
    }

    /// Goes on at the nearest alternative; frames that have none fail, too.
    pub(super) fn raise(&mut self, mut failure: FailureId) -> Step {
        loop {
            let Some(frame) = self.frames.last().copied() else { return Step::Ended(Ended::Fails(failure)) };
            if self.handlers.len() > frame.handlers as usize
                && let Some(handler) = self.handlers.pop()
            {
                self.regs[frame.base as usize + usize::from(handler.failure)] = Value::Failure(failure);
                let at = self.frames.len() - 1;
                self.frames[at].pc = handler.pc;
                if self.watched.is_some() {
                    self.note_alternative(frame.routine, handler.pc);
                }
                return Step::Next;
            }
            let routine = &self.system.routines[frame.routine];
            let (params, span) = (routine.params, routine.span);
            match frame.task {
                Task::Rule(_) => {
                    failure = self.failure(What::Rule(frame.routine), Some(failure), span);
                    self.keep_args(failure, frame.base as usize, params);
                }
                Task::Function(function) if self.system.functions[function].blame.is_some() => {
                    failure = self.failure(What::Function(function), Some(failure), span);
                    self.keep_args(failure, frame.base as usize, params);
                }
                Task::Function(_) | Task::Check | Task::Closure => {}
                Task::Blame(of) => {
                    self.leave(Err(failure));
                    self.failures[of.index()].said = Some(crate::failure::Said::default());
                    return self.go_on();
                }
                Task::Show(data) => {
                    self.leave(Err(failure));
                    let text = self.default_text(data);
                    self.shown.insert(data, text);
                    return self.go_on();
                }
                Task::Condition => {
                    self.leave(Err(failure));
                    self.condition = Some(false);
                    return self.go_on();
                }
                Task::Global => {
                    let message = format!("the value of the field `{}` fails", routine.name);
                    return Step::Ended(Ended::Broke(Breakdown { message, span }));
                }
                Task::Cycle { head, .. } => {
                    self.leave(Err(failure));
                    if let Some(below) = self.frames.last_mut() {
                        below.taint = below.taint.min(head);
                    }
                    continue;
                }
            }
            self.leave(Err(failure));
        }
    }

    fn go_on(&self) -> Step {
        if self.frames.is_empty() { Step::Ended(Ended::Holds(Vec::new())) } else { Step::Next }
    }
}
