//! A second opinion: a plain recursive evaluator of typed rules. It shares nothing with the machine but what it is given, the tree of
//! rules and the program: no instructions, no tables of choices, no kept results, values that are compared part by part.
//!
//! With a derivation it checks each step of it: that the rule is the one for what it is applied to, that its premises are the next steps
//! and no others, and that what it gives follows from them.

mod eval;
mod natives;
mod replay;
mod text;
pub mod value;

use std::rc::Rc;
use value::{Env, Fail, Res, Stop, V, What, broke, fail};
use volvelle_diagnostics::Sources;
use volvelle_rules::ir::{FunctionId, JudgmentId, Memo, Purpose, RoutineId, System};
use volvelle_rules::system::Program;
use volvelle_trees::{ClassId, NodeId};

/// Rules are applied at most so often.
const MOST: u64 = 400_000;

pub struct Second<'s> {
    pub system: &'s System,
    pub program: &'s Program,
    pub sources: &'s Sources,
    globals: Vec<Option<V>>,
    /// What is being asked, where that is watched: a result that depends on itself is declared.
    running: Vec<(u32, Vec<V>)>,
    replay: Option<replay::Replay<'s>>,
    applications: u64,
}

/// A check that fails: its number, the node, why, and what is told.
pub type Broken = (usize, NodeId, Rc<Fail>, Told);

impl<'s> Second<'s> {
    pub fn new(system: &'s System, program: &'s Program, sources: &'s Sources) -> Self {
        let globals = vec![None; system.globals.len()];
        Second { system, program, sources, globals, running: Vec::new(), replay: None, applications: 0 }
    }

    /// Whether a judgment holds for a node, in the empty environment.
    pub fn ask(&mut self, judgment: JudgmentId, node: NodeId) -> Res<Vec<V>> {
        self.judge(judgment, V::Env(None), vec![V::Node(node)])
    }

