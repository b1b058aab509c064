//! The machine of a configuration: processes get places, lines homes, transfers times.

use super::settings::{Latency, PlaceOf, Settings};
use super::topology::Place;
use crate::machine::{Machine, Stage, Station, StationId};
use crate::phase;
use crate::system::{Home, HomeId, LineId, ProcessId, System};
use volvelle_coherence::{Operation, Protocol, Source, State};
use volvelle_diagnostics::{Diagnostic, Span, codes, has_errors};

/// Puts a system on a machine with a protocol. Homes that the study gives are entered into the system.
pub fn machine(
    settings: &Settings,
    system: &mut System,
    protocol: &Protocol,
) -> (Option<Machine>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let places = places(settings, system, &mut found);
    homes(settings, system, &mut found);
    let latencies = latencies(settings, protocol, &mut found);
    let homes_at = home_places(settings, system, &places, &mut found);
    if has_errors(&found) {
        return (None, found);
    }
    let topology = &settings.topology;
    let distances = |to: &[Place]| -> Vec<Vec<u32>> {
        places.iter().map(|from| to.iter().map(|to| topology.distance(from, to)).collect()).collect()
    };
    let mut machine = Machine {
        protocol: protocol.clone(),
        between: distances(&places),
        to_home: distances(&homes_at),
        latencies: latencies.iter().map(|latency| latency.means.clone()).collect(),
        atomicity: settings.atomicity,
        shapes: latencies.iter().map(shape).collect(),
        stations: Vec::new(),
        visits_to_home: Vec::new(),
        visits_to_cache: Vec::new(),
    };
    stations(settings, &places, &homes_at, &mut machine);
    short_latencies(settings, system, &machine, &mut found);
    let machine = (!has_errors(&found)).then_some(machine);
    (machine, found)
}

/// The shape of a latency by distance.
fn shape(latency: &Latency) -> Vec<Vec<Stage>> {
    let by_distance =
        latency.means.iter().enumerate().map(|(place, _)| match (&latency.variation, latency.erlang) {
            (Some(variation), _) => {
                let variation = variation[place.min(variation.len() - 1)];
                phase::with_variation(variation).expect("checked when it was read")
            }
            (None, stages) => phase::erlang(stages.unwrap_or(1)),
        });
    by_distance.collect()
}

/// Ways to place all processes that have no place of their own.
const WAYS: [&str; 2] = ["compact", "spread"];

fn places(settings: &Settings, system: &System, found: &mut Vec<Diagnostic>) -> Vec<Place> {
    let names: Vec<&str> = system.processes.iter().map(|process| process.name.as_str()).collect();
    for (name, _, span) in &settings.processes {
        if name != "*" && !names.contains(&name.as_str()) {
            let error = mapping(format!("the program has no process `{name}`"), *span);
            let all = || format!("its processes are `{}`", names.join("`, `"));
            found.push(error.misspelt_or(name, &names, all));
        }
    }
    let taken = vec![None; names.len()];
    let mut placing = Placing { settings, system, names, all: settings.topology.processors(), taken };
    placing.named(found);
    for process in 0..placing.names.len() {
        if !matches!(placing.entry(placing.names[process]), Some((_, PlaceOf::At(_), _))) {
            match placing.free(process) {
                Ok(place) => placing.taken[process] = Some(place),
                Err(error) if found.contains(&error) => {}
                Err(error) => found.push(error),
            }
        }
    }
    let first = &placing.all[0];
    placing.taken.into_iter().map(|place| place.unwrap_or_else(|| first.clone())).collect()
}

fn mapping(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(codes::MPI_MAPPING, message).at(span, "")
}

/// Processes on their way to places.
struct Placing<'a> {
    settings: &'a Settings,
    system: &'a System,
    /// Of processes.
    names: Vec<&'a str>,
    /// All processors.
    all: Vec<Place>,
    /// By process.
    taken: Vec<Option<Place>>,
}

