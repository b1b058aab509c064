//! The model: what is known of its states, and its texts.

use super::markup::{cost, escaped, facts};
use super::{Context, texts};
use crate::screen::format::{bytes_short, count, kind, time};
use volvelle_session::report::ModelReport;

/// The section about the model; without a state space, what is known without exploring.
pub fn section(space: Option<&ModelReport>, context: &Context<'_>) -> String {
    let mut out = match space {
        Some(space) => self::space(space),
        None => sketch(context),
    };
    out.push_str(&texts(context.sources));
    out
}

/// What is known without exploring.
fn sketch(context: &Context<'_>) -> String {
    let outline = context.outline;
    let number = |n: Option<usize>| n.filter(|&n| n > 0).map_or(String::new(), |n| count(n as u64));
    facts(&[
        ("file", format!("<code>{}</code>", escaped(context.file))),
        ("kind", outline.map_or(String::new(), |outline| escaped(kind(&outline.kind)))),
        ("constants", escaped(&context.constants.join(", "))),
        ("modules", number(outline.map(|outline| outline.components.len()))),
        ("process types", number(outline.map(|outline| outline.processes.len()))),
        ("variables", number(outline.map(|outline| outline.variables.len()))),
    ])
}

/// What is known of a state space.
pub fn space(space: &ModelReport) -> String {
    let constants: Vec<String> = space.constants.iter().map(|constant| constant.to_string()).collect();
    let number = |n: Option<u64>| n.map_or(String::new(), count);
    let mut states = count(space.states);
    if !space.complete && !space.ended_by_error {
        states.push_str(" <strong class=\"doubt\">stopped before all states were found</strong>");
    }
    facts(&[
        ("file", format!("<code>{}</code>", escaped(&space.file))),
        ("kind", escaped(kind(&space.kind))),
        ("constants", escaped(&constants.join(", "))),
        (if space.is_product { "product states" } else { "states" }, states),
        ("counted in", space.first_of.map_or(String::new(), |all| format!("the first of {all} searches"))),
        ("choices", number(space.choices)),
        ("transitions", count(space.transitions)),
        ("initial states", number(space.initial_states)),
        ("states without transitions", number(space.deadlocks)),
        ("states not expanded", number(space.unexpanded)),
        ("bits per state", space.bits.to_string()),
        ("memory", cost(&bytes_short(space.bytes))),
        ("code", cost(&space.tier)),
        ("time", cost(&time(space.time))),
    ])
}
