//! What a run has found before it ends: another thread, or a receiver of progress as here, can ask at any moment.

use std::sync::Mutex;
use volvelle_control::{Cancel, Control, Progress, ProgressEvent, Stop};
use volvelle_diagnostics::codes;
use volvelle_verify::{
    Allowance, Experiment, Interim, Interrupted, Report, Session, Settings, Status, Text, Value,
};

/// Exploration is quick; the numbers take for ever: 10^13 steps for a time of 10^7.
const SLOW: &str = "ctmc
module m
  x : [0..1000] init 0;
  [] x<1000 -> 1e6 : (x'=x+1);
  [] x>0 -> 1e6 : (x'=x-1);
endmodule
";

/// Looks at the notes of a run when an event comes for the first time, and then ends the run.
struct Watch<T> {
    interim: Interim,
    cancel: Cancel,
    when: fn(&ProgressEvent) -> bool,
    look: fn(&Interim) -> Option<Interrupted<T>>,
    seen: Mutex<Option<Interrupted<T>>>,
}

impl<T: Send> Progress for Watch<T> {
    fn report(&self, event: ProgressEvent) {
        let mut seen = self.seen.lock().expect("no panic before");
        if seen.is_none() && (self.when)(&event) {
            *seen = (self.look)(&self.interim);
            self.cancel.cancel();
        }
    }
}

impl<T: Send> Watch<T> {
    fn new(
        session: &Session,
        when: fn(&ProgressEvent) -> bool,
        look: fn(&Interim) -> Option<Interrupted<T>>,
    ) -> Self {
        Watch {
            interim: session.run.interim.clone(),
            cancel: Cancel::new(),
            when,
            look,
            seen: Mutex::new(None),
        }
    }

    fn control(&self) -> Control<'_> {
        Control { cancel: &self.cancel, progress: self, ..Control::unlimited() }
    }
}

fn open(model: &str, constants: &[&str]) -> Session {
    Session::open(Text { name: "m.prism".into(), text: model.into() }, Vec::new(), constants)
}

fn report_now(interim: &Interim) -> Option<Interrupted<Report>> {
    interim.report(Stop::Timeout, &Allowance::default())
}

fn experiment_now(interim: &Interim) -> Option<Interrupted<Experiment>> {
    interim.experiment(Stop::Timeout, &Allowance::default())
}

#[test]
fn finished_answers_are_known_while_others_are_computed() {
    let mut session = open(SLOW, &[]);
    let properties = ["P=? [ X x=1 ]", "P=? [ F<=1e6 x=1000 ]", "P=? [ G F x=7 ]"].map(str::to_owned);
    let is_solving = |event: &ProgressEvent| matches!(event, ProgressEvent::Solving { .. });
    let watch = Watch::new(&session, is_solving, report_now);
    let last = volvelle_verify::check(&mut session, &properties, &Settings::default(), &watch.control());
    let Interrupted { report, outline, sources } = watch.seen.into_inner().unwrap().expect("it was working");
    assert_eq!(report.status(), Status::Limit);
    assert_eq!(report.model.as_ref().map(|m| (m.states, m.complete)), Some((1001, true)));
    assert!(outline.is_some_and(|outline| outline.kind == "CTMC"));
    assert_eq!(sources.len(), 4);
    let [first, second, third] = report.results.as_slice() else { panic!("{:?}", report.results) };
    assert!(matches!(&first.outcome, Ok(answer) if answer.value == Value::Number(1.0)), "{first:?}");
    let why = |result: &volvelle_verify::PropertyReport| {
        let error = result.outcome.as_ref().expect_err("it is not answered")[0].clone();
        assert_eq!(error.code, codes::TIME_LIMIT);
        (result.unanswered(), error.message.starts_with("not started"), error.primary.is_some())
    };
    assert_eq!(why(second), (Some("time limit"), false, true));
    assert_eq!(why(third), (Some("not started"), true, false));
    // The run itself ends in the same way.
    assert_eq!(last.results.iter().map(|r| r.begun).collect::<Vec<_>>(), [true, true, false]);
    assert!(last.results[0].outcome.is_ok() && last.results[2].outcome.is_err());
    assert_eq!(last.status(), Status::Limit);
}

#[test]
fn finished_points_are_known_while_others_are_computed() {
    let model = "dtmc\nconst int N;\nmodule m\n x : [0..N] init 1;\n [] x>0 & x<N -> 0.5 : (x'=x-1) + 0.5 : (x'=x+1);\n\
                 [] x=0 | x=N -> true;\nendmodule\n";
    let mut session = open(model, &["N=2:6"]);
    let is_second = |event: &ProgressEvent| matches!(event, ProgressEvent::Points { done: 2, .. });
    let watch = Watch::new(&session, is_second, experiment_now);
    volvelle_verify::experiment(
        &mut session,
        &["P=? [ F x=N ]".to_owned()],
        &Settings::default(),
        &watch.control(),
    );
    let found = watch.seen.into_inner().unwrap().expect("it was working").report;
    assert_eq!((found.total, found.points.len(), found.done()), (5, 2, 2));
    assert_eq!(found.status(), Status::Limit);
    assert_eq!(found.models.len(), 2);
    for (point, n) in found.points.iter().zip(2..) {
        assert_eq!(point.values[0].to_string(), n.to_string());
        assert!(point.results[0].outcome.is_ok());
        // As in the experiment itself, a result has the constants of its point.
        assert_eq!(point.results[0].constants[0].to_string(), format!("N={n}"));
    }
    assert!(found.diagnostics.iter().any(|d| d.notes.iter().any(|note| note == "2 of 5 points are done")));
}

#[test]
fn properties_of_one_point_are_known_one_by_one() {
    let mut session = open(SLOW, &[]);
    let properties = ["P=? [ X x=1 ]", "P=? [ F<=1e6 x=1000 ]"].map(str::to_owned);
    let is_solving = |event: &ProgressEvent| matches!(event, ProgressEvent::Solving { .. });
    let watch = Watch::new(&session, is_solving, experiment_now);
    volvelle_verify::experiment(&mut session, &properties, &Settings::default(), &watch.control());
    let found = watch.seen.into_inner().unwrap().expect("it was working").report;
    assert_eq!((found.total, found.points.len(), found.done()), (1, 1, 0));
    let results = &found.points[0].results;
    assert!(results[0].outcome.is_ok() && results[1].unanswered() == Some("time limit"), "{results:?}");
}

#[test]
fn nothing_is_known_before_the_work_begins() {
    let session = open(SLOW, &[]);
    assert!(
        report_now(&session.run.interim.clone()).is_none()
            && experiment_now(&session.run.interim.clone()).is_none()
    );
}
