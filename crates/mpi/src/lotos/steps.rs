//! Steps of processes: one LOTOS process for each, with the locals that are used later as parameters.

use super::behaviour::Behaviour;
use super::live::live;
use super::values::{Env, Term, Truth, bounds, term};
use super::{Context, Refusal};
use crate::lower::{View, cuts, label_name};
use crate::system::{
    ChannelReference, Event, Expr, Index, Local, LocalId, Mistake, NodeId, NodeKind, Process, ProcessId,
    Reference,
};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// How deep conditions and assignments of zero-time code may nest.
const MOST_DEPTH: usize = 100;
/// How many ways through zero-time code a step may have.
const MOST_WAYS: usize = 2000;

/// The steps of one process.
pub(super) struct Steps<'c, 'a> {
    pub context: &'c Context<'a>,
    pub process: ProcessId,
    /// Gates of all steps.
    pub gates: &'c str,
    cuts: Vec<bool>,
    live: Vec<Vec<bool>>,
    /// Names of locals as parameters.
    names: Vec<String>,
    /// Names that are used in the present definition.
    scope: FxHashSet<String>,
    ways: usize,
    found: Vec<NodeId>,
    /// Variables for which it asks whether an access is wrong.
    pub faults: FxHashSet<(ProcessId, u32)>,
}

/// A variable that a reference may mean, or all of an array.
pub(super) struct Target {
    /// When it is meant.
    pub when: Truth,
    /// As offered.
    pub name: String,
    /// It, or the first one.
    pub first: u32,
    /// All of them.
    pub all: Vec<u32>,
}

