//! What a run has found, in a line.

use serde_json::{Value, json};
use std::fmt::Write;

/// What a run has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// In a line: `0.166667, sound`.
    pub text: String,
    /// Whether the property holds, where that was asked.
    pub verdict: Option<bool>,
    /// The answer as the program gives it; for what it prints as text, that.
    pub value: Value,
    /// The steps of a counterexample, as the program gives them.
    pub counterexample: Option<Value>,
    /// What is suspicious.
    pub hints: Vec<Hint>,
}

/// Something suspicious in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// The file, by its name from the folder of the model.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// `V0425`
    pub code: String,
    /// What.
    pub message: String,
}

/// Reads what a run has printed.
///
/// # Errors
/// There is no answer: why.
pub fn read(printed: &[u8], is_json: bool) -> Result<Outcome, String> {
    if !is_json {
        let text = String::from_utf8_lossy(printed).trim_end().to_owned();
        return match text.is_empty() {
            true => Err("there is no path".to_owned()),
            false => Ok(Outcome { value: json!(text), ..Outcome::default() }),
        };
    }
    let report: Value =
        serde_json::from_slice(printed).map_err(|_| "the run ended without an answer".to_owned())?;
    let results = report["results"].as_array().map_or(&[][..], Vec::as_slice);
    let errors: Vec<&Value> = errors(&report).collect();
    let lines: Vec<String> = results.iter().filter_map(result).collect();
    let verdicts: Vec<bool> = results.iter().filter_map(|result| result["verdict"].as_bool()).collect();
    let told = match (lines.as_slice(), report["model"]["states"].as_u64()) {
        // A false property is an error of the report, too.
        ([], Some(states)) if results.is_empty() && errors.is_empty() => {
            let transitions = report["model"]["transitions"].as_u64().unwrap_or_default();
            format!("{} states, {} transitions", grouped(states), grouped(transitions))
        }
        // What `lint` says is warnings.
        ([], _) if report["statements"].is_object() && errors.is_empty() => match hints(&report).len() {
            0 => "nothing suspicious".to_owned(),
            1 => "1 suspicious statement".to_owned(),
            number => format!("{number} suspicious statements"),
        },
        ([], _) => {
            return Err(errors.first().map_or("there is no answer".to_owned(), |error| message(error)));
        }
        ([line], _) => line.clone(),
        (lines, _) => lines.join("; "),
    };
    let first = results.iter().find(|result| result["counterexample"].is_object());
    Ok(Outcome {
        text: told,
        verdict: (!verdicts.is_empty()).then(|| verdicts.iter().all(|&holds| holds)),
        value: if let [result] = results { result.clone() } else { report.clone() },
        counterexample: first.map(|result| result["counterexample"].clone()),
        hints: if report["statements"].is_object() { hints(&report) } else { Vec::new() },
    })
}

/// Warnings with a place.
fn hints(report: &Value) -> Vec<Hint> {
    let warnings = report["diagnostics"].as_array().into_iter().flatten();
    let hint = |warning: &Value| {
        let number = |name: &str| warning[name].as_u64().and_then(|number| u32::try_from(number).ok());
        let text = |name: &str| warning[name].as_str().map(str::to_owned);
        let notes = warning["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let message = std::iter::once(text("message")?.as_str()).chain(notes).collect::<Vec<_>>().join("\n");
        Some(Hint {
            file: text("file")?,
            line: number("line")?,
            column: number("column")?,
            code: text("code")?,
            message,
        })
    };
    warnings.filter(|warning| warning["severity"] == "warning").filter_map(hint).collect()
}

fn errors(report: &Value) -> impl Iterator<Item = &Value> {
    let of_results = report["results"].as_array().into_iter().flatten().map(|result| &result["error"]);
    let all = report["diagnostics"].as_array().into_iter().flatten().chain(of_results);
    all.filter(|diagnostic| diagnostic["severity"] == "error")
}

fn message(error: &Value) -> String {
    let text = error["message"].as_str().unwrap_or("there is no answer");
    match error["help"][0].as_str() {
        Some(help) => format!("{text}: {help}"),
        None => text.to_owned(),
    }
}

/// The result of a property, if there is one: `0.166667, sound`.
fn result(result: &Value) -> Option<String> {
    if result["value"].is_null() {
        return None;
    }
    let mut text = match (result["name"].as_str(), result["verdict"].as_bool()) {
        (Some(name), Some(holds)) => format!("{name}: {}", if holds { "holds" } else { "false" }),
        (None, Some(holds)) => (if holds { "holds" } else { "false" }).to_owned(),
        _ => number(&result["value"]),
    };
    // Bounds are told where the digits that are shown do not tell them.
    let (lower, upper) = (&result["lo"], &result["hi"]);
    let differs = |bound: &Value| !bound.is_null() && number(bound) != number(&result["value"]);
    if differs(lower) || differs(upper) {
        let _ = write!(text, " in [{}, {}]", number(lower), number(upper));
    }
    if let Some(guarantee) = result["guarantee"].as_str() {
        let _ = write!(text, ", {guarantee}");
    }
    if let Some(confidence) = result["statistics"]["confidence"].as_f64() {
        let _ = write!(text, " ({} %)", number(&json!(confidence * 100.0)));
    }
    Some(text)
}

/// A number with six digits at most; other values as they are.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => {
            let shown = format!("{number:.*e}", 5);
            let rounded: f64 = shown.parse().unwrap_or(number);
            rounded.to_string()
        }
        _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

/// A count with commas.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(report: &Value) -> Result<String, String> {
        read(report.to_string().as_bytes(), true).map(|outcome| outcome.text)
    }

    #[test]
    fn answers_in_a_line() {
        let result = json!({ "value": 0.166_666_666_7, "lo": 0.166_666_666_6, "hi": 0.166_666_666_8, "guarantee": "sound" });
        assert_eq!(text(&json!({ "results": [result] })).unwrap(), "0.166667, sound");
        let result = json!({ "value": 0.167_12, "lo": 0.164_092, "hi": 0.170_18, "guarantee": "statistical",
            "statistics": { "confidence": 0.99 } });
        assert_eq!(
            text(&json!({ "results": [result] })).unwrap(),
            "0.16712 in [0.164092, 0.17018], statistical (99 %)"
        );
        let result = json!({ "value": false, "verdict": false, "guarantee": "exact" });
        assert_eq!(text(&json!({ "results": [result] })).unwrap(), "false, exact");
        let exact = json!({ "value": "1/6", "guarantee": "exact" });
        assert_eq!(text(&json!({ "results": [exact] })).unwrap(), "1/6, exact");
        let model = json!({ "model": { "states": 1_234_567, "transitions": 20 } });
        assert_eq!(text(&model).unwrap(), "1,234,567 states, 20 transitions");
    }

    #[test]
    fn reasons_for_no_answer() {
        let error = json!({ "severity": "error", "message": "the time limit was reached: 60 s", "help": ["raise --timeout"] });
        let report = json!({ "model": { "states": 3 }, "diagnostics": [error] });
        assert_eq!(text(&report).unwrap_err(), "the time limit was reached: 60 s: raise --timeout");
        let report = json!({ "results": [{ "property": "p", "error": error }] });
        assert!(text(&report).unwrap_err().starts_with("the time limit"));
        assert_eq!(read(b"", true).unwrap_err(), "the run ended without an answer");
        assert!(read(b"", false).is_err());
    }
}
