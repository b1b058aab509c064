//! Rewards of both signs, accumulated until a set is reached or for ever, where that has a value.
//!
//! On a chain the expectation is the difference of those of gains and losses, unless both are infinite. On an MDP neither can be
//! optimised alone; there the model is *shaped* (Ng, Harada and Russell, *Policy invariance under reward transformations*,
//! ICML 1999): with a potential `f` that is zero in the target, every reward becomes `r(s,a) + f(s) - sum_t P(t) f(t)`, which
//! adds `f(s)` to the value of every scheduler that arrives. For `f` the largest expected loss on the way is taken (and a
//! little more for each step), so that no reward is negative any more. It is finite where no scheduler can lose again and
//! again: where every scheduler arrives, and for a minimum also where those that do not arrive lose nothing while they stay
//! (Bertsekas and Tsitsiklis, *An analysis of stochastic shortest path problems*, 1991).
//!
//! For a minimum, end components in which something is lost are classified by their least average (`level`; Baier, Bertrand,
//! Dubslaff, Gburek and Sankur, *Stochastic shortest paths and weight-bounded properties*, LICS 2018). Where it is negative, a scheduler
//! stays as long as it likes before it goes on: the minimum is minus infinity. Where it is positive, the bias is a potential that
//! leaves no loss. Where it is zero, rational arithmetic decides.
//!
//! Over a number of steps, and on the average, a constant that is added to all rewards adds the same to every scheduler.

mod arrivals;
mod level;
mod total;

pub use arrivals::Arrivals;

pub use level::balanced;
pub use total::{Balance, Ends, ends, loses_forever, total};

use volvelle_logic::{Optimum, RewardId};
use volvelle_space::{BitSet, Space};

use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, end_components};
use crate::interval;
use crate::numbers::Numbers;
use crate::options::Options;
use crate::reach::prob01_until;
use crate::reward::reachability_reward;
use crate::rounding::{Sum, U, slack};
use crate::solve::{Classes, Parts, System, solve};
use level::{Level, level};

/// Relative precision of the potential.
const POTENTIAL: f64 = 1e-12;

/// What a step adds to the potential beside its loss, as parts of the largest loss: tried in this order.
const MARGINS: [f64; 3] = [1e-3, 1.0, 1e3];

/// The difference of expected gains and losses of a chain. Where both are infinite it is infinite if `else_infinite`, because
/// the target may not be reached; otherwise it is undefined, which is an error in the states of `needed`.
pub fn difference(
    plus: &Numbers,
    minus: &Numbers,
    else_infinite: bool,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let of_state = |(s, (&gain, &loss)): (usize, (&[f64; 2], &[f64; 2]))| {
        let both = gain[0] == f64::INFINITY && loss[0] == f64::INFINITY;
        match interval::sub(gain, loss) {
            _ if both && else_infinite => Ok([f64::INFINITY; 2]),
            Some(difference) if !both => Ok(difference),
            _ if both && needed.is_none_or(|needed| needed.contains(s)) => {
                Err(CheckError::Undefined { what: "infinite gains with infinite losses".to_string() })
            }
            _ => Ok([f64::NEG_INFINITY, f64::INFINITY]),
        }
    };
    let bounds = plus.bounds.iter().zip(&minus.bounds).enumerate().map(of_state).collect::<Result<_, _>>()?;
    Ok(Numbers { bounds, method: plus.method.clone(), stop: plus.stop.max(minus.stop) })
}

/// The value of rewards of any sign that all runs collect equally often, `times` in expectation: that of rewards which are larger
/// by a constant, without what this adds.
pub fn raised(
    reward: &[f64],
    times: f64,
    value: impl FnOnce(&[f64]) -> Result<Numbers, CheckError>,
) -> Result<Numbers, CheckError> {
    let added = reward.iter().fold(0.0, |most: f64, &r| most.max(-r));
    let larger: Vec<f64> = reward.iter().map(|r| r + added).collect();
    // Each of the sums is rounded.
    let mut numbers = value(&larger)?.widened(2.0 * U);
    let unknown = [f64::NEG_INFINITY, f64::INFINITY];
    let constant = interval::mul([added; 2], [times; 2]).unwrap_or(unknown);
    for bounds in &mut numbers.bounds {
        *bounds = interval::sub(*bounds, constant).unwrap_or(unknown);
    }
    Ok(numbers)
}

