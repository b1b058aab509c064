//! Answers for programs.

use crate::run::{Checked, Replied};
use serde::{Serialize, Serializer};
use volvelle_diagnostics::{Diagnostic, Sources, Span};
use volvelle_rules::machine::Statistics;
use volvelle_rules::system::{Answer, Finding, Line, Reply};
use volvelle_session::json::Document;

/// `"rules": {"system": "fj", "programs": 1, "statistics": …}`
pub(crate) fn of_check<'a>(
    system: &'a str,
    checked: &[Checked],
    statistics: Option<Statistics>,
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let rules =
        RulesShape { system, programs: Some(checked.len()), statistics: statistics.map(StatisticsShape::of) };
    Document::new(diagnostics, sources).with("rules", rules)
}

/// The same with `"outputs": […]` or `"failure": {…}`.
pub(crate) fn of_ask<'a>(
    system: &'a str,
    replied: &'a Replied,
    is_counted: bool,
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let statistics = is_counted.then(|| StatisticsShape::of(replied.statistics));
    let document =
        Document::new(diagnostics, sources).with("rules", RulesShape { system, programs: None, statistics });
    match &replied.reply {
        Reply::Holds(outputs) => {
            let document = document.with("outputs", outputs.iter().map(Value).collect::<Vec<_>>());
            match replied.derivation.split_first() {
                Some((line, within)) => document.with("derivation", StepShape::of(line, within)),
                None => document,
            }
        }
        Reply::Fails(finding) => document.with("failure", FailureShape::of(finding, sources)),
        Reply::Stopped(_) => document,
    }
}

/// `"types": [{"file": …, "line": …, "column": …, "end_line": …, "end_column": …, "type": …}]`
pub(crate) fn types<'a>(checked: &'a [Checked], sources: &'a Sources) -> Vec<TypeShape<'a>> {
    let all = checked.iter().flat_map(|one| &one.types);
    all.map(|typed| {
        let start = sources.line_column(typed.span);
        let end = sources.line_column(Span { start: typed.span.end, ..typed.span });
        TypeShape {
            file: &sources.file(typed.span.file).name,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            ty: &typed.ty,
        }
    })
    .collect()
}

/// A line of a derivation, with those behind it that are deeper.
#[derive(Serialize)]
struct StepShape<'a> {
    rule: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<&'a str>,
    inputs: &'a [String],
    outputs: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cached: bool,
    #[serde(skip_serializing_if = "Premises::is_empty")]
    premises: Premises<'a>,
    /// How many are too deep to be here.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

/// Readers of JSON refuse what is nested more deeply than about twice as much.
const DEEPEST: usize = 48;

impl<'a> StepShape<'a> {
    fn of(line: &'a Line, within: &'a [Line]) -> Self {
        let count = within.iter().take_while(|inner| inner.depth > line.depth).count();
        let is_deepest = line.depth >= DEEPEST;
        let premises = if is_deepest { &[] } else { &within[..count] };
        StepShape {
            rule: &line.rule,
            judgment: line.judgment.as_deref(),
            environment: line.environment.as_deref(),
            inputs: &line.inputs,
            outputs: &line.outputs,
            cached: line.cached,
            premises: Premises(premises),
            left_out: (is_deepest && count > 0).then_some(count),
        }
    }
}

/// Lines of which some are premises, and the others theirs.
struct Premises<'a>(&'a [Line]);

impl Premises<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Premises<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = self.0.first().map(|line| line.depth);
        let starts = self.0.iter().enumerate().filter(|(_, line)| Some(line.depth) == own);
        serializer.collect_seq(starts.map(|(at, line)| StepShape::of(line, &self.0[at + 1..])))
    }
}

#[derive(Serialize)]
pub(crate) struct TypeShape<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    #[serde(rename = "type")]
    ty: &'a str,
}

/// `"rules": {"system": "fj"}`
pub(crate) fn of_print<'a>(
    system: &'a str,
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let rules = RulesShape { system, programs: None, statistics: None };
    Document::new(diagnostics, sources).with("rules", rules)
}

#[derive(Serialize)]
struct RulesShape<'a> {
    system: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    programs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsShape>,
}

#[derive(Serialize)]
struct StatisticsShape {
    applications: u64,
    hits: u64,
    instructions: u64,
}

impl StatisticsShape {
    fn of(Statistics { applications, hits, instructions }: Statistics) -> Self {
        StatisticsShape { applications, hits, instructions }
    }
}

#[derive(Serialize)]
struct FailureShape<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trace: &'a [String],
}

impl<'a> FailureShape<'a> {
    fn of(finding: &'a Finding, sources: &'a Sources) -> Self {
        let place = finding.diagnostic.primary.as_ref().map(|label| label.span);
        let start = place.map(|span| sources.line_column(span));
        let end = place.map(|span| sources.line_column(Span { start: span.end, ..span }));
        FailureShape {
            message: &finding.diagnostic.message,
            rule: finding.rule.as_deref(),
            data: finding.data.as_deref(),
            file: place.map(|span| sources.file(span.file).name.as_str()),
            line: start.map(|at| at.line),
            column: start.map(|at| at.column),
            end_line: end.map(|at| at.line),
            end_column: end.map(|at| at.column),
            trace: &finding.trace,
        }
    }
}

/// A value of a system, in the form of JSON that is nearest.
struct Value<'a>(&'a Answer);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Answer::Null => serializer.serialize_none(),
            Answer::Truth(truth) => serializer.serialize_bool(*truth),
            Answer::Number(number) => serializer.serialize_i64(*number),
            Answer::Text(text) => serializer.serialize_str(text),
            Answer::List(items) => serializer.collect_seq(items.iter().map(Value)),
        }
    }
}
