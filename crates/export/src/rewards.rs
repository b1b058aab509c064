//! The rewards of transitions of Markov chains.
//!
//! In a Markov chain several commands may lead from one state to the same one; exploration has added their
//! probabilities up. Such a transition gets the mean of the commands' rewards, weighted by their probabilities (rates),
//! so that probability times reward is what the commands add up to. The self-loop that a deadlock is given has no
//! reward.

use crate::{ExportError, Model, each_state};
use volvelle_control::Control;
use volvelle_explore::Stepper;
use volvelle_kernel::Const;
use volvelle_kernel::interp::{Evaluator, Interpreter};
use volvelle_model::{ActionId, Domain, GroupId, TransitionReward};

/// The rewards of a structure, by transition; `None` if it has none for transitions.
pub fn of_transitions(
    model: Model<'_>,
    structure: usize,
    control: &Control<'_>,
) -> Result<Option<Vec<f64>>, ExportError> {
    if model.program.rewards[structure].transitions.is_empty() {
        return Ok(None);
    }
    let mut rewards = vec![0.0; model.explored.space.num_transitions()];
    each_entry(model, structure, control, |transition, reward| rewards[transition] = reward)?;
    Ok(Some(rewards))
}

/// Visits the transitions of a Markov chain whose reward is not zero.
fn each_entry(
    model: Model<'_>,
    structure: usize,
    control: &Control<'_>,
    mut visit: impl FnMut(usize, f64),
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
        for (transition, &(weight, weighted)) in explored.space.row(state).zip(&sums) {
            if weighted != 0.0 {
                visit(transition, weighted / weight);
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
