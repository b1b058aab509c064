//! The pages of the codes of rules: their examples give what they show. `BLESS=1` draws again what differs.

use crate::support::{folder, limits};
use volvelle_diagnostics::{FileId, RenderOptions, Sources, render};
use volvelle_rules::system::load;

/// The language of the examples.
const SUMS: &str = "grammar sums
terminal NUMBER /[0-9]+/
hidden SPACE /[ \\n]+/
entry Program : body=Expr ;
Expr : operators over Number { infix left \"+\" -> Plus(left, operator, right); }
Number : value=NUMBER ;
";

/// The content of the first block of a language.
fn block<'t>(page: &'t str, language: &str) -> Option<&'t str> {
    let (_, behind) = page.split_once(&format!("```{language}\n"))?;
    behind.split_once("```").map(|(content, _)| content)
}

/// The diagnostic of a page's example. Inside its own page a message does not advertise the page.
fn shown(page: &str, code: u16) -> String {
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let file = sources.add("sums.rules", block(page, "rules").expect("rules"));
    let mut open = |sources: &mut Sources, _: &str, _: FileId| Ok(sources.add("sums.grammar", SUMS));
    let system = load(&mut sources, file, &mut open, &mut found);
    if let Some(text) = block(page, "sums") {
        let system = system.expect("the rules have no errors");
        let program = sources.add("program.sums", text);
        let program = system.read(&sources, program);
        let report = system.check(&sources, &program, limits(), true);
        found.extend(report.findings.into_iter().map(|finding| finding.diagnostic));
    }
    let found: Vec<_> = found.into_iter().filter(|found| found.code.0 == code).collect();
    assert!(!found.is_empty(), "V{code} is not found");
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
    for code in 2030..=2037 {
        let path = folder("crates/diagnostics/codes").join(format!("V{code}.md"));
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
