//! Against published figures, queueing theory, hand computation, and the interpreter step by step.

use volvelle_coherence::{Protocol, read, shipped};
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_mpi::interpret::{Interpreter, State, Step};
use volvelle_mpi::lower::View;
use volvelle_mpi::machine::{Atomicity, Machine, Station, StationId};
use volvelle_mpi::simulate::{
    Accesses, Estimate, Mistaken, Observer, Sampled, Simulated, Simulation, replicate, simulate,
};
use volvelle_mpi::system::{Expr, Home, MarkId, Mistake, NodeKind, ProcessId, System};
use volvelle_mpi::{parse, phase, resolve};

const SR1: &str = include_str!("../../../../examples/mpi/sr1.mpi");
const SR2: &str = include_str!("../../../../examples/mpi/sr2.mpi");

fn system(text: &str) -> System {
    let mut sources = Sources::new();
    let file = sources.add("program.mpi", text);
    let (tree, mut diagnostics) = parse::program(file, text);
    let (system, more) = resolve::resolve(&tree, &[]);
    diagnostics.extend(more);
    system.unwrap_or_else(|| panic!("{}", render_all(&diagnostics, &sources, RenderOptions::default())))
}

fn protocol(text: &str) -> Protocol {
    let text = shipped(text).unwrap_or(text);
    let (protocol, diagnostics) = read(Sources::new().add("protocol.toml", text), text);
    protocol.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The latencies of the reference page, with the processes at a distance.
fn machine(system: &System, name: &str, distance: u32) -> Machine {
    let protocol = protocol(name);
    let processes = system.processes.len();
    let apart = |a: usize, b: usize| if a == b { 0 } else { distance };
    let owner = |home: &Home| match home {
        Home::Process(owner) => owner.index(),
        Home::Place(_) => processes,
    };
    let latency = |name: &str| match name {
        "Hit" => vec![5.0],
        "Mem" => vec![180.0, 300.0, 440.0],
        "Cache" => vec![200.0, 400.0, 600.0],
        _ => vec![230.0, 370.0, 530.0],
    };
    let latencies: Vec<Vec<f64>> = protocol.transfers.iter().map(|t| latency(&t.name)).collect();
    let rows =
        |columns: &[usize]| (0..processes).map(|p| columns.iter().map(|&c| apart(p, c)).collect()).collect();
    Machine {
        between: rows(&(0..processes).collect::<Vec<_>>()),
        to_home: rows(&system.homes.iter().map(owner).collect::<Vec<_>>()),
        atomicity: Atomicity::Atomic,
        shapes: latencies.iter().map(|_| vec![phase::erlang(1)]).collect(),
        stations: Vec::new(),
        visits_to_home: Vec::new(),
        visits_to_cache: Vec::new(),
        latencies,
        protocol,
    }
}

/// A protocol without copies: each access comes from its home.
const NO_COPIES: &str = r#"
name = "none"
states = ["I", "V"]
exclusive = []
dirty = []
rows = ["load * * -> I I Mem", "store * * -> I I Mem"]
[transfers]
Mem = "home"
"#;

/// A machine on which all accesses go to one memory with some servers.
fn memory(system: &System, service: f64, latency: f64, servers: u32) -> Machine {
    let mut machine = machine(system, NO_COPIES, 0);
    machine.latencies = vec![vec![latency]];
    machine.stations = vec![Station { name: "memory".to_owned(), servers }];
    let visits = vec![vec![(StationId(0), service)]; system.homes.len()];
    machine.visits_to_home = vec![visits; system.processes.len()];
    machine
}

fn simulation(rounds: u64, replications: u32) -> Simulation {
    Simulation {
        mark: MarkId(0),
        process: ProcessId(0),
        rounds,
        warm_up: 20,
        replications,
        seed: 2009,
        confidence: 0.999,
        latencies: Sampled::PhaseType,
        threads: 2,
    }
}

fn simulated(system: &System, machine: &Machine, simulation: &Simulation) -> Simulated {
    simulate(system, machine, simulation, &|| false).expect("it goes well")
}

/// Latencies by distance, and misses per message, of `reference/mpi-cache.md`; intervals of 99.9 %.
#[test]
fn golden_figures() {
    let cases = [
        (SR1, "A", [3555.833992, 6599.206333, 9642.785002], 19.863026),
        (SR1, "B", [4886.504542, 8334.381544, 11841.587331], 25.922543),
        (SR2, "A", [2335.066195, 3735.482856, 5136.236914], 12.0),
        (SR2, "B", [2785.015047, 4185.199618, 5585.657512], 14.0),
    ];
    for (text, protocol, latencies, misses) in cases {
        let system = system(text);
        for (distance, latency) in latencies.into_iter().enumerate() {
            // Lists poll most of the time, the more the farther.
            if text == SR1 && distance == 2 {
                continue;
            }
            let machine = machine(&system, protocol, distance as u32);
            let found = simulated(&system, &machine, &simulation(40, 8));
            let Estimate { mean, half_width } = found.round;
            assert!(found.round.contains(2.0 * latency), "{protocol}{distance}: {mean} ± {half_width}");
            assert!(half_width < 0.1 * mean, "{protocol}{distance}: {mean} ± {half_width}");
            assert_eq!(found.choices, 0);
            if distance == 1 {
                for of_process in &found.misses {
                    assert!(of_process.contains(misses), "{protocol}: {of_process:?} misses, not {misses}");
                }
            }
            // Each process is always inside of one access: the time of a round is that of its accesses.
            let all = found.accesses.iter().filter(|a| a.process == ProcessId(0));
            let cost = |a: &Accesses| {
                let by_distance = &machine.latencies[a.transfer.index()];
                a.per_round.mean * by_distance[a.distance as usize]
            };
            let time: f64 = all.map(cost).sum();
            assert!((time - mean).abs() < 3.0 * half_width, "{protocol}{distance}: {time} for {mean}");
        }
    }
}

/// `per_var` of A1 at distance 1: the lock of the incoming list is taken after 1.93 failures, everything else is missed once.
#[test]
fn golden_misses_by_variable() {
    let system = system(SR1);
    let found = simulated(&system, &machine(&system, "A", 1), &simulation(100, 20));
    for process in [ProcessId(0), ProcessId(1)] {
        for (number, variable) in system.variables.iter().enumerate() {
            let of = found.accesses.iter().filter(|a| a.process == process && a.variable.index() == number);
            let misses: Vec<Estimate> = of.filter(|a| a.transfer.index() != 0).map(|a| a.per_round).collect();
            let mean: f64 = misses.iter().map(|miss| miss.mean).sum();
            let half_width: f64 = misses.iter().map(|miss| miss.half_width).sum();
            let wanted = if variable.name.starts_with("ilock") { 2.931513 } else { 1.0 };
            let is_near = (mean - wanted).abs() <= half_width + 1e-9;
            // A round of the other process may begin before or behind the mark: less than one access in all rounds.
            assert!(
                is_near || (mean - wanted).abs() <= 1.0 / 100.0,
                "{}: {mean} ± {half_width}",
                variable.name
            );
        }
    }
}

/// A closed queue: processes work, then visit a memory that they share. With processor sharing and exponential service only means count,
/// so that the number of visitors is a birth-and-death chain (Baskett, Chandy, Muntz, Palacios, JACM 22, 1975, doi:10.1145/321879.321887).
#[test]
fn a_shared_memory_is_a_closed_queue() {
    let system = system(
        "shared x[i: 0..3] : data home 0;\n\
         process P[i: 0..3] { loop { measure ROUND; read x[i]; work 100; } }",
    );
    for servers in [1, 2, 4] {
        let (service, rest, work) = (60.0, 20.0, 100.0);
        let machine = memory(&system, service, service + rest, servers);
        let population = system.processes.len() as u32;
        let mut weight = 1.0;
        let (mut total, mut flow) = (1.0, 0.0);
        for visitors in 1..=population {
            let served = f64::from(visitors.min(servers));
            weight *= f64::from(population - visitors + 1) / (work + rest) * service / served;
            total += weight;
            flow += weight * served / service;
        }
        let round = f64::from(population) * total / flow;
        let found = simulated(&system, &machine, &simulation(3000, 12)).round;
        assert!(found.contains(round), "{servers} servers: {found:?}, not {round}");
        assert!(found.half_width < 0.02 * found.mean, "{found:?}");
    }
}

/// Two visitors of a memory with one server, computed by hand. P0 comes at 0, P1 at 50; alone a visit takes 100, and 80 follow. P0 has 50
/// left when P1 comes, which take until 150; it is back at 230. P1 has 50 left then, which end at 200.
#[test]
fn sharing_without_chance() {
    let text = "shared x : data home 0;\n\
                process P0 { loop { measure ROUND; read x; } }\n\
                process P1 { work 50; read x; measure ROUND; work 1000; measure ROUND; loop { work 1000; measure ROUND; } }";
    let system = system(text);
    let machine = memory(&system, 100.0, 180.0, 1);
    let first = Simulation { latencies: Sampled::Deterministic, warm_up: 0, ..simulation(1, 2) };
    let found = simulated(&system, &machine, &first);
    assert_eq!(found.round, Estimate { mean: 230.0, half_width: 0.0 });
    let ends = [(1, 1000.0), (2, 1000.0)];
    for (rounds, wanted) in ends {
        let of_other = Simulation { process: ProcessId(1), rounds, ..first };
        assert_eq!(simulated(&system, &machine, &of_other).round.mean, wanted);
    }
    let times = Times::of(&system, &machine, first);
    assert!(times.contains(&(150.0, 0)) && times.contains(&(230.0, 0)) && times.contains(&(200.0, 1)));
}

/// When something of which process ended.
struct Times(Vec<(f64, u32)>);

impl Observer for Times {
    fn step(&mut self, time: f64, step: Step, _: &State) {
        self.0.push((time, step.process.0));
    }
}

impl Times {
    fn of(system: &System, machine: &Machine, simulation: Simulation) -> Vec<(f64, u32)> {
        let mut times = Times(Vec::new());
        replicate(system, machine, &simulation, 0, &mut times).expect("it goes well");
        times.0
    }
}

/// Two writers of one line: whoever wrote last has it, and writes it again at once.
#[test]
fn two_writers_without_chance() {
    let system = system(
        "shared x : data home 0;\n\
         process P0 { loop { measure ROUND; write x; work 50; } }\n\
         process P1 { loop { write x; work 100; } }",
    );
    let machine = machine(&system, "A", 0);
    // By recurrence: the next writer is the one whose time comes first, P0 where both come together.
    let rounds = 200;
    let (mut times, mut owner, mut marks) = ([0.0, 0.0], None, Vec::new());
    while marks.len() <= rounds {
        let writer = usize::from(times[1] < times[0]);
        if writer == 0 {
            marks.push(times[0]);
        }
        let latency = match owner {
            None => 180.0,
            Some(owner) if owner == writer => 5.0,
            Some(_) => 200.0,
        };
        owner = Some(writer);
        times[writer] += latency + [50.0, 100.0][writer];
    }
    let deterministic =
        Simulation { latencies: Sampled::Deterministic, warm_up: 0, ..simulation(rounds as u64, 3) };
    let found = simulated(&system, &machine, &deterministic);
    assert_eq!(found.round, Estimate { mean: marks[rounds] / rounds as f64, half_width: 0.0 });
    // The first rounds by hand: 180 + 50, then 200 + 50 three times; P1 has not been there when P0 comes again at 1480.
    assert_eq!(marks[..9], [0.0, 230.0, 480.0, 730.0, 980.0, 1230.0, 1480.0, 1535.0, 1785.0]);
    let random = simulated(&system, &machine, &Simulation { latencies: Sampled::PhaseType, ..deterministic });
    assert!(random.round.half_width > 0.0 && random.round.mean != found.round.mean);
}

/// Follows a simulation with the interpreter.
struct Follower<'a> {
    interpreter: &'a Interpreter<'a>,
    state: State,
    steps: usize,
}

