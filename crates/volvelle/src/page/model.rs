//! The model: what is known of its states, and its text.

use super::Context;
use super::markup::{cost, escaped, facts};
use crate::screen::format::{bytes_short, count, kind, time};
use volvelle_diagnostics::{FileId, Source, Sources};
use volvelle_verify::ModelReport;

/// Lines of a text that are shown.
const MOST_LINES: usize = 3_000;
/// Bytes of a text that are shown.
const MOST_BYTES: usize = 200_000;
/// Lines up to which the text of a single file is open at first.
const FEW_LINES: usize = 40;

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

/// The texts, each in a block that can be opened; a short model is open at first.
pub fn texts(sources: &Sources) -> String {
    let all = (0..).map_while(|number| sources.get(FileId(number)));
    // Texts of options are in the command line, and models that are no text have none.
    let files = all.filter(|source| !source.name.starts_with("--") && !source.text.is_empty());
    files.enumerate().map(|(i, source)| block(source, i == 0)).collect()
}

fn block(text: &Source, is_model: bool) -> String {
    let lines = text.text.lines().count();
    let mut bytes = 0;
    let shown: Vec<&str> = (text.text.lines())
        .take(MOST_LINES)
        .take_while(|line| {
            bytes += line.len() + 1;
            bytes <= MOST_BYTES
        })
        .collect();
    let open = if is_model && lines <= FEW_LINES { " open=\"open\"" } else { "" };
    let numbered: String = shown.iter().map(|line| format!("<span>{}\n</span>", escaped(line))).collect();
    let cut = match lines - shown.len() {
        0 => String::new(),
        more => format!("<p class=\"doubt\">{} more lines are not shown.</p>\n", count(more as u64)),
    };
    format!(
        "<details{open}>\n<summary><code>{}</code>, {} {}</summary>\n<pre class=\"source\">{numbered}</pre>\n{cut}</details>\n",
        escaped(&text.name),
        count(lines as u64),
        if lines == 1 { "line" } else { "lines" },
    )
}
