//! Programs on multicores: a table of machines and predictors, where the cycles go, and what limits a program.

pub mod tables;
pub mod timeline;

use crate::emit::{Model, PROPERTY as MODEL_PROPERTY};
use crate::executed::{CLASSES, Executed};
use crate::report::{Report, Row};
use crate::streams::{AccessRow, OutcomeRow};
use tables::percent;
use volvelle_multicore::Times;
use volvelle_present::terminal::text;
use volvelle_reports::documents::value::{trust, value};
use volvelle_reports::screen::columns::{Columns, Keys};
use volvelle_reports::screen::{Style, written as files_line};
use volvelle_session::limits::{bytes, count, counted};

/// Everything about programs, machines and predictors.
pub fn rows(
    report: &Report,
    symbol: impl Fn(&str, u64) -> Option<String>,
    written: &[String],
    style: Style,
) -> String {
    let mut out = String::new();
    if !report.title.is_empty() {
        out.push_str(&format!("{}\n\n", style.bold(&report.title)));
    }
    if report.means.is_empty() {
        let programs = report.rows.chunk_by(|one, other| one.program == other.program);
        let programs: Vec<String> = programs.map(|of| program(report, of, &symbol, style)).collect();
        out.push_str(&programs.join("\n"));
    } else {
        let sections = tables::study(report).into_iter().map(|(title, table)| section(&title, &table, style));
        out.push_str(&sections.collect::<Vec<String>>().join("\n"));
    }
    if let Some(choice) = &report.choice {
        for (title, table) in tables::choice(choice) {
            let table = if table.rows.is_empty() { String::new() } else { draw(&table, style) };
            out.push_str(&format!("\n{}\n\n{table}", style.bold(&title)));
        }
    }
    if let (Some(model), [row]) = (&report.model, &report.rows[..]) {
        out.push_str(&model_lines(model, row.answer.ipc(), style));
    }
    out.push_str(&files_line(written, style));
    out
}

/// What a queueing model says, beside what was simulated, and how to ask it again.
fn model_lines(model: &Model, simulated: f64, style: Style) -> String {
    let Some((answer, ipc)) = model.answer.as_ref().zip(model.ipc()) else { return String::new() };
    let error = 100.0 * (ipc / simulated - 1.0);
    let side = if error < 0.0 { "below" } else { "above" };
    format!(
        "\n  {}  IPC {} {}, {:.1} % {side} the simulated one\n  {}\n",
        style.bold("queueing model"),
        text(&value(answer), style),
        text(&trust(answer), style),
        error.abs(),
        style
            .dim(&format!("volvelle check {} --const {} --prop '{MODEL_PROPERTY}'", model.file, model.given)),
    )
}

fn program(
    report: &Report,
    of: &[Row],
    symbol: &impl Fn(&str, u64) -> Option<String>,
    style: Style,
) -> String {
    let first = &of[0];
    let about = tables::about(first);
    let mut out =
        format!("{}  {}\n\n", style.bold(&first.program), style.dim(&about.join(style.separator())));
    out.push_str(&draw(&tables::answers(report, of), style));
    if first.answer.cycles > 0 {
        out.push('\n');
        let mut stacks = tables::stacks(report, of);
        // What the rows are about, the table above says.
        let (Keys::Before(keys) | Keys::Behind(keys)) = stacks.keys;
        stacks.head[..keys].fill(String::new());
        stacks.head[0] = "cycles of cores".to_owned();
        out.push_str(&draw(&stacks, style));
        if tables::have_same_bounds(of) {
            out.push_str(&format!("\n  {}\n", style.dim(&limit(first))));
        }
    }
    for row in of {
        out.push_str(&lists(row, report.branches, symbol, style));
    }
    out
}

/// What no predictor can change.
fn limit(row: &Row) -> String {
    let text = |(name, ipc): (&str, Option<f64>)| Some(format!("{name} {:.3}", ipc?));
    let texts: Vec<String> = tables::bounds(row).into_iter().filter_map(text).collect();
    format!("IPC is at most, by {}", texts.join(", "))
}

