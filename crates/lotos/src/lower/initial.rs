//! The first actions of a behaviour: the operational semantics of ISO 8807 (section 7.5), with values left open.
//!
//! Processes are replaced by their bodies, and parallel operators expanded. Exchanged values are the places
//! [`Place::Offered`](volvelle_model::Place) of the step.

use super::config::{Calls, Config, Constants, Env, Gate, differ};
use super::{Lowering, Reported};
use crate::core::{Exit, NodeId, NodeKind, Offer, ProcessId, Sync};
use crate::data::builtin::Builtin;
use crate::data::{BOOL, ExpressionId, ExpressionKind, Meaning, SortId, VariableId};
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::{BinaryOp, ExprId, Type};
use volvelle_model::{Domain, Item, Place};

/// What an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Signal {
    Internal,
    /// The successful end.
    Ended,
    Gate(Gate),
}

/// A first action.
#[derive(Clone, Debug)]
pub(super) struct Initial {
    pub signal: Signal,
    pub guard: ExprId,
    pub items: Vec<(Item, SortId)>,
    /// What follows, in terms of the state before the step and of the exchanged values.
    pub next: Config,
    /// The action in the text.
    pub node: NodeId,
}

/// First actions of one behaviour.
const MOST_INITIALS: usize = 1 << 14;
/// Nesting of behaviours, through processes.
const DEEPEST: usize = 600;

