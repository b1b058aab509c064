//! Bounds hold for the model as written, and what is called exact is exact: random models in floating-point and in rational
//! arithmetic.

use dashu_ratio::RBig;
use std::fmt::Write;
use volvelle_control::Control;
use volvelle_logic::{Answer, Guarantee, Ratio, Value, gate};
use volvelle_random::Random;
use volvelle_verify::{Report, Session, Settings, Text};

fn check(model: &str, properties: &[&str], exact: bool) -> Report {
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

/// Whether an answer is true of a number; `None` for an answer without bounds.
fn is_true(answer: &Answer, number: &Ratio) -> Option<bool> {
    let Value::Number(value) = answer.value else { return None };
    let of = |double: f64| Ratio::of_double(double).expect("a number");
    match answer.guarantee {
        Guarantee::Exact { .. } => Some(of(value) == *number),
        Guarantee::Sound { lo, hi, .. } => Some(of(lo) <= *number && *number <= of(hi)),
        _ => None,
    }
}

fn only(report: &Report, at: usize) -> &Answer {
    report.results[at].outcome.as_ref().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Items that cancel. Every state earns the same, so that instantaneous, long-run and other rewards are the sum.
#[test]
fn rewards_that_cancel() {
    let model = "ctmc\nmodule m\n  s : [0..1];\n  [] s=0 -> 3 : (s'=1);\n  [] s=1 -> 1 : (s'=0);\nendmodule
rewards \"u\"\n  true : 1e6;\n  true : 1/3;\n  true : -1e6;\nendrewards
rewards \"v\"\n  s=0 : -1e-6;\n  true : -7;\n  true : 7;\n  s=1 : -9.993018856e-7 + 1e-6/3;\nendrewards
rewards \"sum\"\n  true : 14;\n  true : 0.000001;\nendrewards
rewards \"tenth\"\n  true : 0.1;\nendrewards
rewards \"half\"\n  true : 0.25;\n  s<2 : 0.25;\nendrewards\n";
    let ratio = |top: i64, bottom: u64| Ratio::Finite(RBig::from_parts(top.into(), bottom.into()));
    let third = ratio(1, 3);
    // s=1 has 3/4 of the time.
    let v = RBig::from_parts((-1).into(), 4_000_000u64.into())
        + RBig::from_parts(3.into(), 4u8.into())
            * (RBig::from_parts((-9_993_018_856i64).into(), 10_000_000_000_000_000u64.into())
                + RBig::from_parts(1.into(), 3_000_000u64.into()));
    let cases: Vec<(&str, Ratio, bool)> = vec![
        ("R{\"u\"}=? [ I=1e-9 ]", third.clone(), false),
        ("R{\"u\"}=? [ S ]", third, false),
        ("R{\"v\"}=? [ S ]", Ratio::Finite(v), false),
        ("R{\"sum\"}=? [ S ]", ratio(14_000_001, 1_000_000), false),
        ("R{\"tenth\"}=? [ I=0 ]", ratio(1, 10), false),
        ("R{\"tenth\"}=? [ S ]", ratio(1, 10), false),
        ("R{\"half\"}=? [ S ]", ratio(1, 2), true),
        ("0.1", ratio(1, 10), false),
        ("0.1 + 0.2", ratio(3, 10), false),
        ("filter(max, s/3)", ratio(1, 3), false),
        ("filter(max, s/2)", ratio(1, 2), true),
        ("filter(max, 0.1*s)", ratio(1, 10), false),
    ];
    let properties: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let report = check(model, &properties, false);
    for (at, (property, number, is_exact)) in cases.iter().enumerate() {
        let answer = only(&report, at);
        assert_eq!(is_true(answer, number), Some(true), "{property}: {answer:?}");
        assert_eq!(answer.guarantee == gate::exact(), *is_exact, "{property}: {answer:?}");
    }
}

/// The first of some states is told by the variables, which nothing rounds, whatever errors the number that is asked for has; nor
/// does it need fractions, which have no value for a division by zero.
#[test]
fn the_first_state_has_no_errors() {
    let model = "dtmc\nmodule m\n  s : [0..4];\n  [] s<4 -> 1/3 : (s'=s+1) + 2/3 : (s'=0);\n  [] s=4 -> true;\nendmodule\n";
    let properties = [
        ("filter(first, 1/s)", f64::INFINITY),
        ("filter(first, 1/s, s>2)", 1.0 / 3.0),
        ("filter(first, pow(s+0.3,2), s>0)", 1.3 * 1.3),
    ];
    let report = check(model, &properties.map(|p| p.0), false);
    for (at, (property, expected)) in properties.into_iter().enumerate() {
        let answer = only(&report, at);
        let Value::Number(value) = answer.value else { panic!("{property}: {answer:?}") };
        assert!(value == expected || (value - expected).abs() < 1e-14, "{property}: {answer:?}");
        assert!(!answer.method.contains("did not suffice"), "{property}: {answer:?}");
    }
}

/// A number that a double does not hold, as a rule.
fn number(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{}", random.below(9)),
        1 => format!("{}/{}", 1 + random.below(20), random.pick(&[3, 7, 8])),
        2 => format!("{}.{}", random.below(100), 1 + random.below(99)),
        3 => format!("x*0.{}", 1 + random.below(9)),
        4 => format!("{}/(x+{})", 1 + random.below(5), 1 + random.below(3)),
        _ => "pow(x+1,2)*0.7".to_owned(),
    }
}

fn model(kind: &str, random: &mut Random) -> String {
    let n = 2 + random.below(4);
    let mut text = format!("{kind}\nmodule m\n  x : [0..{n}];\n");
    for x in 0..=n {
        for _ in 0..if kind == "mdp" { 1 + random.below(2) } else { 1 } {
            let [a, b] = [random.below(n + 1), random.below(n + 1)];
            let (first, second) = match (kind, random.below(4)) {
                ("ctmc", _) => (format!("1/2 + {}", number(random)), format!("{} + 0.1", number(random))),
                (_, 0) => ("1/3".to_owned(), "2/3".to_owned()),
                (_, 1) => (format!("x/{}", n + 3), format!("1 - x/{}", n + 3)),
                (_, 2) => ("1 - 0.1*x".to_owned(), "0.1*x".to_owned()),
                _ => ("0.3".to_owned(), "0.7".to_owned()),
            };
            let _ = writeln!(
                text,
                "  [{}] x={x} -> {first} : (x'={a}) + {second} : (x'={b});",
                if random.one_in(3) { "a" } else { "" }
            );
        }
    }
    text += "endmodule\n";
    for name in ["r", "s"] {
        let _ = writeln!(text, "rewards \"{name}\"");
        for _ in 0..1 + random.below(3) {
            let _ = writeln!(text, "  x>={} : {};", random.below(2), number(random));
        }
        if name == "s" {
            let large = random.pick(&["1e6", "7", "123456.7"]);
            let _ = writeln!(
                text,
                "  true : {large};\n  [a] true : {};\n  true : 0.1 - {large};",
                number(random)
            );
        }
        text += "endrewards\n";
    }
    text
}

#[test]
fn bounds_hold_for_the_model_as_written() {
    let mut random = Random(2024);
    let (mut exact, mut sound, mut refused, mut conditional) = (0, 0, 0, 0);
    for case in 0..120 {
        let kind = random.pick(&["dtmc", "ctmc", "mdp"]);
        let model = model(kind, &mut random);
        let (max, steps) = if kind == "mdp" { ("max", "min") } else { ("", "") };
        let mut properties = vec![
            format!("P{max}=? [ F x=1 ]"),
            format!("P{steps}=? [ X x=1 ]"),
            format!("R{{\"r\"}}{max}=? [ F x=1 ]"),
            format!("R{{\"s\"}}{steps}=? [ F x=1 ]"),
            format!("R{{\"r\"}}{max}=? [ S ]"),
            format!("R{{\"s\"}}{max}=? [ S ]"),
            format!("S{max}=? [ x=0 ]"),
            "filter(avg, x*0.1)".to_owned(),
            "filter(max, x/4)".to_owned(),
        ];
        if kind != "ctmc" {
            properties.push(format!("P{max}=? [ F<=3 x=1 ]"));
            properties.push(format!("R{{\"r\"}}{max}=? [ I=0 ]"));
            properties.push(format!("R{{\"r\"}}{steps}=? [ I=2 ]"));
            properties.push(format!("R{{\"s\"}}{max}=? [ C<=3 ]"));
        }
        if kind == "mdp" {
            properties.push("Pmax=? [ F x=1 || F x=2 ]".to_owned());
            properties.push("Pmin=? [ G x!=1 || G F x!=2 ]".to_owned());
        }
        let properties: Vec<&str> = properties.iter().map(String::as_str).collect();
        let (found, truth) = (check(&model, &properties, false), check(&model, &properties, true));
        for (found, truth) in found.results.iter().zip(&truth.results) {
            let (Ok(answer), Ok(truth)) = (&found.outcome, &truth.outcome) else {
                refused += 1;
                continue;
            };
            let verdict = is_true(answer, &truth.exact[0]);
            assert_eq!(
                verdict,
                Some(true),
                "case {case}, {}: {answer:?}, {}\n{model}",
                found.text,
                truth.exact[0]
            );
            conditional += usize::from(found.text.contains("||"));
            match answer.guarantee {
                Guarantee::Exact { .. } => exact += 1,
                _ => sound += 1,
            }
        }
    }
    assert!(
        exact > 120 && sound > 480 && conditional > 10 && refused < 240,
        "{exact} exact, {sound} sound, {refused} refused, {conditional}"
    );
}

/// Whether a step-bounded probability is zero or one, by the graph and by fractions.
#[test]
fn steps_by_the_graph() {
    let mut random = Random(77);
    let mut seen = [0; 4];
    for case in 0..25 {
        let kind = random.pick(&["dtmc", "mdp"]);
        let model = model(kind, &mut random);
        for (path, optimum) in
            [("F<=2 x=1", "max"), ("F<=2 x=1", "min"), ("G<=3 x!=2", "min"), ("x<2 U<=4 x=2", "max")]
        {
            let optimum = if kind == "mdp" { optimum } else { "" };
            let value = format!("P{optimum}=? [ {path} ]");
            let report = check(&model, &[&value], true);
            let Ok(truth) = &report.results[0].outcome else { continue };
            let truth = &truth.exact[0];
            // A bound from below is about the least probability, one from above about the largest.
            let asked: Vec<(String, bool)> = match optimum {
                "max" => vec![
                    (format!("P<=0 [ {path} ]"), *truth == Ratio::ZERO),
                    (format!("P<1 [ {path} ]"), *truth != Ratio::Finite(RBig::ONE)),
                ],
                _ => vec![
                    (format!("P>0 [ {path} ]"), *truth != Ratio::ZERO),
                    (format!("P>=1 [ {path} ]"), *truth == Ratio::Finite(RBig::ONE)),
                ],
            };
            for (at, (property, holds)) in asked.into_iter().enumerate() {
                let report = check(&model, &[&property], false);
                let answer = only(&report, 0);
                assert_eq!(answer.value, Value::Bool(holds), "case {case}, {property}\n{model}");
                seen[2 * at + usize::from(holds)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

/// The value of an expression does not depend on what else is asked for.
#[test]
fn expressions_beside_others() {
    let model = "dtmc\nmodule m\n  s : [0..3] init 1;\n  [] s<3 -> 0.5 : (s'=s+1) + 0.5 : true;\n  [] s=3 -> true;\nendmodule\n";
    let ratio = |top: i64, bottom: u64| Ratio::Finite(RBig::from_parts(top.into(), bottom.into()));
    let cases = [
        ("s", ratio(1, 1)),
        ("(s*0.1+1e6)-1e6", ratio(1, 10)),
        ("0.1*s", ratio(1, 10)),
        ("s-0.3", ratio(7, 10)),
        ("floor((s+4)/3)", ratio(1, 1)),
        ("round(s/3+1)*0.3", ratio(3, 10)),
        ("mod(floor(s/3)+3, 2)", ratio(1, 1)),
    ];
    for first in 0..cases.len() {
        let turned = [&cases[first..], &cases[..first]].concat();
        let properties: Vec<&str> = turned.iter().map(|case| case.0).collect();
        let together = check(model, &properties, false);
        for (at, (property, number)) in turned.iter().enumerate() {
            let answer = only(&together, at);
            assert_eq!(is_true(answer, number), Some(true), "{property} after {}: {answer:?}", properties[0]);
            if let Guarantee::Sound { lo, hi, .. } = answer.guarantee {
                assert!(hi - lo < 1e-8, "{property}: {answer:?}");
            }
        }
    }
    let report = check(model, &["s", "(s*0.1+1e6)-1e6 + P=? [ F<=2 s=3 ] >= 0.35"], false);
    assert_eq!(only(&report, 1).value, Value::Bool(true));
}

/// A bound that is met exactly by a number that is no double, in every operator that has a bound.
#[test]
fn bounds_met_between_doubles() {
    let chain = "dtmc\nmodule m\n  s : [0..2];\n  [] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=2);\n  [] s>0 -> true;\nendmodule
rewards \"u\" s=0 : 1/3; endrewards\nrewards \"t\" s=0 : 1; endrewards\n";
    let queries = [
        "P@ [ F s=1 ]",
        "P@ [ F<=2 s=1 ]",
        "P@ [ F{\"t\"}<=1 s=1 ]",
        "P@ [ X s=1 || true ]",
        "P@ [ F s=1 || F s>0 ]",
        "P@ [ (F s=1) & (G s!=2) ]",
        "R{\"u\"}@ [ F s>0 ]",
        "R{\"u\"}@ [ C<=3 ]",
        "R{\"u\"}@ [ C{\"t\"}<=1 ]",
        "R{\"u\"}@ [ I=0 ]",
        "R{\"u\"}@ [ F s>0 || F s=1 ]",
        "S@ [ s=1 ]",
    ];
    let (mdp, ctmc) = (chain.replace("dtmc", "mdp"), chain.replace("dtmc", "ctmc"));
    for (kind, model) in [("dtmc", chain), ("mdp", &mdp), ("ctmc", &ctmc)] {
        for exact in [false, true] {
            let mut cases = Vec::new();
            for (query, (bound, verdict)) in queries.iter().flat_map(|query| {
                [(">1/3", false), (">=1/3", true), ("<1/3", false), ("<=1/3", true)].map(|case| (query, case))
            }) {
                // Steps of a ctmc take time, and schedulers have no long run there.
                let has_none = match kind {
                    "ctmc" => query.contains("<=") || query.starts_with('R') || query.contains('{'),
                    "mdp" => query.starts_with('S') || query.contains("||") && query.starts_with('R'),
                    _ => false,
                };
                if !has_none {
                    cases.push((query.replace('@', bound), verdict));
                }
            }
            let properties: Vec<&str> = cases.iter().map(|case| case.0.as_str()).collect();
            let report = check(model, &properties, exact);
            for (at, (property, verdict)) in cases.iter().enumerate() {
                assert_eq!(only(&report, at).value, Value::Bool(*verdict), "{kind}: {property}");
            }
        }
    }
}

/// Where bounds stay wide because expected times are long, fractions are few enough to give the number.
#[test]
fn long_times_in_small_models() {
    let model = "mdp\nmodule m\n  c : [0..1];\n  k : [0..2];\n  [] c=0 & k=0 -> (k'=1);
  [] c=0 & k=0 -> 0.5 : (k'=2) + 0.5 : (k'=1);\n  [] c=0 & k=1 -> 0.5 : (k'=0) + 0.5 : (k'=2);
  [go] c=0 & k=2 -> 1e-9 : (c'=1) & (k'=0) + 1-1e-9 : (k'=0);\n  [st] c=0 & k=2 -> (k'=1);\n  [] c=1 -> true;
endmodule\nrewards \"r\"\n  k=0 : 1;\n  [go] true : 1e-3;\nendrewards\n";
    let property = "R{\"r\"}min=? [ F c=1 ]";
    let (bounds, exact) = (check(model, &[property], false), check(model, &[property], true));
    let number = only(&exact, 0).exact[0].clone();
    let answer = only(&bounds, 0);
    assert_eq!(is_true(answer, &number), Some(true), "{answer:?}");
    let Guarantee::Sound { lo, hi, .. } = answer.guarantee else { panic!("{answer:?}") };
    assert!((hi - lo) / lo <= 1e-6, "{answer:?}");
}

/// What doubles would decide in rewards, in weights and in thresholds.
#[test]
fn comparisons_and_cuts_over_rationals() {
    let model = "dtmc\nmodule m\n  x : [0..2];\n  [] x=0 -> (0.1+0.2)+0*x : (x'=1) + 0.7 : (x'=2);\n  [] x>0 -> true;\nendmodule
rewards \"cut\"\n  x=0 : floor(10*(0.7+0.1*(x+1)));\nendrewards\nrewards \"guard\"\n  0.1*(x+3) <= 0.3 : 1;\nendrewards\n";
    let ratio = |top: i64, bottom: u64| Ratio::Finite(RBig::from_parts(top.into(), bottom.into()));
    let cases = [
        ("P=? [ X x=1 ]", ratio(3, 10)),
        ("R{\"cut\"}=? [ F x>0 ]", ratio(8, 1)),
        ("R{\"guard\"}=? [ F x>0 ]", ratio(1, 1)),
    ];
    let properties: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let report = check(model, &properties, true);
    for (at, (property, number)) in cases.iter().enumerate() {
        assert_eq!(&only(&report, at).exact[..], std::slice::from_ref(number), "{property}");
    }
    assert_eq!(is_true(only(&check(model, &properties[..1], false), 0), &cases[0].1), Some(true));
    for exact in [false, true] {
        let report = check(model, &["P>=1-0.9-0.1 [ F x=1 ]", "P<=0.9+0.1 [ F x=1 ]"], exact);
        assert!((0..2).all(|at| only(&report, at).value == Value::Bool(true)));
    }
}
