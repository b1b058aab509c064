//! Programs of the examples and of textbooks: they parse, and become what they should.

use crate::common::{PROGRAMS, resolved, system_with};
use volvelle_mpi::system::{NodeKind, Process, System};

const SR1: &str = PROGRAMS[0].1;
const SR2: &str = PROGRAMS[1].1;

#[test]
fn all_resolve() {
    for (name, text) in PROGRAMS {
        let (system, messages) = resolved(text, &[]);
        assert!(system.is_some(), "{name}: {messages}");
        // Homes that nobody gives are the only thing to say.
        assert!(!messages.contains("error"), "{name}: {messages}");
    }
}

/// The accesses of a process in the order of its steps, as operation and variable.
fn accesses(system: &System, process: &Process) -> Vec<String> {
    let access = |kind: &NodeKind| match kind {
        NodeKind::Access(access) => {
            Some(format!("{} {}", access.operation.name(), system.place(process, &access.variable)))
        }
        _ => None,
    };
    process.nodes.iter().filter_map(|node| access(&node.kind)).collect()
}

/// The accesses that the pseudo-code of SR1 makes, by hand.
#[test]
fn accesses_of_lists() {
    let system = system_with(SR1, &[]);
    let send = "LD avail[0], TAS alock[0], LD avail[0], LD next[send.p], ST avail[0], ST alock[0], ST header[send.p], \
        ST payload[send.p], ST next[send.p], TAS ilock[1], LD itail[1], ST next[send.t], ST ihead[1], ST itail[1], \
        ST ilock[1]";
    let receive = "TAS ilock[0], LD ihead[0], ST ilock[0], LD next[receive.p], ST ihead[0], ST itail[0], ST ilock[0], \
        LD header[receive.p], LD payload[receive.p], TAS alock[1], LD avail[1], ST next[receive.p], ST avail[1], \
        ST alock[1]";
    assert_eq!(accesses(&system, &system.processes[0]).join(", "), format!("{send}, {receive}"));
    let mirrored = |text: &str| {
        let mirror = |c| match c {
            '0' => '1',
            '1' => '0',
            other => other,
        };
        text.chars().map(mirror).collect::<String>()
    };
    assert_eq!(
        accesses(&system, &system.processes[1]).join(", "),
        format!("{}, {}", mirrored(receive), mirrored(send))
    );
}

/// The beginning that the reference states: each process owns its packets, linked one behind the other.
#[test]
fn beginning_of_lists() {
    let system = system_with(SR1, &[("packets", 3)]);
    let initial = |name: &str| system.variables.iter().find(|v| v.name == name).expect("a variable").initial;
    for (process, first) in [(0, 1), (1, 4)] {
        let mut packets = vec![initial(&format!("avail[{process}]"))];
        while let Some(&last) = packets.last().filter(|last| **last != 0) {
            packets.push(initial(&format!("next[{last}]")));
        }
        assert_eq!(packets, [first, first + 1, first + 2, 0]);
        for name in ["alock", "ilock", "ihead", "itail"] {
            assert_eq!(initial(&format!("{name}[{process}]")), 0);
        }
    }
}

/// The accesses that the pseudo-code of SR2 makes, by hand.
#[test]
fn accesses_of_rings() {
    let system = system_with(SR2, &[]);
    let expected = "LD slot[0][0][r[0]], ST slot[0][0][r[0]], ST R[0][0], ST header[send.p], ST payload[send.p], LD R[1][1], \
        ST slot[1][1][w[1]], LD slot[0][1][r[1]], ST slot[0][1][r[1]], ST R[0][1], LD header[receive.p], \
        LD payload[receive.p], LD R[1][0], ST slot[1][0][w[0]]";
    assert_eq!(accesses(&system, &system.processes[0]).join(", "), expected);
    let initial = |process: &Process, name: &str| {
        process.locals.iter().find(|local| local.name == name).expect("a private variable").initial
    };
    for process in &system.processes {
        let places: Vec<i64> = ["r[0]", "r[1]", "w[0]", "w[1]"].map(|name| initial(process, name)).to_vec();
        assert_eq!(places, [0, 0, 1, 0]);
    }
}

/// Without the first wait and without clearing `next`: two accesses less in `send`.
#[test]
fn accesses_of_the_fitted_variant() {
    let (whole, fitted) = (system_with(SR1, &[]), system_with(PROGRAMS[2].1, &[]));
    let mut expected = accesses(&whole, &whole.processes[0]);
    expected.retain(|access| access != "ST next[send.p]");
    expected.remove(0);
    assert_eq!(accesses(&fitted, &fitted.processes[0]), expected);
}

/// Each winner of a round of the tournament waits for one other, and each loser signs off once.
#[test]
fn rounds_of_the_tournament() {
    let (_, text) = PROGRAMS[5];
    for (rounds, processes) in [(1, 2), (2, 4), (3, 8)] {
        let system = system_with(text, &[("rounds", rounds), ("processes", processes)]);
        let all = |start: &str| {
            let of = |process| accesses(&system, process);
            system.processes.iter().flat_map(of).filter(|access| access.starts_with(start)).count() as i64
        };
        assert_eq!(all("LD arrived"), processes - 1);
        assert_eq!(all("ST arrived"), processes - 1);
        assert_eq!((all("ST go"), all("LD go")), (1, processes - 1));
    }
}

/// A ring of any number of processes.
#[test]
fn families() {
    let (_, text) = PROGRAMS[6];
    for processes in [2, 3, 7] {
        let system = system_with(text, &[("processes", processes)]);
        assert_eq!(system.processes.len() as i64, processes);
        for (number, process) in system.processes.iter().enumerate() {
            let (own, next) = (number, (number + 1) % processes as usize);
            let sends = [
                format!("LD cell[{next}].full"),
                format!("ST cell[{next}].low"),
                format!("ST cell[{next}].high"),
                format!("ST cell[{next}].full"),
            ];
            let receives = [
                format!("LD cell[{own}].full"),
                format!("LD cell[{own}].low"),
                format!("LD cell[{own}].high"),
                format!("ST cell[{own}].full"),
            ];
            let expected = if number == 0 { [sends, receives] } else { [receives, sends] };
            assert_eq!(accesses(&system, process), expected.concat());
        }
    }
}

/// With the rings as structures, the same accesses in the same order.
#[test]
fn rings_as_parameters() {
    let (rings, structures) = (system_with(SR2, &[]), system_with(PROGRAMS[7].1, &[]));
    let plain = |access: &String| {
        let kind = if access.contains("slot") { "slot" } else { "R" };
        format!("{} {kind}", &access[..2])
    };
    let of = |system: &System| -> Vec<String> {
        let all = accesses(system, &system.processes[0]);
        let rings = all.iter().filter(|access| !access.contains("header") && !access.contains("payload"));
        rings.map(plain).collect()
    };
    assert_eq!(of(&rings), of(&structures));
}
