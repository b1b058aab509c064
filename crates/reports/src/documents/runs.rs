//! Runs of processes: steps, the chart of their messages, and where every process is at the end.

use super::chart::chart;
use volvelle_present::document::{
    Block, Cell, Column, Document, Heading, Layout, Note, Step, Steps, Table, Text, name,
};
use volvelle_present::terminal::{StepLines, Style};
use volvelle_present::text;
use volvelle_session::limits::counted;
use volvelle_session::trace::{Actor, Counterexample, Standing, TraceStep, TrailLength, Written};

/// Widths of columns of steps that are not known beforehand.
const USUAL: [usize; 4] = [5, 16, 4, 32];

/// Indentation of steps on a terminal, where they stand by themselves.
const INDENT: usize = 4;

/// A run of a file, whatever it shows.
pub fn document(run: &Counterexample, file: &str) -> Document {
    let heading = Heading { title: run.reason.as_str().into(), ..Heading::default() };
    let blocks = [vec![heading.into()], steps(run, 1), vec![standings(&run.end, 0)]].concat();
    Document { title: format!("A run of {file}").into(), blocks }
}

/// A run that shows why a claim is violated; `number` tells its chart from others of the page.
pub fn counterexample(example: &Counterexample, number: usize) -> Vec<Block> {
    let title = name(&example.reason);
    let heading = Heading { title, about: length(example).into(), gap: 3, indent: 0 };
    let mut blocks = [vec![Block::Gap, heading.into()], steps(example, number)].concat();
    if example.is_stuck {
        blocks.push(standings(&example.end, 0));
    }
    blocks
}

fn steps(run: &Counterexample, number: usize) -> Vec<Block> {
    if run.steps.is_empty() && run.cycle_start.is_none() {
        return vec![Note { text: "in the initial state".into(), ..Note::default() }.into()];
    }
    let steps = run.steps.iter().enumerate().map(|(i, step)| self::step(run.number(i), step));
    let table = Steps {
        columns: columns(),
        steps: steps.collect(),
        cycle_start: run.cycle_start,
        omitted: run.omitted.map(|omitted| (omitted.after, omitted.steps)),
    };
    vec![Block::Picture(chart(run, number)), table.into()]
}

/// How many steps there are, and whether fewer would do.
fn length(example: &Counterexample) -> String {
    let why = match example.length {
        TrailLength::Unsaid => return String::new(),
        TrailLength::Shortest => "shortest".to_owned(),
        TrailLength::Unknown(None) => "not known to be the shortest".to_owned(),
        TrailLength::Unknown(Some(help)) => format!("not known to be the shortest: {help}"),
    };
    match example.len() {
        // The initial state: there is no shorter run.
        0 => String::new(),
        steps => format!("({}, {why})", counted(steps, "step")),
    }
}

/// Where every process is.
pub fn standings(end: &[Standing], indent: usize) -> Block {
    let columns = vec![Column::words("process"), Column::words("next statement")];
    let rows = end.iter().map(|standing| {
        let place = match &standing.at {
            Some(at) => {
                let may_stay = if standing.is_end { " (valid end state)" } else { "" };
                text![format!("before line {}: ", at.line), name(&at.text), through(at), may_stay]
            }
            None => "at its end".into(),
        };
        vec![Cell::name(format!("{}({})", standing.name, standing.process)), place.into()]
    });
    let table = Table { layout: Layout::List("  "), indent, ..Table::new(columns, 0, rows) };
    if table.rows.is_empty() { Block::Gap } else { table.into() }
}

fn columns() -> Vec<Column> {
    vec![
        Column::numbers("step"),
        Column::words("process"),
        Column::numbers("line"),
        Column::words("statement"),
    ]
}

/// Lines for steps that come one after the other, as in a simulation.
pub fn lines(style: Style) -> StepLines {
    StepLines::new(&columns(), USUAL.to_vec(), INDENT, style)
}

fn through(at: &Written) -> Text {
    let calls = at.through.iter().map(|(macro_name, line)| format!("  [{macro_name}, line {line}]"));
    let calls: String = calls.collect();
    if calls.is_empty() { Text::default() } else { name(calls) }
}

/// A step with its number.
pub fn step(number: u64, step: &TraceStep) -> Step {
    let number = Text::from(number.to_string());
    let Some(actor) = &step.actor else {
        let cells = vec![number, Text::default(), Text::default(), "no process can move".into()];
        return Step { cells, ..Step::default() };
    };
    let both = |part: &dyn Fn(&Actor) -> Text, between: &str| {
        Text::joined(std::iter::once(actor).chain(&step.partner).map(part), between)
    };
    let cells = vec![
        number,
        both(&|actor| name(format!("{}({})", actor.name, actor.process)), " > "),
        both(&|actor| actor.at.line.to_string().into(), ","),
        both(&|actor| name(&actor.at.text).then(through(&actor.at)), "  "),
    ];
    let mut changes = Vec::new();
    if let Some(message) = &step.message {
        let text = message.to_string();
        // Changes that the statement itself shows are omitted.
        let plain = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        if plain(&actor.at.text) != plain(&text) {
            changes.push(name(text));
        }
    }
    changes.extend(step.changes.iter().map(|change| name(format!("{}={}", change.name, change.after))));
    // Text that a model prints must not control the terminal.
    let tame = |c: char| if c.is_control() && !matches!(c, '\t' | '\n') { '.' } else { c };
    let printed = step.printed.chars().map(tame).collect();
    Step { cells, changes, printed, remarks: Vec::new() }
}
