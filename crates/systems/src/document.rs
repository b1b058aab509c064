//! What is said of reductions, comparisons, formulas and walks of transition systems.

use crate::{CompareReport, FormulaReport, ReduceReport, SystemPart};
use volvelle_present::document::{
    Answer, Column, Document, Name, Note, Path, Step, Steps, Text, bad, good, name,
};
use volvelle_present::text;
use volvelle_reports::documents::{evidence, listed, verdict};
use volvelle_session::limits::{count, counted};

/// `branching  29 states  54 transitions  7 labels  (0.02 s)`
pub fn reduced(found: &ReduceReport) -> Document {
    let relation = found.options.relation.name();
    Document::answering(
        format!("A reduction by {relation}"),
        Answer {
            question: relation.into(),
            about: listed([
                counted(found.size.states, "state"),
                counted(found.size.transitions, "transition"),
                counted(found.size.labels, "label"),
            ]),
            took: found.time,
            ..Answer::default()
        },
    )
}

/// The verdict, and what tells the systems apart.
pub fn compared(found: &CompareReport) -> Document {
    let [first, second] = &found.files;
    let mut document = Document::new(format!("Whether {first} and {second} are equivalent"));
    comparison(&mut document, found);
    document
}

/// The same as a part of another document.
pub fn comparison(document: &mut Document, found: &CompareReport) {
    document.push(Answer {
        question: found.options.relation.name().into(),
        verdict: if found.found.equivalent { good("equivalent") } else { bad("not equivalent") },
        took: found.time,
        ..Answer::default()
    });
    let [first, second] = &found.files;
    if let Some(trace) = &found.found.trace {
        let (has, has_not) = if trace.is_of_first { (first, second) } else { (second, first) };
        let labels = trace.labels.iter().map(|label| text!["\"", Name(label.clone()), "\""]);
        let labels = if trace.labels.is_empty() { "nothing".into() } else { Text::joined(labels, " . ") };
        document.note(2, text!["trace of ", name(has), ", not of ", name(has_not), ":"]);
        document.note(4, labels);
    }
    if let Some(formula) = &found.found.formula {
        document.note(2, text!["formula true of ", name(first), ", false of ", name(second), ":"]);
        document.note(4, formula.to_string());
    }
}

/// The verdicts of formulas, and what they rest on.
pub fn formulas(all: &[FormulaReport], file: &str) -> Document {
    let mut document = Document::new(volvelle_reports::documents::question(
        all.iter().map(|found| found.text.as_str()),
        file,
    ));
    all.iter().for_each(|found| formula(&mut document, found));
    document
}

/// The verdict of a formula, and what it rests on.
pub fn formula(document: &mut Document, found: &FormulaReport) {
    document.push(Answer {
        question: volvelle_reports::documents::one_line(&found.text).into(),
        verdict: verdict(found.verdict.as_ref().map(|verdict| verdict.holds)),
        took: found.time,
        ..Answer::default()
    });
    if let Some(part) = found.verdict.as_ref().and_then(|verdict| verdict.evidence.as_ref()) {
        shown(document, part);
    }
}

/// Transitions of a trace that are shown.
const SHOWN: usize = 60;

/// Transitions of a part without a shape that a person may look at one by one.
const FEW: usize = 8;

/// A part of a system, a transition on each line.
fn shown(document: &mut Document, part: &SystemPart) {
    if part.transitions.is_empty() {
        return document.note(2, "decided by the initial state alone");
    }
    if part.shape == "graph" && part.transitions.len() > FEW {
        let count = count(part.transitions.len() as u64);
        return document.note(2, format!("decided by {count} transitions, which --json lists"));
    }
    let what = match part.shape {
        "trace" => "decided by this trace",
        "lasso" => "decided by a trace that repeats for ever",
        _ => "decided by these transitions",
    };
    document.note(2, what);
    let steps = part.transitions.iter().map(|(source, label, target)| {
        let label = text!["\"", Name(label.clone()), "\""];
        vec![source.to_string().into(), label, target.to_string().into()]
    });
    document.push(Path {
        heads: vec!["state", "label", "next state"],
        steps: steps.collect(),
        cycle_start: part.cycle_start,
        most: SHOWN,
        ..evidence(4)
    });
}

/// A walk from an initial state: a line for each transition, and why it ends.
pub fn walk(file: &str, initial: u32, transitions: &[(u32, String, u32)], reason: &str) -> Document {
    let mut document = Document::new(format!("A walk through {file}"));
    let state = |number: usize, label: &str, state: u32| Step {
        cells: vec![number.to_string().into(), state.to_string().into(), name(label)],
        ..Step::default()
    };
    let taken = (1..).zip(transitions).map(|(number, (_, label, target))| state(number, label, *target));
    document.push(Steps {
        columns: vec![Column::numbers("step"), Column::numbers("state"), Column::words("label")],
        steps: std::iter::once(state(0, "", initial)).chain(taken).collect(),
        ..Steps::default()
    });
    document.push(Note { text: reason.into(), ..Note::default() });
    document
}