/// The rewards that matter for the long-run average of an MDP: those of choices in end components. Others are earned finitely often.
pub fn lasting(context: &Context, reward: &[f64]) -> Vec<f64> {
    let found = end_components(context.space, &BitSet::full(context.states()), |_| true);
    let of_choice = |(choice, &r): (usize, &f64)| if found.staying.contains(choice) { r } else { 0.0 };
    reward.iter().enumerate().map(of_choice).collect()
}

/// Expected reward of any sign of an MDP, accumulated until `target`; `reward` per choice of the structure `id`.
///
/// # Errors
/// Gains and losses of an end component may balance: [`CheckError::BalancedLoss`].
pub fn reachability(
    context: &Context,
    id: RewardId,
    reward: &[f64],
    target: &BitSet,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let Shaped { potential, least, most, endless } = shape(context, id, reward, target, optimum)?;
    let low = reachability_reward(context, &least, target, optimum)?;
    let high = reachability_reward(context, &most, target, optimum)?;
    let of_state = |s: usize| {
        if endless.contains(s) {
            return [f64::NEG_INFINITY; 2];
        }
        if low.bounds[s][0] == f64::INFINITY {
            return [f64::INFINITY; 2];
        }
        let within = [low.bounds[s][0], high.bounds[s][1]];
        interval::sub(within, [potential[s]; 2]).unwrap_or([f64::NEG_INFINITY, f64::INFINITY])
    };
    let bounds = (0..context.states()).map(of_state).collect();
    let method = format!("rewards shaped to be positive, {}", high.method);
    Ok(Numbers { bounds, method, stop: low.stop.max(high.stop) })
}

impl Arrivals {
    /// For rewards accumulated until `target`.
    pub fn new(context: &Context, target: &BitSet, optimum: Optimum) -> Self {
        let space = context.space;
        let arriving = if optimum == Optimum::Max { Optimum::Min } else { Optimum::Max };
        let finite = prob01_until(context, &BitSet::full(context.states()), target, arriving).one;
        let mut unknown = finite.clone();
        unknown.subtract(target);
        let mut allowed = BitSet::new(space.num_choices());
        for choice in unknown.iter().flat_map(|s| space.choices_of(s)) {
            if space.columns[space.row(choice)].iter().all(|&t| finite.contains(t as usize)) {
                allowed.insert(choice);
            }
        }
        let found = end_components(space, &unknown, |choice| allowed.contains(choice));
        Arrivals { finite, unknown, allowed, found }
    }

    /// The end components in which a choice loses that can be taken again and again.
    pub fn losing(&self, loses: impl Fn(usize) -> bool, space: &Space) -> EndComponents {
        let EndComponents { staying, .. } = &self.found;
        let mut losing = EndComponents { states: Vec::new(), start: vec![0], staying: staying.clone() };
        for members in self.found.iter() {
            let mut choices = members.iter().flat_map(|&s| space.choices_of(s as usize));
            if choices.any(|choice| staying.contains(choice) && loses(choice)) {
                losing.states.extend_from_slice(members);
                losing.start.push(losing.states.len() as u32);
            }
        }
        losing
    }

    /// Leaves out all states from which a scheduler may get into some states, and gives them.
    pub fn leave_out(&mut self, context: &Context, states: &[u32]) -> BitSet {
        let mut out = BitSet::new(context.states());
        let mut work: Vec<usize> = states.iter().map(|&s| s as usize).filter(|&s| out.insert(s)).collect();
        while let Some(state) = work.pop() {
            for &choice in context.predecessors().of(state) {
                let source = context.predecessors().owner(choice);
                if self.allowed.contains(choice as usize) && out.insert(source) {
                    work.push(source);
                }
            }
        }
        self.unknown.subtract(&out);
        for choice in out.iter().flat_map(|s| context.space.choices_of(s)) {
            self.allowed.remove(choice);
        }
        let allowed = |choice: usize| self.allowed.contains(choice);
        self.found = end_components(context.space, &self.unknown, allowed);
        out
    }
}

/// Rewards that are not negative and have the same optimal schedulers.
pub struct Shaped {
    /// What the value of every state was increased by.
    pub potential: Vec<f64>,
    /// Lower bounds of the rewards.
    pub least: Vec<f64>,
    /// Upper bounds of the rewards.
    pub most: Vec<f64>,
    /// The states whose minimum is minus infinity; their rewards are zero.
    pub endless: BitSet,
}

