//! Trails of SPIN that no SPIN has written: mutilated ones, and those of other models. Each is followed or refused, with the line
//! and the reason.

use crate::common::Folder;
use volvelle_promela_testing::{Choices, random_program};
use volvelle_verify::{Dice, SearchSettings, Session, SpinTrail, Text, Tier, Wanted};

const MODEL: &str = "byte g;
active proctype P() { byte i; i = 1; i = i + 1; g = 1; assert(g == 1) }
active proctype Q() { g = 2; atomic { g = 3; g = 4 } }
";

/// `pan` merged the first two statements of P.
const TRAIL: &str = "-4:-4:-4\n1:0:0\n2:0:2\n3:1:5\n4:0:3\n";

#[test]
fn a_trail_of_spin() {
    let folder = Folder::with_model(MODEL).file("model.pml", MODEL).file("model.pml.trail", TRAIL);
    let run = folder.run(&["simulate", "model.pml", "--trail", "model.pml.trail"]).exits(1);
    assert!(run.out.contains("5 steps, then an error"), "{}", run.out);
    assert!(run.err.contains("V0421"), "{}", run.err);
    // The name does not matter where the text is clear.
    std::fs::rename(folder.path().join("model.pml.trail"), folder.path().join("t")).expect("a file");
    folder.run(&["simulate", "model.pml", "--trail", "t"]).exits(1);
}

#[test]
fn written_and_followed() {
    let folder = Folder::new().file("model.pml", MODEL);
    folder.run(&["check", "model.pml", "--trail", "t.trail"]).exits(1);
    let text = std::fs::read_to_string(folder.path().join("t.trail")).expect("a trail");
    assert_eq!(text, "1:0:0\n2:0:1\n3:0:2\n4:1:5\n5:0:3\n");
    folder.run(&["simulate", "model.pml", "--trail", "t.trail"]).exits(1);
}

#[test]
fn trails_that_do_not_fit() {
    for (text, parts) in [
        ("1:0:7\n", ["line 1 of `t.trail` does not match", "process 0 cannot execute statement 7 there"]),
        ("1:0:0\n2:5:0\n", ["line 2 of `t.trail`", "it is a step of process 5, but there are 2 processes"]),
        ("1:0:99\n", ["line 1 of", "no statement of the model has the number 99"]),
        ("1:0:0\n1:0\n", ["line 2", "it is not `depth:process:statement`: `1:0`"]),
        ("-9:0:0\n", ["line 1", "this marker is unknown"]),
        ("nonsense", ["line 1", "it is not `depth:process:statement`: `nonsense`"]),
        ("1:0:4294967296\n", ["line 1", "no statement has this number"]),
    ] {
        let folder = Folder::new().file("model.pml", MODEL).file("t.trail", text);
        let run = folder.run(&["simulate", "model.pml", "--trail", "t.trail"]).exits(2);
        for part in parts.iter().chain(&["V0013"]) {
            assert!(run.err.contains(part), "{part:?} is missing:\n{}", run.err);
        }
    }
    let folder = Folder::new().file("model.pml", MODEL).file("t.trail", "");
    folder.run(&["simulate", "model.pml", "--trail", "t.trail"]).exits(0);
}

#[test]
fn loops_are_not_followed_for_ever() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od }\nactive proctype Q() { false }";
    let folder = Folder::new().file("model.pml", model).file("t.trail", "-4:-4:-4\n1:0:0\n2:1:5\n3:0:5\n");
    folder.run(&["simulate", "model.pml", "--trail", "t.trail"]).exits(2);
}

/// Trails of random models with lines changed, left out, doubled and exchanged.
#[test]
fn mutilated_trails() {
    let (mut fit, mut refused) = (0, 0);
    for seed in 0..60 {
        let text = random_program(&mut Choices::from_seed(seed));
        let open =
            || Session::open::<&str>(Text { name: "m.pml".into(), text: text.clone() }, Vec::new(), &[]);
        let mut session = open();
        let mut settings = SearchSettings { tier: Tier::Interpreter, ..SearchSettings::default() };
        settings.allowance.states = Some(2_000);
        let mut control = volvelle_control::Control::unlimited();
        control.limits = settings.allowance.starting_at(std::time::Instant::now());
        let wanted = Wanted { safety: true, ..Wanted::default() };
        let report = volvelle_verify::search(&mut session, &wanted, &settings, &control);
        let Some(example) = report.results.iter().find_map(|r| r.counterexamples.first()) else { continue };
        let trail =
            volvelle_verify::save_as_spin_trail(&session.model, example).expect("a run that can be followed");
        let saved =
            volvelle_verify::read_spin_trail(&session.model, "t", &trail.to_text()).expect("the trail fits");
        assert_eq!(saved.steps.len(), example.steps.len(), "seed {seed}");
        assert_eq!(SpinTrail::read(&trail.to_text()), Ok(trail.clone()));
        if example.steps.is_empty() {
            // Nothing to change: no process moves at the beginning.
            continue;
        }
        let mut dice = Dice::new(seed);
        for _ in 0..20 {
            let mut lines: Vec<String> = trail.to_text().lines().map(str::to_owned).collect();
            let at = dice.below(lines.len());
            match dice.below(6) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => lines.swap(at, 0),
                3 => lines[at] = format!("1:{}:{}", dice.below(4), dice.below(200)),
                4 => lines.insert(0, "-4:-4:-4".into()),
                _ => lines[at].truncate(dice.below(4)),
            }
            match volvelle_verify::read_spin_trail(&session.model, "t", &lines.join("\n")) {
                Ok(_) => fit += 1,
                Err(diagnostic) => {
                    assert_eq!(diagnostic.code.to_string(), "V0013");
                    refused += 1;
                }
            }
        }
    }
    assert!(fit > 20 && refused > 100, "{fit} fit, {refused} are refused");
}
