//! A specification to a program: behaviours to sequential components and the groups in which they meet.
//!
//! The construction follows the compilation of LOTOS to networks of sequential components (H. Garavel, J. Sifakis, *Compilation and
//! verification of LOTOS specifications*, PSTV 1990), with operators in whose left side a component is kept in its control
//! location. It is done in rounds: variables that have the same value whenever a location is entered are constants, which
//! makes other steps impossible, and other variables constant.

mod config;
mod evaluator;
mod expressions;
mod groups;
mod initial;
mod network;
mod sharing;
mod steps;
mod unfold;
mod units;

pub use evaluator::Evaluator;

use crate::core::{Core, GateId, Node, NodeId, NodeKind};
use crate::data::{Data, OperationId, Ranges, SortId};
use crate::syntax::Tree;
use config::{Config, Env, Gate, Shape};
use network::{At, Fork, ForkId, Key, Known, Location, LocationId, Unit, UnitId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_model::{
    Action, ActionId, Choice, Domain, FieldId, FunctionId, Initial, Origin, Program, SiteSubject,
    SortId as ModelSort,
};

/// The origin of what is written nowhere.
const NOWHERE: Origin = Origin(0);

/// A diagnostic was pushed.
#[derive(Clone, Copy, Debug)]
struct Reported;

/// A gate of the program.
#[derive(Clone, Debug)]
struct ActualGate {
    name: String,
    /// Silent, where it is hidden.
    action: ActionId,
}

/// A location for people.
#[derive(Clone, Debug)]
struct LocationText {
    line: usize,
    what: &'static str,
    variables: Vec<(String, SortId, Result<FieldId, i64>)>,
}

/// A unit for people: the field of its location, and the texts of locations by their numbers.
#[derive(Clone, Debug)]
struct UnitText {
    name: String,
    field: FieldId,
    locations: Vec<Option<LocationText>>,
}

/// A specification as a program.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program: a labelled transition system.
    pub program: Program,
    /// The evaluator of its functions, as it is before exploration. Explore with a copy.
    pub evaluator: Evaluator,
    spans: Vec<Span>,
    reasons: FxHashMap<Site, String>,
    units: Vec<UnitText>,
    /// By process: components that begin in it, and its control locations.
    processes: Vec<(usize, usize)>,
    data: Arc<Data>,
}

/// Lowers a specification without value parameters. Without a program, at least one diagnostic is an error.
pub fn lower(sources: &Sources, tree: &Tree, ranges: Ranges) -> (Option<Lowered>, Vec<Diagnostic>) {
    lower_with(sources, tree, ranges, &[])
}

/// Lowers a specification, with values for its parameters: names in upper case, and numbers (truth values 0 and 1; other
/// values are numbered in the order of their declarations).
pub fn lower_with(
    sources: &Sources,
    tree: &Tree,
    ranges: Ranges,
    parameters: &[(String, i64)],
) -> (Option<Lowered>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let (core, data) = crate::resolved(tree, ranges, &mut diagnostics);
    if tree.processes.is_empty() || diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return (None, diagnostics);
    }
    let mut core = core;
    let span = core.processes[0].span;
    core.nodes.push(Node { kind: NodeKind::Stop, span, variables: Vec::new(), gates: Vec::new() });
    let mut lowering = Lowering::new(&core, Arc::new(data));
    lowering.parameters = parameters.to_vec();
    let lowered = lowering.run(sources);
    diagnostics.extend(lowering.diagnostics.into_inner());
    (lowered.ok(), diagnostics)
}

/// Words of tables in constants; `None` where the operation is undefined for some operands.
type Tables = FxHashMap<(OperationId, Vec<Option<i64>>), Option<Vec<u64>>>;

