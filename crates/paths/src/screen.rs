//! Paths of stochastic models as tables: a line for each state.

use crate::document;
use crate::{PathPlan, PathStep};
use std::cmp::Ordering;
use volvelle_present::document::{Column, Text, name};
use volvelle_present::terminal::{StepLines, text};
use volvelle_reports::screen::{Style, flow};

/// Indentation of each line.
const INDENT: usize = 4;
/// Widths of the columns of numbers.
const STEP: usize = 5;
const NUMBER: usize = 11;
/// Narrowest and widest column of actions.
const ACTION: [usize; 2] = [8, 28];

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
