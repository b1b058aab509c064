//! Paths of explicit models: their means are the values of the numerical methods, as those of the same model in the PRISM language
//! are; every tier gives the same bits; and schedulers that are exported are followed.

use volvelle_control::Control;
use volvelle_diagnostics::{Code, codes};
use volvelle_explicit::{Compression, Format, WriteOptions, write};
use volvelle_verify::{
    Choices, Evidences, Input, NoFolder, PathTier, Report, Sampling, SavedScheduler, SchedulerFormat,
    Session, Settings, Text, Tracing, Value, Verify, Verifying,
};

const DIE: &str = "dtmc
module die
  s : [0..7] init 0;
  d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> (s'=7);
endmodule
label \"six\" = d=6;
rewards \"flips\" [] s<7 : 1; endrewards
";

const OF_DIE: &[&str] = &[
    "P=? [ F \"six\" ]",
    "P=? [ F<=3 s=7 ]",
    "P=? [ (F d=1) | (G s!=2) ]",
    "R{\"flips\"}=? [ F s=7 ]",
    "R{\"flips\"}=? [ C<=4 ]",
    "P=? [ G F \"six\" ]",
];

const QUEUE: &str = "ctmc
const int c = 5;
module queue
  q : [0..c] init 0;
  up : bool init true;
  [come] q<c -> 3 : (q'=q+1);
  [serve] q>0 & up -> 4 : (q'=q-1);
  [fail] up -> 0.3 : (up'=false);
  [repair] !up -> 1 : (up'=true);
endmodule
label \"full\" = q=c;
rewards \"waiting\" true : q; endrewards
rewards \"served\" [serve] true : 1; endrewards
";

const OF_QUEUE: &[&str] = &[
    "P=? [ F<=2 \"full\" ]",
    "P=? [ up U \"full\" ]",
    "P=? [ G[1,3] q>0 ]",
    "R{\"waiting\"}=? [ C<=4 ]",
    "R{\"waiting\"}=? [ I=3 ]",
    "R{\"served\"}=? [ C<=4 ]",
    "R{\"waiting\"}=? [ F \"full\" ]",
    "P=? [ F (q=2 & (X !up)) ]",
];

const ROBOT: &str = "mdp
module robot
  x : [0..6] init 3;
  n : [0..9] init 0;
  [left] x>0 & x<6 & n<9 -> 0.8 : (x'=x-1) & (n'=n+1) + 0.2 : (n'=n+1);
  [right] x>0 & x<6 & n<9 -> 0.5 : (x'=x+1) & (n'=n+1) + 0.5 : (x'=x-1) & (n'=n+1);
endmodule
label \"goal\" = x=6;
rewards \"cost\" [right] true : 2; x=3 : 1; endrewards
";

const PATHS: u64 = 20_000;
const FEW_PATHS: u64 = 500;

fn symbolic(model: &str) -> Session {
    let text = Text { name: "model.prism".to_owned(), text: model.to_owned() };
    Session::open::<&str>(text, Vec::new(), &[])
}

fn opened(name: &str, bytes: Vec<u8>) -> Session {
    let control = Control::unlimited();
    let input = Input {
        name: name.to_owned(),
        bytes,
        properties: Vec::new(),
        defines: &[],
        parts: Vec::new(),
        exact: false,
        overrides: volvelle_verify::language::Overrides::default(),
        standard_input: None,
        system: None,
        folder: &mut NoFolder,
        named: std::rc::Rc::new(NoFolder),
        control: &control,
    };
    Session::open_files::<&str>(None, input, &[])
}

/// The states of a model, as a file.
fn explicit(model: &str, format: Format) -> Vec<u8> {
    let mut session = symbolic(model);
    let control = Control::unlimited();
    let (report, exploration) = session.model.explore(&Settings::default(), &control);
    let exploration = exploration.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
    let model = volvelle_verify::as_explicit(&session.model, &exploration);
    let mut bytes = Vec::new();
    let options = WriteOptions::default();
    write(&model, format, Compression::None, &options, &mut bytes, &control).expect("is written");
    bytes
}

fn wanted(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn sampled(session: &mut Session, texts: &[&str], tier: PathTier) -> Report {
    // Interpreted paths are slow: few are enough to see that they are the same.
    let samples = Some(if tier == PathTier::Auto { PATHS } else { FEW_PATHS });
    let sampling = Sampling { samples, tier, seed: 3, ..Sampling::default() };
    let settings = Settings { sampling: Some(sampling), ..Settings::default() };
    volvelle_verify::check(session, &wanted(texts), &settings, &Control::unlimited())
}

#[track_caller]
fn numbers(report: &Report) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Number(number) => *number,
        other => panic!("{other:?}"),
    };
    let results = report.results.iter();
    results
        .map(|result| match &result.outcome {
            Ok(answer) => number(&answer.value),
            Err(complaints) => panic!("{}: {complaints:?}", result.text),
        })
        .collect()
}

/// Means are within five deviations of the values.
#[track_caller]
fn near(report: &Report, values: &[f64]) {
    let means = numbers(report);
    assert_eq!(means.len(), values.len());
    for ((result, mean), &value) in report.results.iter().zip(means).zip(values) {
        let statistics = result.statistics.as_ref().expect("paths were run");
        let of_one = statistics.deviation.unwrap_or((value * (1.0 - value)).max(0.0).sqrt());
        let far = 5.0 * of_one / (PATHS as f64).sqrt() + 1e-9;
        assert!((mean - value).abs() <= far, "{}: {mean} instead of {value}", result.text);
    }
}

#[test]
fn means_are_the_values_of_numerical_methods() {
    for (model, texts) in [(DIE, OF_DIE), (QUEUE, OF_QUEUE)] {
        let checked = volvelle_verify::check(
            &mut symbolic(model),
            &wanted(texts),
            &Settings::default(),
            &Control::unlimited(),
        );
        let values = numbers(&checked);
        near(&sampled(&mut symbolic(model), texts, PathTier::Auto), &values);
        let bytes = explicit(model, Format::Umb);
        let first = sampled(&mut opened("model.umb", bytes.clone()), texts, PathTier::Auto);
        near(&first, &values);
        // What runs paths makes no difference, to the last bit.
        let bits = |report: &Report| numbers(report).into_iter().map(f64::to_bits).collect::<Vec<u64>>();
        let tiers = [PathTier::Scalar, PathTier::Vector, PathTier::Interpreter];
        let [scalar, vector, interpreted] =
            tiers.map(|tier| bits(&sampled(&mut opened("model.umb", bytes.clone()), texts, tier)));
        assert_eq!([&scalar, &vector], [&interpreted; 2]);
    }
}

#[test]
fn choices_at_random_are_as_likely_as_in_the_language() {
    let texts = ["Pmax=? [ F \"goal\" ]", "R{\"cost\"}max=? [ C<=5 ]"];
    let of_chain = ["P=? [ F \"goal\" ]", "R{\"cost\"}=? [ C<=5 ]"];
    let run = |mut session: Session| {
        session.run.choices = Choices::Uniform;
        sampled(&mut session, &texts, PathTier::Auto)
    };
    // The same chain, written down.
    let chain = ROBOT.replace("mdp", "dtmc");
    let checked = volvelle_verify::check(
        &mut symbolic(&chain),
        &wanted(&of_chain),
        &Settings::default(),
        &Control::unlimited(),
    );
    let values = numbers(&checked);
    assert!(values[0] > 0.01 && values[1] > 1.0, "{values:?}");
    near(&run(symbolic(ROBOT)), &values);
    near(&run(opened("robot.umb", explicit(ROBOT, Format::Umb))), &values);
}

#[test]
fn schedulers_that_are_exported_are_followed() {
    let control = Control::unlimited();
    let text = "Pmax=? [ F \"goal\" ]";
    let mut session = opened("robot.umb", explicit(ROBOT, Format::Umb));
    let evidence = Evidences { scheduler: Some(SchedulerFormat::Table), ..Evidences::default() };
    let settings = Settings { evidence, ..Settings::default() };
    let report = volvelle_verify::check(&mut session, &wanted(&[text]), &settings, &control);
    let value = numbers(&report)[0];
    let scheduler = report.results[0].evidence.as_ref().and_then(|evidence| evidence.scheduler.clone());
    let scheduler = scheduler.expect("a scheduler was asked for");
    let saved = SavedScheduler::read("s.txt", &scheduler.text).expect("it is one");
    let mut session = opened("robot.umb", explicit(ROBOT, Format::Umb));
    session.run.choices = Choices::Scheduler(saved);
    near(&sampled(&mut session, &[text], PathTier::Auto), &[value]);
}

#[test]
fn paths_are_those_that_traces_show() {
    let mut session = opened("die.umb", explicit(DIE, Format::Umb));
    let text = wanted(&["P=? [ F \"six\" ]"]);
    let sampling = Sampling { samples: Some(300), seed: 9, ..Sampling::default() };
    let settings = Settings { sampling: Some(sampling), ..Settings::default() };
    let report = volvelle_verify::check(&mut session, &text, &settings, &Control::unlimited());
    let successes = report.results[0].statistics.as_ref().and_then(|statistics| statistics.successes);
    let mut hits = 0;
    for path in 0..300 {
        let tracing = Tracing { seed: 9, path, ..Tracing::default() };
        let (plan, diagnostics) = volvelle_verify::plan_path(&mut session, &text, tracing);
        let plan = plan.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let mut path = volvelle_verify::start_path(&session.model, &plan).expect("there is a model");
        while let Some(step) = path.step() {
            assert!(!step.changes.is_empty() && step.moved.is_some());
        }
        assert!(path.end().is_some());
        let (value, decided) = path.value(0);
        assert!(decided);
        hits += value as u64;
    }
    assert_eq!(successes, Some(hits));
}

#[test]
fn numerical_values_are_verified_with_paths() {
    let mut session = opened("queue.umb", explicit(QUEUE, Format::Umb));
    let verify = Verifying { which: Verify::Always, ..Verifying::default() };
    let settings = Settings { verify, ..Settings::default() };
    let report = volvelle_verify::check(
        &mut session,
        &wanted(&["P=? [ F<=2 \"full\" ]"]),
        &settings,
        &Control::unlimited(),
    );
    let verification = report.results[0].verification.as_ref().expect("it was asked for");
    assert!(verification.samples > 100 && verification.verdict.is_ok(), "{verification:?}");
}

#[test]
fn what_is_not_simulated_says_why() {
    let refused = |session: &mut Session, text: &str, code: Code, why: &str| {
        let report = sampled(session, &[text], PathTier::Auto);
        let complaints = report.results[0].outcome.as_ref().expect_err("it is refused");
        assert_eq!(complaints[0].code, code, "{complaints:?}");
        assert!(complaints[0].message.contains(why), "{complaints:?}");
    };
    let mut queue = opened("queue.umb", explicit(QUEUE, Format::Umb));
    refused(&mut queue, "S=? [ \"full\" ]", codes::NOT_SIMULATED, "long-run");
    refused(&mut queue, "P=? [ F mod(5, q)=1 ]", codes::DIVISION_BY_ZERO, "");
    let mut robot = opened("robot.umb", explicit(ROBOT, Format::Umb));
    refused(&mut robot, "Pmax=? [ F \"goal\" ]", codes::NOT_SIMULATED, "choices");
    let starts = b"des (0, 2, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n".to_vec();
    refused(&mut opened("loop.aut", starts), "Pmax=? [ F x=1 ]", codes::NOT_SIMULATED, "choices");
}
