//! The steps that a state has, for people who choose.

use super::path::Path;
use super::step::{self, Moved, VariableChange};
use volvelle_diagnostics::Diagnostic;
use volvelle_kernel::Site;
use volvelle_model::Kind;

/// Outcomes that are listed one by one.
const LISTED: usize = 64;

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOption {
    /// Index of the combination.
    pub(super) combination: usize,
    /// The branch of each of its stages; `None`: they are drawn.
    pub(super) branches: Option<Vec<usize>>,
    /// Its probability, or rate in continuous time.
    pub weight: f64,
    /// What it shows. Its commands are unknown where outcomes are drawn.
    pub moved: Moved,
    /// What it would change; `None` where outcomes are drawn.
    pub changes: Option<Vec<VariableChange>>,
}

impl Path<'_> {
    /// What is enabled, in the order in which it is drawn; nothing where the path ends. Where there are too many outcomes
    /// to list, those of a choice are left to chance.
    ///
    /// # Errors
    /// A probability is none, or the like.
    pub fn options(&mut self) -> Result<Vec<PathOption>, Diagnostic> {
        if self.end().is_some() {
            return Ok(Vec::new());
        }
        self.enabled().map_err(|site| self.explain(site))
    }

    fn enabled(&mut self) -> Result<Vec<PathOption>, Site> {
        let plan = &self.plan.plan;
        let weights = self.walk().weights()?;
        let total: f64 = if plan.program.kind() == Kind::Ctmc { 1.0 } else { weights.iter().sum() };
        let enabled: Vec<(usize, f64)> = weights
            .iter()
            .map(|weight| weight / total)
            .enumerate()
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        let outcomes = |&(combination, _): &(usize, f64)| {
            plan.combinations[combination].stages.iter().map(Vec::len).fold(1usize, usize::saturating_mul)
        };
        let all_listed =
            enabled.iter().map(outcomes).fold(0usize, usize::saturating_add) <= LISTED.max(enabled.len());
        let mut options = Vec::new();
        for (combination, weight) in enabled {
            if !all_listed {
                let moved = Moved {
                    action: plan.program.actions[plan.combinations[combination].action.index()].name.clone(),
                    commands: Vec::new(),
                };
                options.push(PathOption { combination, branches: None, weight, moved, changes: None });
                continue;
            }
            for (branches, share) in self.outcomes(combination)? {
                let changes = self.look(combination, &branches);
                let moved = self.moved(combination, &branches);
                options.push(PathOption {
                    combination,
                    branches: Some(branches),
                    weight: weight * share,
                    moved,
                    changes,
                });
            }
        }
        Ok(options)
    }

    /// The outcomes of a combination that happen, with their probabilities; the first stage varies slowest.
    fn outcomes(&mut self, combination: usize) -> Result<Vec<(Vec<usize>, f64)>, Site> {
        let mut all = vec![(Vec::new(), 1.0)];
        for stage in 0..self.plan.plan.combinations[combination].stages.len() {
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

    /// What a step would change; `None` if it fails.
    fn look(&mut self, combination: usize, branches: &[usize]) -> Option<Vec<VariableChange>> {
        let stay = self.stay()?;
        let before = self.walk().state().to_vec();
        let mut walk = self.walk().clone();
        walk.take(combination, Some(branches), &stay).ok()?;
        Some(step::changes(self.plan, Some(&before), walk.state()))
    }
}

impl PathOption {
    /// Whether its outcome is left to chance.
    pub fn is_drawn(&self) -> bool {
        self.branches.is_none()
    }
}
