//! The pages behind `volvelle explain` against the front end: the example of a page must give the message
//! that the page shows, at the place that it shows.

use crate::support;
use crate::support::program::{Stop, explore};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Explanation, Severity, Sources, explanations};
use volvelle_prism::lower::{Constants, lower, unknown_constants};
use volvelle_prism::parse;
use volvelle_prism::properties::lower_properties;

/// Pages whose messages come from elsewhere, and why.
const ELSEWHERE: [(u16, &str); 21] = [
    (318, "exploration counts initial states"),
    (314, "exploration finds that there is no initial state"),
    (319, "formulas that only properties use are not known to be unused when the model is lowered"),
    (320, "constants beyond 32 bits are refused where they are computed"),
    (408, "exploration finds deadlocks"),
    (409, "a limit of exploration"),
    (411, "exploration finds deadlocks"),
    (412, "the sum of the probabilities is what is checked"),
    (501, "the parser"),
    (502, "the command line chooses properties"),
    (507, "engines count the states of a filter"),
    (509, "engines count the states of a filter"),
    (511, "files are read elsewhere"),
    (532, "the search for schedulers"),
    (533, "the search for schedulers"),
    (534, "engines know probabilities"),
    (207, "the parser"),
    (6, "the example's constant is given on the command line; see `bad_value` in lower_rules.rs"),
    (214, "the example's constant is given on the command line; see `unknown_constant` in lower_rules.rs"),
    (505, "whether there are choices is known when states are explored"),
    (407, "the message shows the rounded value"),
];

/// The text of the first fence of a language.
fn fence<'a>(page: &'a str, language: &str) -> Option<&'a str> {
    let start = page.find(&format!("```{language}\n"))? + language.len() + 4;
    let length = page[start..].find("```")?;
    Some(&page[start..start + length])
}

/// What the page's example gives.
fn diagnostics(page: &Explanation, sources: &mut Sources) -> Option<Vec<Diagnostic>> {
    let file = sources.add("model.prism", fence(page.text, "prism")?);
    let (model, mut all) = parse::model(sources, file);
    let model = Arc::new(model);
    let constants = Constants::new();
    let (lowered, more) = lower(sources, model.clone(), &constants);
    all.extend(more);
    let Some(mut lowered) = lowered else { return Some(all) };
    if let Some(text) = fence(page.text, "props") {
        let file = sources.add("model.props", text);
        let (properties, more) = parse::properties(sources, file);
        all.extend(more);
        all.extend(unknown_constants(&constants, &model, &[&properties]));
        let (results, more) = lower_properties(&mut lowered, sources, Arc::new(properties), &constants);
        all.extend(more);
        all.extend(results.into_iter().filter_map(Result::err).flatten());
        all.extend(lowered.take_warnings());
    }
    if let Err(Stop::Failed(failure)) = explore(lowered.program(), 1000) {
        all.push(lowered.explain_failure(sources, failure.site, &failure.state));
    } else if page.code.0 == 410 {
        for state in explore(lowered.program(), 1000).expect("it ends").keys() {
            let view = support::program::View::new(lowered.program(), state);
            for reward in lowered.program().rewards.iter().flat_map(|r| &r.states) {
                if !view.f64(reward.value).expect("no failure").is_finite() {
                    all.push(lowered.explain_failure(sources, reward.site, state));
                }
            }
        }
    }
    Some(all)
}

#[test]
fn examples_give_what_they_show() {
    let mut wrong = String::new();
    let mut right = 0;
    for page in explanations() {
        let number = page.code.0;
        let ours = number == 117 || (201..600).contains(&number);
        // Examples in another language are checked where that is known.
        let ours = ours && fence(page.text, "promela").is_none();
        if !ours || ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == number) {
            continue;
        }
        let mut sources = Sources::new();
        let Some(found) = diagnostics(page, &mut sources) else {
            wrong += &format!("{}: the page has no example\n", page.code);
            continue;
        };
        let drawing = fence(page.text, "text").unwrap_or("");
        let expected: Vec<&str> = drawing.lines().take(2).map(str::trim).collect();
        let shown = |d: &Diagnostic| {
            let severity = match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let place = d.primary.as_ref().map_or(String::new(), |label| {
                let at = sources.line_column(label.span);
                format!("--> {}:{}:{}", sources.file(label.span.file).name, at.line, at.column)
            });
            [format!("{severity}[{}]: {}", d.code, d.message), place]
        };
        if found.iter().map(shown).any(|lines| lines == expected[..]) {
            right += 1;
        } else {
            let found: Vec<_> = found.iter().map(shown).collect();
            wrong += &format!("{}\n  page:  {expected:?}\n  found: {found:?}\n", page.code);
        }
    }
    assert!(wrong.is_empty(), "{right} right, but\n{wrong}");
}
