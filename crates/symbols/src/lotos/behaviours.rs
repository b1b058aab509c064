//! Processes: gates, variables, calls.
//!
//! A process sees the processes around it, but no gates and variables besides its own (ISO 8807, section 7.3). Recursion is as deep as
//! behaviours nest, which the parser limits; sequences of actions are walked in a loop.

use super::declare::{condition, value};
use super::spaces::Spaces;
use crate::builder::Builder;
use crate::index::{Kind, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_lotos::syntax::{
    BehaviourId, BehaviourKind, Exit, Functionality, Name, Offer, Parameter, Process, ProcessId, Sync, Tree,
};

/// Everything about the processes of a specification.
pub(super) fn all<'m>(builder: &mut Builder<'_>, spaces: &mut Spaces<'m>, tree: &'m Tree) {
    let mut ids: Vec<SymbolId> = Vec::new();
    let mut named: FxHashMap<(ProcessId, &str), ProcessId> = FxHashMap::default();
    for process in &tree.processes {
        // An outer process stands before its inner ones.
        let container = process.outer.map(|outer| ids[outer]);
        let described = (process.span, head(builder, process));
        let id = spaces.declare(builder, &process.name, Kind::Process, described, container);
        if let Some(outer) = process.outer {
            named.entry((outer, &process.name.text)).or_insert(ids.len());
        }
        ids.push(id);
    }
    for (number, process) in tree.processes.iter().enumerate() {
        let mut walk =
            Walk { builder: &mut *builder, spaces: &mut *spaces, tree, ids: &ids, named: &named, number };
        let marks = walk.marks();
        for gate in &process.gates {
            walk.gate(gate);
        }
        for parameter in &process.parameters {
            walk.bind(parameter, Kind::Parameter);
        }
        if let Functionality::Exit(sorts) = &process.functionality {
            sorts.iter().for_each(|sort| walk.spaces.sort(walk.builder, sort));
        }
        walk.behaviour(process.body);
        walk.leave(marks);
    }
}

/// What stands before the behaviour.
fn head(builder: &Builder<'_>, process: &Process) -> String {
    let whole = process.span;
    let text = builder.text(whole.file).get(whole.start as usize..whole.end as usize).unwrap_or("");
    let end = if process.outer.is_some() { text.find(":=") } else { text.find(['\n', '\r']) };
    let length = end.unwrap_or(text.len()) as u32;
    builder.one_line(Span { end: whole.start + length, ..whole })
}

struct Walk<'w, 't, 'm> {
    builder: &'w mut Builder<'t>,
    spaces: &'w mut Spaces<'m>,
    tree: &'m Tree,
    ids: &'w [SymbolId],
    named: &'w FxHashMap<(ProcessId, &'m str), ProcessId>,
    /// The process that is walked through.
    number: ProcessId,
}

impl<'m> Walk<'_, '_, 'm> {
    fn marks(&self) -> (usize, usize) {
        (self.spaces.gates.mark(), self.spaces.variables.mark())
    }

    fn leave(&mut self, (gates, variables): (usize, usize)) {
        self.spaces.gates.leave(gates);
        self.spaces.variables.leave(variables);
    }

    fn gate(&mut self, name: &'m Name) {
        let container = Some(self.ids[self.number]);
        let described = (name.span, format!("gate {}", self.builder.one_line(name.span)));
        let id = self.spaces.declare(self.builder, name, Kind::Gate, described, container);
        self.spaces.gates.enter(&name.text, id);
    }

