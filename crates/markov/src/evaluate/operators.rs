//! Operators of the logic: their operands, and how each is computed.

use volvelle_logic::gate::Range;
use volvelle_logic::{Comparison, Formula, FormulaId, Optimum, RewardId, RewardQuery, StopReason, TimeBound};
use volvelle_objectives::operators::Measure;
use volvelle_objectives::{ltl, path, reward_bounded};
use volvelle_solver::conditional_reward::until_given;
use volvelle_solver::interval::{self, Interval};
use volvelle_solver::longrun::{long_run, optimal_average, ratio};
use volvelle_solver::reach::opposite;
use volvelle_solver::reward::{Rewards, UNBOUNDED, check_not_negative, reachability_reward, total};
use volvelle_solver::{CheckError, Numbers, signed_reward};
use volvelle_space::{BitSet, Kind, Space};
use volvelle_transient::discounted::{Discount, discounted};
use volvelle_transient::{Pass, Transient, Window, window};

use super::{Evaluator, StateValues, difference};

/// An arithmetic operator on bounds; `None` where it is undefined. One operand is given twice.
pub(super) fn arithmetic(formula: &Formula, x: Interval, y: Interval) -> Option<Interval> {
    if x[0].is_nan() || y[0].is_nan() {
        return Some([f64::NAN; 2]);
    }
    let known = x[0] == x[1] && y[0] == y[1];
    match formula {
        // Of two known numbers, as in the arithmetic of doubles: 0/0 is no number, nor is an infinity less another one.
        Formula::Add(..) if known && (x[0] + y[0]).is_nan() => Some([f64::NAN; 2]),
        Formula::Sub(..) if known && (x[0] - y[0]).is_nan() => Some([f64::NAN; 2]),
        Formula::Mul(..) if known && (x[0] * y[0]).is_nan() => Some([f64::NAN; 2]),
        Formula::Div(..) if known && (x[0] / y[0]).is_nan() => Some([f64::NAN; 2]),
        Formula::Add(..) => interval::add(x, y),
        Formula::Sub(..) => interval::sub(x, y),
        Formula::Mul(..) => interval::mul(x, y),
        Formula::Div(..) => interval::div(x, y),
        Formula::Min(..) => Some([x[0].min(y[0]), x[1].min(y[1])]),
        Formula::Max(..) => Some([x[0].max(y[0]), x[1].max(y[1])]),
        Formula::Floor(_) => interval::monotone(x, f64::floor),
        Formula::Ceil(_) => interval::monotone(x, f64::ceil),
        Formula::Round(_) => interval::monotone(x, |v| (v + 0.5).floor()),
        Formula::Pow(..) => power(x, y),
        Formula::Log(..) => logarithm(x, y),
        Formula::Mod(..) => modulo(x, y),
        _ => None,
    }
}

fn power(x: Interval, y: Interval) -> Option<Interval> {
    let integer_exponent = y[0] == y[1] && y[0].fract() == 0.0;
    if x[0] < 0.0 && x[0] != x[1] && !integer_exponent {
        return None;
    }
    let bounds = interval::library(x, y, f64::powf)?;
    // An even power has its minimum where the base is zero.
    Some(if x[0] < 0.0 && x[1] > 0.0 && y[0] > 0.0 { [bounds[0].min(0.0), bounds[1]] } else { bounds })
}

fn logarithm(x: Interval, base: Interval) -> Option<Interval> {
    if x[0] <= 0.0 || base[0] <= 0.0 || (base[0] <= 1.0 && base[1] >= 1.0) {
        return None;
    }
    let quotient = interval::div(
        interval::library(x, [1.0; 2], |v, _| v.ln())?,
        interval::library(base, [1.0; 2], |v, _| v.ln())?,
    )?;
    Some(quotient)
}

fn modulo(x: Interval, y: Interval) -> Option<Interval> {
    if x[0] != x[1] || y[0] != y[1] {
        return (y[0] > 0.0).then_some([0.0, y[1]]);
    }
    let (a, b) = (x[0], y[0]);
    if b == 0.0 || a.fract() != 0.0 || b.fract() != 0.0 || !a.is_finite() || !b.is_finite() {
        return None;
    }
    let rest = a % b;
    let rest = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest };
    Some([rest; 2])
}

