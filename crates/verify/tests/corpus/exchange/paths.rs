//! Simulated paths of chains, compared with the values of their properties.

use super::Files;
use super::row::{Expected, Row};
use volvelle_control::Control;
use volvelle_diagnostics::codes;
use volvelle_logic::Value;
use volvelle_verify::{Sampling, Settings};

/// Paths for each value.
const PATHS: u64 = 4_000;
/// Deviations of the mean that a value may be away: seeds are fixed, so that nothing changes from run to run.
const DEVIATIONS: f64 = 5.0;

/// The value that paths can be compared with.
pub fn value(row: &Row, expected: &Expected) -> Option<f64> {
    let is_chain = ["dtmc", "ctmc"].contains(&row.kind.as_str());
    expected.alone().filter(|value| is_chain && value.is_finite())
}

/// How the mean of paths differs from the value of a property. What no path can tell has to be refused.
pub fn difference(files: &Files, text: &str, value: f64) -> Option<String> {
    let mut session = files.session(false);
    let sampling = Sampling { samples: Some(PATHS), ..Sampling::default() };
    let settings = Settings { sampling: Some(sampling), ..Settings::default() };
    let report = volvelle_verify::check(&mut session, &[text.to_owned()], &settings, &Control::unlimited());
    let Some(result) = report.results.first() else { return Some(format!("{text}: no paths were run")) };
    let is_long_run = text.contains("S=?") || text.contains("[ S ]");
    let answer = match &result.outcome {
        Err(complaints) => {
            let is_refused = complaints.iter().any(|complaint| complaint.code == codes::NOT_SIMULATED);
            return (!is_refused || !is_long_run).then(|| format!("{text}: {}", complaints[0].message));
        }
        Ok(_) if is_long_run => return Some(format!("{text}: a long run is answered by paths")),
        Ok(answer) => answer,
    };
    let (Value::Number(mean), Some(statistics)) = (&answer.value, &result.statistics) else {
        return Some(format!("{text}: {:?} is no mean", answer.value));
    };
    let of_one = statistics.deviation.unwrap_or((value * (1.0 - value)).max(0.0).sqrt());
    let deviation = of_one / (PATHS as f64).sqrt();
    let far = (mean - value).abs() > DEVIATIONS * deviation + 1e-6 * value.abs();
    let few = statistics.samples != PATHS;
    (far || few).then(|| format!("{text}: {} paths say {mean} instead of {value}", statistics.samples))
}
