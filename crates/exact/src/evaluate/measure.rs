//! Measures of the operators `P`, `R`, `S` and `T`.

use super::Evaluator;
use crate::automata;
use crate::average_reward::optimal_average;
use crate::conditional_reward::until_given;
use crate::discounted::discounted;
use crate::longrun::{long_run, ratio};
use crate::model::Model;
use crate::path::{about_time, probability};
use crate::reach::{ExactValues, reachability_reward, total, until};
use crate::reward_bounded;
use crate::signed;
use crate::steps::{Step, backwards};
use dashu_ratio::RBig;
use volvelle_logic::{
    Comparison, Formula, FormulaId, Optimum, Quantile, Ratio, RewardId, RewardQuery, TimeBound,
};
use volvelle_objectives::multi::Restart;
use volvelle_objectives::operators::Measure;
use volvelle_objectives::{Conditioned, ltl, path};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, ExactSpace, Kind};
use volvelle_transient::discounted::Discount;

/// The difference of expected gains and losses, each computed by `of`, as in [`volvelle_solver::signed_reward::difference`].
fn difference(
    model: &Model<'_>,
    rewards: &[RBig],
    else_infinite: bool,
    of: impl Fn(&[RBig]) -> Result<ExactValues, CheckError>,
) -> Result<ExactValues, CheckError> {
    let part =
        |sign: i8| -> Vec<RBig> { rewards.iter().map(|r| (r * RBig::from(sign)).max(RBig::ZERO)).collect() };
    let ((plus, method), (minus, _)) = (of(&part(1))?, of(&part(-1))?);
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
        let formulas = Conditioned::new(self.formulas, path, given, Optimum::Max);
        let of = |id: FormulaId| {
            let (path, negated) = formulas.path(model.context.space.kind, id, |id| self.set(id))?;
            probability(model, &path, negated, optimum)
        };
        let ((both, method), (condition, _)) = (of(formulas.both)?, of(given)?);
        let shares = both.into_iter().zip(condition).enumerate().map(|(s, (of, by))| match (of, by) {
            (Ratio::Finite(of), Ratio::Finite(by)) if !by.is_zero() => Ok(Ratio::from(of / by)),
            _ if !model.is_needed(s) => Ok(Ratio::ZERO),
            _ => Err(CheckError::ImpossibleCondition { state: s as u32 }),
        });
        Ok((shares.collect::<Result<_, _>>()?, method))
    }

    /// The same for an MDP: a plain probability where runs that violate the condition begin anew
    /// (`volvelle-markov`, module `conditional`).
    fn conditional_optimum(
        &self,
        model: &Model<'_>,
        path: FormulaId,
        given: FormulaId,
        optimum: Optimum,
    ) -> Result<ExactValues, CheckError> {
        let formulas = Conditioned::new(self.formulas, path, given, optimum);
        let asked = formulas.restarting(|id| self.set(id))?;
        let (condition, negated) = formulas.path(Kind::Mdp, given, |id| self.set(id))?;
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
        if let Some(target) = path::plain_target(self.formulas, &self.is_path, path) {
            return reachability_reward(model, reward, self.set(target)?, optimum);
        }
        ltl::check_cosafe(self.formulas, &self.is_path, path)?;
        let kind = model.context.space.kind;
        let set = |id| self.set(id).cloned();
        let formula =
            ltl::translate_cosafe(kind, self.formulas, &self.is_path, path, set, model.context.states())?;
        automata::until_satisfied(model, &formula, reward, optimum)
    }

    /// The amount with which a probability meets its threshold.
    pub(super) fn quantile(&mut self, id: FormulaId, quantile: &Quantile) -> Result<Vec<Ratio>, CheckError> {
        let any = match quantile.bound.comparison {
            Comparison::Ge | Comparison::Gt => Optimum::Min,
            Comparison::Le | Comparison::Lt => Optimum::Max,
        };
        let optimum = self.model.context.optimum(quantile.optimum.or(Some(any)))?;
        let threshold = self.threshold(id, quantile.bound.threshold)?;
        let sets = (self.set(quantile.left)?, self.set(quantile.right)?);
        let model = self.model.focused(self.asked(id));
        let (values, method) = reward_bounded::quantile(&model, sets, quantile, &threshold, optimum)?;
        self.note(method);
        Ok(values)
    }

    /// Expected reward until a set is reached, among the paths that satisfy `given`.
    fn reward_given(
        &self,
        model: &Model<'_>,
        id: RewardId,
        path: FormulaId,
        given: FormulaId,
    ) -> Result<ExactValues, CheckError> {
        let [target, left, right] = path::target_under_condition(self.formulas, &self.is_path, path, given)?;
        if !model.context.is_chain() {
            return Err(CheckError::ConditionalReward);
        }
        let (target, condition) = (self.set(target)?, (self.set(left)?, self.set(right)?));
        let rewards = model.visit_rewards(id)?;
        let of = |rewards: &[RBig]| until_given(model, rewards, target, condition);
        if rewards.iter().any(|r| *r < RBig::ZERO) {
            return difference(model, &rewards, true, of);
        }
        of(&rewards)
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
                let of = |rewards: &[RBig]| match what {
                    RewardQuery::Reach(path) => self.until_path(model, rewards, path, optimum),
                    _ => total(model, rewards, optimum),
                };
                difference(model, &rewards, what != RewardQuery::Total, of)
            }
            RewardQuery::Reach(path) => {
                let rewards = model.visit_rewards(id)?;
                if let Some(target) = path::plain_target(self.formulas, &self.is_path, path)
                    && rewards.iter().any(|r| *r < RBig::ZERO)
                {
                    return signed::reachability(model, &rewards, self.set(target)?, optimum);
                }
                self.until_path(model, &rewards, path, optimum)
            }
            RewardQuery::Total => {
                let rewards = model.visit_rewards(id)?;
                if rewards.iter().any(|r| *r < RBig::ZERO)
                    && let Some(values) = signed::total(model, &rewards, optimum)?
                {
                    return Ok(values);
                }
                model.check_not_negative(id, &rewards)?;
                total(model, &rewards, optimum)
            }
            RewardQuery::ReachGiven(path, given) => self.reward_given(model, id, path, given),
            RewardQuery::Discounted { factor, rest, upto } => {
                let Some(Ratio::Finite(exact)) = self.formulas.exact_discount(factor) else {
                    let what = format!("the discount factor {factor} has no rational value");
                    return Err(CheckError::NotRational { what });
                };
                let steps = upto.map(|upto| self.steps(upto)).transpose()?;
                let rewards = model.visit_rewards(id)?;
                discounted(model, &rewards, optimum, (&exact, Discount { factor, rest, upto }), steps)
            }
            RewardQuery::Ratio(over) => {
                let (rewards, divisor) = (model.visit_rewards(id)?, model.visit_rewards(over)?);
                model.check_not_negative(id, &rewards)?;
                model.check_not_negative(over, &divisor)?;
                ratio(model, &rewards, &divisor)
            }
            RewardQuery::Within(path) => {
                let rewards = model.visit_rewards(id)?;
                model.check_not_negative(id, &rewards)?;
                let Formula::BoundedUntil(_, _, bounds) = self.formulas.get(path) else {
                    return Err(CheckError::EmptyFilter);
                };
                reward_bounded::accumulated(model, &rewards, bounds, optimum)
            }
            RewardQuery::LongRun => {
                let mut rewards = model.visit_rewards(id)?;
                if model.context.is_chain() {
                    return average(model, &rewards, optimum);
                }
                // What is added to all rewards is added to every average.
                let added = rewards.iter().fold(RBig::ZERO, |most, r| most.max(-r));
                rewards.iter_mut().for_each(|r| *r += &added);
                let (averages, method) = average(model, &rewards, optimum)?;
                let less = |average| match average {
                    Ratio::Finite(average) => Ratio::from(average - &added),
                    other => other,
                };
                Ok((averages.into_iter().map(less).collect(), method))
            }
            RewardQuery::Cumulative(time) => {
                about_time(model)?;
                let rewards = model.visit_rewards(id)?;
                let start = vec![RBig::ZERO; model.context.states()];
                let step = Step { reward: Some(&rewards), ..Step::default() };
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
        use volvelle_transient::{Window, window};
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
