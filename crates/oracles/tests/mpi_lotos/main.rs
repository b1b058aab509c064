//! Message passing over caches: the lowering of a program and its LOTOS specification have strongly equivalent transition systems.

mod generate;
mod systems;

use systems::{apart, compared, machine, protocol, shipped, system, waiting_states};
use volvelle_mpi::lotos::{Refusal, specification};
use volvelle_mpi::machine::Atomicity;
use volvelle_random::Random;

const SR1: &str = include_str!("../../../../examples/mpi/sr1.mpi");
const SR2: &str = include_str!("../../../../examples/mpi/sr2.mpi");

/// Without annotations, which are steps of their own.
fn plain(text: &str) -> String {
    let words = ["enter ", "leave ", "sent ", "received "];
    let is_annotation = |line: &str| words.iter().any(|word| line.trim_start().starts_with(word));
    text.lines().filter(|line| !is_annotation(line)).collect::<Vec<_>>().join("\n")
}

/// The variant of SR1 that is fitted to published numbers.
fn fitted() -> String {
    let text = plain(SR1);
    let shorter = text.replace("  while (avail[i] == none) { }\n", "").replace("  next[p] = none;\n", "");
    assert_eq!(text.lines().count() - shorter.lines().count(), 2);
    shorter
}

/// Compares, with at most so many states of the lowering: states and transitions of both.
#[track_caller]
fn same(text: &str, rows: &str, atomicity: Atomicity, most: u64) -> [usize; 4] {
    let system = system(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let machine = machine(&system, &shipped(rows), &apart(&system, 1), atomicity);
    let result = compared(&system, &machine, most).expect("not too many states");
    result.unwrap_or_else(|e| panic!("{rows}, {atomicity:?}: {e}"))
}

/// The chains of the reference model have as many states. Its interleaved systems are larger (4,779 and 5,131 states for the fitted
/// variant, 2,796 for rings): a process remembers the transfer there until its access has ended.
#[test]
fn rings_and_the_fitted_lists() {
    for (text, rows, waiting, direct, written) in [
        (fitted(), "A", 591, [4105, 8210], [4033, 8066]),
        (fitted(), "B", 636, [4383, 8766], [4300, 8600]),
        (plain(SR2), "A", 339, [2357, 4714], [2357, 4714]),
        (plain(SR2), "B", 339, [2357, 4714], [2357, 4714]),
    ] {
        let system = system(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
        let machine = machine(&system, &shipped(rows), &apart(&system, 1), Atomicity::Atomic);
        assert_eq!(waiting_states(&system, &machine), waiting);
        let sizes = compared(&system, &machine, 100_000).expect("few states").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((&sizes[..2], &sizes[2..]), (&direct[..], &written[..]));
    }
}

#[test]
fn lists_and_rings_with_annotations_for_all_protocols() {
    for rows in ["A", "B", "MSI", "MOESI", "MESIF"] {
        same(SR1, rows, Atomicity::Atomic, 100_000);
        same(SR2, rows, Atomicity::Atomic, 100_000);
    }
}

#[test]
fn accesses_that_change_caches_in_their_middle() {
    for atomicity in [Atomicity::Split, Atomicity::Raced] {
        same(&fitted(), "A", atomicity, 100_000);
        same(SR2, "MOESI", atomicity, 100_000);
    }
}

/// Protocols for random programs: those that are shipped, and one without a row.
fn any_protocol(random: &mut Random) -> volvelle_coherence::Protocol {
    let names = ["A", "B", "Blit", "MSI", "MESI", "MOESI", "MESIF"];
    let name = random.pick(&names);
    let text = volvelle_coherence::shipped(name).expect("a shipped protocol");
    if !random.one_in(4) {
        return protocol(text);
    }
    let rows: Vec<usize> = text.lines().enumerate().filter(|(_, line)| line.contains("->")).map(|(k, _)| k).collect();
    let without = random.pick(&rows);
    let kept = text.lines().enumerate().filter(|&(k, _)| k != without).map(|(_, line)| line);
    protocol(&kept.collect::<Vec<_>>().join("\n"))
}

#[test]
fn random_programs() {
    let (mut done, mut seed, mut states) = (0, 0, 0);
    let mut refused = 0;
    while done < 150 {
        seed += 1;
        let text = generate::program(seed);
        let system = match system(&text, &[]) {
            Ok(system) => system,
            Err(e) => {
                if refused < 3 { println!("{text}\n{e}"); }
                refused += 1;
                continue;
            }
        };
        let mut random = Random(seed ^ 0xfeed);
        let mut distances = apart(&system, 1);
        for (from, to) in (0..distances.len()).flat_map(|from| (0..from).map(move |to| (from, to))) {
            let distance = 1 + random.below(2) as u32;
            (distances[from][to], distances[to][from]) = (distance, distance);
        }
        let atomicity = random.pick(&[Atomicity::Atomic, Atomicity::Atomic, Atomicity::Split, Atomicity::Raced]);
        let machine = machine(&system, &any_protocol(&mut random), &distances, atomicity);
        let Some(result) = compared(&system, &machine, 3_000) else { continue };
        let sizes = result.unwrap_or_else(|e| panic!("seed {seed}, {} {atomicity:?}\n{text}\n{e}\n{}", machine.protocol.name, system.text()));
        done += 1;
        states += sizes[0];
    }
    println!("{seed} seeds, {refused} refused, {states} states");
}

#[test]
fn names_that_cannot_be_written() {
    let refusal = |text: &str| {
        let system = system(text, &[]).unwrap_or_else(|e| panic!("{e}"));
        specification(&system, &machine(&system, &shipped("A"), &apart(&system, 1), Atomicity::Atomic)).unwrap_err()
    };
    let program = |variable: &str| format!("shared {variable} : 0..1; process P {{ local x; x = {variable}; }}");
    assert_eq!(refusal(&program("choice")), Refusal::Name("CHOICE".to_owned()));
    let two = "shared ab : 0..1; shared aB : 0..1; process P { local x; x = ab; x = aB; }";
    assert_eq!(refusal(two), Refusal::TwoNames("AB".to_owned()));
    assert_eq!(refusal("process P { measure action; }"), Refusal::Mark("ACTION".to_owned()));
    let large = "shared a : 0..2000000; process P { local x; x = a; }";
    assert_eq!(refusal(large), Refusal::Number);
    let ways = (0..15).map(|k| format!("if (x > {k}) y = y + 1;")).collect::<String>();
    let many = format!("shared a : 0..20; process P {{ local x, y : 0..100; x = a; {ways} a = y; }}");
    assert_eq!(refusal(&many), Refusal::Ways("P".to_owned()));
}
