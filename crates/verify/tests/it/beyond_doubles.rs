//! Long-run values, probabilities and times of models whose numbers lie far apart: from ratios that overflow doubles when they are
//! multiplied, to rates over 600 orders of magnitude. What is said to be true is true, and narrow, and shares of complements may sum to one.

use std::fmt::Write;
use volvelle_control::Control;
use volvelle_logic::{Answer, Guarantee, Ratio, Value};
use volvelle_random::{Random, attack_cases};
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

fn answer(report: &Report, at: usize) -> &Answer {
    report.results[at].outcome.as_ref().unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn bounds(answer: &Answer) -> [f64; 2] {
    match (&answer.guarantee, &answer.value) {
        (Guarantee::Sound { lo, hi, .. }, _) => [*lo, *hi],
        (Guarantee::Exact { .. }, Value::Number(value)) => [*value; 2],
        other => panic!("{other:?}"),
    }
}

fn holds([lo, hi]: [f64; 2], truth: &Ratio) -> bool {
    lo <= hi && Ratio::of_double(lo).unwrap() <= *truth && *truth <= Ratio::of_double(hi).unwrap()
}

/// Narrow, or so near zero that underflow is wide beside it, or above all doubles.
fn is_narrow([lo, hi]: [f64; 2]) -> bool {
    lo == hi || hi - lo <= 1e-6 * lo || hi <= 1e-280 || lo >= 1e308
}

/// The queue M/M/1 with so many places that ratio^places overflows.
#[test]
fn queues_longer_than_doubles_reach() {
    let model = "ctmc\nconst int N = 15000;\nmodule q\n  s : [0..N-1] init 0;\n  [] s<N-1 -> 1 : (s'=s+1);
  [] s>0 -> 2 : (s'=s-1);\nendmodule\nrewards \"busy\"\n  s>0 : 1;\nendrewards\n";
    let properties = ["R{\"busy\"}=? [ S ]", "S=? [ s=0 ]"].map(str::to_owned);
    let report = check(model, &properties, false);
    for at in 0..2 {
        let found = bounds(answer(&report, at));
        assert!(found[0] <= 0.5 && 0.5 <= found[1] && is_narrow(found), "{at}: {found:?}");
    }
}

/// A state that is left with a probability among the least positive doubles.
#[test]
fn denormal_probabilities_are_no_precise_numbers() {
    let model =
        "dtmc\nmodule m\n  s:[0..3];\n  [] s=0 -> 2*1e-3:(s'=1) + 1-2*1e-3:(s'=1);\n  [] s=1 -> 1:(s'=3);
  [] s=3 -> 5e-324:(s'=1) + 2*5e-324:(s'=3) + 1-5e-324-2*5e-324:(s'=3);\nendmodule
rewards \"r\"\n  s=3 | s=0 : 1;\nendrewards\n";
    let properties = ["R{\"r\"}=? [ S ]", "R{\"r\"}<=0.25 [ S ]"].map(str::to_owned);
    let report = check(model, &properties, false);
    let found = bounds(answer(&report, 0));
    assert!(found[0] <= 1.0 && 1.0 <= found[1] && is_narrow(found), "{found:?}");
    assert_eq!(answer(&report, 1).value, Value::Bool(false));
}

/// A number with an exponent, as models write it.
fn number(random: &mut Random, spread: usize) -> String {
    format!("{}e{}", 1 + random.below(9), random.below(2 * spread + 1) as i64 - spread as i64)
}

/// A chain in continuous time over `n` states: a row of places with a drift, wells, a ridge, or any rates; or parts that hardly
/// communicate; or transient states before several parts.
fn chain(random: &mut Random, n: usize) -> String {
    let mut model = format!("ctmc\nmodule m\n  s : [0..{}] init 0;\n", n - 1);
    let kind = random.below(6);
    let spread = random.pick(&[4, 40, 150, 300]);
    let [low, high] = [number(random, spread), number(random, spread)];
    let turn = random.below(n);
    let parts = 1 + random.below(3);
    for s in 0..n {
        let mut to: Vec<(usize, String)> = Vec::new();
        let [up, down] = match kind {
            0 => [low.clone(), high.clone()],
            1 if (s < turn) == (low < high) => [low.clone(), high.clone()],
            1 => [high.clone(), low.clone()],
            _ => [number(random, spread), number(random, spread)],
        };
        match kind {
            0..=2 => {
                to.extend((s + 1 < n).then_some((s + 1, up)));
                to.extend((s > 0).then(|| (s - 1, down)));
            }
            3 => {
                to.push(((s + 1) % n, up));
                to.push((random.below(n), down));
            }
            // Parts of three states, connected by chance or one way only.
            _ => {
                let first = s / 3 * 3;
                to.push((first + (s + 1) % 3, up));
                let is_open = kind == 4 || first / 3 % (parts + 1) == 0;
                to.extend(is_open.then(|| (random.below(n), down)));
            }
        }
        to.retain(|(t, _)| *t != s && *t < n);
        if to.is_empty() {
            to.push((s, "1".to_owned()));
        }
        let to: Vec<String> = to.iter().map(|(t, rate)| format!("{rate} : (s'={t})")).collect();
        _ = writeln!(model, "  [] s={s} -> {};", to.join(" + "));
    }
    model.push_str("endmodule\n");
    let weights: Vec<String> = (0..n).map(|s| format!("  s={s} : {};\n", random.below(4))).collect();
    _ = write!(model, "rewards \"w\"\n{}endrewards\n", weights.concat());
    model
}

/// Compares answers to properties with those in rational arithmetic.
fn compare(model: &str, properties: &[String], case: u64) {
    let (found, exact) = (check(model, properties, false), check(model, properties, true));
    for (at, property) in properties.iter().enumerate() {
        let (found, exact) = (answer(&found, at), answer(&exact, at));
        if let Value::Bool(truth) = exact.value {
            assert_eq!(found.value, Value::Bool(truth), "case {case}: {property}\n{model}");
            continue;
        }
        let truth = exact.exact.first().unwrap_or_else(|| panic!("{exact:?}"));
        let bounds = bounds(found);
        assert!(holds(bounds, truth), "case {case}: {property}: {bounds:?}, not {}\n{model}", truth.to_f64());
        assert!(is_narrow(bounds), "case {case}: {property}: {bounds:?}\n{model}");
    }
}

#[test]
fn attack_long_runs_against_fractions() {
    for case in attack_cases(30) {
        let mut random = Random(5000 + case);
        let n = 3 * (2 + random.below(if case % 10 == 0 { 12 } else { 5 }));
        let model = chain(&mut random, n);
        let state = random.below(n);
        let label = format!("mod(s,3)={} | s={state}", random.below(3));
        let properties = [
            format!("S=? [ {label} ]"),
            format!("S=? [ !({label}) ]"),
            "R{\"w\"}=? [ S ]".to_owned(),
            format!("P=? [ F s={state} ]"),
            format!("R{{\"w\"}}=? [ F s={state} ]"),
            format!("P=? [ F S>0.25 [ {label} ] ]"),
            format!("filter(max, S=? [ {label} ])"),
        ];
        compare(&model, &properties, case);
        let report = check(&model, &properties, false);
        let [[a, b], [c, d]] = [0, 1].map(|at| bounds(answer(&report, at)));
        assert!(a + c <= 1.0 + 1e-15 && b + d >= 1.0, "case {case}: [{a}, {b}] [{c}, {d}]\n{model}");
    }
}

#[test]
fn attack_decisions_against_fractions() {
    for case in attack_cases(15) {
        let mut random = Random(6000 + case);
        let n = 2 + random.below(5);
        let mut model = format!("mdp\nmodule m\n  s : [0..{}] init 0;\n", n - 1);
        for s in 0..n {
            for _ in 0..1 + random.below(2) {
                let most = random.pick(&[3, 30, 300]);
                let digits = 1 + random.below(most);
                let (t, u) = (random.below(n), (s + 1) % n);
                _ = writeln!(model, "  [] s={s} -> 1e-{digits} : (s'={t}) + 1-1e-{digits} : (s'={u});");
            }
        }
        model.push_str("endmodule\n");
        let weights: Vec<String> = (0..n).map(|s| format!("  s={s} : {};\n", random.below(4))).collect();
        _ = write!(model, "rewards \"w\"\n{}endrewards\n", weights.concat());
        let state = random.below(n);
        let properties: Vec<String> = ["min", "max"]
            .iter()
            .flat_map(|opt| {
                [
                    format!("R{{\"w\"}}{opt}=? [ S ]"),
                    format!("S{opt}=? [ s={state} ]"),
                    format!("P{opt}=? [ F s={state} ]"),
                    format!("R{{\"w\"}}{opt}=? [ F s={state} ]"),
                ]
            })
            .collect();
        compare(&model, &properties, case);
    }
}
