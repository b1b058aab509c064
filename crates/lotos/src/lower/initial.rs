//! The first actions of a behaviour: the operational semantics of ISO 8807 (section 7.5), with values left open.
//!
//! Processes are replaced by their bodies, and parallel operators expanded (module `unfold`). Exchanged values are the places
//! [`Place::Offered`](volvelle_model::Place) of the step.

use super::config::{Calls, Config, Constants, Env, Gate, differ};
use super::{Lowering, Reported};
use crate::core::{Exit, NodeId, NodeKind, Offer, ProcessId};
use crate::data::{BOOL, SortId};
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
pub(super) const MOST_INITIALS: usize = 1 << 14;
/// Nesting of behaviours, through processes.
pub(super) const DEEPEST: usize = 600;
/// Calls of processes that are replaced to find the first actions of one behaviour.
const MOST_CALLS: usize = 1 << 17;

impl Lowering<'_> {
    /// The first actions. `path`: the processes that were replaced on the way.
    pub fn initials(&mut self, config: &Config, path: &mut Calls) -> Result<Vec<Initial>, Reported> {
        self.depth += 1;
        if self.depth == 1 {
            self.calls = 0;
        }
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
            return Err(self.too_deep(config));
        }
        match config {
            Config::Ended => Ok(Vec::new()),
            Config::Term(node, env) => self.of_term(*node, env, path),
            Config::Par { node, constants, sync, renamed, left, right } => {
                let a = self.initials(left, path)?;
                let b = self.initials(right, path)?;
                let join = |left: &Rc<Config>, right: &Rc<Config>| Config::Par {
                    node: *node,
                    constants: constants.clone(),
                    sync: sync.clone(),
                    renamed: renamed.clone(),
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
                for first in &mut all {
                    if let Signal::Gate(inner) = &mut first.signal
                        && let Some((_, outer)) = renamed.iter().find(|(own, _)| own == inner)
                    {
                        *inner = *outer;
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

    pub fn too_deep(&mut self, config: &Config) -> Reported {
        let message = format!("behaviours nest more than {DEEPEST} levels deep");
        let span = self.core.nodes[config.node().unwrap_or(self.stop)].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(span, "");
        self.refuse(diagnostic.help("compose fewer: give a recursion a smaller bound"))
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
                let items = self.exits(values, env);
                Ok(vec![Initial { signal: Signal::Ended, guard: truth, items, next: Config::Ended, node }])
            }
            NodeKind::Prefix { .. } => Ok(self.prefix(node, env).into_iter().collect()),
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
                self.call(node, (*process, arguments), env, path)
            }
            _ => match self.unfolded(node, env)? {
                Some(next) => self.initials(&next, path),
                None => Ok(Vec::new()),
            },
        }
    }

    /// The values with which a behaviour ends.
    fn exits(&mut self, values: &[Exit], env: &Rc<Env>) -> Vec<(Item, SortId)> {
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
        items
    }

    /// The first action of a prefix, unless its predicate never holds.
    fn prefix(&mut self, node: NodeId, env: &Rc<Env>) -> Option<Initial> {
        let core = self.core;
        let NodeKind::Prefix { gate, offers, predicate, then } = &core.nodes[node].kind else { return None };
        let mut items = Vec::new();
        // Most actions bind nothing: then what follows shares the environment.
        let mut inner = env.clone();
        for (k, offer) in offers.iter().enumerate() {
            items.push(match offer {
                Offer::Give(value) => {
                    let sort = self.data.expressions[*value].sort;
                    (Item::Give(self.expression(*value, env)), sort)
                }
                Offer::Take(variable) => {
                    let sort = self.data.variables[*variable].sort;
                    let value = self.offered(k, sort);
                    Rc::make_mut(&mut inner).values.insert(*variable, value);
                    (self.take(sort), sort)
                }
            });
        }
        let guard = match predicate {
            Some(predicate) => self.expression(*predicate, &inner),
            None => self.program.exprs.bool(true),
        };
        let signal = gate.map_or(Signal::Internal, |gate| Signal::Gate(env.gates[&gate]));
        let next = Config::Term(*then, inner);
        if self.as_constant(guard) == Some(0) {
            return None;
        }
        Some(Initial { signal, guard, items, next, node })
    }

    /// The first actions of a process that is called; the calls on the way are `path`.
    fn call(
        &mut self,
        node: NodeId,
        call: (ProcessId, Constants),
        env: &Rc<Env>,
        path: &mut Calls,
    ) -> Result<Vec<Initial>, Reported> {
        if path.iter().any(|(known, before)| *known == call.0 && !differ(before, &call.1)) {
            return Err(self.unguarded(node, call.0));
        }
        self.calls += 1;
        if self.calls > MOST_CALLS {
            let message = "processes call each other too often before any action";
            let span = self.core.nodes[node].span;
            return Err(self.refuse(Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(span, "")));
        }
        path.push(call);
        let next = self.unfolded(node, env)?;
        let all = match next {
            Some(next) => self.initials(&next, path),
            None => Ok(Vec::new()),
        };
        path.pop();
        all
    }
}
