//! Studies of programs on machines with coherent caches: published and reconstructed figures, seeded mistakes, bad input.

use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_verify::Folder;
use volvelle_verify::Settings;
use volvelle_verify::mpi::{Performance, Study, StudyReport, Wanted};

/// Files in memory, behind those of the examples.
#[derive(Default)]
struct Files(BTreeMap<String, String>);

impl Folder for Files {
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        if let Some(text) = self.0.get(name) {
            return Some(text.clone().into_bytes());
        }
        std::fs::read(format!("{EXAMPLES}/{name}")).ok()
    }
}

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mpi");

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{EXAMPLES}/{name}")).expect("the example is there")
}

fn settings() -> Settings {
    Settings::default()
}

fn run(study: &str, files: &[(&str, &str)], set: &[(&str, &str)]) -> StudyReport {
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    let parameters = set.iter().map(|&(name, value)| (name.to_owned(), vec![value.to_owned()])).collect();
    let wanted = Wanted { parameters, ..Wanted::default() };
    let opened = Study::open("study.toml", study.to_owned(), &wanted, &mut Files(files));
    opened.run(&wanted, &settings(), &Control::unlimited())
}

/// A study of a program in `a.mpi`, with two processes in a node.
fn small(program: &str, protocol: &str) -> StudyReport {
    let study = format!(
        r#"
        program = "a.mpi"
        protocol = "{protocol}"
        [processes]
        "*" = "compact"
        [latencies]
        Hit = 5
        Mem = 100
        "Mem+lookup" = 130
        "Mem+inv" = 130
        Cache = 120
        "#
    );
    run(&study, &[("a.mpi", program)], &[])
}

/// The figures of a configuration.
fn found<'a>(report: &'a StudyReport, algorithm: &str, protocol: &str, distance: &str) -> &'a Performance {
    let wanted = [("algorithm", algorithm), ("protocol", protocol), ("distance", distance)];
    let is_wanted = |values: &[(String, String)]| {
        wanted.iter().all(|(name, value)| values.contains(&((*name).to_owned(), (*value).to_owned())))
    };
    let configuration = report.configurations.iter().find(|configuration| is_wanted(&configuration.values));
    configuration.and_then(|configuration| configuration.performance.as_ref()).expect("it has figures")
}

fn misses(found: &Performance, class: &str) -> f64 {
    found.by_class().iter().find(|sum| sum.name == class).map_or(0.0, |sum| sum.misses)
}

/// Latencies and misses by sparse LU and by elimination without subtractions, of independent programs: reference values.
#[test]
fn ping_pong_has_the_reference_figures() {
    let report = run(&example("pingpong.toml"), &[], &[]);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    let reference = [
        ("sr1", "A", [3555.833991735, 6599.206332742, 9642.785002308], [635, 1270, 340]),
        ("sr1", "B", [4886.504541541, 8334.381544030, 11841.587331259], [641, 1282, 340]),
        ("sr2", "A", [2335.065693849, 3735.483, 5136.237], [339, 678, 120]),
        ("sr2", "B", [2785.015, 4185.200, 5585.658], [339, 678, 120]),
    ];
    for (algorithm, protocol, times, sizes) in reference {
        for (distance, time) in times.into_iter().enumerate() {
            let found = found(&report, algorithm, protocol, &distance.to_string());
            let error = (found.time() - time).abs();
            let digits = if algorithm == "sr1" { 1e-6 } else { 1e-3 };
            assert!(error < digits, "{algorithm} {protocol} {distance}: {} is not {time}", found.time());
            assert!(found.latency[0] <= found.latency[1] && found.latency[1] - found.latency[0] < 1e-4);
            assert_eq!([found.states, found.transitions, found.recurrent], sizes, "{algorithm} {protocol}");
            assert_eq!(found.ends, Some(1));
            // Each process is always in exactly one access.
            let means = |access: &&volvelle_verify::mpi::AccessShare| {
                let mean = |(name, distance, mean): &(String, u32, f64)| {
                    (*name == access.transfer && *distance == access.distance).then_some(*mean)
                };
                let mean = found.means.iter().find_map(mean).expect("each transfer has a mean");
                access.per_round * mean
            };
            let in_accesses: f64 =
                found.accesses.iter().filter(|access| access.process == "P0").map(|a| means(&a)).sum();
            assert!((in_accesses / found.round - 1.0).abs() < 1e-6, "{in_accesses} of {}", found.round);
            let influence: f64 =
                found.influences.iter().filter(|influence| !influence.is_variable).map(|i| i.part).sum();
            assert!((influence - 0.1).abs() < 1e-3, "all a tenth faster: {influence}");
        }
    }
    let a1 = found(&report, "sr1", "A", "1");
    assert!((misses(a1, "packets") - 4.0).abs() < 1e-6 && (misses(a1, "pointers") - 8.0).abs() < 1e-6);
    assert!((misses(a1, "locks") - 7.863026091).abs() < 1e-6);
    let b2 = found(&report, "sr2", "B", "2");
    assert!((misses(b2, "pointers") - 10.0).abs() < 1e-6 && misses(b2, "locks") == 0.0);
    // One exploration for each algorithm and protocol.
    assert_eq!((report.explorations, report.verified.len()), (4, 4));
    for verified in &report.verified {
        assert!(verified.verdicts.iter().all(|verdict| verdict.holds == Some(true)), "{verified:?}");
    }
}

