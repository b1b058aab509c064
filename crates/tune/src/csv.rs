//! The table of a result as comma-separated values.

use crate::result::{Evidence, Tuning};
use volvelle_media::csv::cell;

/// One line for each configuration, the best first: its parameters, the bounds of its time, and how they are known.
pub fn csv(tuning: &Tuning) -> String {
    let mut out = String::new();
    for name in &tuning.parameters {
        out.push_str(&cell(name));
        out.push(',');
    }
    out.push_str("time,lo,hi,greatest,all_alike,states,evidence,predicted,best\n");
    let best = tuning.time();
    for row in &tuning.rows {
        for value in &row.values {
            out.push_str(&cell(&value.to_string()));
            out.push(',');
        }
        let optional = |value: Option<f64>| value.map_or(String::new(), number);
        let alike = row.all_alike.map_or(String::new(), |alike| alike.to_string());
        out.push_str(&format!(
            "{},{},{},{},{alike},{},{},{},{}\n",
            optional(row.time()),
            number(row.lo),
            number(row.hi),
            optional(row.greatest),
            row.states,
            cell(name(&row.evidence)),
            optional(row.predicted),
            best == Some(row.hi)
        ));
    }
    out
}

/// A number; infinite ones as `inf`.
fn number(value: f64) -> String {
    value.to_string()
}

/// The name of a kind of evidence in files.
pub fn name(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::Certified => "certified",
        Evidence::Exhaustive => "exhaustive",
        Evidence::Composed(_) => "composed",
        Evidence::Found => "found",
        Evidence::Unknown => "unknown",
        Evidence::Predicted => "predicted",
        Evidence::Measured => "measured",
        Evidence::Invalid(_) => "invalid",
    }
}
