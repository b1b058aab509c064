//! Writes a model as PRISM's explicit files.

use crate::finding::Finding;
use crate::model::{Actions, Column, Control, Entity, Model, Number, Numbers, Reward, Time, Valuations};
use crate::options::WriteOptions;
use crate::output::WriteError;
use crate::text::{NotAdded, Printer, choice_rewards, refuse, weights};
use std::borrow::Cow;
use std::io;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

type Limits<'a> = volvelle_control::Control<'a>;

/// What is not kept, or why nothing was written.
type Written = Result<Vec<Finding>, WriteError>;

/// What one of PRISM's files holds.
#[derive(Clone, Copy, Debug)]
pub enum Section<'m> {
    /// `.tra`
    Transitions,
    /// `.sta`: the values of variables that are integers or truth values.
    States,
    /// `.lab`
    Labels,
    /// `.srew`
    StateRewards(&'m Reward),
    /// `.trew`
    TransitionRewards(&'m Reward),
}

/// Writes a section of a model to a file of its own.
pub fn write_section(
    model: &Model,
    section: Section<'_>,
    options: &WriteOptions,
    out: &mut dyn io::Write,
    control: &Limits<'_>,
) -> Written {
    let mut printer = Printer::new(out, control, options.digits);
    let lost = match section {
        Section::Transitions => transitions(model, &mut printer)?,
        Section::States => match model.valuations.iter().find(|v| v.on == Entity::States) {
            Some(valuations) => values(valuations, model.num_states(), &mut printer)?,
            None => {
                let message = "the model has no variable values";
                return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message).into());
            }
        },
        Section::Labels => labels(model, &mut printer).map(|()| Vec::new())?,
        Section::StateRewards(reward) => state_rewards(model, reward, &mut printer).map(|()| Vec::new())?,
        Section::TransitionRewards(reward) => transition_rewards(model, reward, &mut printer)?,
    };
    printer.flush()?;
    Ok(lost)
}

/// Writes `.pexp`: all of it.
pub fn write_combined(
    model: &Model,
    options: &WriteOptions,
    out: &mut dyn io::Write,
    control: &Limits<'_>,
) -> Written {
    let mut printer = Printer::new(out, control, options.digits);
    printer.text("# Transitions (");
    printer.text(&model.kind().name());
    printer.text(")\n");
    let mut lost = transitions(model, &mut printer)?;
    for (on, title, count) in [
        (Entity::States, "\n# States\n", model.num_states()),
        (Entity::Observations, "\n# Observations\n", model.count(Entity::Observations)),
    ] {
        if let Some(valuations) = model.valuations.iter().find(|v| v.on == on) {
            printer.text(title);
            lost.extend(values(valuations, count, &mut printer)?);
        }
    }
    printer.text("\n# Labels\n");
    labels(model, &mut printer)?;
    for reward in &model.rewards {
        printer.text("\n");
        state_rewards(model, reward, &mut printer)?;
        printer.text("\n");
        lost.extend(transition_rewards(model, reward, &mut printer)?);
    }
    if !model.annotations.is_empty() {
        let message = "PRISM's explicit files do not keep annotations";
        lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
    }
    printer.flush()?;
    Ok(lost)
}

/// Whether transitions have a choice in front of the target.
fn has_choices(model: &Model) -> bool {
    model.control != Control::Chance
}

