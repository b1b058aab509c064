//! The fields of the state.

use super::View;
use crate::machine::{Atomicity, From, Journey, Machine};
use crate::system::{
    ChannelReference, Event, Index, LineId, NodeKind, ProcessId, Reference, System, VariableId,
};
use rustc_hash::FxHashSet;
use volvelle_coherence::{Source, TransferId};
use volvelle_model::{Component, ComponentId, Domain, Field, FieldId, Origin, Program};

/// Fields of a process.
pub struct ProcessFields {
    pub component: ComponentId,
    pub location: FieldId,
    /// `None` for a local with one value.
    pub locals: Vec<Option<FieldId>>,
    /// Journeys; the field has 1 more than the place.
    pub journeys: Vec<Journey>,
    pub journey: Option<FieldId>,
    /// The stages of the longest journey.
    pub most_stages: usize,
    pub stage: Option<FieldId>,
    /// The variable of the access under way, where that is computed.
    pub variable: Option<FieldId>,
    /// What was decided at the beginning of an access that changes caches later.
    pub decision: Option<FieldId>,
}

/// Fields of a channel: how many messages are under way, and their contents.
pub struct ChannelFields {
    pub count: FieldId,
    pub contents: Vec<Option<FieldId>>,
}

/// All fields.
pub struct Fields {
    pub of: Vec<ProcessFields>,
    /// `None` for a variable with one value.
    pub variables: Vec<Option<FieldId>>,
    /// By line and process; `None` where the process never uses the line.
    pub states: Vec<Vec<Option<FieldId>>>,
    /// By line and process, whether the copy is the latest.
    pub latest: Vec<Vec<Option<FieldId>>>,
    /// By line, whether memory has the latest values.
    pub memory: Vec<Option<FieldId>>,
    /// By variable, 1 + the process in its critical section, or 0.
    pub holders: Vec<Option<FieldId>>,
    pub channels: Vec<Option<ChannelFields>>,
}

/// The variables that a reference may mean.
pub fn variables_of(reference: &Reference) -> Vec<VariableId> {
    elements(reference.base.0, &reference.indices).into_iter().map(|(number, _)| VariableId(number)).collect()
}

/// The numbers of elements with the values of their computed indices.
pub fn elements(base: u32, indices: &[Index]) -> Vec<(u32, Vec<i64>)> {
    let mut all = vec![(base, Vec::new())];
    for index in indices {
        let each = |(number, values): (u32, Vec<i64>)| {
            (index.lo..=index.hi).map(move |value| {
                let offset = (value - index.lo) as u32 * index.stride;
                (number + offset, values.iter().copied().chain([value]).collect())
            })
        };
        all = all.into_iter().flat_map(each).collect();
    }
    all
}

/// The channels that a reference may mean.
pub fn channels_of(reference: &ChannelReference) -> Vec<u32> {
    elements(reference.base.0, &reference.indices).into_iter().map(|(number, _)| number).collect()
}

/// Adds a field with values `0..=hi`, or `lo..=hi`.
fn field(program: &mut Program, name: String, component: Option<ComponentId>, lo: i64, hi: i64) -> FieldId {
    let domain = Domain::Int { lo, hi };
    program.fields.push(Field { name, domain, component, length: 1, origin: Origin(0) });
    FieldId(program.fields.len() as u32 - 1)
}

impl Fields {
    pub fn new(system: &System, machine: &Machine, view: View, program: &mut Program) -> Self {
        let variables = system.variables.iter().map(|variable| {
            (variable.lo < variable.hi)
                .then(|| field(program, variable.name.clone(), None, variable.lo, variable.hi))
        });
        let variables = variables.collect();
        let used = used_lines(system);
        let last_state = machine.protocol.states.len() as i64 - 1;
        let mut by_copy = |what: &str, hi: i64, wanted: bool| -> Vec<Vec<Option<FieldId>>> {
            let lines = system.lines.iter().enumerate().map(|(number, line)| {
                let copies = system.processes.iter().enumerate().map(|(process, of)| {
                    let is_used = used.contains(&(LineId(number as u32), process));
                    let name = format!("{what}{} in {}", line.name, of.name);
                    (wanted && is_used).then(|| field(program, name, None, 0, hi))
                });
                copies.collect()
            });
            lines.collect()
        };
        let tracks = view == View::Untimed { tracks_copies: true };
        let states = by_copy("", last_state, true);
        let latest = by_copy("latest ", 1, tracks);
        let memory = system.lines.iter();
        let memory = memory.map(|line| {
            tracks.then(|| field(program, format!("latest {} in memory", line.name), None, 0, 1))
        });
        let memory = memory.collect();
        let verifies = matches!(view, View::Untimed { .. });
        let (holders, channels) = ghosts(system, verifies, program);
        let of = (0..system.processes.len() as u32)
            .map(|process| process_fields(system, machine, view, ProcessId(process), program))
            .collect();
        Fields { of, variables, states, latest, memory, holders, channels }
    }

    /// Initial values of fields whose initial value is not their least.
    pub fn initial_values(&self, system: &System, values: &mut [i64]) {
        for (variable, field) in system.variables.iter().zip(&self.variables) {
            if let Some(field) = field {
                values[field.index()] = variable.initial;
            }
        }
        for (process, of) in system.processes.iter().zip(&self.of) {
            for (local, field) in process.locals.iter().zip(&of.locals) {
                if let Some(field) = field {
                    values[field.index()] = local.initial;
                }
            }
        }
        for field in self.memory.iter().flatten() {
            values[field.index()] = 1;
        }
        for (channel, fields) in system.channels.iter().zip(&self.channels) {
            for field in fields.iter().flat_map(|fields| fields.contents.iter().flatten()) {
                values[field.index()] = channel.lo;
            }
        }
    }
}

