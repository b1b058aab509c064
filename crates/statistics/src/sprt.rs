//! Wald's sequential probability ratio test for a probability.
//!
//! A. Wald, *Sequential tests of statistical hypotheses*, Ann. Math. Stat. 16 (1945); for thresholds with a region of
//! indifference H. L. S. Younes and R. G. Simmons, *Probabilistic verification of discrete event systems using
//! acceptance sampling*, CAV 2002.
//!
//! **Guarantee.** Let the region of indifference be (l, u) around the threshold. If the comparison holds for the
//! probability and it lies outside the region, the test rejects with probability at most alpha; if it does not hold
//! and lies outside, the test accepts with probability at most beta. Inside, either answer may come. We stop at
//! ln(1/alpha) and ln(beta), where Wald has ln((1 - beta)/alpha) and ln(beta/(1 - alpha)): his thresholds keep the
//! promise only for the sum of both errors, ours for each, at the price of a few samples (0.01 in the logarithm for
//! errors of 0.01).
//!
//! **Regions that leave (0, 1).** Where the threshold plus or minus the half-width reaches an end of [0, 1], that
//! side of the region ends halfway between threshold and end: the promise then is stronger than requested. With the
//! end itself as hypothesis, one failure would refute "P >= 0.9999". Where the threshold is the end, so is the
//! region's: "P >= 1" is refuted by one failure, rightly.

use crate::{Comparison, Decision, Error, Interval, Tally};

/// The question, and how sure one wants to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// How the probability is compared.
    pub comparison: Comparison,
    /// With what.
    pub threshold: f64,
    /// Half-width of the region of indifference around the threshold.
    pub indifference: f64,
    /// Probability of rejecting what holds.
    pub alpha: f64,
    /// Probability of accepting what does not hold.
    pub beta: f64,
}

/// A test under way: samples go in, in their order, until it decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    region: Interval,
    /// The increment of the logarithm of the ratio for a success.
    success: f64,
    /// The increment for a failure.
    failure: f64,
    reject_from: f64,
    accept_to: f64,
    tally: Tally,
    decision: Decision,
}

impl Sprt {
    /// A test without samples. Comparisons that every probability satisfies, or none, are decided at once.
    ///
    /// # Errors
    ///
    /// For a threshold outside [0, 1], a half-width that is not positive and finite, errors that are not in (0, 1) or
    /// add up to 1 or more.
    pub fn new(question: Question) -> Result<Self, Error> {
        let Question { comparison, threshold, indifference, alpha, beta } = question;
        let decision = comparison.without_samples(threshold)?;
        if !(indifference > 0.0 && indifference.is_finite()) {
            return Err(Error::Width(indifference));
        }
        for error in [alpha, beta] {
            if !(error > 0.0 && error < 1.0) {
                return Err(Error::Confidence(error));
            }
        }
        if alpha + beta >= 1.0 {
            return Err(Error::Parameter {
                name: "the sum of both error probabilities",
                value: alpha + beta,
            });
        }
        let rest = 1.0 - threshold;
        // How far the region reaches to both sides. At a threshold of 0 or 1 one side is empty.
        let reach = |room: f64| if indifference < room { indifference } else { 0.5 * room };
        let (below, above) = (reach(threshold), reach(rest));
        let (lower, upper) = (threshold - below, threshold + above);
        // Logarithms of upper over lower, and of what they leave to 1; from distances, not from differences of
        // rounded ends.
        let success = log_quotient(upper, lower, below + above);
        let failure = log_quotient(rest - above, rest + below, -(below + above));
        // Numerator: the hypothesis that the comparison does not hold.
        let sign = if comparison.wants_large() { -1.0 } else { 1.0 };
        Ok(Self {
            region: Interval { lo: lower, hi: upper },
            success: sign * success,
            failure: sign * failure,
            reject_from: -alpha.ln(),
            accept_to: beta.ln(),
            tally: Tally::default(),
            decision,
        })
    }

    /// Takes the next sample, unless the test has decided, and returns the decision so far.
    pub fn push(&mut self, success: bool) -> Decision {
        self.push_batch(Tally::of(success))
    }

    /// Takes some samples at once and decides only then: the promise is the same, as it is about where the ratio stands when the
    /// test stops. Nothing is taken when the test has decided.
    pub fn push_batch(&mut self, batch: Tally) -> Decision {
        if self.decision == Decision::Undecided {
            self.tally.merge(batch);
            let ratio = self.log_ratio();
            self.decision = if ratio >= self.reject_from {
                Decision::Fails
            } else if ratio <= self.accept_to {
                Decision::Holds
            } else {
                Decision::Undecided
            };
        }
        self.decision
    }

    /// Takes samples in their order until the test decides, and no more.
    pub fn extend(&mut self, samples: impl IntoIterator<Item = bool>) -> Decision {
        let mut samples = samples.into_iter();
        while self.decision == Decision::Undecided {
            let Some(sample) = samples.next() else { break };
            self.push(sample);
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

    /// The logarithm of how much likelier the samples are where the comparison fails (at one end of the region) than
    /// where it holds (at the other end). Infinite where one of them excludes the samples.
    pub fn log_ratio(&self) -> f64 {
        let part = |count: u64, each: f64| if count == 0 { 0.0 } else { count as f64 * each };
        // From the counts, not as a running sum: independent of how samples were grouped. Only one of the two can be
        // infinite, unless both ends of the region are ends of [0, 1], which `new` does not make.
        part(self.tally.successes(), self.success) + part(self.tally.failures(), self.failure)
    }

    /// Where the ratio has to get to: accepts at or below the lower end, rejects at or above the upper end.
    pub fn stops_at(&self) -> Interval {
        Interval { lo: self.accept_to, hi: self.reject_from }
    }

    /// The region of indifference, as the test uses it.
    pub fn region(&self) -> Interval {
        self.region
    }
}

/// ln(`over` / `under`), where `over - under` is known.
fn log_quotient(over: f64, under: f64, difference: f64) -> f64 {
    let relative = difference / under;
    if relative.abs() < 0.5 { relative.ln_1p() } else { over.ln() - under.ln() }
}
