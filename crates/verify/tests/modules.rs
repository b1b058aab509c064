//! Models of modules, searched on the fly: against what is computed on the whole state space.

use volvelle_control::Control;
use volvelle_verify::{
    Guarantee, PropertyReport, SearchMethod, SearchSettings, Session, Settings, Text, Value, Wanted,
};

/// Philosophers who take their left fork first.
fn philosophers(count: usize) -> String {
    let mut text = "mdp\n".to_owned();
    for i in 0..count {
        text += &format!("global f{i} : bool init false;\n");
    }
    for i in 0..count {
        let right = (i + 1) % count;
        text += &format!(
            "module phil{i}\n p{i} : [0..2] init 0;\n\
             [] p{i}=0 & !f{i} -> (p{i}'=1) & (f{i}'=true);\n\
             [] p{i}=1 & !f{right} -> (p{i}'=2) & (f{right}'=true);\n\
             [] p{i}=2 -> (p{i}'=0) & (f{i}'=false) & (f{right}'=false);\nendmodule\n"
        );
    }
    text + "label \"eats\" = p0=2;\n"
}

/// Two processes that enter by turns, with a step of their own each, and one that ticks by itself.
const TURNS: &str = "mdp\nglobal turn : [0..1] init 0;\n\
    module a\n x : [0..3] init 0;\n [] x=0 -> (x'=1);\n [] x=1 & turn=0 -> (x'=2);\n [] x=2 -> (x'=3);\n\
    [] x=3 -> (x'=0) & (turn'=1);\nendmodule\n\
    module b = a [x=y] endmodule\n";

const TWO: &str = "mdp\nglobal turn : [0..1] init 0;\n\
    module a\n x : [0..3] init 0;\n [] x=0 -> (x'=1);\n [] x=1 & turn=0 -> (x'=2);\n [] x=2 -> (x'=3);\n\
    [] x=3 -> (x'=0) & (turn'=1);\nendmodule\n\
    module b\n y : [0..3] init 0;\n [] y=0 -> (y'=1);\n [] y=1 & turn=1 -> (y'=2);\n [] y=2 -> (y'=3);\n\
    [] y=3 -> (y'=0) & (turn'=0);\nendmodule\n\
    module ticker\n t : [0..4] init 0;\n [] t<4 -> (t'=t+1);\nendmodule\n";

/// Chance, synchronisation, and an end.
const CHANCE: &str = "mdp\nmodule coin\n c : [0..2] init 0;\n [toss] c=0 -> 0.5:(c'=1) + 0.5:(c'=2);\n\
    [] c=1 -> (c'=0);\nendmodule\n\
    module counter\n n : [0..3] init 0;\n [toss] n<3 -> (n'=n+1);\nendmodule\n\
    module other\n b : bool init false;\n [] !b -> (b'=true);\nendmodule\n";

fn open(model: &str) -> Session {
    Session::open::<&str>(Text { name: "m.prism".into(), text: model.into() }, Vec::new(), &[])
}

fn searched(model: &str, formula: &str, no_reduction: bool) -> PropertyReport {
    let wanted = Wanted { claims: vec![formula.to_owned()], ..Wanted::default() };
    let settings = SearchSettings { no_reduction, ..SearchSettings::default() };
    let mut report = open(model).search(&wanted, &settings, &Control::unlimited());
    assert!(report.diagnostics.is_empty(), "{formula}: {:?}", report.diagnostics);
    report.results.remove(0)
}

fn computed(model: &str, property: &str, settings: &Settings) -> Value {
    let mut report = open(model).check(&[property.to_owned()], settings, &Control::unlimited());
    report.results.remove(0).outcome.expect("it is computed").value
}

#[test]
fn verdicts_are_those_of_the_state_space() {
    let philosophers = philosophers(4);
    let cases: [(&str, &[&str]); 3] = [
        (
            &philosophers,
            &[
                "F p0=2",
                "G !(p0=2 & p1=2)",
                "G F p0=2",
                "F G f0",
                "X p0=0",
                "(!\"eats\") W f0",
                "G (p0=1 => F p0=2)",
            ],
        ),
        (
            TWO,
            &[
                "G !(x=2 & y=2)",
                "G F x=2",
                "F t=4",
                "(G F t=4) | (F G t<4)",
                "x<2 U turn=1",
                "G (t=4 => G t=4)",
                "G (x=1 => X (x=1 | x=2))",
            ],
        ),
        (CHANCE, &["F n=3", "F b", "G (n<=3)", "F (c=2 | n=3)", "G (c=1 => F c=0)", "F G (b | c=0)"]),
    ];
    for (model, formulas) in cases {
        for formula in formulas {
            let expected = computed(model, &format!("A [ {formula} ]"), &Settings::default());
            for no_reduction in [true, false] {
                let found = searched(model, formula, no_reduction);
                let answer = found.outcome.as_ref().expect("it is decided");
                assert_eq!(answer.value, expected, "{formula}");
                assert_eq!(answer.guarantee, Guarantee::Exact);
                assert_eq!(found.counterexamples.is_empty(), answer.value == Value::Bool(true), "{formula}");
            }
        }
    }
}

#[test]
fn formulas_read_in_both_notations() {
    let spin = searched(TWO, "[] (x==1 -> <> x=2)".replace("==", "=").as_str(), false);
    let prism = searched(TWO, "G (x=1 => F x=2)", false);
    assert_eq!(spin.outcome.unwrap().value, prism.outcome.unwrap().value);
}

