//! Programs on machines, and their transition systems by both ways.

use std::collections::BTreeSet;
use volvelle_coherence::{Protocol, Source};
use volvelle_control::{Control, Limits};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_explore::{Options, explore, explore_with_terms};
use volvelle_kernel::interp::Interpreter;
use volvelle_lotos::data::Ranges;
use volvelle_lts::{Relation, compare, of_space};
use volvelle_mpi::lotos::{Refusal, Specification, specification};
use volvelle_mpi::lower::{View, lower};
use volvelle_mpi::machine::{Atomicity, Machine};
use volvelle_mpi::system::{Home, System};
use volvelle_mpi::{parse, phase, resolve};
use volvelle_space::Lts;

/// The system of a program, or the messages of errors.
pub fn system(text: &str, constants: &[(&str, i64)]) -> Result<System, String> {
    let mut sources = Sources::new();
    let file = sources.add("program.mpi", text);
    let (tree, mut found) = parse::program(file, text);
    let constants: Vec<(String, i64)> =
        constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let (system, more) = resolve::resolve(&tree, &constants);
    found.extend(more);
    system.ok_or_else(|| render_all(&found, &sources, RenderOptions::default()))
}

pub fn protocol(text: &str) -> Protocol {
    let mut sources = Sources::new();
    let file = sources.add("protocol.toml", text);
    let (protocol, found) = volvelle_coherence::read(file, text);
    protocol.unwrap_or_else(|| panic!("{}", render_all(&found, &sources, RenderOptions::default())))
}

pub fn shipped(name: &str) -> Protocol {
    protocol(volvelle_coherence::shipped(name).expect("a shipped protocol"))
}

/// A machine with these distances between processes; other places are as far away as the farthest process.
pub fn machine(system: &System, protocol: &Protocol, between: &[Vec<u32>], atomicity: Atomicity) -> Machine {
    let processes = system.processes.len();
    let farthest = between.iter().flatten().copied().max().unwrap_or(0);
    let to_home = |from: usize| -> Vec<u32> {
        let each = system.homes.iter().map(|home| match home {
            Home::Process(process) => between[from][process.index()],
            Home::Place(_) => farthest,
        });
        each.collect()
    };
    let latencies: Vec<Vec<f64>> = protocol
        .transfers
        .iter()
        .map(|transfer| if transfer.source == Source::None { vec![5.0] } else { vec![200.0, 400.0, 600.0] })
        .collect();
    Machine {
        protocol: protocol.clone(),
        between: between.to_vec(),
        to_home: (0..processes).map(to_home).collect(),
        shapes: latencies.iter().map(|means| means.iter().map(|_| phase::erlang(1)).collect()).collect(),
        latencies,
        atomicity,
        stations: Vec::new(),
        visits_to_home: Vec::new(),
        visits_to_cache: Vec::new(),
    }
}

/// All processes at the same distance from each other.
pub fn apart(system: &System, distance: u32) -> Vec<Vec<u32>> {
    let count = system.processes.len();
    (0..count).map(|from| (0..count).map(|to| if from == to { 0 } else { distance }).collect()).collect()
}

fn control(most: u64) -> Control<'static> {
    Control { limits: Limits { states: Some(most), ..Limits::default() }, ..Control::unlimited() }
}

/// The system of the lowering; `None` if it has too many states.
pub fn lowered(system: &System, machine: &Machine, most: u64) -> Option<Lts> {
    let lowered = lower(system, machine, View::Interleaved);
    let explored = explore(&lowered.program, &Interpreter, &Options::default(), &control(most)).ok()?;
    Some(of_space(&explored.space, &Control::unlimited()).expect("a labelled transition system"))
}

/// The states of the lowering in which time passes: all processes wait.
pub fn waiting_states(system: &System, machine: &Machine) -> usize {
    let lowered = lower(system, machine, View::Timed { ordered: true });
    let explored = explore(&lowered.program, &Interpreter, &Options::default(), &Control::unlimited());
    let lts = of_space(&explored.expect("few states").space, &Control::unlimited())
        .expect("a labelled transition system");
    let waits = |label: u32| lts.labels.text(label).starts_with("LATENCY");
    (0..lts.num_states() as u32).filter(|&s| lts.outgoing(s).iter().all(|edge| waits(edge.label))).count()
}

/// Kinds of labels that are reached, with operations and mistakes.
pub fn kinds(system: &System, machine: &Machine) -> BTreeSet<String> {
    let mistakes = lower(system, machine, View::Interleaved).mistakes;
    let lts = lowered(system, machine, u64::MAX).expect("no limit");
    let used: BTreeSet<u32> = lts.edges().iter().map(|edge| edge.label).collect();
    let kind = |label: u32| {
        let words: Vec<&str> = lts.labels.text(label).split(" !").collect();
        match words[0] {
            "ACTION" | "UPDATE" => format!("{} {}", words[0], words[2]),
            "ERROR" => format!("ERROR {:?}", mistakes[words[2].parse::<usize>().expect("a number")].2),
            other => other.to_owned(),
        }
    };
    used.into_iter().map(kind).collect()
}

/// The system of a specification.
pub fn of_specification(written: &Specification, most: u64) -> Result<Lts, String> {
    let text = &written.text;
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", text.as_str());
    let (mut tree, mut found) = volvelle_lotos::parse::specification(file, text);
    found.extend(volvelle_lotos::library::add(&mut tree, &mut sources));
    let ranges = Ranges { nat: written.nat, int: written.int };
    let (lowered, more) = volvelle_lotos::lower::lower(&sources, &tree, ranges);
    found.extend(more);
    let drawn = render_all(&found, &sources, RenderOptions::default());
    let lowered = lowered.filter(|_| found.is_empty()).ok_or(drawn)?;
    let mut evaluator = lowered.evaluator.clone();
    let options = Options::default();
    let explored =
        explore_with_terms(&lowered.program, &mut evaluator, &Interpreter, &options, &control(most));
    let explored = explored.map_err(|error| format!("{error:?}"))?;
    of_space(&explored.space, &Control::unlimited()).map_err(|error| format!("{error:?}"))
}

/// Compares both systems; states and transitions of the first and the second one. `None` if there are too many.
pub fn compared(system: &System, machine: &Machine, most: u64) -> Option<Result<[usize; 4], String>> {
    let direct = lowered(system, machine, most)?;
    let written = match specification(system, machine) {
        Ok(written) => written,
        Err(Refusal::Ways(_) | Refusal::Number) => return None,
        Err(refusal) => return Some(Err(format!("{refusal:?}"))),
    };
    let found = match of_specification(&written, most * 4) {
        Ok(found) => found,
        Err(error) => return Some(Err(format!("{error}\n{}", written.text))),
    };
    let sizes = [direct.num_states(), direct.edges().len(), found.num_states(), found.edges().len()];
    let result = compare(direct, found, Relation::Strong, &Control::unlimited()).expect("no limits");
    Some(if result.equivalent {
        Ok(sizes)
    } else {
        let trace = result.trace.map(|trace| (trace.is_of_first, trace.labels));
        Err(format!("not equivalent: {trace:?}, sizes {sizes:?}\n{}", written.text))
    })
}