/// The other home of `next` in the reference figures.
#[test]
fn homes_are_an_input() {
    let study = example("pingpong.toml") + "\n[homes]\nnext = [\"P1\", \"{third}\"]\n";
    let study = study.replace("[parameters]", "[parameters]\nthird = \"0.1.0\"");
    let set = [("algorithm", "sr1"), ("protocol", "B"), ("distance", "2")];
    // A node at distance 2 from P0 at 0.0.0, and from P1, is not there in a tree of this shape; one at distance 1 from P0 is, and
    // figures in between follow.
    let report = run(&study, &[], &set);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    let time = report.configurations[0].performance.as_ref().expect("figures").time();
    assert!(time > 11841.587 && time < 11991.59, "{time}");
}

#[test]
fn matrix_of_distances_gives_the_figures_of_the_other_homes() {
    let matrix = "places = [\"a\", \"b\", \"c\"]\ndistances = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]";
    let study = example("pingpong.toml").replace("shape = [2, 2, 2]", matrix);
    let study =
        study.replace("\"0.0.0\"", "\"a\"").replace("{ from = \"P0\", distance = \"{distance}\" }", "\"b\"");
    let study = study + "\n[homes]\nnext = [\"P1\", \"c\"]\n";
    let report = run(&study, &[], &[("algorithm", "sr1"), ("protocol", "B"), ("distance", "1")]);
    let time = report.configurations[0].performance.as_ref().expect("figures").time();
    assert!((time - 8404.381939).abs() < 1e-5, "{time}");
}

/// What is wrong with a program, as a verdict.
fn wrong<'a>(report: &'a StudyReport, name: &str) -> &'a volvelle_verify::mpi::Verdict {
    let all = report.verified.iter().flat_map(|verified| &verified.verdicts);
    let verdict = all.clone().find(|verdict| verdict.name == name);
    let verdict = verdict.unwrap_or_else(|| panic!("no verdict {name}: {:?}", report.diagnostics));
    assert_eq!(verdict.holds, Some(false), "{name}");
    verdict
}

#[test]
fn a_deadlock_has_a_run_and_what_goes_on_for_ever() {
    let report = small(
        "shared flag[i: 0..1] : bool home i;
         process P0 { loop { measure ROUND; while (flag[0] == 0) { } flag[0] = 0; flag[1] = 1; } }
         process P1 { loop { measure ROUND; while (flag[1] == 0) { } flag[1] = 0; flag[0] = 1; } }",
        "MESI",
    );
    let verdict = wrong(&report, "progress");
    assert!(verdict.reason.starts_with("deadlock: P0, P1 wait for ever"), "{}", verdict.reason);
    let waits =
        |process: &str| verdict.for_ever.iter().any(|step| step.process == process && step.place.1 > 0);
    assert!(waits("P0") && waits("P1"), "{:?}", verdict.for_ever);
    assert!(report.configurations.iter().all(|configuration| configuration.performance.is_none()));
}

#[test]
fn one_process_that_waits_while_others_go_on() {
    let report = small(
        "shared flag : bool home 0;  shared other : bool home 0;
         process P0 { loop { measure ROUND; other = 1; } }
         process P1 { loop { measure ROUND; while (flag == 0) { } } }",
        "MESI",
    );
    assert_eq!(wrong(&report, "progress").reason, "P1 waits for ever, while others go on");
}

#[test]
fn a_lock_that_tests_before_it_sets_fails() {
    let report = small(
        "shared l : bool home 0;  shared inside home 0;
         procedure lock(shared x) { while (x == 1) { } x = 1; enter x; }
         process P[i: 0..1] { loop { measure ROUND; lock(l); write inside; leave l; l = 0; } }",
        "MESI",
    );
    let verdict = wrong(&report, "exclusion");
    assert!(verdict.reason.contains("another process is in the critical section"), "{}", verdict.reason);
    // Both test, then both set and enter: nothing shorter does it.
    let accesses =
        verdict.steps.iter().filter(|step| step.what.starts_with("load") || step.what.starts_with("store"));
    assert_eq!(accesses.count(), 4, "{:?}", verdict.steps);
}

