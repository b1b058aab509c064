//! Costs as integers: what the choices of a model spend in each dimension, in units of which every reward is a multiple.
//!
//! A dimension is one end of a bound. An upper end is a budget: a path that spends more has failed. A lower end is a
//! demand, which is met once enough has been spent.
//!
//! Rewards are doubles that stand for rationals: each is read as the fraction with the smallest denominator that it may be the
//! rounding of (an integer as itself), so that 0.1 is a tenth. The unit is the greatest common divisor of those that occur.

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_logic::{CostBound, Counted, Limit, RewardId};
use volvelle_solver::reward::{check_not_negative, choice_rewards};
use volvelle_solver::rounding::U;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

/// Amounts are below this number of units.
const MOST: u32 = 1 << 30;

/// No step.
pub const NONE: u32 = u32::MAX;

/// One end of a bound.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Whether it is an upper end.
    pub upper: bool,
    /// The bound that it is an end of.
    pub bound: usize,
    /// The amount that one unit stands for.
    pub unit: RBig,
    /// The largest amount in units that is asked for.
    pub limit: u32,
}

/// The costs of all choices.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The ends of the bounds.
    pub dimensions: Vec<Dimension>,
    /// What a choice may spend, in each dimension; amounts beyond the limit are cut to one more than the limit.
    pub steps: Vec<Box<[u32]>>,
    /// The place in `steps` of what a choice spends; `NONE` for choices of other states.
    pub step_of: Vec<u32>,
}

impl Costs {
    /// The costs of the choices of the states in `relevant`. `queries`: bounds that differ only in their amounts. `open`: the
    /// bound and end whose amount is not limited.
    pub fn new(
        context: &Context,
        queries: &[&[CostBound]],
        relevant: &BitSet,
        open: Option<(usize, bool)>,
    ) -> Result<Self, CheckError> {
        Self::spending(context, queries, relevant, open, |id, choices| {
            let rewards = choice_rewards(context, id)?;
            check_not_negative(context, id, &rewards)?;
            Ok(Spent::doubles(choices.iter().map(|&choice| rewards[choice])))
        })
    }

    /// The same where `spent` says what choices spend of a reward structure.
    pub fn spending(
        context: &Context,
        queries: &[&[CostBound]],
        relevant: &BitSet,
        open: Option<(usize, bool)>,
        spent: impl Fn(RewardId, &[usize]) -> Result<Spent, CheckError>,
    ) -> Result<Self, CheckError> {
        let space = context.space;
        let shape = queries[0];
        let choices: Vec<usize> = relevant.iter().flat_map(|s| space.choices_of(s)).collect();
        let mut dimensions = Vec::new();
        let mut amounts: Vec<Vec<u32>> = Vec::new();
        for (bound, of) in shape.iter().enumerate() {
            let spent = match of.counted {
                Counted::Steps => Spent::steps(choices.len()),
                Counted::Reward(id) => {
                    if let Some(rewards) = space.rewards.get(id.index()).filter(|r| r.mixed) {
                        let what = format!("the reward structure \"{}\"", rewards.name);
                        return Err(CheckError::MixedRewards { what });
                    }
                    spent(id, &choices)?
                }
            };
            for upper in [true, false] {
                let end = |bound: &CostBound| if upper { bound.upper.clone() } else { bound.lower.clone() };
                if end(of).is_none() {
                    continue;
                }
                let mut limit = 0;
                for query in queries {
                    let Some(end) = end(&query[bound]) else { continue };
                    let amount = in_units(&end, upper, &spent.unit);
                    limit = limit.max(amount.unwrap_or(Some(0)).ok_or_else(too_large)?);
                }
                if open == Some((bound, upper)) {
                    limit = MOST;
                }
                let most = if upper { limit + 1 } else { limit };
                let table = spent.table.iter().map(|amount| u32::try_from(amount).unwrap_or(u32::MAX));
                let table: Vec<u32> = table.map(|amount| amount.min(most)).collect();
                amounts.push(spent.place.iter().map(|&place| table[place as usize]).collect());
                dimensions.push(Dimension { upper, bound, unit: spent.unit.clone(), limit });
            }
        }
        let mut steps: Vec<Box<[u32]>> = Vec::new();
        let mut known: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let mut step_of = vec![NONE; space.num_choices()];
        for (at, &choice) in choices.iter().enumerate() {
            let step: Box<[u32]> = amounts.iter().map(|amounts| amounts[at]).collect();
            step_of[choice] = match known.get(&step) {
                Some(&place) => place,
                None => {
                    let place = steps.len() as u32;
                    steps.push(step.clone());
                    known.insert(step, place);
                    place
                }
            };
        }
        Ok(Costs { dimensions, steps, step_of })
    }