impl<'a> Placing<'a> {
    fn entry(&self, name: &str) -> Option<&'a (String, PlaceOf, Span)> {
        self.settings.processes.iter().find(|(known, ..)| known == name)
    }

    /// Places that are named come first, so that others find what is free.
    fn named(&mut self, found: &mut Vec<Diagnostic>) {
        let topology = &self.settings.topology;
        for (process, name) in self.names.iter().enumerate() {
            let Some((_, PlaceOf::At(at), span)) = self.entry(name) else { continue };
            let Some(place) = topology.place(at, true) else {
                let last = self.all.last().map(|place| topology.name(place)).unwrap_or_default();
                let help = format!("processors are `{}` to `{last}`", topology.name(&self.all[0]));
                found.push(mapping(format!("there is no processor `{at}`"), *span).help(help));
                continue;
            };
            if let Some(other) = self.taken.iter().position(|other| other.as_ref() == Some(&place)) {
                let message =
                    format!("`{name}` and `{}` are on the same processor `{at}`", self.names[other]);
                let error = mapping(message, *span).note("each process has a cache of its own");
                found.push(error.help("give one of them another processor"));
            }
            self.taken[process] = Some(place);
        }
    }

    /// A free place for a process, as the study wants it.
    fn free(&self, process: usize) -> Result<Place, Diagnostic> {
        let topology = &self.settings.topology;
        let name = self.names[process];
        let Some((_, wanted, span)) = self.entry(name).or_else(|| self.entry("*")) else {
            let error = mapping(format!("process `{name}` has no place"), self.settings.processes_span)
                .also(self.system.processes[process].span, "it is declared here");
            return Err(error.help(format!(
                "give it one: `{name} = \"{}\"`, or all that have none: `\"*\" = \"compact\"`",
                topology.name(&self.all[0])
            )));
        };
        let is_free = |place: &&Place| !self.taken.iter().flatten().any(|other| other == *place);
        let mut free = self.all.iter().filter(is_free);
        let place = match wanted {
            // One place for several processes; that of a single one is refused where it is named.
            PlaceOf::At(at) => {
                let error = mapping(format!("`{at}` is no way to place processes"), *span);
                let ways = || "write `\"*\" = \"compact\"` or `\"*\" = \"spread\"`".to_owned();
                return Err(error.misspelt_or(at, WAYS, ways));
            }
            PlaceOf::Compact => free.next(),
            PlaceOf::Spread => {
                let crowd = |place: &&Place| {
                    let others = self.taken.iter().flatten();
                    others.map(|other| topology.farthest() + 1 - topology.distance(place, other)).sum::<u32>()
                };
                free.min_by_key(crowd)
            }
            PlaceOf::From { process: other, distance } => {
                let at = self.names.iter().position(|known| known == other);
                let Some(at) = at.and_then(|at| self.taken[at].as_ref()) else {
                    let error = mapping(format!("`{other}` is no process with a place"), *span);
                    return Err(error.help("a place is given from a process before this one"));
                };
                let place = free.find(|place| topology.distance(at, place) == *distance);
                let Some(place) = place else {
                    let message = format!("no free processor is at distance {distance} from `{other}`");
                    return Err(mapping(message, *span)
                        .note(format!("`{name}` is to be there"))
                        .note(format!("the greatest distance is {}", topology.farthest()))
                        .help("give the machine a larger `shape`"));
                };
                Some(place)
            }
        };
        place.cloned().ok_or_else(|| {
            mapping(format!("no processor is left for `{name}`"), *span).help(format!(
                "{} processes need as many processors: give the machine a larger `shape`",
                self.names.len()
            ))
        })
    }
}

