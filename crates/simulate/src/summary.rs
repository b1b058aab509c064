//! Summaries: the statistics of measures after some paths.

use serde::{Deserialize, Serialize};
use volvelle_statistics::{Moments, Tally};

/// Paths that are summed up together.
pub const BLOCK: u64 = 256;
/// Values of a measure over paths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Summary {
    /// How often it was one.
    Tally(Tally),
    /// The moments of finite values, and the number of infinite ones.
    Moments {
        /// The finite ones.
        moments: Moments,
        /// Number of infinite values.
        infinite: u64,
    },
}

/// Results of sampling some paths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// Paths.
    pub paths: u64,
    /// Number of the path after the last of them.
    pub end: u64,
    /// Steps on them.
    pub steps: u64,
    /// One for each measure.
    pub summaries: Vec<Summary>,
}

impl Sampled {
    /// Summaries of no paths.
    pub fn nothing(indicators: &[bool]) -> Self {
        let summary = |&indicator: &bool| match indicator {
            true => Summary::Tally(Tally::default()),
            false => Summary::Moments { moments: Moments::new(), infinite: 0 },
        };
        Sampled { paths: 0, end: 0, steps: 0, summaries: indicators.iter().map(summary).collect() }
    }

    /// The same paths, but only some of the measures.
    pub fn only(&self, measures: &[usize]) -> Sampled {
        let summaries = measures.iter().map(|&measure| self.summaries[measure].clone()).collect();
        Sampled { summaries, ..*self }
    }

    /// Adds the paths that follow.
    pub fn merge(&mut self, next: &Sampled) {
        self.paths += next.paths;
        self.end = self.end.max(next.end);
        self.steps += next.steps;
        for (summary, next) in self.summaries.iter_mut().zip(&next.summaries) {
            match (summary, next) {
                (Summary::Tally(a), Summary::Tally(b)) => a.merge(*b),
                (
                    Summary::Moments { moments: a, infinite: m },
                    Summary::Moments { moments: b, infinite: n },
                ) => {
                    a.merge(b);
                    *m += n;
                }
                _ => unreachable!("summaries of the same measures"),
            }
        }
    }
}
