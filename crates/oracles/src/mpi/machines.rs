//! Machines: simple ones, and random ones.

use volvelle_coherence::{Protocol, SHIPPED, read, shipped};
use volvelle_diagnostics::Sources;
use volvelle_mpi::machine::{Atomicity, Machine, Stage, Station, StationId};
use volvelle_mpi::phase;
use volvelle_mpi::system::System;
use volvelle_random::Random;

/// A protocol that is shipped.
pub fn protocol(name: &str) -> Protocol {
    let text = shipped(name).expect("it is shipped");
    let (protocol, _) = read(Sources::new().add("protocol.toml", text), text);
    protocol.expect("what is shipped can be read")
}

/// A machine with the latencies of the reference page, on which all processes are at some distance from each other, and at home with
/// their own lines.
pub fn simple_machine(system: &System, protocol: Protocol, distance: u32) -> Machine {
    let processes = system.processes.len();
    let apart = |a: usize, b: usize| if a == b { 0 } else { distance };
    let between = (0..processes).map(|a| (0..processes).map(|b| apart(a, b)).collect()).collect();
    let home = |home: &volvelle_mpi::system::Home, process: usize| match home {
        volvelle_mpi::system::Home::Process(owner) => apart(owner.index(), process),
        volvelle_mpi::system::Home::Place(_) => distance,
    };
    let to_home = (0..processes).map(|p| system.homes.iter().map(|h| home(h, p)).collect()).collect();
    let latency = |name: &str| match name {
        "Hit" => vec![5.0],
        "Mem" => vec![180.0, 300.0, 440.0],
        "Cache" => vec![200.0, 400.0, 600.0],
        _ => vec![230.0, 370.0, 530.0],
    };
    let latencies: Vec<Vec<f64>> = protocol.transfers.iter().map(|t| latency(&t.name)).collect();
    Machine {
        between,
        to_home,
        atomicity: Atomicity::Atomic,
        shapes: latencies.iter().map(|_| vec![phase::erlang(1)]).collect(),
        stations: Vec::new(),
        visits_to_home: Vec::new(),
        visits_to_cache: Vec::new(),
        latencies,
        protocol,
    }
}

/// A machine with any protocol that is shipped, any distances, shapes and stations.
pub fn random_machine(random: &mut Random, system: &System) -> Machine {
    let (name, _) = SHIPPED[random.below(SHIPPED.len())];
    let mut machine = simple_machine(system, protocol(name), 1);
    let rows = machine.between.iter_mut().chain(&mut machine.to_home);
    for distance in rows.flatten() {
        *distance = random.below(4) as u32;
    }
    machine.atomicity =
        random.pick(&[Atomicity::Atomic, Atomicity::Atomic, Atomicity::Split, Atomicity::Raced]);
    if random.one_in(3) {
        for by_distance in &mut machine.shapes {
            let shape = |random: &mut Random| -> Vec<Stage> {
                let variation = random.pick(&[0.5, 0.6, 1.0, 1.0, 1.5]);
                phase::with_variation(variation).expect("few stages")
            };
            *by_distance = (0..1 + random.below(2)).map(|_| shape(random)).collect();
        }
    }
    if random.one_in(3) {
        let count = 1 + random.below(2) as u32;
        let station = |number| Station { name: format!("station {number}"), servers: 1 + number };
        machine.stations = (0..count).map(station).collect();
        let mut visits = |columns: usize| -> Vec<Vec<Vec<(StationId, f64)>>> {
            let mut visit = || -> Vec<(StationId, f64)> {
                (0..count).filter(|_| random.one_in(2)).map(|s| (StationId(s), 30.0)).collect()
            };
            let rows = 0..system.processes.len();
            rows.map(|_| (0..columns).map(|_| visit()).collect()).collect()
        };
        machine.visits_to_home = visits(system.homes.len());
        machine.visits_to_cache = visits(system.processes.len());
    }
    machine
}
