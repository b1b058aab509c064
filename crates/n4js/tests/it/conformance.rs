//! What the type system says about programs of which it is known what should be said.
//!
//! The cases are those of [`corpus`](crate::corpus); errors and types are compared as its description says, leniently. No chapter may
//! fall below the floor that is written here.
//!
//! `cargo test -p volvelle-n4js --test it conformance -- --nocapture` prints the table. `N4JS_SHOW=ch05.0` prints what is not met of cases
//! whose names begin so, `N4JS_SHOW=` of all.

#![allow(clippy::print_stdout, reason = "a table for the terminal")]

use crate::common::{System, limits, system};
use crate::corpus::{Case, cases};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use volvelle_diagnostics::{FileId, Severity, Span};
use volvelle_n4js::typed;
use volvelle_rules::system::{Report, Typed};

/// Of each chapter how many of the windows with errors, of those without, and of the types are to be met at least.
const FLOORS: &[(&str, [usize; 3])] = &[
    ("ch03", [14, 8, 0]),
    ("ch04", [201, 253, 128]),
    ("ch05", [442, 509, 8]),
    ("ch06", [58, 120, 99]),
    ("ch08", [153, 90, 79]),
    ("ch09", [29, 51, 3]),
    ("ch11", [25, 4, 32]),
    ("types", [152, 141, 44]),
];

const KINDS: [&str; 3] = ["errors", "noerrors", "type"];

#[derive(Clone, Copy, Default)]
struct Count {
    met: usize,
    all: usize,
}

/// What was said about a case, with offsets in characters.
struct Said {
    errors: Vec<(usize, usize, String)>,
    types: Vec<(usize, usize, String)>,
}

fn said(system: &System, case: &Case) -> Said {
    let loaded = &system.loaded;
    let (sources, program) = system.program(&[(&case.id, &case.text)]);
    let file = program.tree.span(program.root).file;
    let nodes = typed::nodes(loaded, &program);
    let judgment = loaded.judgment(typed::JUDGMENT).expect("the rules have it");
    let (report, types) = loaded.check_and_ask(&sources, &program, (judgment, &nodes), limits(), true);
    let count = |at: u32| case.text[..at as usize].chars().count();
    let ends = |span: Span| (count(span.start), count(span.end));
    let named = |Typed { span, ty }| (ends(span).0, ends(span).1, ty);
    Said {
        errors: errors(&report, file).map(|(span, text)| (ends(span).0, ends(span).1, text)).collect(),
        types: types.into_iter().map(named).collect(),
    }
}

/// Errors with their places. One that stands in the rules is a mistake of these.
fn errors(report: &Report, file: FileId) -> impl Iterator<Item = (Span, String)> {
    report.findings.iter().filter(|finding| finding.diagnostic.severity == Severity::Error).map(
        move |finding| {
            let at = finding.diagnostic.primary.as_ref().expect("a place").span;
            assert_eq!(at.file, file, "{}", finding.diagnostic.message);
            (at, format!("{} [{}]", finding.diagnostic.message, finding.rule.as_deref().unwrap_or("form")))
        },
    )
}

fn number(value: &Json) -> usize {
    value.as_u64().expect("an offset") as usize
}

fn is_touched((start, end): (usize, usize), (other_start, other_end): (usize, usize)) -> bool {
    start.max(other_start) <= end.min(other_end)
}

/// Whether each error that is expected in a window is touched by one that was told, and the other way round; and what was told.
fn errors_met(said: &Said, window: &Json) -> (bool, String) {
    let (from, to) = (number(&window["from"]), number(&window["to"]));
    let own: Vec<_> = said.errors.iter().filter(|(start, ..)| (from..to).contains(start)).collect();
    let wanted: Vec<(usize, usize)> = window["at"]
        .as_array()
        .map(|all| all.iter().map(|at| (number(&at[0]), number(&at[1]))).collect())
        .unwrap_or_default();
    let met = wanted.iter().all(|&at| own.iter().any(|one| is_touched(at, (one.0, one.1))))
        && own.iter().all(|one| wanted.iter().any(|&at| is_touched(at, (one.0, one.1))));
    (met, format!("wanted {}, told {own:?}", window["at"]))
}

/// Whether the entry that a place means has the type that is expected: the largest one that ends at or before the end, or else the
/// smallest.
fn type_met(said: &Said, expected: &Json) -> (bool, String) {
    let at = number(&expected["at"]);
    let end = at + number(&expected["len"]);
    let around = || said.types.iter().filter(|(start, behind, _)| (*start..*behind).contains(&at));
    let size = |entry: &&(usize, usize, String)| entry.1 - entry.0;
    let found =
        around().filter(|entry| entry.1 <= end).max_by_key(size).or_else(|| around().min_by_key(size));
    let found = found.map_or("nothing", |(.., ty)| ty);
    let wanted = expected["type"].as_str().expect("a type");
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    (bare(found) == bare(wanted), format!("wanted {wanted}, found {found}"))
}

#[test]
fn chapters_are_met() {
    let cases = cases();
    if cases.is_empty() {
        return;
    }
    let system = system();
    let shown = std::env::var("N4JS_SHOW").ok();
    let mut table: BTreeMap<&str, [Count; 3]> = BTreeMap::new();
    for case in &cases {
        let said = said(&system, case);
        let chapter = case.chapter.as_str();
        for expected in &case.expect {
            let Some(kind) = KINDS.iter().position(|kind| expected["kind"] == *kind) else { continue };
            let (met, why) = if kind == 2 { type_met(&said, expected) } else { errors_met(&said, expected) };
            let count = &mut table.entry(chapter).or_default()[kind];
            count.all += 1;
            count.met += usize::from(met);
            if !met && shown.as_ref().is_some_and(|prefix| case.id.starts_with(prefix.as_str())) {
                println!("{}: {}: {why}", case.id, KINDS[kind]);
            }
        }
    }
    let mut sums = [Count::default(); 3];
    let mut text = String::new();
    for (chapter, counts) in &table {
        line(&mut text, chapter, counts);
        for (sum, count) in sums.iter_mut().zip(counts) {
            sum.met += count.met;
            sum.all += count.all;
        }
    }
    line(&mut text, "all", &sums);
    println!("{text}");
    for (chapter, floors) in FLOORS {
        let met = table.get(chapter).copied().unwrap_or_default().map(|count| count.met);
        assert!(
            met.iter().zip(floors).all(|(met, floor)| met >= floor),
            "{chapter}: {met:?} of {floors:?}\n{text}"
        );
    }
    assert_eq!(table.len(), FLOORS.len(), "each chapter has a floor");
}

fn line(text: &mut String, chapter: &str, counts: &[Count; 3]) {
    write!(text, "{chapter:<6}").expect("a string takes all");
    for (kind, Count { met, all }) in KINDS.iter().zip(counts) {
        let part = if *all == 0 { 100. } else { 100. * *met as f64 / *all as f64 };
        write!(text, "  {kind} {met:>4}/{all:<4} {part:>5.1} %").expect("a string takes all");
    }
    text.push('\n');
}
