//! What became of cases: for people, and for programs.

use super::compare::Compared;
use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_present::document::{Answer, Cell, Column, Document, Heading, Table, Text, bad, good, name};
use volvelle_session::json::Document as Json;

/// All cases, and what of the systems they applied.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases.
    pub cases: Vec<Ran>,
    /// Rules, functions, checks and alternatives.
    pub parts: Vec<Place>,
}

/// A case that was run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its title.
    pub title: String,
    /// The file that it is in.
    pub file: String,
    /// The line of its program.
    pub line: usize,
    /// What became of it.
    pub compared: Compared,
}

/// A part of a system.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// A rule, a function or a check.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// Whether it is an alternative in it.
    #[serde(rename = "alternative")]
    pub is_alternative: bool,
    /// Whether it was applied.
    #[serde(skip)]
    pub is_applied: bool,
}

impl Report {
    /// Cases of which something is not as expected.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.compared.has_passed()).count()
    }

    fn counts(&self, alternatives: bool) -> (usize, usize) {
        let all = self.parts.iter().filter(|part| part.is_alternative == alternatives);
        (all.clone().filter(|part| part.is_applied).count(), all.count())
    }

    fn unapplied(&self) -> impl Iterator<Item = &Place> {
        self.parts.iter().filter(|part| !part.is_applied)
    }
}

/// A table of the cases, what is not as expected, and what was never applied.
pub fn document(report: &Report) -> Document {
    let (failed, all) = (report.failed(), report.cases.len());
    let cases = if all == 1 { "1 case".to_owned() } else { format!("{all} cases") };
    let verdict = match failed {
        0 => good("all as expected"),
        1 => bad("1 failed"),
        _ => bad(format!("{failed} failed")),
    };
    let answer = Answer { question: cases.into(), verdict, ..Answer::default() };
    let mut document = Document::answering("Cases of rules", answer);
    let columns = vec![Column::words("case"), Column::words("file"), Column::words("result")];
    let rows = report.cases.iter().map(|case| {
        let result: Text = match &case.compared {
            compared if compared.stopped.is_some() => "not decided".into(),
            compared if compared.has_passed() => good("passed"),
            _ => bad("failed"),
        };
        let file = format!("{}:{}", case.file, case.line);
        vec![Cell::name(case.title.as_str()), Cell::name(file), Cell::Text(result)]
    });
    document.push(Table::new(columns, 2, rows));
    for case in report.cases.iter().filter(|case| !case.compared.has_passed()) {
        let about = format!("{}:{}", case.file, case.line);
        document.push(Heading { title: name(case.title.as_str()), about: name(about), gap: 2, indent: 2 });
        let lines = case.compared.missing.iter().map(|line| ("expected, not found:", line));
        let more = case.compared.unexpected.iter().map(|line| ("found, not expected:", line));
        for (what, line) in lines.chain(more) {
            let mut text = Text::from(format!("{what} "));
            text.0.extend(name(line.as_str()).0);
            document.note(4, text);
        }
    }
    let ((rules, all_rules), (tried, alternatives)) = (report.counts(false), report.counts(true));
    document.note(
        2,
        format!("{rules} of {all_rules} rules, functions and checks were applied, {tried} of {alternatives} alternatives of `or`"),
    );
    if report.unapplied().next().is_some() {
        document.part("Never applied", "");
        let columns = vec![Column::words("what"), Column::words("name"), Column::words("place")];
        let rows = report.unapplied().map(|part| {
            let what = if part.is_alternative { "alternative in" } else { part.kind };
            let place = format!("{}:{}:{}", part.file, part.line, part.column);
            vec![Cell::shown(what), Cell::name(part.name.as_str()), Cell::name(place)]
        });
        document.push(Table::new(columns, 2, rows));
    }
    document
}

/// `"cases": {"passed": 3, "failed": 1, "all": […], "coverage": {…}}`
pub fn json<'a>(report: &'a Report, diagnostics: &'a [Diagnostic], sources: &'a Sources) -> Json<'a> {
    let failed = report.failed();
    let all = report.cases.iter().map(|case| CaseShape {
        title: &case.title,
        file: &case.file,
        line: case.line,
        result: match &case.compared {
            compared if compared.stopped.is_some() => "undecided",
            compared if compared.has_passed() => "passed",
            _ => "failed",
        },
        missing: &case.compared.missing,
        unexpected: &case.compared.unexpected,
    });
    let count = |alternatives| {
        let (applied, all) = report.counts(alternatives);
        CountShape { applied, all }
    };
    let coverage = CoverageShape {
        rules: count(false),
        alternatives: count(true),
        unapplied: report.unapplied().collect(),
    };
    let cases = CasesShape { passed: report.cases.len() - failed, failed, all: all.collect(), coverage };
    Json::new(diagnostics, sources).with("cases", cases)
}

#[derive(Serialize)]
struct CasesShape<'a> {
    passed: usize,
    failed: usize,
    all: Vec<CaseShape<'a>>,
    coverage: CoverageShape<'a>,
}

#[derive(Serialize)]
struct CaseShape<'a> {
    title: &'a str,
    file: &'a str,
    line: usize,
    result: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    missing: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unexpected: &'a [String],
}

#[derive(Serialize)]
struct CoverageShape<'a> {
    rules: CountShape,
    alternatives: CountShape,
    unapplied: Vec<&'a Place>,
}

#[derive(Serialize)]
struct CountShape {
    applied: usize,
    all: usize,
}
