//! From the syntax tree to the program.
//!
//! Takes a [`Model`]; gives a [`Program`] whose network has the processes and channels of the model, the claims to check
//! it against, and what is needed to show states and steps in the words of the text. Follows the manual pages of SPIN
//! 6.5 (Holzmann, *The SPIN Model Checker*, 2003), and what counts as one step follows SPIN's verifier.
//!
//! Limits of SPIN that are not here: 255 processes, channels, messages in a channel; the size of the state.

mod channels;
mod claims;
mod events;
mod expression;
mod fit;
mod flow;
mod hidden;
mod input;
mod printing;
mod priority;
mod processes;
mod questions;
mod statements;
mod types;
mod variables;

pub use channels::ChannelType;
pub use claims::{Claim, ClaimState, ClaimStep, Formula, Named};
pub use events::EventFault;
pub use input::Input;
pub use printing::{Print, Printing};
pub use types::Scalar;

use crate::ast::{self, ExprKind, Model, Place, StatementKind, Unit};
use flow::Flow;
use rustc_hash::{FxHashMap, FxHashSet};
use statements::{Locations, locations};
use types::{Mtypes, Struct};
use variables::{Scope, VarId, VarInfo, each_block};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_kernel::{FailKind, Local};
use volvelle_model::{
    Component, ComponentId, Domain, FieldId, Kind, Location, LocationId, Origin, Pool, ProcessType, Program,
    Queue, SiteInfo, SiteSubject, Touch,
};

/// Most processes, and most channels, at a time.
const PROCESS_LIMIT: i64 = 32_767;

/// Index of a process type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId(pub u32);

/// A process type.
#[derive(Clone, Debug)]
pub struct ProcessInfo {
    /// Its name; `:init:` for the initial process.
    pub name: String,
    /// `init`
    pub is_init: bool,
    /// Its fields.
    pub component: ComponentId,
    /// Its parameters.
    pub parameters: Vec<VarId>,
    /// Its first location, and how many there are.
    pub locations: (u32, u32),
    /// The numbers of those that are there from the beginning.
    pub slots: Vec<i64>,
    /// Statements to which its control flow does not lead.
    pub unreachable: Vec<Place>,
    /// Locations of its labels.
    pub labels: FxHashMap<String, LocationId>,
}

/// A lowered model.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Process types, in the order of the network's types.
    pub processes: Vec<ProcessInfo>,
    /// What to check, in the order of the text.
    pub claims: Vec<Named>,
    /// Type of each field that is a variable or a part of a message.
    pub field_types: Vec<Option<Scalar>>,
    /// For members of structures: the length of each array on the way to them, 1 where there is none.
    pub lengths: FxHashMap<FieldId, Vec<u32>>,
    /// Names of values.
    pub mtypes: Mtypes,
    /// The places that origins of the program number.
    pub origins: Vec<Place>,
    /// Types of channels, in the order of the numbers by which slots of the second pool tell theirs.
    pub channels: Vec<ChannelType>,
    /// Variables that are channels of their own for ever: the number of the first channel of each. They are no part of
    /// the state.
    pub constant_channels: FxHashMap<FieldId, i64>,
    /// What statements print, where that was asked for ([`lower_printing`]).
    pub printing: Option<Printing>,
    /// Sites at which a `trace` or `notrace` assertion is violated.
    pub event_sites: FxHashMap<u32, EventFault>,
    /// How characters come into a run, where that was asked for and the model reads some.
    pub input: Option<Input>,
    /// Sites that note values which are cut when they are stored, with what they are stored in.
    pub cut_sites: FxHashMap<u32, Scalar>,
}

