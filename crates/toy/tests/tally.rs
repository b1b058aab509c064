//! A language that is added as `ARCHITECTURE.md` says: its answers against those of the same model in the PRISM language, its
//! diagnostics, and the page itself.

use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_toy::Tally;
use volvelle_verify::{Input, NoFolder, Report, Session, Settings, Text, Value};

const COINS: &str = include_str!("../models/coins.tally");

fn report(model: &str, question: &str) -> Report {
    let mut folder = NoFolder;
    let control = Control::unlimited();
    let text = Text { name: "model.tally".to_owned(), text: model.to_owned() };
    let input = Input::of_text(text, Vec::new(), &mut folder, &control);
    let mut session = Session::open_files::<&str>(Some(&Tally), input, &[]);
    volvelle_verify::check(&mut session, &[question.to_owned()], &Settings::default(), &control)
}

fn number(report: &Report) -> f64 {
    // States in which no rule may be applied are the ends of the game.
    assert!(codes_of(report).iter().all(|code| *code == codes::DEADLOCKS_FIXED), "{report:?}");
    match &report.results[0].outcome {
        Ok(answer) => match answer.value {
            Value::Number(number) => number,
            ref other => panic!("{other:?}"),
        },
        Err(errors) => panic!("{errors:?}"),
    }
}

fn codes_of(report: &Report) -> Vec<volvelle_diagnostics::Code> {
    report.all_diagnostics().iter().map(|diagnostic: &&Diagnostic| diagnostic.code).collect()
}

#[test]
fn answers_are_those_of_the_same_prism_model() {
    let prism = "dtmc
        module rules
          coins : [0..10] init 3;
          [win]  coins>0 & coins<10 -> (coins'=coins+1);
          [lose] coins>0 & coins<10 -> (coins'=coins-1);
        endmodule
        label \"rich\" = coins=10;";
    let same = |tally: &str, property: &str| {
        let text = Text { name: "model.prism".to_owned(), text: prism.to_owned() };
        let mut session = Session::open::<&str>(text, Vec::new(), &[]);
        let expected = volvelle_verify::check(
            &mut session,
            &[property.to_owned()],
            &Settings::default(),
            &Control::unlimited(),
        );
        let Ok(answer) = &expected.results[0].outcome else { panic!("{expected:?}") };
        let found = number(&report(COINS, tally));
        assert_eq!(answer.value, Value::Number(found));
        found
    };
    // The ruin of a fair player: by hand, 3 of 10 coins.
    let rich = same("chance of rich", "P=? [ F \"rich\" ]");
    assert!((rich - 0.3).abs() < 1e-9, "{rich}");
    same("chance of rich within 20", "P=? [ F<=20 \"rich\" ]");
    // By hand: the straight way up takes seven steps.
    assert_eq!(same("chance of rich within 7", "P=? [ F<=7 \"rich\" ]"), 1.0 / 128.0);
}

#[test]
fn every_line_that_is_wrong_is_named() {
    let model =
        "counter x 0..3 = 5\ncounter y 3..0 = 1\nrule a: z > 1 -> x += 1\nrule a: x < 3 -> x += 1, x = 2\n";
    let found = codes_of(&report(model, "chance of end"));
    let expected = [
        codes::INITIAL_OUT_OF_RANGE,
        codes::EMPTY_RANGE,
        codes::UNKNOWN_NAME,
        codes::DOUBLE_WRITE,
        codes::DUPLICATE_NAME,
    ];
    assert_eq!(found, expected);
    let syntax = codes_of(&report("counter x 0..3\nrule : x > 1\ngoal b: x ! 2\nhurry\n", "chance of b"));
    let token = codes::UNEXPECTED_TOKEN;
    assert_eq!(syntax, [token, token, codes::UNEXPECTED_CHARACTER, token]);
}

#[test]
fn a_rule_that_leaves_the_range() {
    let report = report("counter x 0..3 = 0\nrule up: x < 9 -> x += 1\ngoal far: x = 9\n", "chance of far");
    let diagnostics = report.all_diagnostics();
    assert_eq!(diagnostics[0].code, codes::OUT_OF_RANGE);
    assert!(diagnostics[0].notes.iter().any(|note| note.contains("x=3")), "{diagnostics:?}");
}

#[test]
fn questions_that_cannot_be_answered() {
    assert_eq!(codes_of(&report(COINS, "chance of happiness")), [codes::UNKNOWN_LABEL]);
    assert_eq!(codes_of(&report(COINS, "chance of rich within")), [codes::UNEXPECTED_TOKEN]);
}

#[test]
fn no_beginning_of_a_text_makes_it_panic() {
    let text = format!("{COINS}# é\ngoal ü: coins = 99999999999\n");
    for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
        let mut sources = volvelle_diagnostics::Sources::new();
        let file = sources.add("model.tally", &text[..end]);
        let (model, _) = volvelle_toy::parse::model(file, &text[..end]);
        let _ = volvelle_toy::lower::lower(&model);
    }
}

/// The blocks of the section of `ARCHITECTURE.md` are parts of the files that they name.
#[test]
fn the_page_shows_the_files() {
    let page = include_str!("../../../ARCHITECTURE.md");
    let (_, section) = page.split_once("## How to add a language").expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let mut blocks = 0;
    for block in section.split("```rust file=").skip(1) {
        let (name, rest) = block.split_once('\n').expect("a line with the name");
        let code = rest.split("```").next().expect("code").trim_end();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let file =
            std::fs::read_to_string(format!("{folder}{name}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(file.contains(code), "{name} has no such part:\n{code}");
        blocks += 1;
    }
    assert!(blocks >= 4, "{blocks} blocks");
}
