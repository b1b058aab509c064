//! Models of modules, searched on the fly: against what is computed on the whole state space.

use volvelle_control::Control;
use volvelle_verify::{PropertyReport, SearchMethod, SearchSettings, Session, Settings, Text, Value, Wanted};

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
    let mut report = volvelle_verify::search(&mut open(model), &wanted, &settings, &Control::unlimited());
    assert!(report.diagnostics.is_empty(), "{formula}: {:?}", report.diagnostics);
    report.results.remove(0)
}

fn computed(model: &str, property: &str, settings: &Settings) -> Value {
    let mut report =
        volvelle_verify::check(&mut open(model), &[property.to_owned()], settings, &Control::unlimited());
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
                assert_eq!(answer.guarantee, volvelle_logic::gate::exact());
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
        let report = volvelle_verify::search(&mut open(&model), &wanted, &settings, &Control::unlimited());
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
    let report =
        volvelle_verify::search(&mut open(TURNS), &wanted, &SearchSettings::default(), &Control::unlimited());
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
        let report = volvelle_verify::search(
            &mut open(TWO),
            &wanted,
            &SearchSettings::default(),
            &Control::unlimited(),
        );
        let complaint = report.results[0].outcome.as_ref().unwrap_err();
        let text = format!("{complaint:?}");
        assert!(text.contains(why), "{formula}: {text}");
    }
    // A value that leaves its range is no end of a run.
    let model = "mdp\nmodule m\n x : [0..2] init 0;\n [] true -> (x'=x+1);\nendmodule\n";
    let wanted = Wanted { claims: vec!["G F x=0".to_owned()], ..Wanted::default() };
    let report =
        volvelle_verify::search(&mut open(model), &wanted, &SearchSettings::default(), &Control::unlimited());
    assert!(report.results[0].outcome.is_err());
    let wanted = Wanted { progress: true, ..Wanted::default() };
    let report =
        volvelle_verify::search(&mut open(TWO), &wanted, &SearchSettings::default(), &Control::unlimited());
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
        let report =
            volvelle_verify::search(&mut session, &wanted, &SearchSettings::default(), &Control::unlimited());
        let complaint = &report.results[0].outcome.as_ref().unwrap_err()[0];
        let span = complaint.primary.as_ref().expect("a place").span;
        assert_eq!(session.model.sources.text(span), place, "{formula}: {complaint:?}");
        assert!(complaint.message.contains(word), "{formula}: {complaint:?}");
        assert_eq!(session.model.sources.file(span.file).text, formula);
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
            let report = volvelle_verify::check(
                &mut open(model),
                &[property.to_owned()],
                &settings,
                &Control::unlimited(),
            );
            report.model.unwrap().states
        };
        fewer += usize::from(states(&reduce) < states(&Settings::default()));
    }
    assert!(fewer >= 3, "{fewer}");
}

/// Stations that send one after the other: whose turn it is, a variable says.
const STATIONS: &str = "mdp\nconst int id1=1; const int id2=2; const int id3=3;\nglobal turn : [0..3] init 0;\n\
    module s1\n x1 : [0..3] init 0; n1 : [0..2] init 0;\n [] x1=0 & turn=0 -> (x1'=1) & (turn'=id1);\n\
    [] x1=1 & turn=id1 -> 0.5:(x1'=2) + 0.5:(x1'=3);\n [] x1=2 -> (x1'=0) & (turn'=0);\n\
    [lost1] x1=3 & n1<2 -> (x1'=1) & (n1'=n1+1);\nendmodule\n\
    module s2=s1[x1=x2,n1=n2,id1=id2,lost1=lost2] endmodule\n\
    module s3=s1[x1=x3,n1=n3,id1=id3,lost1=lost3] endmodule\n\
    label \"sent\" = x1=2 | x2=2 | x3=2;\nlabel \"stuck\" = x1=3&n1=2 | x2=3&n2=2 | x3=3&n3=2;\n\
    rewards \"lost\" [lost1] true : 1; [lost2] true : 1; [lost3] true : 1; endrewards\n";