impl Lowered {
    /// The name of an element of a field that goes by this name: `t[1].a[2]` for element 5 of `t.a`, if each `t` has three.
    pub fn element_name(&self, field: FieldId, name: &str, element: usize) -> String {
        let length = self.program.fields[field.index()].length;
        let Some(lengths) = self.lengths.get(&field) else {
            return if length == 1 { name.to_owned() } else { format!("{name}[{element}]") };
        };
        let mut parts: Vec<String> = name.rsplitn(lengths.len(), '.').map(str::to_owned).collect();
        let mut rest = element;
        // The last index runs fastest.
        for (part, &length) in parts.iter_mut().zip(lengths.iter().rev()) {
            if length > 1 {
                part.push_str(&format!("[{}]", rest % length as usize));
                rest /= length as usize;
            }
        }
        parts.reverse();
        parts.join(".")
    }

    /// A value for people: names of `mtype` values, numbers else.
    pub fn value_text(&self, ty: Scalar, value: i64) -> String {
        match ty {
            Scalar::Mtype(set) => self.mtypes.name(set, value).map_or(value.to_string(), str::to_owned),
            _ => value.to_string(),
        }
    }
}

/// Fields that no one declared.
#[derive(Clone, Copy)]
struct Internal {
    /// How many processes there are.
    processes: FieldId,
    /// How many channels there are.
    channels: FieldId,
    /// Where a process is.
    location: FieldId,
    /// The type of a channel.
    kind: Option<FieldId>,
    /// Who moved last.
    last: Option<FieldId>,
    /// The state of the `trace` assertion.
    event: Option<FieldId>,
}

struct Lowering<'a> {
    model: &'a Model,
    diagnostics: Vec<Diagnostic>,
    program: Program,
    internal: Internal,
    mtypes: Mtypes,
    structs: Vec<Struct>,
    channel_types: Vec<ChannelType>,
    variables: Vec<VarInfo>,
    /// Variables by the place of their name.
    declared: FxHashMap<Place, VarId>,
    globals: FxHashMap<String, VarId>,
    /// Counters of loops over channels, by the place of the loop.
    loop_counters: FxHashMap<Place, FieldId>,
    processes: Vec<ProcessInfo>,
    /// Names that some statement assigns to.
    assigned: FxHashSet<String>,
    /// Some expression asks for numbers of processes: to start and to end in another order makes a difference.
    numbers_matter: bool,
    /// Process types that some `run` starts.
    started: FxHashSet<String>,
    /// Labels that remote references name.
    asked_for: FxHashSet<String>,
    /// Global channels that are never assigned: the number of the first.
    constant_channels: FxHashMap<FieldId, i64>,
    claims: Vec<Named>,
    field_types: Vec<Option<Scalar>>,
    origins: Vec<Place>,
    complained: FxHashSet<String>,
    /// Some statement looks into another process.
    looks_into_others: bool,
    /// The condition at hand is one that is waited for: that it is false is never noticed.
    waited_for: bool,
    /// The statement at hand is an alternative to an `else`.
    beside_else: bool,
    /// What the statement at hand uses.
    touches: Vec<Touch>,
    /// Types of processes that it starts.
    creates: Vec<usize>,
    scratch_locals: Vec<Local>,
    creation_locals: Vec<Local>,
    d_step_locals: Vec<Local>,
    printing: Option<Printing>,
    trace: Option<events::Trace>,
    event_sites: events::EventSites,
    input: Option<Input>,
    cut_sites: fit::CutSites,
    lengths: FxHashMap<FieldId, Vec<u32>>,
    /// The statement at hand.
    statement: Place,
}

/// Lowers a model. Without a program at least one of the diagnostics is an error.
pub fn lower(model: &Model) -> (Option<Lowered>, Vec<Diagnostic>) {
    finish(Lowering::new(model))
}

/// The same for a simulation: steps note what they print ([`Printing`]). Steps have the same numbers and order.
pub fn lower_printing(model: &Model) -> (Option<Lowered>, Vec<Diagnostic>) {
    finish(Lowering { printing: Some(Printing::default()), ..Lowering::new(model) })
}

