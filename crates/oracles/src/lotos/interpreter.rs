//! The operational semantics of LOTOS (ISO 8807, section 7.5), rule by rule, on closed terms: slow, and easy to check.
//!
//! States are terms with values in them. `?x:S` is an action for each value of the sort. Gates of processes are renamed around the
//! body, and hidden gates hidden around it, as the standard says it; the lowering replaces gates instead.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use volvelle_lotos::core::{Core, Exit, GateId, NodeId, NodeKind, Offer, Sync};
use volvelle_lotos::data::rewrite::{Limits, evaluate};
use volvelle_lotos::data::terms::{TermId, Terms};
use volvelle_lotos::data::{BOOL, Data, ExpressionId, SortId, VariableId};
use volvelle_space::{Labels, Lts};

type Values = BTreeMap<VariableId, TermId>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// A behaviour with values for its free variables; `par g in [...]` and `choice g in [...]` give names to gates.
    Term(NodeId, Rc<Values>, Rc<BTreeMap<GateId, GateId>>),
    /// `None`: all gates.
    Parallel(Option<BTreeSet<GateId>>, Rc<State>, Rc<State>),
    Enable(NodeId, Rc<State>, Rc<Values>, Rc<BTreeMap<GateId, GateId>>),
    Disable(NodeId, Rc<State>, Rc<Values>, Rc<BTreeMap<GateId, GateId>>),
    Hide(BTreeSet<GateId>, Rc<State>),
    Rename(BTreeMap<GateId, GateId>, Rc<State>),
    Stopped,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Internal,
    Ended(Vec<TermId>),
    Gate(GateId, Vec<TermId>),
}

/// Why there is no system.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A value cannot be evaluated.
    Value,
    /// More states than wanted, or processes that call themselves before any action.
    TooLarge,
}

/// The labelled transition system of a specification, with at most so many states.
///
/// # Errors
/// There is none, or it is too large.
pub fn interpret(core: &Core, data: &Data, most_states: usize) -> Result<Lts, Refusal> {
    let mut interpreter = Interpreter { core, data, terms: Terms::default(), depth: 0 };
    let specification = &core.processes[0];
    let initial = interpreter.term(specification.body, &Values::new(), &BTreeMap::new());
    let (mut numbers, mut queue) = (HashMap::from([(initial.clone(), 0u32)]), VecDeque::from([initial]));
    let (mut labels, mut transitions) = (Labels::new(), Vec::new());
    let mut source = 0;
    while let Some(state) = queue.pop_front() {
        for (action, next) in interpreter.steps(&state)? {
            let label = labels.number(&interpreter.text(&action));
            let fresh = numbers.len() as u32;
            let target = *numbers.entry(next.clone()).or_insert_with(|| {
                queue.push_back(next);
                fresh
            });
            transitions.push((source, label, target));
        }
        source += 1;
        if numbers.len() > most_states {
            return Err(Refusal::TooLarge);
        }
    }
    transitions.sort_unstable();
    transitions.dedup();
    Ok(Lts::from_transitions(numbers.len() as u32, 0, labels, &transitions))
}

struct Interpreter<'a> {
    core: &'a Core,
    data: &'a Data,
    terms: Terms,
    depth: usize,
}

type Steps = Result<Vec<(Action, State)>, Refusal>;