/// Lines with the processes that may access them.
pub fn used_lines(system: &System) -> FxHashSet<(LineId, usize)> {
    let mut used = FxHashSet::default();
    for (number, process) in system.processes.iter().enumerate() {
        for node in &process.nodes {
            if let NodeKind::Access(access) = &node.kind {
                for variable in variables_of(&access.variable) {
                    used.insert((system.variables[variable.index()].line, number));
                }
            }
        }
    }
    used
}

type Ghosts = (Vec<Option<FieldId>>, Vec<Option<ChannelFields>>);

fn ghosts(system: &System, wanted: bool, program: &mut Program) -> Ghosts {
    let (mut locks, mut used) = (FxHashSet::default(), FxHashSet::default());
    let nodes = system.processes.iter().flat_map(|process| &process.nodes).filter(|_| wanted);
    for node in nodes {
        match &node.kind {
            NodeKind::Event(Event::Enter(reference) | Event::Leave(reference), _) => {
                locks.extend(variables_of(reference));
            }
            NodeKind::Event(Event::Sent(reference, _) | Event::Received(reference, _), _) => {
                used.extend(channels_of(reference));
            }
            _ => {}
        }
    }
    let processes = system.processes.len() as i64;
    let holders = system.variables.iter().enumerate().map(|(number, variable)| {
        let name = format!("process inside {}", variable.name);
        locks.contains(&VariableId(number as u32)).then(|| field(program, name, None, 0, processes))
    });
    let holders = holders.collect();
    let channels = system.channels.iter().enumerate().map(|(number, channel)| {
        used.contains(&(number as u32)).then(|| ChannelFields {
            count: field(
                program,
                format!("messages in {}", channel.name),
                None,
                0,
                i64::from(channel.capacity),
            ),
            contents: (0..channel.capacity)
                .map(|place| {
                    let name = format!("message {place} in {}", channel.name);
                    (channel.lo < channel.hi).then(|| field(program, name, None, channel.lo, channel.hi))
                })
                .collect(),
        })
    });
    (holders, channels.collect())
}

/// The journeys that a process may make.
fn journeys(system: &System, machine: &Machine, process: ProcessId) -> Vec<Journey> {
    let used = used_lines(system);
    let mut homes: Vec<_> = used.iter().filter(|(_, user)| *user == process.index()).collect();
    homes.sort_unstable();
    let mut homes: Vec<_> = homes.into_iter().map(|(line, _)| system.lines[line.index()].home).collect();
    homes.sort_unstable();
    homes.dedup();
    let mut all = Vec::new();
    for transfer in (0..machine.protocol.transfers.len() as u8).map(TransferId) {
        match machine.source(transfer) {
            Source::None => all.push(Journey { transfer, from: From::Here }),
            Source::Home => {
                all.extend(homes.iter().map(|&home| Journey { transfer, from: From::Home(home) }));
            }
            Source::Provider => {
                let others = (0..system.processes.len() as u32).map(ProcessId).filter(|&p| p != process);
                all.extend(others.map(|other| Journey { transfer, from: From::Cache(other) }));
            }
        }
    }
    all
}

fn process_fields(
    system: &System,
    machine: &Machine,
    view: View,
    process: ProcessId,
    program: &mut Program,
) -> ProcessFields {
    let of = &system.processes[process.index()];
    program.components.push(Component { name: of.name.clone() });
    let component = ComponentId(program.components.len() as u32 - 1);
    // The range is set when all locations are known.
    let location = field(program, of.name.clone(), Some(component), 0, 1);
    let locals = of.locals.iter().map(|local| {
        let name = format!("{}.{}", of.name, local.name);
        (local.lo < local.hi).then(|| field(program, name, Some(component), local.lo, local.hi))
    });
    let locals = locals.collect();
    let journeys = journeys(system, machine, process);
    let waits = !matches!(view, View::Untimed { .. });
    let splits = machine.atomicity != Atomicity::Atomic;
    let has_stages = matches!(view, View::Timed { .. });
    let stages = journeys.iter().map(|&journey| machine.stages(process, journey).len());
    let most_stages = stages.max().filter(|_| has_stages).unwrap_or(1);
    let is_computed = |kind: &NodeKind| matches!(kind, NodeKind::Access(a) if !a.variable.indices.is_empty());
    let computes = of.nodes.iter().any(|node| is_computed(&node.kind));
    let mut own = |wanted: bool, what: &str, hi: usize| {
        wanted.then(|| field(program, format!("{what} of {}", of.name), Some(component), 0, hi as i64))
    };
    let states = machine.protocol.states.len();
    ProcessFields {
        component,
        location,
        locals,
        journey: own(waits || splits, "journey", journeys.len()),
        stage: own(most_stages > 1, "stage", most_stages - 1),
        variable: own(computes && (waits || splits), "variable", system.variables.len()),
        decision: own(machine.atomicity == Atomicity::Raced, "decision", states * states - 1),
        most_stages,
        journeys,
    }
}