fn finish(mut lowering: Lowering<'_>) -> (Option<Lowered>, Vec<Diagnostic>) {
    lowering.all();
    let has_errors = lowering.diagnostics.iter().any(|d| d.severity == volvelle_diagnostics::Severity::Error);
    let Lowering { program, processes, claims, field_types, mtypes, origins, diagnostics, .. } = lowering;
    let Lowering {
        channel_types: channels,
        constant_channels,
        printing,
        event_sites,
        input,
        cut_sites,
        lengths,
        ..
    } = lowering;
    let lowered = (!has_errors).then_some(Lowered {
        program,
        processes,
        claims,
        field_types,
        mtypes,
        origins,
        channels,
        constant_channels,
        printing,
        event_sites,
        input,
        cut_sites,
        lengths,
    });
    (lowered, diagnostics)
}

impl<'a> Lowering<'a> {
    fn new(model: &'a Model) -> Self {
        let nowhere = FieldId(u32::MAX);
        Lowering {
            model,
            diagnostics: Vec::new(),
            program: Program::new(Kind::Lts),
            internal: Internal {
                processes: nowhere,
                channels: nowhere,
                location: nowhere,
                kind: None,
                last: None,
                event: None,
            },
            mtypes: Mtypes::default(),
            structs: Vec::new(),
            channel_types: Vec::new(),
            variables: Vec::new(),
            declared: FxHashMap::default(),
            globals: FxHashMap::default(),
            loop_counters: FxHashMap::default(),
            processes: Vec::new(),
            assigned: FxHashSet::default(),
            numbers_matter: false,
            started: FxHashSet::default(),
            asked_for: FxHashSet::default(),
            constant_channels: FxHashMap::default(),
            claims: Vec::new(),
            field_types: Vec::new(),
            origins: Vec::new(),
            complained: FxHashSet::default(),
            looks_into_others: false,
            waited_for: false,
            beside_else: false,
            touches: Vec::new(),
            creates: Vec::new(),
            scratch_locals: Vec::new(),
            creation_locals: Vec::new(),
            d_step_locals: Vec::new(),
            printing: None,
            trace: None,
            event_sites: FxHashMap::default(),
            input: None,
            cut_sites: FxHashMap::default(),
            lengths: FxHashMap::default(),
            statement: Place(0),
        }
    }

    fn place(&self, expr: ast::ExprId) -> Place {
        self.model.exprs.get(expr).place
    }

