//! The pages behind `volvelle explain`: numbering, shape, and drawings that are what the renderer draws.
//!
//! A page shows a program and, under it, the message. The message is read back here, drawn again on the
//! program of the page, and compared, so a drawing cannot drift away from its program or from the renderer.
//! `BLESS=1 cargo test -p volvelle-diagnostics` rewrites drawings after a change of the renderer.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use volvelle_diagnostics::{
    Code, Diagnostic, FileId, RenderOptions, Sources, Span, codes, explain, explanations, render,
};

const SECTIONS: [&str; 4] = ["## What", "## Why", "## Example", "## Way out"];

/// Fence of a program and the file name that drawings use for it.
const PROGRAMS: [(&str, &str); 29] = [
    ("mpi", "model.mpi"),
    ("prism", "model.prism"),
    ("props", "model.props"),
    ("kernel", "sum.vk"),
    ("promela", "model.pml"),
    ("toml", "devices.toml"),
    ("tra", "chain.tra"),
    ("drn", "model.drn"),
    ("aut", "model.aut"),
    ("hoa", "model.hoa"),
    ("opencl", "kernel.cl"),
    ("mcl", "formula.mcl"),
    ("lotos", "model.lotos"),
    ("exp", "model.exp"),
    ("toml", "experiment.toml"),
    ("toml", "protocol.toml"),
    ("toml", "study.toml"),
    ("wks", "model.wks"),
    ("wctl", "formula.wctl"),
    ("wccs", "model.wccs"),
    ("json", "model.json"),
    ("csv", "bodies.csv"),
    ("tsv", "stream.tsv"),
    ("toml", "machine.toml"),
    ("grammar", "language.grammar"),
    ("lambda", "program.lambda"),
    ("rules", "sums.rules"),
    ("sums", "program.sums"),
    ("n4js", "program.n4js"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("codes")
}

#[test]
fn codes_are_sorted_and_used_once() {
    let all: Vec<Code> = explanations().iter().map(|page| page.code).collect();
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "the list must be sorted by code: {all:?}");
}

#[test]
fn codes_lie_in_the_bands_of_the_numbering() {
    for page in explanations() {
        let (band, rest) = (page.code.0 / 100, page.code.0 % 100);
        assert!(band <= 21 && rest > 0, "{} is in no band", page.code);
    }
}

#[test]
fn names_stand_for_the_numbers_they_were_given() {
    assert_eq!(codes::FILE_NOT_READ.to_string(), "V0001");
    assert_eq!(codes::UNKNOWN_NAME, Code(203));
    assert_eq!(codes::OUT_OF_RANGE, Code(406));
    assert_eq!("V0203".parse(), Ok(codes::UNKNOWN_NAME));
    assert_eq!("v203".parse(), Ok(codes::UNKNOWN_NAME));
    for wrong in ["", "V", "V02031", "X0203", "V-203", "V٣"] {
        assert!(wrong.parse::<Code>().is_err(), "{wrong} is not a code");
    }
}

#[test]
fn every_code_explains_itself() {
    for page in explanations() {
        let found = explain(page.code).expect("a page");
        assert_eq!((found.code, found.title), (page.code, page.title));
    }
    assert!(explain(Code(9999)).is_none());
}

#[test]
fn every_page_belongs_to_a_code() {
    let files: BTreeSet<String> = fs::read_dir(folder())
        .expect("the folder of pages")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8"))
        .collect();
    let expected: BTreeSet<String> = explanations().iter().map(|page| format!("{}.md", page.code)).collect();
    assert_eq!(files, expected);
}

#[test]
fn titles_are_unique() {
    let mut seen = HashSet::new();
    for page in explanations() {
        assert!(!page.title.is_empty() && !page.title.ends_with('.'), "{}: {:?}", page.code, page.title);
        assert!(seen.insert(page.title), "{}: the title `{}` is taken", page.code, page.title);
    }
}

#[test]
fn every_page_has_the_fixed_shape() {
    for page in explanations() {
        let code = page.code;
        let mut lines = page.text.lines();
        assert_eq!(lines.next(), Some(format!("# {code}: {}", page.title).as_str()));
        let headings: Vec<&str> = prose(page.text).filter(|line| line.starts_with("##")).collect();
        assert_eq!(headings, SECTIONS, "{code}");
        for section in SECTIONS {
            let body = section_of(page.text, section);
            assert!(!body.trim().is_empty(), "{code}: {section} is empty");
        }
        let example = section_of(page.text, "## Example");
        let fences = fences(example);
        let (last, before) = fences.split_last().expect("an example");
        assert_eq!(last.tag, "text", "{code}: the example ends with the message");
        assert!(!before.is_empty(), "{code}: the example begins with a program or a command");
        for fence in before {
            let known = fence.tag == "console" || PROGRAMS.iter().any(|(tag, _)| *tag == fence.tag);
            assert!(known, "{code}: unknown fence {}", fence.tag);
        }
        assert!(page.text.lines().all(|line| line.chars().count() <= 110), "{code}: a line is too long");
    }
}

