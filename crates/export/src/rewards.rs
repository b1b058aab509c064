//! `.srew` and `.trew`: the rewards of one structure that are not zero.
//!
//! ```text
//! # Reward structure "cost"      # Reward structure "cost"
//! # State rewards                # Transition rewards
//! states entries                 states entries                    (MDP: states choices entries)
//! state reward                   source target reward              (MDP: source choice target reward)
//! ```
//!
//! In a Markov chain several commands may lead from one state to the same one; exploration has added their
//! probabilities up. Such a transition gets the mean of the commands' rewards, weighted by their probabilities (rates),
//! so that probability times reward is what the commands add up to. The self-loop that a deadlock is given has no
//! reward.

use crate::number::Number;
use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;
use volvelle_explore::Stepper;
use volvelle_kernel::Const;
use volvelle_kernel::interp::{Evaluator, Interpreter};
use volvelle_model::{ActionId, Domain, GroupId, TransitionReward};

fn header(model: Model<'_>, structure: usize, what: &str, out: &mut dyn Write) -> Result<(), ExportError> {
    write!(out, "# Reward structure")?;
    if let Some(name) = &model.program.rewards[structure].name {
        write!(out, " \"{name}\"")?;
    }
    writeln!(out, "\n# {what} rewards")?;
    Ok(())
}

pub fn write_states(
    model: Model<'_>,
    structure: usize,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    header(model, structure, "State", out)?;
    let n = model.explored.space.num_states();
    let Some(rewards) = &model.explored.space.rewards[structure].state else {
        writeln!(out, "{n} 0")?;
        return Ok(());
    };
    writeln!(out, "{n} {}", rewards.iter().filter(|&r| r != 0.0).count())?;
    for state in each_state(n, control) {
        let state = state?;
        let reward = rewards.get(state);
        if reward != 0.0 {
            writeln!(out, "{state} {}", Number(reward))?;
        }
    }
    Ok(())
}

pub fn write_transitions(
    model: Model<'_>,
    structure: usize,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    header(model, structure, "Transition", out)?;
    let n = model.explored.space.num_states();
    if model.explored.space.choices.is_some() {
        return write_choices(model, structure, out, control);
    }
    // The number of lines comes first: go over the states twice rather than keep what may be larger than the
    // matrix.
    let mut entries = 0;
    each_entry(model, structure, control, |_, _, _| {
        entries += 1;
        Ok(())
    })?;
    writeln!(out, "{n} {entries}")?;
    each_entry(model, structure, control, |source, target, reward| {
        writeln!(out, "{source} {target} {}", Number(reward))?;
        Ok(())
    })
}

/// All transitions of a choice have the reward of the choice.
fn write_choices(
    model: Model<'_>,
    structure: usize,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    let space = &model.explored.space;
    let (n, m) = (space.num_states(), space.num_choices());
    let Some(rewards) = &space.rewards[structure].choice else {
        writeln!(out, "{n} {m} 0")?;
        return Ok(());
    };
    let rewarded = rewards.iter().enumerate().filter(|&(_, r)| r != 0.0);
    writeln!(out, "{n} {m} {}", rewarded.map(|(c, _)| space.row(c).len()).sum::<usize>())?;
    for state in each_state(n, control) {
        let state = state?;
        for (i, choice) in space.choices_of(state).enumerate() {
            if rewards.get(choice) == 0.0 {
                continue;
            }
            for (target, _) in space.transitions(choice) {
                writeln!(out, "{state} {i} {target} {}", Number(rewards.get(choice)))?;
            }
        }
    }
    Ok(())
}

/// Visits the transitions of a Markov chain whose reward is not zero.
fn each_entry(
    model: Model<'_>,
    structure: usize,
    control: &Control<'_>,
    mut visit: impl FnMut(usize, usize, f64) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let Model { program, explored } = model;
    let items = &program.rewards[structure].transitions;
    if items.is_empty() {
        return Ok(());
    }
    let stepper = Stepper::new(program, &explored.layout, &Interpreter).map_err(ExportError::Step)?;
    let mut rewards = StateRewards::new(items);
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for state in each_state(explored.space.num_states(), control) {
        let state = state?;
        let packed = explored.states.get(state);
        rewards.enter(model, packed);
        if rewards.all_zero() {
            continue;
        }
        // Sums of weight and of weight times reward, for each transition of the row.
        let columns = &explored.space.columns[explored.space.row(state)];
        sums.clear();
        sums.resize(columns.len(), (0.0, 0.0));
        for successor in stepper.successors(packed) {
            let target = |&c: &u32| explored.states.get(c as usize) == successor.packed;
            let Some(at) = columns.iter().position(target) else { continue };
            sums[at].0 += successor.weight;
            sums[at].1 += successor.weight * rewards.of(model.action(successor.group));
        }
        for (&target, &(weight, weighted)) in columns.iter().zip(&sums) {
            if weighted != 0.0 {
                visit(state, target as usize, weighted / weight)?;
            }
        }
    }
    Ok(())
}

impl Model<'_> {
    fn action(self, group: GroupId) -> ActionId {
        self.program.groups[group.index()].action
    }
}

/// The rewards of the transitions of one state, by action.
struct StateRewards<'a> {
    items: &'a [TransitionReward],
    evaluator: Evaluator,
    by_action: Vec<(ActionId, f64)>,
}

impl<'a> StateRewards<'a> {
    fn new(items: &'a [TransitionReward]) -> Self {
        StateRewards { items, evaluator: Evaluator::new(), by_action: Vec::new() }
    }

    /// Evaluates all items. They were evaluated before, by exploration, so that none fails.
    fn enter(&mut self, model: Model<'_>, packed: &[u64]) {
        let values = model.explored.layout.unpack(packed);
        let locals: Vec<Const> = (model.program.fields.iter().zip(values))
            .map(|(field, value)| match field.domain {
                Domain::Bool => Const::bool(value != 0),
                _ => Const::i64(value),
            })
            .collect();
        let exprs = &model.program.exprs;
        self.by_action.clear();
        for item in self.items {
            let mut eval = |expr| self.evaluator.eval(exprs, expr, &locals).ok();
            if eval(item.guard).and_then(|g| g.as_bool()) != Some(true) {
                continue;
            }
            let reward = eval(item.value).and_then(|v| v.as_f64()).unwrap_or(0.0);
            match self.by_action.iter_mut().find(|(action, _)| *action == item.action) {
                Some((_, sum)) => *sum += reward,
                None => self.by_action.push((item.action, reward)),
            }
        }
    }

    fn all_zero(&self) -> bool {
        self.by_action.iter().all(|&(_, r)| r == 0.0)
    }

    fn of(&self, action: ActionId) -> f64 {
        self.by_action.iter().find(|(a, _)| *a == action).map_or(0.0, |&(_, r)| r)
    }
}
