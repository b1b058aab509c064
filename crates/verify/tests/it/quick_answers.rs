//! Answers that take little are told before a search that takes long, and stay in their place of the report.

use std::sync::Mutex;
use volvelle_control::{Cancel, Control, Limits, Progress, ProgressEvent, Stop};
use volvelle_logic::Value;
use volvelle_verify::{SearchSettings, Session, Text, Wanted};

/// Millions of states, of which few decide the first and the last claim.
const COUNTERS: &str = "byte a, b, c;
active proctype A() { do :: a < 250 -> a++ :: a = 0 od }
active proctype B() { do :: b < 250 -> b++ :: b = 0 od }
active proctype C() { do :: c < 250 -> c++ :: c = 0 od }
ltl soon { [] (a < 5) }
ltl late { [] (a < 251) }
ltl again { [] <> (b == 3) }
";

/// Cancels the work as soon as it is large, and notes what was told until then.
#[derive(Default)]
struct Told {
    cancel: Cancel,
    answers: Mutex<Vec<(String, bool)>>,
}

impl Progress for Told {
    fn report(&self, event: ProgressEvent) {
        match event {
            ProgressEvent::Answer { property, holds, .. } => {
                self.answers.lock().expect("no panic").push((property, holds));
            }
            ProgressEvent::Exploring { counted, states, .. } if !counted.is_product && states > 1 << 16 => {
                self.cancel.cancel();
            }
            _ => {}
        }
    }
}

#[test]
fn violated_claims_do_not_wait_for_a_large_search() {
    for threads in [1, 2] {
        let text = Text { name: "m.pml".into(), text: COUNTERS.into() };
        let mut session = Session::open::<&str>(text, Vec::new(), &[]);
        let told = Told::default();
        let (cancel, progress, limits) = (&told.cancel, &told, Limits::default());
        let control = Control { limits, cancel, progress, threads, sharing: None };
        let report =
            volvelle_verify::search(&mut session, &Wanted::default(), &SearchSettings::default(), &control);
        assert_eq!(report.stop, Some(Stop::Cancelled));
        let answers = told.answers.lock().expect("no panic").clone();
        assert_eq!(answers, [("soon".to_owned(), false), ("again".to_owned(), false)]);
        let results = report.results.iter().map(|result| {
            let value = result.outcome.as_ref().ok().map(|answer| answer.value.clone());
            (result.name.clone().unwrap_or_default(), value)
        });
        let violated = Some(Value::Bool(false));
        let wanted = [("safety", None), ("soon", violated.clone()), ("late", None), ("again", violated)];
        let wanted = wanted.map(|(name, value)| (name.to_owned(), value));
        assert_eq!(results.collect::<Vec<_>>(), wanted, "{threads} threads");
    }
}

#[test]
fn quick_answers_are_those_of_a_search_alone() {
    let model = "byte x; bit y; active [2] proctype P() { do :: x < 9 -> x++ :: x > 2 -> y = 1 - y; assert(x != 8) od }
ltl p { [] (x < 7) } ltl q { <> (x == 9) } ltl r { [] (y <= 1) }";
    let report = |claims: &[&str]| {
        let text = Text { name: "m.pml".into(), text: model.into() };
        let mut session = Session::open::<&str>(text, Vec::new(), &[]);
        let wanted = Wanted { claims: claims.iter().map(|c| (*c).to_owned()).collect(), ..Wanted::default() };
        volvelle_verify::search(&mut session, &wanted, &SearchSettings::default(), &Control::unlimited())
    };
    let all = report(&[]);
    assert_eq!(all.results.len(), 4);
    for (i, name) in ["p", "q", "r"].into_iter().enumerate() {
        let (alone, beside) = (report(&[name]), &all.results[i + 1]);
        assert_eq!(alone.results[0].outcome, beside.outcome);
        assert_eq!(alone.results[0].facts, beside.facts);
        let steps = |result: &volvelle_verify::PropertyReport| {
            result.counterexamples.first().map(|run| format!("{:?}", run.steps))
        };
        assert_eq!(steps(&alone.results[0]), steps(beside));
    }
}
