//! Numbers in which digits cancel: weights, rewards and constants that are far less precise than doubles can be. Bounds hold all the
//! same, and rational arithmetic is exact.

use dashu_ratio::RBig;
use std::fmt::Write;
use volvelle_control::Control;
use volvelle_logic::{Answer, Guarantee, Ratio, Value, gate};
use volvelle_random::Random;
use volvelle_verify::{Report, Session, Settings, Text};

fn check(model: &str, properties: &[String], exact: bool) -> Report {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    let properties = properties.iter().fold(String::new(), |all, p| format!("{all}{p};\n"));
    let mut session =
        Session::open(text("model.prism", model), vec![text("model.props", &properties)], &[] as &[&str]);
    volvelle_verify::check(
        &mut session,
        &[],
        &Settings { exact, ..Settings::default() },
        &Control::unlimited(),
    )
}

/// What is known of a number; `None` where it is none, or infinite.
fn bounds(answer: &Answer) -> Option<[f64; 2]> {
    let Value::Number(value) = answer.value else { return None };
    match answer.guarantee {
        Guarantee::Sound { lo, hi, .. } => Some([lo, hi]),
        _ => Some([value; 2]),
    }
}

/// A probability, as it is meant and as a sum in which most of its digits cancel.
fn rough(random: &mut Random, plain: &str) -> String {
    let large = format!("1e{}", 4 + random.below(6));
    match random.below(3) {
        0 => format!("(({large}+{plain}+0.1*s)-{large}-0.1*s)"),
        1 => format!("(({large}+{plain}*(s+1)/3)-{large})*3/(s+1)"),
        _ => format!("pow(pow({large}+{plain}-0.1*s,0.5),2)-{large}+0.1*s"),
    }
}

/// The same model with numbers as they are meant, and with rough ones.
fn models(kind: &str, random: &mut Random) -> [String; 2] {
    let n = 3 + random.below(4);
    let mut models = [0, 1].map(|_| format!("{kind}\nmodule m\n  s : [0..{}];\n", n - 1));
    let mut gains = [String::new(), String::new()];
    for s in 0..n {
        for choice in 0..if kind == "mdp" { 1 + random.below(2) } else { 1 } {
            let shares: Vec<usize> = (0..1 + random.below(3)).map(|_| 1 + random.below(9)).collect();
            let all: usize = shares.iter().sum();
            let mut rows = [Vec::new(), Vec::new()];
            for share in shares {
                let plain = if kind == "ctmc" { format!("{share}/7") } else { format!("{share}/{all}") };
                let target = random.below(n);
                rows[1].push(format!("{} : (s'={target})", rough(random, &plain)));
                rows[0].push(format!("{plain} : (s'={target})"));
            }
            for (model, row) in models.iter_mut().zip(rows) {
                let _ = writeln!(model, "  [a{choice}] s={s} -> {};", row.join(" + "));
            }
        }
        let gain = format!("{}/{}", random.below(5), random.pick(&[1, 3, 7]));
        let rough_gain = rough(random, &gain);
        for (text, gain) in gains.iter_mut().zip([&gain, &rough_gain]) {
            let _ = writeln!(text, "  s={s} : {gain};");
        }
    }
    let costs: String = (0..n).map(|s| format!("  s={s} : {};\n", random.below(3))).collect();
    for (model, gains) in models.iter_mut().zip(gains) {
        let _ =
            write!(model, "endmodule\nrewards \"r\"\n{gains}endrewards\nrewards \"c\"\n{costs}endrewards\n");
    }
    models
}

fn properties(kind: &str, random: &mut Random) -> Vec<String> {
    let (goal, other, k) = (random.below(3), random.below(3), 1 + random.below(5));
    let mut paths = vec![
        format!("F s={goal}"),
        format!("F<={k} s={goal}"),
        format!("F[{k},{}] s={goal}", k + 2),
        format!("F>={k} s={goal}"),
        format!("s!={other} U s={goal}"),
        format!("s!={other} W<={k} s={goal}"),
        format!("X s={goal}"),
        format!("G F s={goal}"),
        format!("(F s={goal}) & (G s!={other})"),
    ];
    let mut rewards =
        vec![format!("F s={goal}"), format!("C<={k}"), format!("I={k}"), "S".into(), "X true".into()];
    if kind == "ctmc" {
        paths.extend([
            format!("X<=0.{k} s={goal}"),
            format!("X[0.{k},2] s={goal}"),
            format!("F<=90 s={goal}"),
        ]);
    } else {
        paths.extend([format!("F{{\"c\"}}<={k} s={goal}"), format!("F{{\"c\"}}>={k} s={goal}")]);
        rewards.extend([format!("C{{\"c\"}}<={k}"), "Cdiscount=0.9".into()]);
    }
    let mut all = Vec::new();
    for optimum in if kind == "mdp" { &["min", "max"][..] } else { &[""] } {
        all.extend(paths.iter().map(|path| format!("P{optimum}=? [ {path} ]")));
        all.extend(rewards.iter().map(|reward| format!("R{{\"r\"}}{optimum}=? [ {reward} ]")));
        all.push(format!("S{optimum}=? [ s={goal} ]"));
        all.push(format!("P{optimum}=? [ F s={goal} || F s={other} ]"));
    }
    if kind == "mdp" {
        all.push(format!("multi(Pmax=? [ F s={goal} ], P>=0.25 [ F s={other} ])"));
        all.push(format!("multi(R{{\"r\"}}max=? [ C<={k} ], P>=0 [ F s={goal} ])"));
    }
    all
}