impl Interpreter<'_> {
    fn text(&self, action: &Action) -> String {
        let values = |values: &[TermId]| -> String {
            values.iter().map(|&value| format!(" !{}", self.terms.text(self.data, value))).collect()
        };
        match action {
            Action::Internal => "i".to_owned(),
            Action::Ended(all) => format!("exit{}", values(all)),
            Action::Gate(gate, all) => format!("{}{}", self.core.gates[*gate], values(all)),
        }
    }

    /// A term with the values that it needs.
    fn term(&self, node: NodeId, values: &Values, gates: &BTreeMap<GateId, GateId>) -> State {
        if matches!(self.core.nodes[node].kind, NodeKind::Stop) {
            return State::Stopped;
        }
        let needed = &self.core.nodes[node].variables;
        let values = values.iter().filter(|(v, _)| needed.contains(v)).map(|(&v, &x)| (v, x)).collect();
        let needed = &self.core.nodes[node].gates;
        let gates = gates.iter().filter(|(g, _)| needed.contains(g)).map(|(&g, &x)| (g, x)).collect();
        State::Term(node, Rc::new(values), Rc::new(gates))
    }

    fn value(&mut self, expression: ExpressionId, values: &Values) -> Result<TermId, Refusal> {
        let environment = |variable: VariableId| values[&variable];
        evaluate(self.data, &mut self.terms, expression, &environment, Limits::default())
            .map_err(|_| Refusal::Value)
    }

    fn holds(&mut self, condition: ExpressionId, values: &Values) -> Result<bool, Refusal> {
        let value = self.value(condition, values)?;
        Ok(self.terms.code(self.data, BOOL, value) == Some(1))
    }

    fn all_values(&mut self, sort: SortId) -> Vec<TermId> {
        let (lo, hi) = self.data.bounds(sort).expect("values of a finite sort");
        (lo..=hi).filter_map(|code| self.terms.decode(self.data, sort, code)).collect()
    }

    fn steps(&mut self, state: &State) -> Steps {
        self.depth += 1;
        if self.depth > 200 {
            return Err(Refusal::TooLarge);
        }
        let steps = self.steps_of(state);
        self.depth -= 1;
        steps
    }

    fn steps_of(&mut self, state: &State) -> Steps {
        let core = self.core;
        let mut all = Vec::new();
        match state {
            State::Stopped => {}
            State::Term(node, values, gates) => return self.term_steps(*node, values, gates),
            State::Parallel(sync, left, right) => {
                let (a, b) = (self.steps(left)?, self.steps(right)?);
                let meets = |action: &Action| match action {
                    Action::Internal => false,
                    Action::Ended(_) => true,
                    Action::Gate(gate, _) => sync.as_ref().is_none_or(|sync| sync.contains(gate)),
                };
                let join = |left: Rc<State>, right: Rc<State>| State::Parallel(sync.clone(), left, right);
                for (action, next) in a.iter().filter(|(action, _)| !meets(action)) {
                    all.push((action.clone(), join(Rc::new(next.clone()), right.clone())));
                }
                for (action, next) in b.iter().filter(|(action, _)| !meets(action)) {
                    all.push((action.clone(), join(left.clone(), Rc::new(next.clone()))));
                }
                for (action, next) in a.iter().filter(|(action, _)| meets(action)) {
                    for (_, other) in b.iter().filter(|(other, _)| other == action) {
                        let next = match action {
                            Action::Ended(_) => State::Stopped,
                            _ => join(Rc::new(next.clone()), Rc::new(other.clone())),
                        };
                        all.push((action.clone(), next));
                    }
                }
            }
            State::Enable(node, left, values, gates) => {
                let NodeKind::Enable { accept, right, .. } = &core.nodes[*node].kind else { unreachable!() };
                for (action, next) in self.steps(left)? {
                    all.push(match action {
                        Action::Ended(ended) => {
                            let mut values = Values::clone(values);
                            values.extend(accept.iter().copied().zip(ended));
                            (Action::Internal, self.term(*right, &values, gates))
                        }
                        action => {
                            (action, State::Enable(*node, Rc::new(next), values.clone(), gates.clone()))
                        }
                    });
                }
            }
            State::Disable(node, left, values, gates) => {
                let NodeKind::Disable { right, .. } = &core.nodes[*node].kind else { unreachable!() };
                for (action, next) in self.steps(left)? {
                    all.push(match action {
                        Action::Ended(_) => (action, next),
                        _ => (action, State::Disable(*node, Rc::new(next), values.clone(), gates.clone())),
                    });
                }
                let right = self.term(*right, values, gates);
                all.extend(self.steps(&right)?);
            }
            State::Hide(hidden, inner) => {
                for (action, next) in self.steps(inner)? {
                    let action = match action {
                        Action::Gate(gate, _) if hidden.contains(&gate) => Action::Internal,
                        action => action,
                    };
                    all.push((action, hide(hidden.clone(), next)));
                }
            }
            State::Rename(map, inner) => {
                for (action, next) in self.steps(inner)? {
                    let action = match action {
                        Action::Gate(gate, values) => Action::Gate(*map.get(&gate).unwrap_or(&gate), values),
                        action => action,
                    };
                    all.push((action, rename(map.clone(), next)));
                }
            }
        }
        Ok(all)
    }

    fn term_steps(&mut self, node: NodeId, values: &Values, gates: &Rc<BTreeMap<GateId, GateId>>) -> Steps {
        let core = self.core;
        let actual = |gate: &GateId| *gates.get(gate).unwrap_or(gate);
        match &core.nodes[node].kind {
            NodeKind::Stop => Ok(Vec::new()),
            NodeKind::Exit(exits) => {
                let mut all = vec![Vec::new()];
                for exit in exits {
                    let possible = match exit {
                        Exit::Value(value) => vec![self.value(*value, values)?],
                        Exit::Any(sort) => self.all_values(*sort),
                    };
                    all = product(&all, &possible);
                }
                Ok(all.into_iter().map(|values| (Action::Ended(values), State::Stopped)).collect())
            }
            NodeKind::Prefix { gate, offers, predicate, then } => {
                let mut all: Vec<Vec<TermId>> = vec![Vec::new()];
                for offer in offers {
                    let possible = match offer {
                        Offer::Give(value) => vec![self.value(*value, values)?],
                        Offer::Take(variable) => self.all_values(self.data.variables[*variable].sort),
                    };
                    all = product(&all, &possible);
                }
                let mut steps = Vec::new();
                for exchanged in all {
                    let mut inner = values.clone();
                    for (offer, &value) in offers.iter().zip(&exchanged) {
                        if let Offer::Take(variable) = offer {
                            inner.insert(*variable, value);
                        }
                    }
                    if let Some(predicate) = predicate
                        && !self.holds(*predicate, &inner)?
                    {
                        continue;
                    }
                    let action = match gate {
                        Some(gate) => Action::Gate(actual(gate), exchanged),
                        None => Action::Internal,
                    };
                    steps.push((action, self.term(*then, &inner, gates)));
                }
                Ok(steps)
            }
            NodeKind::Choice(parts) => {
                let mut all = Vec::new();
                for &part in parts {
                    let part = self.term(part, values, gates);
                    all.extend(self.steps(&part)?);
                }
                Ok(all)
            }
            NodeKind::Guard(condition, body) => {
                if !self.holds(*condition, values)? {
                    return Ok(Vec::new());
                }
                let body = self.term(*body, values, gates);
                self.steps(&body)
            }
            NodeKind::ChoiceValue { variable, body } => {
                let mut all = Vec::new();
                for value in self.all_values(self.data.variables[*variable].sort) {
                    let mut values = values.clone();
                    values.insert(*variable, value);
                    let body = self.term(*body, &values, gates);
                    all.extend(self.steps(&body)?);
                }
                Ok(all)
            }
            NodeKind::ChoiceGate { gate, among, body } => {
                let mut all = Vec::new();
                for one in among {
                    let mut gates = BTreeMap::clone(gates);
                    gates.insert(*gate, actual(one));
                    let body = self.term(*body, values, &gates);
                    all.extend(self.steps(&body)?);
                }
                Ok(all)
            }
            _ => {
                let composed = self.composed(node, values, gates)?;
                self.steps(&composed)
            }
        }
    }

    fn composed(
        &mut self,
        node: NodeId,
        values: &Values,
        gates: &Rc<BTreeMap<GateId, GateId>>,
    ) -> Result<State, Refusal> {
        let core = self.core;
        let actual = |gate: &GateId| *gates.get(gate).unwrap_or(gate);
        let set = |sync: &Sync| match sync {
            Sync::All => None,
            Sync::Gates(gates) => Some(gates.iter().map(actual).collect()),
        };
        let term = |part: NodeId| Rc::new(self.term(part, values, gates));
        Ok(match &core.nodes[node].kind {
            NodeKind::Parallel { sync, left, right } => State::Parallel(set(sync), term(*left), term(*right)),
            NodeKind::ParGate { gate, among, sync, body } => {
                let mut whole: Option<State> = None;
                for one in among.iter().rev() {
                    let mut inner = BTreeMap::clone(gates);
                    inner.insert(*gate, actual(one));
                    let part = self.term(*body, values, &inner);
                    whole = Some(match whole {
                        Some(right) => State::Parallel(set(sync), Rc::new(part), Rc::new(right)),
                        None => part,
                    });
                }
                whole.unwrap_or(State::Stopped)
            }
            NodeKind::Enable { left, .. } => {
                State::Enable(node, term(*left), Rc::new(values.clone()), gates.clone())
            }
            NodeKind::Disable { left, .. } => {
                State::Disable(node, term(*left), Rc::new(values.clone()), gates.clone())
            }
            NodeKind::Hide { gates: hidden, body } => {
                State::Hide(hidden.iter().copied().collect(), term(*body))
            }
            NodeKind::Let { bindings, body } => {
                let mut inner = values.clone();
                for &(variable, value) in bindings {
                    inner.insert(variable, self.value(value, values)?);
                }
                self.term(*body, &inner, gates)
            }
            NodeKind::Call { process, gates: given, arguments } => {
                let callee = &core.processes[*process];
                let mut inner = Values::new();
                for (&parameter, &argument) in callee.parameters.iter().zip(arguments) {
                    inner.insert(parameter, self.value(argument, values)?);
                }
                let map = callee.gates.iter().copied().zip(given.iter().map(actual)).collect();
                rename(map, self.term(callee.body, &inner, &BTreeMap::new()))
            }
            _ => unreachable!("other terms have rules of their own"),
        })
    }
}