#[test]
fn a_lock_that_is_not_released() {
    let report = small(
        "shared l : bool home 0;
         process P0 { local k; repeat { k = tas(l); } until (k == 0); enter l; loop { measure ROUND; work 10; } }
         process P1 { loop { measure ROUND; work 10; } }",
        "MESI",
    );
    assert_eq!(wrong(&report, "release").reason, "P0 never leaves the section of l");
}

#[test]
fn packets_that_are_lost_or_come_twice() {
    // Without `next[p] = none` the queue is wrong as soon as a process has two packets.
    let program = example("sr1.mpi");
    let broken = program.replacen("  next[p] = none;\n", "", 1);
    assert_ne!(program, broken);
    let study = example("pingpong.toml").replace("{algorithm}.mpi", "b.mpi");
    let study = study.replace("algorithm = [\"sr1\", \"sr2\"]", "packets = 2\n#");
    let set = [("protocol", "A"), ("distance", "1")];
    let report = run(&study, &[("b.mpi", &broken)], &set);
    let verdict = wrong(&report, "messages");
    assert!(!verdict.steps.is_empty());
    let right = run(&study, &[("b.mpi", &program)], &set);
    assert!(right.verified.iter().all(|verified| !verified.has_errors()), "{:?}", right.verified);
    // The list of free packets is last in, first out: figures do not depend on how many there are.
    let time = right.configurations[0].performance.as_ref().expect("figures").time();
    assert!((time - 6599.206332742).abs() < 1e-5, "{time}");
}

#[test]
fn a_protocol_that_loses_the_line_fails_alone_and_in_a_program() {
    let report =
        run(&example("pingpong.toml"), &[], &[("algorithm", "sr2"), ("protocol", "Blit"), ("distance", "1")]);
    let verdict = wrong(&report, "coherence");
    assert!(!verdict.steps.is_empty(), "{verdict:?}");
    let verdict = wrong(&report, "copies");
    assert!(verdict.steps.iter().any(|step| step.what.starts_with("store")), "{:?}", verdict.steps);
}

#[test]
fn races_between_the_parts_of_accesses_are_found() {
    let study = example("pingpong.toml")
        .replace("[parameters]", "access = \"{access}\"\n[parameters]\naccess = \"split\"");
    let set = [("algorithm", "sr2"), ("protocol", "A"), ("distance", "1")];
    let split = run(&study, &[], &set);
    assert!(split.verified.iter().all(|verified| !verified.has_errors()), "{:?}", split.verified);
    let time = split.configurations[0].performance.as_ref().expect("figures").time();
    assert!((time / 3735.483 - 1.0).abs() < 0.05, "{time}");
    let raced = run(&study, &[], &[set[0], set[1], set[2], ("access", "raced")]);
    wrong(&raced, "copies");
}

#[test]
fn open_choices_are_refused_where_they_matter() {
    let report = small(
        "shared x : bool home 0;
         process P0 { loop { measure ROUND; either { x = 1; } or { x = 1; x = 0; } } }",
        "MESI",
    );
    let found = report.diagnostics.iter().find(|found| found.code.to_string() == "V1733");
    assert!(found.is_some_and(|found| found.primary.is_some()), "{:?}", report.diagnostics);
    let report = small(
        "shared x : bool home 0;
         process P0 { loop { measure ROUND; either { } or { } x = 1; } }",
        "MESI",
    );
    assert!(
        report.configurations[0].performance.is_some(),
        "both ways are the same: {:?}",
        report.diagnostics
    );
}

#[test]
fn distributions_with_more_stages_change_little_where_nobody_waits() {
    // One process alone: its time is the sum of its latencies, whatever their distributions.
    for shape in ["", "erlang = 3", "variation = 2.0", "variation = 0.6"] {
        let study = format!(
            "program = \"a.mpi\"\nprotocol = \"MSI\"\n[processes]\n\"*\" = \"compact\"\n[latencies]\nHit = 5\nMem = 100\n\
             \"Mem+inv\" = 130\nCache = 120\n\"Mem+lookup\" = 130\n{shape}\n"
        );
        let program = "shared x : bool home 0; shared y : bool home 0;
             process P0 { loop { measure ROUND; x = 1; y = 1; y = 0; work 7.5; } }";
        let report = run(&study, &[("a.mpi", program)], &[]);
        let time = report.configurations[0].performance.as_ref().expect("figures").time();
        assert!((time - 22.5).abs() < 1e-6, "{shape}: {time}");
    }
}

