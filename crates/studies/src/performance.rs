//! The numbers of a configuration: time of a message, accesses by place, variable and transfer, and what latencies matter.

use super::report::{AccessShare, Influence, Performance, SimulatedTime};
use super::timed::{Delay, Structure};
use crate::wanted::Wanted;
use volvelle_coherence::Source;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_imc::{Chain, Measured, Parameter, Problem, Steady, Wanted as OfLongRun};
use volvelle_markov::CheckError;
use volvelle_mpi::lower::label_name;
use volvelle_mpi::simulate::{Sampled, Simulation, simulate};
use volvelle_mpi::system::{MarkId, NodeId, ProcessId};
use volvelle_session::settings::Settings;
use volvelle_session::study::Ready;
use volvelle_session::study::place_of;

/// Why there are no numbers.
pub enum Failure {
    /// The chain has none.
    Chain(Problem),
    /// The study asks for what is not there.
    Study(Box<Diagnostic>),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Chain(problem)
    }
}

/// Recurrent states beyond which the influence of latencies is left out.
const MOST_FOR_INFLUENCE: usize = 10_000;

/// Systems of fewer states are solved to a precision of [`FINE`], unless another one is asked for.
const SMALL: usize = 5_000;
const FINE: f64 = 1e-9;

/// Precisions of distributions of states that are tried one after the other where a finer one is not reached. Accesses are told with three
/// digits.
const COARSER: [f64; 3] = [1e-6, 1e-5, 1e-4];

/// States times accesses up to which accesses are computed one by one.
const MOST_ONE_BY_ONE: u64 = 2_000_000;

/// Elasticities that are not known more precisely are not told.
const VAGUE: f64 = 1e-3;

/// A tenth: influences are told for latencies that are so much shorter.
const TENTH: f64 = 0.1;

