//! A system on a machine as a program of the waist: processes are components, shared variables and caches are fields.
//!
//! | field | contents |
//! |---|---|
//! | location of a process | the step that it is about to take, or the access whose latency passes |
//! | locals of a process | registers, cleared outside of their procedure |
//! | journey, stage, variable | of the transfer under way: what, how far, for what; 0 where there is none |
//! | shared variables | their values in memory order: an access is atomic |
//! | state of a line in a cache | for the processes that ever use the line |
//! | ghosts | who is in critical sections, messages under way, which copies are the latest; only where they are verified |
//!
//! Zero-time code is part of the step before it (`zero_time`). The [`View`] says what is a step. Names and times of the machine are not part of
//! the program: a step has the numbers of its journey and stage in its label, so that one exploration serves all tables of latencies.

mod access;
mod cache;
mod cuts;
mod delays;
mod events;
mod expressions;
mod fields;
mod lookup;
mod view;
mod zero_time;

pub use view::View;

pub use cuts::cuts;
pub(crate) use fields::{elements, used_lines, variables_of};

use crate::machine::{Journey, Machine};
use crate::system::{Mistake, NodeId, ProcessId, System};
use fields::{Fields, ProcessFields};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::{
    Action, ActionId, Alternative, Assignment, Choice, Class, FieldId, Group, Initial, Item, Offer, Origin,
    Outcome, Participant, Program, SiteInfo, SiteSubject, Sort, SortId, SortValues, Weight,
};

/// A lowered system.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// By process, the journeys behind the numbers 1, 2, ... in its labels.
    pub journeys: Vec<Vec<Journey>>,
    /// The mistakes behind the numbers in labels `ERROR`.
    pub mistakes: Vec<(ProcessId, NodeId, Mistake)>,
    /// By process, what is at each location.
    pub locations: Vec<Vec<Location>>,
    /// The location field of each process.
    pub location_fields: Vec<FieldId>,
    /// By variable: 1 + the process in its critical section, or 0; where that is verified.
    pub section_fields: Vec<Option<FieldId>>,
    /// By channel: how many messages are under way; where that is verified.
    pub channel_fields: Vec<Option<FieldId>>,
    /// The places behind origins.
    pub spans: Vec<Span>,
}

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// About to take a step.
    Ready(NodeId),
    /// The latency of an access or a delay passes; of an access that changes caches in its middle the first part.
    Waiting(NodeId),
    /// In the middle of an access.
    Updating(NodeId),
    /// The second part of its latency.
    WaitingAgain(NodeId),
    /// The latency has passed.
    Done(NodeId),
    /// The process has made a mistake, by its number.
    Failed(u32),
    /// It goes no further after a mistake.
    Stopped,
}

/// Lowers a system on a machine.
pub fn lower(system: &System, machine: &Machine, view: View) -> Lowered {
    let mut lowering = Lowering::new(system, machine, view);
    lowering.run();
    lowering.finish()
}

struct Lowering<'a> {
    system: &'a System,
    machine: &'a Machine,
    view: View,
    program: Program,
    fields: Fields,
    /// By process and node.
    cuts: Vec<Vec<bool>>,
    locations: Vec<Vec<Location>>,
    numbers: Vec<FxHashMap<Location, i64>>,
    mistakes: Vec<(ProcessId, NodeId, Mistake)>,
    spans: Vec<Span>,
    sorts: Sorts,
    /// By process and action, in the order in which they came up.
    alternatives: Vec<Vec<(ActionId, Class, Vec<Alternative>)>>,
    actions: FxHashMap<String, ActionId>,
}

/// Sorts of values in labels.
struct Sorts {
    process: SortId,
    operation: SortId,
    variable: SortId,
    channel: SortId,
    transfer: SortId,
}

/// What a step changes.
type Writes = Vec<(FieldId, ExprId)>;

/// Names of operations in labels, in the order of their numbers.
const OPERATIONS: [&str; 6] = ["LD", "ST", "TAS", "SWAP", "CAS", "FADD"];

impl<'a> Lowering<'a> {
    fn new(system: &'a System, machine: &'a Machine, view: View) -> Self {
        let mut program = Program::new(Choice::Nondeterministic);
        let names = |names: Vec<String>| SortValues::Names(names);
        let mut sort = |name: &str, values: Vec<String>| {
            program.sort(Sort { name: name.to_owned(), values: names(values) })
        };
        let of = |names: &mut dyn Iterator<Item = &str>| names.map(label_name).collect::<Vec<_>>();
        let sorts = Sorts {
            process: sort("process", of(&mut system.processes.iter().map(|p| &*p.name))),
            operation: sort("operation", OPERATIONS.map(str::to_owned).to_vec()),
            variable: sort("variable", of(&mut system.variables.iter().map(|v| &*v.name))),
            channel: sort("channel", of(&mut system.channels.iter().map(|c| &*c.name))),
            transfer: sort(
                "transfer",
                match view {
                    View::Untimed { .. } => of(&mut machine.protocol.transfers.iter().map(|t| &*t.name)),
                    _ => transfer_names(machine),
                },
            ),
        };
        let fields = Fields::new(system, machine, view, &mut program);
        let cuts = system.processes.iter().map(|process| cuts(process, view)).collect();
        let count = system.processes.len();
        Lowering {
            system,
            machine,
            view,
            program,
            fields,
            cuts,
            locations: vec![Vec::new(); count],
            numbers: vec![FxHashMap::default(); count],
            mistakes: Vec::new(),
            spans: Vec::new(),
            sorts,
            alternatives: vec![Vec::new(); count],
            actions: FxHashMap::default(),
        }
    }

