//! The result of tuning: the best configurations and their proof, a picture, the table, sensitivity.

use super::markup::{cost, escaped, facts, table};
use crate::screen::format::{count, number, time};
use crate::screen::tuning::{configuration, time_of};
use std::time::Duration;
use volvelle_tune::{Proof, Row, Tuning, evidence_name};
use volvelle_verify::limits::counted;

/// Configurations that the table has.
const MOST_ROWS: usize = 2_000;

/// The question.
pub fn title(tuning: &Tuning, file: &str) -> String {
    format!("The least {} of {file}, over {}", tuning.objective, tuning.parameters.join(", "))
}

/// The answer.
pub fn answer(tuning: &Tuning, elapsed: Duration) -> String {
    let best: Vec<String> =
        tuning.best().map(|row| format!("<code>{}</code>", escaped(&configuration(row, tuning)))).collect();
    let (name, proof) = match &tuning.proof {
        Proof::Proven(why) => ("proven", escaped(why)),
        Proof::Unproven(why) => ("not proven", format!("<span class=\"doubt\">{}</span>", escaped(why))),
    };
    let known = tuning.configurations.map_or(String::new(), |all| {
        format!("the time of {} of {} configurations is known", count(tuning.decided()), count(all))
    });
    let steps: Vec<String> = tuning
        .steps
        .iter()
        .map(|step| format!("{}: {} ({})", step.text, step.outcome, counted(step.states, "state")))
        .map(|line| escaped(&line))
        .collect();
    let unit = if tuning.unit.is_empty() { String::new() } else { format!(" {}", tuning.unit) };
    let least = tuning.time().map_or("none".to_owned(), |time| number(time, 0.0) + &unit);
    facts(&[
        (&format!("least {}", escaped(&tuning.objective)), format!("<strong>{}</strong>", escaped(&least))),
        ("with", best.join(", ")),
        (
            "until",
            if tuning.goal.is_empty() {
                String::new()
            } else {
                format!("<code>{}</code>", escaped(&tuning.goal))
            },
        ),
        (name, proof),
        ("coverage", known),
        ("method", escaped(&tuning.method)),
        ("steps", steps.join("<br/>")),
        (
            "explored",
            format!("{}, {}", counted(tuning.states, "state"), counted(tuning.transitions, "transition")),
        ),
        ("time", cost(&time(elapsed))),
    ])
}

/// The table of configurations.
pub fn configurations(tuning: &Tuning) -> String {
    let mut heads: Vec<&str> = tuning.parameters.iter().map(String::as_str).collect();
    heads.push(tuning.objective.as_str());
    let (has_states, has_predictions) = (tuning.is_about_states(), tuning.has_predictions());
    heads.extend(has_predictions.then_some("predicted"));
    heads.extend(["all runs", "states"].into_iter().filter(|_| has_states));
    heads.extend(["known by", ""]);
    let best = tuning.time();
    let row = |row: &Row| {
        let mut cells: Vec<String> = row.values.iter().map(|value| escaped(&value.to_string())).collect();
        let alike = match row.all_alike {
            Some(true) => "alike".to_owned(),
            Some(false) => {
                row.greatest.map_or("differ".to_owned(), |most| format!("up to {}", number(most, 0.0)))
            }
            None => String::new(),
        };
        cells.push(escaped(&time_of(row)));
        if has_predictions {
            cells.push(row.predicted.map_or(String::new(), |time| number(time, 0.0)));
        }
        if has_states {
            cells.extend([alike, count(row.states)]);
        }
        cells.push(evidence_name(&row.evidence).to_owned());
        cells.push(if best == Some(row.hi) { "<strong>best</strong>".to_owned() } else { String::new() });
        cells
    };
    let mut out = table("numbers", &heads, tuning.rows.iter().take(MOST_ROWS).map(row));
    if tuning.rows.len() > MOST_ROWS {
        let more = count((tuning.rows.len() - MOST_ROWS) as u64);
        out.push_str(&format!(
            "<p class=\"faint\">{more} more configurations are not shown: --csv writes all.</p>\n"
        ));
    }
    out
}

/// How much each parameter matters.
pub fn sensitivity(tuning: &Tuning) -> String {
    let all = tuning.sensitivities();
    if all.is_empty() {
        return String::new();
    }
    let rows = all.into_iter().map(|one| {
        vec![
            escaped(&tuning.parameters[one.parameter]),
            format!("{:.2}", one.ratio()),
            format!("{} ({})", number(one.best.1, 0.0), escaped(&one.best.0.to_string())),
            format!("{} ({})", number(one.worst.1, 0.0), escaped(&one.worst.0.to_string())),
        ]
    });
    table("numbers", &["parameter", "worst / best", "best (with)", "worst (with)"], rows)
}
