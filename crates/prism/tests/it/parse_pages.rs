//! The pages behind `volvelle explain` that are about syntax: the example of a page gives the message that the
//! page draws.

use volvelle_diagnostics::{Code, RenderOptions, Sources, codes, explain, render};
use volvelle_prism::parse;

/// The text of the first fence of a language.
fn fence<'a>(page: &'a str, language: &str) -> Option<&'a str> {
    let start = page.find(&format!("```{language}\n"))? + language.len() + 4;
    let length = page[start..].find("```")?;
    Some(&page[start..start + length])
}

#[track_caller]
fn check(code: Code) {
    let page = explain(code).expect("a page").text;
    let drawing = fence(page, "text").expect("a drawing");
    let mut sources = Sources::new();
    let file = sources.add("model.prism", fence(page, "prism").expect("a model"));
    let (_, mut diagnostics) = parse::model(&sources, file);
    if let Some(text) = fence(page, "props") {
        let file = sources.add("model.props", text);
        diagnostics.extend(parse::properties(&sources, file).1);
    }
    // The hint at this very page is no part of its drawing, nor the bar that leads to it.
    let shown = |d| {
        let text = render(d, &sources, RenderOptions::default());
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.contains("volvelle explain")).collect();
        if lines.last().is_some_and(|line| line.trim() == "|") {
            lines.pop();
        }
        lines.join("\n") + "\n"
    };
    let all: Vec<String> = diagnostics.iter().map(shown).collect();
    assert!(all.iter().any(|one| one == drawing), "found:\n{}\npage:\n{drawing}", all.join("\n"));
}

#[test]
fn pages_show_what_the_parser_says() {
    check(codes::UNEXPECTED_CHARACTER);
    check(codes::UNEXPECTED_TOKEN);
    check(codes::UNTERMINATED);
    check(codes::NUMBER_TOO_LARGE);
    check(codes::RESERVED_WORD);
    check(codes::UNKNOWN_FUNCTION);
    check(codes::PROPERTY_SYNTAX);
}
