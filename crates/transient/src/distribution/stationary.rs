//! The stationary distribution of a closed component, by elimination without subtractions (Grassmann, Taksar and Heyman, *Regenerative
//! analysis and steady state distributions for Markov chains*, Oper. Res. 33, 1985).
//!
//! Each elimination is the exact one of a chain whose entries differ relatively by a few roundings. Such a change of all entries by a
//! factor within `1 - d ..= 1 + d` changes each stationary probability of a chain with k states by at most `((1 + d) / (1 - d))^k`
//! (O'Cinneide, *Entrywise perturbation theory and error analysis for Markov chains*, Numer. Math. 65, 1993). So errors add up to
//! about `m^2` times that of an entry for m states, however badly the chain mixes.

use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_solver::rounding::{INPUT, Sum, U, above, below, relative};
use volvelle_solver::wide::{Number, Total};
use volvelle_space::Space;

/// Roundings in an entry after an elimination: the sum of a row, a quotient, a product, a sum.
pub(super) const PER_ENTRY: f64 = 5.0 * U;

/// Bounds of the stationary probabilities of the members of a component, in their order; `None` where numbers leave the range of
/// doubles. `place` has the position of each member among them.
pub(super) fn stationary(
    space: &Space,
    members: &[u32],
    place: &[u32],
    control: &Control,
) -> Result<Option<Vec<[f64; 2]>>, Stop> {
    let m = members.len();
    if m == 1 {
        return Ok(Some(vec![[1.0; 2]]));
    }
    control.check_memory(8 * (m * m) as u64)?;
    // The rates between members; the diagonal does not matter.
    let mut rates = vec![0.0f64; m * m];
    for (i, &s) in members.iter().enumerate() {
        for (t, rate) in space.transitions(s as usize).filter(|&(t, _)| t != s as usize) {
            rates[i * m + place[t] as usize] += rate;
        }
    }
    let mut is_precise = true;
    for k in (1..m).rev() {
        let (above_k, row) = rates.split_at_mut(k * m);
        let row = &row[..k];
        let mut sum = Sum::default();
        row.iter().for_each(|&rate| sum.add(rate));
        let exit = sum.value();
        for other in above_k.chunks_exact_mut(m) {
            if other[k] == 0.0 {
                continue;
            }
            let share = other[k] / exit;
            other[k] = share;
            is_precise &= !share.leaves_range();
            for (to, &rate) in other.iter_mut().zip(row) {
                if rate > 0.0 {
                    let more = share * rate;
                    is_precise &= !more.leaves_range();
                    *to += more;
                }
            }
        }
        if k % 64 == 0 {
            control.check()?;
            let (done, total) = ((m - k) as u64, m as u64);
            let what = "state elimination";
            control.progress.report(ProgressEvent::Solving { what, done, total, error: f64::INFINITY });
        }
    }
    let mut weights = vec![1.0f64];
    for k in 1..m {
        let mut sum = Sum::default();
        for (i, &weight) in weights.iter().enumerate() {
            sum.add(weight * rates[i * m + k]);
        }
        weights.push(sum.value());
    }
    // Twice per state: the weight, and the sum by which it is divided.
    let error = (m * (m + 1)) as f64 * PER_ENTRY;
    Ok(bounds_of_weights(&weights, error).filter(|_| is_precise))
}

/// Bounds of the stationary probabilities, given what elimination finds them to be proportional to, and the first-order relative error of
/// quotients of these that its roundings cause; `None` where numbers leave their range.
pub(super) fn bounds_of_weights<N: Number>(weights: &[N], rounding: f64) -> Option<Vec<[f64; 2]>> {
    let mut total = N::Total::default();
    weights.iter().for_each(|&weight| total.add(weight));
    let total = total.value();
    if total.leaves_range() || weights.iter().any(|weight| weight.leaves_range()) {
        return None;
    }
    let error = relative(rounding + 2.0 * weights.len() as f64 * (INPUT + 6.0 * U) + 8.0 * U);
    let bounds = weights.iter().map(|&weight| {
        let share = (weight / total).to_f64();
        [below(share, error), above(share, error).min(1.0)]
    });
    Some(bounds.collect())
}
