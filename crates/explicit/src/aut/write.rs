//! Writes a model as an ALDEBARAN file.

use crate::finding::Finding;
use crate::model::{Actions, Control, Model, Number, Numbers, Time};
use crate::options::{Dialect, WriteOptions};
use crate::output::WriteError;
use crate::text::{Printer, each_branch, refuse, weights};
use std::io;
use volvelle_diagnostics::codes;
use volvelle_labels::{Meaning, meaning};
use volvelle_space::{Labels, Lts, RatiosBuilder};

/// Writes a labelled transition system. A quotation mark within a label is written as `'` where the dialect has no escape for it.
pub(crate) fn write_lts(
    lts: &Lts,
    dialect: Dialect,
    out: &mut dyn io::Write,
    control: &volvelle_control::Control<'_>,
) -> Result<(), WriteError> {
    let labels: Vec<String> = (0u32..)
        .zip(lts.labels.texts())
        .map(|(number, text)| match (number, dialect) {
            (Labels::INTERNAL, _) => internal(dialect).to_owned(),
            (_, Dialect::Ltsmin) => escaped(text),
            _ => quoted(text),
        })
        .collect();
    let mut lines = Lines::new(dialect, Printer::new(out, control, None));
    lines.header(lts.initial as usize, lts.num_transitions(), lts.num_states())?;
    for (from, label, to) in lts.transitions() {
        lines.transition(from as usize, &labels[label as usize], to as usize)?;
    }
    lines.printer.flush()
}

/// A label in quotation marks with the escapes of LTSmin.
fn escaped(label: &str) -> String {
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}

fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('"', "'"))
}

/// Lines of a file.
struct Lines<'a> {
    printer: Printer<'a>,
    comma: &'static str,
}

impl<'a> Lines<'a> {
    fn new(dialect: Dialect, printer: Printer<'a>) -> Self {
        let is_tight = matches!(dialect, Dialect::Mcrl2 | Dialect::Ltsmin);
        Lines { printer, comma: if is_tight { "," } else { ", " } }
    }

    fn header(&mut self, initial: usize, transitions: usize, states: usize) -> Result<(), WriteError> {
        self.printer.text("des (");
        self.printer.index(initial);
        self.printer.text(self.comma);
        self.printer.index(transitions);
        self.printer.text(self.comma);
        self.printer.index(states);
        self.printer.text(")");
        self.printer.end_line()
    }

    fn begin(&mut self, from: usize, label: &str) {
        self.printer.text("(");
        self.printer.index(from);
        self.printer.text(self.comma);
        self.printer.text(label);
        self.printer.text(self.comma);
    }

    fn transition(&mut self, from: usize, label: &str, to: usize) -> Result<(), WriteError> {
        self.begin(from, label);
        self.printer.index(to);
        self.printer.text(")");
        self.printer.end_line()
    }
}

/// Writes a model; returns what the format does not keep.
pub(crate) fn write(
    model: &Model,
    options: &WriteOptions,
    out: &mut dyn io::Write,
    control: &volvelle_control::Control<'_>,
) -> Result<Vec<Finding>, WriteError> {
    let mut initial = model.initial.iter();
    let (Some(first), None) = (initial.next(), initial.next()) else {
        let message = "ALDEBARAN files have exactly one initial state";
        let finding = Finding::error(codes::EXPLICIT_UNSUPPORTED, message);
        return Err(finding.note(format!("the model has {}", model.initial.count())).into());
    };
    if model.control == Control::Game || model.observations.is_some() {
        return Err(refuse(model, "ALDEBARAN").into());
    }
    let dialect = dialect(model, options.dialect)?;
    let mut lost = not_kept(model);
    let printer = Printer::new(out, control, options.digits);
    let mut lines = Lines::new(dialect, printer);
    match (&model.values, dialect) {
        (Some(_), Dialect::Mcrl2) => probabilistic(model, first, &mut lines, &mut lost)?,
        (Some(_), _) => stochastic(model, first, &mut lines, &mut lost)?,
        (None, _) => plain(model, first, dialect, &mut lines, &mut lost)?,
    }
    lines.printer.flush()?;
    Ok(lost)
}

/// The dialect that can hold the model.
fn dialect(model: &Model, wanted: Dialect) -> Result<Dialect, Finding> {
    let only_numbers = matches!(model.values, None | Some(Numbers::Double(_) | Numbers::Exact(_)));
    let is_probabilistic = model.values.is_some();
    let fits = |dialect: Dialect| match dialect {
        _ if !only_numbers => false,
        Dialect::Ltsmin => !is_probabilistic,
        Dialect::Mcrl2 => !is_probabilistic || model.time == Time::Discrete,
        Dialect::Cadp => !is_probabilistic || (0..model.num_states()).all(|state| cadp_holds(model, state)),
        Dialect::Automatic => false,
    };
    let found = match wanted {
        Dialect::Automatic => [Dialect::Cadp, Dialect::Mcrl2].into_iter().find(|&dialect| fits(dialect)),
        wanted => Some(wanted).filter(|&dialect| fits(dialect)),
    };
    found.ok_or_else(|| {
        let name = match wanted {
            Dialect::Automatic => "ALDEBARAN",
            Dialect::Cadp => "CADP's dialect of ALDEBARAN",
            Dialect::Mcrl2 => "mCRL2's dialect of ALDEBARAN",
            Dialect::Ltsmin => "LTSmin's dialect of ALDEBARAN",
        };
        refuse(model, name)
    })
}

