//! Control locations: the nodes of the control flow at which a process can stay, numbered over all processes.

use super::builder::Builder;
use super::environment::{Environment, PROCESS_LIMIT};
use super::flow::{Flow, Kind, NodeId, Work, flow};
use super::symbols::ProcessId;
use crate::ast::{Proctype, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::codes;
use volvelle_model::{Domain, LocationId};

/// Which nodes of a process are control locations, by number within the process.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    pub nodes: Vec<NodeId>,
    pub numbers: FxHashMap<NodeId, u32>,
}

impl Locations {
    /// The number of the location at a node; creates the location if necessary.
    pub fn number(&mut self, node: NodeId) -> u32 {
        if let Some(&n) = self.numbers.get(&node) {
            return n;
        }
        let n = self.nodes.len() as u32;
        self.nodes.push(node);
        self.numbers.insert(node, n);
        n
    }
}

/// The locations of a process: those that can be reached by its control flow, from its entry.
pub(super) fn locations(flow: &Flow<'_>) -> Locations {
    let mut locations = Locations::default();
    locations.number(flow.resolve(flow.entry));
    let mut at = 0;
    while at < locations.nodes.len() {
        let node = locations.nodes[at];
        at += 1;
        let mut stack = vec![node];
        let mut seen = FxHashSet::default();
        while let Some(n) = stack.pop() {
            if !seen.insert(n) {
                continue;
            }
            let info = flow.get(n);
            stack.extend(info.escapes.iter().copied());
            match &info.kind {
                Kind::Basic { work: Work::DStep(first), next, .. } => {
                    for exit in d_step_exits(flow, *first, *next) {
                        locations.number(flow.resolve(exit));
                    }
                }
                Kind::Basic { next, .. } | Kind::Jump(next) => {
                    locations.number(flow.resolve(*next));
                }
                Kind::Choice(options) => stack.extend(options.iter().copied()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::End => {}
            }
        }
    }
    locations
}

/// The nodes at which a `d_step` is left: `next`, and targets of jumps out of it.
pub(super) fn d_step_exits(flow: &Flow<'_>, first: NodeId, next: NodeId) -> Vec<NodeId> {
    let inside = flow.get(first).d_step;
    let mut exits = vec![next];
    let (mut stack, mut seen) = (vec![first], FxHashSet::default());
    while let Some(n) = stack.pop() {
        if !seen.insert(n) {
            continue;
        }
        let info = flow.get(n);
        if info.d_step != inside {
            if !exits.contains(&n) {
                exits.push(n);
            }
            continue;
        }
        match &info.kind {
            Kind::Basic { next, .. } | Kind::Jump(next) => stack.push(*next),
            Kind::Choice(options) => stack.extend(options.iter().copied()),
            Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
            Kind::End => {}
        }
    }
    exits.retain(|&e| e == next || flow.resolve(e) != flow.resolve(next));
    exits
}

/// The control flow of a process type, with its locations.
pub(super) struct ProcessFlow<'a> {
    pub proctype: &'a Proctype,
    pub flow: Flow<'a>,
    pub locations: Locations,
}

/// The control flow of all process types; numbers their locations, and the processes of the initial state.
pub(super) fn process_flows<'a>(env: &mut Environment<'a>, out: &mut Builder<'a>) -> Vec<ProcessFlow<'a>> {
    let model = env.model;
    let mut flows = Vec::new();
    let (mut next, mut slot) = (1u32, 0i64);
    for unit in &model.units {
        let Unit::Proctype(p) = unit else { continue };
        let id = ProcessId::from_index(flows.len());
        let names = env.processes[id].parameters.iter();
        let names = names.map(|&v| (env.variables[v].name.clone(), v)).collect();
        let flow = flow(env, &mut out.reports, &p.body, Some(id), names, p.name.place);
        let locations = locations(&flow);
        let count = locations.nodes.len() as u32;
        let labels = flow.labels.iter().map(|(name, &node)| {
            // A label that no step leads to: no process is ever there.
            let number = locations.numbers.get(&flow.resolve(node));
            (name.clone(), number.map_or(LocationId(u32::MAX), |number| LocationId(next + number)))
        });
        let labels = labels.collect();
        let active = match p.active {
            Some(Some(count)) => match env.constant(count) {
                Some(n) if (0..=PROCESS_LIMIT).contains(&n) => n,
                known => {
                    let place = env.place(count);
                    let message = match known {
                        Some(n) => format!("there cannot be {n} processes"),
                        None => "the number of processes must be a constant".to_owned(),
                    };
                    out.reports.error(codes::NOT_CONSTANT, message, place, "");
                    0
                }
            },
            Some(None) => 1,
            None => i64::from(p.is_init),
        };
        let info = &mut env.processes[id];
        info.locations = (next, count);
        info.labels = labels;
        info.unreachable = flow.unreachable();
        info.slots = (slot..slot + active).collect();
        next += count;
        slot += active;
        flows.push(ProcessFlow { proctype: p, flow, locations });
    }
    let location = env.fields.location;
    out.program.fields[location.index()].domain = Domain::Int { lo: 0, hi: i64::from(next) - 1 };
    flows
}
