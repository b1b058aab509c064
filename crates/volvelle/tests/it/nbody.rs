//! `volvelle nbody`: particle systems on the command line.

use crate::common::schema::problems;
use crate::common::{Folder, command, root};
use std::time::{Duration, Instant};

const PLUMMER: &str = "[initial]
model = \"plummer\"
bodies = 64
seed = 7
[physics]
softening = 0.05
step = 0.01
[run]
end = 1.0
report = 0.25
[output]
folder = \"out\"
snapshots = 0.5
";

fn folder() -> Folder {
    Folder::new().file("plummer.toml", PLUMMER)
}

/// A configuration with other lines in place of some.
fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(PLUMMER.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    })
}

#[test]
fn a_cluster_keeps_its_energy() {
    let folder = folder();
    let run = folder.run(&["nbody", "plummer.toml", "--csv", "energies.csv"]).exits(0);
    assert!(run.out.contains("64 bodies") && run.out.contains("100 steps   6,464 forces"), "{}", run.out);
    let csv = folder.read("energies.csv");
    let rows: Vec<Vec<f64>> =
        csv.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    for row in &rows {
        let [mass, kinetic, potential, energy, drift] = row[1..6] else { panic!("{row:?}") };
        assert!((mass - 1.0).abs() < 1e-12 && (kinetic + potential - energy).abs() < 1e-12, "{row:?}");
        assert!(drift.abs() < 1e-3 && (-0.35..-0.15).contains(&energy), "{row:?}");
    }
    assert!(rows[1..].iter().any(|row| row[5] != 0.0), "{csv}");
    for name in ["last", "snapshot-000000", "snapshot-000001", "snapshot-000002"] {
        assert_eq!(
            folder.read(&format!("out/{name}.csv")).lines().filter(|l| !l.starts_with('#')).count(),
            65
        );
    }
    assert_eq!(folder.read("out/last.csv"), folder.read("out/snapshot-000002.csv"));
}