    fn error(
        &mut self,
        code: volvelle_diagnostics::Code,
        message: impl Into<String>,
        place: Place,
        help: &str,
    ) {
        let diagnostic = crate::at(Diagnostic::error(code, message), &self.model.places, place, "");
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn warning(
        &mut self,
        code: volvelle_diagnostics::Code,
        message: impl Into<String>,
        place: Place,
        note: &str,
    ) {
        let diagnostic = crate::at(Diagnostic::warning(code, message), &self.model.places, place, "");
        self.diagnostics.push(if note.is_empty() { diagnostic } else { diagnostic.note(note) });
    }

    fn unsupported(&mut self, place: Place, message: &str, help: &str) {
        self.error(codes::UNSUPPORTED_CONSTRUCT, message, place, help);
    }

    fn origin(&mut self, place: Place) -> Origin {
        if self.origins.last() != Some(&place) {
            self.origins.push(place);
        }
        Origin((self.origins.len() - 1) as u32)
    }

    fn component(&mut self, name: &str) -> ComponentId {
        self.program.components.push(Component { name: name.to_owned() });
        ComponentId((self.program.components.len() - 1) as u32)
    }

    fn all(&mut self) {
        let place = Place(0);
        self.collect_mtypes();
        self.collect_structs();
        self.internal_fields(place);
        self.collect_assigned();
        self.declare_all();
        self.find_constant_channels();
        self.pools();
        let flows = self.flows();
        let origin = self.origin(place);
        let info =
            SiteInfo { kind: FailKind::Assertion, subject: SiteSubject::Assertion, origin, command: None };
        self.program.network.end_site = Some(self.program.site(info));
        self.trace();
        self.all_locations(&flows);
        self.find_readers();
        self.program.network.is_nosy = self.looks_into_others;
        self.boot();
        self.claims();
        self.drop_hidden();
    }

    fn internal_fields(&mut self, place: Place) {
        let number = Domain::Int { lo: 0, hi: 65_535 };
        let mut reads_last = false;
        let mut keeps_number = false;
        let is_run = |e: ast::ExprId| matches!(self.model.exprs.get(e).kind, ExprKind::Run { .. });
        self.each_statement(&mut |s| match &s.kind {
            StatementKind::Assign { value, .. } => keeps_number |= is_run(*value),
            StatementKind::Declaration(d) => {
                keeps_number |= d
                    .variables
                    .iter()
                    .any(|v| matches!(&v.initial, Some(ast::Initial::Value(e)) if is_run(*e)));
            }
            _ => {}
        });
        self.numbers_matter = keeps_number;
        for expr in &self.model.exprs.0 {
            reads_last |= matches!(&expr.kind, ExprKind::Name(n) if n.text == "_last");
            self.numbers_matter |= match &expr.kind {
                ExprKind::Name(n) => matches!(n.text.as_str(), "_pid" | "_nr_pr" | "_last"),
                ExprKind::RemoteLabel { .. }
                | ExprKind::RemoteVariable { .. }
                | ExprKind::PcValue(_)
                | ExprKind::Enabled(_)
                | ExprKind::GetPriority(_) => true,
                _ => false,
            };
            if let ExprKind::RemoteLabel { label, .. } = &expr.kind {
                self.asked_for.insert(label.text.clone());
            }
            if let ExprKind::Run { name, .. } = &expr.kind {
                self.started.insert(name.text.clone());
            }
        }
        let processes = self.field("_nr_pr".into(), number, None, 1, place);
        let channels = self.field("_nr_qs".into(), number, None, 1, place);
        let last = reads_last.then(|| self.field("_last".into(), number, None, 1, place));
        // Statements may be merged, too.
        let owner = Some(self.field(":exclusive".into(), number, None, 1, place));
        self.printing_fields(place);
        self.trace_field(place);
        self.input_field(place);
        let header = self.component(":process");
        let location = self.field(":location".into(), Domain::Int { lo: 0, hi: 0 }, Some(header), 1, place);
        self.priority_field(header, place);
        let header = self.component(":channel");
        let kind = self.field(":type".into(), Domain::Int { lo: 0, hi: 0 }, Some(header), 1, place);
        let event = self.internal.event;
        self.internal = Internal { processes, channels, location, kind: Some(kind), last, event };
        let network = &mut self.program.network;
        network.location = Some(location);
        network.owner = owner;
        network.last = last;
    }

    fn each_statement(&self, f: &mut dyn FnMut(&ast::Statement)) {
        fn walk(sequence: &ast::Sequence, f: &mut dyn FnMut(&ast::Statement)) {
            for statement in &sequence.statements {
                f(statement);
                each_block(statement, &mut |block| walk(block, f));
            }
        }
        for unit in &self.model.units {
            match unit {
                Unit::Proctype(p) => walk(&p.body, f),
                Unit::Never { body, .. } => walk(body, f),
                _ => {}
            }
        }
    }

    /// The names of all variables that something is assigned to.
    fn collect_assigned(&mut self) {
        let mut targets = Vec::new();
        self.each_statement(&mut |s| match &s.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Increment(target)
            | StatementKind::Decrement(target) => targets.push(*target),
            StatementKind::Receive { args, .. } => targets.extend(args.iter().copied()),
            StatementKind::For { variable, .. }
            | StatementKind::ForIn { variable, .. }
            | StatementKind::Select { variable, .. } => targets.push(*variable),
            _ => {}
        });
        for target in targets {
            if let Some(path) = self.path(target) {
                let name = path.name.text.clone();
                self.assigned.insert(name);
            }
        }
    }

