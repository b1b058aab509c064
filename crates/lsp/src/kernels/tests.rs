use super::*;
use crate::texts::Texts;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use volvelle_kernel::text::parse;

struct NoDisk;

impl crate::reader::Disk for NoDisk {
    fn read(&self, _: &Path, _: &Path) -> Option<Vec<u8>> {
        None
    }

    fn entries(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }
}

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

/// The files with which kernels are tested.
fn files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/filetests");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    assert!(found.len() > 20, "{}", found.len());
    found
}

/// Every mistake of the parser is told, where it says.
#[test]
fn mistakes_of_the_parser() {
    let mut number = 0;
    for (path, text) in files() {
        let mut found: Vec<String> = told(&text).into_iter().map(|(said, _)| said).collect();
        if let Err(errors) = parse(&text) {
            number += errors.len();
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            found.retain(|said| all.contains(said));
            let mut all = all;
            all.sort();
            found.sort();
            assert_eq!(found, all, "{}", path.display());
        } else if !text.contains("test verify-error") {
            assert_eq!(found, Vec::<String>::new(), "{}", path.display());
        } else {
            assert!(!found.is_empty(), "{}", path.display());
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
    for (_, text) in files().into_iter().step_by(5) {
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
