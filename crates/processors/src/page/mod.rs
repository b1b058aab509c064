//! Answers about programs, traces and streams on multicores, as pages.

mod programs;
mod timeline;

use crate::executed::{CLASSES, Executed};
use crate::report::Report;
use crate::screen::tables;
use crate::streams::{AccessRow, OutcomeRow};
use programs::MOST_ROWS;
use volvelle_diagnostics::Diagnostic;
use volvelle_plot::bar_chart::BarChart;
use volvelle_present::page::Page;
use volvelle_present::page::texts;
use volvelle_reports::page::markup::{columns, escaped, facts};
use volvelle_reports::page::{Context, begun, finished as end, name};
use volvelle_reports::screen::columns::{Columns, Keys};
use volvelle_reports::screen::format::{bytes_short, count};

/// Bytes of what a program prints that are shown.
const MOST_PRINTED: usize = 200_000;
/// Blocks of a machine that are listed.
const MOST_BLOCKS: usize = 20;

/// The page of programs, machines and predictors; `charts` has the pictures, none for those with too many bars.
pub fn of_report(
    report: &Report,
    charts: &[Option<BarChart>],
    symbol: &impl Fn(&str, u64) -> Option<String>,
    diagnostics: &[Diagnostic],
    context: &Context<'_>,
) -> String {
    let title = match (report.title.as_str(), report.is_timed()) {
        ("", true) => format!("Instructions per cycle of {}", name(context.file)),
        ("", false) => format!("Predicted tasks of {}", name(context.file)),
        (title, _) => title.to_owned(),
    };
    let mut page = begun(&title, context);
    page.section("answers", "Answers", &programs::answers(report));
    if let Some(choice) = &report.choice {
        let all = tables::choice(choice).into_iter().map(|(title, table)| {
            let table = if table.rows.is_empty() { String::new() } else { columns(&table, MOST_ROWS) };
            format!("<h3>{}</h3>\n{table}", escaped(&title))
        });
        page.section("choice", "Choice", &all.collect::<String>());
    }
    page.section("plots", "Plots", &programs::plots(charts, report));
    page.section("cycles", "Where the cycles go", &programs::cycles(report));
    page.section("programs", "Programs", &programs::each(report));
    page.section("branches", "Branches that are mispredicted most", &programs::branches(report, symbol));
    page.section("blocks", "Blocks that cores take from each other", &programs::blocks(report, symbol));
    page.section("timeline", "The first instructions, cycle by cycle", &programs::timelines(report));
    finished(page, diagnostics, context)
}

/// The page of what programs print and execute.
pub fn of_executed(all: &[(String, Executed)], diagnostics: &[Diagnostic], context: &Context<'_>) -> String {
    let mut page = begun(&format!("What {} executes", name(context.file)), context);
    page.section(
        "answers",
        "Answers",
        &all.iter().map(|(name, found)| executed(name, found)).collect::<String>(),
    );
    page.section(
        "output",
        "Output",
        &all.iter().map(|(name, found)| output(name, found)).collect::<String>(),
    );
    finished(page, diagnostics, context)
}

/// The page of predictors on a stream of outcomes.
pub fn of_outcomes(rows: &[OutcomeRow], diagnostics: &[Diagnostic], context: &Context<'_>) -> String {
    let mut page = begun(&format!("Predictors on {}", name(context.file)), context);
    let number = rows.first().map_or(0, |row| row.predictions);
    let table = columns(&tables::outcomes(rows), MOST_ROWS);
    page.section("answers", "Answers", &(facts(&[("outcomes", count(number))]) + &table));
    finished(page, diagnostics, context)
}

/// The page of caches under a stream of accesses.
pub fn of_accesses(rows: &[AccessRow], diagnostics: &[Diagnostic], context: &Context<'_>) -> String {
    let mut page = begun(&format!("Caches under {}", name(context.file)), context);
    let number = rows.first().map_or(0, |row| row.counts.accesses);
    let table = columns(&tables::accesses(rows), MOST_ROWS);
    page.section("answers", "Answers", &(facts(&[("accesses", count(number))]) + &table));
    let blocks = rows.iter().filter(|row| !row.shared.is_empty()).map(|row| {
        let blocks = tables::blocks(&row.shared, |_| None);
        format!("<h3>{}</h3>\n{}", escaped(&row.machine), columns(&blocks, MOST_BLOCKS))
    });
    page.section("blocks", "Blocks that cores take from each other", &blocks.collect::<String>());
    finished(page, diagnostics, context)
}

fn finished(mut page: Page, diagnostics: &[Diagnostic], context: &Context<'_>) -> String {
    page.diagnostics(diagnostics, context.sources);
    page.section("model", "Texts", &texts(context.sources));
    end(page, context)
}

/// What a program executes: instructions by class, and hashes.
fn executed(name: &str, found: &Executed) -> String {
    let hashes = &found.hashes;
    let rows = CLASSES.iter().zip(found.mix).map(|((class, _), part)| {
        vec![(*class).to_owned(), count(part), tables::percent(part, found.instructions)]
    });
    let head = ["class", "instructions", "share"].map(str::to_owned).to_vec();
    let mix = Columns { head, rows: rows.collect(), keys: Keys::Before(1), group: 1 };
    let facts = facts(&[
        ("instructions", count(found.instructions)),
        ("exit", found.exit.map_or(String::new(), |exit| exit.to_string())),
        ("branches taken", tables::percent(found.taken, found.branches())),
        ("hash of addresses", format!("<code>{:016x}</code>", hashes.pc)),
        ("hash of accesses", format!("<code>{:016x}</code>", hashes.memory)),
        ("accesses hashed", format!("{} loads, {} stores", count(hashes.loads), count(hashes.stores))),
    ]);
    format!("<h3>{}</h3>\n{facts}{}", escaped(name), columns(&mix, MOST_ROWS))
}

/// What a program prints.
fn output(name: &str, found: &Executed) -> String {
    if found.printed == 0 {
        return String::new();
    }
    let shown = &found.output[..found.output.len().min(MOST_PRINTED)];
    let rest = found.printed - shown.len() as u64;
    let cut = match rest {
        0 => String::new(),
        rest => format!("<p class=\"doubt\">{} more are not shown.</p>\n", bytes_short(rest)),
    };
    let text = String::from_utf8_lossy(shown);
    format!("<h3>{}</h3>\n<pre>{}</pre>\n{cut}", escaped(name), escaped(&text))
}
