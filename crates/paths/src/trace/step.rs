//! The states of a path as values, for screens, CSV and JSON.

use super::plan::PathPlan;
use volvelle_diagnostics::{Sources, Span};
use volvelle_model::{GroupId, Origin};
use volvelle_session::language::Document;
use volvelle_session::trace::VariableValue;

/// A state of a path, and how it was reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathStep {
    /// Steps up to here; 0 for the initial state.
    pub number: u32,
    /// When the state was entered, where times are drawn.
    pub time: Option<f64>,
    /// The step that led here; `None` for the initial state.
    pub moved: Option<Moved>,
    /// Values of all variables.
    pub state: Vec<VariableValue>,
    /// The variables that changed; in the initial state all.
    pub changes: Vec<VariableChange>,
    /// The reward earned up to here, for every structure.
    pub rewards: Vec<Total>,
    /// The properties that this state decides, or the time that is spent in it.
    pub decided: Vec<Decided>,
}

/// The action and the commands of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// Name of the action; empty if it is silent.
    pub action: String,
    /// The commands that were executed, with their modules.
    pub commands: Vec<Command>,
}

/// A command that took part in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its module.
    pub module: String,
    /// The line of the update that was chosen.
    pub line: usize,
    /// The text of the update.
    pub update: String,
    /// Where it stands.
    pub place: Option<Span>,
}

impl Moved {
    /// `[go]`, or for a silent action `[] die, line 6`.
    pub fn title(&self) -> String {
        match self.commands.as_slice() {
            [only] if self.action.is_empty() => format!("[] {}, line {}", only.module, only.line),
            _ => format!("[{}]", self.action),
        }
    }
}

/// What it takes to take a step again.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Index of the combination.
    pub(super) combination: usize,
    /// The branch of each of its stages; `None`: they are drawn.
    pub(super) branches: Option<Vec<usize>>,
}

impl Choice {
    /// Whether it is a choice, or an outcome of it.
    pub(crate) fn is_of(&self, choice: &Choice) -> bool {
        self.combination == choice.combination
            && (choice.branches.is_none() || self.branches == choice.branches)
    }
}

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOption {
    /// The step.
    pub(super) choice: Choice,
    /// Its probability, or rate in continuous time.
    pub weight: f64,
    /// Its action and commands. The commands are unknown where outcomes are drawn.
    pub moved: Moved,
    /// The changes that it would make; `None` where outcomes are drawn.
    pub changes: Option<Vec<VariableChange>>,
    /// Whether it is one that the scheduler takes, rather than another.
    pub is_scheduled: bool,
}

impl PathOption {
    /// Whether its outcome is left to chance.
    pub fn is_drawn(&self) -> bool {
        self.choice.branches.is_none()
    }
}

/// A variable that changed.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableChange {
    /// Its name.
    pub name: String,
    /// Its value before; `None` for the initial state.
    pub before: Option<VariableValue>,
    /// Its value now.
    pub after: VariableValue,
}

/// The rewards of a structure; `None` where a value cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// Earned up to here.
    pub total: Option<f64>,
    /// Earned by the step itself.
    pub step: Option<f64>,
    /// Earned in this state, per step or unit of time.
    pub state: Option<f64>,
}

/// A property that is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// Index into the properties.
    pub property: usize,
    /// Its value on this path.
    pub value: PathValue,
}

/// The value of a property on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathValue {
    /// The path satisfies the formula, or does not.
    Truth(bool),
    /// The reward of the path.
    Number(f64),
}

/// The changes from one state to the next, or all values of the first.
pub(super) fn changes(plan: &PathPlan, before: Option<&[i64]>, after: &[i64]) -> Vec<VariableChange> {
    let fields = plan.plan.program.fields.iter().zip(after).enumerate();
    let changed = fields.filter(|&(i, (_, &value))| before.is_none_or(|before| before[i] != value));
    changed
        .map(|(i, (field, &value))| VariableChange {
            name: field.name.clone(),
            before: before.map(|before| plan.value(i, before[i])),
            after: plan.value(i, value),
        })
        .collect()
}

/// The action and the commands of a combination that was taken with these branches.
pub(super) fn moved(
    plan: &PathPlan,
    document: &dyn Document,
    sources: &Sources,
    combination: usize,
    branches: &[usize],
) -> Moved {
    let program = &plan.plan.program;
    if plan.plan.rows.is_some() {
        let action = plan.plan.action(combination);
        let name = program.actions.get(action.index()).map_or("", |action| &action.name);
        return Moved { action: name.to_owned(), commands: Vec::new() };
    }
    let combination = &plan.plan.combinations[combination];
    let mut rest = participants(plan, combination.group);
    let origins = combination.stages.iter().zip(branches).flat_map(|(stage, &branch)| &stage[branch].origins);
    let commands = origins.map(|&origin| {
        // Copies of a module have their text in common: each participant moves once.
        let at = rest.iter().position(|(_, origins)| origins.contains(&origin));
        let module = at.map_or(String::new(), |at| rest.remove(at).0);
        let place = document.place(origin);
        Command {
            module,
            place,
            line: place.map_or(0, |span| sources.line_column(span).line),
            update: place
                .map_or("", |span| sources.text(span))
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        }
    });
    Moved { commands: commands.collect(), action: program.actions[combination.action.index()].name.clone() }
}

/// The participants of a group: names, and the updates that they have.
fn participants(plan: &PathPlan, group: GroupId) -> Vec<(String, Vec<Origin>)> {
    let program = &plan.plan.program;
    let participants = program.groups[group.index()].participants.iter();
    participants
        .map(|p| {
            let outcomes = p.alternatives.iter().flat_map(|a| &a.outcomes);
            let name = program.participant_name(p).to_owned();
            (name, outcomes.map(|outcome| outcome.origin).collect())
        })
        .collect()
}
