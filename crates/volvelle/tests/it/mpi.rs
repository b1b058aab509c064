//! `volvelle mpi`: studies on the command line.

use crate::common::schema::problems;
use crate::common::{Folder, root};

const STUDY: &str = "pingpong.toml";

/// A folder with the examples.
fn examples() -> Folder {
    let mut folder = Folder::new();
    let from = root().join("examples/mpi");
    for entry in std::fs::read_dir(from).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        folder = folder.file(&name, &text);
    }
    folder
}

#[test]
fn answers_have_the_documented_shape() {
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let folder = examples();
    let set = ["--const", "distance=1", "--const", "algorithm=sr2"];
    let all: [(&[&str], i32); 3] = [
        (&["--simulate", "2e3"], 0),
        (&["--const", "protocol=Blit"], 1),
        (&["--const", "protocol=MESIE"], 2),
    ];
    for (more, code) in all {
        let arguments = [&["mpi", STUDY, "--json"], &set[..], more].concat();
        let found = folder.run(&arguments).exits(code).json();
        let wrong = problems(&schema, &found);
        assert!(wrong.is_empty(), "{wrong:?}");
        if code == 0 {
            let first = &found["study"]["configurations"][0]["performance"];
            let time = first["time"]["value"].as_f64().expect("a number");
            assert!((time - 3735.483).abs() < 1e-3, "{time}");
            assert_eq!(first["simulated"]["agrees"], true, "{}", first["simulated"]);
        }
    }
}

#[test]
fn tables_and_figures_are_written() {
    let folder = examples();
    let files = ["--csv", "t.csv", "--csv-accesses", "a.csv", "--plot", "t.svg", "--plot-misses", "m.svg"];
    folder.run(&[&["mpi", STUDY][..], &files].concat()).exits(0);
    let table = folder.read("t.csv");
    assert_eq!(table.lines().count(), 13, "{table}");
    assert!(table.starts_with("algorithm,protocol,distance,protocol table,states"), "{table}");
    assert!(folder.read("a.csv").lines().count() > 100);
    for (figure, name) in [("t.svg", "sr1 A"), ("m.svg", "packets")] {
        let text = folder.read(figure);
        assert!(text.contains("<svg") && text.contains(name), "{figure}");
    }
}

#[test]
fn other_forms_are_equivalent() {
    let folder = examples();
    for (name, set) in [("sr1", "algorithm=sr1"), ("sr2", "algorithm=sr2")] {
        let common =
            ["mpi", STUDY, "--const", set, "--const", "distance=1", "--const", "protocol=A", "--print-model"];
        let lotos = folder.run(&[&common[..], &["lotos"]].concat()).exits(0).out;
        let system = folder.run(&[&common[..], &["aut"]].concat()).exits(0).out;
        let folder = Folder::new().file("a.lotos", &lotos).file("a.aut", &system);
        // Mistakes have numbers, of which there may be more than the usual natural numbers.
        folder.run(&["reduce", "a.lotos", "--const", "NAT=1000", "-o", "b.aut"]).exits(0);
        folder.run(&["compare", "b.aut", "a.aut", "--relation", "branching"]).exits(0);
        // Seen from the outside: four states, one message each way.
        if name == "sr1" {
            let hide = "all but SENT !P0 !MAIL_1 !1, RECEIVED !P1 !MAIL_1 !1, SENT !P1 !MAIL_0 !2, RECEIVED !P0 !MAIL_0 !2";
            let reduced = folder.run(&["reduce", "a.aut", "--hide", hide, "-o", "r.aut"]).exits(0);
            let text = reduced.out;
            assert!(folder.read("r.aut").starts_with("des (0, 4, 4)"), "{text}{}", folder.read("r.aut"));
        }
    }
    // Numbers by way of the interactive Markov chain.
    let common = ["mpi", STUDY, "--const", "algorithm=sr2", "--const", "distance=0", "--const", "protocol=B"];
    let chain = folder.run(&[&common[..], &["--print-model", "imc"]].concat()).exits(0).out;
    let folder = Folder::new().file("c.aut", &chain);
    let found = folder.run(&["steady", "c.aut", "--actions", "START !P0", "--json"]).exits(0).json();
    let throughput = found["performance"]["points"][0]["throughputs"]["START !P0"]["value"].as_f64();
    let time = 1.0 / (2.0 * throughput.expect("a number"));
    assert!((time - 2785.015).abs() < 1e-2, "{time}");
}