#[test]
fn drawings_are_what_the_renderer_draws() {
    for page in explanations() {
        let example = section_of(page.text, "## Example");
        let fences = fences(example);
        let drawing = fences.last().expect("an example").text;
        let mut sources = Sources::new();
        for (tag, name) in PROGRAMS {
            if let Some(fence) = fences.iter().find(|fence| fence.tag == tag) {
                sources.add(name, fence.text);
            }
        }
        let drawn = read_drawing(page.code, drawing, &sources);
        let drawn = without_page_line(&render(&drawn, &sources, RenderOptions::default()));
        if drawn != drawing && std::env::var_os("BLESS").is_some() {
            let blessed = page.text.replace(drawing, &drawn);
            fs::write(folder().join(format!("{}.md", page.code)), blessed).expect("the page is written");
        } else {
            assert_eq!(drawn, drawing, "{}: drawn now:\n{drawn}", page.code);
        }
    }
}

/// Inside its own page a message does not advertise the page.
fn without_page_line(drawn: &str) -> String {
    let mut lines: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    lines.retain(|line| !line.trim_start().starts_with("= explain:"));
    while lines.last().is_some_and(|line| line.trim() == "|") {
        lines.pop();
    }
    lines.join("\n") + "\n"
}

/// The diagnostic that a drawing shows.
#[track_caller]
fn read_drawing(code: Code, drawing: &str, sources: &Sources) -> Diagnostic {
    let mut lines = drawing.lines();
    let head = lines.next().expect("a first line");
    let (kind, message) = head.split_once(&format!("[{code}]: ")).expect("severity, code and sentence");
    let mut diagnostic = match kind {
        "error" => Diagnostic::error(code, message),
        "warning" => Diagnostic::warning(code, message),
        "note" => Diagnostic::note_only(code, message),
        _ => panic!("{code}: unknown severity {kind}"),
    };
    let mut file = None;
    let mut line_start = 0;
    for line in lines {
        let trimmed = line.trim();
        if let Some(place) = trimmed.strip_prefix("--> ").or(trimmed.strip_prefix("::: ")) {
            let name = place.split(':').next().expect("a name");
            file = (0..PROGRAMS.len() as u32)
                .map(FileId)
                .find(|id| sources.get(*id).is_some_and(|source| source.name == name));
            assert!(file.is_some(), "{code}: {name} is not on the page");
        } else if let Some(help) = trimmed.strip_prefix("= help: ") {
            diagnostic = diagnostic.help(help);
        } else if let Some(note) = trimmed.strip_prefix("= ") {
            diagnostic = diagnostic.note(note);
        } else if let Some((number, _)) = line.split_once(" | ").filter(|(n, _)| !n.trim().is_empty()) {
            let number: usize = number.trim().parse().expect("a line number");
            let text = &sources.file(file.expect("a file")).text;
            line_start = text.split_inclusive('\n').take(number - 1).map(str::len).sum();
        } else if let Some((_, marks)) = line.split_once("| ") {
            let file = file.expect("a file");
            diagnostic = read_marks(code, marks, file, line_start, diagnostic);
        } else {
            assert!(["|", "..."].contains(&trimmed), "{code}: cannot read the drawing's line {line:?}");
        }
    }
    diagnostic
}

/// Adds the marks of a line, or the words under a mark that another one leaves no room beside.
#[track_caller]
fn read_marks(code: Code, marks: &str, file: FileId, line_start: usize, mut found: Diagnostic) -> Diagnostic {
    let mut at = marks.len() - marks.trim_start().len();
    if marks[at..].starts_with('|') {
        return found;
    }
    if !marks[at..].starts_with(['^', '-']) {
        let from = (line_start + at) as u32;
        let label =
            found.secondary.iter_mut().find(|label| label.span.start == from && label.text.is_empty());
        label.unwrap_or_else(|| panic!("{code}: a mark begins with ^ or -")).text =
            marks[at..].trim().to_owned();
        return found;
    }
    loop {
        let mark = &marks[at..];
        let length = mark.len() - mark.trim_start_matches(['^', '-']).len();
        let span = Span::new(file, line_start + at, line_start + at + length);
        let rest = &mark[length..];
        let next = length + rest.len() - rest.trim_start().len();
        let is_last = !rest.trim_start().starts_with(['^', '-']);
        let label = if is_last { rest.trim() } else { "" };
        found = if mark.starts_with('^') { found.at(span, label) } else { found.also(span, label) };
        if is_last {
            return found;
        }
        at += next;
    }
}

/// A fenced block of Markdown.
struct Fence<'a> {
    tag: &'a str,
    text: &'a str,
}

fn fences(section: &str) -> Vec<Fence<'_>> {
    let mut out = Vec::new();
    let mut rest = section;
    while let Some((_, after)) = rest.split_once("```") {
        let (tag, after) = after.split_once('\n').expect("a tag");
        let (text, after) = after.split_once("```").expect("the end of a fence");
        out.push(Fence { tag, text });
        rest = after;
    }
    out
}

/// Lines outside fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The section under a heading, up to the next one.
fn section_of<'a>(text: &'a str, heading: &str) -> &'a str {
    let begin = text.find(&format!("\n{heading}\n")).expect("the heading is there") + heading.len() + 2;
    let rest = &text[begin..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}
