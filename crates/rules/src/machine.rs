//! The machine that applies rules: registers, frames on a stack of its own, alternatives, failures, results that are kept.
//!
//! Nothing that a rule file or a program does uses the stack of the host: a rule in a rule is a frame in a vector.

mod calls;
mod derivation;
mod exact;
mod natives;
mod outcome;
mod said;
mod show;
mod watch;

pub use crate::steps::{About, Step as Derived, Verdict};
pub use crate::watch::{Applied, Watch};
pub use outcome::{Breakdown, Ended, Limits, Statistics};
pub use said::Told;

use crate::code::{Code, Op};
use crate::failure::{Failure, Said, What};
use crate::ir::{Arithmetic, FunctionId, Judgment, JudgmentId, RoutineId, System};
use crate::language::Host;
use crate::memo::{Memo, Place, Read};
use crate::value::{DataId, EnvId, FailureId, Heap, SequenceId, Value};
use crate::watch::Watched;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_trees::{ClassId, Slot, Symbol, Tree};

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Rule(JudgmentId),
    Function(FunctionId),
    Check,
    Closure,
    Global,
    /// Says what is to be said about a failure.
    Blame(FailureId),
    /// Gives the text of data.
    Show(DataId),
    Condition,
    /// Gives what stands for a judgment or function within itself, of which the number of its run is given.
    Cycle {
        judgment: bool,
        head: u32,
    },
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    routine: RoutineId,
    task: Task,
    pc: u32,
    base: u32,
    /// Where results go.
    out: u32,
    /// Alternatives of the frames below.
    handlers: u32,
    /// Number of its run among those that are kept or watched; NONE otherwise.
    run: u32,
    /// What was read before.
    log: u32,
    env: EnvId,
    /// The outermost run that its results depend on while that is not finished.
    taint: u32,
}

#[derive(Clone, Copy, Debug)]
struct Handler {
    pc: u32,
    failure: u16,
}

/// A judgment or function that runs and whose result is kept, or which must not meet itself.
#[derive(Clone, Copy, Debug)]
struct Run {
    target: u32,
    place: Place,
    /// The newest entry at the place.
    newest: u32,
    args: u32,
    env: EnvId,
    effects: u64,
    /// The run before it at the same place.
    below: u32,
    keeps: bool,
}

const NONE: u32 = u32::MAX;

/// Limits are looked at after so many instructions.
const TICKS: u32 = 1 << 14;

/// Why a run stops that must be made again.
const AGAIN: &str = "exact messages";

/// Frames are not more than this.
const MOST_FRAMES: usize = 20_000_000;

/// Applies the rules of a system to a program.
pub struct Machine<'s> {
    pub(crate) system: &'s System,
    codes: &'s [Code],
    pub(crate) tree: &'s Tree,
    host: Option<&'s dyn Host>,
    source: &'s dyn Fn(Span) -> &'s str,
    limits: Limits<'s>,
    /// Whether results are kept.
    caches: bool,
    /// Values.
    pub heap: Heap,
    /// Lists of the tree that were read.
    lists: Vec<Option<SequenceId>>,
    regs: Vec<Value>,
    frames: Vec<Frame>,
    handlers: Vec<Handler>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) failure_args: Vec<Value>,
    globals: Vec<Option<Value>>,
    memo: Memo,
    runs: Vec<Run>,
    run_args: Vec<Value>,
    log: Vec<Read>,
    /// Changes of fields and maps, and reads of them: a result that depends on them is not kept.
    effects: u64,
    /// The same when the question was asked.
    before: u64,
    /// Whether failures are not taken from other environments.
    is_exact: bool,
    /// What is noted, where somebody asks.
    pub(crate) watched: Option<Box<Watched>>,
    condition: Option<bool>,
    /// What a rule did that has no meaning.
    broken: String,
    shown: FxHashMap<DataId, Symbol>,
    named: FxHashMap<(ClassId, Symbol), Vec<volvelle_trees::NodeId>>,
    is_named: bool,
    statistics: Statistics,
    /// Instructions since they were counted.
    ticks: u32,
}

/// What an instruction asks for beyond the next one.
enum Step {
    Next,
    Ended(Ended),
}

