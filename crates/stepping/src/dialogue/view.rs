//! How a walk looks: a line for each step, the steps that can be taken, tables.

use super::command;
use crate::{Effect, Enabled, Field, Part, StepText, Taken, Variable, Walk};
use volvelle_present::document::{
    Block, Cell, Column, Document, Layout, Step, Table, Text, doubtful, faint, name, strong,
};
use volvelle_present::format::{count, number};
use volvelle_present::terminal::{StepLines, Style, draw, flow, text};
use volvelle_present::text;
use volvelle_session::trace::Change;

/// Indentation of steps.
const INDENT: usize = 4;

/// Characters of the widest cell.
const WIDEST: usize = 32;

/// Changes of the initial state that are listed: others are variables like them.
const MOST_CHANGES: usize = 40;

/// Steps that are shown at the beginning and at the end of many.
const SHOWN: usize = 10;

/// Draws walks.
pub struct View {
    style: Style,
    /// What is said of steps that were taken, and of those that can be.
    taken: Vec<Part>,
    enabled: Vec<Part>,
    weight: Option<&'static str>,
    lines: StepLines,
}

impl View {
    /// The view of a walk.
    pub fn new(walk: &dyn Walk, style: Style) -> Self {
        let (parts, weight) = (walk.parts(), walk.weight());
        let of = |is_said: fn(Field) -> bool| -> Vec<Part> {
            parts.iter().copied().filter(|part| is_said(part.field)).collect()
        };
        let (taken, enabled) = (of(Field::is_of_taken), of(Field::is_of_enabled));
        let widths = std::iter::once(5).chain(taken.iter().map(|part| part.width)).collect();
        let lines = StepLines::new(&columns("step", None, &taken), widths, INDENT, style);
        View { style, taken, enabled, weight, lines }
    }

    /// The title of a walk.
    pub fn title(&self, walk: &dyn Walk, seed: u64) -> String {
        let about = walk.about().into_iter().chain([format!("seed {seed}")]);
        let items: Vec<String> =
            std::iter::once(self.style.bold(&text(&name(walk.file()), self.style))).chain(about).collect();
        flow::items("", &items, "  ", 2, self.style) + "\n"
    }

    /// The heads of the columns of steps.
    pub fn head(&self) -> String {
        self.lines.head()
    }

    /// A step that was taken.
    pub fn step(&self, step: usize, taken: &Taken) -> String {
        let cells = std::iter::once(step.to_string().into());
        let cells = cells.chain(self.taken.iter().map(|part| cell(part, taken, self.style)));
        let hidden = taken.changes.len().saturating_sub(MOST_CHANGES);
        let mut changes: Vec<Text> = taken.messages.iter().map(name).collect();
        changes.extend(taken.changes.iter().take(MOST_CHANGES).map(|c| change(c, true)));
        changes.extend((hidden > 0).then(|| faint(format!("... {hidden} more"))));
        self.lines.step(&Step {
            cells: cells.collect(),
            changes: listed(changes),
            printed: tame(&taken.printed),
            remarks: taken.decided.iter().map(|decided| strong(name(decided))).collect(),
        })
    }

