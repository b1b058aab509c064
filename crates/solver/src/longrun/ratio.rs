//! Long-run ratios of two rewards on chains: what is earned of one for each unit of the other.
//!
//! Almost every run stays in one bottom component, where the ratio of the two sums tends to that of the two averages (renewal
//! theorem). The value is the expectation of that over the components, as in PRISM's `R{"a"}/{"b"}=? [ S ]`. A component that
//! earns only of the first makes it infinite; one that earns nothing of both leaves it undefined.

use volvelle_logic::RewardId;
use volvelle_space::BitSet;

use super::{arriving, bottom_components, long_run};
use crate::context::Context;
use crate::error::CheckError;
use crate::numbers::Numbers;
use crate::reward::{Rewards, UNBOUNDED, check_not_negative};

/// The ratio that has no value.
pub const UNDEFINED: &str = "0/0, the ratio of two rewards of which a run may end up earning none,";

/// The long-run ratio of `reward`, not negative, over another reward, for every state of a chain.
///
/// # Errors
/// A state of `needed` (`None`: any) may end where nothing is earned of both.
pub fn ratio(
    context: &Context,
    reward: &[f64],
    over: RewardId,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let n = context.states();
    let divisor = Rewards::of_choices(context, over)?;
    check_not_negative(context, over, &divisor.values)?;
    let above = long_run(context, reward)?;
    let below = averages(context, &divisor)?;
    let (components, transient) = bottom_components(context.space);
    let mut bounds = vec![[0.0; 2]; n];
    let (mut infinite, mut undefined) = (BitSet::new(n), BitSet::new(n));
    for members in &components {
        let some = |rewards: &[f64]| members.iter().any(|&s| rewards[s as usize] > 0.0);
        let first = members[0] as usize;
        let ([a, b], [c, d]) = (above.bounds[first], below.bounds[first]);
        let quotient = match (some(reward), some(&divisor.values)) {
            (true, true) => {
                [(a / d).next_down().max(0.0), if c > 0.0 { (b / c).next_up() } else { f64::INFINITY }]
            }
            (false, true) => [0.0; 2],
            (true, false) => [f64::INFINITY; 2],
            (false, false) => [f64::NAN; 2],
        };
        for &s in members {
            bounds[s as usize] = quotient;
            match (quotient[0].is_nan(), quotient[0] == f64::INFINITY) {
                (true, _) => _ = undefined.insert(s as usize),
                (_, true) => _ = infinite.insert(s as usize),
                _ => {}
            }
        }
    }
    let predecessors = context.predecessors();
    let undefined = predecessors.reach(&undefined, None);
    if undefined.iter().any(|s| needed.is_none_or(|needed| needed.contains(s))) {
        return Err(CheckError::Undefined { what: UNDEFINED.to_string() });
    }
    let infinite = predecessors.reach(&infinite, None);
    let mut unknown = transient;
    unknown.subtract(&infinite);
    unknown.subtract(&undefined);
    let open = bounds.iter().any(|value| value[1] == f64::INFINITY && value[0] < f64::INFINITY);
    for s in infinite.iter() {
        bounds[s] = [f64::INFINITY; 2];
    }
    for s in undefined.iter() {
        bounds[s] = [0.0, f64::INFINITY];
    }
    let method = format!("{}, for both rewards", above.method);
    let stop = above.stop.max(below.stop);
    if open {
        // Bounds of a divisor that reach zero say nothing about what depends on it.
        unknown.iter().for_each(|s| bounds[s] = [0.0, f64::INFINITY]);
        return Ok(Numbers { bounds, method, stop });
    }
    arriving(context, &unknown, bounds, method, stop)
}

/// Averages of rewards that are off.
fn averages(context: &Context, rewards: &Rewards) -> Result<Numbers, CheckError> {
    let Some(errors) = &rewards.errors else {
        return Ok(long_run(context, &rewards.values)?.widened(rewards.relative));
    };
    if errors.iter().any(|error| error.is_nan() || *error >= UNBOUNDED) {
        let bounds = vec![[0.0, f64::INFINITY]; context.states()];
        return Ok(Numbers { bounds, ..long_run(context, &rewards.values)? });
    }
    let pairs = || rewards.values.iter().zip(errors);
    let low: Vec<f64> =
        pairs().map(|(v, e)| if *e == 0.0 { *v } else { (v - e).next_down().max(0.0) }).collect();
    let high: Vec<f64> = pairs().map(|(v, e)| if *e == 0.0 { *v } else { (v + e).next_up() }).collect();
    let (low, high) = (long_run(context, &low)?, long_run(context, &high)?);
    let bounds = low.bounds.iter().zip(&high.bounds).map(|(low, high)| [low[0], high[1]]).collect();
    Ok(Numbers { bounds, method: high.method, stop: low.stop.max(high.stop) })
}
