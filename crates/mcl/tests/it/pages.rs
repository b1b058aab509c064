//! The pages of the codes V14xx: their formulas give what they show. `BLESS=1` draws again what differs.

use crate::support::{self, system};
use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_diagnostics::{RenderOptions, Sources, render};
use volvelle_mcl::{absent_labels, check, parse};

/// The content of the first block of a language.
fn block<'t>(page: &'t str, language: &str) -> Option<&'t str> {
    let (_, behind) = page.split_once(&format!("```{language}\n"))?;
    behind.split_once("```").map(|(content, _)| content)
}

/// The only diagnostic of a page's example. Inside its own page a message does not advertise the page.
fn shown(page: &str) -> String {
    let text = block(page, "mcl").expect("a formula");
    let mut sources = Sources::new();
    let file = sources.add("formula.mcl", text);
    let (formula, mut diagnostics) = parse(file, text);
    if let (Some(formula), Some(aut)) = (formula, block(page, "aut")) {
        diagnostics.extend(absent_labels(&formula, &system(aut)));
    }
    assert_eq!(diagnostics.len(), 1, "{text}\n{diagnostics:?}");
    let drawn = render(&diagnostics[0], &sources, RenderOptions::default());
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
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.unwrap().path()).collect();
    pages.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("V14")));
    pages.sort();
    assert_eq!(pages.len(), 8);
    for path in pages {
        let page = std::fs::read_to_string(&path).expect("a page");
        let code = path.file_stem().unwrap().to_string_lossy().into_owned();
        let shown = shown(&page);
        let expected = block(&page, "text").unwrap_or_default();
        assert!(shown.contains(&format!("[{code}]")), "{code}:\n{shown}");
        if shown.trim_end() != expected.trim_end() {
            assert!(std::env::var_os("BLESS").is_some(), "{code}: shown is\n{shown}");
            let old = format!("```text\n{expected}```");
            let new = format!("```text\n{}\n```", shown.trim_end());
            std::fs::write(&path, page.replace(&old, &new)).expect("a file that can be written");
        }
    }
}

#[test]
fn formulas_of_the_manual() {
    let manual = include_str!("../../../../docs/mu-calculus.md");
    let blocks: Vec<&str> =
        manual.split("```mcl\n").skip(1).filter_map(|b| b.split_once("```")).map(|(b, _)| b).collect();
    assert_eq!(blocks.len(), 2);
    for text in blocks {
        support::formula(text);
    }
    // Every macro of the library is in its table, with as many parameters.
    let defined =
        volvelle_mcl::LIBRARY.lines().filter_map(|line| line.strip_prefix("macro ")?.split_once(" ="));
    for (call, _) in defined {
        assert!(manual.contains(&format!("\n| `{call}` | ")), "{call}");
    }
    // Formulas of the example, with their verdicts.
    let lts = system(include_str!("../corpus/t08_peterson.aut"));
    let example =
        manual.split_once("## An example").expect("an example").1.split_once("## Evidence").unwrap().0;
    let mut checked = 0;
    for row in example.lines().filter(|line| line.starts_with("| `")) {
        let (text, verdict) = row[3..].split_once("` | ").expect("two columns");
        let answer = check(&support::formula(text), &lts, &Control::unlimited()).expect("no limits");
        assert_eq!(answer.holds, verdict.starts_with("holds"), "{text}");
        checked += 1;
    }
    assert_eq!(checked, 5);
}
