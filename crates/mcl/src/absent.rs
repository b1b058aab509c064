//! Labels of formulas that no transition has: often misspelt.

use crate::tree::{Action, Formula};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes, nearest};
use volvelle_space::{Labels, Lts};

/// Warns about labels and patterns of a formula that are those of no transition.
pub fn absent_labels(formula: &Formula, lts: &Lts) -> Vec<Diagnostic> {
    let mut occurs = vec![false; lts.labels.len()];
    lts.edges().iter().for_each(|edge| occurs[edge.label as usize] = true);
    let texts: Vec<&str> = lts
        .labels
        .texts()
        .iter()
        .zip(&occurs)
        .filter(|(_, occurs)| **occurs)
        .map(|(text, _)| text.as_str())
        .collect();
    let known: FxHashSet<&str> = texts.iter().copied().chain([Labels::INTERNAL_TEXT]).collect();
    // The same place may be met several times, where macros are expanded.
    let mut told: FxHashSet<(Span, &str)> = FxHashSet::default();
    let mut found: Vec<Diagnostic> = Vec::new();
    for action in formula.actions() {
        let (text, span) = match action {
            Action::Label(label, span) => (label.as_str(), *span),
            Action::Pattern(pattern, span) => (pattern.text(), *span),
            _ => continue,
        };
        if !told.insert((span, text)) {
            continue;
        }
        found.push(match action {
            Action::Label(label, _) if known.contains(label.as_str()) => continue,
            Action::Label(label, span) => {
                let warning = Diagnostic::warning(
                    codes::ABSENT_LABEL,
                    format!("no transition has the label `{label}`"),
                );
                explained(warning.at(*span, ""), label, &texts)
            }
            Action::Pattern(pattern, _) if texts.iter().any(|text| pattern.matches(text)) => continue,
            Action::Pattern(pattern, span) => {
                let message = format!("no transition has a label that matches `{}`", pattern.text());
                Diagnostic::warning(codes::ABSENT_LABEL, message)
                    .at(*span, "")
                    .note("a pattern is matched against whole labels")
            }
            _ => continue,
        });
    }
    found
}

/// Adds what may have been meant.
fn explained(warning: Diagnostic, label: &str, texts: &[&str]) -> Diagnostic {
    if label == "tau" {
        return warning.help("the internal action is `\"i\"`");
    }
    let offers: Vec<&&str> = texts
        .iter()
        .filter(|text| text.strip_prefix(label).is_some_and(|rest| rest.starts_with([' ', '(', ';'])))
        .collect();
    if let Some(first) = offers.first() {
        let more = if offers.len() > 1 { format!(" and {} more", offers.len() - 1) } else { String::new() };
        return warning
            .note(format!("there is `{first}`{more}"))
            .help(format!("`'{label}.*'` matches whatever begins with it"));
    }
    let (near, place) = (nearest(label, texts), warning.primary.as_ref().map(|label| label.span));
    let Some(near) = near else { return warning };
    let warning = warning.help(format!("did you mean `\"{}\"`?", near.name));
    let fix = |span| Fix::instead(span, label, *near.name).certain_if(near.is_certain);
    place.map(fix).into_iter().fold(warning, Diagnostic::fix)
}
