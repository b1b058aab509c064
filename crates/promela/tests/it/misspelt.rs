//! Misspelt words that end `if` and `do`, and names of inlines in calls: one mistake, whose fix restores the text.

use crate::common::read;
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Sources, applied, codes};
use volvelle_promela_testing::shape;

/// The examples that are right alone.
fn models() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples/promela", "crates/volvelle/tests/it/spin/kept"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "pml"));
    paths.sort();
    let texts = paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()));
    let right: Vec<_> = texts.filter(|(_, text)| read(text).1.diagnostics.is_empty()).collect();
    assert!(right.len() > 10, "{}", right.len());
    right
}

/// Where words stand in a text, outside of comments, texts and directives of the preprocessor.
fn places(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let rest = &text[at..];
        let skipped = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix('"') {
            inside.find('"').map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(is_part) {
            let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
            if is_wanted(word) {
                found.push((at, word));
            }
            word.len()
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += skipped;
    }
    found
}

fn fixed(sources: &Sources, fix: &Fix) -> Option<String> {
    applied(sources, &[fix]).text(sources, FileId(0))
}

fn said(mistakes: &[Diagnostic]) -> Vec<&str> {
    mistakes.iter().map(|one| one.message.as_str()).collect()
}

#[test]
fn each_end() {
    let mut tried = 0;
    for (path, text) in models() {
        let tree = shape(&read(&text).1.model);
        let ends = places(&text, |word| matches!(word, "fi" | "od"));
        for (at, word) in ends {
            let (first, last) = word.split_at(1);
            for other in [
                format!("{word}{last}"),
                format!("{word}x"),
                format!("{first}{first}{last}"),
                format!("{first}q"),
            ] {
                let broken = format!("{}{other}{}", &text[..at], &text[at + word.len()..]);
                let (sources, parsed, drawn) = read(&broken);
                let about = format!("{} {other}\n{drawn}", path.display());
                assert_eq!(parsed.diagnostics.len(), 1, "{about}");
                let [fix] = parsed.diagnostics[0].fixes.as_slice() else { panic!("{about}") };
                assert!(fix.is_certain(), "{about}");
                assert_eq!(fixed(&sources, fix).as_ref(), Some(&text), "{about}");
                assert_eq!(shape(&parsed.model), tree, "{about}");
                tried += 1;
            }
        }
    }
    assert!(tried > 140, "{tried}");
}

/// Two of them, nested or one behind the other, are two mistakes.
#[test]
fn several_ends() {
    for (text, expected) in [
        ("init { do :: if :: a -> b fii od }", "init { do :: if :: a -> b fi od }"),
        ("init { do :: if :: a -> b fii odd }", "init { do :: if :: a -> b fi od }"),
        ("init { if :: a -> if :: b -> c fii :: else fi }", "init { if :: a -> if :: b -> c fi :: else fi }"),
        ("init { if :: a fii; do :: b oed; c }", "init { if :: a fi; do :: b od; c }"),
        ("inline f() { if :: a\n fit }\ninit { f(); f() }", "inline f() { if :: a\n fi }\ninit { f(); f() }"),
        ("init { if :: a -> fo :: b -> c\n fii }", "init { if :: a -> fo :: b -> c\n fi }"),
    ] {
        let (sources, parsed, drawn) = read(text);
        let fixes: Vec<&Fix> = parsed.diagnostics.iter().flat_map(|one| &one.fixes).collect();
        assert_eq!(fixes.len(), parsed.diagnostics.len(), "{drawn}");
        assert_eq!(applied(&sources, &fixes).text(&sources, FileId(0)).as_deref(), Some(expected), "{drawn}");
    }
}

/// Where every end is there, names near to one are names; and where no word is one, none is taken.
#[test]
fn names_near_to_ends() {
    let text = "byte fo, ode, i;\ninit { do :: fo; ode = 1 :: i -> if :: fo\n :: ode; i od";
    for (behind, number) in [(" fi }", 2), (" }", 2)] {
        let found = read(&format!("{text}{behind}")).1.diagnostics;
        assert!(found.len() <= number && !found.is_empty(), "{:?}", said(&found));
        assert!(found.iter().all(|one| !one.message.contains("found `fo`")), "{:?}", said(&found));
    }
    let right = "byte fo, ode;\ninit { do :: fo; ode = 1 :: ode; if :: fo :: ode fi od }";
    assert_eq!(said(&read(right).1.diagnostics), Vec::<&str>::new());
}

/// Texts in which nothing ends are read in a time that grows with their length.
#[test]
fn hopeless_texts() {
    for piece in ["do :: x ", "if :: fo\n ", "fo; if :: a ", "fi od fo; ", "{ if :: fo; } ", "if :: fo od "] {
        let text = format!("init {{ {} }}", piece.repeat(100_000 / piece.len()));
        read(&text);
    }
}

#[test]
fn names_in_calls() {
    let mut tried = 0;
    // The examples have few.
    let own = "byte n; chan c = [1] of { byte };\ninline send(x) { atomic { c!x; n++ } }\n\
               inline receive(x) { c?x }\ninline both(x) { send(1); receive(x); again: send(n) }\n\
               init { byte x; both(x); if :: n > 1 -> send(2)\n :: else -> receive(x) fi; both(n) }\n";
    for (path, text) in models().into_iter().chain([(PathBuf::from("own"), own.to_owned())]) {
        let (_, parsed, _) = read(&text);
        assert!(parsed.diagnostics.is_empty());
        let inlines: Vec<(usize, &str)> = places(&text, |word| word == "inline");
        let names: Vec<&str> = inlines
            .iter()
            .map(|(at, _)| text[at + "inline".len()..].trim_start())
            .map(|rest| &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0)])
            .filter(|name| name.len() > 3)
            .collect();
        for (at, name) in places(&text, |word| names.contains(&word)) {
            let is_declared = text[..at].trim_end().ends_with("inline");
            let other = format!("{}{}", name, &name[name.len() - 1..]);
            if is_declared || names.contains(&other.as_str()) {
                continue;
            }
            let broken = format!("{}{other}{}", &text[..at], &text[at + name.len()..]);
            let (sources, parsed, drawn) = read(&broken);
            let about = format!("{} {other}\n{drawn}", path.display());
            let fixes: Vec<&Fix> = parsed.diagnostics.iter().flat_map(|one| &one.fixes).collect();
            // In an inline that nothing calls, nothing is read.
            if parsed.diagnostics.is_empty() {
                continue;
            }
            let right = fixes.first().and_then(|fix| fixed(&sources, fix));
            assert_eq!(right.as_ref(), Some(&text), "{about}");
            tried += 1;
        }
    }
    assert!(tried > 7, "{tried}");
}

#[test]
fn words_that_are_called() {
    for (text, expected) in [
        ("inline wait(t) { skip }\ninit { wiat(1) }", "wait"),
        ("inline wait(t) { skip }\ninline twice() { wat(1) }\ninit { twice() }", "wait"),
        ("#define IS_FULL(q) full(q)\nchan c = [1] of { bit };\ninit { IS_FUL(c) }", "IS_FULL"),
        ("init { printff(\"x\") }", "printf"),
        ("init { asert(true) }", "assert"),
        ("chan c = [1] of { bit };\ninit { nfulll(c) }", "nfull"),
    ] {
        let (sources, parsed, drawn) = read(text);
        let [one] = parsed.diagnostics.as_slice() else { panic!("{drawn}") };
        assert_eq!(one.code, codes::INLINE_CALL);
        assert_eq!(one.helps, [format!("did you mean `{expected}`?")], "{drawn}");
        let restored = fixed(&sources, &one.fixes[0]).unwrap();
        assert!(read(&restored).1.diagnostics.is_empty(), "{restored}");
    }
    let (_, parsed, _) = read("init { nothing_like_it(1) }");
    assert!(parsed.diagnostics[0].fixes.is_empty());
}