type Flow = Result<(), Trouble>;

/// Why an instruction does not give its result. It is small, since most instructions give one.
#[derive(Clone, Copy)]
enum Trouble {
    Failed(FailureId),
    /// What it did is in `Machine::broken`.
    Broke,
    /// The limit of memory was reached.
    Stopped,
    /// What is said must be of this environment: the question is asked again.
    Inexact,
    /// A frame was pushed whose result the instruction needs; it runs again.
    Again,
}

impl<'s> Machine<'s> {
    /// A machine for a program, whose texts and those of the system are in `heap`.
    #[expect(clippy::too_many_arguments, reason = "these are what it works on")]
    pub fn new(
        system: &'s System,
        codes: &'s [Code],
        tree: &'s Tree,
        host: Option<&'s dyn Host>,
        source: &'s dyn Fn(Span) -> &'s str,
        heap: Heap,
        limits: Limits<'s>,
        caches: bool,
    ) -> Self {
        Machine {
            system,
            codes,
            tree,
            host,
            source,
            limits,
            caches,
            heap,
            lists: Vec::new(),
            regs: Vec::new(),
            frames: Vec::new(),
            handlers: Vec::new(),
            failures: Vec::new(),
            failure_args: Vec::new(),
            globals: vec![None; system.globals.len()],
            memo: Memo::new(tree.len(), system.judgments.len() + system.functions.len()),
            runs: Vec::new(),
            run_args: Vec::new(),
            log: Vec::new(),
            effects: 0,
            before: 0,
            is_exact: false,
            watched: None,
            condition: None,
            broken: String::new(),
            shown: FxHashMap::default(),
            named: FxHashMap::default(),
            is_named: false,
            statistics: Statistics::default(),
            ticks: 0,
        }
    }

    /// Whether a judgment holds for inputs, in the empty environment.
    pub fn ask(&mut self, judgment: JudgmentId, inputs: &[Value]) -> Ended {
        self.told_exactly(|machine| machine.ask_once(judgment, inputs))
    }

    fn ask_once(&mut self, judgment: JudgmentId, inputs: &[Value]) -> Ended {
        self.clear();
        self.regs.push(Value::Env(EnvId::EMPTY));
        self.regs.extend_from_slice(inputs);
        let out = self.regs.len();
        let outputs = self.system.judgments[judgment].outputs().count();
        self.regs.resize(out + outputs.max(1), Value::Null);
        let above = self.regs.len();
        // There is no instruction to run again: the questions before the first frame are asked until none is left.
        loop {
            match self.begin_ask(judgment, 0, out, above) {
                Ok(()) if self.frames.is_empty() => break,
                Ok(()) => match self.go() {
                    Ended::Holds(_) => break,
                    other => return other,
                },
                Err(Trouble::Again) => match self.go() {
                    Ended::Holds(_) => {}
                    other => return other,
                },
                Err(Trouble::Failed(failure)) => return Ended::Fails(failure),
                Err(Trouble::Stopped) => return Ended::Stopped("memory"),
                Err(Trouble::Inexact) => return Ended::Stopped(AGAIN),
                Err(Trouble::Broke) => {
                    let message = std::mem::take(&mut self.broken);
                    let span = self.system.judgments[judgment].span;
                    return Ended::Broke(Breakdown { message, span });
                }
            }
        }
        Ended::Holds(self.regs[out..out + outputs].to_vec())
    }

    /// Makes a check on a node.
    pub fn check(&mut self, check: RoutineId, node: volvelle_trees::NodeId) -> Ended {
        self.told_exactly(|machine| {
            machine.clear();
            machine.regs.push(Value::Node(node));
            machine.push_frame(check, Task::Check, 0, 1, 0, EnvId::EMPTY, NONE, 1);
            machine.go()
        })
    }

    /// What was done.
    pub fn statistics(&self) -> Statistics {
        let instructions = self.statistics.instructions + u64::from(self.ticks);
        Statistics { instructions, ..self.statistics }
    }

