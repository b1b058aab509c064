//! Sweeps on devices, from texts to reports: the same answers as without, facts that say who made them, and a diagnostic
//! where a device fails.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_runtime::testing::{Faults, Faulty};
use volvelle_runtime::{Executor, Technology};
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, Interpreter, OpenCl, Threads};
use volvelle_verify::{Devices, FactValue, Report, Session, Settings, Text};

fn check(model: &str, properties: &str, devices: Option<Devices>) -> Report {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    let mut session =
        Session::open(text("model.prism", model), vec![text("model.props", properties)], &[] as &[&str]);
    if let Some(devices) = devices {
        session.run.set_devices(devices);
    }
    volvelle_verify::check(&mut session, &[], &Settings::default(), &Control::unlimited())
}

/// The reference interpreter, threads, and the first OpenCL device where there is one.
fn executors() -> Vec<Arc<dyn Executor>> {
    let threads = Threads::new(NonZeroUsize::new(2).unwrap());
    let mut all = vec![Interpreter.open(0).unwrap(), threads.open(0).unwrap()];
    all.extend(first_device(&OpenCl::new(Cache::none())));
    all
}

/// Answers bit by bit, as text.
fn answers(report: &Report) -> Vec<String> {
    report.results.iter().map(|result| format!("{:?}", result.outcome)).collect()
}

fn who<'r>(report: &'r Report, result: usize) -> Vec<(&'r str, &'r str)> {
    let facts = report.results[result].facts.iter().filter(|fact| fact.what == "sweeps");
    let text = |value: &'r FactValue| match value {
        FactValue::Text(text) => text.as_str(),
        _ => "",
    };
    facts.map(|fact| (text(&fact.value), fact.why.as_str())).collect()
}

/// Transient properties; those that differ in their times only are answered in one pass.
const PROPERTIES: &str = r#"
    P=? [ F<=30 "down" ];
    P=? [ F<=60 "down" ];
    R{"served"}=? [ C<=20 ];
    P=? [ true U[5,25] waiting > 12 ];
"#;

/// The case study, with fewer clients and servers that are less stiff: slow devices answer it as well.
fn case_study() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prism/client_server.prism");
    let text = std::fs::read_to_string(path).expect("an example of this repository");
    let smaller = text.replace("clients = 300;", "clients = 20;").replace("log = 500;", "log = 2;");
    assert_ne!(smaller, text);
    smaller
}

#[test]
fn the_case_study_has_the_same_values() {
    let model = case_study();
    let expected = check(&model, PROPERTIES, None);
    assert!(expected.results.iter().all(|result| result.outcome.is_ok()), "{:?}", expected.diagnostics);
    for executor in executors() {
        let name = executor.name().to_owned();
        let report = check(&model, PROPERTIES, Some(Devices::asked(vec![executor], false)));
        assert_eq!(answers(&report), answers(&expected), "{name}");
        for result in 0..report.results.len() {
            assert_eq!(who(&report, result), [(name.as_str(), "requested")], "{name}, property {result}");
        }
        assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    }
}

/// Value iteration as well: two walkers who choose where to go.
#[test]
fn choices_have_the_same_values() {
    let model = r#"
        mdp
        const int n = 12;
        module walker
            x : [0..n] init 3;
            [] x > 0 & x < n -> 0.45 : (x' = x + 1) + 0.55 : (x' = x - 1);
            [] x > 0 & x < n -> 0.3 : (x' = min(x + 2, n)) + 0.7 : (x' = x - 1);
        endmodule
        module clock
            t : [0..6] init 0;
            [] true -> 0.5 : (t' = mod(t + 1, 7)) + 0.5 : (t' = 0);
        endmodule
        rewards true : 1 + t / 8; endrewards
    "#;
    let properties = r#"
        Pmax=? [ F<=40 x = n ];
        Pmin=? [ F<=80 x = 0 ];
        Rmax=? [ C<=30 ];
        Pmax=? [ x > 1 U[3,9] t = 6 ];
    "#;
    let expected = check(model, properties, None);
    assert!(expected.results.iter().all(|result| result.outcome.is_ok()), "{:?}", expected.diagnostics);
    for executor in executors() {
        let name = executor.name().to_owned();
        let report = check(model, properties, Some(Devices::asked(vec![executor], false)));
        assert_eq!(answers(&report), answers(&expected), "{name}");
        for result in 0..report.results.len() {
            assert_eq!(who(&report, result), [(name.as_str(), "requested")], "{name}, property {result}");
        }
    }
}

