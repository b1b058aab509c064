//! Levels, from a pilot run: adaptive multilevel splitting with few paths.
//!
//! From the states of a level, some paths run until the property is decided. The greatest importance that a
//! given share of them reaches is the next level. The last level is the target itself. The probabilities
//! found by the pilot run only serve to plan the work.

use super::population::{Ends, Population};
use super::seeds::stage_seed;
use super::segments::Segments;
use super::task::NoEstimate;
use crate::path::segment::TARGET;
use volvelle_control::Control;

/// Paths of a stage, at first.
const PATHS: u64 = 1 << 10;
/// Limit of paths of a stage.
const MOST_PATHS: u64 = 1 << 18;
/// Share of the paths that are to reach the next level.
const SHARE: f64 = 0.15;
/// Paths that have to reach a level for it to be one.
const FEWEST: usize = 48;
/// Number of states from which the next stage starts.
const STATES: usize = 1 << 9;
/// Limit of levels: more than any probability in the range of floats needs.
const MOST_LEVELS: usize = 1 << 10;
/// The number of the pilot run among repetitions.
const PILOT: u64 = u64::MAX - 1;

/// Levels, with estimates of the probabilities between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// Importance of each level, increasing; the last is that of the target, [`TARGET`].
    pub thresholds: Vec<i32>,
    /// Approximate share of paths that reach each level from the previous one; never zero.
    pub shares: Vec<f64>,
    /// Paths of the pilot run.
    pub paths: u64,
    /// Steps on them.
    pub steps: u64,
}

impl Levels {
    /// Rough number of paths that a single success in each stage takes.
    pub fn paths_for_success(&self) -> f64 {
        self.shares.iter().map(|share| 1.0 / share).sum()
    }
}

/// Finds levels.
///
/// # Errors
/// No path reaches another level, a path fails, or time runs out.
pub fn levels(segments: &Segments<'_>, seed: u64, control: &Control<'_>) -> Result<Levels, NoEstimate> {
    let rare = segments.rare;
    let mut found = Levels { thresholds: Vec::new(), shares: Vec::new(), paths: 0, steps: 0 };
    let mut states = Population::initial(rare);
    let mut reached = rare.at_first();
    let mut ends = Ends::default();
    loop {
        let seed = stage_seed(seed, PILOT, found.thresholds.len());
        let (level, share) = next(segments, seed, &states, reached, &mut ends, &mut found, control)?;
        found.thresholds.push(level);
        found.shares.push(share);
        if level == TARGET {
            return Ok(found);
        }
        if found.thresholds.len() >= MOST_LEVELS {
            return Err(NoEstimate::TooManyLevels(MOST_LEVELS));
        }
        // Runs the same paths once more, only up to the level, to get the states in which they reach it.
        let mut reaching = Population::default();
        let mut first = 0;
        while reaching.len() < STATES && first < MOST_PATHS {
            control.check().map_err(NoEstimate::Stopped)?;
            let paths = first..first + PATHS;
            segments.run(seed, paths, level, &states, &mut ends)?;
            found.count(&ends);
            for i in (0..ends.bests.len()).filter(|&i| ends.bests[i] >= level).take(STATES - reaching.len()) {
                reaching.push(&ends, i);
            }
            first += PATHS;
        }
        states = reaching;
        reached = level;
    }
}

/// The next level, and the share of paths that reach it.
fn next(
    segments: &Segments<'_>,
    seed: u64,
    states: &Population,
    reached: i32,
    ends: &mut Ends,
    found: &mut Levels,
    control: &Control<'_>,
) -> Result<(i32, f64), NoEstimate> {
    let mut bests: Vec<i32> = Vec::new();
    loop {
        let run = bests.len() as u64;
        for first in (run..(2 * run).max(PATHS)).step_by(PATHS as usize) {
            control.check().map_err(NoEstimate::Stopped)?;
            segments.run(seed, first..first + PATHS, TARGET, states, ends)?;
            found.count(ends);
            bests.extend(&ends.bests);
        }
        let mut sorted = bests.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let wanted = (SHARE * sorted.len() as f64).ceil() as usize;
        // The greatest importance that the share of paths reaches; else the next one that a significant
        // number of paths reaches.
        let mut level = sorted[wanted - 1];
        if level <= reached {
            level = sorted.iter().copied().rfind(|&best| best > reached).unwrap_or(reached);
        }
        let count = sorted.iter().filter(|&&best| best >= level).count();
        if level > reached && count >= FEWEST {
            return Ok((level, count as f64 / sorted.len() as f64));
        }
        if sorted.len() as u64 >= MOST_PATHS {
            if level > reached {
                return Ok((level, count as f64 / sorted.len() as f64));
            }
            return Err(NoEstimate::Stuck { levels: found.thresholds.len(), paths: sorted.len() as u64 });
        }
    }
}

impl Levels {
    fn count(&mut self, ends: &Ends) {
        self.paths += ends.status.len() as u64;
        self.steps += ends.status.iter().map(|status| status >> 1).sum::<u64>();
    }
}