/// Shapes a reward that is accumulated until `target`.
///
/// # Errors
/// As [`reachability`].
pub fn shape(
    context: &Context,
    id: RewardId,
    reward: &[f64],
    target: &BitSet,
    optimum: Optimum,
) -> Result<Shaped, CheckError> {
    let mut arrivals = Arrivals::new(context, target, optimum);
    let Level { bias, levelled, endless } = level(context, id, reward, &mut arrivals)?;
    let Arrivals { unknown, allowed, found, .. } = arrivals;
    let remains = |choice: usize| {
        found.staying.contains(choice) && !levelled.contains(state_of(context, choice) as usize)
    };
    let of_choice = |choice: usize| {
        if levelled.count() == 0 {
            return reward[choice];
        }
        let after: f64 = context.space.transitions(choice).map(|(t, v)| v * bias[t]).sum();
        reward[choice] + bias[state_of(context, choice) as usize] - after
    };
    let flat: Vec<f64> = (0..reward.len()).map(of_choice).collect();
    for margin in MARGINS {
        let mut potential = potential(context, &flat, &unknown, &allowed, &found, margin)?;
        potential.iter_mut().zip(&bias).for_each(|(sum, bias)| *sum += bias);
        if let Some((least, most)) = shaped(context, reward, &allowed, remains, &potential) {
            return Ok(Shaped { potential, least, most, endless });
        }
    }
    if let Some(state) = levelled.iter().next() {
        return Err(balanced(context, id, state as u32));
    }
    let what = "negative rewards that differ this much in size".to_string();
    Err(CheckError::NotYetEvaluated { what })
}

fn state_of(context: &Context, choice: usize) -> u32 {
    match &context.space.choices {
        None => choice as u32,
        Some(levels) => levels.start.partition_point(|&start| start as usize <= choice) as u32 - 1,
    }
}

/// The largest expected loss on the way to the target, with a margin for every step that is not within an end component;
/// the same number in all states of an end component.
fn potential(
    context: &Context,
    reward: &[f64],
    unknown: &BitSet,
    allowed: &BitSet,
    found: &EndComponents,
    margin: f64,
) -> Result<Vec<f64>, CheckError> {
    let largest = reward.iter().fold(0.0, |largest: f64, &r| largest.max(-r));
    let margin = margin * largest;
    let classes = Classes::new(unknown, found.iter());
    let stay = vec![[0.0; 2]; found.iter().count()];
    let parts = Parts {
        space: context.space,
        classes: &classes,
        optimum: Optimum::Max,
        allowed: Some(allowed),
        reward: |choice: usize| {
            if found.staying.contains(choice) { 0.0 } else { (-reward[choice]).max(0.0) + margin }
        },
        stay: &stay,
        known: |_| [0.0; 2],
    };
    let system = System::new(&parts);
    let options = Options { precision: POTENTIAL.min(context.options.precision), ..context.options };
    let solution = solve(&system, false, &options, context)?;
    Ok(solution.numbers(&system, |_| [0.0; 2]).bounds.into_iter().map(|[_, hi]| hi).collect())
}

/// Bounds of the shaped rewards; `None` where one may be negative. Where a choice `remains`, the potential does not change.
fn shaped(
    context: &Context,
    reward: &[f64],
    allowed: &BitSet,
    remains: impl Fn(usize) -> bool,
    potential: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let space = context.space;
    let (mut least, mut most) = (vec![0.0; reward.len()], vec![0.0; reward.len()]);
    for s in 0..space.num_states() {
        for choice in space.choices_of(s).filter(|&choice| allowed.contains(choice)) {
            let r = reward[choice];
            if remains(choice) {
                // The potential does not change.
                (least[choice], most[choice]) = (r, r);
                continue;
            }
            let (mut after, mut weight, mut size) = (Sum::default(), Sum::default(), 0.0);
            for (t, v) in space.transitions(choice) {
                after.add(v * potential[t]);
                weight.add(v);
                size += v * potential[t].abs();
            }
            // Rows are meant to sum to one.
            let after = after.value() / weight.value();
            let value = potential[s] + r - after;
            let size = potential[s].abs() + r.abs() + size;
            if size == 0.0 {
                // Nothing was rounded.
                continue;
            }
            let error = size * (slack(16) + 2.0 * context.options.input + 8.0 * U);
            (least[choice], most[choice]) = ((value - error).next_down(), (value + error).next_up());
            if least[choice] < 0.0 || !most[choice].is_finite() {
                return None;
            }
        }
    }
    Some((least, most))
}
