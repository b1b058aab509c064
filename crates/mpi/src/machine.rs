//! The machine that a program runs on: protocol, places, distances, and how long transfers take.
//!
//! A transfer is a *journey* of a process: what is transferred, and from where (the home of the line, or the cache of another process).
//! It passes one *stage* after the other, each with an exponentially distributed time; after each it goes on to the next with some
//! probability, or is over. So a journey of one stage takes an exponential time, one of k equal stages an Erlang time, and others fit any
//! mean and variance ([`crate::phase`]). A stage may be at a *station* (a memory, a link), where transfers that are there together share
//! its speed.
//!
//! Which journeys and stages there are decides what the state space is; distances and times do not: they are only numbers of its steps.

use crate::system::{HomeId, ProcessId};
use volvelle_coherence::{Protocol, Source, TransferId};

/// Where the line of a transfer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum From {
    /// It is in the cache.
    Here,
    /// From its home.
    Home(HomeId),
    /// From the cache of another process.
    Cache(ProcessId),
}

/// A transfer of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Journey {
    /// The transfer.
    pub transfer: TransferId,
    /// Where the line comes from.
    pub from: From,
}

/// A part of a journey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Mean time in the unit of latencies, without others at the station; positive.
    pub mean: f64,
    /// Probability that the next stage follows; 0 for the last one.
    pub goes_on: f64,
    /// Where it is.
    pub station: Option<StationId>,
}

/// The number of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StationId(pub u32);

/// A station: what is there at the same time shares its speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Station {
    /// `memory of 0.1`
    pub name: String,
    /// How many transfers it serves at full speed at the same time.
    pub servers: u32,
}

/// When caches and memory change in an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomicity {
    /// At its beginning.
    Atomic,
    /// In the middle, as the states of the caches then are; the transfer is that of the beginning.
    Split,
    /// In the middle, as it was decided at the beginning: what happens in between is a race.
    Raced,
}

/// The machine of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The protocol.
    pub protocol: Protocol,
    /// Distances from each process to each process.
    pub between: Vec<Vec<u32>>,
    /// Distances from each process to each home.
    pub to_home: Vec<Vec<u32>>,
    /// Mean time of each transfer by distance, in the unit of latencies.
    pub latencies: Vec<Vec<f64>>,
    /// When caches change.
    pub atomicity: Atomicity,
    /// The shape of the time of each transfer by distance: stages whose means are parts of the whole, with a mean of one in all.
    pub shapes: Vec<Vec<Vec<Stage>>>,
    /// Stations.
    pub stations: Vec<Station>,
    /// Stations that a journey passes before the rest of its time, with the mean time of each: by process and home.
    pub visits_to_home: Vec<Vec<Vec<(StationId, f64)>>>,
    /// The same by process and process, for lines from caches.
    pub visits_to_cache: Vec<Vec<Vec<(StationId, f64)>>>,
}

impl Machine {
    /// The distance that counts for a journey.
    pub fn distance(&self, process: ProcessId, journey: Journey) -> u32 {
        match journey.from {
            From::Here => 0,
            From::Home(home) => self.to_home[process.index()][home.index()],
            From::Cache(other) => self.between[process.index()][other.index()],
        }
    }

    /// Mean time of a journey without others at its stations.
    pub fn mean(&self, process: ProcessId, journey: Journey) -> f64 {
        let by_distance = &self.latencies[journey.transfer.0 as usize];
        let distance = self.distance(process, journey) as usize;
        by_distance[distance.min(by_distance.len() - 1)]
    }

    /// The stations that a journey passes first.
    pub fn visits(&self, process: ProcessId, journey: Journey) -> &[(StationId, f64)] {
        let (table, other) = match journey.from {
            From::Here => return &[],
            From::Home(home) => (&self.visits_to_home, home.index()),
            From::Cache(other) => (&self.visits_to_cache, other.index()),
        };
        table.get(process.index()).and_then(|row| row.get(other)).map_or(&[], Vec::as_slice)
    }

    /// The stages of a journey: those at stations, then the rest of its time in the shape of the transfer.
    pub fn stages(&self, process: ProcessId, journey: Journey) -> Vec<Stage> {
        let visits = self.visits(process, journey);
        let at_stations: f64 = visits.iter().map(|(_, mean)| mean).sum();
        let rest = self.mean(process, journey) - at_stations;
        let visit =
            |&(station, mean): &(StationId, f64)| Stage { mean, goes_on: 1.0, station: Some(station) };
        let shapes = &self.shapes[journey.transfer.0 as usize];
        let shape = &shapes[(self.distance(process, journey) as usize).min(shapes.len() - 1)];
        let of_shape = shape.iter().map(|stage| Stage { mean: stage.mean * rest, ..*stage });
        visits.iter().map(visit).chain(of_shape).collect()
    }

    /// The stages of a part of a journey: all of it, or, if it changes caches in its middle, one of two parts with half of the time each.
    pub fn part(&self, process: ProcessId, journey: Journey) -> Vec<Stage> {
        let mut stages = self.stages(process, journey);
        if self.atomicity != Atomicity::Atomic {
            stages.iter_mut().for_each(|stage| stage.mean /= 2.0);
        }
        stages
    }

    /// Where the line of a transfer comes from, if it is of some kind.
    pub fn source(&self, transfer: TransferId) -> Source {
        self.protocol.transfers[transfer.0 as usize].source
    }
}