fn transitions(model: &Model, printer: &mut Printer<'_>) -> Written {
    const FORMAT: &str = "PRISM's explicit files";
    if model.control == Control::Game || model.time == Time::UrgentStochastic {
        return Err(refuse(model, FORMAT).into());
    }
    if model.time == Time::Stochastic && has_choices(model) {
        return Err(refuse(model, FORMAT).into());
    }
    let observations = match &model.observations {
        Some(o)
            if o.on != Entity::States
                || o.distribution.is_some()
                || !has_choices(model)
                || model.values.is_none() =>
        {
            let finding = refuse(model, FORMAT);
            return Err(finding.note("only POMDPs with one observation per state").into());
        }
        observations => observations.as_ref(),
    };
    let weights = match &model.values {
        None if !has_choices(model) => return Err(refuse(model, FORMAT).into()),
        None => None,
        Some(_) => Some(weights(model).ok_or_else(|| refuse(model, FORMAT))?),
    };
    if let Some(Numbers::Symbolic(_)) = weights.as_deref() {
        return Err(refuse(model, FORMAT).into());
    }
    if has_choices(model) && (0..model.num_choices()).any(|choice| model.branches.range(choice).is_empty()) {
        let message = "PRISM's explicit files cannot hold a choice without transitions";
        return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message).into());
    }
    let actions = Identifiers::new(model);
    printer.index(model.num_states());
    for count in
        [has_choices(model).then_some(model.num_choices()), Some(model.num_branches())].into_iter().flatten()
    {
        printer.text(" ");
        printer.index(count);
    }
    if let Some(observations) = observations {
        printer.text(" ");
        printer.index(observations.count as usize);
    }
    printer.end_line()?;
    if let Some(observations) = observations {
        for state in model.initial.iter() {
            printer.text("- - ");
            printer.index(state);
            printer.text(" - ");
            printer.index(observations.of[state] as usize);
            printer.end_line()?;
        }
    }
    for state in 0..model.num_states() {
        for (i, choice) in model.choices.range(state).enumerate() {
            for branch in model.branches.range(choice) {
                printer.index(state);
                if has_choices(model) {
                    printer.text(" ");
                    printer.index(i);
                }
                printer.text(" ");
                let target = model.targets[branch] as usize;
                printer.index(target);
                if let Some(weights) = &weights {
                    printer.text(" ");
                    printer.number(weights.get(branch), ",");
                }
                if let Some(observations) = observations {
                    printer.text(" ");
                    printer.index(observations.of[target] as usize);
                }
                let name = actions.name(choice, branch);
                if !name.is_empty() {
                    printer.text(" ");
                    printer.text(name);
                }
                printer.end_line()?;
            }
        }
    }
    Ok(actions.lost)
}

/// Actions as identifiers, which is what the format has.
struct Identifiers<'m> {
    /// Names of the actions of choices, and places in them.
    choices: Option<(Vec<String>, &'m [u32])>,
    /// Names of the actions of branches, where they are written: in chains.
    branches: Option<(Vec<String>, &'m [u32])>,
    /// Names that were changed.
    lost: Vec<Finding>,
}

impl<'m> Identifiers<'m> {
    fn new(model: &'m Model) -> Self {
        let mut lost = Vec::new();
        let mut identifiers = |actions: &'m Actions| {
            let names: Vec<String> = actions.names.iter().map(|name| identifier(name)).collect();
            for (name, written) in actions.names.iter().zip(&names).filter(|(name, written)| name != written)
            {
                let message = format!("the action {name:?} is written as `{written}`");
                lost.push(
                    Finding::warning(codes::EXPLICIT_NOT_KEPT, message)
                        .note("action names in PRISM must be identifiers"),
                );
            }
            (names, &actions.of[..])
        };
        let choices = model.choice_actions.as_ref().map(&mut identifiers);
        let branches = model.branch_actions.as_ref().filter(|_| !has_choices(model)).map(&mut identifiers);
        if has_choices(model) && model.branch_actions.is_some() {
            let message = "PRISM's explicit files do not keep branch actions";
            lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
        }
        Identifiers { choices, branches, lost }
    }

    /// The name to write; empty if there is none.
    fn name(&self, choice: usize, branch: usize) -> &str {
        let of = |part: &'_ Option<(Vec<String>, &[u32])>, place: usize| {
            part.as_ref().map(|(_, of)| of[place] as usize)
        };
        let of_branch = match (&self.branches, of(&self.branches, branch)) {
            (Some((names, _)), Some(place)) => names[place].as_str(),
            _ => "",
        };
        match (&self.choices, of(&self.choices, choice)) {
            (Some((names, _)), Some(place)) if of_branch.is_empty() => &names[place],
            _ => of_branch,
        }
    }
}

/// A name with `_` for what identifiers do not have.
fn identifier(name: &str) -> String {
    let mut written: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if written.starts_with(|c: char| c.is_ascii_digit()) {
        written.insert(0, '_');
    }
    written
}