/// Studies with one fault each, and what is said of them.
#[test]
fn wrong_studies_are_explained() {
    let from = root().join("crates/volvelle/tests/mpi/wrong");
    let mut folder = Folder::new();
    let mut studies = Vec::new();
    for entry in std::fs::read_dir(&from).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        folder = folder.file(&name, &text);
        if path.with_extension("out").exists() && name.ends_with(".toml") {
            studies.push(name);
        }
    }
    studies.sort();
    assert!(studies.len() >= 8, "{studies:?}");
    for study in studies {
        let found = folder.run(&["mpi", &study]);
        let text = found.out + &found.err;
        let expected = from.join(&study).with_extension("out");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&expected, &text).expect("writing");
            continue;
        }
        let expected = std::fs::read_to_string(expected).expect("what is expected");
        assert_eq!(text, expected, "{study}");
    }
}

#[test]
fn a_program_is_no_study() {
    let found = examples().run(&["mpi", "sr1.mpi"]).exits(2);
    assert!(found.err.contains("`sr1.mpi` is a program, and no study"), "{}", found.err);
    assert!(found.err.contains("1 error"), "{}", found.err);
}

/// The studies that ship, but for the large ones.
#[test]
fn examples_hold() {
    let folder = examples();
    for (study, set) in [
        ("barriers.toml", "processes=2"),
        ("broadcast.toml", "processes=3"),
        ("exchange.toml", "placement=compact"),
        ("locks.toml", "protocol=MESI"),
        ("contention.toml", "service=20"),
    ] {
        let found = folder.run(&["mpi", study, "--const", set, "--verify=only", "--json"]).exits(0).json();
        let verified = found["study"]["verifications"].as_array().expect("a list");
        assert!(!verified.is_empty(), "{study}");
    }
}

/// Other commands read a study as the system of its first configuration.
#[test]
fn other_commands_read_studies() {
    let folder = examples();
    folder.run(&["check", STUDY, "--mcl", "[true*] <true* . \"START !P0\"> true"]).exits(0);
    folder
        .run(&[
            "check",
            STUDY,
            "--mcl",
            "[true* . \"ENTER !P0 !ALOCK_0\" . (not \"LEAVE !P0 !ALOCK_0\")* . \"ENTER !P1 !ALOCK_0\"] false",
        ])
        .exits(0);
    let reduced = folder.run(&["reduce", STUDY, "--hide", "all but START !.*", "-o", "r.aut"]).exits(0).out;
    assert!(folder.read("r.aut").starts_with("des"), "{reduced}");
}

/// A promised column is there, or has a diagnostic: misses where the distribution of states is found less precisely than the time.
#[test]
fn misses_are_told_with_and_without_verification() {
    let folder = examples();
    let split = folder.read(STUDY).replace("[parameters]", "access = \"split\"\n[parameters]");
    let folder = folder.file("split.toml", split);
    let set = ["--const", "algorithm=sr1", "--const", "protocol=B", "--const", "distance=1"];
    let mut all = Vec::new();
    for options in [&["--verify=never"][..], &[]] {
        let run =
            folder.run(&[&["mpi", "split.toml", "--json", "--csv", "c.csv"][..], &set, options].concat());
        let found = run.exits(0).json();
        let performance = &found["study"]["configurations"][0]["performance"];
        let misses = performance["misses"].as_f64().unwrap_or_else(|| panic!("no misses: {found:#}"));
        assert!((20.0..28.0).contains(&misses), "{misses}");
        let table = folder.read("c.csv");
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        let column = rows[0].iter().position(|head| *head == "misses").expect("a column");
        let by_class: f64 =
            rows[1][column + 1..].iter().map(|cell| cell.parse::<f64>().expect("a number")).sum();
        assert!((by_class - misses).abs() < 1e-6 * misses, "{table}");
        all.push(misses);
    }
    assert_eq!(all[0], all[1]);
}