impl Lowering<'_> {
    /// The first actions. `path`: the processes that were replaced on the way.
    pub fn initials(&mut self, config: &Config, path: &mut Calls) -> Result<Vec<Initial>, Reported> {
        self.depth += 1;
        let found = self.initials_of(config, path);
        self.depth -= 1;
        let found = found?;
        if found.len() > MOST_INITIALS {
            let message = format!("a behaviour has more than {MOST_INITIALS} first actions");
            return Err(self.refuse(Diagnostic::error(codes::LOTOS_UNSUPPORTED, message)));
        }
        Ok(found)
    }

    fn initials_of(&mut self, config: &Config, path: &mut Calls) -> Result<Vec<Initial>, Reported> {
        if self.depth > DEEPEST {
            let message = format!("behaviours nest more than {DEEPEST} levels deep");
            return Err(self.refuse(Diagnostic::error(codes::LOTOS_UNSUPPORTED, message)));
        }
        match config {
            Config::Ended => Ok(Vec::new()),
            Config::Term(node, env) => self.of_term(*node, env, path),
            Config::Par { node, constants, sync, left, right } => {
                let a = self.initials(left, path)?;
                let b = self.initials(right, path)?;
                let join = |left: &Rc<Config>, right: &Rc<Config>| Config::Par {
                    node: *node,
                    constants: constants.clone(),
                    sync: sync.clone(),
                    left: left.clone(),
                    right: right.clone(),
                };
                let meets = |signal: Signal| match signal {
                    Signal::Internal => false,
                    Signal::Ended => true,
                    Signal::Gate(gate) => sync.contains(&gate),
                };
                let mut all = Vec::new();
                for first in a.iter().filter(|first| !meets(first.signal)) {
                    let next = join(&Rc::new(first.next.clone()), right);
                    all.push(Initial { next, ..first.clone() });
                }
                for second in b.iter().filter(|second| !meets(second.signal)) {
                    let next = join(left, &Rc::new(second.next.clone()));
                    all.push(Initial { next, ..second.clone() });
                }
                for first in a.iter().filter(|first| meets(first.signal)) {
                    for second in b.iter().filter(|second| second.signal == first.signal) {
                        let Some((guard, items)) = self.meeting(first, second) else { continue };
                        let next = join(&Rc::new(first.next.clone()), &Rc::new(second.next.clone()));
                        all.push(Initial { guard, items, next, ..first.clone() });
                    }
                }
                Ok(all)
            }
            Config::Enable { node, left, env } => {
                let mut all = Vec::new();
                for first in self.initials(left, path)? {
                    all.push(match first.signal {
                        Signal::Ended => self.enabled(*node, env, first),
                        _ => {
                            let left = Rc::new(first.next.clone());
                            Initial { next: Config::Enable { node: *node, left, env: env.clone() }, ..first }
                        }
                    });
                }
                Ok(all)
            }
            Config::Disable { node, left, env } => {
                let mut all = Vec::new();
                for first in self.initials(left, path)? {
                    all.push(match first.signal {
                        Signal::Ended => first,
                        _ => {
                            let left = Rc::new(first.next.clone());
                            Initial { next: Config::Disable { node: *node, left, env: env.clone() }, ..first }
                        }
                    });
                }
                let core = self.core;
                let NodeKind::Disable { right, .. } = core.nodes[*node].kind else { return Ok(all) };
                all.extend(self.initials(&Config::Term(right, env.clone()), path)?);
                Ok(all)
            }
        }
    }

    /// The values of two actions that happen together; `None` if they never fit.
    fn meeting(&mut self, a: &Initial, b: &Initial) -> Option<(ExprId, Vec<(Item, SortId)>)> {
        if a.items.len() != b.items.len() {
            return None;
        }
        let mut guard = self.program.exprs.and(a.guard, b.guard);
        let mut items = Vec::new();
        for (&(first, sort), &(second, other)) in a.items.iter().zip(&b.items) {
            if sort != other {
                return None;
            }
            items.push((
                match (first, second) {
                    (Item::Give(x), Item::Give(y)) => {
                        let same = self.program.exprs.binary(BinaryOp::Eq, x, y);
                        guard = self.program.exprs.and(guard, same);
                        first
                    }
                    (Item::Take(_), given) => given,
                    (given, _) => given,
                },
                sort,
            ));
        }
        (self.as_constant(guard) != Some(0)).then_some((guard, items))
    }

    /// The end of the left side of `>>`: an internal action, which passes values on.
    fn enabled(&mut self, node: NodeId, env: &Rc<Env>, end: Initial) -> Initial {
        let (next, items) = self.continuation(node, env, &end.items);
        Initial { signal: Signal::Internal, items, next, ..end }
    }

    /// The right side of `>>` with values that it takes, and the values that stay open.
    pub fn continuation(
        &mut self,
        node: NodeId,
        env: &Rc<Env>,
        values: &[(Item, SortId)],
    ) -> (Config, Vec<(Item, SortId)>) {
        let core = self.core;
        let NodeKind::Enable { accept, right, .. } = &core.nodes[node].kind else {
            return (Config::Ended, Vec::new());
        };
        let mut env = Env::clone(env);
        let mut open = Vec::new();
        for (&variable, &(item, sort)) in accept.iter().zip(values) {
            let value = match item {
                Item::Give(value) => value,
                Item::Take(_) => {
                    open.push((item, sort));
                    self.offered(open.len() - 1, sort)
                }
            };
            env.values.insert(variable, value);
        }
        (Config::Term(*right, Rc::new(env)), open)
    }

    /// The k-th exchanged value.
    pub fn offered(&mut self, k: usize, sort: SortId) -> ExprId {
        let value = self.program.read(Place::Offered(k as u32));
        if sort == BOOL { self.program.exprs.convert(Type::Bool, value) } else { value }
    }

    /// What `?x:S` takes.
    pub fn take(&self, sort: SortId) -> Item {
        Item::Take(match self.domain(sort) {
            Domain::Growing { .. } => volvelle_model::offers::ANY,
            domain => domain,
        })
    }

    fn of_term(&mut self, node: NodeId, env: &Rc<Env>, path: &mut Calls) -> Result<Vec<Initial>, Reported> {
        let core = self.core;
        let truth = self.program.exprs.bool(true);
        match &core.nodes[node].kind {
            NodeKind::Stop => Ok(Vec::new()),
            NodeKind::Exit(values) => {
                let mut items = Vec::new();
                for value in values {
                    items.push(match value {
                        Exit::Value(value) => {
                            let sort = self.data.expressions[*value].sort;
                            (Item::Give(self.expression(*value, env)), sort)
                        }
                        Exit::Any(sort) => (self.take(*sort), *sort),
                    });
                }
                Ok(vec![Initial { signal: Signal::Ended, guard: truth, items, next: Config::Ended, node }])
            }
            NodeKind::Prefix { gate, offers, predicate, then } => {
                let mut items = Vec::new();
                let mut inner = Env::clone(env);
                for (k, offer) in offers.iter().enumerate() {
                    items.push(match offer {
                        Offer::Give(value) => {
                            let sort = self.data.expressions[*value].sort;
                            (Item::Give(self.expression(*value, env)), sort)
                        }
                        Offer::Take(variable) => {
                            let sort = self.data.variables[*variable].sort;
                            let value = self.offered(k, sort);
                            inner.values.insert(*variable, value);
                            (self.take(sort), sort)
                        }
                    });
                }
                let guard = match predicate {
                    Some(predicate) => self.expression(*predicate, &inner),
                    None => truth,
                };
                let signal = gate.map_or(Signal::Internal, |gate| Signal::Gate(env.gates[&gate]));
                let next = Config::Term(*then, Rc::new(inner));
                if self.as_constant(guard) == Some(0) {
                    return Ok(Vec::new());
                }
                Ok(vec![Initial { signal, guard, items, next, node }])
            }
            NodeKind::Choice(parts) => {
                let mut all = Vec::new();
                for &part in parts {
                    all.extend(self.initials(&Config::Term(part, env.clone()), path)?);
                }
                Ok(all)
            }
            NodeKind::Guard(condition, body) => {
                let condition = self.expression(*condition, env);
                if self.as_constant(condition) == Some(0) {
                    return Ok(Vec::new());
                }
                let mut all = self.initials(&Config::Term(*body, env.clone()), path)?;
                for first in &mut all {
                    first.guard = self.program.exprs.and(condition, first.guard);
                }
                Ok(all)
            }
            NodeKind::ChoiceValue { variable, body } => {
                let mut all = Vec::new();
                for env in self.each_value(node, *variable, env)? {
                    all.extend(self.initials(&Config::Term(*body, Rc::new(env)), path)?);
                }
                Ok(all)
            }
            NodeKind::ChoiceGate { gate, among, body } => {
                let mut all = Vec::new();
                for one in among {
                    let mut env = Env::clone(env);
                    env.gates.insert(*gate, env.gates[one]);
                    all.extend(self.initials(&Config::Term(*body, Rc::new(env)), path)?);
                }
                Ok(all)
            }
            NodeKind::Call { process, arguments, .. } => {
                let arguments = self.arguments(arguments, env);
                if path.iter().any(|(known, before)| known == process && !differ(before, &arguments)) {
                    return Err(self.unguarded(node, *process));
                }
                path.push((*process, arguments));
                let next = self.unfolded(node, env)?;
                let all = match next {
                    Some(next) => self.initials(&next, path),
                    None => Ok(Vec::new()),
                };
                path.pop();
                all
            }
            _ => match self.unfolded(node, env)? {
                Some(next) => self.initials(&next, path),
                None => Ok(Vec::new()),
            },
        }
    }

    fn each_value(&mut self, node: NodeId, variable: VariableId, env: &Env) -> Result<Vec<Env>, Reported> {
        let sort = self.data.variables[variable].sort;
        let bounds = self.data.bounds(sort).filter(|(lo, hi)| hi - lo < MOST_INITIALS as i64);
        let Some((lo, hi)) = bounds else {
            let message =
                format!("the sort `{}` has too many values to try each", self.data.sorts[sort].name);
            let span = self.core.nodes[node].span;
            let diagnostic = Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(span, "");
            return Err(self.refuse(
                diagnostic.help("choose from a sort with fewer values, or take the value at a gate"),
            ));
        };
        let conditions = self.conditions_of_choice(node);
        let mut all = Vec::new();
        let mut inner = env.clone();
        for code in lo..=hi {
            let value = self.constant(sort, code);
            inner.values.insert(variable, value);
            let is_possible = |&condition: &ExpressionId| {
                let condition = self.expression(condition, &inner);
                self.as_constant(condition) != Some(0)
            };
            if conditions.iter().all(is_possible) {
                all.push(inner.clone());
            }
        }
        Ok(all)
    }

    /// What the guard behind `choice` requires of this variable and of those around it: where that does not hold, the values of other
    /// variables of the same `choice` are not tried. Only the first ones of conditions that are joined by `and`, which would be evaluated
    /// first.
    fn conditions_of_choice(&self, choice: NodeId) -> Vec<ExpressionId> {
        let NodeKind::ChoiceValue { body: mut at, .. } = self.core.nodes[choice].kind else {
            return Vec::new();
        };
        let mut inner: Vec<VariableId> = Vec::new();
        while let NodeKind::ChoiceValue { variable, body } = self.core.nodes[at].kind {
            inner.push(variable);
            at = body;
        }
        let NodeKind::Guard(condition, _) = self.core.nodes[at].kind else { return Vec::new() };
        let (mut found, mut todo) = (Vec::new(), vec![condition]);
        while let Some(next) = todo.pop() {
            if let ExpressionKind::Apply(op, operands) = &self.data.expressions[next].kind
                && let (Meaning::Builtin(Builtin::And), [a, b]) =
                    (&self.data.operations[*op].meaning, &operands[..])
            {
                todo.extend([b, a]);
            } else if self.data.free_variables(next).iter().any(|variable| inner.contains(variable)) {
                break;
            } else {
                found.push(next);
            }
        }
        found
    }

    /// The free variables of a behaviour, as far as they are constants.
    pub fn constants(&self, node: NodeId, env: &Env) -> Constants {
        let variables = self.core.nodes[node].variables.iter();
        variables.map(|variable| self.as_constant(*env.values.get(variable)?)).collect()
    }

    /// The arguments of a call, as far as they are constants.
    pub fn arguments(&mut self, arguments: &[ExpressionId], env: &Env) -> Constants {
        let values = arguments.iter().map(|&argument| {
            let value = self.expression(argument, env);
            self.as_constant(value)
        });
        values.collect()
    }

    /// Whether guards in front of a behaviour never hold.
    fn is_impossible(&mut self, mut node: NodeId, env: &Env) -> bool {
        let core = self.core;
        while let NodeKind::Guard(condition, body) = core.nodes[node].kind {
            let condition = self.expression(condition, env);
            if self.as_constant(condition) == Some(0) {
                return true;
            }
            node = body;
        }
        false
    }

    /// The only alternative of a term whose guard may hold, without guards that do.
    fn only_alternative(&mut self, mut node: NodeId, env: &Env) -> Option<NodeId> {
        let core = self.core;
        loop {
            match &core.nodes[node].kind {
                NodeKind::Guard(condition, body) => {
                    let condition = self.expression(*condition, env);
                    if self.as_constant(condition) != Some(1) {
                        return None;
                    }
                    node = *body;
                }
                NodeKind::Choice(parts) => {
                    let mut possible = parts.iter().filter(|&&part| !self.is_impossible(part, env));
                    match (possible.next(), possible.next()) {
                        (Some(&only), None) => node = only,
                        _ => return None,
                    }
                }
                _ => return Some(node),
            }
        }
    }

    /// What stands for a choice or guard that constants decide, if that is a call or a composition: a process that composes itself with
    /// others ends in that way. Other terms are kept as they are: a place in the text that is one for all values has fewer states.
    pub fn decided(&mut self, node: NodeId, env: &Rc<Env>) -> Option<Config> {
        let core = self.core;
        if !matches!(core.nodes[node].kind, NodeKind::Guard(..) | NodeKind::Choice(_)) {
            return None;
        }
        let only = self.only_alternative(node, env)?;
        let kinds = &core.nodes[only].kind;
        let is_better =
            matches!(kinds, NodeKind::Call { .. } | NodeKind::Parallel { .. } | NodeKind::ParGate { .. });
        is_better.then(|| Config::Term(only, env.clone()))
    }

    /// One step from a term to what it stands for: composition, or the body of a process; `None` for terms that are actions or
    /// choices themselves.
    pub fn unfolded(&mut self, node: NodeId, env: &Rc<Env>) -> Result<Option<Config>, Reported> {
        let core = self.core;
        let term = |node: NodeId| Rc::new(Config::Term(node, env.clone()));
        Ok(Some(match &core.nodes[node].kind {
            NodeKind::Parallel { sync, left, right } => {
                let sync = self.sync(node, sync, env)?;
                let (sync, constants) = (Rc::new(sync), self.constants(node, env));
                Config::Par { node, constants, sync, left: term(*left), right: term(*right) }
            }
            NodeKind::ParGate { gate, among, sync, body } => {
                let sync = Rc::new(self.sync(node, sync, env)?);
                let part = |one| {
                    let mut env = Env::clone(env);
                    let actual = env.gates[one];
                    env.gates.insert(*gate, actual);
                    Rc::new(Config::Term(*body, Rc::new(env)))
                };
                let mut parts: Vec<Rc<Config>> = among.iter().map(part).collect();
                let Some(mut all) = parts.pop() else { return Ok(None) };
                let constants = self.constants(node, env);
                while let Some(left) = parts.pop() {
                    let (constants, sync) = (constants.clone(), sync.clone());
                    all = Rc::new(Config::Par { node, constants, sync, left, right: all });
                }
                Config::clone(&all)
            }
            NodeKind::Enable { left, .. } => Config::Enable { node, left: term(*left), env: env.clone() },
            NodeKind::Disable { left, .. } => Config::Disable { node, left: term(*left), env: env.clone() },
            NodeKind::Hide { gates, body } => {
                let mut inner = Env::clone(env);
                let body_gates = &core.nodes[*body].gates;
                let free: Vec<Gate> = (body_gates.iter().filter(|gate| !gates.contains(gate)))
                    .map(|gate| env.gates[gate])
                    .collect();
                for &gate in gates {
                    let actual = self.hidden_gate(gate, &free);
                    inner.gates.insert(gate, actual);
                }
                Config::Term(*body, Rc::new(inner))
            }
            NodeKind::Let { bindings, body } => {
                let mut inner = Env::clone(env);
                for &(variable, value) in bindings {
                    let value = self.expression(value, env);
                    inner.values.insert(variable, value);
                }
                Config::Term(*body, Rc::new(inner))
            }
            NodeKind::Call { process, gates, arguments } => {
                let callee = &core.processes[*process];
                let mut inner = Env::default();
                for (&formal, actual) in callee.gates.iter().zip(gates) {
                    inner.gates.insert(formal, env.gates[actual]);
                }
                for (&formal, &actual) in callee.parameters.iter().zip(arguments) {
                    let value = self.expression(actual, env);
                    inner.values.insert(formal, value);
                }
                Config::Term(callee.body, Rc::new(inner))
            }
            _ => return Ok(None),
        }))
    }

    /// The gates that a parallel operator synchronises. Two gates that are one here would be told apart by the standard, where
    /// gates are renamed after the composition.
    fn sync(&mut self, node: NodeId, sync: &Sync, env: &Env) -> Result<Vec<Gate>, Reported> {
        let core = self.core;
        let free = &core.nodes[node].gates;
        let mut actual: Vec<Gate> = free.iter().map(|gate| env.gates[gate]).collect();
        let synchronised: Vec<Gate> = match sync {
            Sync::All => actual.clone(),
            Sync::Gates(gates) => gates.iter().map(|gate| env.gates[gate]).collect(),
        };
        actual.sort_unstable();
        // Where neither is synchronised, nobody can tell them apart.
        let is_twice = |pair: &&[Gate]| pair[0] == pair[1] && synchronised.contains(&pair[0]);
        if let Some(twice) = actual.windows(2).find(is_twice) {
            let name = self.gates[twice[0] as usize].name.clone();
            let message = format!("two gates of this composition are the same gate `{name}`");
            let diagnostic =
                Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(core.nodes[node].span, "");
            return Err(self.refuse(
                diagnostic
                    .note("by the standard, the parts synchronise as if the gates were different")
                    .help("give the process a gate of its own for each, or one gate with an offer that tells them apart"),
            ));
        }
        let mut synchronised = synchronised;
        synchronised.sort_unstable();
        synchronised.dedup();
        Ok(synchronised)
    }

    pub fn unguarded(&mut self, node: NodeId, process: ProcessId) -> Reported {
        let name = &self.core.processes[process].name;
        let message = format!("`{name}` calls itself before any action");
        let span = self.core.nodes[node].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_RECURSION, message).at(span, "");
        self.refuse(diagnostic.help("put an action before the call: i; P [...]"))
    }
}