fn labels(model: &Model, printer: &mut Printer<'_>) -> Result<(), WriteError> {
    let mut deadlocks = model.deadlocks();
    if let Some(label) = model.label("deadlock") {
        deadlocks.unite(&label.states);
    }
    let mut all: Vec<(&str, Cow<'_, BitSet>)> =
        vec![("init", Cow::Borrowed(&model.initial)), ("deadlock", Cow::Owned(deadlocks))];
    for label in model.labels.iter().filter(|label| label.name != "init" && label.name != "deadlock") {
        if label.name.contains(['"', '\n', '\r']) {
            let message = format!("PRISM's explicit files cannot hold the label {:?}", label.name);
            return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message).into());
        }
        all.push((&label.name, Cow::Borrowed(&label.states)));
    }
    for (i, (name, _)) in all.iter().enumerate() {
        printer.text(if i == 0 { "" } else { " " });
        printer.index(i);
        printer.text("=\"");
        printer.text(name);
        printer.text("\"");
    }
    printer.end_line()?;
    for state in 0..model.num_states() {
        let mut is_first = true;
        for (i, _) in all.iter().enumerate().filter(|(_, (_, set))| set.contains(state)) {
            if is_first {
                printer.index(state);
                printer.text(":");
                is_first = false;
            }
            printer.text(" ");
            printer.index(i);
        }
        if !is_first {
            printer.end_line()?;
        }
    }
    Ok(())
}

/// Integers and truth values; other variables are left out.
fn values(valuations: &Valuations, count: usize, printer: &mut Printer<'_>) -> Written {
    let is_kept = |column: &Column| matches!(column, Column::Bool(_) | Column::Int(_));
    let (kept, others): (Vec<_>, Vec<_>) = (valuations.variables.iter())
        .partition(|variable| is_kept(&variable.values) && variable.present.is_none());
    let names: Vec<&str> = kept.iter().map(|variable| variable.name.as_str()).collect();
    printer.text("(");
    printer.text(&names.join(","));
    printer.text(")");
    printer.end_line()?;
    for place in 0..count {
        printer.index(place);
        printer.text(":(");
        for (i, variable) in kept.iter().enumerate() {
            printer.text(if i == 0 { "" } else { "," });
            match &variable.values {
                Column::Bool(values) => printer.display(values.contains(place)),
                Column::Int(values) => printer.display(values.get(place)),
                _ => {}
            }
        }
        printer.text(")");
        printer.end_line()?;
    }
    let lost = |variable: &&crate::model::Variable| {
        let message = format!("PRISM's explicit files do not keep the variable `{}`", variable.name);
        let type_name = variable.values.type_name();
        Finding::warning(codes::EXPLICIT_NOT_KEPT, message)
            .note(format!("they hold integers and truth values, but this variable has type {type_name}"))
    };
    Ok(others.iter().map(lost).collect())
}

fn reward_header(reward: &Reward, what: &str, printer: &mut Printer<'_>) {
    printer.text("# Reward structure");
    if !reward.name.is_empty() {
        printer.text(" \"");
        printer.text(&reward.name.replace(['"', '\n', '\r'], "_"));
        printer.text("\"");
    }
    printer.text("\n# ");
    printer.text(what);
    printer.text(" rewards\n");
}

fn state_rewards(model: &Model, reward: &Reward, printer: &mut Printer<'_>) -> Result<(), WriteError> {
    reward_header(reward, "State", printer);
    let entries = || {
        let all = reward.states.iter().flat_map(|numbers| numbers.iter().enumerate());
        all.filter(|(_, number)| !number.is_zero())
    };
    printer.index(model.num_states());
    printer.text(" ");
    printer.index(entries().count());
    printer.end_line()?;
    for (state, number) in entries() {
        printer.index(state);
        printer.text(" ");
        printer.number(number, ",");
        printer.end_line()?;
    }
    Ok(())
}

