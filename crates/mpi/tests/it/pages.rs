//! The pages of the codes V1701 to V1705: their examples give what they show. `BLESS=1` draws again what differs.

use std::path::Path;
use volvelle_diagnostics::{RenderOptions, Sources, render};
use volvelle_mpi::{parse, resolve};

/// The content of the first block of a language.
fn block<'t>(page: &'t str, language: &str) -> Option<&'t str> {
    let (_, behind) = page.split_once(&format!("```{language}\n"))?;
    behind.split_once("```").map(|(content, _)| content)
}

/// The only diagnostic of a page's example. Inside its own page a message does not advertise the page.
fn shown(page: &str) -> String {
    let text = block(page, "mpi").expect("a page has a program");
    let mut sources = Sources::new();
    let file = sources.add("model.mpi", text);
    let (tree, mut found) = parse::program(file, text);
    if found.is_empty() {
        found = resolve::resolve(&tree, &[]).1;
    }
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../diagnostics/codes");
    for code in 1701..=1705 {
        let path = folder.join(format!("V{code}.md"));
        let page = std::fs::read_to_string(&path).unwrap();
        let shown = shown(&page);
        let expected = block(&page, "text").unwrap();
        assert!(shown.contains(&format!("[V{code}]")), "V{code}:\n{shown}");
        if shown != expected {
            assert!(std::env::var_os("BLESS").is_some(), "V{code}: shown is\n{shown}");
            let page = page.replace(&format!("```text\n{expected}```"), &format!("```text\n{shown}```"));
            std::fs::write(&path, page).unwrap();
        }
    }
}