/// Properties without a bound: other sweeps on a device, with the same bits on all devices, and the bounds around the guess
/// verified all the same.
#[test]
fn guesses_are_verified_whoever_makes_them() {
    // Four thousand states that all lead to each other, with choices.
    let model = r#"
        mdp
        module maze
            x : [0..4095] init 1;
            won : bool init false;
            [] !won & x > 0 -> 0.5 : (x' = mod(x * 5 + 3, 4096)) + 0.5 : (x' = mod(x + 1023, 4096));
            [] !won & mod(x, 3) = 0 -> 0.875 : (x' = mod(x * 3 + 1, 4096)) + 0.125 : (won' = true);
            [] !won & x = 0 -> 0.25 : (x' = 2047) + 0.75 : (won' = true);
            [] won -> true;
        endmodule
        rewards true : 1; endrewards
    "#;
    let properties = r#"
        Pmin=? [ F won & x = 0 ];
        Pmax=? [ F won & mod(x, 7) = 2 ];
        Rmin=? [ F won ];
        Rmax=? [ F won ];
    "#;
    let bounds = |report: &Report| -> Vec<[f64; 2]> {
        let answers = report.results.iter().map(|result| result.outcome.as_ref().expect("an answer"));
        answers.map(|answer| answer.guarantee.interval().expect("bounds")).collect()
    };
    let threads = check(model, properties, None);
    let mut first = None;
    for executor in executors() {
        let name = executor.name().to_owned();
        let report = check(model, properties, Some(Devices::asked(vec![executor.clone()], false)));
        assert_eq!(&answers(&report), first.get_or_insert(answers(&report)), "{name}");
        for (result, ([a, b], [c, d])) in bounds(&report).into_iter().zip(bounds(&threads)).enumerate() {
            assert_eq!(who(&report, result), [(name.as_str(), "requested")], "{name}, property {result}");
            assert!(a <= d && c <= b && b - a <= 1e-6 * b, "{name}: [{a}, {b}], on threads [{c}, {d}]");
        }
        // Where threads may work as well, such sweeps are theirs, and the device is tried on large matrices only.
        let both = check(model, properties, Some(Devices::asked(vec![executor], true)));
        assert_eq!(answers(&both), answers(&threads));
        assert!((0..both.results.len()).all(|result| who(&both, result).is_empty()));
    }
    assert_ne!(Some(answers(&threads)), first, "the device made no sweeps");
}

#[test]
fn a_device_that_fails_loses_nothing() {
    let model = case_study();
    let expected = check(&model, PROPERTIES, None);
    for k in [0, 3, 12, 40, 300] {
        let executor = Faulty::executor(Interpreter.open(0).unwrap(), Faults::from(k));
        let report = check(&model, PROPERTIES, Some(Devices::asked(vec![executor], false)));
        assert_eq!(answers(&report), answers(&expected), "call {k}");
        assert_eq!(report.diagnostics.len(), 1, "{:?}", report.diagnostics);
        let complaint = &report.diagnostics[0];
        assert_eq!(complaint.code.to_string(), "V1011");
        assert!(complaint.message.contains("stopped sweeping"), "{}", complaint.message);
        let last = report.results.len() - 1;
        assert!(who(&report, last).contains(&("threads", "interpreter failed")), "{:?}", who(&report, last));
    }
}
