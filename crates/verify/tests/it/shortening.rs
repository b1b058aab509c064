//! Runs that are shortened after the first error.

use std::sync::Mutex;
use volvelle_control::{Cancel, Control, Limits, Progress, ProgressEvent};
use volvelle_verify::{
    Counterexample, FactValue, Report, SearchMethod, SearchSettings, Session, Status, Text, TrailLength,
    Value, Wanted,
};

fn check(text: &str, wanted: &Wanted, settings: &SearchSettings, control: &Control<'_>) -> Report {
    let text = Text { name: "long.pml".into(), text: text.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    volvelle_verify::search(&mut session, wanted, settings, control)
}

fn shortening() -> SearchSettings {
    SearchSettings { shorten: true, ..SearchSettings::default() }
}

fn claim(text: &str) -> Wanted {
    Wanted { claims: vec![text.to_owned()], ..Wanted::default() }
}

fn only(report: &Report) -> &Counterexample {
    let [result] = report.results.as_slice() else { panic!("{} results", report.results.len()) };
    let answer = result.outcome.as_ref().expect("there is an answer");
    assert_eq!(answer.value, Value::Bool(false));
    assert_eq!(report.status(), Status::False);
    let [example] = result.counterexamples.as_slice() else { panic!("one counterexample") };
    example
}

/// The lengths that are told in the facts: `from 9 steps to 5, 4`.
fn lengths(report: &Report) -> String {
    let fact = report.results[0].facts.iter().find(|fact| fact.what == "length");
    match fact.map(|fact| &fact.value) {
        Some(FactValue::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// Dials with so many digits; an alarm looks whether so many of them stand at 2. Depth first, the last dial goes round for
/// each move of the one before.
fn dials(dials: usize, digits: usize, right: usize) -> String {
    format!(
        "byte dial[{dials}]; byte right;
active [{dials}] proctype Dial() {{ do :: atomic {{
  dial[_pid] = (dial[_pid] + 1) % {digits};
  if :: dial[_pid] == 2 -> right++ :: dial[_pid] == 3 % {digits} -> right-- :: else fi }} od }}
active proctype Alarm() {{ right == {right}; assert(false) }}"
    )
}

#[test]
fn errors_and_claims_get_the_run_of_a_breadth_first_search() {
    let text = dials(8, 4, 8);
    let safety = Wanted { safety: true, ..Wanted::default() };
    for (wanted, shortest) in [(safety, 42), (claim("[] (right < 8)"), 40)] {
        let control = Control::unlimited();
        let long = check(&text, &wanted, &SearchSettings::default(), &control);
        assert_eq!(long.results[0].outcome.as_ref().unwrap().method, "depth-first search");
        assert!(only(&long).len() > 10_000);
        assert_eq!(only(&long).length, TrailLength::Unknown(Some("--shorten searches for one")));
        let method = SearchMethod::BreadthFirst;
        let settings = SearchSettings { method, no_reduction: true, ..SearchSettings::default() };
        let whole = check(&text, &wanted, &settings, &control);
        // Two moves of each dial, with the steps inside, and the alarm.
        assert_eq!((only(&whole).len(), only(&whole).length), (shortest, TrailLength::Shortest));
        for threads in [1, 3] {
            let short = check(&text, &wanted, &shortening(), &Control { threads, ..control });
            assert_eq!(only(&short), only(&whole), "{threads}");
            assert_eq!(short.results[0].outcome.as_ref().unwrap().method, "depth-first search");
            let told = lengths(&short);
            let ends = [format!(" to {shortest}"), format!(", {shortest}")];
            assert!(told.starts_with("from ") && ends.iter().any(|end| told.ends_with(end)), "{told}");
        }
    }
}

#[test]
fn cycles_get_shorter() {
    let text = "int n; bool done;
active proctype A() { do :: n < 2000 -> n++ :: break od; do :: done = 1; done = 0 od }";
    for wanted in [claim("<> [] (!done)"), Wanted { progress: true, ..Wanted::default() }] {
        let long = check(text, &wanted, &SearchSettings::default(), &Control::unlimited());
        assert!(only(&long).len() > 1000);
        let all = [1, 2].map(|threads| {
            let short = check(text, &wanted, &shortening(), &Control { threads, ..Control::unlimited() });
            // The loop is left at once, and `done` changes twice.
            assert!(only(&short).len() <= 6, "{}", only(&short).len());
            assert!(only(&short).cycle_start.is_some());
            assert_eq!(only(&short).length, TrailLength::Unknown(Some("no shorter one was found")));
            (only(&short).clone(), lengths(&short))
        });
        assert_eq!(all[0], all[1]);
    }
}

/// Ends the run when the second counterexample is told, and keeps what was told.
struct Impatient<'a> {
    cancel: &'a Cancel,
    told: Mutex<Vec<(u64, bool)>>,
}

impl Progress for Impatient<'_> {
    fn report(&self, event: ProgressEvent) {
        if let ProgressEvent::Counterexample { property, steps, is_first, .. } = event {
            assert_eq!(property, "safety");
            let mut told = self.told.lock().unwrap();
            told.push((steps, is_first));
            if !is_first {
                self.cancel.cancel();
            }
        }
    }
}

#[test]
fn a_run_that_is_ended_has_the_shortest_run_so_far() {
    // 5^14 states: no search visits them all.
    let text = dials(14, 5, 7);
    for threads in [1, 2] {
        let cancel = Cancel::new();
        let impatient = Impatient { cancel: &cancel, told: Mutex::default() };
        let control = Control {
            limits: Limits::default(),
            cancel: &cancel,
            progress: &impatient,
            threads,
            sharing: None,
        };
        let wanted = Wanted { safety: true, ..Wanted::default() };
        let report = check(&text, &wanted, &shortening(), &control);
        let told = impatient.told.lock().unwrap();
        let [(first, true), (second, false)] = **told else { panic!("{told:?}") };
        assert!(second < first);
        assert_eq!(only(&report).len(), second);
        let ended = TrailLength::Unknown(Some("the search for a shorter one was ended"));
        assert_eq!(only(&report).length, ended);
        assert_eq!(report.stop, None);
    }
}

/// What is shortest already is not searched for again, and other searches than those in turns are shortened, too.
#[test]
fn only_long_runs_are_shortened() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let text = "byte n, m;
active [2] proctype P() { do :: n < 9 -> n++ :: n * m > 0 -> break :: m < 9 -> m++ od; assert(false) }";
    let control = Control::unlimited();
    let report = check(text, &wanted, &shortening(), &control);
    assert_eq!(only(&report).length, TrailLength::Shortest);
    assert!(!report.results[0].facts.iter().any(|fact| fact.what == "length"));
    let depth_first = SearchSettings { method: SearchMethod::DepthFirst, ..SearchSettings::default() };
    let long = check(text, &wanted, &depth_first, &control);
    let settings = SearchSettings { shorten: true, ..depth_first };
    let short = check(text, &wanted, &settings, &control);
    assert!(only(&short).len() < only(&long).len(), "{} {}", only(&short).len(), only(&long).len());
    assert_eq!((only(&short).len(), only(&short).length), (only(&report).len(), TrailLength::Shortest));
}
