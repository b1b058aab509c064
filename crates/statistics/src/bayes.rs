//! Bayesian statements about a probability, with a beta distribution as prior.
//!
//! S. K. Jha, E. M. Clarke, C. J. Langmead, A. Legay, A. Platzer and P. Zuliani, *A Bayesian approach to model
//! checking biological systems*, CMSB 2009. The statements are about the posterior distribution: they hold on average
//! over probabilities that are drawn from the prior, at any stopping time. They promise nothing for a single
//! probability, such as one on the threshold.

use crate::special::beta;
use crate::{Comparison, Confidence, Decision, Error, Interval, Side, Tally};

/// A beta distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    /// All probabilities alike.
    pub const UNIFORM: Self = Self { a: 1.0, b: 1.0 };

    /// Jeffreys' prior.
    pub const JEFFREYS: Self = Self { a: 0.5, b: 0.5 };

    /// With weights `a` for successes and `b` for failures.
    ///
    /// # Errors
    ///
    /// Unless both lie in [1e-6, 1e15].
    pub fn new(a: f64, b: f64) -> Result<Self, Error> {
        for (name, value) in [("the prior's weight of successes", a), ("the prior's weight of failures", b)] {
            if !(1e-6..=1e15).contains(&value) {
                return Err(Error::Parameter { name, value });
            }
        }
        Ok(Self { a, b })
    }

    /// The posterior after samples.
    pub fn after(self, tally: Tally) -> Self {
        Self { a: self.a + tally.successes() as f64, b: self.b + tally.failures() as f64 }
    }

    /// The mean.
    pub fn mean(self) -> f64 {
        self.a / (self.a + self.b)
    }

    /// The mass below and above a point of [0, 1].
    pub fn tails(self, x: f64) -> beta::Tails {
        beta::tails(self.a, self.b, x)
    }

    /// The interval that has this mass and leaves out the same mass on both sides; or the mass up to an end, with a
    /// side.
    pub fn credible(self, confidence: Confidence, side: Side) -> Interval {
        let tail = confidence.tail(side);
        Interval {
            lo: if side == Side::Upper { 0.0 } else { beta::quantile_lower(self.a, self.b, tail) },
            hi: if side == Side::Lower { 1.0 } else { beta::quantile_upper(self.a, self.b, tail) },
        }
    }
}

/// A test by Bayes factors under way.
///
/// The factor is how much likelier the samples are where the comparison holds than where it fails, averaged over the
/// prior. It accepts above a threshold, rejects below the threshold's reciprocal. Then the posterior odds for what it
/// reports are at least the threshold times the prior odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesTest {
    comparison: Comparison,
    threshold: f64,
    prior: Beta,
    prior_log_odds: f64,
    log_factor_to_stop: f64,
    tally: Tally,
    decision: Decision,
}

impl BayesTest {
    /// A test without samples. Comparisons that every probability satisfies, or none, are decided at once.
    ///
    /// # Errors
    ///
    /// For thresholds that the prior gives no mass on either side (0 and 1 among them), and a factor that is not
    /// above 1 and finite.
    pub fn new(
        comparison: Comparison,
        threshold: f64,
        prior: Beta,
        factor_to_stop: f64,
    ) -> Result<Self, Error> {
        let decision = comparison.without_samples(threshold)?;
        if !(factor_to_stop > 1.0 && factor_to_stop.is_finite()) {
            return Err(Error::Parameter { name: "the Bayes factor to stop at", value: factor_to_stop });
        }
        let prior_log_odds = log_odds(comparison, prior, threshold);
        if decision == Decision::Undecided && !prior_log_odds.is_finite() {
            return Err(Error::Parameter {
                name: "the threshold, which the prior excludes,",
                value: threshold,
            });
        }
        Ok(Self {
            comparison,
            threshold,
            prior,
            prior_log_odds,
            log_factor_to_stop: factor_to_stop.ln(),
            tally: Tally::default(),
            decision,
        })
    }

    /// Takes the next sample, unless the test has decided, and returns the decision so far.
    pub fn push(&mut self, success: bool) -> Decision {
        self.push_batch(Tally::of(success))
    }

    /// Takes samples all at once and looks after the last one: a factor costs about a microsecond, samples often
    /// less.
    pub fn push_batch(&mut self, batch: Tally) -> Decision {
        if self.decision == Decision::Undecided {
            self.tally.merge(batch);
            let factor = self.log_factor();
            self.decision = if factor >= self.log_factor_to_stop {
                Decision::Holds
            } else if factor <= -self.log_factor_to_stop {
                Decision::Fails
            } else {
                Decision::Undecided
            };
        }
        self.decision
    }

    /// The decision so far.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The samples that it has used.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The logarithm of the Bayes factor for the comparison; infinite where floats end.
    pub fn log_factor(&self) -> f64 {
        if self.tally.samples() == 0 {
            return 0.0;
        }
        log_odds(self.comparison, self.prior.after(self.tally), self.threshold) - self.prior_log_odds
    }

    /// The posterior of the probability.
    pub fn posterior(&self) -> Beta {
        self.prior.after(self.tally)
    }

    /// The posterior probability that the comparison holds.
    pub fn belief(&self) -> f64 {
        let tails = self.posterior().tails(self.threshold);
        if self.comparison.wants_large() { tails.upper } else { tails.lower }
    }
}

/// The logarithm of the odds that the comparison holds.
fn log_odds(comparison: Comparison, belief: Beta, threshold: f64) -> f64 {
    let tails = belief.tails(threshold);
    let large = tails.upper.ln() - tails.lower.ln();
    if comparison.wants_large() { large } else { -large }
}