fn transition_rewards(model: &Model, reward: &Reward, printer: &mut Printer<'_>) -> Written {
    reward_header(reward, "Transition", printer);
    let mut lost = Vec::new();
    printer.index(model.num_states());
    if has_choices(model) {
        let weights = weights(model);
        let rewards = match choice_rewards(model, weights.as_deref(), reward) {
            Ok(rewards) => rewards,
            Err(NotAdded) => {
                let message = format!("the branch rewards of `{}` are left out", reward.name);
                lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message));
                reward.choices.as_ref().map(Cow::Borrowed)
            }
        };
        if lost.is_empty() && reward.branches.is_some() {
            let message =
                format!("the transition rewards of `{}` become their mean for every choice", reward.name);
            lost.push(Finding::warning(codes::EXPLICIT_NOT_KEPT, message).note(
                "PRISM has a single reward for all transitions of a choice; expected rewards stay the same",
            ));
        }
        let of = |choice: usize| rewards.as_ref().map(|r| r.get(choice)).filter(|number| !number.is_zero());
        let entries: usize = (0..model.num_choices())
            .filter(|&choice| of(choice).is_some())
            .map(|choice| model.branches.range(choice).len())
            .sum();
        printer.text(" ");
        printer.index(model.num_choices());
        printer.text(" ");
        printer.index(entries);
        printer.end_line()?;
        for state in 0..model.num_states() {
            for (i, choice) in model.choices.range(state).enumerate() {
                let Some(number) = of(choice) else { continue };
                for branch in model.branches.range(choice) {
                    for index in [state, i, model.targets[branch] as usize] {
                        printer.index(index);
                        printer.text(" ");
                    }
                    printer.number(number, ",");
                    printer.end_line()?;
                }
            }
        }
        return Ok(lost);
    }
    let sums = sums(model, reward)?;
    let of = |choice: usize, branch: usize| -> Option<Number<'_>> {
        let number = match (&sums, &reward.branches, &reward.choices) {
            (Some(sums), _, _) => Some(sums.get(branch)),
            (None, Some(branches), _) => Some(branches.get(branch)),
            (None, None, Some(choices)) => Some(choices.get(choice)),
            (None, None, None) => None,
        };
        number.filter(|number| !number.is_zero())
    };
    let repeated = repeated(model, of)?;
    let of = |choice: usize, branch: usize| of(choice, branch).filter(|_| !repeated.contains(branch));
    let mut entries = 0;
    crate::text::each_branch(model, |_, choice, branch| entries += usize::from(of(choice, branch).is_some()));
    printer.text(" ");
    printer.index(entries);
    printer.end_line()?;
    for state in 0..model.num_states() {
        for choice in model.choices.range(state) {
            for branch in model.branches.range(choice) {
                let Some(number) = of(choice, branch) else { continue };
                printer.index(state);
                printer.text(" ");
                printer.index(model.targets[branch] as usize);
                printer.text(" ");
                printer.number(number, ",");
                printer.end_line()?;
            }
        }
    }
    Ok(lost)
}

/// Branches whose choice has an earlier one to the same target. A line is about all of them, so that they must have the
/// same reward.
fn repeated<'n>(
    model: &Model,
    reward: impl Fn(usize, usize) -> Option<Number<'n>>,
) -> Result<BitSet, Finding> {
    let mut repeated = BitSet::new(model.num_branches());
    // The last branch to a state, one more than its number.
    let mut latest = vec![0usize; model.num_states()];
    let mut differs = None;
    crate::text::each_branch(model, |state, choice, branch| {
        let target = model.targets[branch] as usize;
        let before = std::mem::replace(&mut latest[target], branch + 1);
        if before > model.branches.range(choice).start {
            repeated.insert(branch);
            if reward(choice, before - 1) != reward(choice, branch) {
                differs.get_or_insert((state, target));
            }
        }
    });
    let Some((state, target)) = differs else { return Ok(repeated) };
    let message = format!(
        "PRISM's explicit files cannot hold two transitions from state {state} to state {target} with different rewards"
    );
    Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message)
        .help("write the model as UMB, which can hold them"))
}

/// Rewards of branches with those of their choices added; `None` unless there are both.
fn sums(model: &Model, reward: &Reward) -> Result<Option<Numbers>, Finding> {
    let (Some(branches), Some(choices)) = (&reward.branches, &reward.choices) else { return Ok(None) };
    let numbers = match (branches, choices) {
        (Numbers::Exact(branches), Numbers::Exact(choices)) => {
            let mut sums = volvelle_space::RatiosBuilder::default();
            crate::text::each_branch(model, |_, choice, branch| {
                sums.push(branches.get(branch) + choices.get(choice))
            });
            Numbers::Exact(sums.finish())
        }
        _ => {
            let mut sums = Vec::with_capacity(branches.len());
            crate::text::each_branch(model, |_, choice, branch| {
                let parts = [branches.get(branch), choices.get(choice)].map(Number::to_f64);
                sums.push(parts[0].unwrap_or(f64::NAN) + parts[1].unwrap_or(f64::NAN));
            });
            if sums.iter().any(|sum| sum.is_nan()) {
                let message = format!("the transition rewards of `{}` are not plain numbers", reward.name);
                return Err(Finding::error(codes::EXPLICIT_UNSUPPORTED, message));
            }
            Numbers::Double(sums)
        }
    };
    Ok(Some(numbers))
}
