//! Model text to program to states: interpreter and native code agree, and failures can be explained.

use crate::prism::with_constants;
use crate::symmetry;
use crate::tiers::{self, Bounds, Outcome};
use std::sync::Arc;
use std::time::{Duration, Instant};
use volvelle_diagnostics::{RenderOptions, Severity, Sources, render};
use volvelle_explore::ExploreError;
use volvelle_prism::lower::{self, Lowered};
use volvelle_prism::parse;
use volvelle_prism::testing::{Choices, random_model, symmetric_model};

/// States to explore of a model that is any text.
const STATES: u64 = 400;

/// For one exploration of a model that is any text: some states have very many successors.
const PATIENCE: Duration = Duration::from_secs(4);

/// Bytes below this, which no text starts with, mark that the bytes after them choose a model of the generator.
const GENERATED: u8 = 8;

/// The one of these that marks models of interchangeable modules.
const SYMMETRIC: u8 = GENERATED - 1;

/// The text of a fuzzer's bytes: the bytes themselves, or the output of a generator of models that they control.
pub fn model_text(bytes: &[u8]) -> Option<String> {
    match bytes.split_first() {
        Some((&SYMMETRIC, rest)) => Some(symmetric_model(&mut Choices::from_bytes(rest))),
        Some((first, rest)) if *first < GENERATED => Some(random_model(&mut Choices::from_bytes(rest))),
        _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
    }
}

/// Explores a model in all ways, with a limit on states; returns how it ended, or `None` if the text is not a model.
/// States that differ by a permutation of modules behave alike. Failures are explained.
pub fn explore_differential(text: &str) -> Option<Outcome> {
    let (sources, lowered) = lowered(text)?;
    let bounds = Bounds { states: STATES, deadline: Instant::now().checked_add(PATIENCE) };
    let outcome = match tiers::compare(lowered.program(), bounds) {
        Ok(outcome) => outcome,
        Err(difference) => panic!("{difference}\n{text}"),
    };
    if let Ok(explored) = &outcome
        && let Err(difference) = symmetry::compare(lowered.program(), explored)
    {
        panic!("{difference}\n{text}");
    }
    if let Err(ExploreError::Failed { site, values, .. }) = &outcome {
        let diagnostic = lowered.explain_failure(&sources, *site, values);
        assert_eq!(diagnostic.severity, Severity::Error, "a failure is an error");
        let _ = render(&diagnostic, &sources, RenderOptions::default());
    }
    Some(outcome)
}

/// The lowered model of a text; open constants get small values.
pub fn lowered(text: &str) -> Option<(Sources, Lowered)> {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, diagnostics) = parse::model(&sources, file);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    let constants = with_constants(&model, &[]);
    let (lowered, _) = lower::lower(&sources, Arc::new(model), &constants);
    lowered.map(|lowered| (sources, lowered))
}
