//! The network of processes and channels: its pools, its locations, and its initial state.

use super::builder::Builder;
use super::code::{Code, Context};
use super::environment::Environment;
use super::locations::ProcessFlow;
use super::statement_numbers::StatementNumbers;
use super::symbols::{ChannelType, Scope, VarId};
use super::transitions::Transitions;
use super::values::Value;
use volvelle_model::{Domain, FieldId, Location, LocationId, Pool, ProcessType, Program, Queue};

/// The pools of processes and channels.
pub(super) fn pools(env: &Environment<'_>, out: &mut Builder<'_>) {
    let program = &mut out.program;
    let header = |program: &Program, field: FieldId| {
        program.fields[field.index()].component.expect("headers are components")
    };
    let processes = Pool {
        name: "process".into(),
        header: header(program, env.fields.location),
        members: env.processes.values().map(|p| p.component).collect(),
        count: env.fields.processes,
        kind: None,
    };
    let kind = env.fields.kind;
    let channels = Pool {
        name: "channel".into(),
        header: header(program, kind),
        members: env.channel_types.values().map(|c| c.component).collect(),
        count: env.fields.channels,
        kind: Some(kind),
    };
    let last = env.channel_types.len().saturating_sub(1) as i64;
    program.fields[kind.index()].domain = Domain::Int { lo: 0, hi: last };
    program.network.pools = vec![processes, channels];
    let queue = |c: &ChannelType| {
        let length = c.length?;
        Some(Queue { component: c.component, length, capacity: i64::from(c.capacity) })
    };
    program.network.queues = env.channel_types.values().filter_map(queue).collect();
    out.note_pools();
}

/// The process types with their locations.
pub(super) fn process_types<'a>(
    env: &Environment<'a>,
    out: &mut Builder<'a>,
    flows: &[ProcessFlow<'a>],
    numbers: &StatementNumbers,
) {
    out.program.network.locations.push(Location::default());
    for (id, flow) in env.processes.keys().zip(flows) {
        let info = &env.processes[id];
        let (first, count) = info.locations;
        let mut code = Code::new(env, out, flow.proctype.name.place);
        let guard = flow.proctype.provided.and_then(|e| {
            let names = info.parameters.iter().map(|&v| (env.variables[v].name.clone(), v)).collect();
            let scope = Scope { process: Some(id), names, ..Scope::global() };
            code.condition(Context::of(&scope), e)
        });
        let guard_accesses = code.footprint.accesses;
        let (component, first) = (info.component, LocationId(first));
        out.program.network.types.push(ProcessType { component, guard, guard_accesses, first, count });
        let mut transitions = Transitions { env, out, process: Some(id), flow: &flow.flow, numbers };
        for &node in &flow.locations.nodes {
            let location = transitions.location(&flow.locations, node, first.0);
            transitions.out.program.network.locations.push(location);
        }
    }
}

/// The initialisation: global variables and the first processes, in the order of the text.
pub(super) fn initialisation<'a>(env: &Environment<'a>, out: &mut Builder<'a>, flows: &[ProcessFlow<'a>]) {
    let mut block = Vec::new();
    let scope = Scope::global();
    let globals: Vec<VarId> =
        env.variables.iter().filter(|(_, v)| v.process.is_none()).map(|(id, _)| id).collect();
    for variable in globals {
        let mut code = Code::new(env, out, env.variables[variable].place);
        code.initialise(variable, None, Context::of(&scope), &mut block);
    }
    for (id, flow) in env.processes.keys().zip(flows) {
        let info = &env.processes[id];
        let place = flow.proctype.name.place;
        let mut code = Code::new(env, out, place);
        let priority = code.priority_of(flow.proctype.priority);
        // Parameters of a process in the initial state are 0.
        let zeros: Vec<Value> = (0..code.scalars_of_parameters(id)).map(|_| code.number(0)).collect();
        for _ in &info.slots {
            if let Some((creation, _)) = code.creation(id, &zeros, priority, place) {
                block.extend(creation);
            }
        }
    }
    out.program.network.initialisation = block;
}
