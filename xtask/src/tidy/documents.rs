//! Rules about pages: none is lost, no link leads nowhere, pages of the book link to pages of the book, every diagnostic
//! code that is mentioned has its page.

use super::Finding;
use crate::tree::File;
use std::collections::{BTreeMap, BTreeSet};

/// The folder of the book's pages.
const BOOK: &str = "docs/";
/// The book's contents.
const SUMMARY: &str = "docs/SUMMARY.md";

/// All rules about documents.
pub fn check(files: &[File]) -> Vec<Finding> {
    let paths: BTreeSet<&str> = files.iter().map(|f| f.path.as_str()).collect();
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        files.iter().filter(|f| f.is_markdown()).map(|f| (f.path.as_str(), anchors(f))).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.is_markdown()) {
        for link in links(file) {
            if let Some(message) = fault(file, &link, &paths, &anchors) {
                findings.push(Finding::new(&file.path, link.line, message));
            }
        }
    }
    findings.extend(lost_pages(files));
    findings.extend(unknown_codes(files, &paths));
    findings
}

/// What is wrong with a link.
fn fault(
    file: &File,
    link: &Link,
    paths: &BTreeSet<&str>,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
) -> Option<String> {
    let path = match link.path.as_str() {
        "" => file.path.clone(),
        path => resolve(&file.path, path),
    };
    let in_book = |path: &str| path.starts_with(BOOK);
    if !exists(paths, &path) {
        return Some(format!("the link to `{}` leads nowhere", link.path));
    }
    if in_book(&file.path) && !in_book(&path) {
        return Some(format!("`{}` is not in the book: name the file instead of linking to it", link.path));
    }
    let anchor = link.anchor.as_deref()?;
    let missing = !anchors.get(path.as_str()).is_some_and(|known| known.contains(anchor));
    missing.then(|| format!("there is no heading `#{anchor}` in {path}"))
}

/// Pages of the book that its table of contents does not mention.
fn lost_pages(files: &[File]) -> Vec<Finding> {
    let pages: Vec<&File> =
        files.iter().filter(|f| f.path.starts_with(BOOK) && f.is_markdown() && f.path != SUMMARY).collect();
    let Some(summary) = files.iter().find(|f| f.path == SUMMARY) else {
        return if pages.is_empty() {
            Vec::new()
        } else {
            vec![Finding::new(SUMMARY, 0, "the book has no contents")]
        };
    };
    let listed: BTreeSet<String> =
        links(summary).into_iter().map(|link| resolve(SUMMARY, &link.path)).collect();
    let lost = pages.iter().filter(|page| !listed.contains(&page.path));
    lost.map(|page| Finding::new(&page.path, 0, format!("{SUMMARY} does not mention this page"))).collect()
}

/// A relative link in a page.
struct Link {
    line: usize,
    /// Empty for a place in the page itself.
    path: String,
    /// What stands behind `#`.
    anchor: Option<String>,
}

/// Lines of a page outside fenced code.
fn prose(file: &File) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fence: Option<String> = None;
    for (line, text) in file.lines() {
        let trimmed = text.trim_start();
        let marks: String = trimmed.chars().take_while(|c| *c == '`' || *c == '~').collect();
        if marks.len() >= 3 {
            match &fence {
                None => fence = Some(marks),
                Some(open) if marks.starts_with(open.as_str()) && trimmed.trim_end() == marks => fence = None,
                Some(_) => {}
            }
        } else if fence.is_none() {
            found.push((line, text));
        }
    }
    found
}

/// Relative links in Markdown, outside fenced code.
fn links(file: &File) -> Vec<Link> {
    let mut found = Vec::new();
    for (line, text) in prose(file) {
        for (at, _) in text.match_indices("](") {
            // A link inside `code` is text.
            if text[..at].matches('`').count() % 2 == 1 {
                continue;
            }
            let rest = &text[at + 2..];
            let Some(end) = rest.find(')') else { continue };
            let target = rest[..end].split(' ').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = match target.split_once('#') {
                Some((path, anchor)) => (path, Some(anchor.to_owned())),
                None => (target, None),
            };
            found.push(Link { line, path: path.to_owned(), anchor });
        }
    }
    found
}

/// The anchors of a page's headings, as GitHub and mdBook name them.
fn anchors(file: &File) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (_, text) in prose(file) {
        let heading = text.trim_start_matches('#');
        if heading.len() == text.len() || !heading.starts_with(' ') {
            continue;
        }
        let anchor = slug(heading);
        let before = seen.entry(anchor.clone()).or_default();
        found.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
        *before += 1;
    }
    found
}

