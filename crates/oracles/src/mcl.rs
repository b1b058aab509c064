//! Formulas of the mu-calculus: any text in; no panic, diagnostics that can be drawn, printing loses nothing, and evidence is enough for
//! its verdict.

use std::time::{Duration, Instant};
use volvelle_control::{Control, Limits, Stop};
use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_mcl::{Formula, absent_labels, check, check_with_evidence, parse};
use volvelle_space::{Labels, Lts};

/// How long one formula may take; those of a fuzzer may alternate often.
const PATIENCE: Duration = Duration::from_secs(2);

/// Parses a formula, prints it, and checks it on a small system.
pub fn mcl(text: &str) {
    let Some(formula) = read(text) else { return };
    let printed = formula.to_string();
    let again = read(&printed).unwrap_or_else(|| panic!("what was printed is no formula:\n{printed}"));
    assert_eq!(again.to_string(), printed);
    let system = system();
    let limits = Limits { deadline: Some(Instant::now() + PATIENCE), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let verdict = |formula: &Formula, system: &Lts| match check_with_evidence(formula, system, 0, &control) {
        Ok(answer) => Some(answer.holds),
        Err(stop) => {
            assert_eq!(stop, Stop::Timeout);
            None
        }
    };
    let Ok(answer) = check(&formula, &system, &control) else { return };
    assert!(verdict(&again, &system).is_none_or(|holds| holds == answer.holds), "{printed}");
    if let Some(evidence) = answer.evidence {
        let part = evidence.system(&system.labels);
        assert!(
            verdict(&formula, &part).is_none_or(|holds| holds == answer.holds),
            "{printed}\non {evidence:?}"
        );
    }
}

fn read(text: &str) -> Option<Formula> {
    let mut sources = Sources::new();
    let file = sources.add("formula.mcl", text);
    let (formula, mut diagnostics) = parse(file, text);
    let has_errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(formula.is_none(), has_errors, "a formula is refused with a reason");
    if let Some(formula) = &formula {
        diagnostics.extend(absent_labels(formula, &system()));
    }
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
    formula
}

/// A system with two circles, internal steps and a deadlock.
fn system() -> Lts {
    let mut labels = Labels::new();
    let [put, get, lost] = ["PUT !1", "GET !1", "LOST"].map(|text| labels.number(text));
    let transitions =
        [(0, put, 1), (1, 0, 2), (2, 0, 1), (2, get, 0), (1, lost, 3), (3, put, 3), (3, 0, 4), (0, get, 2)];
    Lts::from_transitions(5, 0, labels, &transitions)
}