    fn declare_all(&mut self) {
        let model = self.model;
        for unit in &model.units {
            match unit {
                Unit::Declaration(declaration) => {
                    self.declare(declaration, None, None, false);
                    for variable in &declaration.variables {
                        if let Some(&id) = self.declared.get(&variable.name.place) {
                            let name = &variable.name;
                            if self.globals.insert(name.text.clone(), id).is_some()
                                || self.mtypes.values.contains_key(&name.text)
                            {
                                let message = format!("`{}` is declared twice", name.text);
                                self.error(codes::DUPLICATE_NAME, message, name.place, "");
                            }
                        }
                    }
                }
                Unit::Proctype(p) => self.declare_process(p),
                _ => {}
            }
        }
    }

    fn declare_process(&mut self, p: &ast::Proctype) {
        let id = ProcessId(self.processes.len() as u32);
        let name = if p.is_init { ":init:".to_owned() } else { p.name.text.clone() };
        if self.processes.iter().any(|other| other.name == name) {
            let message = format!("`{}` is declared twice", p.name.text);
            self.error(codes::DUPLICATE_NAME, message, p.name.place, "");
        }
        let component = self.component(&name);
        let mut parameters = Vec::new();
        for declaration in &p.parameters {
            self.declare(declaration, Some(id), Some(component), false);
            for variable in &declaration.variables {
                if let Some(&v) = self.declared.get(&variable.name.place) {
                    parameters.push(v);
                    if self.variables[v.0 as usize].leaves.len() != 1 || variable.length.is_some() {
                        let place = variable.name.place;
                        self.error(codes::TYPE_MISMATCH, "a parameter is a single scalar", place, "");
                    }
                }
            }
        }
        self.declare_body(&p.body, id, component);
        self.processes.push(ProcessInfo {
            name,
            is_init: p.is_init,
            component,
            parameters,
            locations: (0, 0),
            slots: Vec::new(),
            unreachable: Vec::new(),
            labels: FxHashMap::default(),
        });
    }

    fn find_constant_channels(&mut self) {
        let mut next = 1;
        for info in &self.variables {
            if info.process.is_some() {
                continue;
            }
            for leaf in &info.leaves {
                if leaf.channel.is_none() {
                    continue;
                }
                if leaf.path.is_empty() && !self.assigned.contains(&info.name) {
                    self.constant_channels.insert(leaf.field, next);
                    // Known beforehand: no part of the state.
                    self.program.fields[leaf.field.index()].domain = Domain::Int { lo: 0, hi: 0 };
                }
                next += leaf.lengths.iter().map(|&l| i64::from(l)).product::<i64>();
            }
        }
    }

    fn pools(&mut self) {
        let header = |program: &Program, field: FieldId| {
            program.fields[field.index()].component.expect("headers are components")
        };
        let processes = Pool {
            name: "process".into(),
            header: header(&self.program, self.internal.location),
            members: self.processes.iter().map(|p| p.component).collect(),
            count: self.internal.processes,
            kind: None,
        };
        let kind = self.internal.kind.expect("declared");
        let channels = Pool {
            name: "channel".into(),
            header: header(&self.program, kind),
            members: self.channel_types.iter().map(|c| c.component).collect(),
            count: self.internal.channels,
            kind: Some(kind),
        };
        let last = self.channel_types.len().saturating_sub(1) as i64;
        self.program.fields[kind.index()].domain = Domain::Int { lo: 0, hi: last };
        self.program.network.pools = vec![processes, channels];
        let queue = |c: &ChannelType| {
            let length = c.length?;
            Some(Queue { component: c.component, length, capacity: i64::from(c.capacity) })
        };
        self.program.network.queues = self.channel_types.iter().filter_map(queue).collect();
    }