    /// Steps that were taken, from one number to another, the middle of many left out.
    pub fn steps<'t>(
        &self,
        numbers: std::ops::RangeInclusive<usize>,
        step: impl Fn(usize) -> Option<&'t Taken>,
    ) -> String {
        let (first, last) = (*numbers.start(), *numbers.end());
        let is_shown =
            |number: usize| number < first + SHOWN || number + SHOWN > last || last - first < 3 * SHOWN;
        let mut out = String::new();
        for number in numbers {
            if is_shown(number) {
                out.push_str(&step(number).map_or_else(String::new, |taken| self.step(number, taken)));
            } else if number == first + SHOWN {
                let hidden = count((last + 1 - first - 2 * SHOWN) as u64);
                out.push_str(&format!(
                    "{:INDENT$}{}\n",
                    "",
                    self.style.dim(&format!("  ... {hidden} steps (l lists all) ..."))
                ));
            }
        }
        out
    }

    /// The steps that can be taken, numbered.
    pub fn enabled(&self, enabled: &[Enabled]) -> String {
        let steps: Vec<Step> = (1..).zip(enabled).map(|(number, step)| self.choice(number, step)).collect();
        let lines = StepLines::of(
            &columns("enabled", self.weight, &self.enabled),
            steps.iter(),
            INDENT - 2,
            self.style,
        );
        let rows: String = steps.iter().map(|step| lines.step(step)).collect();
        format!("\n{}{rows}", lines.head())
    }

    fn choice(&self, number: usize, enabled: &Enabled) -> Step {
        let weight =
            self.weight.map(|_| enabled.weight.map_or_else(Text::default, |weight| short(weight).into()));
        let would = Taken { what: enabled.what.clone(), ..Taken::default() };
        let others = self.enabled.iter().map(|part| match part.field {
            Field::Scheduler if enabled.is_scheduled => "takes it".into(),
            _ => cell(part, &would, self.style),
        });
        let mut changes: Vec<Text> = enabled.messages.iter().map(name).collect();
        match &enabled.effect {
            Effect::Changes(none) if none.is_empty() && changes.is_empty() => {
                changes.push(faint("(nothing changes)"));
            }
            Effect::Changes(all) => changes.extend(all.iter().map(|c| change(c, false))),
            Effect::Elsewhere => {}
            Effect::Random => changes.push(faint("(one of many outcomes)")),
            Effect::Fails => changes.push(doubtful("(fails)")),
        }
        let cells = std::iter::once(number.to_string().into()).chain(weight).chain(others).collect();
        Step { cells, changes: listed(changes), ..Step::default() }
    }

    /// All variables.
    pub fn variables(&self, state: &[Variable]) -> String {
        if state.is_empty() {
            return "  the state has no variables\n".to_owned();
        }
        let columns = vec![Column::words("variable"), Column::words("value")];
        let rows = state
            .iter()
            .map(|variable| vec![Cell::name(&variable.name), name(variable.value.to_string()).into()]);
        self.table(Table { layout: Layout::List("  "), indent: INDENT, ..Table::new(columns, 0, rows) })
    }

    /// What the commands are.
    pub fn help(&self) -> String {
        let columns = vec![Column::words("command"), Column::words("what it does")];
        let rows = command::explained()
            .into_iter()
            .map(|(words, what)| vec![strong(words).into(), Text::from(what).into()]);
        self.table(Table { layout: Layout::List("  "), indent: INDENT, ..Table::new(columns, 0, rows) })
    }

    fn table(&self, table: Table) -> String {
        draw(&Document { blocks: vec![Block::from(table)], ..Document::default() }, false, self.style)
    }
}

/// Columns for steps: `first` numbers them.
fn columns(first: &'static str, weight: Option<&'static str>, parts: &[Part]) -> Vec<Column> {
    let part = |part: &Part| match part.field {
        Field::Line => Column::numbers(part.title),
        _ => Column::words(part.title),
    };
    let weight = weight.map(Column::words);
    std::iter::once(Column::numbers(first)).chain(weight).chain(parts.iter().map(part)).collect()
}

/// What a part of a step is.
fn cell(part: &Part, taken: &Taken, style: Style) -> Text {
    let what = &taken.what;
    let cell = match part.field {
        Field::Time => taken.time.map_or_else(String::new, short),
        Field::Total => taken.total.clone(),
        Field::Action | Field::Label if is_beginning(what) => String::new(),
        Field::Action => format!("[{}]", what.action),
        Field::Label => what.action.clone(),
        Field::Actor => what.actor.clone(),
        Field::Line => what.lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        Field::Text => what.text.clone(),
        Field::Scheduler => String::new(),
    };
    name(style.fit(&cell, WIDEST))
}

/// Whether there is no step: it is the initial state.
fn is_beginning(what: &StepText) -> bool {
    *what == StepText::default()
}

/// The same with commas between them.
fn listed(mut changes: Vec<Text>) -> Vec<Text> {
    let last = changes.len().saturating_sub(1);
    for change in &mut changes[..last] {
        *change = std::mem::take(change).then(",");
    }
    changes
}

/// `x: 0 -> 1`, and in the initial state `x=0`.
fn change(change: &Change, is_taken: bool) -> Text {
    let after = name(change.after.to_string());
    if change.before == change.after {
        return text![name(&change.name), "=", after];
    }
    let after = if is_taken { strong(after) } else { after };
    text![name(format!("{}: {} -> ", change.name, change.before)), after]
}

/// Six digits.
fn short(x: f64) -> String {
    number(x, x.abs() * 1e-6)
}

/// Text that a model prints must not control the terminal.
fn tame(printed: &str) -> String {
    printed.chars().map(|c| if c.is_control() && !matches!(c, '\t' | '\n') { '.' } else { c }).collect()
}