/// Two processes that fetch from one memory: a closed network of two customers, whose throughput is known.
#[test]
fn memory_as_a_station() {
    let study = "program = \"a.mpi\"\nprotocol = \"{protocol}\"\n[parameters]\nprotocol = \"p.toml\"\n[processes]\n\"*\" = \"compact\"\n\
        [latencies]\nHit = 5\nMem = 100\n[contention]\nmemory = 60\n";
    // Nothing is ever cached.
    let protocol = "name = \"none\"\nstates = [\"I\", \"V\"]\ndirty = [\"V\"]\nrows = [\"load I|V * -> = = Mem\", \"store I|V * -> = = Mem\"]\n";
    let program =
        "shared x[i: 0..1] : data home 0; process P[i: 0..1] { loop { measure ROUND; read x[i]; } }";
    // A load leaves the line invalid: verified as no coherent protocol, and without figures.
    let report = run(study, &[("a.mpi", program), ("p.toml", protocol)], &[]);
    wrong(&report, "coherence");
    assert!(report.configurations.iter().all(|configuration| configuration.performance.is_none()));
    let wanted = Wanted { without_verification: true, ..Wanted::default() };
    let files = [("a.mpi", program), ("p.toml", protocol)];
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    let opened = Study::open("study.toml", study.to_owned(), &wanted, &mut Files(files));
    let report = opened.run(&wanted, &settings(), &Control::unlimited());
    let found = report.configurations[0].performance.as_ref().expect("figures");
    // Mean value analysis: thinking time 40, service 60, two customers.
    let first = 60.0;
    let throughput_of_one = 1.0 / (40.0 + first);
    let queue = throughput_of_one * first;
    let second = 60.0 * (1.0 + queue);
    let throughput = 2.0 / (40.0 + second);
    assert!((found.round - 2.0 / throughput).abs() < 1e-6, "{} is not {}", found.round, 2.0 / throughput);
}

#[test]
fn wrong_studies_have_diagnostics_at_their_places() {
    let program = "shared x : bool home 0; process P0 { loop { measure ROUND; x = 1; } }";
    let base = "program = \"a.mpi\"\nprotocol = \"MSI\"\n[processes]\nP0 = \"0.0.0\"\n[latencies]\nHit = 5\nMem = 100\n\"Mem+inv\" = 130\nCache = 120\n\"Mem+lookup\" = 130\n";
    let cases = [
        (base.replace("P0 = \"0.0.0\"\n", ""), "V1724", "process `P0` has no place"),
        (base.replace("MSI", "MESIE"), "V1716", "there is no protocol `MESIE`"),
        (base.replace("Mem = 100\n", ""), "V1722", "the transfer `Mem` has no latency"),
        (base.replace("Hit = 5", "Hit = 0"), "V1723", "`Hit` is greater than 0"),
        (base.replace("\"0.0.0\"", "\"0.0.99\""), "V1724", "there is no processor `0.0.99`"),
        (
            base.replace("P0 = \"0.0.0\"", "\"*\" = \"compct\""),
            "V1724",
            "`compct` is no way to place processes",
        ),
        (base.replace("[processes]", "[procesess]"), "V1722", "unknown key `procesess`"),
        (base.replace("a.mpi", "b.mpi"), "V0001", "the program `b.mpi` cannot be read"),
        (base.replace("100", "\"{latency}\""), "V1725", "there is no parameter `latency`"),
        (format!("{base}[measure]\nmark = \"RUND\"\n"), "V1723", "the program has no mark `RUND`"),
        (format!("{base}[homes]\ny = \"P0\"\n"), "V1724", "the program has no shared variable `y`"),
        (
            format!("{base}[contention]\nmemory = 100\n"),
            "V1723",
            "the latency of `Mem` over distance 0 is 100",
        ),
        ("program = ".to_owned(), "V1721", ""),
    ];
    for (study, code, message) in cases {
        let report = run(&study, &[("a.mpi", program)], &[]);
        let found = report.diagnostics.iter().find(|found| found.code.to_string() == code);
        let found = found.unwrap_or_else(|| panic!("{code}: {:?}", report.diagnostics));
        assert!(found.message.contains(message), "{code}: {}", found.message);
        assert!(found.primary.is_some(), "{code} has a place: {found:?}");
    }
    let report = run(base, &[("a.mpi", program)], &[("packets", "3")]);
    assert!(
        report.diagnostics.iter().any(|found| found.code.to_string() == "V1725"),
        "{:?}",
        report.diagnostics
    );
}
