//! Paths that are told are those that are simulated.

use super::{PathEnd, PathPlan, PathValue, Tracing};
use volvelle_kernel::interp::Interpreter;
use volvelle_session::trace::VariableValue;
use volvelle_session::{Session, Text};
use volvelle_simulate::runner::{Paths, Runner};

fn session(model: &str) -> Session {
    Session::open::<&str>(Text { name: "model.prism".into(), text: model.into() }, Vec::new(), &[])
}

fn plan(session: &mut Session, properties: &[&str], tracing: Tracing) -> PathPlan {
    let wanted: Vec<String> = properties.iter().map(|p| (*p).to_owned()).collect();
    let (plan, diagnostics) = crate::trace::plan_path(session, &wanted, tracing);
    plan.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn seeded(seed: u64, path: u64) -> Tracing {
    Tracing { seed, path, ..Tracing::default() }
}

fn number(value: &VariableValue) -> f64 {
    match value {
        VariableValue::Int(number) => *number as f64,
        other => panic!("{other} is no number"),
    }
}

/// A hundred paths, each told and simulated: the same steps, and the same values.
fn agree(model: &str, properties: &[&str]) {
    const MOST: u32 = 500;
    let mut session = session(model);
    for number in 0..100 {
        let plan = plan(&mut session, properties, seeded(11, number));
        let runner = Runner::scalar(&plan.plan, &Interpreter).expect("compiles");
        let mut simulated = Paths::default();
        runner.run(11, number..number + 1, MOST, &mut simulated).expect("does not fail");
        let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
        let mut told = vec![path.first().clone()];
        while path.steps() < MOST
            && let Some(step) = path.step()
        {
            told.push(step);
        }
        assert_eq!(u64::from(path.steps()), simulated.status[0] >> 1, "path {number} of\n{model}");
        let given_up = simulated.status[0] & 1 != 0;
        assert_eq!(path.end().is_none(), given_up, "path {number}: {:?}", path.end());
        for (property, followed) in plan.followed.iter().enumerate() {
            let value = simulated.values[followed.measure];
            let decided = told.iter().flat_map(|step| &step.decided).find(|d| d.property == property);
            let Some(decided) = decided else {
                assert!(given_up, "path {number} ended undecided");
                continue;
            };
            let seen = match decided.value {
                PathValue::Truth(truth) => f64::from(u8::from(truth)),
                PathValue::Number(number) => number,
            };
            assert_eq!(
                seen.to_bits(),
                value.to_bits(),
                "path {number}, {}: {seen} instead of {value}",
                followed.text
            );
        }
        // The values told last are those that all changes give.
        let mut state = vec![VariableValue::Text(String::new()); plan.variables().count()];
        for step in &told {
            for change in &step.changes {
                let at = plan.variables().position(|name| name == change.name).expect("a variable");
                assert!(change.before.as_ref().is_none_or(|before| *before == state[at]), "{change:?}");
                state[at].clone_from(&change.after);
            }
            assert_eq!(state, step.state);
        }
    }
}

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
rewards \"flips\" [] s<7 : 1; endrewards
";

const TANDEM: &str = "ctmc
const int c = 4;
module first
  x : [0..c] init 0;
  p : [1..2] init 1;
  [] x<c -> 4*c : (x'=x+1);
  [route] x>0 & p=1 -> 0.2 : (x'=x-1);
  [] x>0 & p=1 -> 1.8 : (p'=2);
  [route] x>0 & p=2 -> 2 : (p'=1) & (x'=x-1);
endmodule
module second
  y : [0..c] init 0;
  [route] y<c -> 1 : (y'=y+1);
  [] y>0 -> 4 : (y'=y-1);
endmodule
rewards \"jobs\" true : x+y; [route] true : 1; endrewards
";

#[test]
fn paths_that_are_told_are_those_that_are_simulated() {
    agree(
        DIE,
        &["P=? [ F d=3 ]", "R=? [ F s=7 ]", "P=? [ F<=3 s=7 ]", "P=? [ G[2,4] s!=3 ]", "P=? [ X s=1 ]"],
    );
    agree(DIE, &["R=? [ C<=6 ]", "R=? [ F d=2 ]"]);
    agree(TANDEM, &["P=? [ F<=1.5 x=c & y=c ]", "R=? [ C<=2 ]", "R=? [ I=1 ]", "P=? [ y<2 U[0.5,2] x=c ]"]);
    agree(TANDEM, &["P=? [ F x=c & y=c ]", "R=? [ F x=c ]"]);
    agree(TANDEM, &["P=? [ F y>c ]"]);
}

#[test]
fn times_are_drawn_where_a_simulation_draws_them() {
    let mut session = session(TANDEM);
    assert!(plan(&mut session, &[], seeded(1, 0)).is_timed());
    assert!(plan(&mut session, &["P=? [ F<=2 x=c ]"], seeded(1, 0)).is_timed());
    assert!(plan(&mut session, &["P=? [ F x=c ]"], seeded(1, 0)).leaves_times_out());
}

#[test]
fn rewards_add_up() {
    let mut session = session(TANDEM);
    let plan = plan(&mut session, &[], seeded(3, 9));
    let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
    let mut before = path.first().clone();
    let mut total = 0.0;
    for _ in 0..50 {
        let step = path.step().expect("goes on");
        // The reward is the number of jobs times the time that they stayed, and one for each that went on.
        let jobs: f64 = [0, 2].iter().map(|&i| number(&before.state[i])).sum();
        let stayed = step.time.expect("timed") - before.time.expect("timed");
        let routed = step.moved.as_ref().is_some_and(|moved| moved.action == "route");
        total += jobs * stayed + f64::from(u8::from(routed));
        let seen = step.rewards[0].total.expect("a number");
        assert!((seen - total).abs() <= 1e-9 * total.max(1.0), "{seen} instead of {total}");
        before = step;
    }
}

#[test]
fn a_path_goes_on_to_a_condition() {
    let mut session = session(DIE);
    let until = |text: &str| Tracing { until: Some(text.into()), ..seeded(5, 2) };
    let ended = |session: &mut Session, properties: &[&str], text: &str| {
        let plan = plan(session, properties, until(text));
        let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
        while path.steps() < 200 && path.step().is_some() {}
        (path.steps(), path.end().cloned())
    };
    let (steps, end) = ended(&mut session, &[], "s=7 & d>0");
    assert_eq!(end, Some(PathEnd::Met));
    // The state is left once more before it is seen to lead nowhere else.
    let whole = ended(&mut session, &[], "deadlock");
    assert_eq!(whole, (steps + 1, Some(PathEnd::Loop)));
    // A property that is decided at once does not end a path that is to be shown.
    assert_eq!(ended(&mut session, &["P=? [ F s=0 ]"], "deadlock"), whole);
    assert_eq!(ended(&mut session, &[], "\"init\""), (0, Some(PathEnd::Met)));
    assert_eq!(ended(&mut session, &[], "s>7").1, Some(PathEnd::Loop));
    for bad in ["s=", "P>=1 [ F s=7 ]", "s+1", "nothing=2", "", "P=? [ F s=7 ]"] {
        let (plan, diagnostics) = crate::trace::plan_path(&mut session, &[], until(bad));
        assert!(plan.is_none() && !diagnostics.is_empty(), "{bad}: {diagnostics:?}");
    }
}

#[test]
fn steps_are_chosen_as_they_are_listed() {
    let mut session = session(TANDEM);
    let plan = plan(&mut session, &[], seeded(3, 1));
    let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
    let first = path.options().expect("rates");
    assert_eq!(first.iter().map(|option| option.weight).collect::<Vec<_>>(), [16.0]);
    assert_eq!((0..20).filter_map(|_| path.step()).count(), 20);
    let options = path.options().expect("rates");
    let choices = path.choices().expect("rates");
    assert_eq!(choices.len(), options.len());
    let place = path.into_place();
    for (option, (choice, weight)) in options.iter().zip(&choices) {
        assert!(option.weight > 0.0 && option.weight == *weight && option.choice == *choice);
        let mut path = super::Path::at(place.clone(), &plan, &session.model).expect("a model");
        let step = path.take(option).expect("is enabled");
        assert_eq!(Some(&step.changes), option.changes.as_ref());
        assert_eq!(step.moved.as_ref(), Some(&option.moved));
    }
}

#[test]
fn copies_of_modules_move_by_name() {
    let model = "dtmc\nmodule a\n x : [0..1] init 0;\n [go] true -> 0.5 : (x'=0) + 0.5 : (x'=1);\nendmodule\n\
                 module b = a [ x=y ] endmodule\nmodule c\n z : [0..1];\n [go] true -> true;\nendmodule\n";
    let mut session = session(model);
    let plan = plan(&mut session, &[], seeded(1, 0));
    let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
    let step = path.step().expect("moves").moved.expect("moves");
    assert_eq!(step.title(), "[go]");
    let modules: Vec<&str> = step.commands.iter().map(|c| c.module.as_str()).collect();
    assert_eq!(modules, ["a", "b", "c"]);
    assert_eq!(path.options().expect("probabilities").len(), 4);
}

#[test]
fn failures_come_after_the_steps_before_them() {
    let model = "dtmc\nmodule m\n x : [0..3] init 0;\n [] true -> (x'=x+1);\nendmodule\n";
    let mut session = session(model);
    let plan = plan(&mut session, &[], seeded(1, 0));
    let mut path = crate::trace::start_path(&session.model, &plan).expect("a model");
    assert_eq!((0..10).filter_map(|_| path.step()).count(), 3);
    let Some(PathEnd::Failed(diagnostic)) = path.end() else { panic!("{:?}", path.end()) };
    assert!(
        diagnostic.notes.iter().any(|note| note == "on path 0 of seed 1, after 3 steps"),
        "{diagnostic:?}"
    );
    assert!(path.options().expect("none").is_empty());
}