    fn gates<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>) {
        for name in names {
            self.spaces.refer(self.builder, name, self.spaces.gates.get(&name.text));
        }
    }

    fn bind(&mut self, parameter: &'m Parameter, kind: Kind) {
        let container = Some(self.ids[self.number]);
        let id = self.spaces.variable(self.builder, parameter, kind, container);
        self.spaces.variables.enter(&parameter.name.text, id);
    }

    fn value(&mut self, id: usize) {
        value(self.builder, self.spaces, self.tree, id);
    }

    fn sync(&mut self, sync: &Sync) {
        if let Sync::Gates(gates) = sync {
            self.gates(gates);
        }
    }

    fn behaviour(&mut self, behaviour: BehaviourId) {
        let marks = self.marks();
        let mut at = behaviour;
        loop {
            match &self.tree.behaviours[at].kind {
                BehaviourKind::Prefix { gate, offers, predicate, then } => {
                    self.gates(gate);
                    self.offers(offers);
                    if let Some(predicate) = predicate {
                        condition(self.builder, self.spaces, self.tree, *predicate);
                    }
                    at = *then;
                }
                BehaviourKind::Guard(guard, then) => {
                    condition(self.builder, self.spaces, self.tree, *guard);
                    at = *then;
                }
                _ => break,
            }
        }
        self.other(at);
        self.leave(marks);
    }

    /// Values that are given do not see the variables of the same action.
    fn offers(&mut self, offers: &'m [Offer]) {
        for offer in offers {
            if let Offer::Give(value) = offer {
                self.value(*value);
            }
        }
        for offer in offers {
            if let Offer::Take(parameter) = offer {
                self.bind(parameter, Kind::Variable);
            }
        }
    }

    fn other(&mut self, behaviour: BehaviourId) {
        match &self.tree.behaviours[behaviour].kind {
            BehaviourKind::Stop | BehaviourKind::Prefix { .. } | BehaviourKind::Guard(..) => {}
            BehaviourKind::Exit(values) => {
                for value in values {
                    match value {
                        Exit::Value(value) => self.value(*value),
                        Exit::Any(sort) => self.spaces.sort(self.builder, sort),
                    }
                }
            }
            BehaviourKind::Choice(all) => all.iter().for_each(|&part| self.behaviour(part)),
            BehaviourKind::Parallel { sync, left, right } => {
                self.sync(sync);
                self.behaviour(*left);
                self.behaviour(*right);
            }
            BehaviourKind::Enable { left, accept, right } => {
                self.behaviour(*left);
                accept.iter().for_each(|parameter| self.bind(parameter, Kind::Variable));
                self.behaviour(*right);
            }
            BehaviourKind::Disable { left, right } => {
                self.behaviour(*left);
                self.behaviour(*right);
            }
            BehaviourKind::Hide { gates, body } => {
                gates.iter().for_each(|gate| self.gate(gate));
                self.behaviour(*body);
            }
            BehaviourKind::Let { bindings, body } => {
                bindings.iter().for_each(|(_, value)| self.value(*value));
                bindings.iter().for_each(|(parameter, _)| self.bind(parameter, Kind::Variable));
                self.behaviour(*body);
            }
            BehaviourKind::ChoiceValues { variables, body } => {
                variables.iter().for_each(|parameter| self.bind(parameter, Kind::Variable));
                self.behaviour(*body);
            }
            BehaviourKind::ChoiceGates { ranges, body } => {
                self.ranges(ranges);
                self.behaviour(*body);
            }
            BehaviourKind::ParGates { ranges, sync, body } => {
                self.sync(sync);
                self.ranges(ranges);
                self.behaviour(*body);
            }
            BehaviourKind::Call { process, gates, arguments } => {
                let called = self.called(process).map(|number| self.ids[number]);
                self.spaces.refer(self.builder, process, called);
                self.gates(gates);
                arguments.iter().for_each(|&argument| self.value(argument));
            }
        }
    }

    fn ranges(&mut self, ranges: &'m [(Name, Vec<Name>)]) {
        ranges.iter().for_each(|(_, among)| self.gates(among));
        ranges.iter().for_each(|(gate, _)| self.gate(gate));
    }

    /// A process sees itself, its own processes, and those around it.
    fn called(&self, name: &Name) -> Option<ProcessId> {
        let around = std::iter::successors(Some(self.number), |&inner| self.tree.processes[inner].outer);
        let mut found = around.filter_map(|outer| {
            let own = || (outer != 0 && self.tree.processes[outer].name.text == name.text).then_some(outer);
            self.named.get(&(outer, name.text.as_str())).copied().or_else(own)
        });
        found.next()
    }
}
