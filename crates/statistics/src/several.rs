//! Several statements at once: corrections, and the number that would fail by chance.

use crate::Error;
use crate::special::beta;

/// Probabilities of error corrected for their number, each multiplied by it: C. E. Bonferroni. Where every one below
/// a level counts as a finding, the probability of any false finding is at most the level, however the tests depend
/// on each other.
///
/// # Errors
///
/// [`Error::Probability`] for the first that is outside [0, 1].
pub fn bonferroni(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    check(p_values)?;
    let tests = p_values.len() as f64;
    Ok(p_values.iter().map(|p| (p * tests).min(1.0)).collect())
}

/// Probabilities of error corrected step by step, with the same guarantee as [`bonferroni`] and never larger: the
/// smallest is multiplied by the number of tests, the next by one less, and so on; none is below one before it.
///
/// S. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Stat. 6 (1979).
///
/// # Errors
///
/// [`Error::Probability`] for the first that is outside [0, 1].
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    check(p_values)?;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        least = least.max((p_values[i] * (p_values.len() - rank) as f64).min(1.0));
        corrected[i] = least;
    }
    Ok(corrected)
}

fn check(p_values: &[f64]) -> Result<(), Error> {
    match p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        Some(&p) => Err(Error::Probability(p)),
        None => Ok(()),
    }
}

/// The expected number of `intervals` that miss, where each misses with probability `miss`; whether they depend
/// on each other or not.
pub fn expected_misses(intervals: u64, miss: f64) -> f64 {
    intervals as f64 * miss
}

/// The probability that at least `misses` of `intervals` *independent* intervals miss by chance. Points of one experiment
/// that are simulated with the same paths are not independent.
///
/// # Errors
///
/// [`Error::Probability`] where `miss` is outside [0, 1].
pub fn at_least_misses(intervals: u64, misses: u64, miss: f64) -> Result<f64, Error> {
    if !(0.0..=1.0).contains(&miss) {
        return Err(Error::Probability(miss));
    }
    Ok(beta::binomial_at_least(misses, intervals, miss))
}
