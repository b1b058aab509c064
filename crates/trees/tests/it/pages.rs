//! The pages of the codes of grammars: their examples give what they show. `BLESS=1` draws again what differs.

use crate::common::example;
use std::path::Path;
use volvelle_diagnostics::{RenderOptions, Sources, render};
use volvelle_trees::grammar::Grammar;
use volvelle_trees::{Interner, Tree};

/// The content of the first block of a language.
fn block<'t>(page: &'t str, language: &str) -> Option<&'t str> {
    let (_, behind) = page.split_once(&format!("```{language}\n"))?;
    behind.split_once("```").map(|(content, _)| content)
}

/// The diagnostic of a page's example. Inside its own page a message does not advertise the page.
fn shown(page: &str, code: u16) -> String {
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    if let Some(text) = block(page, "grammar") {
        Grammar::read(sources.add("language.grammar", text), text, &mut found);
    } else {
        let text = block(page, "lambda").expect("a grammar or a text");
        let file = sources.add("program.lambda", text);
        example("lambda").parse(&mut Tree::new(), &mut Interner::new(), file, text, &mut found);
    }
    assert!(found.iter().all(|found| found.code.0 == code), "V{code}: {found:?}");
    let drawn = render(&found[0], &sources, RenderOptions::default());
    let mut lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    lines.retain(|line| !line.trim_start().starts_with("= explain:"));
    while lines.last().is_some_and(|line| line.trim() == "|") {
        lines.pop();
    }
    lines.join("\n") + "\n"
}

#[test]
fn examples_give_what_pages_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../diagnostics/codes");
    for code in (2050..=2062).chain([2070]) {
        let path = folder.join(format!("V{code}.md"));
        let page = std::fs::read_to_string(&path).expect("the page is there");
        let shown = shown(&page, code);
        let expected = block(&page, "text").expect("a message");
        if shown != expected {
            assert!(std::env::var_os("BLESS").is_some(), "V{code}: shown is\n{shown}");
            let page = page.replacen(&format!("```text\n{expected}```"), &format!("```text\n{shown}```"), 1);
            std::fs::write(&path, page).expect("the page can be written");
        }
    }
}
