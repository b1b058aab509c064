//! Programs of message-passing primitives: the program of the waist and the interpreter agree in every view.

use volvelle_coherence::SHIPPED;
use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_mpi::lower::{View, lower};
use volvelle_mpi::machine::{Atomicity, Machine, Station, StationId};
use volvelle_mpi::system::System;
use volvelle_mpi::{parse, phase, resolve};
use volvelle_oracles::mpi::{
    VIEWS, compare_with_interpreter, explored, protocol, random_machine, random_system, simple_machine,
};
use volvelle_random::Random;

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

/// Compares in a view; gives states and transitions.
fn agree(system: &System, machine: &Machine, view: View) -> (usize, usize) {
    let most = 20_000;
    match compare_with_interpreter(system, machine, view, most) {
        Ok(size) => size.unwrap_or_else(|| panic!("more than {most} states")),
        Err(difference) => panic!("{} {:?}: {difference}", machine.protocol.name, machine.atomicity),
    }
}

#[test]
fn random_systems_in_every_view() {
    let (mut compared, mut states, mut large) = (0, 0, 0);
    for seed in 0..300 {
        let mut random = Random(seed);
        let system = random_system(&mut random);
        let machine = random_machine(&mut random, &system);
        for view in VIEWS {
            match compare_with_interpreter(&system, &machine, view, 1500) {
                Ok(Some((found, _))) => {
                    compared += 1;
                    states += found;
                }
                Ok(None) => large += 1,
                Err(difference) => panic!(
                    "seed {seed}, {:?}, {}: {difference}\n{system:#?}",
                    machine.atomicity, machine.protocol.name
                ),
            }
        }
    }
    // Few have more states than that.
    assert!(
        large < 100 && states > 40 * compared,
        "{compared} comparisons, {states} states, {large} too large"
    );
}

/// Ping-pong of the reference page, in all views.
#[test]
fn ping_pong_in_every_view() {
    for (text, name) in [(SR1, "A"), (SR2, "B")] {
        let system = system(text);
        let machine = simple_machine(&system, protocol(name), 1);
        for view in VIEWS {
            let (states, _) = agree(&system, &machine, view);
            assert!(states > 150, "{states} states");
        }
    }
}

#[test]
fn ping_pong_with_every_protocol_and_atomicity() {
    for text in [SR1, SR2] {
        let system = system(text);
        for (name, _) in SHIPPED {
            for (atomicity, view) in
                [(Atomicity::Atomic, VIEWS[4]), (Atomicity::Split, VIEWS[0]), (Atomicity::Raced, VIEWS[4])]
            {
                let machine = Machine { atomicity, ..simple_machine(&system, protocol(name), 2) };
                agree(&system, &machine, view);
            }
        }
    }
}

#[test]
fn shapes_and_stations() {
    let system = system(SR2);
    let mut machine = simple_machine(&system, protocol("MESI"), 1);
    machine.stations = vec![
        Station { name: "memory".to_owned(), servers: 1 },
        Station { name: "link".to_owned(), servers: 2 },
    ];
    let visits = vec![(StationId(1), 20.0), (StationId(0), 50.0)];
    machine.visits_to_home = vec![vec![visits; system.homes.len()]; 2];
    machine.visits_to_cache = vec![vec![vec![(StationId(1), 20.0)]; 2]; 2];
    for (number, shape) in machine.shapes.iter_mut().enumerate() {
        *shape = match number % 3 {
            0 => vec![phase::erlang(1)],
            1 => vec![phase::erlang(3), phase::erlang(2)],
            _ => vec![phase::with_variation(1.5).expect("few stages")],
        };
    }
    for atomicity in [Atomicity::Atomic, Atomicity::Split, Atomicity::Raced] {
        agree(&system, &Machine { atomicity, ..machine.clone() }, VIEWS[0]);
    }
}

