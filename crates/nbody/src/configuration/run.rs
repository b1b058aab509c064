//! The sections `[run]` and `[output]`.

use super::entries::{Bound, Section};
use super::form::FORMATS;
use crate::files::Format;
use crate::schedule::{Schedule, is_too_fine};
use volvelle_declarations::Reader;
use volvelle_diagnostics::codes;

/// What a run writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    /// The folder of its files; `None` if the configuration names none.
    pub folder: Option<String>,
    /// The format of snapshots.
    pub format: Format,
}

/// Default number of reports.
const REPORTS: f64 = 10.0;

/// Default of the largest relative change of the energy without a warning.
const LARGEST_DRIFT: f64 = 0.01;

/// When a run ends and reports, and the largest relative change of the energy.
pub(super) fn read(reader: &mut Reader<'_>, mut section: Section<'_>) -> Option<(Schedule, f64)> {
    let end = section.needed(reader, "end", Bound::Finite, "10.0");
    let report = interval(reader, &mut section, "report", end);
    let largest_drift = section.number(reader, "largest_drift", Bound::Positive);
    section.finish(reader, &[]);
    let end = end?;
    let length = if end == 0.0 { 1.0 } else { end.abs() };
    let schedule = Schedule { end, report: report.unwrap_or(length / REPORTS), snapshots: None };
    Some((schedule, largest_drift.unwrap_or(LARGEST_DRIFT)))
}

/// What a run writes, and how often snapshots.
pub(super) fn read_outputs(
    reader: &mut Reader<'_>,
    section: Option<Section<'_>>,
    end: Option<f64>,
) -> Option<(Outputs, Option<f64>)> {
    let Some(mut section) = section else {
        return Some((Outputs { folder: None, format: Format::Csv }, None));
    };
    let folder =
        section.take("folder").and_then(|value| reader.string("folder", value, "`folder = \"out\"`"));
    let snapshots = interval(reader, &mut section, "snapshots", end);
    let format = section.word(reader, "format", FORMATS).map_or(Format::Csv, |place| Format::ALL[place]);
    section.finish(reader, &[]);
    Some((Outputs { folder, format }, snapshots))
}

/// A time between outputs.
fn interval(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    end: Option<f64>,
) -> Option<f64> {
    let value = section.take(key)?;
    let interval = super::entries::number(reader, key, value, Bound::Positive)?;
    if end.is_some_and(|end| is_too_fine(interval, end)) {
        let message = format!("`{key}` is so short that its multiples up to the end cannot be told apart");
        reader.report(codes::NBODY_VALUE, message, value.span(), "");
        return None;
    }
    Some(interval)
}
