//! `multi(…)`: objectives are evaluated and handed to the search for schedulers.

use super::Evaluator;
use dashu_ratio::RBig;
use volvelle_logic::{Answer, FormulaId, Objective, Ratio};
use volvelle_objectives::multi::{Measure, single_initial_state};
use volvelle_objectives::operators;
use volvelle_solver::CheckError;

impl Evaluator<'_> {
    /// `multi(…)` in the initial state.
    pub(super) fn objectives(
        &mut self,
        root: FormulaId,
        objectives: &[Objective],
    ) -> Result<Answer, CheckError> {
        let space = self.model.context.space;
        let initial = single_initial_state(space)?;
        for operand in operators::state_formulas(self.formulas, &self.is_path, root) {
            self.evaluate(operand)?;
        }
        let mut measures = Vec::new();
        for (i, objective) in objectives.iter().enumerate() {
            let set = |id| self.set(id).cloned();
            let measure = Measure::of(objective.measured, space.kind, self.formulas, &self.is_path, set)?;
            let bound = match objective.goal.bound() {
                None => RBig::ZERO,
                Some(bound) => match self.formulas.exact_bound(root, i, bound) {
                    Some(Ratio::Finite(bound)) => bound,
                    _ => {
                        let what = format!("the bound {bound} of an objective has no rational value");
                        return Err(CheckError::NotRational { what });
                    }
                },
            };
            measures.push((measure, objective.goal, bound));
        }
        crate::multi::multi(self.model, initial, measures)
    }
}