    /// Makes all checks: what fails, in the order of checks.
    pub fn check_all(&mut self) -> Res<Vec<Broken>> {
        let mut found = Vec::new();
        for node in self.program.tree.nodes().skip(self.program.first.index()) {
            for (number, &check) in self.system.checks.iter().enumerate() {
                let Purpose::Check(class) = self.system.routines[check].purpose else { continue };
                if !self.system.universe.is_kind(self.program.tree.class(node), class) {
                    continue;
                }
                self.running.clear();
                match self.run(check, vec![V::Node(node)]) {
                    Ok(_) => {}
                    Err(Stop::Fail(failure)) => {
                        let told = self.tell(&failure)?;
                        found.push((number, node, failure, told));
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        found.sort_by_key(|(number, node, ..)| (*number, *node));
        Ok(found)
    }

    fn judge(&mut self, id: JudgmentId, env: V, inputs: Vec<V>) -> Res<Vec<V>> {
        let judgment = &self.system.judgments[id];
        if !matches!(env, V::Env(_)) {
            return value::told("access to null environment".to_owned());
        }
        if inputs.contains(&V::Null) {
            return Err(fail(What::Null, Vec::new(), None));
        }
        let mut args = vec![env];
        args.extend(inputs);
        let outputs = judgment.outputs().count();
        self.guarded(id.0, judgment.memo, &judgment.name, outputs, args, |second, args| {
            let Some(rule) = second.nearest(&judgment.rules, &args[1..]) else {
                return Err(fail(What::NoRule(id), args, None));
            };
            second.step(rule, args.clone()).map_err(|stop| match stop {
                Stop::Fail(cause) => fail(What::Rule(rule), args, Some(cause)),
                other => other,
            })
        })
    }

    fn call(&mut self, id: FunctionId, args: Vec<V>) -> Res<V> {
        let function = &self.system.functions[id];
        let target = self.system.judgments.len() as u32 + id.0;
        let results = self.guarded(target, function.memo, &function.name, 1, args, |second, args| {
            if args.contains(&V::Null) {
                return Err(fail(What::Null, Vec::new(), None));
            }
            let Some(body) = second.nearest(&function.bodies, &args) else {
                return Err(fail(What::NoBody(id), args, None));
            };
            second.step(body, args.clone()).map_err(|stop| match stop {
                Stop::Fail(cause) if function.blame.is_some() => fail(What::Function(id), args, Some(cause)),
                other => other,
            })
        });
        Ok(results?.swap_remove(0))
    }

    /// Runs a judgment or function; within itself, what is declared stands for it.
    fn guarded(
        &mut self,
        target: u32,
        memo: Memo,
        name: &str,
        outputs: usize,
        args: Vec<V>,
        run: impl FnOnce(&mut Self, Vec<V>) -> Res<Vec<V>>,
    ) -> Res<Vec<V>> {
        self.applications += 1;
        if self.applications > MOST {
            return Err(Stop::Spent);
        }
        if !memo.watches() {
            return run(self, args);
        }
        if self.running.iter().any(|(other, known)| *other == target && *known == args) {
            let Some(cycle) = memo.cycle else {
                return broke(&format!("`{name}` asks for itself"));
            };
            let value = self.silently(|second| second.run(cycle, args))?.swap_remove(0);
            return match outputs {
                0 if value == V::Truth(false) => Err(fail(What::Fail, Vec::new(), None)),
                0 => Ok(Vec::new()),
                _ => Ok(vec![value]),
            };
        }
        self.running.push((target, args.clone()));
        let result = run(self, args);
        self.running.pop();
        result
    }

    /// The one of several rules or bodies that is nearest to the classes of values: of those that accept all of them, the one that is
    /// before each other one.
    fn nearest(&self, all: &[RoutineId], args: &[V]) -> Option<RoutineId> {
        let system = self.system;
        let fits = |&routine: &RoutineId| {
            let accepts = system.routines[routine].accepts.iter();
            accepts.zip(args).all(|(wanted, arg)| wanted.is_none_or(|wanted| self.is(arg, wanted)))
        };
        let fit: Vec<RoutineId> = all.iter().copied().filter(fits).collect();
        let first = |one: RoutineId| fit.iter().all(|&other| one == other || self.is_before(one, other));
        let mut best = fit.iter().copied().filter(|&one| first(one));
        best.next()
    }

    /// At the first place where classes are related and differ the smaller one decides, then the system.
    fn is_before(&self, one: RoutineId, other: RoutineId) -> bool {
        let (one, other) = (&self.system.routines[one], &self.system.routines[other]);
        let kind = |a: Option<ClassId>, b: Option<ClassId>| match (a, b) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => self.system.universe.is_kind(a, b),
        };
        for (&a, &b) in one.accepts.iter().zip(&other.accepts) {
            match (kind(a, b), kind(b, a)) {
                (true, false) => return true,
                (false, true) => return false,
                _ => {}
            }
        }
        one.level > other.level
    }

    fn is(&self, value: &V, class: ClassId) -> bool {
        self.class(value).is_some_and(|own| self.system.universe.is_kind(own, class))
    }

    fn class(&self, value: &V) -> Option<ClassId> {
        let common = &self.system.universe.common;
        Some(match value {
            V::Null => return None,
            V::Truth(_) => common.truth,
            V::Number(_) => common.number,
            V::Text(_) => common.text,
            V::Node(node) => self.program.tree.class(*node),
            V::Data(class, _) => *class,
            V::List(_) => common.list,
            V::Env(_) => common.env,
            V::Failure(_) => common.failure,
            V::Map(_) => common.map,
            V::Closure(..) => common.function,
        })
    }

    /// Runs what is no premise.
    fn silently<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let replay = self.replay.take();
        let result = run(self);
        self.replay = replay;
        result
    }

    /// The results of a routine.
    fn run(&mut self, routine: RoutineId, args: Vec<V>) -> Res<Vec<V>> {
        let written = &self.system.routines[routine];
        let mut locals = args;
        locals.resize(written.locals.max(locals.len()), V::Null);
        if let Some(body) = &written.body {
            self.eval(body, &mut locals)?;
        }
        let mut results = Vec::new();
        for (result, class) in written.results.iter().zip(&written.classes) {
            let value = self.eval(result, &mut locals)?;
            if let Some(class) = *class {
                self.assignable(&value, class)?;
            }
            results.push(value);
        }
        Ok(results)
    }

    fn assignable(&mut self, value: &V, class: ClassId) -> Res<()> {
        if *value != V::Null && !self.is(value, class) {
            let name = &self.system.universe.classes.class(class).name;
            let text = self.text_of(value)?;
            return value::told(format!("{text} cannot be assigned to {name}"));
        }
        Ok(())
    }
}

/// The innermost rule of a failure, its data, and the messages of its levels.
pub type Told = (Option<String>, Option<String>, Vec<String>);

/// Mappings of an environment.
fn env_of(value: V) -> Res<Env> {
    match value {
        V::Env(env) => Ok(env),
        _ => value::told("access to null environment".to_owned()),
    }
}

/// Runs on a stack that is large enough for a recursive evaluator.
pub fn deep<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 30);
        let running = thread.spawn_scoped(scope, run).expect("there is a thread");
        match running.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
