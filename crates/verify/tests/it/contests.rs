//! Reductions of processes against the search of all orders, on small programs in which steps depend on others' being
//! impossible, with every kind of search: the same verdicts.
//!
//! `VOLVELLE_CONTESTS=0..5000` compares more programs than usual.

#![expect(clippy::print_stderr, reason = "a line that says what was compared")]

use std::collections::BTreeSet;
use volvelle_control::{Control, Limits};
use volvelle_promela_testing::{Choices, random_contest};
use volvelle_verify::{Answer, Report, SearchMethod, SearchSettings, Session, Text, Tier, Value, Wanted};

const STATES: u64 = 20_000;

fn check(text: &str, wanted: &Wanted, settings: &SearchSettings) -> Report {
    let text = Text { name: "contest.pml".to_owned(), text: text.to_owned() };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, threads: 1, ..Control::unlimited() };
    volvelle_verify::search(&mut Session::open::<&str>(text, Vec::new(), &[]), wanted, settings, &control)
}

/// Whether what is wanted holds; nothing beyond the limits.
fn verdict(report: &Report) -> Option<bool> {
    match report.results.first()?.outcome {
        Ok(Answer { value: Value::Bool(holds), .. }) => Some(holds),
        _ => None,
    }
}

/// The reasons and places of all errors.
fn errors(report: &Report) -> BTreeSet<String> {
    let place = |d: &volvelle_diagnostics::Diagnostic| d.primary.as_ref().map(|l| (l.span.start, l.span.end));
    let errors = report.diagnostics.iter().filter(|d| d.severity == volvelle_diagnostics::Severity::Error);
    errors.map(|d| format!("{} {:?}", d.code, place(d))).collect()
}

/// What differs between a reduced search and that of all orders.
fn difference(text: &str, wanted: &Wanted, method: SearchMethod) -> Result<Option<bool>, String> {
    let all_errors = wanted.safety;
    let plain =
        SearchSettings { tier: Tier::Interpreter, all_errors, no_reduction: true, ..Default::default() };
    let all = check(text, wanted, &plain);
    let Some(truth) = verdict(&all) else {
        let codes = errors(&all);
        let is_limit = |code: &String| code.starts_with("V00");
        return if codes.iter().all(is_limit) { Ok(None) } else { Err(format!("refused: {codes:?}")) };
    };
    let some = check(text, wanted, &SearchSettings { no_reduction: false, method, ..plain });
    if verdict(&some) != Some(truth) {
        return Err(format!("{truth} in all orders, {:?} reduced", verdict(&some)));
    }
    if all_errors && errors(&all) != errors(&some) {
        return Err(format!("{:?} in all orders, {:?} reduced", errors(&all), errors(&some)));
    }
    Ok(Some(truth))
}

fn seeds(usual: u64) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("VOLVELLE_CONTESTS") else { return 0..usual };
    let range = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.expect("VOLVELLE_CONTESTS is a range of seeds, as in 0..1000")
}

#[test]
fn the_same_verdicts_in_all_orders() {
    let safety = Wanted { safety: true, ..Wanted::default() };
    let claim = Wanted { claims: vec!["claim".to_owned()], ..Wanted::default() };
    let questions = [
        (claim, false),
        (Wanted { acceptance: true, ..Wanted::default() }, false),
        (Wanted { progress: true, ..Wanted::default() }, false),
        (safety, true),
    ];
    let (mut holds, mut fails, mut differing) = (0, 0, Vec::new());
    for seed in seeds(240) {
        let method = if seed / 4 % 2 == 0 { SearchMethod::Automatic } else { SearchMethod::DepthFirst };
        let (wanted, asserts) = &questions[seed as usize % 4];
        let contest = random_contest(&mut Choices::from_seed(seed), *asserts, true);
        let claim = if wanted.claims.is_empty() { "" } else { &contest.claim };
        let text = contest.program + claim;
        match difference(&text, wanted, method) {
            Ok(Some(true)) => holds += 1,
            Ok(Some(false)) => fails += 1,
            Ok(None) => {}
            Err(what) => differing.push(format!("seed {seed} {method:?}: {what}\n{text}")),
        }
    }
    eprintln!("{holds} hold, {fails} fail, {} differ", differing.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(holds > 50 && fails > 50, "{holds} {fails}");
}