impl Observer for Follower<'_> {
    fn step(&mut self, _: f64, step: Step, after: &State) {
        let possible = self.interpreter.steps(&self.state);
        assert!(possible.contains(&step), "{step:?} is none of {possible:?}");
        self.state = self.interpreter.successor(&self.state, step).1;
        assert_eq!(self.state, *after);
        self.steps += 1;
    }
}

#[test]
fn the_interpreter_allows_each_step() {
    let atomicities = [Atomicity::Atomic, Atomicity::Split, Atomicity::Raced];
    for (text, protocol) in [(SR1, "MOESI"), (SR2, "MESIF"), (SR1, "B"), (SR2, "MSI")] {
        let system = system(text);
        for atomicity in atomicities {
            let mut machine = machine(&system, protocol, 1);
            machine.atomicity = atomicity;
            machine.stations = vec![Station { name: "memory".to_owned(), servers: 1 }];
            machine.visits_to_home = vec![vec![vec![(StationId(0), 40.0)]; system.homes.len()]; 2];
            for (number, shape) in machine.shapes.iter_mut().enumerate() {
                *shape = vec![phase::with_variation([1.0, 0.6, 1.5][number % 3]).expect("few stages")];
            }
            let interpreter = Interpreter::new(&system, &machine, View::Timed { ordered: true });
            let simulation = Simulation { warm_up: 2, ..simulation(5, 1) };
            let mut follower = Follower { interpreter: &interpreter, state: interpreter.initial(), steps: 0 };
            let outcome = replicate(&system, &machine, &simulation, 3, &mut follower);
            assert!(follower.steps > 200, "{atomicity:?} {outcome:?}");
            // Races may lose what the program needs.
            assert!(outcome.is_ok() || atomicity != Atomicity::Atomic, "{outcome:?}");
        }
    }
}

