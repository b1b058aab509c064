//! The pages of the codes of N4JS: their examples give what they show. `BLESS=1` draws again what differs.

use crate::common::{limits, system};
use std::path::Path;
use volvelle_diagnostics::{RenderOptions, render};

/// The content of the first block of a language.
fn block<'t>(page: &'t str, language: &str) -> Option<&'t str> {
    let (_, behind) = page.split_once(&format!("```{language}\n"))?;
    behind.split_once("```").map(|(content, _)| content)
}

/// The only diagnostic of a page's example. Inside its own page a message does not advertise the page.
fn shown(page: &str) -> String {
    let system = system();
    let (sources, program) = system.program(&[("program.n4js", block(page, "n4js").expect("a program"))]);
    let report = system.loaded.check(&sources, &program, limits(), true);
    let found: Vec<_> = report.findings.into_iter().map(|finding| finding.diagnostic).collect();
    assert_eq!(found.len(), 1, "{found:?}");
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
    for code in ["V2101", "V2102"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../diagnostics/codes/{code}.md"));
        let page = std::fs::read_to_string(&path).expect("the page is there");
        let shown = shown(&page);
        let expected = block(&page, "text").expect("a message");
        if shown != expected {
            assert!(std::env::var_os("BLESS").is_some(), "{code}: shown is\n{shown}");
            let page = page.replacen(&format!("```text\n{expected}```"), &format!("```text\n{shown}```"), 1);
            std::fs::write(&path, page).expect("the page can be written");
        }
    }
}