/// Whether the choices of a state are one distribution, or single transitions.
fn cadp_holds(model: &Model, state: usize) -> bool {
    let choices = model.choices.range(state);
    choices.len() <= 1
        || (model.time != Time::Stochastic
            && choices.into_iter().all(|choice| model.branches.range(choice).len() == 1))
}

/// A labelled transition system.
fn plain(
    model: &Model,
    initial: usize,
    dialect: Dialect,
    lines: &mut Lines<'_>,
    lost: &mut Vec<Finding>,
) -> Result<(), WriteError> {
    let labels = labels(model, dialect, lost);
    lines.header(initial, model.num_branches(), model.num_states())?;
    for state in 0..model.num_states() {
        for choice in model.choices.range(state) {
            for branch in model.branches.range(choice) {
                lines.transition(
                    state,
                    label_of(model, &labels, dialect, choice),
                    model.targets[branch] as usize,
                )?;
            }
        }
    }
    Ok(())
}

/// The action of a choice as it is written.
fn label_of<'a>(model: &Model, labels: &'a [String], dialect: Dialect, choice: usize) -> &'a str {
    match &model.choice_actions {
        Some(actions) => &labels[actions.of[choice] as usize],
        None => internal(dialect),
    }
}

fn internal(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Mcrl2 | Dialect::Ltsmin => "\"tau\"",
        Dialect::Automatic | Dialect::Cadp => "i",
    }
}

/// The actions of choices as they are written. A quotation mark is escaped where the dialect can, else it becomes `'`.
fn labels(model: &Model, dialect: Dialect, lost: &mut Vec<Finding>) -> Vec<String> {
    let Some(actions) = &model.choice_actions else { return Vec::new() };
    changed_names(&actions.names, dialect, lost);
    let written = |name: &String| {
        if is_internal(name, dialect) {
            return internal(dialect).to_owned();
        }
        let line = name.replace(['\n', '\r'], " ");
        match dialect {
            Dialect::Ltsmin => escaped(&line),
            _ => quoted(&line),
        }
    };
    actions.names.iter().map(written).collect()
}

/// Whether a reader takes an action of this name for the internal one. It is then written as the internal one is, so
/// that a file says what its readers see.
fn is_internal(name: &str, dialect: Dialect) -> bool {
    name.is_empty() || name == internal(dialect).trim_matches('"')
}

/// Tells which names a file does not keep.
fn changed_names(names: &[String], dialect: Dialect, lost: &mut Vec<Finding>) {
    for name in names {
        let changed = match name.as_str() {
            "" => continue,
            name if is_internal(name, dialect) => "is read as the internal action",
            name if name.contains('"') && dialect != Dialect::Ltsmin => {
                "is written with `'` instead of quotation marks"
            }
            name if name.contains(['\n', '\r']) => "is written with blanks instead of line ends",
            _ => continue,
        };
        let message = format!("the action {name:?} {changed}");
        lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
    }
}

/// Distributions of mCRL2. Their last probability is what is missing to 1.
fn probabilistic(
    model: &Model,
    initial: usize,
    lines: &mut Lines<'_>,
    lost: &mut Vec<Finding>,
) -> Result<(), WriteError> {
    let Some(values) = &model.values else { return Ok(()) };
    let labels = labels(model, Dialect::Mcrl2, lost);
    let choices = (0..model.num_choices()).filter(|&choice| !model.branches.range(choice).is_empty()).count();
    lines.header(initial, choices, model.num_states())?;
    for state in 0..model.num_states() {
        for choice in model.choices.range(state) {
            let branches = model.branches.range(choice);
            let Some(last) = branches.clone().last() else { continue };
            let label = match &model.choice_actions {
                Some(_) => label_of(model, &labels, Dialect::Mcrl2, choice),
                None => "\"tau\"",
            };
            lines.begin(state, label);
            for branch in branches {
                lines.printer.index(model.targets[branch] as usize);
                if branch != last {
                    lines.printer.text(" ");
                    lines.printer.number(values.get(branch), ",");
                    lines.printer.text(" ");
                }
            }
            lines.printer.text(")");
            lines.printer.end_line()?;
        }
    }
    Ok(())
}

