//! Programs, machines and predictors on a page: cycles and predictions, where the cycles go, what limits a program, and lists.

use super::timeline;
use crate::report::{Report, Row};
use crate::screen::tables;
use volvelle_plot::bar_chart::BarChart;
use volvelle_plot::{Format, render_bar_chart};
use volvelle_reports::page::markup::{columns, escaped, facts, picture};
use volvelle_reports::screen::format::count;

/// Rows of a table.
pub const MOST_ROWS: usize = 2_000;
/// Answers that have lists of their own.
const MOST_LISTS: usize = 40;

/// What the columns of the first table mean.
const COLUMNS: &str = "<p class=\"faint\">wrong: tasks whose successor was foretold wrongly. MPKI: these for 1,000 instructions. \
     bits: those of the predictor's tables.</p>\n";
const COLUMNS_OF_CYCLES: &str = "<p class=\"faint\">IPC: instructions per cycle. at most: what no predictor can exceed. D misses: of the data caches; coherence: \
     those of them that other cores caused.</p>\n";

/// What the parts of the cycles mean.
const PARTS: &str = "<p class=\"faint\">Parts of the cycles of all cores together. busy: instructions issue. dependence: an operand is not there. \
     fetch, icache: nothing is fetched yet, or its block missed. dcache, coherence: a block missed, or another core had it. squash: \
     lost to mispredictions. imbalance: waiting for other cores.</p>\n";

/// Means, gains and readings of a study, or the answers of a single program; and what is missing.
pub fn answers(report: &Report) -> String {
    let mut out = String::new();
    if !report.is_whole {
        out.push_str("<p class=\"doubt\">The run ended early: not all answers are here.</p>\n");
    }
    if !report.means.is_empty() {
        for (title, table) in tables::study(report) {
            let title = escaped(&capitalised(&title));
            out.push_str(&format!("<h3>{title}</h3>\n{}", columns(&table, MOST_ROWS)));
        }
        let note =
            "Gains and means are those of IPC, instructions per cycle; expected: the figures of the study.";
        out.push_str(&format!("<p class=\"faint\">{note}</p>\n"));
    } else if let [rows] = &programs(report)[..] {
        out.push_str(&about(&rows[0]));
        out.push_str(&of_rows(report, rows));
    }
    out
}

/// A title on the screen as a heading.
fn capitalised(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Rows of each program.
fn programs(report: &Report) -> Vec<&[Row]> {
    report.rows.chunk_by(|one, other| one.program == other.program).collect()
}

fn about(row: &Row) -> String {
    facts(&[
        ("program", format!("<code>{}</code>", escaped(&row.program))),
        ("instructions", count(row.answer.instructions)),
        ("exit", row.exit.map_or(String::new(), |exit| exit.to_string())),
        ("windows", tables::windows(row).unwrap_or_default()),
    ])
}

fn of_rows(report: &Report, rows: &[Row]) -> String {
    let cycles = if report.is_timed() { COLUMNS_OF_CYCLES } else { "" };
    columns(&tables::answers(report, rows), MOST_ROWS) + cycles + COLUMNS
}

/// The pictures; too many bars are not drawn.
pub fn plots(charts: &[Option<BarChart>], report: &Report) -> String {
    if !report.is_timed() {
        return String::new();
    }
    let drawn = charts.iter().flatten();
    let mut out: String = drawn.map(|chart| picture(&render_bar_chart(chart, Format::Svg))).collect();
    if charts.iter().any(Option::is_none) {
        out.push_str("<p class=\"faint\">There are too many bars to draw; --csv has all numbers.</p>\n");
    }
    out
}

/// Where the cycles of a single program go, and what limits it.
pub fn cycles(report: &Report) -> String {
    match &programs(report)[..] {
        [rows] if report.is_timed() => cycles_of(report, rows),
        _ => String::new(),
    }
}

fn cycles_of(report: &Report, rows: &[Row]) -> String {
    format!(
        "{}{PARTS}<h3>What limits the program</h3>\n{}<p class=\"faint\">IPC, at most, that each of these allows: no predictor changes \
         that.</p>\n",
        columns(&tables::stacks(report, rows), MOST_ROWS),
        columns(&tables::limits(report, rows), MOST_ROWS)
    )
}

/// Each of several programs, to be opened.
pub fn each(report: &Report) -> String {
    let all = programs(report);
    if all.len() < 2 {
        return String::new();
    }
    let block = |rows: &&[Row]| {
        let first = &rows[0];
        let mut content = about(first) + &of_rows(report, rows);
        if report.is_timed() {
            content.push_str(&cycles_of(report, rows));
        }
        format!(
            "<details>\n<summary><code>{}</code>, {} instructions</summary>\n{content}</details>\n",
            escaped(&first.program),
            count(first.answer.instructions)
        )
    };
    all.iter().map(block).collect()
}

/// Lists of answers, each with a heading; `of` gives none where there is nothing to list.
fn lists(report: &Report, of: impl Fn(&Row, &str) -> Option<String>) -> String {
    let is_alone = programs(report).len() < 2;
    let name = |row: &Row| {
        let program = Some(row.program.as_str()).filter(|_| !is_alone);
        let words = [program, row.reading.as_deref(), Some(&row.answer.machine), Some(&row.answer.predictor)];
        words.into_iter().flatten().collect::<Vec<&str>>().join(", ")
    };
    let listed = report.rows.iter().filter_map(|row| {
        let name = name(row);
        Some(format!("<h3>{}</h3>\n{}", escaped(&name), of(row, &name)?))
    });
    let mut all: Vec<String> = listed.take(MOST_LISTS + 1).collect();
    if all.len() > MOST_LISTS {
        all[MOST_LISTS] =
            "<p class=\"faint\">The lists of further answers are not shown: --json has all.</p>\n".to_owned();
    }
    all.concat()
}

/// Branches that are mispredicted most.
pub fn branches(report: &Report, symbol: &impl Fn(&str, u64) -> Option<String>) -> String {
    lists(report, |row, _| {
        let table = tables::branches(row, report.branches, symbol);
        (!table.rows.is_empty()).then(|| columns(&table, MOST_ROWS))
    })
}

/// Blocks that cores take from each other.
pub fn blocks(report: &Report, symbol: &impl Fn(&str, u64) -> Option<String>) -> String {
    lists(report, |row, _| {
        let table = tables::blocks(&row.answer.shared_blocks, |address| symbol(&row.program, address));
        (!table.rows.is_empty()).then(|| columns(&table, MOST_ROWS))
    })
}

/// The way of the first instructions.
pub fn timelines(report: &Report) -> String {
    lists(report, |row, name| {
        let all = &row.answer.timeline;
        (!all.is_empty()).then(|| timeline::drawn(all, name))
    })
}