/// Homes that the study gives.
fn homes(settings: &Settings, system: &mut System, found: &mut Vec<Diagnostic>) {
    for entry in &settings.homes {
        let belongs = |name: &str| {
            let rest = name.strip_prefix(entry.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
        };
        // Elements by the indices behind the name: `item[2].next` and `item[2].full` belong to `item[2]`.
        let mut elements: Vec<(&str, Vec<LineId>)> = Vec::new();
        for variable in system.variables.iter().filter(|variable| belongs(&variable.name)) {
            let rest = &variable.name[entry.name.len()..];
            let element = rest.split('.').next().unwrap_or_default();
            match elements.iter_mut().find(|(known, _)| *known == element) {
                Some((_, lines)) => lines.push(variable.line),
                None => elements.push((element, vec![variable.line])),
            }
        }
        let elements: Vec<Vec<LineId>> = elements.into_iter().map(|(_, lines)| lines).collect();
        if elements.is_empty() {
            let names = system.variables.iter().map(|v| v.name.split('[').next().unwrap_or_default());
            let error = Diagnostic::error(
                codes::MPI_MAPPING,
                format!("the program has no shared variable `{}`", entry.name),
            );
            let error = error.at(entry.span, "");
            found.push(error.misspelt_or(&entry.name, names, || {
                "name a variable, an array, a structure, or an element: `next[2]`".to_owned()
            }));
            continue;
        }
        if entry.homes.len() != 1 && entry.homes.len() != elements.len() {
            let message = format!(
                "`{}` has {} elements, and {} homes are given",
                entry.name,
                elements.len(),
                entry.homes.len()
            );
            found.push(Diagnostic::error(codes::MPI_MAPPING, message).at(entry.span, ""));
            continue;
        }
        for (place, lines) in elements.into_iter().enumerate() {
            let home = &entry.homes[place.min(entry.homes.len() - 1)];
            let process = system.processes.iter().position(|process| process.name == *home);
            let home = match process {
                Some(process) => Home::Process(ProcessId(process as u32)),
                None if settings.topology.place(home, false).is_some() => Home::Place(home.clone()),
                None => {
                    let message = format!("`{home}` is neither a process nor a place");
                    let error = Diagnostic::error(codes::MPI_MAPPING, message).at(entry.span, "");
                    found.push(error.help("a home is a process (`P0`) or a place of the topology (`0.1`)"));
                    continue;
                }
            };
            let known = system.homes.iter().position(|other| *other == home);
            let number = known.unwrap_or_else(|| {
                system.homes.push(home);
                system.homes.len() - 1
            });
            lines.into_iter().for_each(|line| system.lines[line.index()].home = HomeId(number as u32));
        }
    }
}

fn home_places(
    settings: &Settings,
    system: &System,
    places: &[Place],
    found: &mut Vec<Diagnostic>,
) -> Vec<Place> {
    let place = |(number, home): (usize, &Home)| match home {
        Home::Process(process) => places[process.index()].clone(),
        Home::Place(name) => settings.topology.place(name, false).unwrap_or_else(|| {
            let of = system.lines.iter().find(|line| line.home.index() == number);
            let error = Diagnostic::error(codes::MPI_MAPPING, format!("there is no place `{name}`"));
            found.push(match of {
                Some(line) => error.at(line.span, "this is at home there"),
                None => error,
            });
            places[0].clone()
        }),
    };
    system.homes.iter().enumerate().map(place).collect()
}

/// The latency of each transfer of a protocol.
fn latencies(settings: &Settings, protocol: &Protocol, found: &mut Vec<Diagnostic>) -> Vec<Latency> {
    let names: Vec<&str> = protocol.transfers.iter().map(|transfer| transfer.name.as_str()).collect();
    for latency in &settings.latencies {
        if names.contains(&latency.name.as_str()) {
            continue;
        }
        // A table serves several protocols, but a name that is almost one of this protocol is a mistake.
        let message = format!("the protocol has no transfer `{}`", latency.name);
        let error = Diagnostic::error(codes::MPI_KEY, message).at(latency.span, "");
        found.extend(Some(error.misspelt(&latency.name, &names)).filter(|error| !error.fixes.is_empty()));
    }
    let mut all = Vec::new();
    for (number, transfer) in protocol.transfers.iter().enumerate() {
        let is_given = settings.latencies.iter().any(|latency| latency.name == transfer.name);
        if !is_given && !is_used(protocol, number) {
            // Never takes place.
            let (name, means) = (transfer.name.clone(), vec![1.0]);
            all.push(Latency { name, means, erlang: None, variation: None, span: settings.latencies_span });
            continue;
        }
        let Some(latency) = settings.latencies.iter().find(|latency| latency.name == transfer.name) else {
            let message = format!("the transfer `{}` has no latency", transfer.name);
            let error = Diagnostic::error(codes::MPI_KEY, message).at(settings.latencies_span, "");
            let value = if transfer.source == Source::None { "5" } else { "[180, 300, 440]" };
            found.push(
                error
                    .note(format!("protocol `{}` has it", protocol.name))
                    .help(format!("add `\"{}\" = {value}`", transfer.name)),
            );
            continue;
        };
        all.push(latency.clone());
    }
    all
}

/// Whether some row of a protocol has a transfer.
fn is_used(protocol: &Protocol, transfer: usize) -> bool {
    let states = || (0..protocol.states.len() as u8).map(State);
    Operation::ALL.iter().any(|&operation| {
        states().any(|own| {
            states().any(|strongest| {
                let rule = protocol.rule(operation, own, strongest);
                rule.is_some_and(|rule| rule.transfer.index() == transfer)
            })
        })
    })
}

/// Stations on the ways of transfers.
fn stations(settings: &Settings, places: &[Place], homes: &[Place], machine: &mut Machine) {
    let (contention, topology) = (&settings.contention, &settings.topology);
    let mut station = |name: String, servers: u32| -> StationId {
        let known = machine.stations.iter().position(|station| station.name == name);
        StationId(known.unwrap_or_else(|| {
            machine.stations.push(Station { name, servers });
            machine.stations.len() - 1
        }) as u32)
    };
    let mut way = |from: &Place, to: &Place, reaches_memory: bool| {
        let mut visits = Vec::new();
        if let Some(service) = contention.link {
            for link in topology.links(from, to) {
                visits.push((station(format!("link of {link}"), contention.link_servers), service));
            }
        }
        if let Some(service) = contention.memory.filter(|_| reaches_memory) {
            let name = format!("memory of {}", topology.name(&topology.node(to)));
            visits.push((station(name, contention.memory_servers), service));
        }
        visits
    };
    let mut ways = |to: &[Place], reaches_memory: bool| -> Vec<Vec<Vec<(StationId, f64)>>> {
        places.iter().map(|from| to.iter().map(|to| way(from, to, reaches_memory)).collect()).collect()
    };
    let (to_home, to_cache) = (ways(homes, true), ways(places, false));
    (machine.visits_to_home, machine.visits_to_cache) = (to_home, to_cache);
}

/// Refuses latencies that are shorter than the service at the stations on the way.
fn short_latencies(settings: &Settings, system: &System, machine: &Machine, found: &mut Vec<Diagnostic>) {
    use crate::machine::{From, Journey};
    let Some(span) = settings.contention.span else { return };
    for process in (0..system.processes.len() as u32).map(ProcessId) {
        for number in 0..machine.protocol.transfers.len() as u8 {
            if !is_used(&machine.protocol, usize::from(number)) {
                continue;
            }
            let transfer = volvelle_coherence::TransferId(number);
            let froms: Vec<From> = match machine.source(transfer) {
                Source::None => Vec::new(),
                Source::Home => (0..system.homes.len() as u32).map(|home| From::Home(HomeId(home))).collect(),
                Source::Provider => (0..system.processes.len() as u32)
                    .map(ProcessId)
                    .filter(|&p| p != process)
                    .map(From::Cache)
                    .collect(),
            };
            for from in froms {
                let journey = Journey { transfer, from };
                let service: f64 = machine.visits(process, journey).iter().map(|(_, mean)| mean).sum();
                let mean = machine.mean(process, journey);
                if service >= mean {
                    let name = &machine.protocol.transfers[usize::from(number)].name;
                    let message = format!(
                        "the latency of `{name}` over distance {} is {mean}, and the stations on its way serve it for {service}",
                        machine.distance(process, journey)
                    );
                    let error = Diagnostic::error(codes::MPI_VALUE, message).at(span, "");
                    found.push(
                        error
                            .note("service times are a part of the latency")
                            .help("make the latency longer, or the service shorter"),
                    );
                    return;
                }
            }
        }
    }
}
