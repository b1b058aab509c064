//! Answers as CSV (RFC 4180): a line for each point, in the order of the grid.
//!
//! Columns: the constants of the axes; then for each property its value and the bounds of it. Numbers read back as the
//! same doubles; bounds are equal where the value is exact, and empty where there are none. In place of a value that
//! could not be computed stands the code of the diagnostic.

use crate::points::Experiment;
use crate::report::{PropertyReport, StateValue};
use volvelle_diagnostics::Severity;
use volvelle_logic::{FormulaValue, Guarantee, Ratio, Value};
pub use volvelle_media::csv::line;

/// The table of an experiment.
pub fn csv(experiment: &Experiment) -> String {
    let mut out = String::new();
    let mut header: Vec<String> = experiment.axes.iter().map(|axis| axis.name.clone()).collect();
    for result in experiment.points.first().map_or(&[][..], |p| &p.results) {
        let label = label(result);
        header.extend([label.clone(), format!("{label} lo"), format!("{label} hi")]);
    }
    line(&mut out, &header);
    for point in &experiment.points {
        let mut cells: Vec<String> = point.values.iter().map(|value| value.to_string()).collect();
        point.results.iter().for_each(|result| cells.extend(of_result(result)));
        line(&mut out, &cells);
    }
    out
}

/// The values in all states: number, state, and for each property value and bounds.
pub fn csv_of_states(results: &[PropertyReport]) -> String {
    let mut out = String::new();
    let with_values: Vec<&PropertyReport> = results.iter().filter(|r| r.values.is_some()).collect();
    let mut header = vec!["number".to_owned(), "state".to_owned()];
    for result in &with_values {
        let label = label(result);
        header.extend([label.clone(), format!("{label} lo"), format!("{label} hi")]);
    }
    line(&mut out, &header);
    let columns: Vec<(&[StateValue], bool)> = with_values
        .iter()
        .filter_map(|result| Some((result.values.as_deref()?, result.is_unbounded())))
        .collect();
    let Some((first, _)) = columns.first() else { return out };
    for (i, entry) in first.iter().enumerate() {
        let mut cells = vec![i.to_string(), entry.state.clone()];
        for (column, is_unbounded) in &columns {
            match column[i].value {
                value if *is_unbounded => {
                    cells.extend([number(value.middle()), String::new(), String::new()])
                }
                FormulaValue::Truth(truth) => cells.extend([truth.to_string(), String::new(), String::new()]),
                bounded @ FormulaValue::Bounds([lo, hi]) => {
                    cells.extend([bounded.middle(), lo, hi].map(number));
                }
            }
        }
        line(&mut out, &cells);
    }
    out
}

/// The heading of a property's column: its name, else its text.
fn label(result: &PropertyReport) -> String {
    result.name.clone().unwrap_or_else(|| result.text.clone())
}

/// Value, lower and upper bound.
fn of_result(result: &PropertyReport) -> [String; 3] {
    let answer = match &result.outcome {
        Ok(answer) => answer,
        Err(diagnostics) => {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            let [lo, hi] = result.known.map_or([String::new(), String::new()], |b| b.map(number));
            return [error.map_or(String::new(), |d| d.code.to_string()), lo, hi];
        }
    };
    let (value, exact) = match &answer.value {
        Value::Bool(truth) => (truth.to_string(), answer.compared),
        Value::Number(x) => match answer.exact.first() {
            Some(fraction) => (fraction.to_string(), None),
            None => (number(*x), Some(*x)),
        },
        Value::Interval(lo, hi) => (format!("[{}, {}]", number(*lo), number(*hi)), None),
        Value::Pareto(points) => {
            let text =
                |place: usize, x: f64| answer.exact.get(place).map_or_else(|| number(x), Ratio::to_string);
            let point = |(i, p): (usize, &Vec<f64>)| {
                let numbers = p.iter().enumerate().map(|(j, &x)| text(i * p.len() + j, x));
                format!("({})", numbers.collect::<Vec<_>>().join(", "))
            };
            (points.iter().enumerate().map(point).collect::<Vec<_>>().join(" "), None)
        }
        Value::States(states) => (format!("{} states", states.len()), None),
    };
    let [lo, hi] = match (&answer.guarantee, exact) {
        (Guarantee::Sound { lo, hi, .. }, _) => [number(*lo), number(*hi)],
        (Guarantee::Statistical { interval: Some(interval), .. }, _) => interval.map(number),
        (Guarantee::Exact { .. }, Some(x)) => [number(x), number(x)],
        (Guarantee::Exact { .. }, None) if answer.exact.len() == 1 => answer.exact[0].enclosure().map(number),
        _ => [String::new(), String::new()],
    };
    [value, lo, hi]
}

/// With the digits that are needed to read it back.
pub fn number(x: f64) -> String {
    format!("{x:?}")
}
