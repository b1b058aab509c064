//! `multi(…)`: objectives are evaluated and handed to the search for schedulers.

use volvelle_logic::{Answer, Objective};
use volvelle_objectives::multi::{self, Measure, multi, single_initial_state};
use volvelle_objectives::operators::state_formulas;
use volvelle_solver::CheckError;

use super::{Evaluator, IsPrecise, enclosed};

impl Evaluator<'_> {
    /// The answer to objectives, in the initial state.
    pub(super) fn objectives(mut self, objectives: &[Objective]) -> Result<(Answer, IsPrecise), CheckError> {
        let initial = single_initial_state(self.context.space)?;
        let roots = state_formulas(self.formulas, &self.is_path, self.root);
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
            let set = |id| self.set(id).cloned();
            let measure = Measure::of(objective.measured, kind, self.formulas, &self.is_path, set)?;
            measures.push(multi::Objective { measure, goal, bound });
        }
        Ok(measures)
    }
}
