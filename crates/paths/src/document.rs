//! A path for people: its steps as they are listed, and the values of its variables over time.

use crate::{Decided, PathEnd, PathMoved, PathPlan, PathStep, PathValue, VariableChange};
use volvelle_plot::{Chart as Lines, Dimension, Line, Point, Scale};
use volvelle_present::document::{
    Chart, Column, Document, Items, Note, Step, Steps, Text, doubtful, name, strong,
};
use volvelle_reports::screen::format::number;
use volvelle_session::limits::counted;
use volvelle_session::trace::VariableValue;

/// Steps that a page lists and draws.
pub const LISTED: usize = 1_000;

/// Variables that have room in one picture.
const DRAWN: usize = 8;

/// A path of a file: the first of the states, as many as are `listed`, of as many steps as were `taken`, and its `ending`.
pub fn document(file: &str, plan: &PathPlan, listed: &[PathStep], taken: u32, ending: Vec<Text>) -> Document {
    let mut document = Document::new(format!("A path of {file}"));
    let listed = &listed[..listed.len().min(LISTED)];
    document.push(Items { items: title(file, plan), indent: 0 });
    if plan.leaves_times_out() {
        document.push(Note { text: LEFT_OUT.into(), ..Note::default() });
    }
    if let Some(chart) = chart(plan, listed) {
        document.push(Chart::Lines(chart));
    }
    let omitted = (u64::from(taken) + 1).saturating_sub(listed.len() as u64);
    document.push(Steps {
        columns: columns(plan),
        steps: listed.iter().map(|found| step(plan, found)).collect(),
        cycle_start: None,
        omitted: (omitted > 0).then_some((listed.len(), omitted)),
    });
    for text in ending {
        document.push(Note { text, ..Note::default() });
    }
    document
}

/// Why a path of rates has no times.
pub const LEFT_OUT: &str = "no property depends on time: times are not sampled, and rewards use mean times";

/// What is shown: the file, the kind of its model, the path, and what makes its choices.
pub fn title(file: &str, plan: &PathPlan) -> Vec<Text> {
    let tracing = plan.tracing();
    let path = match tracing.is_chosen {
        true => format!("seed {}", tracing.seed),
        false => format!("path {} of seed {}", tracing.path, tracing.seed),
    };
    let items = [strong(name(file)), plan.kind().to_uppercase().into(), path.into()];
    items.into_iter().chain(plan.choices().map(Text::from)).collect()
}

/// The columns of steps.
pub fn columns(plan: &PathPlan) -> Vec<Column> {
    let rewards = plan.rewards().map(|title| Column::words(name(title.unwrap_or("reward"))));
    std::iter::once(Column::numbers("step"))
        .chain(plan.is_timed().then(|| Column::words("time")))
        .chain([Column::words("action")])
        .chain(rewards)
        .collect()
}

/// A state, and how it was reached.
pub fn step(plan: &PathPlan, step: &PathStep) -> Step {
    let action = step.moved.as_ref().map_or(String::new(), PathMoved::title);
    let rewards = step.rewards.iter().map(|total| total.total.map_or("?".to_owned(), short));
    let cells =
        std::iter::once(step.number.to_string()).chain(step.time.map(short)).chain([action]).chain(rewards);
    let decided = step.decided.iter().map(|decided| strong(name(self::decided(plan, decided))));
    Step {
        cells: cells.map(name).collect(),
        changes: assignments(&step.changes).into_iter().map(name).collect(),
        remarks: decided.collect(),
        ..Step::default()
    }
}

/// A property with its value.
pub fn decided(plan: &PathPlan, decided: &Decided) -> String {
    format!("{}: {}", plan.followed()[decided.property].title(), value(decided.value))
}

/// How the path ended, and what it has left open. `is_chosen`: the user chose the steps, and ended the path.
pub fn ending(steps: u32, end: Option<&PathEnd>, undecided: &[&str], is_chosen: bool) -> Vec<Text> {
    let steps = counted(steps.into(), "step");
    let end = match end {
        Some(PathEnd::Failed(_)) => ", then an error".to_owned(),
        Some(end) => format!(", then {}", end.message()),
        None if is_chosen => "; more are possible".to_owned(),
        None => "; more are possible (--steps)".to_owned(),
    };
    let open = undecided.iter().map(|title| doubtful(name(format!("not decided: {title}"))));
    std::iter::once(format!("{steps}{end}").into()).chain(open).collect()
}

/// Changes as assignments.
pub fn assignments(changes: &[VariableChange]) -> Vec<String> {
    changes.iter().map(|change| format!("{}={}", change.name, change.after)).collect()
}

fn value(value: PathValue) -> String {
    match value {
        PathValue::Truth(truth) => truth.to_string(),
        PathValue::Number(x) => number(x, 0.0),
    }
}

/// Six digits.
pub fn short(x: f64) -> String {
    number(x, x.abs() * 1e-6)
}

/// The variables that change, over time or over steps; `None` where none does.
fn chart(plan: &PathPlan, steps: &[PathStep]) -> Option<Lines> {
    let at = |step: &PathStep, variable: usize| match step.state.get(variable)? {
        VariableValue::Bool(truth) => Some(f64::from(u8::from(*truth))),
        VariableValue::Int(number) => Some(*number as f64),
        VariableValue::Text(_) => None,
    };
    let mut lines = Vec::new();
    for (variable, title) in plan.variables().enumerate() {
        let values: Option<Vec<f64>> = steps.iter().map(|step| at(step, variable)).collect();
        let Some(values) = values.filter(|values| values.windows(2).any(|pair| pair[0] != pair[1])) else {
            continue;
        };
        if lines.len() == DRAWN {
            break;
        }
        let mut points = Vec::new();
        let mut before = None;
        for (step, value) in steps.iter().zip(values) {
            let x = step.time.unwrap_or_else(|| f64::from(step.number));
            // The value before lasts until this step.
            points.extend(before.filter(|&y| y != value).map(|y| Point { x, y, lo: y, hi: y }));
            points.push(Point { x, y: value, lo: value, hi: value });
            before = Some(value);
        }
        lines.push(Line { name: title.to_owned(), style: lines.len(), points, ..Line::default() });
    }
    let axis = |label: &str| Dimension { label: label.to_owned(), scale: Scale::Linear };
    let x = axis(if plan.is_timed() { "time" } else { "step" });
    let title = match &lines[..] {
        [] => return None,
        [line] => line.name.clone(),
        _ => "Variables".to_owned(),
    };
    Some(Lines { title, x, lines, ..Lines::default() })
}