    fn clear(&mut self) {
        self.regs.clear();
        self.frames.clear();
        self.handlers.clear();
        // Where a question broke off, its runs are still at their places; the first at a place is left last.
        while let Some(run) = self.runs.pop() {
            self.memo.set(run.place, run.newest);
        }
        self.run_args.clear();
        self.log.clear();
        self.condition = None;
        self.forget_steps();
    }

    /// A frame of a routine, whose arguments are in registers from `first`.
    #[allow(clippy::too_many_arguments, reason = "a frame consists of this")]
    fn push_frame(
        &mut self,
        routine: RoutineId,
        task: Task,
        first: usize,
        count: usize,
        out: usize,
        env: EnvId,
        run: u32,
        base: usize,
    ) {
        if self.watched.is_some() {
            self.note_routine(routine);
            self.note_begin(routine, task, first, count);
        }
        let registers = self.codes[routine.index()].registers as usize;
        if self.regs.len() < base + registers {
            self.regs.resize((base + registers).next_power_of_two(), Value::Null);
        }
        self.regs.copy_within(first..first + count, base);
        // Others are written before they are read.
        let locals = self.codes[routine.index()].locals as usize;
        if count < locals {
            self.regs[base + count..base + locals].fill(Value::Null);
        }
        self.frames.push(Frame {
            routine,
            task,
            pc: 0,
            base: base as u32,
            out: out as u32,
            handlers: self.handlers.len() as u32,
            run,
            log: self.log.len() as u32,
            env,
            taint: NONE,
        });
    }