    fn run(&mut self) {
        let mut initial: Vec<i64> = self.program.fields.iter().map(|field| field.domain.bounds().0).collect();
        self.fields.initial_values(self.system, &mut initial);
        for process in 0..self.system.processes.len() as u32 {
            let process = ProcessId(process);
            // What the process computes before its first step is computed here: its locals are constants.
            let start = self.system.processes[process.index()].start;
            let env = self.initial_locals(process);
            let writes = self.zero_time(process, start, env, true);
            for (field, value) in writes {
                let value = self.program.exprs.as_const(value).and_then(|value| value.as_i64());
                initial[field.index()] = value.expect("code before the first step depends on constants");
            }
            // Locations come up as steps lead to them.
            let mut next = 0;
            while let Some(&location) = self.locations[process.index()].get(next) {
                next += 1;
                self.steps_from(process, location);
            }
        }
        self.program.initial = Initial::States(vec![initial]);
    }

    fn steps_from(&mut self, process: ProcessId, location: Location) {
        match location {
            Location::Ready(node) => self.ready(process, node),
            Location::Waiting(node) => self.waiting(process, node, false),
            Location::Updating(node) => self.updating(process, node),
            Location::WaitingAgain(node) => self.waiting(process, node, true),
            Location::Done(node) => self.done(process, node),
            Location::Failed(mistake) => self.failed(process, mistake),
            Location::Stopped => {}
        }
    }

    fn finish(mut self) -> Lowered {
        for (process, locations) in self.locations.iter().enumerate() {
            let field = self.fields.of[process].location;
            self.program.fields[field.index()].domain =
                volvelle_model::Domain::Int { lo: 0, hi: locations.len().max(2) as i64 - 1 };
        }
        for (process, groups) in self.alternatives.into_iter().enumerate() {
            let component = self.fields.of[process].component;
            for (action, class, alternatives) in groups {
                let participants = vec![Participant::component(component, alternatives)];
                self.program.groups.push(Group { class, ..Group::new(action, participants) });
            }
        }
        Lowered {
            location_fields: self.fields.of.iter().map(|of| of.location).collect(),
            section_fields: self.fields.holders.clone(),
            channel_fields: self
                .fields
                .channels
                .iter()
                .map(|channel| Some(channel.as_ref()?.count))
                .collect(),
            journeys: self.fields.of.into_iter().map(|of| of.journeys).collect(),
            program: self.program,
            mistakes: self.mistakes,
            locations: self.locations,
            spans: self.spans,
        }
    }

    /// The number of a location of a process, a new one where it has none.
    fn location(&mut self, process: ProcessId, location: Location) -> i64 {
        let locations = &mut self.locations[process.index()];
        *self.numbers[process.index()].entry(location).or_insert_with(|| {
            locations.push(location);
            locations.len() as i64 - 1
        })
    }

    /// The location of a process that has made a mistake at a node.
    fn mistake(&mut self, process: ProcessId, node: NodeId, mistake: Mistake) -> i64 {
        let all = &mut self.mistakes;
        let known = all.iter().position(|&known| known == (process, node, mistake));
        let number = known.unwrap_or_else(|| {
            all.push((process, node, mistake));
            all.len() - 1
        });
        self.location(process, Location::Failed(number as u32))
    }

    fn of(&self, process: ProcessId) -> &ProcessFields {
        &self.fields.of[process.index()]
    }

    /// The class of steps that take no time.
    fn urgent(&self, process: ProcessId) -> Class {
        let place = (self.system.processes.len() - process.index()).min(usize::from(u8::MAX)) as u8;
        match self.view {
            View::Timed { ordered: false } => Class::URGENT,
            View::Interleaved => Class::ORDINARY,
            View::Timed { ordered: true } | View::Untimed { .. } => Class::priority(place),
        }
    }

    /// The class of steps before which everything urgent happens.
    fn patient(&self) -> Class {
        match self.view {
            View::Interleaved => Class::ORDINARY,
            _ => Class::PATIENT,
        }
    }

    fn action(&mut self, name: &str) -> ActionId {
        if let Some(&action) = self.actions.get(name) {
            return action;
        }
        self.program.actions.push(Action { name: name.to_owned() });
        let action = ActionId(self.program.actions.len() as u32 - 1);
        self.actions.insert(name.to_owned(), action);
        action
    }

