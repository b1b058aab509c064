//! Writes a model as DRN.

use crate::finding::Finding;
use crate::model::{Control, Entity, Model, Numbers, Observations, Time};
use crate::options::WriteOptions;
use crate::output::WriteError;
use crate::text::{NotAdded, Printer, choice_rewards, exit_rates, refuse, weights};
use std::borrow::Cow;
use std::io;
use volvelle_diagnostics::codes;

/// Writes a model; returns what the format does not keep.
pub(crate) fn write(
    model: &Model,
    options: &WriteOptions,
    out: &mut dyn io::Write,
    control: &volvelle_control::Control<'_>,
) -> Result<Vec<Finding>, WriteError> {
    let mut lost = Vec::new();
    let parts = Parts::new(model, &mut lost)?;
    let mut printer = Printer::new(out, control, options.digits);
    parts.header(&mut printer)?;
    for state in 0..model.num_states() {
        parts.state(state, &mut printer)?;
        for (i, choice) in model.choices.range(state).enumerate() {
            parts.choice(i, choice, &mut printer)?;
            for branch in model.branches.range(choice) {
                printer.text("\t\t");
                printer.index(model.targets[branch] as usize);
                printer.text(" : ");
                printer.number(parts.weights.get(branch), ", ");
                printer.end_line()?;
            }
        }
    }
    printer.flush()?;
    Ok(lost)
}

/// Rewards of states and of choices.
type Rewards<'m> = (Option<&'m Numbers>, Option<Cow<'m, Numbers>>);

/// The parts of a model in the form in which the format stores them.
struct Parts<'m> {
    model: &'m Model,
    kind: &'static str,
    weights: Cow<'m, Numbers>,
    exit_rates: Option<Cow<'m, Numbers>>,
    observations: Option<&'m Observations>,
    rewards: Vec<Rewards<'m>>,
    /// Labels as they are written, with their sets of states.
    labels: Vec<(String, Cow<'m, volvelle_space::BitSet>)>,
    /// Whether a choice has an action with a name.
    has_actions: bool,
}

impl<'m> Parts<'m> {
    fn new(model: &'m Model, lost: &mut Vec<Finding>) -> Result<Self, Finding> {
        let kind = match (model.time, model.control) {
            (Time::Discrete, Control::Chance) => "DTMC",
            (Time::Stochastic, Control::Chance) => "CTMC",
            (Time::Discrete, Control::Nondeterminism) if model.observations.is_some() => "POMDP",
            (Time::Discrete, Control::Nondeterminism) => "MDP",
            (Time::UrgentStochastic, Control::Chance | Control::Nondeterminism) => "Markov Automaton",
            (Time::Stochastic, Control::Nondeterminism) | (_, Control::Game) => {
                return Err(refuse(model, "DRN"));
            }
        };
        let weights = weights(model).ok_or_else(|| refuse(model, "DRN"))?;
        let exit_rates = match model.time {
            Time::Discrete => None,
            _ => Some(exit_rates(model, &weights).ok_or_else(|| refuse(model, "DRN"))?),
        };
        let observations = match &model.observations {
            Some(o) if o.on == Entity::States && o.distribution.is_none() && kind == "POMDP" => Some(o),
            Some(_) => {
                return Err(refuse(model, "DRN").note("only POMDPs with one observation per state"));
            }
            None => None,
        };
        let mut rewards = Vec::new();
        for reward in &model.rewards {
            let choices = match choice_rewards(model, Some(&weights), reward) {
                Ok(choices) => choices,
                Err(NotAdded) => {
                    let message = format!("the transition rewards of `{}` are left out", reward.name);
                    lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
                    reward.choices.as_ref().map(Cow::Borrowed)
                }
            };
            if reward.branches.is_some() && choices.is_some() {
                let message =
                    format!("the transition rewards of `{}` become their mean for every action", reward.name);
                lost.push(
                    Finding::warning(codes::EXPLICIT_NOT_KEPT, message)
                        .note("DRN has only state and action rewards; expected rewards stay the same"),
                );
            }
            rewards.push((reward.states.as_ref(), choices));
        }
        not_kept(model, lost);
        let actions = model.choice_actions.as_ref();
        Ok(Parts {
            model,
            kind,
            weights,
            exit_rates,
            observations,
            rewards,
            labels: labels(model)?,
            has_actions: actions.is_some_and(|a| a.of.iter().any(|&of| !a.names[of as usize].is_empty())),
        })
    }

    fn has_exact_rates(&self) -> bool {
        self.model.exit_rates.as_ref().is_some_and(|rates| rates.number_type().is_exact())
    }

    /// Whether a number of the file is an expression over parameters.
    fn has_expressions(&self) -> bool {
        let rewards = self.rewards.iter().flat_map(|(states, choices)| [*states, choices.as_deref()]);
        let columns = [Some(&*self.weights), self.exit_rates.as_deref()].into_iter().chain(rewards);
        columns.flatten().any(|numbers| matches!(numbers, Numbers::Symbolic(_)))
    }