#[test]
fn bounds_hold_whatever_cancels() {
    let mut random = Random(514);
    let (mut compared, mut wide) = (0, 0);
    for case in 0..60 {
        let kind = random.pick(&["dtmc", "ctmc", "mdp"]);
        let [plain, rough] = models(kind, &mut random);
        let properties = properties(kind, &mut random);
        let reports = [&plain, &rough].map(|model| check(model, &properties, false));
        for (at, property) in properties.iter().enumerate() {
            let [Ok(meant), Ok(found)] = [0, 1].map(|i: usize| reports[i].results[at].outcome.as_ref())
            else {
                continue;
            };
            let [Some([low, high]), Some([lo, hi])] = [meant, found].map(bounds) else {
                assert_eq!(meant.value, found.value, "{case} {property}\n{rough}");
                continue;
            };
            assert!(lo <= high && low <= hi, "{case} {property}: [{low}, {high}], [{lo}, {hi}]\n{rough}");
            compared += 1;
            wide += usize::from(hi - lo > 1e-12 * hi);
        }
    }
    assert!(compared > 800 && wide > 300, "{compared} {wide}");
}

/// Expressions and their values to 40 digits, computed with decimal arithmetic.
const IRRATIONAL: [(&str, &str); 8] = [
    ("log(1.0001,2)", "0.000144262291094554178391070900057479701024"),
    ("1-pow(0.9,0.000001)", "0.000000105360510107407366317639131127384125405"),
    ("(pow(2,-0.3)+1000)-1000", "0.812252396356235522609709382775281651285204"),
    ("log(7,10)-log(7.0001,10)", "-0.000006204162568990759819077705151738433370"),
    ("1-pow(0.999999,1/3)", "0.000000333333444444505061728806584663923641716"),
    ("max(pow(2,0.5)-1.4142,0)", "0.000013562373095048801688724209698078569671"),
    ("1/(pow(2,0.5)-1.41421356)", "421390622.5563772232897295742538010128307"),
    ("log(pow(3,0.5)-0.7320508,2)", "0.0000000109195816951446389680308868515610165304"),
];

#[test]
fn constants_without_a_rational_value_have_bounds() {
    for (text, digits) in IRRATIONAL {
        let digits: RBig = {
            let (whole, rest) = digits.trim_start_matches('-').split_once('.').unwrap();
            let top: dashu_int::IBig = format!("{whole}{rest}").parse().unwrap();
            let bottom = dashu_int::UBig::from(10u8).pow(rest.len());
            let size = RBig::from_parts(top, bottom);
            if digits.starts_with('-') { -size } else { size }
        };
        let model = format!(
            "dtmc\nconst double p = {text};\nmodule m\n  s : [0..1];\n  [] true -> true;\nendmodule
rewards true : p; endrewards\n"
        );
        let mut properties = vec![
            "p".to_owned(),
            "p + 0*s".to_owned(),
            format!("filter(max, {text})"),
            "R=? [ I=0 ]".to_owned(),
        ];
        if digits > RBig::ZERO {
            properties.push("R=? [ C<=1 ]".to_owned());
        }
        let report = check(&model, &properties, false);
        for (property, result) in properties.iter().zip(&report.results) {
            let answer = result.outcome.as_ref().unwrap_or_else(|errors| panic!("{errors:?}"));
            let [lo, hi] = bounds(answer).unwrap().map(|end| RBig::try_from(end).unwrap());
            assert!(lo <= digits && digits <= hi, "{text}, {property}: {answer:?}");
            let width = (&hi - &lo).to_f64().value() / digits.to_f64().value().abs();
            assert!(width < 1e-5, "{text}, {property}: {answer:?}");
            assert!(answer.guarantee != gate::exact(), "{text}, {property}: {answer:?}");
        }
    }
}