/// Branches that are mispredicted most, shared blocks, and the way of the first instructions.
fn lists(row: &Row, branches: usize, symbol: &impl Fn(&str, u64) -> Option<String>, style: Style) -> String {
    let answer = &row.answer;
    let mut out = String::new();
    let title = |what: &str| {
        format!("\n  {}\n", style.dim(&format!("{what}: {} {}", answer.machine, answer.predictor)))
    };
    if branches > 0 && !answer.branches.is_empty() {
        out.push_str(&title("branches"));
        out.push_str(&draw(&tables::branches(row, branches, symbol), style));
    }
    if !answer.shared_blocks.is_empty() {
        out.push_str(&title("blocks that cores take from each other"));
        let blocks = tables::blocks(&answer.shared_blocks, |address| symbol(&row.program, address));
        out.push_str(&draw(&blocks, style));
    }
    if !answer.timeline.is_empty() {
        out.push_str(&title("F fetched, I issued, = at work, C complete, R retired"));
        out.push_str(&draw(&timeline(&answer.timeline), style));
    }
    out
}

/// Cycles that fit into a line.
const MOST_CYCLES: u64 = 100;

/// The way of instructions through the machine, cycle by cycle; as numbers where it is long.
fn timeline(all: &[Times]) -> Columns {
    let cycles = timeline::cycles(all);
    let is_short = cycles.end - cycles.start <= MOST_CYCLES;
    if is_short { timeline::drawn(all) } else { timeline::numbers(all) }
}

fn section(title: &str, table: &Columns, style: Style) -> String {
    format!("{}\n\n{}", style.bold(title), draw(table, style))
}

fn draw(table: &Columns, style: Style) -> String {
    table.draw(2, style, |_, text| text.to_owned())
}

/// What a program executed.
pub fn executed(name: &str, found: &Executed, written: &[String], style: Style) -> String {
    let mut about = vec![counted(found.instructions, "instruction")];
    about.extend(found.exit.map(|exit| format!("exit {exit}")));
    if found.printed > found.output.len() as u64 {
        about.push(format!("{} printed, of which only a part is shown", bytes(found.printed)));
    }
    let mut out = format!("{}  {}\n", style.bold(name), style.dim(&about.join(style.separator())));
    let share = |part: u64| percent(part, found.instructions);
    let mix: Vec<String> =
        CLASSES.iter().zip(found.mix).map(|((name, _), part)| format!("{name} {}", share(part))).collect();
    out.push_str(&volvelle_reports::screen::flow::items("  executed  ", &mix, "   ", 12, style));
    out.push_str(&format!("  branches  {} taken\n", percent(found.taken, found.branches())));
    let hashes = &found.hashes;
    let memory = format!("{}, {}", counted(hashes.loads, "load"), counted(hashes.stores, "store"));
    out.push_str(&format!(
        "  hashes    pc {:016x}   memory {:016x}   {}\n",
        hashes.pc,
        hashes.memory,
        style.dim(&memory)
    ));
    out.push_str(&files_line(written, style));
    out
}

/// Predictors on a stream of outcomes.
pub fn outcomes(name: &str, rows: &[OutcomeRow], written: &[String], style: Style) -> String {
    let predictions = rows.first().map_or(0, |row| row.predictions);
    let mut out = format!("{}  {}\n\n", style.bold(name), style.dim(&counted(predictions, "outcome")));
    out.push_str(&draw(&tables::outcomes(rows), style));
    out.push_str(&files_line(written, style));
    out
}

/// Caches under a stream of accesses.
pub fn accesses(name: &str, rows: &[AccessRow], written: &[String], style: Style) -> String {
    let all = rows.first().map_or(0, |row| row.counts.accesses);
    let mut out = format!("{}  {}\n\n", style.bold(name), style.dim(&format!("{} accesses", count(all))));
    out.push_str(&draw(&tables::accesses(rows), style));
    out.push_str(&files_line(written, style));
    out
}

/// A recording.
pub fn recorded(
    name: &str,
    instructions: u64,
    size: u64,
    exit: Option<u8>,
    written: &[String],
    style: Style,
) -> String {
    let each = size as f64 / instructions.max(1) as f64;
    let mut about = vec![counted(instructions, "instruction")];
    about.extend(exit.map(|exit| format!("exit {exit}")));
    about.push(format!("{}, {each:.3} bytes an instruction", bytes(size)));
    let line = format!("{}  {}\n", style.bold(name), style.dim(&about.join(style.separator())));
    line + &files_line(written, style)
}
