//! The steps of a state with exact weights and rewards: every combination multiplied out literally.
//!
//! Choices have the order of exploration: by group, then by the alternatives of the participants, where the
//! first participant varies slowest. Participants with a single alternative and outcome come first.

use super::evaluate::{Evaluator, Inexact};
use crate::program::Program;
use crate::row_sum::RowSum;
use crate::steps::{Alternative, Outcome, Participant, Weight};
use dashu_ratio::RBig;
use std::cell::Cell;
use volvelle_kernel::ExprId;

/// A choice of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Number of the group that moves.
    pub group: usize,
    /// Targets (one value per field) with their positive weights. Equal targets are not merged.
    pub successors: Vec<(Vec<i64>, RBig)>,
    /// Transition reward, one for each selected structure.
    pub rewards: Vec<RBig>,
}

/// Computes the steps of single states.
pub struct Stepper<'p> {
    program: &'p Program,
    evaluator: Evaluator<'p>,
    /// The reward structures that are wanted.
    structures: Vec<usize>,
    state: Vec<i64>,
    has_scaled: Cell<bool>,
}

impl<'p> Stepper<'p> {
    /// For a program, with the rewards of some structures.
    pub fn new(program: &'p Program, structures: &[usize]) -> Self {
        let mut roots: Vec<ExprId> = Vec::new();
        for alternative in program.groups.iter().flat_map(|g| &g.participants).flat_map(|p| &p.alternatives) {
            roots.push(alternative.guard);
            roots.extend(alternative.sum.map(|sum| sum.expr));
            for outcome in &alternative.outcomes {
                if let Weight::Expr { expr, .. } = outcome.weight {
                    roots.push(expr);
                }
                roots.extend(outcome.assignments().iter().map(|a| a.value));
            }
        }
        for &structure in structures {
            let rewards = &program.rewards[structure];
            roots.extend(rewards.states.iter().flat_map(|r| [r.guard, r.value]));
            roots.extend(rewards.transitions.iter().flat_map(|r| [r.guard, r.value]));
        }
        let evaluator = Evaluator::new(program, roots);
        Stepper {
            program,
            evaluator,
            structures: structures.to_vec(),
            state: Vec::new(),
            has_scaled: Cell::default(),
        }
    }

    /// Goes to a state: one value per field.
    pub fn load(&mut self, state: &[i64]) {
        self.state = state.to_vec();
        self.evaluator.load(state);
    }

    /// State reward, one for each selected structure.
    pub fn state_rewards(&self) -> Result<Vec<RBig>, Inexact> {
        let of = |&structure: &usize| {
            self.sum(self.program.rewards[structure].states.iter().map(|r| (r.guard, r.value)))
        };
        self.structures.iter().map(of).collect()
    }

    fn sum(&self, items: impl Iterator<Item = (ExprId, ExprId)>) -> Result<RBig, Inexact> {
        let mut total = RBig::ZERO;
        for (guard, value) in items {
            if self.evaluator.truth(guard)? {
                total += self.evaluator.ratio(value)?;
            }
        }
        Ok(total)
    }

    /// All choices, in the order of exploration. If all weights are zero, a choice has no successors.
    pub fn choices(&self) -> Result<Vec<Choice>, Inexact> {
        let mut choices = Vec::new();
        let mut found = None;
        for number in self.program.groups_by_urgency() {
            let group = &self.program.groups[number];
            if group.negotiates() {
                return Err(Inexact::Unsupported);
            }
            if group.class.yields_above.is_some_and(|most| found.is_some_and(|urgency| urgency > most)) {
                continue;
            }
            let (fixed, varying): (Vec<_>, Vec<_>) = group
                .participants
                .iter()
                .partition(|p| p.alternatives.len() == 1 && p.alternatives[0].outcomes.len() == 1);
            let Some(tuples) = self.tuples(fixed.into_iter().chain(varying))? else { continue };
            let mut rewards = Vec::with_capacity(self.structures.len());
            if !tuples.is_empty() {
                for &structure in &self.structures {
                    let items = self.program.rewards[structure].transitions.iter();
                    let items = items.filter(|r| r.action == group.action).map(|r| (r.guard, r.value));
                    rewards.push(self.sum(items)?);
                }
            }
            for tuple in &tuples {
                let successors = self.successors(tuple)?;
                if !successors.is_empty() {
                    // The first one found is the most urgent.
                    found = found.or(Some(group.class.urgency));
                }
                choices.push(Choice { group: number, successors, rewards: rewards.clone() });
            }
        }
        Ok(choices)
    }

