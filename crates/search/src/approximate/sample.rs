//! Estimates the number of states from how often several searches visit the same ones.
//!
//! Searches record those of their states whose hashes are small, which is a random sample. For this sample it
//! is known how many states were visited by only one search, and by two. From these numbers, Chao's estimator
//! (*Estimating the population size for capture-recapture data with unequal catchability*, Biometrics 43,
//! 1987) gives how many were visited by none. On average, it is a lower bound.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// States that a sample may have.
const MOST: usize = 1 << 15;

/// The states of one search whose hashes are below a limit.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sample {
    limit: u64,
    hashes: Vec<u64>,
}

impl Sample {
    /// An empty sample, which takes all states at first.
    pub fn new(limit: u64) -> Self {
        Sample { limit, hashes: Vec::new() }
    }

    /// States above it are not in the sample.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Adds a state.
    pub fn add(&mut self, hash: u64) {
        if hash <= self.limit {
            self.hashes.push(hash);
            if self.hashes.len() > MOST {
                self.limit /= 2;
                let limit = self.limit;
                self.hashes.retain(|&hash| hash <= limit);
            }
        }
    }
}

/// The number of searches that visited each state of the common sample.
#[derive(Debug)]
pub struct Census {
    limit: u64,
    times: FxHashMap<u64, u32>,
    searches: u64,
}

impl Census {
    /// An empty census.
    pub fn new() -> Self {
        Census { limit: u64::MAX, times: FxHashMap::default(), searches: 0 }
    }

    /// States above it are of no interest.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Number of searches made.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Adds the sample of a search.
    pub fn add(&mut self, mut sample: Sample) {
        self.searches += 1;
        self.limit = self.limit.min(sample.limit);
        sample.hashes.sort_unstable();
        sample.hashes.dedup();
        for hash in sample.hashes {
            *self.times.entry(hash).or_insert(0) += 1;
        }
        loop {
            let limit = self.limit;
            self.times.retain(|&hash, _| hash <= limit);
            if self.times.len() <= MOST {
                return;
            }
            self.limit /= 2;
        }
    }

    /// The estimated number of states that some search visited.
    pub fn visited(&self) -> f64 {
        self.times.len() as f64 * (2f64.powi(64) / (self.limit as f64 + 1.0))
    }

    /// The estimated share of states that no search visited. Unknown with one search.
    pub fn omission(&self) -> f64 {
        if self.searches < 2 || self.times.is_empty() {
            return 1.0;
        }
        let by = |n: u32| self.times.values().filter(|&&times| times == n).count() as f64;
        let (once, twice, searches) = (by(1), by(2), self.searches as f64);
        let unvisited = (searches - 1.0) / searches * once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        unvisited / (unvisited + self.times.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mixed;
    use super::*;

    /// Searches that visit states at random: the estimate is near the truth, also where the sample is a part.
    #[test]
    fn estimates_are_near_the_truth() {
        for (states, searches, each) in [(2000u64, 5u64, 600u64), (200_000, 4, 100_000), (1000, 20, 1000)] {
            let mut census = Census::new();
            let mut met = std::collections::BTreeSet::new();
            for search in 0..searches {
                let mut sample = Sample::new(census.limit());
                for draw in 0..each {
                    let state = mixed(search << 32 | draw) % states;
                    met.insert(state);
                    sample.add(mixed(state.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                }
                census.add(sample);
            }
            let omitted = 1.0 - met.len() as f64 / states as f64;
            assert!((census.omission() - omitted).abs() < 0.05, "{} for {omitted}", census.omission());
            let error = census.visited() / met.len() as f64 - 1.0;
            assert!(error.abs() < 0.05, "{} for {}", census.visited(), met.len());
        }
    }

    #[test]
    fn one_search_tells_nothing() {
        let mut census = Census::new();
        assert_eq!(census.omission(), 1.0);
        let mut sample = Sample::new(census.limit());
        sample.add(7);
        census.add(sample);
        assert_eq!(census.omission(), 1.0);
    }
}