struct Lowering<'a> {
    core: &'a Core,
    data: Arc<Data>,
    program: Program,
    evaluator: Evaluator,
    gates: Vec<ActualGate>,
    /// Hidden gates by where they are bound, and by a number where one is bound inside of itself.
    hidden: FxHashMap<(GateId, usize), Gate>,
    /// Gates that stand for another inside of a composition, by that gate and a number.
    copies: FxHashMap<(Gate, usize), Gate>,
    model_sorts: FxHashMap<SortId, ModelSort>,
    functions: FxHashMap<OperationId, FunctionId>,
    /// Tables that were made, by operation and fixed operands.
    tables: Tables,
    reasons: FxHashMap<Site, String>,
    units: Vec<Unit>,
    forks: Vec<Fork>,
    fork_numbers: FxHashMap<(UnitId, Shape), ForkId>,
    locations: Vec<Location>,
    location_numbers: FxHashMap<Key, LocationId>,
    todo: VecDeque<LocationId>,
    /// What earlier rounds know of variables.
    known: FxHashMap<Key, Vec<Known>>,
    /// Whether this round has learnt something about variables.
    learnt: bool,
    /// Values of the parameters of the specification.
    parameters: Vec<(String, i64)>,
    depth: usize,
    /// Calls that were replaced since the first actions of a behaviour are looked for.
    calls: usize,
    diagnostics: RefCell<Vec<Diagnostic>>,
    spans: Vec<Span>,
    origins: FxHashMap<Span, Origin>,
    nowhere: Origin,
    /// The behaviour that does nothing.
    stop: NodeId,
    /// For each behaviour, the first one that is equal to it.
    first_equal: Vec<NodeId>,
    /// The process of each behaviour.
    owners: Vec<usize>,
}

impl<'a> Lowering<'a> {
    fn new(core: &'a Core, data: Arc<Data>) -> Self {
        let first_equal = sharing::first_equal(core, &data);
        Lowering {
            core,
            evaluator: Evaluator::new(data.clone()),
            data,
            program: Program::new(Choice::Nondeterministic),
            gates: Vec::new(),
            hidden: FxHashMap::default(),
            copies: FxHashMap::default(),
            model_sorts: FxHashMap::default(),
            functions: FxHashMap::default(),
            tables: FxHashMap::default(),
            reasons: FxHashMap::default(),
            units: Vec::new(),
            forks: Vec::new(),
            fork_numbers: FxHashMap::default(),
            locations: Vec::new(),
            location_numbers: FxHashMap::default(),
            todo: VecDeque::new(),
            known: FxHashMap::default(),
            learnt: false,
            parameters: Vec::new(),
            depth: 0,
            calls: 0,
            diagnostics: RefCell::new(Vec::new()),
            spans: vec![core.processes[0].span],
            origins: FxHashMap::default(),
            nowhere: NOWHERE,
            stop: core.nodes.len() - 1,
            first_equal,
            owners: core.owners(),
        }
    }

    fn refuse(&self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.borrow_mut().push(diagnostic);
        Reported
    }

    fn origin(&mut self, span: Span) -> Origin {
        *self.origins.entry(span).or_insert_with(|| {
            self.spans.push(span);
            Origin(self.spans.len() as u32 - 1)
        })
    }

    /// The gate for one that is hidden, other than those in use.
    fn hidden_gate(&mut self, gate: GateId, used: &[Gate]) -> Gate {
        let mut copy = 0;
        loop {
            let next = self.gates.len() as Gate;
            let actual = *self.hidden.entry((gate, copy)).or_insert(next);
            if actual == next {
                let name = self.core.gates[gate].clone();
                self.gates.push(ActualGate { name, action: ActionId::SILENT });
            }
            if !used.contains(&actual) {
                return actual;
            }
            copy += 1;
        }
    }

    /// The gate that one of several gates is inside of a composition that tells them apart.
    fn copy_of_gate(&mut self, outer: Gate, copy: usize) -> Gate {
        let next = self.gates.len() as Gate;
        let own = *self.copies.entry((outer, copy)).or_insert(next);
        if own == next {
            let ActualGate { name, action } = &self.gates[outer as usize];
            self.gates.push(ActualGate { name: name.clone(), action: *action });
        }
        own
    }

    /// Begins a round: units and forks keep their numbers.
    fn begin_round(&mut self) {
        for location in &self.locations {
            let known = location.variables.iter().map(|&(_, known)| known).collect();
            self.known.insert(location.key.clone(), known);
        }
        self.program = Program::new(Choice::Nondeterministic);
        self.model_sorts.clear();
        self.functions.clear();
        self.evaluator.functions.clear();
        self.evaluator.sorts.clear();
        self.reasons.clear();
        self.locations.clear();
        self.location_numbers.clear();
        self.todo.clear();
        self.learnt = false;
        for unit in 0..self.units.len() {
            self.reset_unit(unit);
        }
    }

