//! `multi(…)`: objectives are evaluated and handed to the search for schedulers.

use volvelle_logic::{Answer, Goal, Measured, Objective};
use volvelle_space::Kind;

use super::{Evaluator, IsPrecise};
use crate::error::CheckError;
use crate::ltl;
use crate::multi::{Measure, multi};

impl Evaluator<'_> {
    /// The answer to objectives, in the initial state.
    pub(super) fn objectives(mut self, objectives: &[Objective]) -> Result<(Answer, IsPrecise), CheckError> {
        let space = self.context.space;
        if space.kind != Kind::Mdp {
            return Err(CheckError::WrongKind { what: "multi(...)".to_string(), kind: space.kind.name() });
        }
        let [initial] = space.initial[..] else {
            let count = space.initial.len();
            let what = format!("multi(...) needs a single initial state, but the model has {count}");
            return Err(CheckError::TypeMismatch { what });
        };
        let roots = super::operators::state_formulas(self.formulas, &self.is_path, self.root);
        self.evaluate(&roots)?;
        let measures = self.objectives_of(objectives)?;
        let answer = multi(self.context, initial.index(), measures)?;
        Ok((answer, Box::new(|_| true)))
    }
    /// Objectives with their operands, which have been evaluated.
    pub(super) fn objectives_of(&self, objectives: &[Objective]) -> Result<Vec<(Measure, Goal)>, CheckError> {
        let kind = self.context.space.kind;
        let mut measures = Vec::new();
        for objective in objectives {
            let measure = match objective.measured {
                Measured::Reward(id, steps) => Measure::Reward(id, steps),
                Measured::Probability(path) => {
                    let set = |id| self.set(id).cloned();
                    let formula = ltl::translate(kind, self.formulas, &self.is_path, path, set)?;
                    Measure::Formula(Box::new(formula))
                }
            };
            measures.push((measure, objective.goal));
        }
        Ok(measures)
    }
}