/// Probabilities without a useful bound of their errors: what the graph and the rewards tell is still true.
#[test]
fn weights_without_a_bound_give_no_wrong_verdict() {
    // The root of zero is never taken.
    let model = "mdp\nmodule m\n  s : [0..2] init 0;\n  t : [0..2] init 1;
  [] s=0 -> pow(t,0.5)/2 : (s'=1) + 1-pow(t,0.5)/2 : (s'=0);
  [] s=1 -> 0.5 : (s'=0) + 0.5 : (s'=1);\n  [] s=1 -> 0.25 : (s'=0) + 0.75 : (s'=2);
  [] s=2 -> true;\nendmodule\n";
    let near = |value: f64| Some([value - 1e-6, value + 1e-6]);
    let cases = [
        ("Smin=? [ s=1 ]", near(0.0)),
        ("Smax=? [ s=0 ]", near(0.5)),
        ("Pmin=? [ F<=2 s=1 ]", near(0.75)),
        ("multi(Pmax=? [ F s=2 ], P>=1 [ F s=1 ])", near(1.0)),
        ("Smin>=0.99 [ s=1 ]", None),
        ("Smax>0.99 [ s=0 ]", None),
    ];
    let properties = cases.map(|case| case.0.to_owned());
    let report = check(model, &properties, false);
    for ((property, expected), result) in cases.iter().zip(&report.results) {
        let answer = result.outcome.as_ref().unwrap_or_else(|errors| panic!("{property}: {errors:?}"));
        match expected {
            Some([least, most]) => {
                let [lo, hi] = bounds(answer).unwrap();
                assert!(least <= &lo && &hi <= most, "{property}: {answer:?}");
            }
            None => assert_eq!(answer.value, Value::Bool(false), "{property}: {answer:?}"),
        }
    }
}

#[test]
fn rational_arithmetic_explores_what_cancels() {
    let model = "dtmc\nmodule m\n  s : [0..2];
  [] s=0 -> (1e12+0.1*s+0.3)-1e12-0.1*s : (s'=1) + 1-((1e12+0.1*s+0.3)-1e12-0.1*s) : (s'=2);
  [] s>0 -> true;\nendmodule
rewards \"e\" true : (1e7+1/3+s)-1e7-s; endrewards
rewards \"two\" s=0 : (s>0 ? 0.3333333333333333 : 1/3); s>0 : (s>0 ? 0.1+0.2 : 0.30000000000000004); endrewards
rewards \"third\" true : 1/3; endrewards\n";
    let cases = [
        ("P=? [ F s=1 ]", (3i64, 10i64)),
        ("R{\"e\"}=? [ C<=2 ]", (2, 3)),
        ("R{\"two\"}=? [ C<=2 ]", (19, 30)),
        ("R{\"third\"}=? [ C<=2 ]", (2, 3)),
        ("0.3333333333333333 - 1/3 + 2/7", (59999999999999993, 210000000000000000)),
    ];
    let properties = cases.map(|case| case.0.to_owned());
    let report = check(model, &properties, true);
    for ((property, (top, bottom)), result) in cases.iter().zip(&report.results) {
        let answer = result.outcome.as_ref().unwrap_or_else(|errors| panic!("{property}: {errors:?}"));
        let number = Ratio::Finite(RBig::from_parts((*top).into(), bottom.unsigned_abs().into()));
        assert_eq!(answer.exact.first(), Some(&number), "{property}: {answer:?}");
    }
}

/// Numbers of the model are exact where doubles hold them.
#[test]
fn a_step_is_exact_where_its_weights_are() {
    let model = "dtmc\nmodule m\n  s : [0..2];\n  [] s=0 -> WEIGHTS;\n  [] s>0 -> true;\nendmodule\n";
    for (weights, is_exact) in [
        ("0.25 : (s'=1) + 0.75 : (s'=2)", true),
        ("2/7 : (s'=1) + 5/7 : (s'=2)", false),
        ("29/59 : (s'=1) + 30/59 : (s'=2)", false),
        ("0.3 : (s'=1) + 0.7 : (s'=2)", false),
    ] {
        let report = check(&model.replace("WEIGHTS", weights), &["P=? [ X s=1 ]".to_owned()], false);
        let answer = report.results[0].outcome.as_ref().unwrap();
        assert_eq!(answer.guarantee == gate::exact(), is_exact, "{weights}: {answer:?}");
    }
}