#[test]
fn a_run_that_goes_on_gives_the_same_bits() {
    let folder = folder().file("tree.toml", with(&[("step = 0.01", "step = 0.01\nsolver = \"tree\"")]));
    for configuration in ["plummer.toml", "tree.toml"] {
        folder.run(&["nbody", configuration, "-o", "whole", "--csv", "whole.csv", "--threads", "2"]).exits(0);
        let restart = ["--restart", "whole/snapshot-000001.csv", "-o", "rest", "--csv", "rest.csv"];
        folder.run(&[&["nbody", configuration, "--threads", "1"][..], &restart].concat()).exits(0);
        assert_eq!(folder.read("rest/last.csv"), folder.read("whole/last.csv"));
        assert_eq!(folder.read("rest/snapshot-000002.csv"), folder.read("whole/snapshot-000002.csv"));
        let energy = |table: &str| {
            let line = folder.read(table).lines().last().expect("a line").to_owned();
            line.split(',').take(5).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(energy("rest.csv"), energy("whole.csv"));
    }
    assert_ne!(folder.read("whole/last.csv"), folder.read("whole/snapshot-000001.csv"));
}

#[test]
fn devices_give_the_same_bits() {
    let folder = folder();
    for (device, out) in [("threads", "a"), ("interpreter", "b")] {
        folder.run(&["nbody", "plummer.toml", "--device", device, "-o", out]).exits(0);
    }
    assert_eq!(folder.read("a/last.csv"), folder.read("b/last.csv"));
    let wrong = folder.run(&["nbody", "plummer.toml", "--device", "abacus"]).exits(2);
    assert!(wrong.err.contains("V1010"), "{}", wrong.err);
}

#[test]
fn answers_have_the_documented_shape() {
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let folder = folder().file("wrong.toml", with(&[("softening = 0.05", "softening = -1")]));
    let found = folder.run(&["nbody", "plummer.toml", "--json"]).exits(0).json();
    assert_eq!(problems(&schema, &found), Vec::<String>::new());
    let nbody = &found["nbody"];
    assert_eq!(nbody["reports"].as_array().map(Vec::len), Some(5));
    assert_eq!((&nbody["complete"], &nbody["bodies"]), (&true.into(), &64.into()));
    assert_eq!(found["exports"].as_array().map(Vec::len), Some(4), "{found}");
    let wrong = folder.run(&["nbody", "wrong.toml", "--json"]).exits(2).json();
    assert_eq!(problems(&schema, &wrong), Vec::<String>::new());
    assert_eq!(wrong["diagnostics"][0]["code"], "V1932");
}

#[test]
fn pictures_are_written() {
    let folder = folder();
    let pictures =
        ["--plot", "end.svg,end.png", "--plot-energy", "drift.svg", "--movie", "frames", "--plane", "xz"];
    folder.run(&[&["nbody", "plummer.toml"][..], &pictures].concat()).exits(0);
    let end = folder.read("end.svg");
    assert!(end.contains("64 bodies, time 1.0000") && end.matches("<polygon").count() > 50, "{end}");
    assert!(folder.read("drift.svg").contains("ΔE"));
    let frames: Vec<Vec<u8>> = (0..5)
        .map(|i| std::fs::read(folder.path().join(format!("frames/frame-{i:06}.png"))).expect("a frame"))
        .collect();
    let size = |png: &[u8]| png[16..24].to_vec();
    assert!(frames.windows(2).all(|pair| size(&pair[0]) == size(&pair[1]) && pair[0] != pair[1]));
    // A run that goes on draws the same frames.
    folder
        .run(&[
            "nbody",
            "plummer.toml",
            "--restart",
            "out/snapshot-000001.csv",
            "--movie",
            "again",
            "--plane",
            "xz",
        ])
        .exits(0);
    assert_eq!(std::fs::read(folder.path().join("again/frame-000004.png")).expect("a frame"), frames[4]);
    assert!(!folder.path().join("again/frame-000001.png").exists());
}

/// Replacements in a configuration, the code of the message, and a part of it.
type WrongConfiguration = (&'static [(&'static str, &'static str)], &'static str, &'static str);

/// Configurations with one fault each, and what is said of them.
#[test]
fn wrong_configurations_are_explained() {
    let cases: [WrongConfiguration; 18] = [
        (&[("softening", "softning")], "V1931", "did you mean `softening`?"),
        (&[("[physics]", "[phisics]")], "V1931", "did you mean `physics`?"),
        (&[("end = 1.0\n", "")], "V1931", "`[run]` has no `end`"),
        (&[("[run]\nend = 1.0\nreport = 0.25\n", "")], "V1931", "no section `[run]`"),
        (&[("model = \"plummer\"\n", "")], "V1931", "`[initial]` has no `model`"),
        (&[("end = 1.0", "end = = 1.0")], "V1931", "plummer.toml:9"),
        (
            &[("step = 0.01", "step = 0.01\naccuracy = 0.1")],
            "V1931",
            "it belongs to `integrator = \"hermite\"`",
        ),
        (&[("seed = 7", "seed = 7\nw0 = 3")], "V1931", "it belongs to `model = \"king\"`"),
        (&[("seed = 7", "file = \"a.csv\"")], "V1931", "the bodies are those of `file`"),
        (&[("\"plummer\"", "\"plumer\"")], "V1932", "did you mean `plummer`?"),
        (&[("step = 0.01", "step = 0")], "V1932", "`step` is a number above 0, not 0"),
        (&[("step = 0.01", "step = nan")], "V1932", "`step` is a number above 0, not NaN"),
        (&[("step = 0.01", "step = \"small\"")], "V1932", "`step` is a number, not a string"),
        (&[("softening = 0.05", "softening = -0.5")], "V1932", "at least 0, not -0.5"),
        (&[("bodies = 64", "bodies = -64")], "V1932", "`bodies` is a whole number"),
        (&[("report = 0.25", "report = 1e-300")], "V1932", "cannot be told apart"),
        (&[("end = 1.0", "end = 0.0")], "V1932", "at time 0 already"),
        (&[("\"plummer\"", "\"king\"\nw0 = 99.0")], "V1932", "w0"),
    ];
    for (changes, code, words) in cases {
        let folder = Folder::new().file("plummer.toml", with(changes));
        let run = folder.run(&["nbody", "plummer.toml"]).exits(2);
        assert!(run.err.contains(code) && run.err.contains(words), "{changes:?}\n{}", run.err);
        assert!(!folder.path().join("out").exists(), "nothing is written");
    }
}

#[test]
fn wrong_files_are_explained() {
    let head = "id,mass,x,y,z,vx,vy,vz\n";
    let same = format!("{head}3,0.5,0,0,0,0,1,0\n8,0.5,0,0,0,0,-1,0\n");
    let negative = format!("{head}1,-0.5,0,0,0,0,1,0\n");
    let start = |file: &str| format!("[initial]\nfile = \"{file}\"\n[run]\nend = 1.0\n");
    let folder = Folder::new()
        .file("same.csv", same)
        .file("negative.csv", negative)
        .file("a.toml", start("same.csv"))
        .file("b.toml", start("negative.csv"))
        .file("c.toml", start("smae.csv"))
        .file("d.toml", start("same.docx"));
    let expect = |configuration: &str, words: &[&str]| {
        let run = folder.run(&["nbody", configuration, "-o", "out"]).exits(2);
        assert!(words.iter().all(|word| run.err.contains(word)), "{configuration}\n{}", run.err);
    };
    expect("a.toml", &["V1933", "bodies 3 and 8 are at the same place at time 0", "softening"]);
    expect("b.toml", &["negative"]);
    expect("c.toml", &["did you mean `same.csv`?"]);
    expect("d.toml", &["V1921", "same.docx"]);
}

#[test]
fn a_force_law_of_ones_own() {
    let springs = std::fs::read_to_string(root().join("examples/nbody/springs.kernel")).expect("the example");
    let physics = "force = \"springs.kernel\"\nforce_numbers = { stiffness = 4.0 }\nstep = 0.001";
    let configuration = with(&[("step = 0.01", physics)]);
    let folder = Folder::new().file("springs.kernel", springs).file("springs.toml", &configuration);
    let found = folder.run(&["nbody", "springs.toml", "--json"]).exits(0).json();
    let reports = found["nbody"]["reports"].as_array().expect("reports").clone();
    // All bodies swing about the centre with the same period, whatever their orbits are: after 2 pi / 2, a half of it is over at pi / 2.
    let drift = reports[4]["drift"].as_f64().expect("a number");
    assert!(drift.abs() < 1e-5, "{drift}");
    let wrong = configuration.replace("stiffness", "stifness");
    let run = folder.file("wrong.toml", wrong).run(&["nbody", "wrong.toml"]).exits(2);
    assert!(run.err.contains("there is no value for the parameter `stiffness`"), "{}", run.err);
}

#[test]
fn a_run_that_is_cut_short_can_go_on() {
    let long =
        with(&[("end = 1.0", "end = 1e6"), ("report = 0.25", "report = 0.5"), ("snapshots = 0.5\n", "")]);
    let folder = Folder::new().file("long.toml", &long);
    let run = folder.run(&["nbody", "long.toml", "--timeout", "500ms"]).exits(3);
    assert!(run.err.contains("V0005") && run.err.contains("--restart out/last.csv"), "{}", run.err);
    let time = |text: String| -> f64 {
        let line = text.lines().find(|line| line.contains("time")).expect("a time").to_owned();
        line.rsplit(' ').next().expect("a number").parse().expect("a number")
    };
    let reached = time(folder.read("out/last.csv"));
    assert!(reached > 0.0, "{reached}");
    let run = folder.run(&["nbody", "long.toml", "--restart", "out/last.csv", "--timeout", "500ms"]).exits(3);
    assert!(time(folder.read("out/last.csv")) > reached, "{}", run.out);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_bodies() {
    use crate::common::signals::{ended_by_signals, send};

    let folder =
        Folder::new().file("long.toml", with(&[("end = 1.0", "end = 1e6"), ("snapshots = 0.5\n", "")]));
    let mut command = command(folder.path());
    command.args(["nbody", "long.toml"]);
    let mut child = ended_by_signals(&mut command)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let begun = Instant::now();
    while !folder.path().join("out/last.csv").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    send("INT", &child);
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    assert_eq!(folder.read("out/last.csv").lines().filter(|line| !line.starts_with('#')).count(), 65);
}

/// Runs that are not what they should be, each with a part of its warning.
#[test]
fn results_that_may_be_wrong_have_warnings() {
    let head = "# time = 0\nid,mass,x,y,z,vx,vy,vz,type,name\n";
    let run = "[run]\nend = 3\nreport = 3\n";
    let leapfrog = format!("[initial]\nfile = \"bodies.csv\"\n[physics]\nstep = 0.01\n{run}");
    let hermite = format!("[initial]\nfile = \"bodies.csv\"\n[physics]\nintegrator = \"hermite\"\n{run}");
    let cases = [
        // Two bodies fall into each other.
        ("0,1,-1,0,0,0,0,0,1,a\n1,1,1,0,0,0,0,0,2,b\n", &leapfrog, "the energy has changed by 2"),
        ("0,1,-1,0,0,0,0,0,1,a\n1,1,1,0,0,0,0,0,2,b\n", &leapfrog, "too long for an encounter"),
        ("0,1,-1,0,0,0,1e-12,0,1,a\n1,1,1,0,0,0,0,0,2,b\n", &leapfrog, "too long for an encounter"),
        // Far from the origin.
        (
            "0,1,1e9,0,0,0,0.5,0,1,a\n1,1,1000000002,0,0,0,-0.5,0,2,b\n",
            &leapfrog,
            "digits of their distances",
        ),
        ("0,1,1e9,0,0,0,0.5,0,1,a\n1,1,1000000002,0,0,0,-0.5,0,2,b\n", &hermite, "digits of their distances"),
        ("0,1,1e9,0,0,1e-9,0,0,1,a\n", &leapfrog, "body 0 moves, but by less in a step"),
        // Masses of all orders.
        ("0,1,0,0,0,0,0,0,1,a\n1,1e-20,1,0,0,0,1,0,2,b\n", &leapfrog, "masses differ by a factor of 1e20"),
    ];
    for (bodies, configuration, expected) in cases {
        let folder =
            Folder::new().file("run.toml", configuration).file("bodies.csv", format!("{head}{bodies}"));
        let run = folder.run(&["nbody", "run.toml"]).exits(0);
        assert!(run.err.contains(expected) && run.err.contains("warning[V1934]"), "{bodies}: {}", run.err);
        let found = folder.run(&["nbody", "run.toml", "--json"]).exits(0).json();
        let told = found["diagnostics"].as_array().expect("diagnostics");
        let is_it = |d: &serde_json::Value| d["message"].as_str().is_some_and(|text| text.contains(expected));
        assert!(told.iter().any(is_it), "{found}");
    }
    // A circle says nothing, whoever moves it.
    let circle = "0,0.5,-0.5,0,0,0,-0.5,0,1,a\n1,0.5,0.5,0,0,0,0.5,0,2,b\n";
    for configuration in [&leapfrog, &hermite] {
        let folder =
            Folder::new().file("run.toml", configuration).file("bodies.csv", format!("{head}{circle}"));
        assert_eq!(folder.run(&["nbody", "run.toml"]).exits(0).err, "");
    }
}

/// The bound of the drift is the configuration's.
#[test]
fn the_energy_may_change_as_much_as_the_configuration_says() {
    let strict =
        folder().file("plummer.toml", with(&[("report = 0.25", "report = 0.25\nlargest_drift = 1e-9")]));
    let run = strict.run(&["nbody", "plummer.toml"]).exits(0);
    assert!(run.err.contains("more than 1e-9"), "{}", run.err);
    assert_eq!(folder().run(&["nbody", "plummer.toml"]).exits(0).err, "");
}

/// Columns that do not move bodies are kept in all snapshots, and by a run that goes on.
#[test]
fn columns_of_particles_are_kept() {
    let bodies = "id,type,mass,x,y,z,vx,vy,vz,name of it\n7,4,0.5,-0.5,0,0,0,-0.5,0,Ann\n3,0,0.5,0.5,0,0,0,0.5,0,a b\n";
    let configuration =
        "[initial]\nfile = \"bodies.csv\"\n[run]\nend = 0.5\n[output]\nfolder = \"out\"\nsnapshots = 0.25\n";
    let folder = Folder::new().file("bodies.csv", bodies).file("run.toml", configuration);
    folder.run(&["nbody", "run.toml"]).exits(0);
    let whole = folder.read("out/last.csv");
    for name in ["last", "snapshot-000001"] {
        let found = folder.read(&format!("out/{name}.csv"));
        let lines: Vec<&str> = found.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines[0], "id,mass,x,y,z,vx,vy,vz,type,name of it");
        assert!(lines[1].starts_with("7,") && lines[1].ends_with(",4,Ann"), "{found}");
        assert!(lines[2].starts_with("3,") && lines[2].ends_with(",0,a b"), "{found}");
    }
    folder.run(&["nbody", "run.toml", "--restart", "out/snapshot-000001.csv", "-o", "rest"]).exits(0);
    assert_eq!(folder.read("rest/last.csv"), whole);
    let nemo = folder.file("run.toml", configuration.replace("snapshots", "format = \"nemo\"\nsnapshots"));
    let run = nemo.run(&["nbody", "run.toml"]).exits(0);
    assert!(run.err.contains("no place for `type`, `name of it`"), "{}", run.err);
}
