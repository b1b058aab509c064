//! Names of behaviours to what they stand for; sorts of values and ends of behaviours are checked.
//!
//! A process sees the processes and types around it, but no gates and variables besides its own (ISO 8807, section 7.3).
//! Recursion is as deep as behaviours nest, which the parser limits; sequences of actions are walked in a loop.

use crate::core::{Core, Exit, GateId, Node, NodeId, NodeKind, Offer, Process, ProcessId, Sync};
use crate::data::typing::{self, Scope, Typing};
use crate::data::{Data, ExpressionId, SortId, VariableId};
use crate::syntax::{self, BehaviourId, BehaviourKind, Functionality, Name, Parameter, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// How a behaviour ends: never, or with values of these sorts.
type Ends = Option<Vec<SortId>>;

/// The gates that are known at a place, the innermost last.
#[derive(Default)]
struct Gates {
    names: Vec<(String, GateId)>,
    /// The places of a name in that list.
    places: FxHashMap<String, Vec<usize>>,
}

impl Gates {
    fn extend(&mut self, more: impl Iterator<Item = (String, GateId)>) {
        for (name, gate) in more {
            self.places.entry(name.clone()).or_default().push(self.names.len());
            self.names.push((name, gate));
        }
    }

    fn truncate(&mut self, len: usize) {
        for (name, _) in self.names.drain(len..) {
            if let Some(places) = self.places.get_mut(&name) {
                places.pop();
            }
        }
    }

    fn get(&self, name: &str) -> Option<GateId> {
        self.places.get(name)?.last().map(|&place| self.names[place].1)
    }
}

/// Resolves the behaviours of a specification.
pub(crate) fn resolve(tree: &Tree, data: &mut Data, diagnostics: &mut Vec<Diagnostic>) -> Core {
    let mut named = FxHashMap::default();
    for (outer, process) in tree.processes.iter().enumerate() {
        for &inner in &process.inner {
            named.entry((outer, tree.processes[inner].name.text.as_str())).or_insert(inner);
        }
    }
    let mut resolver = Resolver {
        tree,
        named,
        data,
        diagnostics,
        core: Core::default(),
        ends: Vec::new(),
        variables: Scope::new(),
        gates: Gates::default(),
    };
    for process in &tree.processes {
        resolver.header(process);
    }
    for number in 0..tree.processes.len() {
        resolver.process(number);
    }
    resolver.core
}

struct Resolver<'a> {
    tree: &'a Tree,
    /// The first process of a name that is declared in another one.
    named: FxHashMap<(ProcessId, &'a str), ProcessId>,
    data: &'a mut Data,
    diagnostics: &'a mut Vec<Diagnostic>,
    core: Core,
    /// Declared ends of processes.
    ends: Vec<Ends>,
    variables: Scope,
    gates: Gates,
}

impl Resolver<'_> {
    fn error(&mut self, code: volvelle_diagnostics::Code, message: String, span: Span) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, ""));
    }

    fn header(&mut self, process: &syntax::Process) {
        let ends = match &process.functionality {
            Functionality::Noexit => None,
            Functionality::Exit(sorts) => Some(sorts.iter().filter_map(|sort| self.sort(sort)).collect()),
        };
        self.ends.push(ends);
        let gates: Vec<GateId> = process.gates.iter().map(|gate| self.new_gate(gate)).collect();
        self.distinct(&process.gates, "gate");
        let names: Vec<Name> = process.parameters.iter().map(|p| p.name.clone()).collect();
        self.distinct(&names, "variable");
        let parameters: Vec<VariableId> =
            process.parameters.iter().map(|parameter| self.new_variable(parameter)).collect();
        self.core.processes.push(Process {
            name: process.name.text.clone(),
            gates,
            parameters,
            body: 0,
            span: process.name.span,
        });
    }

    fn distinct(&mut self, names: &[Name], what: &str) {
        let mut seen = FxHashSet::default();
        for name in names {
            if !seen.insert(name.text.as_str()) {
                let message = format!("the {what} `{}` is declared twice", name.text);
                self.error(codes::LOTOS_DECLARATION, message, name.span);
            }
        }
    }

    fn new_gate(&mut self, name: &Name) -> GateId {
        self.core.gates.push(name.text.clone());
        self.core.gates.len() - 1
    }

    fn new_variable(&mut self, parameter: &Parameter) -> VariableId {
        let sort = self.sort(&parameter.sort).unwrap_or(crate::data::BOOL);
        self.data.add_variable(&parameter.name.text, sort)
    }

    fn sort(&mut self, name: &Name) -> Option<SortId> {
        let found = self.data.sort(&name.text);
        if found.is_none() {
            self.diagnostics.push(crate::data::names::unknown_sort(self.data, name));
        }
        found
    }

    fn process(&mut self, number: ProcessId) {
        let process = &self.tree.processes[number];
        let own = self.core.processes[number].clone();
        self.gates = Gates::default();
        self.gates.extend(process.gates.iter().map(|gate| gate.text.clone()).zip(own.gates));
        self.variables = process.parameters.iter().map(|p| p.name.text.clone()).zip(own.parameters).collect();
        for &inner in &process.inner {
            let name = &self.tree.processes[inner].name;
            let first = self.named[&(number, name.text.as_str())];
            if first != inner {
                let other = &self.tree.processes[first].name;
                let message = format!("the process `{}` is declared twice", name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::LOTOS_DECLARATION, message)
                        .at(name.span, "")
                        .also(other.span, "the first declaration"),
                );
            }
        }
        let (body, ends) = self.behaviour(number, process.body);
        self.core.processes[number].body = body;
        let declared = &self.ends[number];
        // A behaviour that never ends may be where one is declared that may end.
        if ends.is_some() && ends != *declared {
            let (has, says) = (self.ends_text(&ends), self.ends_text(declared));
            let message =
                format!("`{}` is declared as `{says}`, but its behaviour is `{has}`", process.name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::LOTOS_ENDS, message)
                    .at(process.name.span, "")
                    .help(format!("declare it as `{has}`, or change how the behaviour ends")),
            );
        }
    }

    fn ends_text(&self, ends: &Ends) -> String {
        match ends {
            None => "noexit".to_owned(),
            Some(sorts) if sorts.is_empty() => "exit".to_owned(),
            Some(sorts) => {
                let names: Vec<&str> = sorts.iter().map(|&s| self.data.sorts[s].name.as_str()).collect();
                format!("exit ({})", names.join(", "))
            }
        }
    }

    fn node(&mut self, kind: NodeKind, span: Span) -> NodeId {
        let (mut variables, mut gates) = (Vec::new(), Vec::new());
        let node = Node { kind, span, variables: Vec::new(), gates: Vec::new() };
        self.core.nodes.push(node);
        let id = self.core.nodes.len() - 1;
        for part in self.core.parts(id) {
            variables.extend_from_slice(&self.core.nodes[part].variables);
            gates.extend_from_slice(&self.core.nodes[part].gates);
        }
        let data = &*self.data;
        let (mut bound, mut bound_gates): (Vec<VariableId>, Vec<GateId>) = (Vec::new(), Vec::new());
        let mut used: Vec<ExpressionId> = Vec::new();
        match &self.core.nodes[id].kind {
            NodeKind::Stop | NodeKind::Choice(_) | NodeKind::Disable { .. } => {}
            NodeKind::Exit(all) => used.extend(all.iter().filter_map(|exit| match exit {
                Exit::Value(value) => Some(*value),
                Exit::Any(_) => None,
            })),
            NodeKind::Prefix { gate, offers, predicate, .. } => {
                gates.extend(gate);
                used.extend(predicate);
                for offer in offers {
                    match offer {
                        Offer::Give(value) => used.push(*value),
                        Offer::Take(variable) => bound.push(*variable),
                    }
                }
            }
            NodeKind::Guard(condition, _) => used.push(*condition),
            NodeKind::Parallel { sync, .. } => gates.extend(sync_gates(sync)),
            NodeKind::Enable { accept, .. } => bound.extend(accept),
            NodeKind::Hide { gates, .. } => bound_gates.extend(gates),
            NodeKind::Let { bindings, .. } => {
                bound.extend(bindings.iter().map(|(variable, _)| *variable));
                used.extend(bindings.iter().map(|(_, value)| *value));
            }
            NodeKind::ChoiceValue { variable, .. } => bound.push(*variable),
            NodeKind::ChoiceGate { gate, among, .. } => {
                bound_gates.push(*gate);
                gates.extend(among);
            }
            NodeKind::ParGate { gate, among, sync, .. } => {
                bound_gates.push(*gate);
                gates.extend(among);
                gates.extend(sync_gates(sync));
            }
            NodeKind::Call { gates: actual, arguments, .. } => {
                gates.extend(actual);
                used.extend(arguments);
            }
        }
        variables.extend(used.into_iter().flat_map(|expression| data.free_variables(expression)));
        // Binding occurrences are distinct, so that what is bound here is free nowhere else.
        variables.retain(|variable| !bound.contains(variable));
        gates.retain(|gate| !bound_gates.contains(gate));
        for list in [&mut variables, &mut gates] {
            list.sort_unstable();
            list.dedup();
        }
        self.core.nodes[id].variables = variables;
        self.core.nodes[id].gates = gates;
        id
    }

    fn gate(&mut self, name: &Name) -> Option<GateId> {
        let found = self.gates.get(&name.text);
        if let Some(gate) = found {
            return Some(gate);
        }
        let known = self.gates.names.iter().map(|(name, _)| name.as_str());
        let message = format!("there is no gate `{}` here", name.text);
        let diagnostic =
            Diagnostic::error(codes::LOTOS_NAME, message).at_misspelt(name.span, &name.text, known);
        self.diagnostics.push(diagnostic.help("a process knows only its own gates: declare it, or hide it"));
        None
    }

    fn gates_of(&mut self, names: &[Name]) -> Vec<GateId> {
        names.iter().filter_map(|name| self.gate(name)).collect()
    }

    fn value(&mut self, value: syntax::ValueId, expected: Option<SortId>) -> Option<ExpressionId> {
        let (scope, renamings) = (&self.variables, &Vec::new());
        Typing { tree: self.tree, data: self.data, scope, renamings, diagnostics: self.diagnostics }
            .value(value, expected)
    }

    fn condition(&mut self, condition: syntax::Condition) -> Option<ExpressionId> {
        let (scope, renamings) = (&self.variables, &Vec::new());
        Typing { tree: self.tree, data: self.data, scope, renamings, diagnostics: self.diagnostics }
            .condition(condition)
    }

    fn sync(&mut self, sync: &syntax::Sync) -> Sync {
        match sync {
            syntax::Sync::All => Sync::All,
            syntax::Sync::Gates(names) => Sync::Gates(self.gates_of(names)),
        }
    }

    /// Ends of alternatives.
    fn either(&mut self, a: Ends, b: Ends, span: Span) -> Ends {
        match (a, b) {
            (None, ends) | (ends, None) => ends,
            (a, b) => {
                self.same_ends(&a, &b, span);
                a
            }
        }
    }

    fn same_ends(&mut self, a: &Ends, b: &Ends, span: Span) {
        if a != b {
            let message =
                format!("one part ends as `{}`, the other as `{}`", self.ends_text(a), self.ends_text(b));
            let diagnostic = Diagnostic::error(codes::LOTOS_ENDS, message).at(span, "");
            self.diagnostics.push(diagnostic.help("parts of a behaviour end with values of the same sorts"));
        }
    }

    fn behaviour(&mut self, process: ProcessId, behaviour: BehaviourId) -> (NodeId, Ends) {
        // Actions and guards in front, with the sizes of the scope before them.
        let size = self.variables.len();
        let mut front: Vec<(Option<NodeKind>, Span)> = Vec::new();
        let mut at = behaviour;
        loop {
            let syntax::Behaviour { kind, span } = &self.tree.behaviours[at];
            match kind {
                BehaviourKind::Prefix { gate, offers, predicate, then } => {
                    front.push((self.action(gate.as_ref(), offers, *predicate), *span));
                    at = *then;
                }
                BehaviourKind::Guard(condition, then) => {
                    let condition = self.condition(*condition);
                    front.push((condition.map(|condition| NodeKind::Guard(condition, 0)), *span));
                    at = *then;
                }
                _ => break,
            }
        }
        let (mut node, ends) = self.other(process, at);
        for (kind, span) in front.into_iter().rev() {
            let kind = match kind {
                Some(NodeKind::Prefix { gate, offers, predicate, .. }) => {
                    NodeKind::Prefix { gate, offers, predicate, then: node }
                }
                Some(NodeKind::Guard(condition, _)) => NodeKind::Guard(condition, node),
                _ => continue,
            };
            node = self.node(kind, span);
        }
        self.variables.truncate(size);
        (node, ends)
    }

    fn action(
        &mut self,
        gate: Option<&Name>,
        offers: &[syntax::Offer],
        predicate: Option<syntax::Condition>,
    ) -> Option<NodeKind> {
        let is_internal = gate.is_none();
        let gate = gate.map(|gate| self.gate(gate));
        let mut resolved = Vec::new();
        // Values that are given do not see the variables of the same action.
        let mut taken = Vec::new();
        let mut complete = true;
        for offer in offers {
            match offer {
                syntax::Offer::Give(value) => {
                    let before = self.diagnostics.len();
                    match self.value(*value, None) {
                        Some(value) => resolved.push(Offer::Give(value)),
                        None => {
                            complete = false;
                            self.taken_beside(before, offers);
                        }
                    }
                }
                syntax::Offer::Take(parameter) => {
                    let variable = self.new_variable(parameter);
                    if taken.iter().any(|(name, _)| *name == parameter.name.text) {
                        self.distinct(&[parameter.name.clone(), parameter.name.clone()], "variable");
                    }
                    taken.push((parameter.name.text.clone(), variable));
                    resolved.push(Offer::Take(variable));
                }
            }
        }
        self.variables.extend(taken);
        let predicate = predicate.map(|predicate| self.condition(predicate));
        if predicate == Some(None) || gate == Some(None) || !complete {
            return None;
        }
        let (gate, predicate) = (gate.flatten(), predicate.flatten());
        debug_assert!(gate.is_some() || is_internal);
        Some(NodeKind::Prefix { gate, offers: resolved, predicate, then: 0 })
    }

    /// Says more about names that are unknown because the same action takes them.
    fn taken_beside(&mut self, first: usize, offers: &[syntax::Offer]) {
        for offer in offers {
            let syntax::Offer::Take(Parameter { name, .. }) = offer else { continue };
            let message = typing::unknown(&name.text);
            let unknown =
                self.diagnostics[first..].iter_mut().find(|diagnostic| diagnostic.message == message);
            let Some(unknown) = unknown else { continue };
            let better = unknown
                .clone()
                .also(name.span, "taken here")
                .note("a value `!e` does not see what the same action takes; predicates and what follows do")
                .help("take this value, too, and require what it is: g ?x : S ?y : T [y == f (x)]");
            *unknown = better;
        }
    }

    fn other(&mut self, process: ProcessId, behaviour: BehaviourId) -> (NodeId, Ends) {
        let tree = self.tree;
        let syntax::Behaviour { kind, span } = &tree.behaviours[behaviour];
        let span = *span;
        let (variables, gates) = (self.variables.len(), self.gates.names.len());
        let (kind, ends) = match kind {
            BehaviourKind::Stop | BehaviourKind::Prefix { .. } | BehaviourKind::Guard(..) => {
                (NodeKind::Stop, None)
            }
            BehaviourKind::Exit(values) => self.exit(values),
            BehaviourKind::Choice(all) => {
                let (mut nodes, mut ends) = (Vec::new(), None);
                for &part in all {
                    let (node, its) = self.behaviour(process, part);
                    nodes.push(node);
                    ends = self.either(ends, its, tree.behaviours[part].span);
                }
                (NodeKind::Choice(nodes), ends)
            }
            BehaviourKind::Parallel { sync, left, right } => {
                let sync = self.sync(sync);
                let (left, a) = self.behaviour(process, *left);
                let (right, b) = self.behaviour(process, *right);
                // A part that never ends keeps the whole from ending.
                let ends = if a.is_some() && b.is_some() {
                    self.same_ends(&a, &b, span);
                    a
                } else {
                    None
                };
                (NodeKind::Parallel { sync, left, right }, ends)
            }
            BehaviourKind::Enable { left, accept, right } => {
                let (left, a) = self.behaviour(process, *left);
                let accept_ids: Vec<VariableId> = accept.iter().map(|p| self.new_variable(p)).collect();
                let sorts: Vec<SortId> = accept_ids.iter().map(|&v| self.data.variables[v].sort).collect();
                self.check_accepted(a, sorts, span);
                let names = accept.iter().map(|p| p.name.text.clone());
                self.variables.extend(names.zip(accept_ids.iter().copied()));
                let (right, ends) = self.behaviour(process, *right);
                (NodeKind::Enable { left, accept: accept_ids, right }, ends)
            }
            BehaviourKind::Disable { left, right } => {
                let (left, a) = self.behaviour(process, *left);
                let (right, b) = self.behaviour(process, *right);
                (NodeKind::Disable { left, right }, self.either(a, b, span))
            }
            BehaviourKind::Hide { gates: names, body } => {
                let hidden: Vec<GateId> = names.iter().map(|name| self.new_gate(name)).collect();
                self.gates.extend(names.iter().map(|name| name.text.clone()).zip(hidden.iter().copied()));
                let (body, ends) = self.behaviour(process, *body);
                (NodeKind::Hide { gates: hidden, body }, ends)
            }
            BehaviourKind::Let { bindings, body } => {
                let bindings = self.bindings(bindings);
                let (body, ends) = self.behaviour(process, *body);
                (NodeKind::Let { bindings, body }, ends)
            }
            BehaviourKind::ChoiceValues { variables: bound, body } => {
                let ids: Vec<VariableId> = bound.iter().map(|p| self.new_variable(p)).collect();
                let names = bound.iter().map(|p| p.name.text.clone());
                self.variables.extend(names.zip(ids.iter().copied()));
                let (mut body, ends) = self.behaviour(process, *body);
                for &variable in ids.iter().rev() {
                    body = self.node(NodeKind::ChoiceValue { variable, body }, span);
                }
                self.restore(variables, gates);
                return (body, ends);
            }
            BehaviourKind::ChoiceGates { ranges, body } => {
                let bound = self.ranges(ranges);
                let (mut body, ends) = self.behaviour(process, *body);
                self.restore(variables, gates);
                for (gate, among) in bound.into_iter().rev() {
                    body = self.node(NodeKind::ChoiceGate { gate, among, body }, span);
                }
                return (body, ends);
            }
            BehaviourKind::ParGates { ranges, sync, body } => {
                let sync = self.sync(sync);
                let bound = self.ranges(ranges);
                let (mut body, ends) = self.behaviour(process, *body);
                self.restore(variables, gates);
                for (gate, among) in bound.into_iter().rev() {
                    body = self.node(NodeKind::ParGate { gate, among, sync: sync.clone(), body }, span);
                }
                return (body, ends);
            }
            BehaviourKind::Call { process: name, gates: actual, arguments } => {
                let actual_gates = self.gates_of(actual);
                self.call(process, name, actual, actual_gates, arguments)
            }
        };
        self.restore(variables, gates);
        (self.node(kind, span), ends)
    }

    fn exit(&mut self, values: &[syntax::Exit]) -> (NodeKind, Ends) {
        let mut exits = Vec::new();
        for value in values {
            exits.extend(match value {
                syntax::Exit::Value(value) => self.value(*value, None).map(Exit::Value),
                syntax::Exit::Any(sort) => self.sort(sort).map(Exit::Any),
            });
        }
        let sort = |exit: &Exit| match exit {
            Exit::Value(value) => self.data.expressions[*value].sort,
            Exit::Any(sort) => *sort,
        };
        let sorts = exits.iter().map(sort).collect();
        (NodeKind::Exit(exits), Some(sorts))
    }

    /// Variables with their values, which do not see each other.
    fn bindings(&mut self, bindings: &[(Parameter, syntax::ValueId)]) -> Vec<(VariableId, ExpressionId)> {
        let mut resolved = Vec::new();
        let mut names = Vec::new();
        for (parameter, value) in bindings {
            let variable = self.new_variable(parameter);
            let sort = self.data.variables[variable].sort;
            names.push((parameter.name.text.clone(), variable));
            if let Some(value) = self.value(*value, Some(sort)) {
                resolved.push((variable, value));
            }
        }
        self.variables.extend(names);
        resolved
    }

    /// Reports values of the left side of `>>` that are others than it takes.
    fn check_accepted(&mut self, ends: Ends, sorts: Vec<SortId>, span: Span) {
        let Some(values) = ends.filter(|values| *values != sorts) else { return };
        let names = values.iter().enumerate().map(|(k, &sort)| {
            let name = if values.len() == 1 { "x".to_owned() } else { format!("x{}", k + 1) };
            format!("{name} : {}", self.data.sorts[sort].name)
        });
        let help = match values.is_empty() {
            true => "leave `accept` out, or end the left side with values: exit (e)".to_owned(),
            false => {
                format!("take the values: B1 >> accept {} in B2", names.collect::<Vec<_>>().join(", "))
            }
        };
        let (has, takes) = (self.ends_text(&Some(values)), self.ends_text(&Some(sorts)));
        let message = format!("the left side ends as `{has}`, but `>>` takes `{takes}`");
        let diagnostic = Diagnostic::error(codes::LOTOS_ENDS, message).at(span, "");
        self.diagnostics.push(diagnostic.help(help));
    }

    fn restore(&mut self, variables: usize, gates: usize) {
        self.variables.truncate(variables);
        self.gates.truncate(gates);
    }

    fn ranges(&mut self, ranges: &[(Name, Vec<Name>)]) -> Vec<(GateId, Vec<GateId>)> {
        let among: Vec<Vec<GateId>> = ranges.iter().map(|(_, among)| self.gates_of(among)).collect();
        let gates: Vec<GateId> = ranges.iter().map(|(name, _)| self.new_gate(name)).collect();
        self.gates.extend(ranges.iter().map(|(name, _)| name.text.clone()).zip(gates.iter().copied()));
        gates.into_iter().zip(among).collect()
    }

    fn call(
        &mut self,
        from: ProcessId,
        name: &Name,
        actual: &[Name],
        gates: Vec<GateId>,
        arguments: &[syntax::ValueId],
    ) -> (NodeKind, Ends) {
        let tree = self.tree;
        // A process sees itself, its own processes, and those around it.
        let around = || std::iter::successors(Some(from), |&inner| tree.processes[inner].outer);
        let mut found = around().filter_map(|outer| {
            let own = || (outer != 0 && tree.processes[outer].name.text == name.text).then_some(outer);
            self.named.get(&(outer, name.text.as_str())).copied().or_else(own)
        });
        let Some(process) = found.next() else {
            let visible = around().flat_map(|outer| {
                tree.processes[outer].inner.iter().copied().chain((outer != 0).then_some(outer))
            });
            let known = visible.map(|p| tree.processes[p].name.text.as_str());
            let message = format!("there is no process `{}` here", name.text);
            let unknown = Diagnostic::error(codes::LOTOS_NAME, message);
            self.diagnostics.push(unknown.at_misspelt(name.span, &name.text, known));
            return (NodeKind::Stop, None);
        };
        let callee = &tree.processes[process];
        let counts =
            [(callee.gates.len(), actual.len(), "gate"), (callee.parameters.len(), arguments.len(), "value")];
        for (wanted, given, what) in counts {
            if wanted != given {
                let plural = if wanted == 1 { "" } else { "s" };
                let message = format!("`{}` takes {wanted} {what}{plural}, but {given} are given", name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::LOTOS_ARGUMENTS, message)
                        .at(name.span, "")
                        .also(callee.name.span, "declared here"),
                );
            }
        }
        let sorts: Vec<SortId> = (self.core.processes[process].parameters.iter())
            .map(|&parameter| self.data.variables[parameter].sort)
            .collect();
        let values: Vec<Option<ExpressionId>> =
            arguments.iter().zip(&sorts).map(|(&value, &sort)| self.value(value, Some(sort))).collect();
        let ends = self.ends[process].clone();
        let complete = gates.len() == callee.gates.len() && values.len() == callee.parameters.len();
        match values.into_iter().collect::<Option<Vec<ExpressionId>>>().filter(|_| complete) {
            Some(arguments) => (NodeKind::Call { process, gates, arguments }, ends),
            None => (NodeKind::Stop, ends),
        }
    }
}

fn sync_gates(sync: &Sync) -> &[GateId] {
    match sync {
        Sync::Gates(gates) => gates,
        Sync::All => &[],
    }
}