#[test]
fn deadlocks_come_with_a_shortest_run() {
    let model = philosophers(3);
    for method in [SearchMethod::BreadthFirst, SearchMethod::DepthFirst] {
        let wanted = Wanted { safety: true, ..Wanted::default() };
        let settings = SearchSettings { method, ..SearchSettings::default() };
        let report = open(&model).search(&wanted, &settings, &Control::unlimited());
        let result = &report.results[0];
        assert_eq!(result.outcome.as_ref().unwrap().value, Value::Bool(false));
        let run = &result.counterexamples[0];
        if method == SearchMethod::BreadthFirst {
            assert_eq!(run.steps.len(), 3);
        }
        let last = run.steps.last().unwrap();
        assert!(last.actor.as_ref().unwrap().at.text.contains("(p"), "{last:?}");
        assert!(!last.changes.is_empty());
    }
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let report = open(TURNS).search(&wanted, &SearchSettings::default(), &Control::unlimited());
    assert_eq!(
        report.results[0].outcome.as_ref().unwrap().value,
        Value::Bool(false),
        "b waits for turn 0 as a does"
    );
}

#[test]
fn what_a_search_cannot_decide_is_refused() {
    for (formula, why) in
        [("F<=3 x=1", "bound"), ("F P>=1 [ F x=1 ]", "probabilities"), ("G F nothing", "nothing")]
    {
        let wanted = Wanted { claims: vec![formula.to_owned()], ..Wanted::default() };
        let report = open(TWO).search(&wanted, &SearchSettings::default(), &Control::unlimited());
        let complaint = report.results[0].outcome.as_ref().unwrap_err();
        let text = format!("{complaint:?}");
        assert!(text.contains(why), "{formula}: {text}");
    }
    // A value that leaves its range is no end of a run.
    let model = "mdp\nmodule m\n x : [0..2] init 0;\n [] true -> (x'=x+1);\nendmodule\n";
    let wanted = Wanted { claims: vec!["G F x=0".to_owned()], ..Wanted::default() };
    let report = open(model).search(&wanted, &SearchSettings::default(), &Control::unlimited());
    assert!(report.results[0].outcome.is_err());
    let wanted = Wanted { progress: true, ..Wanted::default() };
    let report = open(TWO).search(&wanted, &SearchSettings::default(), &Control::unlimited());
    assert!(report.diagnostics[0].message.contains("--progress"));
}

#[test]
fn formulas_are_spelt_as_here_or_as_elsewhere() {
    let outcome = |formula: &str| searched(&philosophers(3), formula, false).outcome;
    for (here, elsewhere) in [
        ("G !(p0=2 & p1=2)", "[] !(p0=2 && p1=2)"),
        ("G F p0=2", "[]<>(p0=2)"),
        ("G (p0=1 => F p0=2)", "[] (p0=1 -> <> p0=2)"),
        ("G (\"eats\" <=> p0=2)", "[](\"eats\" <-> p0=2)"),
    ] {
        assert_eq!(outcome(here).unwrap().value, outcome(elsewhere).unwrap().value, "{elsewhere}");
    }
}

#[test]
fn complaints_about_formulas_lie_where_they_were_written() {
    for (formula, place, word) in [
        ("[] (p0=1 -> <> eat)", "eat", "eat"),
        ("[] \"a->b\"", "\"a->b\"", "a->b"),
        ("[]<>\"[] && <>\"", "\"[] && <>\"", "[] && <>"),
        ("<>(p0 == 2)", "==", "=="),
    ] {
        let mut session = open(&philosophers(3));
        let wanted = Wanted { claims: vec![formula.to_owned()], ..Wanted::default() };
        let report = session.search(&wanted, &SearchSettings::default(), &Control::unlimited());
        let complaint = &report.results[0].outcome.as_ref().unwrap_err()[0];
        let span = complaint.primary.as_ref().expect("a place").span;
        assert_eq!(session.sources().text(span), place, "{formula}: {complaint:?}");
        assert!(complaint.message.contains(word), "{formula}: {complaint:?}");
        assert_eq!(session.sources().file(span.file).text, formula);
    }
}

#[test]
fn probabilities_are_kept_where_choices_are_left_out() {
    let reduce = Settings { reduce: true, ..Settings::default() };
    let mut fewer = 0;
    for (model, property) in [
        (TWO, "Pmax=? [ F x=2 ]"),
        (TWO, "Pmin=? [ F y=2 ]"),
        (CHANCE, "Pmax=? [ F c=2 ]"),
        (CHANCE, "Pmin=? [ F c=2 ]"),
        (CHANCE, "Pmax=? [ G F c=0 ]"),
        (CHANCE, "Pmin=? [ (c<2) U b ]"),
        (CHANCE, "Pmax=? [ F<=3 c=2 ]"),
    ] {
        let values = [computed(model, property, &reduce), computed(model, property, &Settings::default())];
        let [Value::Number(some), Value::Number(all)] = values else { panic!("{property}: {values:?}") };
        assert!((some - all).abs() < 1e-9, "{property}: {some} and {all}");
        let states = |settings: &Settings| {
            let settings = Settings { full_space: !settings.reduce, ..*settings };
            let report = open(model).check(&[property.to_owned()], &settings, &Control::unlimited());
            report.model.unwrap().states
        };
        fewer += usize::from(states(&reduce) < states(&Settings::default()));
    }
    assert!(fewer >= 3, "{fewer}");
}
