//! What is known of a state space.

use volvelle_present::document::{Block, Digest, Entry, Medium, cost, doubtful, faint, name, strong, took};
use volvelle_present::format::{bytes_short, count, kind};
use volvelle_present::text;
use volvelle_session::limits::counted;
use volvelle_session::report::ModelReport;

/// `cluster.prism  CTMC  151,060 states  733,216 transitions  (0.02 s)`, with its cost in detail.
pub fn blocks(model: &ModelReport) -> Vec<Block> {
    let file = || name(&model.file);
    let mut entries = vec![
        Entry::new("file", file(), strong(file())),
        Entry::new("kind", kind(&model.kind), kind(&model.kind)),
    ];
    if !model.constants.is_empty() {
        let constants: Vec<String> = model.constants.iter().map(|constant| constant.to_string()).collect();
        entries.push(Entry::new("constants", name(constants.join(", ")), name(constants.join(","))));
    }
    let states = if model.is_product { ["product states", "product state"] } else { ["states", "state"] };
    entries.push(Entry::new(states[0], count(model.states), counted(model.states, states[1])));
    if let Some(choices) = model.choices {
        entries.push(Entry::new("choices", count(choices), counted(choices, "choice")));
    }
    entries.push(Entry::new(
        "transitions",
        count(model.transitions),
        counted(model.transitions, "transition"),
    ));
    if let Some(all) = model.first_of {
        let of = format!("the first of {} searches", count(all));
        entries.push(Entry::new("counted in", of.clone(), format!("in {of}")));
    }
    if let Some(n) = model.unexpanded {
        entries.push(Entry::new("states not expanded", count(n), format!("{} not expanded", count(n))));
    }
    if let Some(n) = model.initial_states {
        let item = if n > 1 { counted(n, "initial state") } else { String::new() };
        entries.push(Entry::new("initial states", count(n), item));
    }
    if !model.complete && !model.ended_by_error {
        let cut = doubtful("stopped before all states were found");
        entries.push(Entry::new("remark", cut.clone(), cut));
    }
    let time = took(model.time);
    entries.push(Entry::new("time", time.clone(), faint(text!["(", time, ")"])));
    let (bits, memory) = (model.bits.to_string(), bytes_short(model.bytes));
    let mut details = vec![
        Entry::new("bits per state", bits.clone(), format!("{bits} bits per state")),
        Entry::new("memory", cost(memory.clone()), cost(format!("{memory} in memory"))),
        Entry::new("code", cost(model.tier.as_ref()), cost(model.tier.as_ref())),
    ];
    if let Some(n) = model.deadlocks {
        let item = if n > 0 { format!("{} without transitions", count(n)) } else { String::new() };
        details.push(Entry::new("states without transitions", count(n), item));
    }
    details.iter_mut().for_each(|entry| entry.item = faint(std::mem::take(&mut entry.item)));
    let details = Digest { entries: details, gap: " · ", indent: 2 };
    vec![Digest { entries, gap: "  ", indent: 0 }.into(), Block::On(Medium::Details, vec![details.into()])]
}
