//! Measures of the operators `P`, `R`, `S` and `T`.

use super::Evaluator;
use crate::context::Context;
use crate::error::CheckError;
use crate::evaluate::operators::Measure;
use crate::evaluate::path;
use crate::exact::automata;
use crate::exact::average_reward::optimal_average;
use crate::exact::longrun::long_run;
use crate::exact::model::Model;
use crate::exact::path::{about_time, probability};
use crate::exact::reach::{ExactValues, reachability_reward, total, until};
use crate::exact::steps::{Step, backwards};
use crate::ltl;
use crate::multi::Restart;
use dashu_ratio::RBig;
use volvelle_logic::{Formula, FormulaId, Formulas, Optimum, Ratio, RewardId, RewardQuery, TimeBound};
use volvelle_space::{BitSet, ExactSpace, Kind};

/// The difference of expected gains and losses, as in [`crate::signed_reward::difference`].
fn difference(
    model: &Model<'_>,
    (plus, method): ExactValues,
    (minus, _): ExactValues,
    else_infinite: bool,
) -> Result<ExactValues, CheckError> {
    let of_state = |(s, (gain, loss)): (usize, (Ratio, Ratio))| match (gain, loss) {
        (Ratio::Finite(gain), Ratio::Finite(loss)) => Ok(Ratio::Finite(gain - loss)),
        (Ratio::Finite(_), _) => Ok(Ratio::MinusInfinity),
        (_, Ratio::Finite(_)) => Ok(Ratio::Infinity),
        _ if else_infinite || !model.is_needed(s) => Ok(Ratio::Infinity),
        _ => Err(CheckError::Undefined { what: "infinite gains with infinite losses".to_string() }),
    };
    let values = plus.into_iter().zip(minus).enumerate().map(of_state).collect::<Result<_, _>>()?;
    Ok((values, method))
}