    fn run(&mut self, sources: &Sources) -> Result<Lowered, Reported> {
        let (shape, roots, writes, steps) = loop {
            self.begin_round();
            let root = self.root()?;
            let (shape, roots, writes) = self.roots(&root)?;
            let steps = self.steps()?;
            if !self.learnt {
                break (shape, roots, writes, steps);
            }
        };
        self.groups(&shape, &roots, &steps)?;
        for unit in &self.units {
            let last = unit.locations.last().map_or(0, |&location| self.locations[location].number);
            self.program.fields[unit.field.index()].domain = Domain::Int { lo: 0, hi: last };
        }
        let mut initial: Vec<i64> = self.program.fields.iter().map(|field| field.domain.bounds().0).collect();
        for (&field, &value) in &writes {
            match self.as_constant(value) {
                Some(code) => initial[field.index()] = code,
                None => {
                    let reason = self.reasons.values().next().cloned().unwrap_or_default();
                    let message = "a value with which the specification begins cannot be evaluated";
                    let span = self.core.processes[0].span;
                    let diagnostic = Diagnostic::error(codes::LOTOS_EVALUATION, message).at(span, "");
                    return Err(self.refuse(if reason.is_empty() {
                        diagnostic
                    } else {
                        diagnostic.note(reason)
                    }));
                }
            }
        }
        self.program.initial = Initial::States(vec![initial]);
        let units = self.unit_texts(sources);
        let processes = self.process_sizes();
        Ok(Lowered {
            program: std::mem::replace(&mut self.program, Program::new(Choice::Nondeterministic)),
            evaluator: self.evaluator.clone(),
            spans: std::mem::take(&mut self.spans),
            reasons: std::mem::take(&mut self.reasons),
            units,
            processes,
            data: self.data.clone(),
        })
    }

    /// The behaviour of the specification, with a gate for each of its gates.
    fn root(&mut self) -> Result<Config, Reported> {
        let core = self.core;
        let specification = &core.processes[0];
        let mut env = Env::default();
        for &parameter in &specification.parameters {
            let (name, sort) = (&self.data.variables[parameter].name, self.data.variables[parameter].sort);
            let given = self.parameters.iter().find(|(known, _)| known == name).map(|&(_, value)| value);
            let inside =
                |value: &i64| self.data.bounds(sort).is_some_and(|(lo, hi)| (lo..=hi).contains(value));
            let Some(value) = given.filter(inside) else {
                let message = match given {
                    None => format!("the specification has a value parameter `{name}`, which stays open"),
                    Some(value) => format!("{value} is no value of the parameter `{name}`"),
                };
                let diagnostic =
                    Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).at(specification.span, "");
                let diagnostic = match self.data.bounds(sort) {
                    Some((lo, hi)) => {
                        diagnostic.help(format!("give it a value: --const {name}=N with N in {lo}..{hi}"))
                    }
                    None => diagnostic
                        .help("make the behaviour a process with this parameter, and call it with a value"),
                };
                return Err(self.refuse(diagnostic));
            };
            let value = self.constant(sort, value);
            env.values.insert(parameter, value);
        }
        for &gate in &specification.gates {
            let name = core.gates[gate].clone();
            self.program.actions.push(Action { name: name.clone() });
            let action = ActionId(self.program.actions.len() as u32 - 1);
            let number = action.0 - 1;
            if number as usize == self.gates.len() {
                self.gates.push(ActualGate { name, action });
            }
            env.gates.insert(gate, number);
        }
        Ok(Config::Term(specification.body, Rc::new(env)))
    }

    /// For each process, how many components of the whole begin in it, and the places in its text at which components stop.
    fn process_sizes(&self) -> Vec<(usize, usize)> {
        let mut sizes = vec![(0, 0); self.core.processes.len()];
        let mut places: Vec<NodeId> = Vec::new();
        for unit in &self.units {
            for (k, &location) in unit.locations.iter().enumerate() {
                let At::Node(node) = self.locations[location].key.at else { continue };
                let Some(&process) = self.owners.get(node).filter(|_| node != self.stop) else { continue };
                places.push(node);
                sizes[process].0 += usize::from(k == 0 && unit.fork.is_none());
            }
        }
        places.sort_unstable();
        places.dedup();
        for node in places {
            sizes[self.owners[node]].1 += 1;
        }
        sizes
    }

    fn unit_texts(&self, sources: &Sources) -> Vec<UnitText> {
        let text = |id: LocationId| {
            let location = &self.locations[id];
            let (span, what) = match location.key.at {
                At::Node(node) => (self.core.nodes[node].span, if node == self.stop { "stop" } else { "" }),
                At::Fork(_) => {
                    let frame = location.key.frames.first().map(|(node, _)| self.core.nodes[*node].span);
                    (frame.unwrap_or(self.core.processes[0].span), "waits")
                }
                At::Ended => (self.core.processes[0].span, "exit"),
            };
            let variables =
                location.variables.iter().zip(&location.fields).map(|(&(variable, known), field)| {
                    let variable = &self.data.variables[variable];
                    let value = match (field, known) {
                        (Some(field), _) => Ok(*field),
                        (None, Known::Constant(code)) => Err(code),
                        _ => Err(0),
                    };
                    (variable.name.clone(), variable.sort, value)
                });
            LocationText { line: sources.line_column(span).line, what, variables: variables.collect() }
        };
        let units = self.units.iter().map(|unit| {
            let mut locations = Vec::new();
            if unit.fork.is_some() {
                locations.push(None);
            }
            locations.extend(unit.locations.iter().map(|&location| Some(text(location))));
            UnitText {
                name: self.program.components[unit.component.index()].name.clone(),
                field: unit.field,
                locations,
            }
        });
        units.collect()
    }
}

