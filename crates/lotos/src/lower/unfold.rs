//! What terms stand for before any action: values of `choice`, alternatives that constants decide, compositions, bodies of processes.

use super::config::{Config, Constants, Env, Gate, Renamed};
use super::initial::MOST_INITIALS;
use super::{Lowering, Reported};
use crate::core::{NodeId, NodeKind, ProcessId, Sync};
use crate::data::Builtin;
use crate::data::{ExpressionId, ExpressionKind, Meaning, VariableId};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, codes};

impl Lowering<'_> {
    /// The environments for each value of a variable of `choice`, besides those that guards exclude.
    pub fn each_value(
        &mut self,
        node: NodeId,
        variable: VariableId,
        env: &Env,
    ) -> Result<Vec<Env>, Reported> {
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
                let (env, renamed) = self.told_apart(node, sync, env);
                let term = |node: NodeId| Rc::new(Config::Term(node, env.clone()));
                let sync = Rc::new(self.sync(node, sync, &env));
                let constants = self.constants(node, &env);
                Config::Par { node, constants, sync, renamed, left: term(*left), right: term(*right) }
            }
            NodeKind::ParGate { gate, among, sync, body } => {
                let (env, renamed) = self.told_apart(node, sync, env);
                let sync = Rc::new(self.sync(node, sync, &env));
                let part = |one| {
                    let mut env = Env::clone(&env);
                    let actual = env.gates[one];
                    env.gates.insert(*gate, actual);
                    Rc::new(Config::Term(*body, Rc::new(env)))
                };
                let mut parts: Vec<Rc<Config>> = among.iter().map(part).collect();
                let Some(mut all) = parts.pop() else { return Ok(None) };
                let constants = self.constants(node, &env);
                while let Some(left) = parts.pop() {
                    let (constants, sync) = (constants.clone(), sync.clone());
                    // Once is enough, at the outermost operator.
                    let renamed = if parts.is_empty() { renamed.clone() } else { Renamed::default() };
                    all = Rc::new(Config::Par { node, constants, sync, renamed, left, right: all });
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

    /// The environment inside of a composition, with a gate of its own for each of several gates that are one outside, if the
    /// composition synchronises on one of them.
    fn told_apart(&mut self, node: NodeId, sync: &Sync, env: &Rc<Env>) -> (Rc<Env>, Renamed) {
        let core = self.core;
        let free = &core.nodes[node].gates;
        let mut actual: Vec<Gate> = free.iter().map(|gate| env.gates[gate]).collect();
        actual.sort_unstable();
        let is_twice =
            |gate: &Gate| actual.partition_point(|g| g <= gate) - actual.partition_point(|g| g < gate) > 1;
        let synchronised = self.sync(node, sync, env);
        let is_apart = |gate: &Gate| is_twice(gate) && synchronised.binary_search(gate).is_ok();
        if !synchronised.iter().any(is_apart) {
            return (env.clone(), Renamed::default());
        }
        let (mut inner, mut renamed) = (Env::clone(env), Vec::new());
        let mut copies: FxHashMap<Gate, usize> = FxHashMap::default();
        for gate in free {
            let outer = env.gates[gate];
            if is_apart(&outer) {
                let copy = copies.entry(outer).or_insert(0);
                let own = self.copy_of_gate(outer, *copy);
                *copy += 1;
                inner.gates.insert(*gate, own);
                renamed.push((own, outer));
            }
        }
        (Rc::new(inner), renamed.into())
    }

    /// The gates that a parallel operator synchronises.
    fn sync(&self, node: NodeId, sync: &Sync, env: &Env) -> Vec<Gate> {
        let gates = match sync {
            Sync::All => &self.core.nodes[node].gates,
            Sync::Gates(gates) => gates,
        };
        let mut synchronised: Vec<Gate> = gates.iter().map(|gate| env.gates[gate]).collect();
        synchronised.sort_unstable();
        synchronised.dedup();
        synchronised
    }

    pub fn unguarded(&mut self, node: NodeId, process: ProcessId) -> Reported {
        let name = &self.core.processes[process].name;
        let message = format!("`{name}` calls itself before any action");
        let span = self.core.nodes[node].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_RECURSION, message).at(span, "");
        self.refuse(diagnostic.help("put an action before the call: i; P [...]"))
    }
}