    /// The amounts of bounds in units, one for each dimension; `None` where no path satisfies them.
    pub fn start(&self, bounds: &[CostBound]) -> Option<Vec<u32>> {
        let amount = |dimension: &Dimension| {
            let bound = &bounds[dimension.bound];
            let end = if dimension.upper { &bound.upper } else { &bound.lower };
            let units = in_units(end.as_ref()?, dimension.upper, &dimension.unit)?;
            Some(units.map_or(dimension.limit, |units| units.min(dimension.limit)))
        };
        self.dimensions.iter().map(amount).collect()
    }

    /// The dimension that an end of a bound has become.
    pub fn dimension(&self, bound: usize, upper: bool) -> usize {
        let found = self.dimensions.iter().position(|d| d.bound == bound && d.upper == upper);
        found.unwrap_or(0)
    }

    /// The amounts that are left in all dimensions but one; false if a step spends more than a budget of those.
    pub fn after_others(&self, epoch: &[u32], step: u32, without: usize, rest: &mut [u32]) -> bool {
        for (i, (&left, &cost)) in epoch.iter().zip(&*self.steps[step as usize]).enumerate() {
            if i == without {
                continue;
            }
            if self.dimensions[i].upper && cost > left {
                return false;
            }
            rest[i] = left.saturating_sub(cost);
        }
        true
    }

    /// Whether a step spends something that still counts where the demands in `met` are met (a bit for each dimension).
    pub fn counts(&self, step: u32, met: u32) -> bool {
        let step = &self.steps[step as usize];
        step.iter().enumerate().any(|(i, &cost)| cost > 0 && met & 1 << i == 0)
    }

    /// The demands that are met where these amounts are left.
    pub fn met(&self, epoch: &[u32]) -> u32 {
        let met = |(i, dimension): (usize, &Dimension)| !dimension.upper && epoch[i] == 0;
        self.dimensions.iter().enumerate().filter(|&d| met(d)).map(|(i, _)| 1 << i).sum()
    }

    /// Whether enough was spent for the right side to count where these demands are met.
    pub fn accepts(&self, met: u32) -> bool {
        self.dimensions.iter().enumerate().all(|(i, d)| d.upper || met & 1 << i != 0)
    }

    /// The amounts that are left after a step; false if it spends more than a budget.
    pub fn after(&self, epoch: &[u32], step: u32, rest: &mut [u32]) -> bool {
        for (i, (&left, &cost)) in epoch.iter().zip(&*self.steps[step as usize]).enumerate() {
            if self.dimensions[i].upper && cost > left {
                return false;
            }
            rest[i] = left.saturating_sub(cost);
        }
        true
    }

    /// For each step what `known` has of the amounts that are left after it. Nothing for a step that spends more than a budget,
    /// or nothing that counts.
    pub fn after_each<T>(&self, epoch: &[u32], mut known: impl FnMut(&[u32]) -> Option<T>) -> Vec<Option<T>> {
        let met = self.met(epoch);
        let mut rest = epoch.to_vec();
        let mut of = |step: u32| {
            let leads = self.counts(step, met) && self.after(epoch, step, &mut rest);
            if leads { known(&rest) } else { None }
        };
        (0..self.steps.len() as u32).map(&mut of).collect()
    }
}

fn too_large() -> CheckError {
    let what = format!("units of a bounded reward, of which it has more than {MOST},");
    CheckError::TooLarge { what: what.clone() }
}

/// The amount of an end in units, rounded so that it admits the same integers; `None`: none is admitted, or it admits all of
/// them as a lower end would; the inner `None`: too many.
fn in_units(end: &Limit, upper: bool, unit: &RBig) -> Option<Option<u32>> {
    let quotient = &end.amount / unit;
    let floor = quotient.floor();
    let whole = RBig::from(floor.clone()) == quotient;
    let one = IBig::from(1);
    let units = match (upper, end.strict) {
        (true, false) => floor,
        (true, true) if whole => floor - one,
        (true, true) => floor,
        (false, false) if whole => floor,
        (false, _) => floor + one,
    };
    if units < IBig::from(0) {
        return if upper { None } else { Some(Some(0)) };
    }
    Some(u32::try_from(units).ok().filter(|&units| units < MOST))
}

