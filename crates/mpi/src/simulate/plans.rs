//! What is looked up while time passes: the stages of each journey of each process, in flat tables.

use super::Sampled;
use crate::interpret::Interpreter;
use crate::lower::{transfer_kind, transfer_kinds};
use crate::machine::{Atomicity, From, Journey, Stage};
use crate::system::{HomeId, ProcessId};
use volvelle_coherence::{Source, TransferId};

/// No station.
pub const NOWHERE: u32 = u32::MAX;

/// A stage.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Mean time.
    pub mean: f64,
    /// Probability that the next one follows.
    pub goes_on: f64,
    /// The station, or [`NOWHERE`].
    pub station: u32,
}

/// A journey: where its stages begin, and of what kind it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// Its first stage.
    pub first: u32,
    /// The kind of transfer with its distance.
    pub kind: u32,
}

/// A kind of transfer.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub transfer: TransferId,
    pub distance: u32,
    /// Whether a line comes.
    pub is_miss: bool,
}

/// Tables.
pub struct Plans {
    pub stages: Vec<Timing>,
    pub kinds: Vec<Kind>,
    /// By station, how many transfers it serves at full speed.
    pub servers: Vec<f64>,
    /// By delay, its mean.
    pub works: Vec<f64>,
    /// By process, transfer and source of the line.
    plans: Vec<Plan>,
    homes: usize,
    sources: usize,
    transfers: usize,
}

impl Plans {
    pub fn new(interpreter: &Interpreter<'_>, sampled: Sampled) -> Self {
        let (system, machine) = (interpreter.system, interpreter.machine);
        let kinds = transfer_kinds(machine).into_iter().map(|(_, transfer, distance)| {
            let is_miss = machine.source(transfer) != Source::None;
            Kind { transfer, distance, is_miss }
        });
        let mut plans = Plans {
            stages: Vec::new(),
            kinds: kinds.collect(),
            servers: machine.stations.iter().map(|station| f64::from(station.servers)).collect(),
            works: system.works.iter().map(|work| work.mean).collect(),
            plans: Vec::new(),
            homes: system.homes.len(),
            sources: 1 + system.homes.len() + system.processes.len(),
            transfers: machine.protocol.transfers.len(),
        };
        for process in (0..system.processes.len() as u32).map(ProcessId) {
            for transfer in (0..plans.transfers as u8).map(TransferId) {
                for source in 0..plans.sources {
                    let journey = Journey { transfer, from: plans.source(source) };
                    plans.add(interpreter, process, journey, sampled);
                }
            }
        }
        plans
    }

    /// The source with a number.
    fn source(&self, number: usize) -> From {
        match number.checked_sub(1) {
            None => From::Here,
            Some(home) if home < self.homes => From::Home(HomeId(home as u32)),
            Some(other) => From::Cache(ProcessId((other - self.homes) as u32)),
        }
    }

    fn add(&mut self, interpreter: &Interpreter<'_>, process: ProcessId, journey: Journey, sampled: Sampled) {
        let machine = interpreter.machine;
        let is_possible = match (machine.source(journey.transfer), journey.from) {
            (Source::None, From::Here) | (Source::Home, From::Home(_)) => true,
            (Source::Provider, From::Cache(other)) => other != process,
            _ => false,
        };
        if !is_possible {
            self.plans.push(Plan::default());
            return;
        }
        let kind = transfer_kind(machine, process, journey);
        self.plans.push(Plan { first: self.stages.len() as u32, kind: kind as u32 });
        let timing = |stage: Stage| Timing {
            mean: stage.mean,
            goes_on: stage.goes_on,
            station: stage.station.map_or(NOWHERE, |station| station.0),
        };
        let mut stages: Vec<Timing> = machine.part(process, journey).into_iter().map(timing).collect();
        if sampled == Sampled::Deterministic {
            // Behind the stations the rest of the time is one stage, of whatever shape it is.
            let visits = machine.visits(process, journey).len();
            let parts = if machine.atomicity == Atomicity::Atomic { 1.0 } else { 2.0 };
            let at_stations: f64 = stages[..visits].iter().map(|stage| stage.mean).sum();
            let rest = machine.mean(process, journey) / parts - at_stations;
            stages.truncate(visits);
            stages.push(Timing { mean: rest, goes_on: 0.0, station: NOWHERE });
        }
        self.stages.extend(stages);
    }

    /// The plan of a journey.
    pub fn of(&self, process: ProcessId, journey: Journey) -> Plan {
        let source = match journey.from {
            From::Here => 0,
            From::Home(home) => 1 + home.index(),
            From::Cache(other) => 1 + self.homes + other.index(),
        };
        self.plans[(process.index() * self.transfers + journey.transfer.index()) * self.sources + source]
    }
}