/// A heading as an anchor: small letters, digits, `_` and `-`; blanks become `-`, everything else goes.
fn slug(heading: &str) -> String {
    let mut anchor = String::new();
    let mut rest = heading.trim();
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        // The target of a link is not part of the heading.
        if c == ']' && rest.starts_with('(') {
            rest = rest.split_once(')').map_or("", |(_, behind)| behind);
        } else if c.is_alphanumeric() || c == '_' || c == '-' {
            anchor.extend(c.to_lowercase());
        } else if c.is_whitespace() {
            anchor.push('-');
        }
    }
    anchor
}

/// The path that a link in the page `from` means.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn exists(paths: &BTreeSet<&str>, path: &str) -> bool {
    let folder = format!("{path}/");
    paths.contains(path)
        || path.is_empty()
        || paths.range(folder.as_str()..).next().is_some_and(|p| p.starts_with(&folder))
}

/// Codes such as `V0203` that are mentioned but have no page, and codes made outside the catalogue.
fn unknown_codes(files: &[File], paths: &BTreeSet<&str>) -> Vec<Finding> {
    const PAGES: &str = "crates/diagnostics/codes/";
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| (f.is_rust() || f.is_markdown()) && !f.path.starts_with("xtask/")) {
        // Tests make codes up, those of the catalogue most of all.
        let may_invent = file.path.starts_with("crates/diagnostics/") || file.path.contains("/tests/");
        for (line, text) in file.lines() {
            for code in codes(text) {
                if !may_invent && !paths.contains(format!("{PAGES}{code}.md").as_str()) {
                    findings.push(Finding::new(&file.path, line, format!("there is no page for {code}")));
                }
            }
            let made = text.match_indices("Code(").any(|(at, open)| {
                let before = text[..at].chars().next_back();
                let inside = text[at + open.len()..].trim_start();
                inside.starts_with(|c: char| c.is_ascii_digit())
                    && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            });
            if made && !may_invent && file.is_rust() && file.path.contains("/src/") {
                let message = "a code is named, not numbered: volvelle_diagnostics::codes";
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

/// `V` and four digits, as a word.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c: char| !word(c))
        .filter(|w| w.len() == 5 && w.starts_with('V') && w[1..].bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_book() {
        let files = [
            (
                "README.md",
                "[book](docs/SUMMARY.md) [web](https://x.org#y) [here](#a-part) [folder](docs)\n## A part",
            ),
            ("docs/SUMMARY.md", "- [One](one.md)\n- [Two](deep/two.md#part)"),
            ("docs/one.md", "```\n[not a link](nowhere)\n# not a heading\n```\nand `[nor](this)`"),
            ("docs/deep/two.md", "# Part\n[back](../one.md) [up](#part)"),
        ];
        assert!(messages(&files).is_empty(), "{:?}", messages(&files));
    }

    #[test]
    fn links_that_lead_nowhere() {
        let files = [("README.md", "one\n[two](docs/two.md)"), ("docs/SUMMARY.md", "")];
        assert_eq!(messages(&files), ["README.md:2: the link to `docs/two.md` leads nowhere"]);
    }

    #[test]
    fn links_to_headings_that_do_not_exist() {
        let files = [("README.md", "[a](#here) [b](other.md#part)\n# Here\n"), ("other.md", "# Parts\n")];
        assert_eq!(messages(&files), ["README.md:1: there is no heading `#part` in other.md"]);
    }

    #[test]
    fn links_that_leave_the_book() {
        let files = [("README.md", ""), ("docs/SUMMARY.md", "[What it is](../README.md)")];
        let expected =
            "docs/SUMMARY.md:1: `../README.md` is not in the book: name the file instead of linking to it";
        assert_eq!(messages(&files), [expected]);
    }

    #[test]
    fn anchors_of_headings() {
        let page = "# `R [ F a ]`, and *T*\n## Part\n## Part\n## [Two](x.md) words_1\n#no heading";
        let found = anchors(&File::new("a.md", page));
        assert_eq!(
            found,
            BTreeSet::from(["r--f-a--and-t", "part", "part-1", "two-words_1"].map(str::to_owned))
        );
    }

    #[test]
    fn lost_pages() {
        let files = [("docs/SUMMARY.md", ""), ("docs/one.md", "")];
        assert_eq!(messages(&files), ["docs/one.md: docs/SUMMARY.md does not mention this page"]);
        assert_eq!(messages(&[("docs/one.md", "")]), ["docs/SUMMARY.md: the book has no contents"]);
    }

    #[test]
    fn codes_without_a_page() {
        let files = [
            ("crates/diagnostics/codes/V0203.md", "# V0203"),
            ("crates/a/src/b.rs", "// V0203\n// V0999, RV12345, V02034\n"),
        ];
        assert_eq!(messages(&files), ["crates/a/src/b.rs:2: there is no page for V0999"]);
    }

    #[test]
    fn codes_by_number() {
        assert_eq!(messages(&[("crates/a/src/b.rs", "f(Code(203))")]).len(), 1);
        assert!(messages(&[("crates/a/src/b.rs", "f(ExitCode(2), Code(n))")]).is_empty());
    }
}