    /// Runs until all frames are done.
    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    fn go(&mut self) -> Ended {
        'frames: loop {
            let Some(&Frame { routine, base, pc, .. }) = self.frames.last() else {
                return Ended::Holds(Vec::new());
            };
            let codes = self.codes;
            let code = &codes[routine.index()];
            let base = base as usize;
            let mut pc = pc as usize;
            let depth = self.frames.len();
            loop {
                self.ticks += 1;
                if self.ticks >= TICKS {
                    self.statistics.instructions += u64::from(self.ticks);
                    self.ticks = 0;
                    if let Some(why) = self.exhausted() {
                        return Ended::Stopped(why);
                    }
                }
                let op = code.ops[pc];
                let next = pc + 1;
                let flow = match op {
                    Op::Jump { to } => {
                        pc = to as usize;
                        continue;
                    }
                    Op::Move { to, from } => {
                        self.regs[base + usize::from(to)] = self.regs[base + usize::from(from)];
                        pc = next;
                        continue;
                    }
                    Op::Const { to, value } => {
                        self.regs[base + usize::from(to)] = value;
                        pc = next;
                        continue;
                    }
                    Op::JumpIf { condition, to } => {
                        pc = if self.regs[base + usize::from(condition)] == Value::Truth(true) {
                            to as usize
                        } else {
                            next
                        };
                        continue;
                    }
                    Op::JumpUnless { condition, to } => {
                        pc = if self.regs[base + usize::from(condition)] != Value::Truth(true) {
                            to as usize
                        } else {
                            next
                        };
                        continue;
                    }
                    Op::JumpIs { value, class, when, to } => {
                        pc = if self.is(self.regs[base + usize::from(value)], class) == when {
                            to as usize
                        } else {
                            next
                        };
                        continue;
                    }
                    Op::JumpSame { value, when, constant, to } => {
                        pc = if (self.regs[base + usize::from(value)] == constant) == when {
                            to as usize
                        } else {
                            next
                        };
                        continue;
                    }
                    Op::JumpEqual { a, b, when, to } => {
                        let a = self.leaks(self.regs[base + usize::from(a)]);
                        let b = self.leaks(self.regs[base + usize::from(b)]);
                        let is_equal = a == b || self.heap.same(a) == self.heap.same(b);
                        pc = if is_equal == when { to as usize } else { next };
                        continue;
                    }
                    Op::JumpUnlessNull { value, to } => {
                        pc = if self.regs[base + usize::from(value)] != Value::Null {
                            to as usize
                        } else {
                            next
                        };
                        continue;
                    }
                    Op::Item { to, list, number, behind } => {
                        match (self.regs[base + usize::from(list)], self.regs[base + usize::from(number)]) {
                            (Value::List(list), Value::Number(at)) => {
                                pc = match self.heap.items(list).get(at as usize) {
                                    Some(&item) => {
                                        self.regs[base + usize::from(to)] = item;
                                        self.regs[base + usize::from(number)] = Value::Number(at + 1);
                                        next
                                    }
                                    None => behind as usize,
                                };
                                continue;
                            }
                            _ => Err(self.broke("the list is null")),
                        }
                    }
                    Op::Try { handler, failure } => {
                        if self.watched.is_some() {
                            self.note_alternative(routine, pc as u32);
                        }
                        self.handlers.push(Handler { pc: handler, failure });
                        pc = next;
                        continue;
                    }
                    Op::EndTry => {
                        self.handlers.pop();
                        pc = next;
                        continue;
                    }
                    Op::Ask { to, judgment, first } => {
                        self.frames[depth - 1].pc = next as u32;
                        let above = base + code.registers as usize;
                        self.begin_ask(judgment, base + usize::from(first), base + usize::from(to), above)
                    }
                    Op::Call { to, function, first } => {
                        self.frames[depth - 1].pc = next as u32;
                        let above = base + code.registers as usize;
                        self.begin_call(function, base + usize::from(first), base + usize::from(to), above)
                    }
                    Op::Invoke { to, first, count } => {
                        self.frames[depth - 1].pc = next as u32;
                        let above = base + code.registers as usize;
                        self.begin_invoke(
                            base + usize::from(first),
                            usize::from(count),
                            base + usize::from(to),
                            above,
                        )
                    }
                    Op::Return { first, count } => {
                        match self.finish(base + usize::from(first), usize::from(count)) {
                            Step::Next => continue 'frames,
                            Step::Ended(ended) => return ended,
                        }
                    }
                    _ => match self.simple(op, base, base + code.registers as usize, code.spans[pc]) {
                        Ok(()) => {
                            pc = next;
                            continue;
                        }
                        Err(trouble) => Err(trouble),
                    },
                };
                match flow {
                    Ok(()) => {
                        if self.frames.len() != depth {
                            continue 'frames;
                        }
                        pc = next;
                    }
                    Err(Trouble::Again) => {
                        self.frames[depth - 1].pc = pc as u32;
                        continue 'frames;
                    }
                    Err(Trouble::Failed(failure)) => match self.raise(failure) {
                        Step::Next => continue 'frames,
                        Step::Ended(ended) => return ended,
                    },
                    Err(Trouble::Stopped) => return Ended::Stopped("memory"),
                    Err(Trouble::Inexact) => return Ended::Stopped(AGAIN),
                    Err(Trouble::Broke) => {
                        let message = std::mem::take(&mut self.broken);
                        return Ended::Broke(Breakdown { message, span: code.spans[pc] });
                    }
                }
            }
        }
    }

    fn exhausted(&self) -> Option<&'static str> {
        if (self.limits.stop)() {
            return Some("time");
        }
        let bytes = self.heap.bytes()
            + self.memo.bytes()
            + self.regs.capacity() * 8
            + self.frames.capacity() * size_of::<Frame>()
            + self.failures.len() * size_of::<Failure>()
            + self.failure_args.len() * 8
            + self.noted_bytes();
        if bytes > self.limits.bytes {
            return Some("memory");
        }
        (self.frames.len() > MOST_FRAMES).then_some("depth")
    }

    /// Instructions that only compute. It belongs to the loop of [`Machine::go`].
    #[expect(clippy::inline_always, reason = "one jump for each instruction, not two")]
    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    fn simple(&mut self, op: Op, base: usize, above: usize, span: Span) -> Flow {
        let at = |reg: u16| base + usize::from(reg);
        let result = match op {
            Op::Const { to, value } => (to, value),
            Op::Move { to, from } => (to, self.regs[at(from)]),
            Op::Global { to, global } => {
                if self.system.globals[global].is_var {
                    self.effects += 1;
                }
                match (self.globals[global.index()], self.system.globals[global].value) {
                    (Some(value), _) => (to, value),
                    (None, None) => (to, Value::Null),
                    (None, Some(routine)) => {
                        self.push_frame(
                            routine,
                            Task::Global,
                            above,
                            0,
                            above,
                            EnvId::EMPTY,
                            NONE,
                            above + 1,
                        );
                        return Err(Trouble::Again);
                    }
                }
            }
            Op::SetGlobal { global, from } => {
                self.effects += 1;
                let value = self.leaks(self.regs[at(from)]);
                self.globals[global.index()] = Some(value);
                return Ok(());
            }
            Op::Bind { to, env, key, value } => {
                let key = self.heap.same(self.regs[at(key)]);
                let value = self.leaks(self.regs[at(value)]);
                let value = self.heap.same(value);
                match self.regs[at(env)] {
                    Value::Env(env) => (to, Value::Env(self.heap.bind(env, key, value))),
                    _ => return self.fail_with("access to null environment", span),
                }
            }
            Op::Over { to, below, above } => match (self.regs[at(below)], self.regs[at(above)]) {
                (Value::Env(below), Value::Env(above)) => {
                    let above_value = self.leaks(Value::Env(above));
                    debug_assert_eq!(above_value, Value::Env(above));
                    (to, Value::Env(self.heap.over(below, above)))
                }
                _ => return self.fail_with("access to null environment", span),
            },
            Op::Lookup { to, env, key, class } => {
                let key = self.heap.same(self.regs[at(key)]);
                let Value::Env(env) = self.regs[at(env)] else {
                    return self.fail_with("access to null environment", span);
                };
                let binding = self.heap.find(env, key);
                let found = binding.map(|binding| (self.heap.binding(binding).1, binding));
                if !self.runs.is_empty() {
                    self.log.push(Read { env: Some(env), key: Some(key), found });
                }
                let Some((value, _)) = found else {
                    let key = self.text_of(key, above)?;
                    let message = format!("no mapping in the environment for: {}", self.heap.texts.text(key));
                    return self.fail_with(&message, span);
                };
                if let Some(class) = class
                    && !self.is(value, class)
                {
                    let text = self.text_of(value, above)?;
                    let message = format!(
                        "mapped value {} cannot be assigned to {}",
                        self.heap.texts.text(text),
                        self.system.universe.classes.class(class).name
                    );
                    return self.fail_with(&message, span);
                }
                (to, value)
            }
            Op::List { to, first, count } => {
                let first = at(first);
                for reg in first..first + usize::from(count) {
                    self.leaks(self.regs[reg]);
                }
                (to, Value::List(self.heap.list(&self.regs[first..first + usize::from(count)])))
            }
            Op::Append { to, list, item } => match self.regs[at(list)] {
                Value::List(list) => {
                    let item = self.leaks(self.regs[at(item)]);
                    (to, Value::List(self.heap.append(list, item)))
                }
                _ => return Err(self.broke("the list is null")),
            },
            Op::Join { to, a, b } => match (self.regs[at(a)], self.regs[at(b)]) {
                (Value::List(a), Value::List(b)) => {
                    let items: Vec<Value> =
                        self.heap.items(a).iter().chain(self.heap.items(b)).copied().collect();
                    (to, Value::List(self.heap.list(&items)))
                }
                _ => return Err(self.broke("a list is null")),
            },
            Op::Field { to, on, field, safe } => match self.regs[at(on)] {
                Value::Null if safe => (to, Value::Null),
                Value::Node(node) => match self.system.universe.classes.place(self.tree.class(node), field) {
                    Some(place) => {
                        let slot = self.tree.slot(node, place);
                        (to, self.slot_value(slot))
                    }
                    None => return Err(self.no_field(field)),
                },
                Value::Data(data) => {
                    match self.system.universe.classes.place(self.heap.class_of(data), field) {
                        Some(place) => (to, self.heap.fields_of(data)[place]),
                        None => return Err(self.no_field(field)),
                    }
                }
                _ => return Err(self.no_field(field)),
            },
            Op::Half { to, on, second } => match self.regs[at(on)] {
                Value::Data(pair) => (to, self.heap.fields_of(pair)[usize::from(second)]),
                _ => return Err(self.broke("the pair is null")),
            },
            Op::Native { to, function, first, count } => {
                let value = self.native(function, at(first), usize::from(count), above)?;
                (to, value)
            }
            Op::Host { to, function, first, count } => {
                let first = at(first);
                let args = &self.regs[first..first + usize::from(count)];
                let value = match self.host {
                    Some(host) => host.call(usize::from(function), self.tree, &mut self.heap, args),
                    None => return Err(self.broke("the language has no functions")),
                };
                (to, value)
            }
            Op::Make { to, class, first, count } => {
                let first = at(first);
                for reg in first..first + usize::from(count) {
                    self.leaks(self.regs[reg]);
                }
                (to, self.heap.data(class, &self.regs[first..first + usize::from(count)]))
            }
            Op::NewMap { to } => {
                self.effects += 1;
                (to, self.heap.map())
            }
            Op::Closure { to, routine, first, count } => {
                let first = at(first);
                let captured: Vec<Value> = self.regs[first..first + usize::from(count)].to_vec();
                for &value in &captured {
                    self.leaks(value);
                }
                (to, self.heap.closure(routine.0, &captured))
            }
            Op::Is { to, value, class } => (to, Value::Truth(self.is(self.regs[at(value)], class))),
            Op::Cast { value, class } => {
                let value = self.regs[at(value)];
                if value != Value::Null && !self.is(value, class) {
                    let text = self.text_of(value, above)?;
                    let message = format!(
                        "{} cannot be assigned to {}",
                        self.heap.texts.text(text),
                        self.system.universe.classes.class(class).name
                    );
                    return self.fail_with(&message, span);
                }
                return Ok(());
            }
            Op::Not { to, value } => (to, Value::Truth(self.regs[at(value)] != Value::Truth(true))),
            Op::Equal { to, a, b } => {
                let (a, b) = (self.leaks(self.regs[at(a)]), self.leaks(self.regs[at(b)]));
                (to, Value::Truth(self.heap.same(a) == self.heap.same(b)))
            }
            Op::Less { to, a, b } => {
                let (a, b) = self.numbers(at(a), at(b))?;
                (to, Value::Truth(a < b))
            }
            Op::AtMost { to, a, b } => {
                let (a, b) = self.numbers(at(a), at(b))?;
                (to, Value::Truth(a <= b))
            }
            Op::Arithmetic { to, operation, a, b } => {
                let (a, b) = self.numbers(at(a), at(b))?;
                let value = match operation {
                    Arithmetic::Add => a.checked_add(b),
                    Arithmetic::Subtract => a.checked_sub(b),
                    Arithmetic::Multiply => a.checked_mul(b),
                    Arithmetic::Divide => a.checked_div(b),
                    Arithmetic::Modulo => a.checked_rem(b),
                };
                match value {
                    Some(value) => (to, self.heap.number(value)),
                    None if b == 0 => return self.fail_with("division by zero", span),
                    None => return self.fail_with("a number of more than 64 bits", span),
                }
            }
            Op::Concat { to, a, b } => {
                let a = self.text_of(self.regs[at(a)], above)?;
                let b = self.text_of(self.regs[at(b)], above)?;
                let (a, b) = (self.heap.texts.text(a), self.heap.texts.text(b));
                if a.len() + b.len() > self.limits.bytes / 4 {
                    return Err(Trouble::Stopped);
                }
                let text = format!("{a}{b}");
                (to, self.heap.text(&text))
            }
            Op::NotNull { value, function } => {
                if self.regs[at(value)] != Value::Null {
                    return Ok(());
                }
                let span = self.system.functions[function].span;
                return Err(Trouble::Failed(self.failure(What::Null, None, span)));
            }
            Op::Premise { condition, text } => {
                if self.regs[at(condition)] == Value::Truth(true) {
                    return Ok(());
                }
                return Err(Trouble::Failed(self.failure(What::Premise(text), None, span)));
            }
            Op::Fail { first } => {
                let failure = self.failure(if first.is_some() { What::Said } else { What::Fail }, None, span);
                if let Some(first) = first {
                    let parts = &self.regs[at(first)..at(first) + 4];
                    let said =
                        Said { message: parts[0], source: parts[1], feature: parts[2], data: parts[3] };
                    self.failures[failure.index()].said = Some(said);
                }
                return Err(Trouble::Failed(failure));
            }
            Op::Jump { .. }
            | Op::JumpIf { .. }
            | Op::JumpUnless { .. }
            | Op::JumpIs { .. }
            | Op::JumpSame { .. }
            | Op::JumpEqual { .. }
            | Op::JumpUnlessNull { .. }
            | Op::Item { .. }
            | Op::Try { .. }
            | Op::EndTry
            | Op::Ask { .. }
            | Op::Call { .. }
            | Op::Invoke { .. }
            | Op::Return { .. } => return Ok(()),
        };
        self.regs[base + usize::from(result.0)] = result.1;
        Ok(())
    }

    /// An environment that becomes part of a value: whoever has it has read all of it.
    fn leaks(&mut self, value: Value) -> Value {
        if let Value::Env(env) = value
            && env != EnvId::EMPTY
            && !self.runs.is_empty()
        {
            self.log.push(Read { env: Some(env), key: None, found: None });
        }
        value
    }

    /// A rule did what has no meaning.
    #[cold]
    fn broke(&mut self, what: impl Into<String>) -> Trouble {
        self.broken = what.into();
        Trouble::Broke
    }

    #[cold]
    fn no_field(&mut self, field: volvelle_trees::FieldId) -> Trouble {
        let name = self.system.universe.classes.field_name(field);
        self.broke(format!("the value of which `{name}` is asked is null"))
    }

    fn numbers(&mut self, a: usize, b: usize) -> Result<(i64, i64), Trouble> {
        match (self.heap.as_number(self.regs[a]), self.heap.as_number(self.regs[b])) {
            (Some(a), Some(b)) => Ok((a, b)),
            _ => Err(self.broke("a number is null")),
        }
    }

    fn slot_value(&mut self, slot: Slot) -> Value {
        match slot {
            Slot::Nothing => Value::Null,
            Slot::Flag(flag) => Value::Truth(flag),
            Slot::Text(text) => Value::Text(text),
            Slot::Node(node) => Value::Node(node),
            Slot::List(list) => {
                if self.lists.len() <= list.index() {
                    self.lists.resize(self.tree.list_count(), None);
                }
                let heap = &mut self.heap;
                let read = self.lists[list.index()].get_or_insert_with(|| {
                    let items: Vec<Value> =
                        self.tree.items(list).iter().map(|item| plain(item.slot)).collect();
                    heap.list(&items)
                });
                Value::List(*read)
            }
        }
    }

    /// The class of a value; null has none.
    pub(crate) fn class(&self, value: Value) -> Option<ClassId> {
        let common = &self.system.universe.common;
        Some(match value {
            Value::Null => return None,
            Value::Truth(_) => common.truth,
            Value::Number(_) | Value::Wide(_) => common.number,
            Value::Text(_) => common.text,
            Value::Node(node) => self.tree.class(node),
            Value::Data(data) => self.heap.class_of(data),
            Value::List(_) => common.list,
            Value::Env(_) => common.env,
            Value::Failure(_) => common.failure,
            Value::Map(_) => common.map,
            Value::Closure(_) => common.function,
        })
    }

    fn is(&self, value: Value, class: ClassId) -> bool {
        self.class(value).is_some_and(|own| self.system.universe.is_kind(own, class))
    }

    fn failure(&mut self, what: What, cause: Option<FailureId>, span: Span) -> FailureId {
        let id = FailureId::from_index(self.failures.len());
        let none = self.failure_args.len() as u32;
        self.failures.push(Failure { what, args: (none, none), cause, said: None, span, is_borrowed: false });
        id
    }

    fn fail_with(&mut self, message: &str, span: Span) -> Flow {
        let text = self.heap.texts.intern(message);
        Err(Trouble::Failed(self.failure(What::Value(text), None, span)))
    }

    pub(crate) fn judgment(&self, id: JudgmentId) -> &'s Judgment {
        &self.system.judgments[id]
    }
}

fn plain(slot: Slot) -> Value {
    match slot {
        Slot::Flag(flag) => Value::Truth(flag),
        Slot::Text(text) => Value::Text(text),
        Slot::Node(node) => Value::Node(node),
        Slot::Nothing | Slot::List(_) => Value::Null,
    }
}
