use super::*;
use crate::reader::tests::NoDisk;
use crate::texts::Texts;
use std::rc::Rc;
use volvelle_kernel::text::parse;

/// Lines, columns and messages of a text, and the text at each place.
fn told(text: &str) -> Vec<(String, String)> {
    let reader = Reader::of(None, &Texts::default(), Rc::new(NoDisk));
    let of = |diagnostic: Diagnostic| {
        let span = diagnostic.primary.expect("a place").span;
        let before = &text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
        let shown = text[span.start as usize..span.end as usize].to_owned();
        (format!("{line}:{column}: {}", diagnostic.message), shown)
    };
    diagnosed(FileId(0), text, &reader).into_iter().map(of).collect()
}

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../kernel/filetests/", $name)))
    };
}

/// Files with which kernels are tested.
const FILES: &[(&str, &str)] = &[
    file!("buffers/append.vk"),
    file!("buffers/bounds.vk"),
    file!("buffers/take.vk"),
    file!("buffers/types.vk"),
    file!("control/for.vk"),
    file!("control/if.vk"),
    file!("control/leave.vk"),
    file!("control/locals.vk"),
    file!("control/machine.vk"),
    file!("control/step.vk"),
    file!("control/switch.vk"),
    file!("errors/bits.vk"),
    file!("errors/machine_text.vk"),
    file!("errors/parse.vk"),
    file!("errors/verify_machine.vk"),
    file!("errors/verify_names.vk"),
    file!("errors/verify_statements.vk"),
    file!("lazy/and_or.vk"),
    file!("lazy/order.vk"),
    file!("lazy/select.vk"),
    file!("text/bits.vk"),
    file!("text/literals.vk"),
    file!("text/loop.vk"),
    file!("text/machine.vk"),
    file!("text/names.vk"),
    file!("text/precedence.vk"),
    file!("text/sharing.vk"),
];

/// Every mistake of the parser is told, where it says.
#[test]
fn mistakes_of_the_parser() {
    let mut number = 0;
    for &(path, text) in FILES {
        let mut found: Vec<String> = told(text).into_iter().map(|(said, _)| said).collect();
        if let Err(errors) = parse(text) {
            number += errors.len();
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            found.retain(|said| all.contains(said));
            let mut all = all;
            all.sort();
            found.sort();
            assert_eq!(found, all, "{}", path);
        } else if !text.contains("test verify-error") {
            assert_eq!(found, Vec::<String>::new(), "{}", path);
        } else {
            assert!(!found.is_empty(), "{}", path);
        }
    }
    assert!(number > 20, "{number}");
}

#[test]
fn places_of_the_verifier() {
    let text = "kernel k(x: i64, x: i64) {
  buffer b: read i64;
  buffer c: append u8;
  local i: u32; local `no name`: u8;
  i = 1u32;
  b[0u64] = x;
  if true { i = 2u32; } else if false { break; } else { emit c, 1i64; }
  for i in 0u32..2u32 { i = 1u32; }
  x = select(x < 0i64, 1i64, 0i64);
  switch x { case 1 { } case 1 { } }
}
kernel good() { }
";
    let found = told(text);
    let said: Vec<(&str, &str)> = found.iter().map(|(said, shown)| (said.as_str(), shown.as_str())).collect();
    let places: Vec<(&str, &str)> =
        said.iter().map(|(said, shown)| (&said[..said.find(": ").unwrap()], *shown)).collect();
    let expected = [
        ("1:18", "x"),
        ("4:23", "`no name`"),
        ("6:3", "b"),
        ("7:41", "break"),
        ("7:57", "emit"),
        ("8:25", "i"),
        ("10:3", "switch"),
    ];
    assert_eq!(places, expected, "{said:#?}");
}

#[test]
fn texts_that_are_cut() {
    for (_, text) in FILES.iter().step_by(3) {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            told(&text[..end]);
        }
    }
}

/// A kernel with a mistake does not hide what is wrong with another one.
#[test]
fn each_kernel_alone() {
    let found = told("kernel a( { }\nkernel b() { break; }\n");
    let places: Vec<&str> = found.iter().map(|(said, _)| said.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["1:11", "2:14"], "{found:?}");
}

/// Names, functions and words, each misspelt: the fix restores the text.
#[test]
fn misspelt_words() {
    let text = "kernel step(bound: i64) {
    buffer states: read u64;
    buffer succ: append u64;
    site @0: overflow, tag 17;
    local index: u64;
    for index in 0u64..len(states) {
        bound = states[index] as i64;
        if bound < select(true, 1i64, 2i64) { emit succ, (bound *@0 3i64) as u64; }
    }
    truncate succ, min(index, 7u64);
}
";
    let reader = Reader::of(None, &Texts::default(), Rc::new(NoDisk));
    assert_eq!(told(text), []);
    let mut tried = 0;
    for word in [
        "kernel", "read", "append", "overflow", "tag", "u64", "index", "states", "succ", "bound", "select",
        "emit", "min", "truncate",
    ] {
        for (at, _) in text.match_indices(word) {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_whole = !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part);
            let is_declared = text[..at].ends_with(['(']) && word == "bound" && at < 20
                || ["buffer ", "local "].iter().any(|before| text[..at].ends_with(before));
            if !is_whole || is_declared {
                continue;
            }
            let broken = format!("{}{}{word}{}", &text[..at], &word[..1], &text[at + word.len()..]);
            let found = diagnosed(FileId(0), &broken, &reader);
            let mut sources = volvelle_diagnostics::Sources::new();
            let file = sources.add("step.vk", broken.as_str());
            let fix = found.iter().flat_map(|one| &one.fixes).next();
            let fix = fix.unwrap_or_else(|| panic!("{word} {at}: {found:#?}"));
            let restored = volvelle_diagnostics::applied(&sources, &[fix]).text(&sources, file);
            assert_eq!(restored.as_deref(), Some(text), "{word} {at}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}
