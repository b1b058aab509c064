//! One direction: the scheduler with the largest weighted sum of the objectives, over rationals.
//!
//! In: the quotient of [`volvelle_objectives::multi`], where all runs end in one last state, and weights. Out: the largest weighted sum,
//! and the point that a scheduler with this sum achieves. Together they are a supporting half-space of the achievable set.
//!
//! Floating point proposes a policy, and policy iteration over rationals goes on from there ([`Task`]). Its policies end almost
//! surely: in an end component of the quotient nothing is earned, costs are only paid, so that no sequence of strict
//! improvements leads into one for ever. At the end no choice gains on the values x, which are zero in the last state;
//! a scheduler whose runs end almost surely has at most the value x at the beginning, and the others have an infinite cost.

use crate::model::Model;
use crate::policy::Task;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_control::Stop;
use volvelle_logic::{Optimum, RewardId};
use volvelle_objectives::multi::{Prepared, Quotient, Weighted};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, ExactSpace, RatiosBuilder};

/// The search for supporting half-spaces.
pub struct Oracle<'a> {
    context: Context<'a>,
    exact: ExactSpace,
    quotient: &'a Quotient,
    /// For every objective of the quotient the reward of every choice.
    rewards: Vec<Vec<RBig>>,
    cost: &'a [bool],
    rough: Weighted<'a>,
    /// Points by policy.
    known: FxHashMap<Vec<u32>, Vec<RBig>>,
}

impl<'a> Oracle<'a> {
    /// For a query whose quotient was made of a model; `reward_of` gives the rewards of all its choices.
    pub fn new<'m>(
        model: &Model<'m>,
        prepared: &'a Prepared,
        quotient: &'a Quotient,
        reward_of: impl Fn(RewardId) -> Result<Vec<RBig>, CheckError>,
    ) -> Result<Self, CheckError>
    where
        'm: 'a,
    {
        let (space, product) = (&quotient.space, &prepared.product);
        let control = model.context.control;
        let mut values = RatiosBuilder::default();
        for choice in 0..space.num_choices() {
            if choice.is_multiple_of(4096) {
                control.check()?;
            }
            let row = quotient.exactly(product, choice, |choice, target| model.probability(choice, target));
            row.into_iter().for_each(|value| values.push(value));
        }
        let mut rewards = Vec::new();
        let exact = ExactSpace { values: values.finish(), ..ExactSpace::default() };
        for (number, (doubles, measured)) in quotient.rewards.iter().zip(&prepared.rewards).enumerate() {
            let of_choices = measured.map(&reward_of).transpose()?;
            let shaping = prepared.shaped[number].as_ref();
            let doubles = shaping.map_or(doubles, |shaping| &shaping.before);
            let of = |(choice, &double): (usize, &f64)| match &of_choices {
                _ if double == 0.0 => RBig::ZERO,
                Some(rewards) => {
                    let origin = quotient.choice_of[choice] as usize;
                    rewards[product.choice_of[origin] as usize].clone()
                }
                // A run ends where the formula is satisfied.
                None => RBig::ONE,
            };
            let mut list: Vec<RBig> = doubles.iter().enumerate().map(of).collect();
            if let Some(shaping) = shaping {
                let potential: Vec<RBig> = shaping.potential.iter().map(|&f| exactly(f)).collect();
                for s in 0..space.num_states() {
                    for choice in space.choices_of(s) {
                        let after = |i: usize| exact.values.get(i) * &potential[space.columns[i] as usize];
                        let after = space.row(choice).map(after).fold(RBig::ZERO, |sum, part| sum + part);
                        let reward = std::mem::replace(&mut list[choice], RBig::ZERO);
                        let cost = if shaping.negated { -reward } else { reward };
                        list[choice] = cost + &potential[s] - after;
                    }
                }
            }
            rewards.push(list);
        }
        let context = model.context.inner(space, prepared.options, control);
        let rough = Weighted::new(&context, quotient, &prepared.cost);
        Ok(Oracle {
            context,
            exact,
            quotient,
            rewards,
            cost: &prepared.cost,
            rough,
            known: FxHashMap::default(),
        })
    }

    /// The largest weighted sum, and a point where it is achieved: one coordinate for every objective of the quotient, costs
    /// negated. Weights are not negative.
    pub fn support(&mut self, weights: &[RBig]) -> Result<(RBig, Vec<RBig>), CheckError> {
        self.context.control.check()?;
        let doubles: Vec<f64> = weights.iter().map(|w| w.to_f64().value()).collect();
        let guide = match self.rough.guide(&doubles) {
            Ok(guide) => Some(guide),
            Err(CheckError::Limit(stop @ (Stop::Cancelled | Stop::Timeout))) => return Err(stop.into()),
            Err(_) => None,
        };
        let space = &self.quotient.space;
        let mut weighted = vec![RBig::ZERO; space.num_choices()];
        for ((rewards, weight), &cost) in self.rewards.iter().zip(weights).zip(self.cost) {
            if weight.is_zero() {
                continue;
            }
            let signed = if cost { -weight.clone() } else { weight.clone() };
            for (sum, reward) in weighted.iter_mut().zip(rewards).filter(|(_, r)| !r.is_zero()) {
                *sum += &signed * reward;
            }
        }
        let model = Model::new(&self.context, &self.exact);
        let mut unknown = BitSet::full(space.num_states());
        unknown.remove(space.num_states() - 1);
        let task = |reward, guide| Task {
            model: &model,
            unknown: &unknown,
            allowed: None,
            may_stop: None,
            reward: Some(reward),
            known: &|_| RBig::ZERO,
            optimum: Optimum::Max,
            guide,
        };
        let initial = self.quotient.initial;
        let (values, policy, _) = task(weighted.as_slice(), guide).optimise()?;
        let limit = values[initial].clone();
        if let Some(point) = self.known.get(&policy) {
            return Ok((limit, point.clone()));
        }
        let mut point = Vec::new();
        for (rewards, &cost) in self.rewards.iter().zip(self.cost) {
            let value = task(rewards.as_slice(), None).values(&policy)?.swap_remove(initial);
            point.push(if cost { -value } else { value });
        }
        self.known.insert(policy, point.clone());
        let held = self.known.len() * 4 * space.num_states();
        self.context.control.check_memory(held as u64)?;
        Ok((limit, point))
    }
}

/// A finite double.
fn exactly(number: f64) -> RBig {
    RBig::try_from(number).unwrap_or(RBig::ZERO)
}