#[test]
fn interchangeable_modules_change_no_answer() {
    let symmetric = Settings { symmetry: true, ..Settings::default() };
    let exact = Settings { exact: true, ..Settings::default() };
    for property in [
        "Pmax=? [ F<=9 \"stuck\" ]",
        // The other two are interchangeable all the same.
        "Pmax=? [ F<=9 x1=2 ]",
        "Pmin=? [ F<=30 \"sent\" ]",
        "Pmax=? [ !\"sent\" U \"stuck\" ]",
        "R{\"lost\"}max=? [ F \"stuck\" ]",
        "R{\"lost\"}max=? [ C<=12 ]",
        "Pmax=? [ (G F \"sent\") & (F n1=1|n2=1|n3=1) ]",
        "P>=0.25 [ X X \"sent\" ]",
        "E [ G !\"sent\" ]",
        "filter(max, Pmin=? [ F<=4 \"sent\" ], \"sent\")",
    ] {
        let report = |settings: &Settings| {
            let report = volvelle_verify::check(
                &mut open(STATIONS),
                &[property.to_owned()],
                settings,
                &Control::unlimited(),
            );
            let has_effect = report.diagnostics.iter().all(|d| !d.message.contains("has no effect"));
            assert!(has_effect, "{property}: {:?}", report.diagnostics);
            (report.model.unwrap().states, report.results[0].outcome.as_ref().expect("a value").value.clone())
        };
        let ((all, value), (few, other)) = (report(&Settings::default()), report(&symmetric));
        assert!(few < all, "{property}: {few} of {all} states");
        match (value, other) {
            (Value::Number(a), Value::Number(b)) => assert!((a - b).abs() < 1e-6, "{property}: {a}, {b}"),
            (a, b) => assert_eq!(a, b, "{property}"),
        }
        if !property.contains("G F") {
            let all_symmetric = Settings { exact: true, ..symmetric };
            assert_eq!(report(&exact).1, report(&all_symmetric).1, "{property}");
        }
    }
    // What tells stations apart, or asks for states, has all states; and says so.
    for property in ["Pmax=? [ F x1=2 & x2=1 ]", "filter(count, \"sent\")"] {
        let report = volvelle_verify::check(
            &mut open(STATIONS),
            &[property.to_owned()],
            &symmetric,
            &Control::unlimited(),
        );
        assert_eq!(report.model.unwrap().states, {
            let report = volvelle_verify::check(
                &mut open(STATIONS),
                &[property.to_owned()],
                &Settings::default(),
                &Control::unlimited(),
            );
            report.model.unwrap().states
        });
        let says_so = report.diagnostics.iter().any(|d| d.message.contains("`--symmetry` has no effect"));
        assert!(says_so, "{property}: {:?}", report.diagnostics);
    }
}

#[test]
fn searches_use_interchangeable_modules_and_show_runs_of_the_model() {
    let search = |formula: Option<&str>, symmetry: bool| {
        let wanted = Wanted {
            claims: formula.map(str::to_owned).into_iter().collect(),
            safety: formula.is_none(),
            ..Wanted::default()
        };
        let settings = SearchSettings { symmetry, no_reduction: true, ..SearchSettings::default() };
        let report = volvelle_verify::search(&mut open(STATIONS), &wanted, &settings, &Control::unlimited());
        assert!(formula.is_none() || report.diagnostics.is_empty(), "{formula:?}: {:?}", report.diagnostics);
        report
    };
    for formula in [None, Some("G !\"stuck\""), Some("F \"stuck\""), Some("G F \"sent\""), Some("G turn<=3")]
    {
        let [all, few] = [false, true].map(|symmetry| search(formula, symmetry));
        let value =
            |report: &volvelle_verify::Report| report.results[0].outcome.as_ref().unwrap().value.clone();
        assert_eq!(value(&all), value(&few), "{formula:?}");
        assert!(few.model.as_ref().unwrap().states <= all.model.as_ref().unwrap().states, "{formula:?}");
        let lengths = [&all, &few].map(|r| r.results[0].counterexamples.first().map(|c| c.steps.len()));
        assert_eq!(lengths[0].is_some(), lengths[1].is_some(), "{formula:?}");
        // Only one variable of a station changes hands: what a step writes is what the command of that station says.
        for step in few.results[0].counterexamples.iter().flat_map(|c| &c.steps) {
            let Some(actor) = &step.actor else { continue };
            let number = actor.name.trim_start_matches('s');
            let is_own = |name: &str| name == "turn" || name.ends_with(number);
            assert!(step.changes.iter().all(|change| is_own(&change.name)), "{formula:?}: {step:?}");
        }
    }
}

#[test]
fn errors_are_those_of_the_module_that_makes_them() {
    let model = "mdp\nmodule a\n x : [0..2] init 0;\n [] x<2 -> (x'=x+1);\n [] x=2 -> (x'=x+1);\nendmodule\n\
        module b=a[x=y] endmodule\nmodule c=a[x=z] endmodule\n";
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let settings = SearchSettings { symmetry: true, no_reduction: true, ..SearchSettings::default() };
    let found = volvelle_verify::search(&mut open(model), &wanted, &settings, &Control::unlimited());
    let explored = open(model)
        .model
        .explore(&Settings { symmetry: true, ..Settings::default() }, &Control::unlimited())
        .0;
    for report in [&found, &explored] {
        let [.., diagnostic] = &report.diagnostics[..] else { panic!("no error") };
        let notes = diagnostic.notes.join(", ");
        let [module, variable] = ["a", "b", "c"]
            .map(|m| format!("module {m}"))
            .into_iter()
            .zip(["x", "y", "z"])
            .find(|(module, _)| notes.contains(module.as_str()))
            .map(|(m, v)| [m, v.to_owned()])
            .expect("a module");
        let text = format!("{notes} {}", diagnostic.primary.as_ref().map_or("", |label| &label.text));
        assert!(text.contains(&format!("{variable}=2")), "{module}: {text}");
        assert!(text.contains(&format!("{variable} would become 3")), "{module}: {text}");
    }
    let steps = &found.results[0].counterexamples[0].steps;
    assert_eq!(steps.len(), 2, "{steps:?}");
}