/// Programs of three processes, with every construct of the language.
const PROGRAMS: &[&str] = &[
    // A lock, critical sections, a counter.
    "shared l : bool home 0; shared n : mod 4 home 1;
     procedure lock(shared x) { local k; repeat { k = tas(x); } until (k == 0); enter x; }
     procedure unlock(shared x) { leave x; x = 0; }
     process P[i: 0..2] { local c; loop { measure ROUND; lock(l); c = n; n = (c + 1) % 4; unlock(l); work 7; } }",
    // A lock that is none: exclusion fails, and what is counted.
    "shared l : bool home 0;
     process P[i: 0..2] { local k; loop { while (l == 1) { } l = 1; enter l; leave l; l = 0; } }",
    // Tickets by fetch_add, and arrays with computed indices.
    "shared ticket : mod 3 home 0; shared turn[i: 0..2] : bool = i == 0 home i;
     process P[i: 0..2] { local t; loop { t = fetch_add(ticket, 1); while (turn[t] == 0) { } turn[t] = 0; measure IN;
       turn[(t + 1) % 3] = 1; } }",
    // Compare-and-swap, swap, choices, messages.
    "shared head : 0..3 home 0; shared box[i: 0..2] : 0..3 home i; channel mail[to: 0..2] : 0..3 capacity 2;
     process P[i: 0..2] { local h, ok;
       loop { h = head; ok = cas(head, h, i + 1);
         if (ok) { sent mail[h == 0 ? 0 : h - 1], h; box[i] = swap(box[(i + 1) % 3], h); }
         else either { work 3; } or { received mail[i], 1; } or { assert(h != 3); } } }",
    // Structures on shared lines, loops over locals, division by what may be zero.
    "shared s[k: 0..1] home k { line { a : 0..2; b : 0..2; } line { c : 0..2 = 1; } }
     process P0 { local x : 0..4, y : 0..4; loop { x = s[0].a + s[1].b; y = 0; while (y < x) { y = y + 1; } s[0].c = y % 3; } }
     process P1 { local x : 0..2; loop { x = s[0].c; s[1].b = 2 / x; s[0].a = x; } }
     process P2 { local x : 0..2; for (k: 0..1) { x = s[k].a; s[k].b = (x + 1) % 3; } }",
    // Values out of range, indices outside.
    "shared v : 0..2 home 0; shared a[i: 0..2] : 0..2 home 1;
     process P0 { local x : 0..3; loop { x = v; v = x + 1; } }
     process P1 { local x : 0..3; loop { x = v + 1; a[x] = 1; } }
     process P2 { local x : 0..1; loop { x = v; } }",
    // An index that is no number at the beginning: it must not be taken for an element. A number that is too large.
    "shared a[i: 0..2] : bool home 0; shared v : 0..2 home 0;
     process P0 { local x : 0..2; loop { a[1 / x] = 1; x = 2; } }
     process P1 { local x : 0..2; loop { x = v; v = (x + 1) % 3; assert(x * 9223372036854775807 != 5); } }
     process P2 { local x : 0..2; loop { x = v; assert(9223372036854775807 / -3037000500 + x != 0); } }",
    // An index that is outside, with a content that is no number.
    "shared v : 0..2 home 0; channel mail[to: 0..1] : 0..2 capacity 1;
     process P0 { local x : 0..2; loop { x = v; sent mail[x], 2 / x; } }
     process P1 { local x : 0..2; loop { x = v; v = (x + 1) % 3; received mail[x], x; } }
     process P2 { local x : 0..2; x = v; v = 2; }",
];

/// A protocol that is coherent makes no mistake, one that is not does: `MOESI` has dirty requesters that tell their home.
#[test]
fn mistakes_of_protocols() {
    let system = system(SR1);
    for (name, _) in SHIPPED {
        let machine = simple_machine(&system, protocol(name), 1);
        let lowered = lower(&system, &machine, View::Untimed { tracks_copies: true });
        let lts = explored(&lowered, 20_000).expect("it is small");
        let errs = lts.edges().iter().any(|edge| lts.labels.text(edge.label).starts_with("ERROR"));
        assert_eq!(errs, *name == "Blit", "{name}");
    }
}

#[test]
fn programs_in_every_view() {
    for text in PROGRAMS {
        let system = system(text);
        for (number, (name, _)) in SHIPPED.iter().enumerate() {
            let atomicity = [Atomicity::Atomic, Atomicity::Split, Atomicity::Raced][number % 3];
            let machine = Machine { atomicity, ..simple_machine(&system, protocol(name), 1) };
            for view in [VIEWS[number % 5], VIEWS[(number + 2) % 5]] {
                match compare_with_interpreter(&system, &machine, view, 3000) {
                    Ok(_) => {}
                    Err(difference) => panic!("{name} {atomicity:?}: {difference}\n{text}"),
                }
            }
        }
    }
}
