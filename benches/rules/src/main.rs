//! What rules cost: the lambda calculus of `examples/rules/lambda.rules`, and the same checker written by hand, on the same trees.
//!
//! `cargo run --release --manifest-path benches/rules/Cargo.toml`

mod by_hand;

use std::path::Path;
use std::time::Instant;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes};
use volvelle_rules::machine::Limits;
use volvelle_rules::system::{Answer, Reply, load};

const ROUNDS: usize = 15;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rules");
    let mut sources = Sources::new();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the example is there");
    let file = sources.add("lambda.rules", read("lambda.rules"));
    let mut open = |sources: &mut Sources, name: &str, _: FileId| -> Result<FileId, Box<Diagnostic>> {
        let text = std::fs::read_to_string(folder.join(name))
            .map_err(|why| Box::new(Diagnostic::error(codes::FILE_NOT_READ, why.to_string())))?;
        Ok(sources.add(name, text))
    };
    let mut found = Vec::new();
    let system = load(&mut sources, file, &mut open, &mut found).expect("the example has no mistakes");
    let judgment = system.judgment("type").expect("it is declared");
    println!("{:<14} {:>9} {:>9} {:>7} {:>12} {:>12}", "program", "rules ms", "hand ms", "ratio", "applications", "instructions");
    let only = std::env::args().nth(1);
    for (name, text) in programs() {
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let file = sources.add(name, text);
        let program = system.read(&sources, file);
        assert!(program.flaws.is_empty(), "{name}: {:?}", program.flaws[0].message);
        let (mut rules, mut hand) = (Vec::new(), Vec::new());
        let mut done = Default::default();
        let mut answers = (String::new(), String::new());
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let limits = Limits { bytes: 8 << 30, stop: &|| false };
            let (reply, statistics) = system.ask(&sources, &program, judgment, program.root, limits, true);
            rules.push(start.elapsed().as_secs_f64() * 1e3);
            done = statistics;
            answers.0 = match reply {
                Reply::Holds(answers) => match &answers[0] {
                    Answer::Text(text) => text.clone(),
                    other => format!("{other:?}"),
                },
                other => format!("{other:?}"),
            };
            let start = Instant::now();
            answers.1 = by_hand::type_of(&system.language.classes().clone(), &program.tree, program.root);
            hand.push(start.elapsed().as_secs_f64() * 1e3);
        }
        assert_eq!(answers.0, answers.1, "{name}");
        let (rules, hand) = (best(rules), best(hand));
        println!(
            "{name:<14} {rules:>9.3} {hand:>9.3} {:>7.2} {:>12} {:>12}",
            rules / hand,
            done.applications,
            done.instructions
        );
    }
}

/// The best of all rounds: others may use the machine.
fn best(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

/// Programs of a few thousand nodes, each of another shape.
fn programs() -> Vec<(&'static str, String)> {
    let lets: String = (0..2_000).map(|at| format!("let x{at} = (\\y. y) {at} in\n")).collect::<String>() + "x0";
    let functions = (0..500).map(|at| format!("\\f{at}. ")).collect::<String>() + "(f0, f499)";
    let arguments = "(\\x. x) (".repeat(1_000) + "1" + &")".repeat(1_000);
    let pairs = {
        let mut text = "1".to_owned();
        for at in 0..1_000 {
            text = format!("({text}, \\z{at}. z{at})");
        }
        format!("(\\x. 0) {text}")
    };
    let compose = "let c = \\f. \\g. \\x. f (g x) in\n".to_owned()
        + &(0..300).map(|at| format!("let h{at} = c (\\a. a) (\\b. b) in\n")).collect::<String>()
        + &(0..300).map(|at| format!("(h{at}, ")).collect::<String>()
        + "0"
        + &")".repeat(300);
    vec![
        ("lets", lets),
        ("functions", functions),
        ("arguments", arguments),
        ("pairs", pairs),
        ("compose", format!("(\\x. 1) ({compose})")),
    ]
}
