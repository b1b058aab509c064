//! The answer for programs: a section of the document that all questions share.

use super::ranges::Range;
use serde::Serialize;
use volvelle_diagnostics::Sources;
use volvelle_session::json::Document;
use volvelle_session::report::Report;

/// `"ranges": [{"variable": "coins", "taken": [0, 10], "declared": [0, 10]}]`
pub fn ranges<'a>(report: &'a Report, ranges: &'a [Range], sources: &'a Sources) -> Document<'a> {
    let shapes: Vec<RangeShape<'a>> = ranges
        .iter()
        .map(|range| RangeShape { variable: &range.name, taken: range.taken, declared: range.declared })
        .collect();
    Document::of_report(report, sources).with("ranges", shapes)
}

#[derive(Serialize)]
struct RangeShape<'a> {
    variable: &'a str,
    taken: [i64; 2],
    declared: [i64; 2],
}