impl Evaluator<'_> {
    /// The number that an operator measures, in all states.
    pub(super) fn measure(
        &mut self,
        measure: Measure,
        needed: Option<BitSet>,
    ) -> Result<Numbers, CheckError> {
        let context = self.context;
        let optimum = context.optimum(measure.optimum())?;
        let range = match measure {
            Measure::Prob { .. } | Measure::Conditional { .. } | Measure::Steady { .. } => Range::PROBABILITY,
            Measure::Time { .. } => Range::AMOUNT,
            Measure::Reward { .. } => Range::ANY,
        };
        let numbers = match measure {
            Measure::Prob { path, .. } => {
                let (path, negated) =
                    path::path(context.space.kind, self.formulas, &self.is_path, path, |id| {
                        self.set(id).cloned()
                    })?;
                path::probability(context, &path, negated, optimum, needed.as_ref())?
            }
            Measure::Conditional { path, given, .. } => {
                self.conditional(path, given, optimum, needed.as_ref())?
            }
            Measure::Reward { rewards, what, .. } => self.reward(rewards, what, optimum, needed.as_ref())?,
            Measure::Time { path, .. } => {
                let ones = vec![1.0; context.space.num_choices()];
                self.until_path(&ones, path, optimum, needed.as_ref())?
            }
            Measure::Steady { states, .. } => {
                let set = self.set(states)?;
                let reward = path::indicator(set);
                if context.is_chain() {
                    long_run(context, &reward)?
                } else {
                    optimal_average(context, &of_choices(context.space, &reward), optimum)?
                }
            }
        };
        let numbers = numbers.admitted(range);
        self.note(&numbers);
        Ok(numbers)
    }

    /// The states that satisfy a bound, where the graph alone decides: `P>0`, `P>=1` and their negations.
    pub(super) fn qualitative(
        &self,
        id: FormulaId,
        measure: Measure,
        needed: Option<&BitSet>,
    ) -> Result<Option<BitSet>, CheckError> {
        let (Measure::Prob { path, .. }, Some(bound)) = (measure, measure.bound()) else { return Ok(None) };
        let [low, high] = self.number(id, bound.threshold);
        if low != high {
            return Ok(None);
        }
        let about_one = match (bound.comparison, bound.threshold) {
            (Comparison::Ge | Comparison::Lt, 1.0) => true,
            (Comparison::Gt | Comparison::Le, 0.0) => false,
            _ => return Ok(None),
        };
        let optimum = self.context.optimum(measure.optimum())?;
        let kind = self.context.space.kind;
        let (path, negated) =
            path::path(kind, self.formulas, &self.is_path, path, |id| self.set(id).cloned())?;
        if let path::Path::Bounded(left, right, bounds) = &path {
            // That the probability is zero shows in the number itself.
            if about_one == negated {
                return Ok(None);
            }
            let inner = if negated { opposite(optimum) } else { optimum };
            let sure = reward_bounded::certain(self.context, left, right, bounds, inner)?;
            let holds =
                matches!((about_one, bound.comparison), (true, Comparison::Ge) | (false, Comparison::Le));
            return Ok(Some(if holds { sure } else { sure.complement() }));
        }
        let Some(certain) = path::certain_path(self.context, &path, negated, optimum, needed)? else {
            return Ok(None);
        };
        Ok(Some(match (about_one, bound.comparison) {
            (true, Comparison::Ge) => certain.one,
            (true, _) => certain.one.complement(),
            (false, Comparison::Le) => certain.zero,
            (false, _) => certain.zero.complement(),
        }))
    }

    /// Expected reward until a path formula is satisfied; `reward` per choice.
    fn until_path(
        &self,
        reward: &[f64],
        path: FormulaId,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let context = self.context;
        if let Some(target) = self.plain_target(path) {
            return reachability_reward(context, reward, self.set(target)?, optimum);
        }
        ltl::check_cosafe(self.formulas, &self.is_path, path)?;
        let set = |id| self.set(id).cloned();
        let formula = ltl::translate_cosafe(
            context.space.kind,
            self.formulas,
            &self.is_path,
            path,
            set,
            context.states(),
        )?;
        ltl::until_satisfied(context, &formula, reward, optimum, needed)
    }

    fn reward(
        &self,
        id: RewardId,
        what: RewardQuery,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let context = self.context;
        let rewards = match what {
            RewardQuery::Instantaneous(_) => Rewards::of_states(context, id)?,
            _ => Rewards::of_choices(context, id)?,
        };
        if let RewardQuery::Ratio(_) = what {
            check_not_negative(context, id, &rewards.values)?;
        }
        let linear =
            !matches!(what, RewardQuery::Reach(_) | RewardQuery::ReachGiven(..) | RewardQuery::Total);
        let splits = linear && context.is_chain() && !matches!(what, RewardQuery::Discounted { .. });
        let negative = rewards.values.iter().any(|&r| r < 0.0);
        let of = |values: &[f64], relative: f64| {
            self.any_reward(id, values, relative, what, (optimum, splits), needed)
        };
        let errors = match rewards.errors {
            None if !negative || splits || rewards.relative == 0.0 => {
                return of(&rewards.values, rewards.relative);
            }
            // Sums of parts of both signs may be off by more than the parts are, relatively.
            None => {
                let error = |v: &f64| if *v == 0.0 { 0.0 } else { (v.abs() * rewards.relative).next_up() };
                rewards.values.iter().map(error).collect()
            }
            Some(errors) => errors,
        };
        let least = if negative || splits { f64::NEG_INFINITY } else { 0.0 };
        if errors.iter().any(|error: &f64| error.is_nan() || *error >= UNBOUNDED) {
            let mut bounds = vec![[least, f64::INFINITY]; context.states()];
            if least == 0.0 {
                // What is infinite is so by the graph, whatever the rewards without a bound are.
                let known =
                    |(v, e): (&f64, &f64)| if *e < UNBOUNDED { (v - e).next_down().max(0.0) } else { 0.0 };
                let low: Vec<f64> = rewards.values.iter().zip(&errors).map(known).collect();
                let low = of(&low, 0.0)?;
                bounds.iter_mut().zip(&low.bounds).for_each(|(bounds, low)| bounds[0] = low[0]);
            }
            return Ok(Numbers { bounds, method: "no bound".to_string(), stop: StopReason::Computed });
        }
        // The value rises with every reward.
        let pairs = || rewards.values.iter().zip(&errors);
        let low: Vec<f64> =
            pairs().map(|(v, e)| if *e == 0.0 { *v } else { (v - e).next_down().max(least) }).collect();
        let high: Vec<f64> = pairs().map(|(v, e)| if *e == 0.0 { *v } else { (v + e).next_up() }).collect();
        let (low, high) = (of(&low, 0.0)?, of(&high, 0.0)?);
        let endless = |bound: f64| bound == f64::NEG_INFINITY;
        let differs = |s: &usize| {
            negative && !context.is_chain() && endless(low.bounds[*s][1]) != endless(high.bounds[*s][1])
        };
        if let Some(state) = (0..context.states()).find(differs) {
            return Err(signed_reward::balanced(context, id, state as u32));
        }
        let bounds = low.bounds.iter().zip(&high.bounds).map(|(low, high)| [low[0], high[1]]).collect();
        Ok(Numbers { bounds, method: high.method, stop: low.stop.max(high.stop) })
    }

    /// The value of rewards of any sign that are off by a relative error. That is zero where some are negative, unless the
    /// value `splits` into a difference.
    fn any_reward(
        &self,
        id: RewardId,
        rewards: &[f64],
        relative: f64,
        what: RewardQuery,
        (optimum, splits): (Optimum, bool),
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        if let RewardQuery::Discounted { factor, rest, upto } = what {
            let discount = Discount { factor, rest, upto };
            return Ok(discounted(self.context, rewards, optimum, discount)?.widened(relative));
        }
        let of = |rewards: &[f64]| -> Result<Numbers, CheckError> {
            Ok(self.reward_of(rewards, what, optimum, needed)?.widened(relative))
        };
        if !rewards.iter().any(|&r| r < 0.0) {
            return Ok(of(rewards)?.admitted(Range::AMOUNT));
        }
        if splits {
            // The expectation of a difference is the difference of the expectations.
            let plus: Vec<f64> = rewards.iter().map(|r| r.max(0.0)).collect();
            let minus: Vec<f64> = rewards.iter().map(|r| (-r).max(0.0)).collect();
            return difference(&of(&plus)?, &of(&minus)?);
        }
        self.signed_reward(id, rewards, what, optimum, needed)
    }

    /// Rewards of which some are negative.
    fn signed_reward(
        &self,
        id: RewardId,
        rewards: &[f64],
        what: RewardQuery,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let context = self.context;
        if context.is_chain() {
            let plus: Vec<f64> = rewards.iter().map(|r| r.max(0.0)).collect();
            let minus: Vec<f64> = rewards.iter().map(|r| (-r).max(0.0)).collect();
            let plus = self.reward_of(&plus, what, optimum, needed)?;
            let minus = self.reward_of(&minus, what, optimum, needed)?;
            return signed_reward::difference(&plus, &minus, what != RewardQuery::Total, needed);
        }
        if let RewardQuery::Reach(path) = what {
            return match self.plain_target(path) {
                Some(target) => signed_reward::reachability(context, id, rewards, self.set(target)?, optimum),
                None => self.until_path(rewards, path, optimum, needed),
            };
        }
        if what == RewardQuery::Total
            && let Some(numbers) = signed_reward::total(context, id, rewards, optimum)?
        {
            return Ok(numbers);
        }
        let times = match what {
            RewardQuery::Cumulative(time) => Some(self.horizon(time)?.floor()),
            RewardQuery::Instantaneous(_) | RewardQuery::LongRun => Some(1.0),
            _ => None,
        };
        if let Some(times) = times {
            let value = |rewards: &[f64]| self.reward_of(rewards, what, optimum, needed);
            return match what {
                RewardQuery::LongRun => {
                    signed_reward::raised(&signed_reward::lasting(context, rewards), times, value)
                }
                _ => signed_reward::raised(rewards, times, value),
            };
        }
        check_not_negative(context, id, rewards)?;
        self.reward_of(rewards, what, optimum, needed)
    }

    /// The states that a path formula `F φ` without bounds asks for.
    pub(super) fn plain_target(&self, path: FormulaId) -> Option<FormulaId> {
        path::plain_target(self.formulas, &self.is_path, path)
    }

    /// Expected reward until a set is reached, under a condition; on chains.
    fn reward_given(
        &self,
        rewards: &[f64],
        path: FormulaId,
        given: FormulaId,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        if !self.context.is_chain() {
            return Err(CheckError::ConditionalReward);
        }
        let [target, left, right] = path::target_under_condition(self.formulas, &self.is_path, path, given)?;
        let condition = (self.set(left)?, self.set(right)?);
        until_given(self.context, rewards, self.set(target)?, condition, needed)
    }

    fn reward_of(
        &self,
        rewards: &[f64],
        what: RewardQuery,
        optimum: Optimum,
        needed: Option<&BitSet>,
    ) -> Result<Numbers, CheckError> {
        let context = self.context;
        match what {
            RewardQuery::Reach(path) => self.until_path(rewards, path, optimum, needed),
            RewardQuery::ReachGiven(path, given) => self.reward_given(rewards, path, given, needed),
            RewardQuery::Discounted { factor, rest, upto } => {
                discounted(context, rewards, optimum, Discount { factor, rest, upto })
            }
            RewardQuery::Total => total(context, rewards, optimum),
            RewardQuery::LongRun if context.is_chain() => long_run(context, rewards),
            RewardQuery::LongRun => optimal_average(context, rewards, optimum),
            RewardQuery::Ratio(over) if context.is_chain() => ratio(context, rewards, over, needed),
            RewardQuery::Ratio(_) => {
                let what = "a long-run ratio of rewards of an mdp".to_string();
                Err(CheckError::NotYetEvaluated { what })
            }
            RewardQuery::Within(path) => {
                let Formula::BoundedUntil(_, _, bounds) = self.formulas.get(path) else {
                    return Err(CheckError::EmptyFilter);
                };
                reward_bounded::accumulated(context, rewards, bounds, optimum)
            }
            RewardQuery::Cumulative(time) => {
                let time = self.horizon(time)?;
                if context.is_chain() {
                    let mut transient = Transient::new(context, needed);
                    let bounds = transient.accumulate(rewards, time)?;
                    return Ok(transient.numbers(bounds));
                }
                let start = vec![0.0; context.states()];
                let reward = Some(rewards);
                let pass = Pass { start, inside: None, keep: None, reward, probability: false };
                let numbers = pass.run(context, optimum, time)?;
                numbers.at_most(context, || total(context, rewards, optimum))
            }
            RewardQuery::Instantaneous(time) => {
                let time = self.horizon(time)?;
                if context.is_chain() {
                    let value: Vec<[f64; 2]> = rewards.iter().map(|&r| [r; 2]).collect();
                    let mut transient = Transient::new(context, needed);
                    let bounds = transient.elapse(&BitSet::full(context.states()), &value, time)?;
                    return Ok(transient.numbers(bounds));
                }
                let start = rewards.to_vec();
                Pass { start, inside: None, keep: None, reward: None, probability: false }
                    .run(context, optimum, time)
            }
        }
    }

    /// A time horizon, checked.
    pub(super) fn horizon(&self, time: f64) -> Result<f64, CheckError> {
        let bound = TimeBound { upper: Some(time), ..TimeBound::NONE };
        let kind: Kind = self.context.space.kind;
        match window(kind, &bound)? {
            Window::Range { upper: Some(time), .. } => Ok(time),
            _ => Err(CheckError::BadBound { what: "a finite time is expected".to_string() }),
        }
    }
}

/// A number of every state, for each of its choices.
pub(super) fn of_choices(space: &Space, of_states: &[f64]) -> Vec<f64> {
    (0..space.num_states()).flat_map(|s| space.choices_of(s).map(move |_| of_states[s])).collect()
}

/// A set as values, for callers that want one representation.
impl From<BitSet> for StateValues {
    fn from(set: BitSet) -> Self {
        StateValues::Bool(set)
    }
}