/// The mean of a delay does not depend on its shape.
#[test]
fn shapes_have_their_means() {
    let system = system("shared x : 0..1 home 0;\nprocess P0 { loop { measure ROUND; x = 1; work 10; } }");
    for (variation, atomicity) in [(0.3, Atomicity::Atomic), (1.0, Atomicity::Split), (2.0, Atomicity::Split)]
    {
        let mut machine = machine(&system, "MESI", 0);
        machine.atomicity = atomicity;
        machine.shapes.fill(vec![phase::with_variation(variation).expect("few stages")]);
        let found = simulated(&system, &machine, &simulation(500, 20)).round;
        assert!(found.contains(15.0), "{found:?}");
        let deterministic = Simulation { latencies: Sampled::Deterministic, ..simulation(5, 2) };
        assert_eq!(simulated(&system, &machine, &deterministic).round.mean, 15.0);
    }
}

#[test]
fn threads_do_not_matter() {
    let system = system(SR2);
    let machine = machine(&system, "B", 1);
    let with = |threads| simulated(&system, &machine, &Simulation { threads, ..simulation(20, 7) });
    let one = with(1);
    assert!(one == with(2) && one == with(5));
    let other_seed = simulated(&system, &machine, &Simulation { seed: 1, ..simulation(20, 7) });
    assert_ne!(one.round.mean, other_seed.round.mean);
}