impl Evaluator<'_> {
    /// The number that an operator measures, in the states of `focus` (`None`: in all).
    pub(super) fn measure(
        &self,
        measure: Measure,
        focus: Option<&BitSet>,
    ) -> Result<ExactValues, CheckError> {
        let model = &self.model.focused(focus);
        let optimum = model.context.optimum(measure.optimum())?;
        match measure {
            Measure::Prob { path, .. } => {
                let (path, negated) = self.path(path)?;
                probability(model, &path, negated, optimum)
            }
            Measure::Conditional { path, given, .. } => self.conditional(model, path, given, optimum),
            Measure::Reward { rewards, what, .. } => self.reward(model, rewards, what, optimum),
            Measure::Time { path, .. } => {
                let times: Vec<RBig> = of_choices(model, |s| model.sojourn(s));
                self.until_path(model, &times, path, optimum)
            }
            Measure::Steady { states, .. } => {
                let set = self.set(states)?;
                let share = |s: usize| if set.contains(s) { model.sojourn(s) } else { RBig::ZERO };
                average(model, &of_choices(model, share), optimum)
            }
        }
    }

    /// The probability of a path formula among the paths that satisfy `given`: on a chain a quotient.
    fn conditional(
        &self,
        model: &Model<'_>,
        path: FormulaId,
        given: FormulaId,
        optimum: Optimum,
    ) -> Result<ExactValues, CheckError> {
        if !model.context.is_chain() {
            return self.conditional_optimum(model, path, given, optimum);
        }
        let mut formulas = self.formulas.clone();
        let both = formulas.add(Formula::And(path, given));
        let is_path = path::path_formulas(&formulas);
        let kind = model.context.space.kind;
        let of = |id: FormulaId| {
            let set = |id| self.added_states(&formulas, id);
            let (path, negated) = path::path(kind, &formulas, &is_path, id, set)?;
            probability(model, &path, negated, optimum)
        };
        let ((both, method), (condition, _)) = (of(both)?, of(given)?);
        let shares = both.into_iter().zip(condition).enumerate().map(|(s, (of, by))| match (of, by) {
            (Ratio::Finite(of), Ratio::Finite(by)) if !by.is_zero() => Ok(Ratio::from(of / by)),
            _ if !model.is_needed(s) => Ok(Ratio::ZERO),
            _ => Err(CheckError::ImpossibleCondition { state: s as u32 }),
        });
        Ok((shares.collect::<Result<_, _>>()?, method))
    }

    /// The states of a state formula of the property, or of a negation or conjunction that was added here: a condition on the
    /// first state may stand on either side.
    fn added_states(&self, formulas: &Formulas, id: FormulaId) -> Result<BitSet, CheckError> {
        match *formulas.get(id) {
            Formula::Not(a) if id.index() >= self.formulas.len() => {
                Ok(self.added_states(formulas, a)?.complement())
            }
            Formula::And(a, b) if id.index() >= self.formulas.len() => {
                let mut both = self.added_states(formulas, a)?;
                both.intersect(&self.added_states(formulas, b)?);
                Ok(both)
            }
            _ => self.set(id).cloned(),
        }
    }

    /// The same for an MDP: a plain probability where runs that violate the condition begin anew
    /// ([`crate::evaluate`], module `conditional`).
    fn conditional_optimum(
        &self,
        model: &Model<'_>,
        path: FormulaId,
        given: FormulaId,
        optimum: Optimum,
    ) -> Result<ExactValues, CheckError> {
        let mut formulas = self.formulas.clone();
        let path = match optimum {
            Optimum::Max => path,
            Optimum::Min => formulas.add(Formula::Not(path)),
        };
        let both = formulas.add(Formula::And(path, given));
        let negated = formulas.add(Formula::Not(given));
        let is_path = path::path_formulas(&formulas);
        let set = |id: FormulaId| self.added_states(&formulas, id);
        let translate = |id| ltl::translate(Kind::Mdp, &formulas, &is_path, id, set);
        let asked = [translate(both)?, translate(negated)?];
        let (condition, negated) = path::path(Kind::Mdp, &formulas, &is_path, given, set)?;
        let possible = path::certain_path(model.context, &condition, negated, Optimum::Max, model.focus)?;
        let space = model.context.space;
        let mut values = vec![Ratio::ZERO; space.num_states()];
        let mut method = String::new();
        for s in (0..space.num_states()).filter(|&s| model.is_needed(s)) {
            let is_impossible = match &possible {
                Some(certain) => certain.zero.contains(s),
                None => {
                    let focus = BitSet::of(space.num_states(), [s]);
                    let (found, _) = probability_of(&model.focused(Some(&focus)), &condition, negated)?;
                    found[s] == Ratio::ZERO
                }
            };
            if is_impossible {
                return Err(CheckError::ImpossibleCondition { state: s as u32 });
            }
            let restart = Restart::new(model.context, s, &asked)?;
            let exact = ExactSpace {
                values: restart.exactly(|choice, target| model.probability(choice, target)),
                ..ExactSpace::default()
            };
            let inner = Context::new(&restart.space, model.context.options, model.context.control);
            let target = BitSet::of(restart.space.num_states(), [restart.won]);
            let focus = BitSet::of(restart.space.num_states(), [restart.initial()]);
            let all = BitSet::full(restart.space.num_states());
            let restarted = Model::new(&inner, &exact);
            let (found, how) = until(&restarted.focused(Some(&focus)), &all, &target, Optimum::Max)?;
            values[s] = match (&found[restart.initial()], optimum) {
                (value, Optimum::Max) => value.clone(),
                (Ratio::Finite(value), Optimum::Min) => Ratio::from(RBig::ONE - value),
                (value, Optimum::Min) => value.clone(),
            };
            method = format!("repeated until the condition holds, {how}");
        }
        Ok((values, method))
    }

    /// Expected reward until a path formula is satisfied; `reward` per choice and visit.
    fn until_path(
        &self,
        model: &Model<'_>,
        reward: &[RBig],
        path: FormulaId,
        optimum: Optimum,
    ) -> Result<ExactValues, CheckError> {
        if let Formula::Until(left, right, bound) = *self.formulas.get(path)
            && bound == TimeBound::NONE
            && *self.formulas.get(left) == Formula::Bool(true)
            && !self.is_path[right]
        {
            return reachability_reward(model, reward, self.set(right)?, optimum);
        }
        ltl::check_cosafe(self.formulas, &self.is_path, path)?;
        let kind = model.context.space.kind;
        let set = |id| self.set(id).cloned();
        let formula =
            ltl::translate_cosafe(kind, self.formulas, &self.is_path, path, set, model.context.states())?;
        automata::until_satisfied(model, &formula, reward, optimum)
    }

    fn reward(
        &self,
        model: &Model<'_>,
        id: RewardId,
        what: RewardQuery,
        optimum: Optimum,
    ) -> Result<ExactValues, CheckError> {
        let counted = |values: Vec<RBig>| {
            (values.into_iter().map(Ratio::from).collect(), "rational arithmetic, step by step".to_string())
        };
        match what {
            RewardQuery::Reach(_) | RewardQuery::Total
                if model.context.is_chain() && model.visit_rewards(id)?.iter().any(|r| *r < RBig::ZERO) =>
            {
                let rewards = model.visit_rewards(id)?;
                let part = |sign: i8| -> Vec<RBig> {
                    rewards.iter().map(|r| (r * RBig::from(sign)).max(RBig::ZERO)).collect()
                };
                let of = |rewards: Vec<RBig>| match what {
                    RewardQuery::Reach(path) => self.until_path(model, &rewards, path, optimum),
                    _ => total(model, &rewards, optimum),
                };
                difference(model, of(part(1))?, of(part(-1))?, what != RewardQuery::Total)
            }
            RewardQuery::Reach(_) if model.visit_rewards(id)?.iter().any(|r| *r < RBig::ZERO) => {
                let what = "negative rewards of an mdp are not evaluated in rational arithmetic".to_string();
                Err(CheckError::NotRational { what })
            }
            RewardQuery::Reach(path) => {
                let rewards = model.visit_rewards(id)?;
                model.check_not_negative(id, &rewards)?;
                self.until_path(model, &rewards, path, optimum)
            }
            RewardQuery::Total => {
                let rewards = model.visit_rewards(id)?;
                model.check_not_negative(id, &rewards)?;
                total(model, &rewards, optimum)
            }
            RewardQuery::ReachGiven(..) | RewardQuery::Discounted { .. } => {
                let what =
                    "conditional and discounted rewards are not evaluated in rational arithmetic".to_string();
                Err(CheckError::NotRational { what })
            }
            RewardQuery::LongRun => {
                let rewards = model.visit_rewards(id)?;
                if !model.context.is_chain() {
                    model.check_not_negative(id, &rewards)?;
                }
                average(model, &rewards, optimum)
            }
            RewardQuery::Cumulative(time) => {
                about_time(model)?;
                let rewards = model.visit_rewards(id)?;
                let start = vec![RBig::ZERO; model.context.states()];
                let step = Step { reward: Some(&rewards), ..Step::default() };
                if !model.context.is_chain() {
                    model.check_not_negative(id, &rewards)?;
                }
                Ok(counted(backwards(model, optimum, &start, self.steps(time)?, step)?))
            }
            RewardQuery::Instantaneous(time) => {
                about_time(model)?;
                let start = model.state_rewards(id)?;
                Ok(counted(backwards(model, optimum, &start, self.steps(time)?, Step::default())?))
            }
        }
    }

    /// A number of steps, checked.
    fn steps(&self, time: f64) -> Result<u64, CheckError> {
        use crate::transient::{Window, window};
        let bound = TimeBound { upper: Some(time), ..TimeBound::NONE };
        let kind: Kind = self.model.context.space.kind;
        match window(kind, &bound)? {
            Window::Range { upper: Some(steps), .. } => Ok(steps as u64),
            _ => Err(CheckError::BadBound { what: "a finite time is expected".to_string() }),
        }
    }
}

/// A number of every state, for each of its choices.
fn of_choices(model: &Model<'_>, of_state: impl Fn(usize) -> RBig) -> Vec<RBig> {
    let space = model.context.space;
    let mut numbers = vec![RBig::ZERO; space.num_choices()];
    for s in 0..space.num_states() {
        space.choices_of(s).for_each(|choice| numbers[choice] = of_state(s));
    }
    numbers
}

/// Long-run average of a reward per choice and visit.
fn average(model: &Model<'_>, reward: &[RBig], optimum: Optimum) -> Result<ExactValues, CheckError> {
    if model.context.is_chain() { long_run(model, reward) } else { optimal_average(model, reward, optimum) }
}

/// The largest probability of a path formula.
fn probability_of(model: &Model<'_>, path: &path::Path, negated: bool) -> Result<ExactValues, CheckError> {
    probability(model, path, negated, Optimum::Max)
}
