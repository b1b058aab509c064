//! The pages behind `volvelle explain` against the parser: the example of a page gives the message that the page
//! shows, at the place that it shows.

use crate::common::read;
use volvelle_diagnostics::{Severity, explanations};

/// The text of the first fence of a language.
fn fence<'a>(page: &'a str, language: &str) -> Option<&'a str> {
    let start = page.find(&format!("```{language}\n"))? + language.len() + 4;
    let length = page[start..].find("```")?;
    Some(&page[start..start + length])
}

/// Too large to be shown in full.
const ABRIDGED: [u16; 1] = [805];

#[test]
fn examples_give_what_they_show() {
    let mut seen = 0;
    for page in explanations() {
        if !(801..850).contains(&page.code.0) || ABRIDGED.contains(&page.code.0) {
            continue;
        }
        let text = fence(page.text, "promela").expect("an example");
        let (sources, parsed, drawn) = read(text);
        let [diagnostic] = parsed.diagnostics.as_slice() else { panic!("{}:\n{drawn}", page.code) };
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = sources.line_column(diagnostic.primary.as_ref().expect("a place").span);
        let expected = [
            format!("{severity}[{}]: {}", diagnostic.code, diagnostic.message),
            format!("--> model.pml:{}:{}", place.line, place.column),
        ];
        let shown: Vec<&str> =
            fence(page.text, "text").expect("a drawing").lines().take(2).map(str::trim).collect();
        assert_eq!(shown, expected, "{}", page.code);
        seen += 1;
    }
    assert!(seen >= 13);
}