/// Computes the numbers.
pub fn compute(
    structure: &Structure,
    ready: &Ready,
    wanted: &Wanted,
    sources: &Sources,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<Performance, Failure> {
    let mark = measured_mark(structure, ready)?;
    let values = structure.values(ready);
    let mut actions: Vec<String> = vec![mark.clone()];
    for (delay, text) in structure.delays.iter().zip(structure.lts.labels.texts()) {
        if delay.is_some() {
            actions.push(text.split(';').next().unwrap_or_default().to_owned());
        }
    }
    let is_small = structure.lts.num_states() <= SMALL;
    let precision = wanted.precision.unwrap_or(if is_small { FINE } else { settings.numeric.precision });
    let settings =
        &Settings { numeric: volvelle_markov::Options { precision, ..settings.numeric }, ..*settings };
    let chain = structure.chain(values.clone(), Measured::Only(actions.clone()), settings, control)?;
    let (states, transitions) = (chain.tangible().len() as u64, chain.num_transitions()? as u64);
    let only = || Measured::Only(vec![mark.clone()]);
    let mut found = found_at(&chain, control)?;
    // Where no distribution of states is found to the precision of times, a coarser one still has the accesses.
    for precision in COARSER.into_iter().filter(|coarser| *coarser > precision) {
        if found.is_some() {
            break;
        }
        let numeric = volvelle_markov::Options { precision, ..settings.numeric };
        let coarser = Settings { numeric, ..*settings };
        let chain = structure.chain(values.clone(), Measured::Only(actions.clone()), &coarser, control)?;
        found = found_at(&chain, control)?;
    }
    // Else each access has bounds of its own, as long as that does not take too much.
    if found.is_none() && states.saturating_mul(actions.len() as u64) <= MOST_ONE_BY_ONE {
        let numeric = volvelle_markov::Options { precision: COARSER[0].max(precision), ..settings.numeric };
        let alone = Settings { numeric, ..*settings };
        let chain = structure.chain(values.clone(), Measured::Only(actions), &alone, control)?;
        found = match chain.steady(OfLongRun::Throughputs, control) {
            Err(Problem::Check(error)) if !matches!(error, CheckError::Limit(_)) => None,
            result => Some(result?),
        };
    }
    let (steady, is_partial) = match found {
        Some(steady) => (steady, false),
        // The time alone may still have bounds.
        None => {
            let chain = structure.chain(values.clone(), only(), settings, control)?;
            (chain.steady(OfLongRun::Throughputs, control)?, true)
        }
    };
    let mut performance = Performance {
        states,
        transitions,
        is_partial,
        recurrent: steady.components.iter().map(|component| component.members.len() as u64).sum(),
        method: steady.method.clone(),
        ..Performance::default()
    };
    performance.ends = structure.ends;
    let per_round = ready.settings.measure.per_round;
    let mut of_mark = steady.throughput(&mark).unwrap_or([0.0; 2]);
    drop(chain);
    if !is_partial && !settings.numeric.accepts(of_mark[0], of_mark[1]) {
        // Bounds of one quantity alone may be narrower than those of a sum over states.
        let chain = structure.chain(values.clone(), only(), settings, control)?;
        let alone = chain.steady(OfLongRun::Throughputs, control)?.throughput(&mark).unwrap_or(of_mark);
        of_mark = [of_mark[0].max(alone[0]), of_mark[1].min(alone[1])];
    }
    performance.throughput = of_mark.map(|bound| bound * per_round);
    performance.latency = [1.0 / performance.throughput[1], 1.0 / performance.throughput[0]];
    let rounds = volvelle_imc::middle(of_mark);
    performance.round = 1.0 / rounds;
    performance.bandwidth = ready.settings.measure.bytes.map(|bytes| bytes * rounds * per_round);
    performance.accesses = accesses(structure, ready, &steady, rounds, sources);
    for (_, transfer, distance) in volvelle_mpi::lower::transfer_kinds(&ready.machine) {
        let transfer_name = ready.machine.protocol.transfers[transfer.index()].name.clone();
        let mean = ready.machine.latencies[transfer.index()][distance as usize];
        performance.means.push((transfer_name, distance, mean));
    }
    performance.simulated = simulated(wanted, ready, &mark, &performance, control)?;
    if !wanted.without_influence && performance.recurrent as usize <= MOST_FOR_INFLUENCE {
        let chain = structure.chain(values, only(), settings, control)?;
        performance.influences = influences(structure, ready, &chain, rounds, control)?;
    }
    Ok(performance)
}

/// The long run with the distribution of states; nothing where none is found.
fn found_at(chain: &Chain<'_>, control: &Control<'_>) -> Result<Option<Steady>, Problem> {
    match chain.steady(OfLongRun::Distribution, control) {
        Ok(steady) => Ok(Some(steady)),
        Err(Problem::Check(CheckError::TooLarge { .. })) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Replications of a simulation, and rounds of each that come before those that count.
const REPLICATIONS: u32 = 20;
const WARM_UP: u64 = 20;

/// The probability with which an interval of a simulation has the time.
const CONFIDENCE: f64 = 0.99;

/// An estimate of the time by simulation, where that is wanted.
fn simulated(
    wanted: &Wanted,
    ready: &Ready,
    mark: &str,
    performance: &Performance,
    control: &Control,
) -> Result<Option<SimulatedTime>, Failure> {
    let Some(rounds) = wanted.simulated_rounds else { return Ok(None) };
    let system = &ready.system;
    let of_label = |process: usize, number: usize| {
        format!("{} !{}", label_name(&system.marks[number]), label_name(&system.processes[process].name))
            == mark
    };
    let pairs = (0..system.processes.len()).flat_map(|p| (0..system.marks.len()).map(move |m| (p, m)));
    let Some((process, number)) = pairs.into_iter().find(|&(p, m)| of_label(p, m)) else { return Ok(None) };
    let simulation = Simulation {
        mark: MarkId(number as u32),
        process: ProcessId(process as u32),
        rounds: (rounds / u64::from(REPLICATIONS)).max(1),
        warm_up: WARM_UP,
        replications: REPLICATIONS,
        seed: wanted.seed,
        confidence: CONFIDENCE,
        latencies: if wanted.deterministic { Sampled::Deterministic } else { Sampled::PhaseType },
        threads: control.threads,
    };
    let stop = || control.check().is_err();
    let found = match simulate(system, &ready.machine, &simulation, &stop) {
        Ok(found) => found,
        Err(_) => {
            control.check().map_err(|stop| Failure::Chain(Problem::Check(CheckError::Limit(stop))))?;
            return Ok(None);
        }
    };
    let per_round = ready.settings.measure.per_round;
    let [lo, hi] = performance.latency;
    let (time, half_width) = (found.round.mean / per_round, found.round.half_width / per_round);
    let agrees = time + half_width >= lo && time - half_width <= hi;
    Ok(Some(SimulatedTime {
        time,
        half_width,
        confidence: CONFIDENCE,
        events: found.events,
        agrees: (!wanted.deterministic).then_some(agrees),
    }))
}

/// The label of the mark that is measured.
fn measured_mark(structure: &Structure, ready: &Ready) -> Result<String, Failure> {
    let measure = &ready.settings.measure;
    let system = &ready.system;
    let error = |message: String, help: String, span| {
        let error = Diagnostic::error(codes::MPI_VALUE, message).help(help);
        Failure::Study(Box::new(match span {
            Some(span) => error.at(span, ""),
            None => error,
        }))
    };
    let mark = match &measure.mark {
        Some((name, span)) => {
            if !system.marks.contains(name) {
                let message = format!("the program has no mark `{name}`");
                let found = Diagnostic::error(codes::MPI_VALUE, message).at(*span, "");
                let declared = || format!("write `measure {name};` at the beginning of a round");
                return Err(Failure::Study(Box::new(found.misspelt_or(name, &system.marks, declared))));
            }
            name
        }
        None => system.marks.first().ok_or_else(|| {
            let message = "the program has no mark: nothing says what a round is";
            error(message.to_owned(), "write `measure START;` at the beginning of a round".to_owned(), None)
        })?,
    };
    let is_passed = |label: &str| structure.lts.labels.texts().iter().any(|text| text == label);
    let label = |process: &str| format!("{} !{}", label_name(mark), label_name(process));
    let process = match &measure.process {
        Some((name, span)) => {
            let known: Vec<&str> = system.processes.iter().map(|process| process.name.as_str()).collect();
            if !known.contains(&name.as_str()) {
                let help = format!("its processes are `{}`", known.join("`, `"));
                return Err(error(format!("the program has no process `{name}`"), help, Some(*span)));
            }
            name.clone()
        }
        None => {
            let passes = |process: &&volvelle_mpi::system::Process| is_passed(&label(&process.name));
            system.processes.iter().find(passes).map_or(String::new(), |process| process.name.clone())
        }
    };
    let label = label(&process);
    if !is_passed(&label) {
        let message = match process.as_str() {
            "" => format!("no process passes the mark `{mark}`"),
            _ => format!("`{process}` never passes the mark `{mark}`"),
        };
        let help = "measure a mark that is passed: `[measure]`, `mark` and `process`".to_owned();
        return Err(error(message, help, measure.mark.as_ref().map(|mark| mark.1)));
    }
    Ok(label)
}

/// Accesses per message, each place, variable and transfer once.
fn accesses(
    structure: &Structure,
    ready: &Ready,
    steady: &Steady,
    rounds: f64,
    sources: &Sources,
) -> Vec<AccessShare> {
    let (system, machine) = (&ready.system, &ready.machine);
    let mut all: Vec<AccessShare> = Vec::new();
    let messages = rounds * ready.settings.measure.per_round;
    let throughputs: rustc_hash::FxHashMap<&str, f64> = steady
        .throughputs
        .iter()
        .map(|amount| (amount.action.as_str(), volvelle_imc::middle(amount.bounds)))
        .collect();
    for (delay, text) in structure.delays.iter().zip(structure.lts.labels.texts()) {
        let Some(delay) = *delay else { continue };
        let action = text.split(';').next().unwrap_or_default();
        let Some(&throughput) = throughputs.get(action) else { continue };
        let time = throughput / delay.speed(system, machine, &structure.lowered);
        let (access, ends) = match delay {
            Delay::Work { process, work } => {
                let name = format!("work {}", system.works[work as usize].name);
                let access = AccessShare {
                    process: system.processes[process as usize].name.clone(),
                    variable: name,
                    class: "work".to_owned(),
                    transfer: "work".to_owned(),
                    distance: 0,
                    is_miss: false,
                    place: (String::new(), 0),
                    per_message: 0.0,
                    per_round: 0.0,
                    share: 0.0,
                };
                (access, true)
            }
            Delay::Stage { process, variable, node, journey, goes_on, .. } => {
                let of = &system.variables[variable as usize];
                let journey = structure.lowered.journeys[process as usize][journey as usize - 1];
                let transfer = &machine.protocol.transfers[journey.transfer.index()];
                let is_miss = transfer.source != Source::None;
                let access = AccessShare {
                    process: system.processes[process as usize].name.clone(),
                    variable: of.name.clone(),
                    class: system.classes[of.class.index()].clone(),
                    transfer: transfer.name.clone(),
                    distance: machine.distance(ProcessId(process), journey),
                    is_miss,
                    place: place_of(system, ProcessId(process), NodeId(node), sources).0,
                    per_message: 0.0,
                    per_round: 0.0,
                    share: 0.0,
                };
                (access, !goes_on)
            }
        };
        let same = |known: &AccessShare| {
            known.process == access.process
                && known.variable == access.variable
                && known.transfer == access.transfer
                && known.distance == access.distance
                && known.place == access.place
        };
        let place = all.iter().position(same).unwrap_or_else(|| {
            all.push(access);
            all.len() - 1
        });
        let access = &mut all[place];
        // Transfers with two parts end twice.
        let parts = match machine.atomicity {
            volvelle_mpi::machine::Atomicity::Atomic => 1.0,
            _ if access.class == "work" => 1.0,
            _ => 2.0,
        };
        if ends {
            access.per_message += throughput / messages / parts;
            access.per_round += throughput / rounds / parts;
        }
        access.share += time;
    }
    all.retain(|access| access.per_message > 0.0);
    all
}

/// How much faster a message is, if transfers or accesses to variables take a tenth less time.
fn influences(
    structure: &Structure,
    ready: &Ready,
    chain: &Chain<'_>,
    rounds: f64,
    control: &Control<'_>,
) -> Result<Vec<Influence>, Problem> {
    let (system, machine) = (&ready.system, &ready.machine);
    let latency = 1.0 / (rounds * ready.settings.measure.per_round);
    let mut all: Vec<Influence> = Vec::new();
    let sensitivities = match chain.sensitivities(control) {
        // A limit ends the command; that potentials are not found only takes the ranking away.
        Err(Problem::Check(error)) if !matches!(error, CheckError::Limit(_)) => return Ok(all),
        result => result?,
    };
    let of_mark = sensitivities.into_iter().next();
    for derivative in of_mark.into_iter().flat_map(|sensitivity| sensitivity.derivatives) {
        let Parameter::Label(label) = derivative.parameter else { continue };
        let Some(delay) = structure.delays[label as usize] else { continue };
        let speed = delay.speed(system, machine, &structure.lowered);
        let part = match (delay.stage(machine, &structure.lowered), delay) {
            (Some(stage), Delay::Stage { goes_on: true, .. }) => stage.goes_on,
            (Some(stage), _) => 1.0 - stage.goes_on,
            _ => 1.0,
        };
        // dF / d(ln time) = - rate dF/d(rate); the time of a message goes the other way.
        let scale = speed * part / rounds;
        let [lo, hi] = derivative.bounds;
        if (hi - lo) * scale > VAGUE || !(hi - lo).is_finite() {
            // Bounds that say nothing: better no ranking than a wrong one.
            return Ok(Vec::new());
        }
        let elasticity = volvelle_imc::middle(derivative.bounds) * scale;
        let names = match delay {
            Delay::Work { work, .. } => vec![(format!("work {}", system.works[work as usize].name), false)],
            Delay::Stage { process, variable, journey, .. } => {
                let journey = structure.lowered.journeys[process as usize][journey as usize - 1];
                let transfer = &machine.protocol.transfers[journey.transfer.index()];
                let name = match transfer.source {
                    Source::None => transfer.name.clone(),
                    _ => {
                        let distance = machine.distance(ProcessId(process), journey);
                        format!("{} at distance {distance}", transfer.name)
                    }
                };
                vec![(name, false), (system.variables[variable as usize].name.clone(), true)]
            }
        };
        for (what, is_variable) in names {
            let same = |known: &Influence| known.what == what && known.is_variable == is_variable;
            let place = all.iter().position(same).unwrap_or_else(|| {
                all.push(Influence { what, is_variable, saved: 0.0, part: 0.0 });
                all.len() - 1
            });
            all[place].part += elasticity * TENTH;
            all[place].saved += elasticity * TENTH * latency;
        }
    }
    all.sort_by(|a, b| b.part.total_cmp(&a.part));
    Ok(all)
}
