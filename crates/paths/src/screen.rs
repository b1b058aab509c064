//! Paths of stochastic models as tables: a line for each state.

use crate::{PathEnd, PathMoved, PathOption, PathPlan, PathStep, PathValue, VariableChange};
use volvelle_present::document::{Column, Step, name, strong};
use volvelle_present::terminal::StepLines;
use volvelle_reports::screen::flow::Lines;
use volvelle_reports::screen::format::number;
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
        let time = plan.is_timed().then(|| (Column::words("time"), NUMBER));
        let rewards = plan.rewards().map(|title| style.fit(title.unwrap_or("reward"), NUMBER));
        let (columns, widths): (Vec<Column>, Vec<usize>) = std::iter::once((Column::numbers("step"), STEP))
            .chain(time)
            .chain([(Column::words("action"), action)])
            .chain(rewards.map(|title| (Column::words(name(title)), NUMBER)))
            .unzip();
        PathTable { plan, style, lines: StepLines::new(&columns, widths, INDENT, style), begun: false }
    }

    /// The next state, with the heads of the columns before the first.
    pub fn step(&mut self, step: &PathStep) -> String {
        let head = if self.begun { String::new() } else { self.lines.head() };
        self.begun = true;
        let action = step.moved.as_ref().map_or(String::new(), PathMoved::title);
        let rewards = step.rewards.iter().map(|total| total.total.map_or("?".to_owned(), short));
        let cells = std::iter::once(step.number.to_string())
            .chain(step.time.map(short))
            .chain([self.style.fit(&action, ACTION[1])])
            .chain(rewards);
        let decided = step.decided.iter().map(|decided| {
            let title = self.plan.followed()[decided.property].title();
            strong(name(format!("{title}: {}", value(decided.value))))
        });
        let step = Step {
            cells: cells.map(name).collect(),
            changes: assignments(&step.changes).into_iter().map(name).collect(),
            remarks: decided.collect(),
            ..Step::default()
        };
        head + &self.lines.step(&step)
    }
}

/// Adds what stands in the last column.
fn add_changes(line: &mut Lines, changes: &[String]) {
    line.indent_here(GAP);
    for (i, change) in changes.iter().enumerate() {
        line.item(if i == 0 { GAP } else { " " }, change);
    }
}

fn assignments(changes: &[VariableChange]) -> Vec<String> {
    changes.iter().map(|change| format!("{}={}", change.name, change.after)).collect()
}

fn value(value: PathValue) -> String {
    match value {
        PathValue::Truth(truth) => truth.to_string(),
        PathValue::Number(x) => number(x, 0.0),
    }
}

/// Six digits.
fn short(x: f64) -> String {
    number(x, x.abs() * 1e-6)
}

/// The title above the table.
pub fn title(file: &str, plan: &PathPlan, style: Style) -> String {
    let tracing = plan.tracing();
    let kind = plan.kind().to_uppercase();
    let path = format!("path {} of seed {}", tracing.path, tracing.seed);
    let mut parts = vec![style.bold(file), kind, path];
    parts.extend(plan.choices().map(str::to_owned));
    let mut out = flow::items("", &parts, "  ", 2, style);
    if plan.leaves_times_out() {
        let note = "no property depends on time: times are not sampled, and rewards use mean times";
        out.push_str(&flow::text("  ", &style.dim(note), 4, style));
    }
    out.push('\n');
    out
}

/// The text below the table. `chosen`: the user chose the steps, and ended the path.
pub fn end(steps: u32, end: Option<&PathEnd>, undecided: &[&str], chosen: bool, style: Style) -> String {
    let steps = volvelle_session::limits::counted(steps.into(), "step");
    let end = match end {
        Some(PathEnd::Failed(_)) => ", then an error".to_owned(),
        Some(end) => format!(", then {}", end.message()),
        None if chosen => "; more are possible".to_owned(),
        None => "; more are possible (--steps)".to_owned(),
    };
    let mut out = format!("\n{}", flow::text("  ", &format!("{steps}{end}"), 4, style));
    for title in undecided {
        out.push_str(&flow::text("  ", &style.doubtful(&format!("not decided: {title}")), 4, style));
    }
    out
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