/// Labels of CADP: `prob p`, `rate r`, either behind an action.
fn stochastic(
    model: &Model,
    initial: usize,
    lines: &mut Lines<'_>,
    lost: &mut Vec<Finding>,
) -> Result<(), WriteError> {
    let written = |actions: &Option<Actions>, lost: &mut Vec<Finding>| -> Vec<String> {
        let Some(actions) = actions else { return Vec::new() };
        changed_names(&actions.names, Dialect::Cadp, lost);
        actions.names.iter().map(|name| plain_label(name)).collect()
    };
    let choice_labels = written(&model.choice_actions, lost);
    let branch_labels = written(&model.branch_actions, lost);
    let label = |actions: &Option<Actions>, labels: &'_ [String], at: usize| -> Option<usize> {
        let place = actions.as_ref()?.of[at] as usize;
        (!labels[place].is_empty()).then_some(place)
    };
    let weights = weights(model).ok_or_else(|| refuse(model, "ALDEBARAN"))?;
    let rates = markovian_rates(model);
    let is_markovian = |state: usize| {
        model.time == Time::Stochastic
            || model.markovian.as_ref().is_some_and(|markovian| markovian.contains(state))
    };
    let number_of = |state: usize, branch: usize| match (is_markovian(state), &rates) {
        (true, Some(rates)) => rates.get(branch),
        _ => weights.get(branch),
    };
    // A rate of zero is no transition.
    let happens = |state: usize, branch: usize| !is_markovian(state) || !number_of(state, branch).is_zero();
    let mut transitions = 0;
    each_branch(model, |state, _, branch| transitions += usize::from(happens(state, branch)));
    lines.header(initial, transitions, model.num_states())?;
    for state in 0..model.num_states() {
        let is_markovian = is_markovian(state);
        for choice in model.choices.range(state) {
            let branches = model.branches.range(choice);
            let is_action = !is_markovian && branches.len() == 1 && model.control != Control::Chance;
            let of_choice = label(&model.choice_actions, &choice_labels, choice);
            for branch in branches.filter(|&branch| happens(state, branch)) {
                let of_branch = label(&model.branch_actions, &branch_labels, branch);
                let action = match (of_branch, of_choice) {
                    (Some(place), _) => &branch_labels[place],
                    (None, Some(place)) => &choice_labels[place],
                    (None, None) => "",
                };
                lines.printer.text("(");
                lines.printer.index(state);
                if is_action {
                    lines.printer.text(lines.comma);
                    match action {
                        "" => lines.printer.text(internal(Dialect::Cadp)),
                        action => {
                            lines.printer.text("\"");
                            lines.printer.text(action);
                            lines.printer.text("\"");
                        }
                    }
                    lines.printer.text(lines.comma);
                } else {
                    lines.printer.text(lines.comma);
                    lines.printer.text("\"");
                    if !action.is_empty() {
                        lines.printer.text(action);
                        lines.printer.text("; ");
                    }
                    lines.printer.text(if is_markovian { "rate " } else { "prob " });
                    lines.printer.number(number_of(state, branch), ",");
                    lines.printer.text("\"");
                    lines.printer.text(lines.comma);
                }
                lines.printer.index(model.targets[branch] as usize);
                lines.printer.text(")");
                lines.printer.end_line()?;
            }
        }
    }
    Ok(())
}

/// An action as it stands within quotation marks; not taken for a rate, a probability or the internal action. Empty for
/// the internal action.
fn plain_label(action: &str) -> String {
    let line = action.replace(['\n', '\r'], " ").replace('"', "'");
    let line = if matches!(meaning(&line), Meaning::Action(_)) {
        line
    } else {
        line.replace(char::is_whitespace, "_")
    };
    match line.trim() {
        name if is_internal(name, Dialect::Cadp) => String::new(),
        name => name.to_owned(),
    }
}

/// Rates of a Markov automaton: probability times exit rate.
fn markovian_rates(model: &Model) -> Option<Numbers> {
    let (Time::UrgentStochastic, Some(values), Some(rates)) = (model.time, &model.values, &model.exit_rates)
    else {
        return None;
    };
    if let (Numbers::Exact(values), Numbers::Exact(rates)) = (values, rates) {
        let mut products = RatiosBuilder::default();
        each_branch(model, |state, _, branch| products.push(values.get(branch) * rates.get(state)));
        return Some(Numbers::Exact(products.finish()));
    }
    let double = |number: Number<'_>| number.to_f64().unwrap_or(0.0);
    let mut products = Vec::with_capacity(values.len());
    each_branch(model, |state, _, branch| {
        products.push(double(values.get(branch)) * double(rates.get(state)))
    });
    Some(Numbers::Double(products))
}

fn not_kept(model: &Model) -> Vec<Finding> {
    let parts = [
        (!model.labels.is_empty(), "state labels"),
        (!model.rewards.is_empty(), "rewards"),
        (!model.valuations.is_empty(), "variable values"),
        (!model.annotations.is_empty(), "annotations"),
    ];
    let lost = parts.iter().filter(|(is_there, _)| *is_there);
    lost.map(|(_, what)| {
        Finding::warning(codes::EXPLICIT_NOT_KEPT, format!("ALDEBARAN does not keep {what}"))
    })
    .collect()
}
