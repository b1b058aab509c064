//! Sequential components, their control locations, and how steps lead from one to another.
//!
//! A *unit* is a part that moves on its own: an operand of parallel operators. At each of its *locations* it stands before a choice of
//! actions, or waits for the units of a parallel composition (a *fork*) below it. Left sides of `>>` and `[>` do not need units: a
//! location knows the operators in whose left side it is (its *frames*). So there are finitely many locations unless a process calls
//! itself through a parallel operator, or in the left side of `>>` or `[>`.

use super::config::{Calls, Config, Constants, Env, Frame, Gate, Shape, differ};
use super::initial::DEEPEST;
use super::network::{At, Fork, ForkId, Key, Known, Location, LocationId, Operator, Unit, UnitId};
use super::{Lowering, Reported};
use crate::core::{NodeId, NodeKind, ProcessId};
use crate::data::{SortId, VariableId};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::{ExprId, FailKind};
use volvelle_model::{Component, ComponentId, Domain, Field, FieldId, SiteInfo, SiteSubject};

/// The way out where a process calls itself.
const RECURSION_HELP: &str =
    "count copies down from a constant: [N > 0] -> (Q ||| P (N - 1)); or keep a value in their place";

/// Processes that are replaced one by the other before any action.
const MOST_CALLS: usize = 1000;

/// Left sides of `>>` and `[>` inside of each other.
const MOST_FRAMES: usize = 300;

/// Units beyond which a specification is refused.
const MOST_UNITS: usize = 1 << 10;

/// The values that a step gives to fields.
pub(super) type Writes = FxHashMap<FieldId, ExprId>;