impl<'c, 'a> Steps<'c, 'a> {
    pub fn new(context: &'c Context<'a>, process: ProcessId, gates: &'c str) -> Self {
        let of = &context.system.processes[process.index()];
        let mut used = FxHashSet::default();
        let names = of.locals.iter().map(|local| {
            let mut base = label_name(&local.name);
            if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
                base.insert(0, 'X');
            }
            let mut name = base.clone();
            let mut number = 2;
            while context.names.is_taken(&name) || !used.insert(name.clone()) {
                name = format!("{base}_{number}");
                number += 1;
            }
            name
        });
        Steps {
            context,
            process,
            gates,
            cuts: cuts(of, View::Interleaved),
            live: live(of),
            names: names.collect(),
            scope: FxHashSet::default(),
            ways: 0,
            found: Vec::new(),
            faults: FxHashSet::default(),
        }
    }

    pub fn of(&self) -> &'a Process {
        &self.context.system.processes[self.process.index()]
    }

    /// The process in labels.
    pub fn me(&self) -> String {
        self.context.names.process(self.process.index())
    }

    /// The behaviour with which the process begins, and the definitions of its steps.
    pub fn define(&mut self) -> Result<(String, String), Refusal> {
        let env: Env = self.of().locals.iter().map(|local| Term::Number(local.initial)).collect();
        let begins = self.code(self.of().start, &env, false, None, 0)?;
        let mut start = String::new();
        begins.write(&mut start, 4);
        let mut text = String::new();
        let mut next = 0;
        while let Some(&node) = self.found.get(next) {
            next += 1;
            self.definition(node, &mut text)?;
        }
        Ok((start, text))
    }

    /// Whether a local has values to tell apart.
    fn varies(local: &Local) -> bool {
        local.lo < local.hi
    }

    /// The locals that a step has as parameters.
    fn parameters(&self, node: NodeId) -> Vec<usize> {
        let locals = self.of().locals.iter().enumerate();
        locals
            .filter(|&(k, local)| Self::varies(local) && self.live[node.index()][k])
            .map(|(k, _)| k)
            .collect()
    }

    fn definition(&mut self, node: NodeId, text: &mut String) -> Result<(), Refusal> {
        let of = self.of();
        self.scope.clear();
        self.ways = 0;
        let parameters = self.parameters(node);
        let mut env: Env = of.locals.iter().map(|local| Term::Number(local.initial)).collect();
        for &local in &parameters {
            let Local { lo, hi, .. } = of.locals[local];
            self.scope.insert(self.names[local].clone());
            env[local] = Term::Variable(self.names[local].clone(), lo, hi);
            self.context.values.note((i128::from(lo), i128::from(hi)));
        }
        let behaviour = self.step(node, &env)?;
        let what = self.context.system.step(of, &of.nodes[node.index()].kind);
        let what = what.split(" -> ").next().unwrap_or(&what);
        let _ = writeln!(text, "  (* {} *)", super::comment(what));
        let names: Vec<&str> = parameters.iter().map(|&local| self.names[local].as_str()).collect();
        let list = match names.is_empty() {
            true => String::new(),
            false => format!(" ({} : {})", names.join(", "), self.context.values.sort),
        };
        let _ =
            writeln!(text, "  process {}_{} [{}]{list} : noexit :=", self.plain_name(), node.0, self.gates);
        behaviour.write(text, 4);
        text.push_str("  endproc\n\n");
        Ok(())
    }

    fn plain_name(&self) -> &str {
        &self.context.names.processes[self.process.index()]
    }

    /// A name like this one that the definition does not use yet.
    pub fn fresh(&mut self, name: &str) -> String {
        let mut found = name.to_owned();
        let mut number = 2;
        while self.context.names.is_taken(&found) || !self.scope.insert(found.clone()) {
            found = format!("{name}_{number}");
            number += 1;
        }
        found
    }

    /// A name for a new value of a local.
    pub fn fresh_local(&mut self, local: LocalId) -> String {
        let name = self.names[local.index()].clone();
        self.fresh(&name)
    }

    /// What a process does that is about to take a step.
    fn step(&mut self, node: NodeId, env: &Env) -> Result<Behaviour, Refusal> {
        let of = self.of();
        let me = self.me();
        match &of.nodes[node.index()].kind {
            NodeKind::Access(_) => self.access(node, env),
            NodeKind::Work(work, next) => {
                self.code(*next, env, false, Some(&format!("WORK !{me} !{}", work.0)), 0)
            }
            NodeKind::Event(Event::Mark(mark), next) => {
                let gate = label_name(&self.context.system.marks[mark.index()]);
                self.code(*next, env, false, Some(&format!("{gate} !{me}")), 0)
            }
            NodeKind::Event(Event::Enter(place), next) => self.section(node, place, "ENTER", *next, env),
            NodeKind::Event(Event::Leave(place), next) => self.section(node, place, "LEAVE", *next, env),
            NodeKind::Event(Event::Sent(channel, content), next) => {
                self.message(node, (channel, content), "SENT", *next, env)
            }
            NodeKind::Event(Event::Received(channel, content), next) => {
                self.message(node, (channel, content), "RECEIVED", *next, env)
            }
            NodeKind::Choice(ways) => {
                let mut all = Vec::new();
                for (number, &way) in ways.iter().enumerate() {
                    all.push(self.code(
                        way,
                        env,
                        false,
                        Some(&format!("CHOICE !{me} !{}", number + 1)),
                        0,
                    )?);
                }
                Ok(Behaviour::any(all))
            }
            NodeKind::End => Ok(Behaviour::stop()),
            // The head of a loop.
            NodeKind::Assign(..) | NodeKind::Branch(..) | NodeKind::Assert(..) => {
                self.code(node, env, true, Some("i"), 0)
            }
        }
    }

    fn section(
        &mut self,
        node: NodeId,
        place: &Reference,
        gate: &str,
        next: NodeId,
        env: &Env,
    ) -> Result<Behaviour, Refusal> {
        let me = self.me();
        let (targets, conditions) = self.targets(place, env);
        let mut all = Vec::new();
        for target in targets {
            let code = self.code(next, env, false, Some(&format!("{gate} !{me} !{}", target.name)), 0)?;
            all.extend(guard(target.when, code));
        }
        Ok(self.checked(node, &conditions, Behaviour::any(all), "i"))
    }

    fn message(
        &mut self,
        node: NodeId,
        (channel, content): (&ChannelReference, &Expr),
        gate: &str,
        next: NodeId,
        env: &Env,
    ) -> Result<Behaviour, Refusal> {
        let me = self.me();
        let context = self.context;
        let content = term(content, env);
        let range = |number: u32| {
            let of = &context.system.channels[number as usize];
            (of.lo, of.hi)
        };
        let (targets, mut conditions) =
            self.targets_of(true, (channel.base.0, &channel.indices), env, &|a, b| range(a) == range(b));
        conditions.push((context.values.exists(&content), Mistake::Arithmetic));
        let mut all = Vec::new();
        for target in targets {
            let (lo, hi) = range(target.first);
            let (shown, fits) = match lo < hi {
                true => {
                    (format!(" !{}", context.values.offer(&content)), context.values.within(&content, lo, hi))
                }
                false => (String::new(), Truth::Always),
            };
            let code =
                self.code(next, env, false, Some(&format!("{gate} !{me} !{}{shown}", target.name)), 0)?;
            all.extend(guard(target.when, self.checked(node, &[(fits, Mistake::Range)], code, "i")));
        }
        Ok(self.checked(node, &conditions, Behaviour::any(all), "i"))
    }

    /// The variables that a reference may mean, and what has to hold for its indices.
    pub fn targets(&self, reference: &Reference, env: &Env) -> (Vec<Target>, Vec<(Truth, Mistake)>) {
        let variables = &self.context.system.variables;
        let range = |number: u32| {
            let of = &variables[number as usize];
            (of.lo, of.hi, of.wraps)
        };
        self.targets_of(false, (reference.base.0, &reference.indices), env, &|a, b| range(a) == range(b))
    }

    fn targets_of(
        &self,
        of_channels: bool,
        (base, indices): (u32, &[Index]),
        env: &Env,
        is_alike: &dyn Fn(u32, u32) -> bool,
    ) -> (Vec<Target>, Vec<(Truth, Mistake)>) {
        let context = self.context;
        let values: Vec<Term> = indices.iter().map(|index| term(&index.value, env)).collect();
        let mut exists = Truth::Always;
        let mut inside = Truth::Always;
        for (index, value) in indices.iter().zip(&values) {
            exists = exists.and(context.values.exists(value));
            inside = inside.and(context.values.within(value, index.lo, index.hi));
        }
        let conditions = vec![(exists, Mistake::Arithmetic), (inside, Mistake::Index)];
        let possible = crate::lower::elements(base, indices).into_iter().filter(|(_, wanted)| {
            wanted.iter().zip(&values).all(|(wanted, value)| match value {
                Term::Number(number) => number == wanted,
                _ => true,
            })
        });
        let possible: Vec<(u32, Vec<i64>)> = possible.collect();
        let name = |number: u32| match of_channels {
            true => context.names.channel(number as usize),
            false => context.names.variable(number as usize),
        };
        let Some((first, _)) = possible.first() else { return (Vec::new(), conditions) };
        if possible.len() == 1 || possible.iter().all(|(other, _)| is_alike(*first, *other)) {
            let text = match possible.len() {
                1 => name(*first),
                _ => {
                    let operands: Vec<String> =
                        values.iter().map(|value| context.values.text(value)).collect();
                    format!(
                        "{} ({})",
                        context.elements.function(of_channels, base, indices),
                        operands.join(", ")
                    )
                }
            };
            let all = possible.iter().map(|(number, _)| *number).collect();
            return (vec![Target { when: Truth::Always, name: text, first: *first, all }], conditions);
        }
        // Elements with different values are told apart by their indices.
        let each = possible.into_iter().map(|(number, wanted)| {
            let when = values.iter().zip(wanted).fold(Truth::Always, |when, (value, wanted)| {
                when.and(context.values.within(value, wanted, wanted))
            });
            Target { when, name: name(number), first: number, all: vec![number] }
        });
        (each.collect(), conditions)
    }

    /// What a process does that has made a mistake, after an action if there is one.
    pub fn fail(&self, node: NodeId, mistake: Mistake, action: Option<&str>) -> Behaviour {
        let number = self.context.mistake(self.process, node, mistake);
        let actions =
            action.map(str::to_owned).into_iter().chain([format!("ERROR !{} !{number}", self.me())]);
        Behaviour::Actions(actions.collect(), Box::new(Behaviour::stop()))
    }

    /// A behaviour under conditions, each of which may be a mistake instead.
    pub fn checked(
        &self,
        node: NodeId,
        conditions: &[(Truth, Mistake)],
        behaviour: Behaviour,
        action: &str,
    ) -> Behaviour {
        self.checked_after(node, conditions, behaviour, Some(action))
    }

    fn checked_after(
        &self,
        node: NodeId,
        conditions: &[(Truth, Mistake)],
        behaviour: Behaviour,
        action: Option<&str>,
    ) -> Behaviour {
        conditions.iter().rev().fold(behaviour, |behaviour, (holds, mistake)| match holds {
            Truth::Always => behaviour,
            Truth::Never => self.fail(node, *mistake, action),
            Truth::If(condition) => {
                let fails = self.fail(node, *mistake, action);
                Behaviour::Choice(vec![
                    Behaviour::Guard(condition.clone(), Box::new(behaviour)),
                    Behaviour::Guard(format!("not ({condition})"), Box::new(fails)),
                ])
            }
        })
    }

    /// Zero-time code from a node on, which is part of an action; the conditions of its ways stand before the action. A head of a loop is
    /// passed over if the code begins with it. Recursion is limited.
    pub fn code(
        &mut self,
        node: NodeId,
        env: &Env,
        passes: bool,
        action: Option<&str>,
        depth: usize,
    ) -> Result<Behaviour, Refusal> {
        let of = self.of();
        let context = self.context;
        if self.cuts[node.index()] && !passes {
            self.ways += 1;
            if self.ways > MOST_WAYS {
                return Err(Refusal::Ways(of.name.clone()));
            }
            let call = self.call(node, env);
            return Ok(match action {
                Some(action) => Behaviour::Actions(vec![action.to_owned()], Box::new(call)),
                None => call,
            });
        }
        if depth > MOST_DEPTH {
            return Err(Refusal::Ways(of.name.clone()));
        }
        match &of.nodes[node.index()].kind {
            NodeKind::Assign(local, expr, next) => {
                let Local { lo, hi, .. } = of.locals[local.index()];
                let value = term(expr, env);
                let conditions = [
                    (context.values.exists(&value), Mistake::Arithmetic),
                    (context.values.within(&value, lo, hi), Mistake::Range),
                ];
                if conditions.iter().any(|(holds, _)| *holds == Truth::Never) {
                    return Ok(self.checked_after(node, &conditions, Behaviour::stop(), action));
                }
                let mut env = env.clone();
                let is_simple = matches!(value, Term::Number(_) | Term::Variable(..))
                    || !self.live[next.index()][local.index()];
                let behaviour = if is_simple {
                    env[local.index()] = value;
                    self.code(*next, &env, false, action, depth + 1)?
                } else {
                    let name = self.fresh_local(*local);
                    env[local.index()] = variable(&name, &value, lo, hi);
                    let binding =
                        format!("{name} : {} = {}", context.values.sort, context.values.text(&value));
                    Behaviour::Let(binding, Box::new(self.code(*next, &env, false, action, depth + 1)?))
                };
                Ok(self.checked_after(node, &conditions, behaviour, action))
            }
            NodeKind::Assert(expr, next) => {
                let value = term(expr, env);
                let conditions = [
                    (context.values.exists(&value), Mistake::Arithmetic),
                    (context.values.holds(&value), Mistake::Assertion),
                ];
                let behaviour = self.code(*next, env, false, action, depth + 1)?;
                Ok(self.checked_after(node, &conditions, behaviour, action))
            }
            NodeKind::Branch(expr, yes, no) => {
                let value = term(expr, env);
                let holds = context.values.holds(&value);
                let mut ways = Vec::new();
                if holds != Truth::Never {
                    ways.extend(guard(holds.clone(), self.code(*yes, env, false, action, depth + 1)?));
                }
                if holds != Truth::Always {
                    let fails = context.values.fails(&value);
                    ways.extend(guard(fails, self.code(*no, env, false, action, depth + 1)?));
                }
                let conditions = [(context.values.exists(&value), Mistake::Arithmetic)];
                Ok(self.checked_after(node, &conditions, Behaviour::any(ways), action))
            }
            NodeKind::Event(_, next) => self.code(*next, env, false, action, depth + 1),
            NodeKind::Access(_) | NodeKind::Work(..) | NodeKind::Choice(_) | NodeKind::End => {
                unreachable!("steps end zero-time code")
            }
        }
    }

    /// The call of a step.
    fn call(&mut self, node: NodeId, env: &Env) -> Behaviour {
        if self.of().nodes[node.index()].kind == NodeKind::End {
            return Behaviour::stop();
        }
        if !self.found.contains(&node) {
            self.found.push(node);
        }
        let arguments: Vec<String> =
            self.parameters(node).into_iter().map(|local| self.context.values.text(&env[local])).collect();
        let list = if arguments.is_empty() { String::new() } else { format!(" ({})", arguments.join(", ")) };
        Behaviour::Text(format!("{}_{} [{}]{list}", self.plain_name(), node.0, self.gates))
    }
}

/// A variable with a value that was found to lie in a range.
pub(super) fn variable(name: &str, value: &Term, lo: i64, hi: i64) -> Term {
    let (least, greatest) = bounds(value);
    let least = i64::try_from(least.max(i128::from(lo))).unwrap_or(lo);
    let greatest = i64::try_from(greatest.min(i128::from(hi))).unwrap_or(hi);
    Term::Variable(name.to_owned(), least, greatest)
}

/// A behaviour where something holds; none where it never does.
pub(super) fn guard(when: Truth, behaviour: Behaviour) -> Option<Behaviour> {
    match when {
        Truth::Never => None,
        Truth::Always => Some(behaviour),
        Truth::If(condition) => Some(Behaviour::Guard(condition, Box::new(behaviour))),
    }
}
