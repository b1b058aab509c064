//! What shows that an answer is right: probable paths, critical subsystems, schedulers.

use super::number;
use volvelle_present::document::{
    Block, Cell, Column, Heading, Layout, Medium, Note, Table, Text, faint, name,
};
use volvelle_present::format::count;
use volvelle_present::text;
use volvelle_session::evidence::{Evidence, MemoryReport, PathReport, SchedulerReport, SubsystemReport};
use volvelle_session::limits::counted;

/// Rows that a terminal shows at first.
const SHOWN: usize = 20;

/// How to see the others.
const ALL: &str = "-v shows all";

/// The evidence of an answer.
pub fn blocks(evidence: &Evidence) -> Vec<Block> {
    let mut out = Vec::new();
    if let Some(found) = &evidence.path {
        let what = match evidence.against {
            true => "counterexample, the most probable path",
            false => "most probable path",
        };
        let whither = if found.negated { " to where the formula fails" } else { "" };
        out.extend(titled(format!("{what}{whither}: {}", measures(found)), path(found)));
    }
    for (place, found) in (2..).zip(&evidence.further) {
        out.extend(titled(format!("path {}: {}", count(place), measures(found)), path(found)));
    }
    if !evidence.further.is_empty() {
        let paths = count(evidence.further.len() as u64 + 1);
        let together = number(evidence.paths_together());
        let text = format!("the {paths} paths together: probability {together}").into();
        out.extend([Block::Gap, Note { text, further: 2, ..Note::default() }.into()]);
    }
    out.extend(evidence.subsystem.iter().flat_map(subsystem));
    out.extend(evidence.scheduler.iter().flat_map(scheduler));
    out
}

fn titled(title: String, table: Table) -> Vec<Block> {
    let heading = Heading { title: title.into(), ..Heading::default() };
    let table = if table.rows.is_empty() { Block::Gap } else { table.into() };
    vec![Block::Gap, heading.into(), table]
}

/// `3 steps, probability 0.125`
fn measures(path: &PathReport) -> String {
    let length = counted(path.steps.len() as u64 - 1, "step");
    let probability = match path.probability {
        0.0 => format!("1e{:.2}", path.log10),
        p => number(p),
    };
    format!("{length}, probability {probability}")
}

/// The probability and the action that lead to a state stand before it.
fn path(path: &PathReport) -> Table {
    let columns = vec![
        Column::numbers("step").detail(),
        Column::numbers("probability"),
        Column::words("action"),
        Column::words("command").detail(),
        Column::words("state"),
    ];
    let rows = path.steps.iter().enumerate().map(|(i, step)| {
        let before = i.checked_sub(1).map(|before| &path.steps[before]);
        let probability = before.and_then(|step| step.probability).map_or(String::new(), number);
        let commands = before.map_or(Text::default(), |step| commands(&step.commands));
        vec![
            Cell::shown(i.to_string()),
            Cell::shown(probability),
            Cell::words(before.map_or(String::new(), |step| step.title())),
            commands.into(),
            Cell::name(&step.state),
        ]
    });
    Table { has_end: true, layout: Layout::List("  "), ..Table::new(columns, 0, rows).listed(SHOWN, ALL) }
}

/// Commands as they stand in the model, each with its place.
fn commands(commands: &[volvelle_session::evidence::CommandReport]) -> Text {
    let has_several = commands.len() > 1;
    Text::joined(
        commands.iter().map(|command| {
            let module = if has_several { format!("{}: ", command.module) } else { String::new() };
            let place = format!("{}:{}", command.file, command.line);
            text![name(format!("{module}{}", command.text)), " ", faint(name(place))]
        }),
        " || ",
    )
}

/// What a scheduler does: the state, the command, and where it stands in the model.
fn scheduler(found: &SchedulerReport) -> Vec<Block> {
    let (states, deciding) = (counted(found.states, "state"), count(found.deciding));
    let optimum = found.optimum;
    let title = match (found.deciding, &found.memory) {
        (decisions, Some(memory)) => remembering(optimum, decisions, memory),
        (0, None) => format!("scheduler ({optimum}): there is no choice to make in {states}"),
        (1, None) => format!("scheduler ({optimum}): 1 of {states} has several choices; there it takes"),
        (_, None) => {
            format!("scheduler ({optimum}): {deciding} of {states} have several choices; there it takes")
        }
    };
    let columns = vec![
        Column::numbers("number").detail(),
        Column::words("state"),
        Column::numbers("probability"),
        Column::words("choice").detail(),
        Column::words("action").detail(),
        Column::words("command"),
    ];
    let rows = found.decisions.iter().map(|decision| {
        let state = match &decision.memory {
            Some(memory) => text![name(&decision.state), ", ", memory.as_str()],
            None => name(&decision.state),
        };
        let place = decision.place();
        let gap = if place.is_empty() { "" } else { "   " };
        vec![
            Cell::shown(decision.number.to_string()),
            state.into(),
            Cell::shown(decision.probability.map_or(String::new(), number)),
            Cell::words(format!("{} of {}", decision.choice + 1, decision.of)),
            Cell::words(decision.action.as_ref().map_or(String::new(), |action| format!("[{action}]"))),
            text![name(decision.text()), gap, faint(place)].into(),
        ]
    });
    let table = Table::new(columns, 0, rows).listed(SHOWN, "-v shows more, the file lists all");
    let left = found.deciding.saturating_sub(found.decisions.len() as u64);
    let mut blocks = titled(title, table);
    if left > 0 {
        let text = faint(format!("{} more are in the file", count(left)));
        blocks.push(Block::On(Medium::Details, vec![Note { text, indent: 2, further: 4 }.into()]));
    }
    blocks
}

/// `scheduler (max) with memory (the steps that are left, 5 at first): 7 decisions in states with several choices; there it takes`
fn remembering(optimum: &str, decisions: u64, memory: &MemoryReport) -> String {
    let what = match memory.kind {
        "none" => "that draws choices by chance".to_owned(),
        "steps-left" => format!("with memory ({}, {} at first)", memory.what, count(memory.initial.into())),
        _ => format!("with {} memories ({})", count(memory.count.into()), memory.what),
    };
    let decided = match decisions {
        0 => "there is no choice to make where it leads".to_owned(),
        n => format!("{} in states with several choices; there it takes", counted(n, "decision")),
    };
    format!("scheduler ({optimum}) {what}: {decided}")
}

fn subsystem(part: &SubsystemReport) -> Vec<Block> {
    let [lo, hi] = part.bounds;
    let title = format!(
        "{} of {} states suffice: within them the probability is {} > {}",
        count(part.states.len() as u64),
        count(part.of),
        volvelle_present::format::number(lo + 0.5 * (hi - lo), 0.5 * (hi - lo)),
        number(part.threshold),
    );
    let columns = vec![Column::numbers("number").detail(), Column::words("state")];
    let rows = part.states.iter();
    let rows = rows.map(|(number, state)| vec![Cell::shown(number.to_string()), Cell::name(state)]);
    // It stands close to the path that leads through it.
    titled(title, Table::new(columns, 0, rows).listed(SHOWN, ALL)).split_off(1)
}
