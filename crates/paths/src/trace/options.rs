//! The steps out of a state, from which the user chooses.

use super::path::Path;
use super::step::{self, Choice, Moved, PathOption, VariableChange};
use volvelle_diagnostics::Diagnostic;
use volvelle_kernel::Site;
use volvelle_model::Kind;

/// Outcomes that are listed one by one.
const LISTED: usize = 64;

impl Path<'_, '_> {
    /// The enabled steps, in the order in which they are drawn; none where the path ends. Where there are too
    /// many outcomes to list, those of a choice are left to chance.
    ///
    /// # Errors
    /// Evaluating the steps fails, for example because a probability is not between 0 and 1.
    pub fn options(&mut self) -> Result<Vec<PathOption>, Diagnostic> {
        if self.end().is_some() {
            return Ok(Vec::new());
        }
        self.enabled().map_err(|site| self.explain(site))
    }

    /// The same steps with their probabilities or rates alone, which costs less than to describe them.
    ///
    /// # Errors
    /// As those of [`options`](Self::options).
    pub fn choices(&mut self) -> Result<Vec<(Choice, f64)>, Diagnostic> {
        if self.end().is_some() {
            return Ok(Vec::new());
        }
        self.enabled_choices().map_err(|site| self.explain(site))
    }

    /// The probabilities or rates with which each of these steps is drawn: where a scheduler makes the choices, it takes all of one.
    ///
    /// # Errors
    /// As those of [`options`](Self::options), and where the scheduler has no decision.
    pub fn weights(&mut self) -> Result<Vec<f64>, Diagnostic> {
        let choices = self.choices()?;
        let decided = if choices.is_empty() { Ok(None) } else { self.walk().decision() };
        let decided = decided.map_err(|site| self.explain(site))?;
        let is_taken = |choice: &Choice| decided.is_none_or(|combination| combination == choice.combination);
        Ok(choices.iter().map(|(choice, weight)| if is_taken(choice) { *weight } else { 0.0 }).collect())
    }

    fn enabled_choices(&mut self) -> Result<Vec<(Choice, f64)>, Site> {
        let plan = &self.plan.plan;
        let mut enabled = self.walk().enabled()?;
        let is_race = plan.program.kind() == Kind::Ctmc;
        // Whoever makes the choice of a scheduler wants to know the outcomes.
        let total: f64 = match is_race || plan.scheduler.is_some() {
            true => 1.0,
            false => enabled.iter().map(|(_, weight)| weight).sum(),
        };
        enabled.iter_mut().for_each(|(_, weight)| *weight /= total);
        let outcomes = |&(combination, _): &(usize, f64)| {
            plan.stages(combination).iter().map(Vec::len).fold(1usize, usize::saturating_mul)
        };
        let all_listed =
            enabled.iter().map(outcomes).fold(0usize, usize::saturating_add) <= LISTED.max(enabled.len());
        let mut choices = Vec::new();
        for (combination, weight) in enabled {
            if !all_listed {
                choices.push((Choice { combination, branches: None }, weight));
                continue;
            }
            for (branches, share) in self.outcomes(combination)? {
                choices.push((Choice { combination, branches: Some(branches) }, weight * share));
            }
        }
        Ok(choices)
    }

    fn enabled(&mut self) -> Result<Vec<PathOption>, Site> {
        let plan = &self.plan.plan;
        let mut options = Vec::new();
        // Where the scheduler has no decision, it takes no step; where there is no choice, the only one.
        let decided = self.walk().decision();
        for (choice, weight) in self.enabled_choices()? {
            let combination = choice.combination;
            let is_scheduled = decided.is_ok_and(|decided| decided.is_none_or(|taken| taken == combination));
            let (moved, changes) = match &choice.branches {
                Some(branches) => (self.moved(combination, branches), self.look(combination, branches)),
                None => {
                    let action = plan.program.actions[plan.action(combination).index()].name.clone();
                    (Moved { action, commands: Vec::new() }, None)
                }
            };
            options.push(PathOption { choice, weight, moved, changes, is_scheduled });
        }
        Ok(options)
    }

    /// The outcomes of a combination that happen, with their probabilities; the first stage varies slowest.
    fn outcomes(&mut self, combination: usize) -> Result<Vec<(Vec<usize>, f64)>, Site> {
        let mut all = vec![(Vec::new(), 1.0)];
        for stage in 0..self.plan.plan.stages(combination).len() {
            let weights = self.walk().branch_weights(combination, stage)?;
            let total: f64 = weights.iter().sum();
            let mut longer = Vec::new();
            for (branches, share) in all {
                for (branch, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                    let mut branches: Vec<usize> = branches.clone();
                    branches.push(branch);
                    longer.push((branches, share * weight / total));
                }
            }
            all = longer;
        }
        Ok(all)
    }

    /// The changes that a step would make; `None` if it fails.
    fn look(&mut self, combination: usize, branches: &[usize]) -> Option<Vec<VariableChange>> {
        let stay = self.stay()?;
        let before = self.walk().state().to_vec();
        let mut walk = self.walk().clone();
        walk.take(combination, Some(branches), &stay).ok()?;
        Some(step::changes(self.plan, Some(&before), walk.state()))
    }
}
