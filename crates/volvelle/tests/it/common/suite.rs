//! Annotated property files: in front of every property stands what its answer is.
//!
//! `// RESULT: v` says what a property gives, `// RESULT (N=3,T=1): v` what it gives under these constants. A value is a
//! number or fraction, `Infinity`, `-Infinity`, `NaN`, `true`, `false`, a range `[lo, hi]`, or `Error` with words that the
//! message has to contain.

use serde_json::Value;

/// A property and one of its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Place in the file, from 1, counted in properties.
    pub number: usize,
    /// Its first line.
    pub text: String,
    /// Constants, as `--const` takes them; empty for none.
    pub constants: String,
    /// What is expected.
    pub wanted: String,
}

/// The cases of a file. Every property has at least one; what stands between its comment and the property is skipped.
pub fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut results: Vec<(String, String)> = Vec::new();
    let mut number = 0;
    for line in text.lines() {
        if let Some(result) = line.strip_prefix("// RESULT") {
            let (constants, wanted) = result.split_once(':').expect("a result has a colon");
            let constants = constants.trim().trim_start_matches('(').trim_end_matches(')');
            results.push((constants.to_owned(), wanted.trim().to_owned()));
        } else if !results.is_empty() && !line.trim().is_empty() {
            number += 1;
            for (constants, wanted) in results.drain(..) {
                cases.push(Case { number, text: line.to_owned(), constants, wanted });
            }
        }
    }
    cases
}

/// Relative error of numbers that are given as decimals, and of those that are not exact.
const TOLERANCE: f64 = 1e-6;

/// What is wrong with a result, an entry of `results` in the JSON; `None` if nothing is.
pub fn problem(wanted: &str, result: &Value) -> Option<String> {
    let error = &result["error"];
    let value = &result["value"];
    let found = if error.is_null() { value.to_string() } else { error.to_string() };
    let mut words = wanted.split_whitespace();
    let right = match words.next() {
        Some("Error") => {
            let text = error.to_string().to_lowercase();
            !error.is_null() && words.all(|word| text.contains(&word.to_lowercase()))
        }
        Some("true" | "false") => value.as_bool() == Some(wanted == "true"),
        _ if !error.is_null() => false,
        _ => match wanted.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(range) => {
                let ends: Vec<&str> = range.split(',').map(str::trim).collect();
                let found = value.as_array().filter(|found| found.len() == ends.len());
                let bounds = [&result["lo"], &result["hi"]];
                ends.len() == 2
                    && found.is_some_and(|found| {
                        (0..2).all(|i| agrees(ends[i], &found[i]) && number(&found[i]).is_some())
                    })
                    && inside(ends[0], bounds)
                    && inside(ends[1], bounds)
            }
            None => agrees(wanted, value) && inside(wanted, [&result["lo"], &result["hi"]]),
        },
    };
    (!right).then(|| format!("{wanted} is right, found {found}"))
}

/// Whether a number is the one that is wanted: as text, or nearly.
fn agrees(wanted: &str, found: &Value) -> bool {
    let (Some(wanted), Some(found)) = (parse(wanted), number(found)) else { return false };
    wanted == found
        || wanted.is_nan() && found.is_nan()
        || wanted.is_finite() && (wanted - found).abs() <= TOLERANCE * wanted.abs().max(1e-3)
}

/// Whether bounds that a result states hold; what is wanted is rounded.
fn inside(wanted: &str, [lo, hi]: [&Value; 2]) -> bool {
    let (Some(wanted), Some(lo), Some(hi)) = (parse(wanted), number(lo), number(hi)) else { return true };
    let slack = 1e-12 * wanted.abs().min(f64::MAX);
    lo - slack <= wanted && wanted <= hi + slack
}

/// Whether a result of `--exact` is the wanted fraction, digit by digit. Decimals are roundings of what has no fraction.
pub fn is_exactly(wanted: &str, result: &Value) -> bool {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or(String::new(), |x| format!("{x}")),
        other => other.to_string(),
    };
    let name = |text: &str| match text {
        "Infinity" => "inf".to_owned(),
        "-Infinity" => "-inf".to_owned(),
        text => text.to_owned(),
    };
    match wanted.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(range) => {
            let found: Vec<String> = result["value"].as_array().into_iter().flatten().map(text).collect();
            range.split(',').map(|end| name(end.trim())).collect::<Vec<_>>() == found
        }
        None => wanted.contains('.') || name(wanted) == text(&result["value"]),
    }
}

/// A number of a suite: `1/3`, `0.5`, `Infinity`.
fn parse(text: &str) -> Option<f64> {
    match text.split_once('/') {
        Some((a, b)) => Some(a.trim().parse::<f64>().ok()? / b.trim().parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

/// A number of the JSON: fractions and infinities are strings.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => parse(text),
        _ => None,
    }
}