    /// Whether a process is at a location.
    fn is_at(&mut self, process: ProcessId, location: Location) -> ExprId {
        let number = self.location(process, location);
        let field = self.of(process).location;
        let at = self.program.field(field);
        let number = self.program.exprs.i64(number);
        self.program.exprs.binary(BinaryOp::Eq, at, number)
    }

    /// Adds a step of a process.
    fn step(
        &mut self,
        process: ProcessId,
        (action, class): (ActionId, Class),
        guard: ExprId,
        items: Vec<(ExprId, SortId)>,
        writes: Writes,
        span: Span,
    ) {
        let origin = self.origin(span);
        let mut assignments: Vec<Assignment> = Vec::with_capacity(writes.len());
        for (field, value) in writes {
            // What stays as it is needs no assignment.
            if self.program.field(field) == value {
                continue;
            }
            let info = SiteInfo {
                kind: volvelle_kernel::FailKind::Range,
                subject: SiteSubject::Assignment(field),
                origin,
                command: None,
            };
            let site = self.program.site(info);
            assignments.push(Assignment { field, value, site });
        }
        assignments.sort_unstable_by_key(|assignment| assignment.field);
        let outcome = Outcome::assigning(Weight::ONE, assignments, origin);
        let mut alternative = Alternative::command(guard, vec![outcome], None, origin);
        if !items.is_empty() {
            alternative.offer =
                Some(Offer::of_sorts(items.into_iter().map(|(value, sort)| (Item::Give(value), sort))));
        }
        let groups = &mut self.alternatives[process.index()];
        match groups.iter_mut().find(|(known, known_class, _)| (*known, *known_class) == (action, class)) {
            Some((_, _, alternatives)) => alternatives.push(alternative),
            None => groups.push((action, class, vec![alternative])),
        }
    }

    fn origin(&mut self, span: Span) -> Origin {
        let place = self.spans.iter().position(|&known| known == span);
        Origin(place.unwrap_or_else(|| {
            self.spans.push(span);
            self.spans.len() - 1
        }) as u32)
    }

    /// The process as a value in labels.
    fn process_item(&mut self, process: ProcessId) -> (ExprId, SortId) {
        (self.program.exprs.i64(i64::from(process.0)), self.sorts.process)
    }

    /// A process that has made a mistake says so, and stops.
    fn failed(&mut self, process: ProcessId, mistake: u32) {
        let (_, node, _) = self.mistakes[mistake as usize];
        let span = self.system.processes[process.index()].nodes[node.index()].span;
        let guard = self.is_at(process, Location::Failed(mistake));
        let number = self.program.exprs.i64(i64::from(mistake));
        let items = vec![self.process_item(process), (number, SortId::INTEGER)];
        let stopped = self.location(process, Location::Stopped);
        let writes = vec![(self.of(process).location, self.program.exprs.i64(stopped))];
        let action = (self.action("ERROR"), self.urgent(process));
        self.step(process, action, guard, items, writes, span);
    }
}

/// A name as labels show it: capital letters, digits and underscores.
pub fn label_name(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    let mut text: String = plain.collect();
    while text.contains("__") {
        text = text.replace("__", "_");
    }
    text.trim_end_matches('_').to_owned()
}

/// Names of transfers with the distances over which they go: `HIT`, `MEM_0`, `MEM_1`.
pub fn transfer_names(machine: &Machine) -> Vec<String> {
    transfer_kinds(machine).into_iter().map(|(name, _, _)| name).collect()
}

/// The place of the transfer of a journey among [`transfer_kinds`]: beyond the last distance with a latency of its own, that counts.
pub fn transfer_kind(machine: &Machine, process: ProcessId, journey: Journey) -> usize {
    let farthest = machine.latencies[journey.transfer.index()].len() as u32 - 1;
    let distance = machine.distance(process, journey).min(farthest);
    let kinds = transfer_kinds(machine);
    let of_transfer = |(_, transfer, _): &(String, _, u32)| *transfer == journey.transfer;
    let fits = |kind: &(String, _, u32)| of_transfer(kind) && kind.2 == distance;
    let place = kinds.iter().position(fits).or_else(|| kinds.iter().position(of_transfer));
    place.expect("each transfer has a name")
}

/// Names of transfers with their numbers and distances.
pub fn transfer_kinds(machine: &Machine) -> Vec<(String, volvelle_coherence::TransferId, u32)> {
    let mut all = Vec::new();
    for (number, transfer) in machine.protocol.transfers.iter().enumerate() {
        let distances = match transfer.source {
            volvelle_coherence::Source::None => 1,
            _ => machine.latencies[number].len() as u32,
        };
        for distance in 0..distances {
            let name = label_name(&transfer.name);
            let name = if transfer.source == volvelle_coherence::Source::None {
                name
            } else {
                format!("{name}_{distance}")
            };
            all.push((name, volvelle_coherence::TransferId(number as u8), distance));
        }
    }
    all
}