    /// The type of the numbers; `None` where it is the one that every version of the format expects.
    fn value_type(&self) -> Option<&'static str> {
        match &*self.weights {
            _ if self.has_expressions() => Some("parametric"),
            // Without transitions, exit rates may be rationals all the same.
            Numbers::Double(_) if self.model.num_branches() == 0 && self.has_exact_rates() => {
                Some("rational")
            }
            // A file with parameters and no type is parametric, even if nothing in it uses them.
            Numbers::Double(_) => (!self.model.parameters.is_empty()).then_some("double"),
            Numbers::Exact(_) => Some("rational"),
            Numbers::DoubleInterval(_) => Some("double-interval"),
            Numbers::ExactInterval(_) => Some("rational-interval"),
            Numbers::Symbolic(_) => Some("parametric"),
        }
    }

    fn header(&self, printer: &mut Printer<'_>) -> Result<(), WriteError> {
        printer.text("// Exported by volvelle\n@type: ");
        printer.text(self.kind);
        if let Some(value_type) = self.value_type() {
            printer.text("\n@value_type: ");
            printer.text(value_type);
        }
        printer.text("\n@parameters\n");
        printer.text(&self.model.parameters.join(" "));
        printer.text("\n@reward_models\n");
        let names: Vec<String> = (self.model.rewards.iter().enumerate())
            .map(|(i, reward)| match reward.name.as_str() {
                "" => format!("reward{}", i + 1),
                name => name.replace(char::is_whitespace, "_"),
            })
            .collect();
        printer.text(&names.join(" "));
        printer.text("\n@nr_states\n");
        printer.index(self.model.num_states());
        printer.text("\n@nr_choices\n");
        printer.index(self.model.num_choices());
        printer.text("\n@model");
        printer.end_line()
    }

    fn state(&self, state: usize, printer: &mut Printer<'_>) -> Result<(), WriteError> {
        printer.text("state ");
        printer.index(state);
        if let Some(rates) = &self.exit_rates {
            printer.text(" !");
            // Exit rates of states that are not Markovian have no meaning.
            if self.model.markovian.as_ref().is_none_or(|markovian| markovian.contains(state)) {
                printer.number(rates.get(state), ", ");
            } else {
                printer.text("0");
            }
        }
        if let Some(observations) = self.observations {
            printer.text(" {");
            printer.index(observations.of[state] as usize);
            printer.text("}");
        }
        self.rewards(printer, |(states, _)| *states, state);
        for (name, _) in self.labels.iter().filter(|(_, set)| set.contains(state)) {
            printer.text(" ");
            printer.text(name);
        }
        printer.end_line()
    }

    fn choice(&self, place: usize, choice: usize, printer: &mut Printer<'_>) -> Result<(), WriteError> {
        printer.text("\taction ");
        match &self.model.choice_actions {
            Some(actions) if self.has_actions => match actions.name(choice) {
                "" => printer.text("__NOLABEL__"),
                name if name.contains(char::is_whitespace) => {
                    printer.text(&name.replace(char::is_whitespace, "_"));
                }
                name => printer.text(name),
            },
            _ => printer.index(place),
        }
        self.rewards(printer, |(_, choices)| choices.as_deref(), choice);
        printer.end_line()
    }

    fn rewards(
        &self,
        printer: &mut Printer<'_>,
        part: impl for<'r> Fn(&'r Rewards<'m>) -> Option<&'r Numbers>,
        place: usize,
    ) {
        for (i, reward) in self.rewards.iter().enumerate() {
            printer.text(if i == 0 { " [" } else { ", " });
            match part(reward) {
                Some(numbers) => printer.number(numbers.get(place), ", "),
                None => printer.text("0"),
            }
        }
        if !self.rewards.is_empty() {
            printer.text("]");
        }
    }
}

/// `init`, `deadlock` and the labels of the model, in quotes where they are no plain words.
fn labels(model: &Model) -> Result<Vec<(String, Cow<'_, volvelle_space::BitSet>)>, Finding> {
    let mut all = vec![("init".to_owned(), Cow::Borrowed(&model.initial))];
    let mut deadlocks = model.deadlocks();
    if let Some(label) = model.label("deadlock") {
        deadlocks.unite(&label.states);
    }
    all.push(("deadlock".to_owned(), Cow::Owned(deadlocks)));
    for label in model.labels.iter().filter(|label| label.name != "deadlock" && label.name != "init") {
        let name = &label.name;
        if name.contains(['"', '\n', '\r']) {
            let message = format!("DRN cannot hold the label {name:?}");
            let finding = Finding::error(codes::EXPLICIT_UNSUPPORTED, message);
            return Err(finding.note("labels cannot contain quotation marks or line ends"));
        }
        let is_plain = !name.is_empty()
            && !name.contains(char::is_whitespace)
            && !name.starts_with(['!', '[', '{', '/']);
        let written = if is_plain { name.clone() } else { format!("\"{name}\"") };
        all.push((written, Cow::Borrowed(&label.states)));
    }
    Ok(all)
}

/// Warns of the parts of a model that the format cannot store.
fn not_kept(model: &Model, lost: &mut Vec<Finding>) {
    let mut warn = |what: &str| {
        let message = format!("DRN does not keep {what}");
        lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
    };
    if !model.valuations.is_empty() {
        warn("variable values");
    }
    if !model.annotations.is_empty() {
        warn("annotations");
    }
    if model.branch_actions.is_some() {
        warn("transition actions");
    }
    if let Some(actions) = &model.choice_actions
        && actions.names.iter().any(|name| name.contains(char::is_whitespace))
    {
        warn("blanks in action names: they become `_`");
    }
    if model.rewards.iter().any(|reward| reward.name.is_empty() || reward.name.contains(char::is_whitespace))
    {
        warn("reward structure names without letters or with blanks: they become `reward1` or get `_`");
    }
}