#[test]
fn what_goes_wrong_is_said() {
    let failing = system(
        "shared x : 0..1 home 0;\nprocess P0 { local k; loop { measure A; k = tas(x); assert(k == 0); } }",
    );
    let quick = simulation(10, 3);
    let run = |system: &System| {
        let machine = machine(system, "MESI", 0);
        simulate(system, &machine, &quick, &|| false)
    };
    let found = run(&failing);
    assert!(
        matches!(found, Err(Mistaken::Mistake { process: ProcessId(0), mistake: Mistake::Assertion, .. })),
        "{found:?}"
    );
    let ending = system("shared x : 0..1 home 0;\nprocess P0 { measure A; x = 1; measure A; }");
    let found = run(&ending);
    assert!(matches!(found, Err(Mistaken::NoRound { passed: 2, .. })), "{found:?}");
    let mut endless = ending.clone();
    let start = endless.processes[0].start;
    endless.processes[0].nodes[start.index()].kind = NodeKind::Branch(Expr::Constant(1), start, start);
    let found = run(&endless);
    assert!(matches!(found, Err(Mistaken::Endless { .. })), "{found:?}");
    let looping = system("shared x : 0..1 home 0;\nprocess P0 { measure A; loop { x = 1; } }");
    let machine = machine(&looping, "MESI", 0);
    assert_eq!(simulate(&looping, &machine, &quick, &|| true), Err(Mistaken::Stopped));
}

/// A choice takes each of its ways equally often, and that is said.
#[test]
fn choices_are_fair() {
    let system = system(
        "shared x : 0..1 home 0;\nprocess P0 { loop { measure A; either { work 10; } or { work 20; } or { work 60; } } }",
    );
    let machine = machine(&system, "MESI", 0);
    let deterministic = Simulation { latencies: Sampled::Deterministic, ..simulation(500, 20) };
    let found = simulated(&system, &machine, &deterministic);
    assert!(found.round.contains(30.0) && found.round.half_width > 0.0, "{found:?}");
    assert!(found.choices >= 500 * 20);
}
