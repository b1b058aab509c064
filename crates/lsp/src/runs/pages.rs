//! What a run has found, as a page: a counterexample step by step, a path.

use super::{Kept, Place};
use serde_json::Value;
use std::fmt::Write;
use volvelle_media::markdown;

/// The page, in Markdown.
pub fn page(place: &Place, kept: &Kept) -> String {
    let name = markdown::text(&place.model.name());
    let word = place.question.command.word();
    let mut page = format!("# {name}: {word}\n\n");
    if !kept.outcome.text.is_empty() {
        let _ = writeln!(page, "{}  ", markdown::text(&kept.outcome.text));
    }
    let _ = writeln!(page, "{} UTC\n", kept.when);
    match (&kept.outcome.counterexample, &kept.outcome.value) {
        (Some(counterexample), _) => page += &steps(counterexample),
        (None, Value::String(text)) => {
            let _ = writeln!(page, "```text\n{text}\n```");
        }
        (None, value) => {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            let _ = writeln!(page, "```json\n{text}\n```");
        }
    }
    page
}

/// The steps of a counterexample as a table.
fn steps(counterexample: &Value) -> String {
    let mut page = String::new();
    if let Some(reason) = counterexample["reason"].as_str() {
        let _ = writeln!(page, "{}.\n", markdown::text(reason));
    }
    let steps = counterexample["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let cycle = counterexample["cycle_start"].as_u64();
    page += "| step | who | line | what | changes |\n|--:|---|--:|---|---|\n";
    for (number, step) in steps.iter().enumerate() {
        if cycle == Some(number as u64) {
            page += "| | | | *from here on, again and again* | |\n";
        }
        let text = |name: &str| step[name].as_str().map(markdown::text).unwrap_or_default();
        let who = match step["process"].as_u64() {
            Some(process) => format!("{}({process})", text("name")),
            None => text("module"),
        };
        let what =
            ["statement", "action", "label"].iter().map(|name| text(name)).find(|text| !text.is_empty());
        let line = step["line"].as_u64().map_or(String::new(), |line| line.to_string());
        let changes = step["changes"].as_array().map_or(&[][..], Vec::as_slice);
        let changes: Vec<String> = changes
            .iter()
            .map(|change| format!("{}={}", change["name"].as_str().unwrap_or_default(), change["after"]))
            .collect();
        let changes = markdown::text(&changes.join(" "));
        let _ =
            writeln!(page, "| {} | {who} | {line} | {} | {changes} |", number + 1, what.unwrap_or_default());
    }
    page
}
