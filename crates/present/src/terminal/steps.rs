//! Steps of runs: a line for each, its changes on as many lines as they need.
//!
//! Steps come one after the other, or all at once; then columns are as wide as their cells.

use super::flow::{self, Lines};
use super::marks;
use super::style::Style;
use super::text::text;
use crate::document::{Column, Step, Steps};
use crate::format::count;

/// Steps that are shown at the beginning of a run and at its end without `-v`.
const SHOWN: usize = 40;
/// Narrowest columns for the last cell and for changes on a narrow terminal.
const NARROWEST: usize = 16;
/// Between cells.
const GAP: &str = "  ";

/// Lines for steps.
pub struct StepLines {
    heads: Vec<String>,
    /// Cells that stand on the right of their columns.
    is_right: Vec<bool>,
    widths: Vec<usize>,
    indent: usize,
    style: Style,
}

impl StepLines {
    /// Lines for steps that are not known beforehand: with columns so wide, and a last one that leaves room for changes.
    pub fn new(columns: &[Column], mut widths: Vec<usize>, indent: usize, style: Style) -> Self {
        if let Some(last) = widths.last_mut().filter(|_| style.width > 0) {
            *last = (*last).min((style.width / 3).max(NARROWEST));
        }
        let heads = columns.iter().map(|column| text(&column.title(), style)).collect();
        let is_right = columns.iter().map(|column| column.is_numeric).collect();
        StepLines { heads, is_right, widths, indent, style }
    }

    /// Lines for these steps.
    pub fn of<'s>(
        columns: &[Column],
        steps: impl Iterator<Item = &'s Step>,
        indent: usize,
        style: Style,
    ) -> Self {
        let mut widths: Vec<usize> =
            columns.iter().map(|column| flow::columns(&text(&column.title(), style))).collect();
        for step in steps {
            for (width, cell) in widths.iter_mut().zip(&step.cells) {
                *width = (*width).max(flow::columns(&text(cell, style)));
            }
        }
        if style.width > 0
            && let Some((last, others)) = widths.split_last_mut()
        {
            let others = indent + others.iter().map(|width| width + GAP.len()).sum::<usize>();
            *last = (*last).min((style.width.saturating_sub(others) * 3 / 5).max(NARROWEST));
        }
        let mut lines = StepLines::new(columns, Vec::new(), indent, style);
        lines.widths = widths;
        lines
    }

    /// Whether there is room for changes beside the last cell.
    fn are_beside(&self) -> bool {
        let cells: usize = self.widths.iter().map(|width| width + GAP.len()).sum();
        self.style.width == 0 || self.indent + cells + NARROWEST <= self.style.width
    }

    /// All cells; changes begin in their column or in a new line.
    fn line(&self, cells: &[String]) -> Lines {
        let padded = |i: usize, cell: &str| {
            let padding = " ".repeat(self.widths[i].saturating_sub(flow::columns(cell)));
            if self.is_right[i] { padding + cell } else { cell.to_owned() + &padding }
        };
        let last = cells.len().saturating_sub(1);
        let number = cells.first().map_or(String::new(), |cell| padded(0, cell));
        let start = format!("{:1$}{number}  ", "", self.indent);
        let mut out = Lines::new(&start, start.len(), self.style);
        let middle: Vec<String> = (1..last).map(|i| padded(i, &cells[i])).collect();
        if !middle.is_empty() {
            out.item(GAP, &middle.join(GAP));
        }
        if last == 0 {
            out.indent_here(GAP);
        } else if self.are_beside() {
            let width = self.widths[last];
            let cell =
                if self.style.width > 0 { self.style.fit(&cells[last], width) } else { cells[last].clone() };
            out.item(GAP, &padded(last, &cell));
            out.indent_here(GAP);
        } else {
            out.column(GAP, NARROWEST);
            out.words(GAP, &cells[last]);
            out.new_line();
        }
        out
    }

    /// The heads.
    pub fn head(&self) -> String {
        let mut line = self.line(&self.heads);
        line.item(GAP, "changes");
        line.finish().lines().map(|line| self.style.dim(line) + "\n").collect()
    }

    /// The lines of a step.
    pub fn step(&self, step: &Step) -> String {
        let cells: Vec<String> = step.cells.iter().map(|cell| text(cell, self.style)).collect();
        let mut line = self.line(&cells);
        for (i, change) in step.changes.iter().enumerate() {
            line.item(if i == 0 { GAP } else { " " }, &text(change, self.style));
        }
        let mut out = line.finish();
        let start = " ".repeat(self.indent + self.widths.first().copied().unwrap_or(0) + GAP.len());
        for remark in &step.remarks {
            out.push_str(&flow::text(&start, &text(remark, self.style), start.len() + 2, self.style));
        }
        let mark = if self.style.unicode { "│" } else { "|" };
        for line in step.printed.split_terminator('\n') {
            out.push_str(&verbatim(&format!("{start}{mark} "), line, self.style));
        }
        out
    }
}

/// A line that a model prints, with its spaces; what is longer than the screen goes on behind the same beginning.
fn verbatim(start: &str, line: &str, style: Style) -> String {
    let room = match style.width {
        0 => usize::MAX,
        width => width.saturating_sub(start.chars().count()).max(NARROWEST),
    };
    let line = marks::untabbed(line);
    let letters: Vec<char> = marks::line(&line).chars().collect();
    if letters.is_empty() {
        return format!("{start}\n");
    }
    letters.chunks(room).map(|part| format!("{start}{}\n", part.iter().collect::<String>())).collect()
}

/// A run that is known.
pub fn run(run: &Steps, verbose: bool, style: Style) -> String {
    let steps = &run.steps;
    let is_shown = |i: usize| verbose || i < SHOWN || i + SHOWN >= steps.len();
    let shown = steps.iter().enumerate().filter(|(i, _)| is_shown(*i)).map(|(_, step)| step);
    let lines = StepLines::of(&run.columns, shown, 0, style);
    let mut out = if steps.is_empty() { String::new() } else { lines.head() };
    for (i, step) in steps.iter().enumerate() {
        if run.cycle_start == Some(i) {
            out.push_str(&format!("{}\n", style.bold("from here on, this cycle repeats:")));
        }
        if is_shown(i) {
            out.push_str(&lines.step(step));
        } else if i == SHOWN {
            let hidden = (steps.len() - 2 * SHOWN) as u64 + run.omitted.map_or(0, |(_, steps)| steps);
            out.push_str(&format!(
                "{}\n",
                style.dim(&format!("... {} steps (-v shows all) ...", count(hidden)))
            ));
        }
    }
    if run.cycle_start == Some(steps.len()) {
        out.push_str(&format!("{}\n", style.bold("from here on, nothing happens")));
    }
    out
}