fn product(all: &[Vec<TermId>], possible: &[TermId]) -> Vec<Vec<TermId>> {
    let with = |front: &Vec<TermId>, value: TermId| front.iter().copied().chain([value]).collect();
    all.iter().flat_map(|front| possible.iter().map(move |&value| with(front, value))).collect()
}

/// Renaming of renaming is one renaming; terms that have stopped have no gates.
fn rename(map: BTreeMap<GateId, GateId>, inner: State) -> State {
    match inner {
        State::Stopped => State::Stopped,
        State::Rename(first, inner) => {
            let composed = first.into_iter().map(|(from, to)| (from, *map.get(&to).unwrap_or(&to)));
            State::Rename(composed.collect(), inner)
        }
        State::Term(node, values, gates) if !gates.is_empty() => {
            State::Rename(map, Rc::new(State::Term(node, values, gates)))
        }
        inner => State::Rename(map, Rc::new(inner)),
    }
}

/// Hiding gates that cannot occur changes nothing.
fn hide(hidden: BTreeSet<GateId>, inner: State) -> State {
    match inner {
        State::Stopped => State::Stopped,
        State::Rename(map, inner) if map.values().all(|gate| !hidden.contains(gate)) => {
            State::Rename(map, inner)
        }
        inner => State::Hide(hidden, Rc::new(inner)),
    }
}