    /// Control flow and numbers of locations of all processes.
    fn flows(&mut self) -> Vec<(&'a ast::Proctype, Flow<'a>, Locations)> {
        let model = self.model;
        let mut flows = Vec::new();
        let (mut next, mut slot) = (1u32, 0i64);
        for unit in &model.units {
            let Unit::Proctype(p) = unit else { continue };
            let id = ProcessId(flows.len() as u32);
            let names = self.processes[id.0 as usize].parameters.iter();
            let names = names.map(|&v| (self.variables[v.0 as usize].name.clone(), v)).collect();
            let flow = self.flow(&p.body, Some(id), names, p.name.place);
            let locations = locations(&flow);
            let count = locations.nodes.len() as u32;
            let labels = flow.labels.iter().map(|(name, &(node, _))| {
                // A label that no step leads to: no process is ever there.
                let number = locations.numbers.get(&flow.resolve(node));
                (name.clone(), number.map_or(LocationId(u32::MAX), |number| LocationId(next + number)))
            });
            let labels = labels.collect();
            let active = match p.active {
                Some(Some(count)) => match self.constant(count) {
                    Some(n) if (0..=PROCESS_LIMIT).contains(&n) => n,
                    _ => {
                        let place = self.place(count);
                        self.error(
                            codes::NOT_CONSTANT,
                            "the number of processes must be a constant",
                            place,
                            "",
                        );
                        0
                    }
                },
                Some(None) => 1,
                None => i64::from(p.is_init),
            };
            let info = &mut self.processes[id.0 as usize];
            info.locations = (next, count);
            info.labels = labels;
            info.unreachable = flow.unreachable();
            info.slots = (slot..slot + active).collect();
            next += count;
            slot += active;
            flows.push((p, flow, locations));
        }
        let location = self.internal.location;
        self.program.fields[location.index()].domain = Domain::Int { lo: 0, hi: i64::from(next) - 1 };
        flows
    }

    fn label_location(&self, process: usize, label: &str) -> Option<LocationId> {
        self.processes[process].labels.get(label).copied()
    }

    fn all_locations(&mut self, flows: &[(&'a ast::Proctype, Flow<'a>, Locations)]) {
        self.program.network.locations.push(Location::default());
        for (number, (p, flow, locations)) in flows.iter().enumerate() {
            let id = ProcessId(number as u32);
            let (first, count) = self.processes[number].locations;
            self.touches.clear();
            let guard = p.provided.and_then(|e| {
                let mut scope = Scope { process: Some(id), ..Scope::global() };
                let parameters = self.processes[number].parameters.clone();
                scope.names =
                    parameters.iter().map(|&v| (self.variables[v.0 as usize].name.clone(), v)).collect();
                self.condition(&scope, e)
            });
            let component = self.processes[number].component;
            let first_location = LocationId(first);
            let guard_touches = std::mem::take(&mut self.touches);
            let first = first_location;
            self.program.network.types.push(ProcessType { component, guard, guard_touches, first, count });
            let first = first_location.0;
            for &node in &locations.nodes {
                let location = self.location(id, flow, locations, node, first);
                self.program.network.locations.push(location);
            }
        }
    }

    /// Global variables and the first processes, in the order of the text.
    fn boot(&mut self) {
        let model = self.model;
        let mut block = Vec::new();
        let globals: Vec<VarId> = (0..self.variables.len() as u32)
            .map(VarId)
            .filter(|v| self.variables[v.0 as usize].process.is_none())
            .collect();
        for variable in globals {
            self.initialise(variable, None, &Scope::global(), &mut block);
        }
        let proctypes = model.units.iter().filter_map(|u| match u {
            Unit::Proctype(p) => Some(p),
            _ => None,
        });
        for (number, proctype) in proctypes.enumerate() {
            let info = self.processes[number].clone();
            let place = proctype.name.place;
            let priority = self.priority_of(proctype.priority);
            // Parameters of a process that is there from the beginning are 0.
            let zeros: Vec<_> = info.parameters.iter().map(|_| self.number(0)).collect();
            for _ in &info.slots {
                let process = ProcessId(number as u32);
                if let Some((creation, _)) = self.creation(process, &zeros, priority, place) {
                    block.extend(creation);
                }
            }
        }
        self.program.network.boot = block;
    }
}