impl Lowered {
    /// The text behind an origin of the program.
    pub fn span(&self, origin: Origin) -> Span {
        self.spans[origin.0 as usize]
    }

    /// The same; `None` for what components do that is written nowhere, such as to wait until those below them have ended.
    pub fn place(&self, origin: Origin) -> Option<Span> {
        (origin != NOWHERE).then(|| self.span(origin))
    }

    /// A state for people: where each component is (line of the action it stands before), and its values.
    pub fn state_text(&self, values: &[i64]) -> String {
        let mut texts = Vec::new();
        for unit in &self.units {
            let number = usize::try_from(values[unit.field.index()]).unwrap_or(0);
            let Some(Some(location)) = unit.locations.get(number) else { continue };
            let mut text = match location.what {
                "stop" | "exit" => format!("{}: {}", unit.name, location.what),
                "waits" => continue,
                _ => format!("{} at line {}", unit.name, location.line),
            };
            for (name, sort, value) in &location.variables {
                let code = value.map_or_else(|code| code, |field| values[field.index()]);
                text.push_str(&format!(", {name}={}", self.evaluator.value_text(*sort, code)));
            }
            texts.push(text);
        }
        texts.join("; ")
    }

    /// For each process of the specification, which is the first: components that begin in it, and its control locations.
    pub fn processes(&self) -> &[(usize, usize)] {
        &self.processes
    }

    /// Names, components and ranges of the variables.
    pub fn variables(&self) -> Vec<(String, String, String)> {
        let fields = self.program.fields.iter().filter(|field| field.domain.bounds() != (0, 0));
        fields
            .map(|field| {
                let component = field.component.map(|c| self.program.components[c.index()].name.clone());
                let (lo, hi) = field.domain.bounds();
                let range =
                    if field.domain == Domain::Bool { "bool".to_owned() } else { format!("{lo}..{hi}") };
                (field.name.clone(), component.unwrap_or_default(), range)
            })
            .collect()
    }

    /// Explains the failure of a site.
    pub fn explain_site(&self, site: Site) -> Diagnostic {
        let info = &self.program.sites[site.index()];
        let span = self.span(info.origin);
        if let Some(reason) = self.reasons.get(&site) {
            return Diagnostic::error(codes::LOTOS_EVALUATION, "a value cannot be evaluated")
                .at(span, "")
                .note(reason.clone());
        }
        match info.subject {
            SiteSubject::Application(_) => {
                Diagnostic::error(codes::LOTOS_EVALUATION, "a value cannot be evaluated")
                    .at(span, "")
                    .help("guard the action: [condition] -> ..., or give the equations that are missing")
            }
            _ => Diagnostic::error(codes::LOTOS_EVALUATION, "a number leaves its range here")
                .at(span, "")
                .help(crate::data::typing::RANGE_HELP),
        }
    }

    /// The names of sorts, for tests and reports.
    pub fn data(&self) -> &Data {
        &self.data
    }
}