    /// All combinations of one enabled alternative of every participant; `None` if a participant has none.
    fn tuples<'a>(
        &self,
        participants: impl Iterator<Item = &'a Participant>,
    ) -> Result<Option<Vec<Vec<&'a Alternative>>>, Inexact> {
        let mut tuples: Vec<Vec<&Alternative>> = vec![vec![]];
        for participant in participants {
            let mut enabled = Vec::new();
            for alternative in &participant.alternatives {
                if self.evaluator.truth(alternative.guard)? {
                    enabled.push(alternative);
                }
            }
            if enabled.is_empty() {
                return Ok(None);
            }
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    enabled.iter().map(move |&a| tuple.iter().copied().chain([a]).collect::<Vec<_>>())
                })
                .collect();
        }
        Ok(Some(tuples))
    }

    fn weight(&self, outcome: &Outcome) -> Result<RBig, Inexact> {
        match &outcome.weight {
            Weight::Constant { exact: Some(exact), .. } => Ok(exact.clone()),
            Weight::Constant { value, exact: None } => Err(Inexact::Constant(*value)),
            Weight::Expr { expr, site } => {
                let weight = self.evaluator.ratio(*expr)?;
                if *weight < RBig::ZERO { Err(Inexact::Failed(*site)) } else { Ok(weight.clone()) }
            }
        }
    }

    /// Fails if probabilities are far from summing to one; records it if they are only near it.
    fn check_sum(&self, alternative: &Alternative) -> Result<(), Inexact> {
        let Some(RowSum { expr, site, is_free }) = alternative.sum else { return Ok(()) };
        let sum = self.evaluator.ratio(expr)?;
        if !sum.is_one() {
            self.has_scaled.set(true);
            if !is_free && !RowSum::is_near_one(sum.to_f64().value()) {
                return Err(Inexact::Failed(site));
            }
        }
        Ok(())
    }

    /// Whether probabilities of some step did not sum to one since the last call.
    pub fn has_scaled(&self) -> bool {
        self.has_scaled.take()
    }

    fn successors(&self, tuple: &[&Alternative]) -> Result<Vec<(Vec<i64>, RBig)>, Inexact> {
        let mut combinations: Vec<(Vec<&Outcome>, RBig)> = vec![(Vec::new(), RBig::ONE)];
        for alternative in tuple {
            self.check_sum(alternative)?;
            let mut weights = Vec::with_capacity(alternative.outcomes.len());
            for outcome in &alternative.outcomes {
                let weight = self.weight(outcome)?;
                if !weight.is_zero() {
                    weights.push((outcome, weight));
                }
            }
            let mut more = Vec::with_capacity(combinations.len() * weights.len());
            for (outcomes, weight) in &combinations {
                for (outcome, factor) in &weights {
                    let product = if weight.is_one() { factor.clone() } else { weight * factor };
                    more.push((outcomes.iter().copied().chain([*outcome]).collect(), product));
                }
            }
            combinations = more;
        }
        let mut successors = Vec::with_capacity(combinations.len());
        for (outcomes, weight) in combinations {
            let mut target = self.state.clone();
            for assignment in outcomes.iter().flat_map(|o| o.assignments()) {
                target[assignment.field.index()] = self.evaluator.integer(assignment.value)?;
            }
            successors.push((target, weight));
        }
        Ok(successors)
    }
}
