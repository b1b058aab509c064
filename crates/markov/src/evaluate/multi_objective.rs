//! `multi(…)`: objectives are evaluated and handed to the search for schedulers.

use volvelle_logic::{Answer, Measured, Objective};
use volvelle_space::{Kind, Space};

use super::{Evaluator, IsPrecise, enclosed};
use crate::error::CheckError;
use crate::ltl;
use crate::multi::{self, Measure, multi};

impl Evaluator<'_> {
    /// The answer to objectives, in the initial state.
    pub(super) fn objectives(mut self, objectives: &[Objective]) -> Result<(Answer, IsPrecise), CheckError> {
        let initial = single_initial_state(self.context.space)?;
        let roots = super::operators::state_formulas(self.formulas, &self.is_path, self.root);
        self.evaluate(&roots)?;
        let measures = self.objectives_of(objectives)?;
        let answer = multi(self.context, initial, measures)?;
        Ok((answer, Box::new(|_| true)))
    }

    /// Objectives with their operands, which have been evaluated.
    pub(super) fn objectives_of(
        &self,
        objectives: &[Objective],
    ) -> Result<Vec<multi::Objective>, CheckError> {
        let kind = self.context.space.kind;
        let mut measures = Vec::new();
        for (i, objective) in objectives.iter().enumerate() {
            let goal = objective.goal;
            let bound = goal.bound().map_or([0.0; 2], |bound| {
                enclosed(self.formulas, self.formulas.exact_bound(self.root, i, bound), bound)
            });
            let measure = match objective.measured {
                Measured::Reward(id, steps) => Measure::Reward(id, steps),
                Measured::Probability(path) => {
                    let set = |id| self.set(id).cloned();
                    let formula = ltl::translate(kind, self.formulas, &self.is_path, path, set)?;
                    Measure::Formula(Box::new(formula))
                }
            };
            measures.push(multi::Objective { measure, goal, bound });
        }
        Ok(measures)
    }
}

/// The number of the initial state of an MDP that has only one.
pub(crate) fn single_initial_state(space: &Space) -> Result<usize, CheckError> {
    if space.kind != Kind::Mdp {
        return Err(CheckError::WrongKind { what: "multi(...)".to_string(), kind: space.kind.name() });
    }
    match space.initial[..] {
        [initial] => Ok(initial.index()),
        _ => {
            let count = space.initial.len();
            let what = format!("multi(...) needs a single initial state, but the model has {count}");
            Err(CheckError::TypeMismatch { what })
        }
    }
}
