//! Formulas about all time, sampled: random models, against numbers from the product of model and automaton.
//!
//! Most of these paths would never decide anything: that they end is due to what states are certain of.

use volvelle_control::Control;
use volvelle_prism::testing::{Choices, random_model};
use volvelle_statistics::{Confidence, Side, Tally, interval};
use volvelle_verify::{Sampling, Session, Settings, Text, Value};

const PATHS: u64 = 600;
const STEPS: u32 = 20_000;

const FORMULAS: [&str; 9] = [
    r#"P=? [ G F "goal" ]"#,
    r#"P=? [ F G "goal" ]"#,
    r#"P=? [ F "goal" ]"#,
    r#"P=? [ G "goal" ]"#,
    r#"P=? [ !"goal" U ("goal" & !"init") ]"#,
    r#"P=? [ (G F "goal") => (G F "init") ]"#,
    r#"P=? [ F ("goal" & (X "goal")) ]"#,
    r#"P=? [ (F G !"goal") | (X X "goal") ]"#,
    r#"P=? [ (G F !"goal") & (G F "goal") ]"#,
];

/// The value of every formula, or the code of the diagnostic; and how often it was satisfied.
fn ask(text: &str, sampling: Option<Sampling>) -> Vec<Result<(f64, Option<u64>), String>> {
    let model = Text { name: "model.prism".to_owned(), text: text.to_owned() };
    let properties = Text { name: "model.props".to_owned(), text: FORMULAS.join("\n") };
    let mut session = Session::open(model, vec![properties], &Vec::<String>::new());
    let settings = Settings { sampling, ..Settings::default() };
    let selected: Vec<String> = Vec::new();
    let report = volvelle_verify::check(&mut session, &selected, &settings, &Control::unlimited());
    report
        .results
        .into_iter()
        .map(|result| match result.outcome {
            Ok(answer) => match answer.value {
                Value::Number(value) => Ok((value, result.statistics.and_then(|s| s.successes))),
                other => Err(format!("{other:?}")),
            },
            Err(complaints) => Err(complaints.first().map_or(String::new(), |d| d.message.clone())),
        })
        .collect()
}

#[test]
fn sampled_formulas_agree_with_numbers() {
    // One in a million million: some hundred comparisons never fail by chance.
    let confidence = Confidence::new(1.0 - 1e-12).expect("a confidence");
    let (mut compared, mut between) = (0, 0);
    for seed in 0..500 {
        let mut choices = Choices::from_seed(seed);
        let text = random_model(&mut choices);
        if text.starts_with("mdp") {
            continue;
        }
        let sampling = Sampling { samples: Some(PATHS), max_steps: STEPS, ..Sampling::default() };
        for ((sampled, exact), formula) in
            ask(&text, Some(sampling)).iter().zip(ask(&text, None)).zip(FORMULAS)
        {
            let (Ok((_, Some(successes))), Ok((exact, _))) = (sampled, &exact) else {
                // Models that fail, or have many initial states, are of no use; but no path is too long here.
                assert!(
                    !matches!(sampled, Err(why) if why.contains("steps")),
                    "{seed} {formula}: {sampled:?}\n{text}"
                );
                continue;
            };
            let tally = Tally::new(*successes, PATHS).expect("a tally");
            let interval = interval::clopper_pearson(tally, confidence, Side::Both);
            assert!(
                (interval.lo - 1e-9..=interval.hi + 1e-9).contains(exact),
                "{seed} {formula}: {successes} of {PATHS} instead of {exact}\n{text}"
            );
            compared += 1;
            between += usize::from(*exact > 0.01 && *exact < 0.99);
        }
    }
    assert!(compared > 2000 && between > 20, "{compared} {between}");
}