impl Lowering<'_> {
    /// A new unit. Its fields are made here; those of variables as they are needed.
    pub fn new_unit(&mut self, fork: Option<ForkId>, around: Vec<Operator>) -> UnitId {
        let number = self.units.len();
        let component = ComponentId(self.program.components.len() as u32);
        self.program.components.push(Component { name: format!("unit {number}") });
        let field = self.new_field(component, "at".to_owned(), Domain::Int { lo: 0, hi: 0 });
        let (locations, slots, forks) = (Vec::new(), Vec::new(), Vec::new());
        self.units.push(Unit { fork, around, locations, field, slots, component, forks });
        number
    }

    /// Prepares a unit for the next round.
    pub fn reset_unit(&mut self, unit: UnitId) {
        let component = ComponentId(self.program.components.len() as u32);
        self.program.components.push(Component { name: format!("unit {unit}") });
        let field = self.new_field(component, "at".to_owned(), Domain::Int { lo: 0, hi: 0 });
        let unit = &mut self.units[unit];
        unit.locations.clear();
        unit.slots.clear();
        (unit.field, unit.component) = (field, component);
    }

    fn new_field(&mut self, component: ComponentId, name: String, domain: Domain) -> FieldId {
        let origin = self.nowhere;
        self.program.fields.push(Field { name, domain, component: Some(component), length: 1, origin });
        FieldId(self.program.fields.len() as u32 - 1)
    }

    /// A field of a unit for its n-th variable of a domain.
    fn slot(&mut self, unit: UnitId, variable: VariableId, n: usize) -> FieldId {
        let domain = self.domain(self.data.variables[variable].sort);
        let mut same = self.units[unit].slots.iter().filter(|(known, _)| *known == domain);
        if let Some(&(_, field)) = same.nth(n) {
            return field;
        }
        let component = self.units[unit].component;
        // Other variables may use it at other locations.
        let name = self.data.variables[variable].name.clone();
        let field = self.new_field(component, name, domain);
        self.units[unit].slots.push((domain, field));
        field
    }

    /// A composition without frames: its operators, and its parts. Operators inside of operators are one composition.
    fn composition(
        &mut self,
        config: &Config,
        calls: &mut Calls,
        parts: &mut Vec<Config>,
        around: &mut Vec<Operator>,
    ) -> Result<Shape, Reported> {
        self.depth += 1;
        let shape = self.composition_of(config, calls, parts, around);
        self.depth -= 1;
        shape
    }

    fn composition_of(
        &mut self,
        config: &Config,
        calls: &mut Calls,
        parts: &mut Vec<Config>,
        around: &mut Vec<Operator>,
    ) -> Result<Shape, Reported> {
        if self.depth > DEEPEST {
            return Err(self.too_deep(config));
        }
        if parts.len() > MOST_UNITS {
            return Err(self.too_many_units(config.node()));
        }
        match config {
            Config::Term(node, env) => {
                let core = self.core;
                if let NodeKind::Call { process, arguments, .. } = &core.nodes[*node].kind {
                    let (process, arguments) = (*process, self.arguments(arguments, env));
                    if calls.iter().any(|(known, before)| *known == process && !differ(before, &arguments)) {
                        return Err(self.recursion(
                            *node,
                            process,
                            "through a parallel operator or before any action",
                        ));
                    }
                    calls.push((process, arguments));
                    let next = self.unfolded(*node, env)?;
                    let shape = match next {
                        Some(next) => self.composition(&next, calls, parts, around)?,
                        None => Shape::Leaf,
                    };
                    calls.pop();
                    return Ok(shape);
                }
                let next = match self.decided(*node, env) {
                    Some(next) => Some(next),
                    None => self.unfolded(*node, env)?,
                };
                match next {
                    Some(next @ (Config::Par { .. } | Config::Term(..))) => {
                        self.composition(&next, calls, parts, around)
                    }
                    _ => {
                        parts.push(config.clone());
                        Ok(Shape::Leaf)
                    }
                }
            }
            Config::Par { node, constants, sync, renamed, left, right } => {
                around.push((*node, constants.clone()));
                let left = self.composition(left, calls, parts, around)?;
                let right = self.composition(right, calls, parts, around)?;
                Ok(Shape::Par(*node, sync.to_vec(), renamed.clone(), Box::new(left), Box::new(right)))
            }
            _ => {
                parts.push(config.clone());
                Ok(Shape::Leaf)
            }
        }
    }

    /// The units of the whole, with what they begin with.
    pub fn roots(&mut self, config: &Config) -> Result<(Shape, Vec<UnitId>, Writes), Reported> {
        let mut parts = Vec::new();
        let mut around = Vec::new();
        let shape = self.composition(config, &mut Vec::new(), &mut parts, &mut around)?;
        let mut writes = Writes::default();
        // They come first, so that they have the same numbers in all rounds.
        while self.units.len() < parts.len() {
            self.new_unit(None, around.clone());
        }
        let units: Vec<UnitId> = (0..parts.len()).collect();
        for (unit, part) in parts.iter().enumerate() {
            self.enter(unit, part, Vec::new(), &mut writes)?;
        }
        Ok((shape, units, writes))
    }

    /// Makes a unit begin with a behaviour: the values that its fields are given, and those of units below it.
    pub fn enter(
        &mut self,
        unit: UnitId,
        config: &Config,
        mut frames: Vec<Frame>,
        writes: &mut Writes,
    ) -> Result<(), Reported> {
        let core = self.core;
        let mut config = config.clone();
        let mut calls = Calls::new();
        loop {
            match config {
                Config::Enable { node, left, env } | Config::Disable { node, left, env } => {
                    let constants = self.constants(node, &env);
                    let is_again =
                        |frame: &Frame| frame.node == node && !differ(&frame.constants, &constants);
                    if frames.iter().any(is_again) || frames.len() > MOST_FRAMES {
                        return Err(self.recursion_at(node, "in the left side of `>>` or `[>`"));
                    }
                    frames.push(Frame { node, env, constants });
                    config = Config::clone(&left);
                }
                Config::Par { .. } => return self.enter_fork(unit, &config, frames, writes),
                Config::Ended => {
                    let location = self.location(unit, At::Ended, Vec::new(), &[]);
                    self.arrive(unit, location, Vec::new(), writes);
                    return Ok(());
                }
                Config::Term(node, ref env) => {
                    if let NodeKind::Call { process, arguments, .. } = &core.nodes[node].kind {
                        let (process, arguments) = (*process, self.arguments(arguments, env));
                        let is_again = |(known, before): &(ProcessId, Constants)| {
                            *known == process && !differ(before, &arguments)
                        };
                        if calls.len() > MOST_CALLS || calls.iter().any(is_again) {
                            return Err(self.unguarded(node, process));
                        }
                        calls.push((process, arguments));
                    }
                    let next = match self.decided(node, env) {
                        Some(next) => Some(next),
                        None => self.unfolded(node, env)?,
                    };
                    match next {
                        Some(next) => config = next,
                        None => {
                            let (node, env) = (node, env.clone());
                            self.enter_node(unit, node, &env, &frames, writes);
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    fn enter_node(&mut self, unit: UnitId, node: NodeId, env: &Env, frames: &[Frame], writes: &mut Writes) {
        let core = self.core;
        let is_stop = matches!(core.nodes[node].kind, NodeKind::Stop);
        let may_go_on =
            frames.iter().any(|frame| matches!(core.nodes[frame.node].kind, NodeKind::Disable { .. }));
        if is_stop && !may_go_on {
            // All of them are the same, wherever they are.
            let location = self.location(unit, At::Node(self.stop), Vec::new(), &[]);
            return self.arrive(unit, location, Vec::new(), writes);
        }
        let node = if is_stop { self.stop } else { self.first_equal[node] };
        let gates = core.nodes[node].gates.iter().map(|gate| env.gates[gate]).collect();
        let own = &core.nodes[node].variables;
        let mut values: Vec<ExprId> = own.iter().map(|variable| env.values[variable]).collect();
        values.extend(self.frame_values(frames));
        let location = self.location(unit, At::Node(node), gates, frames);
        self.arrive(unit, location, values, writes);
    }

    fn enter_fork(
        &mut self,
        unit: UnitId,
        config: &Config,
        frames: Vec<Frame>,
        writes: &mut Writes,
    ) -> Result<(), Reported> {
        let mut parts = Vec::new();
        let mut operators = Vec::new();
        let shape = self.composition(config, &mut Vec::new(), &mut parts, &mut operators)?;
        let outer = &self.units[unit].around;
        let is_again = |(node, constants): &&Operator| {
            outer.iter().any(|(known, before)| known == node && !differ(before, constants))
        };
        if let Some(&(again, _)) = operators.iter().find(is_again) {
            return Err(self.recursion_at(again, "through a parallel operator"));
        }
        let key = (unit, shape.clone());
        let fork = match self.fork_numbers.get(&key) {
            Some(&fork) => fork,
            None => {
                let fork = self.forks.len();
                self.forks.push(Fork { shape, units: Vec::new() });
                let around: Vec<Operator> = outer.iter().cloned().chain(operators).collect();
                if self.units.len() + parts.len() > MOST_UNITS {
                    return Err(self.too_many_units(around.last().map(|&(node, _)| node)));
                }
                let units = parts.iter().map(|_| self.new_unit(Some(fork), around.clone())).collect();
                self.forks[fork].units = units;
                self.units[unit].forks.push(fork);
                self.fork_numbers.insert(key, fork);
                fork
            }
        };
        for (part, child) in parts.iter().zip(self.forks[fork].units.clone()) {
            self.enter(child, part, Vec::new(), writes)?;
        }
        let values = self.frame_values(&frames);
        let location = self.location(unit, At::Fork(fork), Vec::new(), &frames);
        self.arrive(unit, location, values, writes);
        Ok(())
    }

    fn frame_variables(&self, node: NodeId) -> Vec<VariableId> {
        let (right, accept): (NodeId, &[VariableId]) = match &self.core.nodes[node].kind {
            NodeKind::Enable { right, accept, .. } => (*right, accept),
            NodeKind::Disable { right, .. } => (*right, &[]),
            _ => return Vec::new(),
        };
        let all = &self.core.nodes[right].variables;
        all.iter().copied().filter(|variable| !accept.contains(variable)).collect()
    }

    fn frame_gates(&self, node: NodeId) -> &[crate::core::GateId] {
        match &self.core.nodes[node].kind {
            NodeKind::Enable { right, .. } | NodeKind::Disable { right, .. } => {
                &self.core.nodes[*right].gates
            }
            _ => &[],
        }
    }

    fn frame_values(&self, frames: &[Frame]) -> Vec<ExprId> {
        let values = |frame: &Frame| {
            let env = frame.env.clone();
            self.frame_variables(frame.node).into_iter().map(move |variable| env.values[&variable])
        };
        frames.iter().flat_map(values).collect()
    }

    fn location(&mut self, unit: UnitId, at: At, gates: Vec<Gate>, frames: &[Frame]) -> LocationId {
        let gates_of = |frame: &Frame| {
            let gates = self.frame_gates(frame.node).iter().map(|gate| frame.env.gates[gate]);
            (frame.node, gates.collect())
        };
        let key = Key { unit, at, gates, frames: frames.iter().map(gates_of).collect() };
        if let Some(&known) = self.location_numbers.get(&key) {
            return known;
        }
        let mut variables: Vec<VariableId> = match key.at {
            At::Node(node) => self.core.nodes[node].variables.clone(),
            _ => Vec::new(),
        };
        variables.extend(frames.iter().flat_map(|frame| self.frame_variables(frame.node)));
        let known = self.known.get(&key).cloned();
        let variables: Vec<(VariableId, Known)> = variables
            .into_iter()
            .enumerate()
            .map(|(k, variable)| (variable, known.as_ref().map_or(Known::Nothing, |known| known[k])))
            .collect();
        // Variables that vary share the fields of the unit, by their domains.
        let mut used: FxHashMap<Domain, usize> = FxHashMap::default();
        let mut fields = Vec::new();
        for &(variable, known) in &variables {
            let varies = known == Known::Varies;
            fields.push(varies.then(|| {
                let domain = self.domain(self.data.variables[variable].sort);
                let n = used.entry(domain).or_default();
                *n += 1;
                self.slot(unit, variable, *n - 1)
            }));
        }
        let id = self.locations.len();
        let number = self.units[unit].locations.len() as i64 + i64::from(self.units[unit].fork.is_some());
        if self.units[unit].locations.is_empty() {
            self.name_unit(unit, &key);
        }
        self.units[unit].locations.push(id);
        self.location_numbers.insert(key.clone(), id);
        self.locations.push(Location { key, variables, fields, number });
        self.todo.push_back(id);
        id
    }

    /// Names a unit after the process with which it begins, with a number where others have the name.
    fn name_unit(&mut self, unit: UnitId, key: &Key) {
        let node = match (&key.at, key.frames.first()) {
            (At::Node(node), _) => *node,
            (_, Some((node, _))) => *node,
            _ => self.core.processes[0].body,
        };
        let process = &self.core.processes[self.owners.get(node).copied().unwrap_or(0)].name;
        let components = &self.program.components;
        let numbered = format!("{process} ");
        let begins = |name: &str| name == process || name.starts_with(&numbered);
        let others = components.iter().filter(|component| begins(&component.name)).count();
        let name = if others == 0 { process.clone() } else { format!("{process} {}", others + 1) };
        self.program.components[self.units[unit].component.index()].name = name;
    }

    /// Sets the location of a unit and the variables there. What is learnt about the variables is kept for the next round.
    fn arrive(&mut self, unit: UnitId, location: LocationId, values: Vec<ExprId>, writes: &mut Writes) {
        let number = self.program.exprs.i64(self.locations[location].number);
        writes.insert(self.units[unit].field, number);
        for (k, value) in values.into_iter().enumerate() {
            let constant = self.as_constant(value);
            let place = &mut self.locations[location];
            let known = &mut place.variables[k].1;
            let now = match (*known, constant) {
                (Known::Nothing, Some(code)) => Known::Constant(code),
                (Known::Constant(code), Some(other)) if code == other => *known,
                _ => Known::Varies,
            };
            if let (Some(field), true) = (place.fields[k], now == Known::Varies) {
                writes.insert(field, value);
            } else if now != *known {
                *known = now;
                self.learnt = true;
            }
        }
    }

    /// The environments of a location: of what it is at, and of its frames.
    pub fn environment(&mut self, location: LocationId) -> (Rc<Env>, Vec<Frame>) {
        let key = self.locations[location].key.clone();
        let mut values = Vec::new();
        for k in 0..self.locations[location].variables.len() {
            let (variable, known) = self.locations[location].variables[k];
            let sort: SortId = self.data.variables[variable].sort;
            if known == Known::Varies && self.locations[location].fields[k].is_none() {
                self.late_slot(location, k);
            }
            let value = match (self.locations[location].fields[k], known) {
                (Some(field), _) => self.program.field(field),
                (None, Known::Constant(code)) => self.constant(sort, code),
                // No value arrives there.
                (None, _) => self.constant(sort, self.data.bounds(sort).map_or(0, |(lo, _)| lo)),
            };
            values.push((variable, value));
        }
        let core = self.core;
        let mut values = values.into_iter();
        let mut env = Env::default();
        if let At::Node(node) = key.at {
            let node = &core.nodes[node];
            env.values.extend(values.by_ref().take(node.variables.len()));
            env.gates.extend(node.gates.iter().copied().zip(key.gates.iter().copied()));
        }
        let mut frames = Vec::new();
        for (node, gates) in &key.frames {
            let mut env = Env::default();
            env.values.extend(values.by_ref().take(self.frame_variables(*node).len()));
            env.gates.extend(self.frame_gates(*node).iter().copied().zip(gates.iter().copied()));
            let constants = self.constants(*node, &env);
            frames.push(Frame { node: *node, env: Rc::new(env), constants });
        }
        (Rc::new(env), frames)
    }

    /// A field for a variable that varies since this round, which is done again.
    fn late_slot(&mut self, location: LocationId, k: usize) {
        let domain_of = |lowering: &Self, k: usize| {
            let variable = lowering.locations[location].variables[k].0;
            lowering.domain(lowering.data.variables[variable].sort)
        };
        let domain = domain_of(self, k);
        let others = 0..self.locations[location].fields.len();
        let used = others
            .filter(|&other| {
                self.locations[location].fields[other].is_some() && domain_of(self, other) == domain
            })
            .count();
        let variable = self.locations[location].variables[k].0;
        let field = self.slot(self.locations[location].key.unit, variable, used);
        self.locations[location].fields[k] = Some(field);
    }

    /// Resets the variables of a location that a step leaves.
    pub fn leave(&mut self, location: LocationId, writes: &mut Writes) {
        for k in 0..self.locations[location].fields.len() {
            if let Some(field) = self.locations[location].fields[k] {
                self.reset(field, writes);
            }
        }
    }

    /// Makes all units below a location inactive.
    pub fn kill(&mut self, location: LocationId, writes: &mut Writes) {
        let At::Fork(fork) = self.locations[location].key.at else { return };
        let mut todo = self.forks[fork].units.clone();
        while let Some(unit) = todo.pop() {
            self.reset(self.units[unit].field, writes);
            for k in 0..self.units[unit].slots.len() {
                let field = self.units[unit].slots[k].1;
                self.reset(field, writes);
            }
            todo.extend(self.units[unit].forks.iter().flat_map(|&fork| self.forks[fork].units.clone()));
        }
    }

    fn reset(&mut self, field: FieldId, writes: &mut Writes) {
        let value = match self.program.fields[field.index()].domain {
            Domain::Bool => self.program.exprs.bool(false),
            domain => self.program.exprs.i64(domain.bounds().0),
        };
        writes.entry(field).or_insert(value);
    }

    /// A site for an assignment.
    pub fn assignment_site(
        &mut self,
        field: FieldId,
        origin: volvelle_model::Origin,
    ) -> volvelle_kernel::Site {
        let subject = SiteSubject::Assignment(field);
        self.program.site(SiteInfo { kind: FailKind::Range, subject, origin, command: None })
    }

    fn too_many_units(&mut self, node: Option<NodeId>) -> Reported {
        let message = format!("the specification has more than {MOST_UNITS} components");
        let span = self.core.nodes[node.unwrap_or(self.core.processes[0].body)].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(span, "");
        self.refuse(diagnostic.help("compose fewer: give a recursion a smaller bound"))
    }

    fn recursion(&mut self, node: NodeId, process: ProcessId, how: &str) -> Reported {
        let name = &self.core.processes[process].name;
        let message = format!("`{name}` calls itself {how}");
        let span = self.core.nodes[node].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_RECURSION, message).at(span, "");
        self.refuse(diagnostic.note("its states would be without a bound").help(RECURSION_HELP))
    }

    fn recursion_at(&mut self, node: NodeId, how: &str) -> Reported {
        let message = format!("a process calls itself {how}");
        let span = self.core.nodes[node].span;
        let diagnostic = Diagnostic::error(codes::LOTOS_RECURSION, message).at(span, "");
        self.refuse(diagnostic.note("its states would be without a bound").help(RECURSION_HELP))
    }
}
