//! Paths of stochastic models as tables: a line for each state.

use crate::document::{self, assignments, short};
use crate::{PathOption, PathPlan, PathStep};
use std::cmp::Ordering;
use volvelle_present::document::{Column, Text, name};
use volvelle_present::terminal::{StepLines, text};
use volvelle_reports::screen::flow::Lines;
use volvelle_reports::screen::{Style, flow};

/// Indentation of each line.
const INDENT: usize = 4;
/// Widths of the columns of numbers.
const STEP: usize = 5;
const NUMBER: usize = 11;
/// Narrowest and widest column of actions.
const ACTION: [usize; 2] = [8, 28];
/// Between columns.
const GAP: &str = "  ";

/// A path that is shown state by state.
pub struct PathTable<'a> {
    plan: &'a PathPlan,
    style: Style,
    lines: StepLines,
    begun: bool,
}

impl<'a> PathTable<'a> {
    /// A table that begins.
    pub fn new(plan: &'a PathPlan, style: Style) -> Self {
        let action = plan.widest_title().clamp(ACTION[0], ACTION[1]);
        let (columns, widths): (Vec<Column>, Vec<usize>) = document::columns(plan)
            .into_iter()
            .enumerate()
            .map(|(place, column)| match place.cmp(&place_of_action(plan)) {
                _ if place == 0 => (column, STEP),
                Ordering::Less => (column, NUMBER),
                Ordering::Equal => (column, action),
                Ordering::Greater => {
                    (Column::words(name(style.fit(&column.title().plain(), NUMBER))), NUMBER)
                }
            })
            .unzip();
        PathTable { plan, style, lines: StepLines::new(&columns, widths, INDENT, style), begun: false }
    }

    /// The next state, with the heads of the columns before the first.
    pub fn step(&mut self, step: &PathStep) -> String {
        let head = if self.begun { String::new() } else { self.lines.head() };
        self.begun = true;
        let mut step = document::step(self.plan, step);
        let action = &mut step.cells[place_of_action(self.plan)];
        *action = name(self.style.fit(&action.plain(), ACTION[1]));
        head + &self.lines.step(&step)
    }
}

/// Behind the number and the time, if there is one.
fn place_of_action(plan: &PathPlan) -> usize {
    1 + usize::from(plan.is_timed())
}

/// Adds what stands in the last column.
fn add_changes(line: &mut Lines, changes: &[String]) {
    line.indent_here(GAP);
    for (i, change) in changes.iter().enumerate() {
        line.item(if i == 0 { GAP } else { " " }, change);
    }
}

/// The title above the table.
pub fn title(file: &str, plan: &PathPlan, style: Style) -> String {
    let parts: Vec<String> = document::title(file, plan).iter().map(|part| text(part, style)).collect();
    let mut out = flow::items("", &parts, "  ", 2, style);
    if plan.leaves_times_out() {
        out.push_str(&flow::text("  ", &style.dim(document::LEFT_OUT), 4, style));
    }
    out.push('\n');
    out
}

/// The text below the table: how the path ended, and what it has left open.
pub fn end(ending: &[Text], style: Style) -> String {
    let lines = ending.iter().map(|line| flow::text("  ", &text(line, style), 4, style));
    "\n".to_owned() + &lines.collect::<String>()
}

/// The steps that can be taken, numbered.
pub fn options(options: &[PathOption], style: Style) -> String {
    let mut out = String::from("\n");
    let width = options.len().to_string().len();
    let weights: Vec<String> = options.iter().map(|option| short(option.weight)).collect();
    let weight_width = weights.iter().map(String::len).max().unwrap_or(0);
    let title_width =
        options.iter().map(|o| o.moved.title().chars().count()).max().unwrap_or(0).min(ACTION[1]);
    for (i, (option, weight)) in options.iter().zip(&weights).enumerate() {
        let title = style.fit(&option.moved.title(), ACTION[1]);
        let mut line = Lines::new(&format!("    {:>width$}  {weight:<weight_width$}  ", i + 1), 8, style);
        line.item("", &format!("{title:<title_width$}"));
        let items = match &option.changes {
            Some(changes) if changes.is_empty() => vec!["(nothing changes)".to_owned()],
            Some(changes) => assignments(changes),
            None if option.is_drawn() => vec!["(its outcome is random)".to_owned()],
            None => vec!["(fails)".to_owned()],
        };
        add_changes(&mut line, &items);
        out.push_str(&line.finish());
    }
    out
}