/// What some choices spend, in units.
pub struct Spent {
    unit: RBig,
    table: Vec<UBig>,
    /// For each choice the place in the table.
    place: Vec<u32>,
}

impl Spent {
    fn steps(choices: usize) -> Self {
        Spent { unit: RBig::ONE, table: vec![UBig::ONE], place: vec![0; choices] }
    }

    /// Rewards that are not negative; doubles stand for fractions.
    fn doubles(rewards: impl Iterator<Item = f64>) -> Self {
        Self::of(rewards.map(|reward| (reward + 0.0).to_bits()), |&bits| fraction(f64::from_bits(bits)))
    }

    /// The same, exactly.
    pub fn fractions<'r>(rewards: impl Iterator<Item = &'r RBig>) -> Self {
        Self::of(rewards, |&reward| reward.clone())
    }

    fn of<K: std::hash::Hash + Eq>(rewards: impl Iterator<Item = K>, amount: impl Fn(&K) -> RBig) -> Self {
        let mut known: FxHashMap<K, u32> = FxHashMap::default();
        let mut distinct: Vec<RBig> = Vec::new();
        let mut place = Vec::new();
        for reward in rewards {
            let at = *known.entry(reward).or_insert_with_key(|reward| {
                distinct.push(amount(reward));
                distinct.len() as u32 - 1
            });
            place.push(at);
        }
        let unit = distinct.iter().fold(RBig::ZERO, |unit, amount| common_divisor(&unit, amount));
        let unit = if unit == RBig::ZERO { RBig::ONE } else { unit };
        let units = |amount: &RBig| (amount / &unit).into_parts().0.into_parts().1;
        let table = distinct.iter().map(units).collect();
        Spent { unit, table, place }
    }
}

/// The fraction with the smallest denominator that a double may be the rounding of.
fn fraction(value: f64) -> RBig {
    let exact = RBig::try_from(value).unwrap_or(RBig::ZERO);
    if value.fract() == 0.0 {
        return exact;
    }
    // A short computation: a few roundings.
    let spread = &exact * RBig::try_from(8.0 * U).unwrap_or(RBig::ZERO);
    RBig::simplest_in(&exact - &spread, exact + spread)
}

/// The greatest number of which both are multiples.
fn common_divisor(a: &RBig, b: &RBig) -> RBig {
    if *a == RBig::ZERO {
        return b.clone();
    }
    if *b == RBig::ZERO {
        return a.clone();
    }
    let numerator = |x: &RBig| x.numerator().clone().into_parts().1;
    let top = (numerator(a) * b.denominator()).gcd(numerator(b) * a.denominator());
    RBig::from_parts(top.into(), a.denominator() * b.denominator())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(a: i64, b: u64) -> RBig {
        RBig::from_parts(a.into(), b.into())
    }

    #[test]
    fn doubles_are_read_as_fractions() {
        assert_eq!(fraction(0.1), ratio(1, 10));
        assert_eq!(fraction(0.1 + 0.2), ratio(3, 10));
        assert_eq!(fraction(2.0 / 3.0), ratio(2, 3));
        assert_eq!(fraction(1e15), ratio(1_000_000_000_000_000, 1));
    }

    #[test]
    fn the_unit_divides_all_rewards() {
        let spent = Spent::doubles([0.0, 0.5, 0.75, 2.0].into_iter());
        assert_eq!(spent.unit, ratio(1, 4));
        assert_eq!(spent.table, [0u8, 2, 3, 8].map(UBig::from));
        assert_eq!(Spent::doubles([6.0, 15.0].into_iter()).unit, ratio(3, 1));
    }

    #[test]
    fn ends_admit_the_same_integers() {
        let end = |amount: RBig, strict: bool| Limit { amount, strict };
        let units = |amount: RBig, strict, upper| in_units(&end(amount, strict), upper, &ratio(1, 2));
        assert_eq!(units(ratio(3, 2), false, true), Some(Some(3)));
        assert_eq!(units(ratio(3, 2), true, true), Some(Some(2)));
        assert_eq!(units(ratio(7, 4), true, true), Some(Some(3)));
        assert_eq!(units(ratio(0, 1), true, true), None);
        assert_eq!(units(ratio(3, 2), false, false), Some(Some(3)));
        assert_eq!(units(ratio(3, 2), true, false), Some(Some(4)));
        assert_eq!(units(ratio(7, 4), false, false), Some(Some(4)));
        assert_eq!(units(ratio(-1, 1), true, false), Some(Some(0)));
    }
}
