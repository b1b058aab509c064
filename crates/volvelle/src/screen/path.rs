//! Paths of stochastic models as tables: a line for each state.

use super::Style;
use super::format::number;
use volvelle_verify::{PathEnd, PathMoved, PathOption, PathPlan, PathStep, PathValue, VariableChange};

/// Indentation of each line.
const INDENT: &str = "    ";
/// Widths of the columns of numbers.
const STEP: usize = 5;
const NUMBER: usize = 11;
/// Narrowest and widest column of actions.
const ACTION: [usize; 2] = [8, 28];
/// Narrowest column of changes on a narrow terminal.
const CHANGES: usize = 24;

/// A path that is shown state by state.
pub struct PathTable<'a> {
    plan: &'a PathPlan,
    style: Style,
    rewards: Vec<String>,
    action: usize,
    begun: bool,
}

impl<'a> PathTable<'a> {
    /// A table that begins.
    pub fn new(plan: &'a PathPlan, style: Style) -> Self {
        let rewards: Vec<String> = plan.rewards().map(|name| name.unwrap_or("reward").to_owned()).collect();
        let action = plan.widest_title().clamp(ACTION[0], ACTION[1]);
        PathTable { plan, style, rewards, action, begun: false }
    }

    /// The next state, with the heads of the columns before the first.
    pub fn step(&mut self, step: &PathStep) -> String {
        let mut out = String::new();
        if !self.begun {
            self.begun = true;
            let time = self.plan.is_timed().then(|| "time".to_owned());
            let head = self.line("step", time, "action", &self.rewards) + "changes";
            out.push_str(&self.style.dim(&head));
            out.push('\n');
        }
        let action = step.moved.as_ref().map_or(String::new(), PathMoved::title);
        let totals: Vec<String> =
            step.rewards.iter().map(|total| total.total.map_or("?".to_owned(), short)).collect();
        let start = self.line(&step.number.to_string(), step.time.map(short), &action, &totals);
        out.push_str(&wrapped(start, &assignments(&step.changes), self.style));
        for decided in &step.decided {
            let title = self.plan.followed()[decided.property].title();
            let line = format!("{INDENT}{:>STEP$}  {title}: {}", "", value(decided.value));
            out.push_str(&self.style.bold(&line));
            out.push('\n');
        }
        out
    }

    fn line(&self, step: &str, time: Option<String>, action: &str, rewards: &[String]) -> String {
        let mut out = format!("{INDENT}{step:>STEP$}  ");
        if let Some(time) = time {
            out.push_str(&format!("{time:<NUMBER$}  "));
        }
        let action = self.style.fit(action, ACTION[1]);
        out.push_str(&format!("{action:<0$}  ", self.action));
        for reward in rewards {
            out.push_str(&format!("{:<NUMBER$}  ", self.style.fit(reward, NUMBER)));
        }
        out
    }
}

/// A line, and what stands in its last column, on as many lines as it needs.
fn wrapped(start: String, items: &[String], style: Style) -> String {
    let column = start.chars().count();
    let room = match style.width {
        0 => usize::MAX,
        width => width.saturating_sub(column).max(CHANGES),
    };
    let (mut out, mut used) = (start, 0);
    for item in items {
        let item = if style.width == 0 { item.clone() } else { style.fit(item, room) };
        let length = item.chars().count();
        if used > 0 && used + 1 + length > room {
            out = format!("{}\n{}", out.trim_end(), " ".repeat(column));
            used = 0;
        }
        if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(&item);
        used += length;
    }
    format!("{}\n", out.trim_end())
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
    let mut out = format!("{}  {kind}  path {} of seed {}", style.bold(file), tracing.path, tracing.seed);
    if let Some(choices) = plan.choices() {
        out.push_str(&format!("  {choices}"));
    }
    out.push('\n');
    if plan.leaves_times_out() {
        let note = "no property depends on time: times are not sampled, and rewards use mean times";
        out.push_str(&format!("  {}\n", style.dim(note)));
    }
    out.push('\n');
    out
}

/// The text below the table. `chosen`: the user chose the steps, and ended the path.
pub fn end(steps: u32, end: Option<&PathEnd>, undecided: &[&str], chosen: bool, style: Style) -> String {
    let steps = match steps {
        1 => "1 step".to_owned(),
        n => format!("{} steps", super::format::count(n.into())),
    };
    let end = match end {
        Some(PathEnd::Failed(_)) => ", then an error".to_owned(),
        Some(end) => format!(", then {}", end.message()),
        None if chosen => "; more are possible".to_owned(),
        None => "; more are possible (--steps)".to_owned(),
    };
    let mut out = format!("\n  {steps}{end}\n");
    for title in undecided {
        out.push_str(&format!("  {}\n", style.doubtful(&format!("not decided: {title}"))));
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
        let start = format!("{INDENT}{:>width$}  {weight:<weight_width$}  {title:<title_width$}  ", i + 1);
        let items = match &option.changes {
            Some(changes) if changes.is_empty() => vec!["(nothing changes)".to_owned()],
            Some(changes) => assignments(changes),
            None if option.is_drawn() => vec!["(its outcome is drawn)".to_owned()],
            None => vec!["(fails)".to_owned()],
        };
        out.push_str(&wrapped(start, &items, style));
    }
    out
}
