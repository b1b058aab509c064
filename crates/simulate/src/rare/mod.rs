//! Rare events: importance splitting with a fixed number of successes.
//!
//! Plain simulation needs some hundreds of paths for each time that an event happens. Splitting goes there in stages: levels
//! of an [`Importance`] divide the way to the target, and stage `k` runs paths from states in which others have reached
//! level `k` for the first time, until they reach level `k + 1`. The product of the shares that do is an estimate of the
//! probability.
//!
//! **A stage** runs paths `0, 1, …`, each from a state drawn uniformly from those that the stage before left, until `r` of
//! them have reached the next level (fixed number of successes: Amrein and Künsch, *A variant of importance splitting for rare
//! event estimation*, ACM TOMACS 21, 2011), or until there were `M` of them. Its factor is `(r - 1) / (n - 1)` where path
//! number `n` was the `r`-th success, and `s / M` where only `s < r` of `M` paths succeeded: the unbiased estimate for this
//! way of stopping (Girshick, Mosteller and Savage, 1946). All successes are handed on.
//!
//! **The estimate is unbiased.** Given the states that a stage starts from, its paths are independent and alike. Hence where
//! the successes ended is independent of how many paths they took, and the mean of the factor times the average of any
//! function over these ends is the probability of success times the mean of the function there. Going backwards from the last
//! stage, with the probability to reach the target from a state as function, the mean of the product is the probability that is
//! asked for. A stage without success has factor 0, and so has the product. Neither the importance nor the levels matter for that,
//! as long as they are fixed before: they come from a pilot run with random numbers of its own ([`levels`]).
//!
//! **The interval** comes from independent repetitions, by Student's t.
//!
//! A state is held with the time and the number of steps at which it was entered, so that bounded properties need nothing more.
//!
//! | module | subject |
//! |---|---|
//! | `importance` | how near a state is |
//! | `projection`, `fields`, `values`, `bounds` | distances in a projection of the model |
//! | `conjuncts` | distances in the conjuncts of a condition |
//! | `segments` | paths from level to level |
//! | `levels` | the pilot run |
//! | `repetition` | the estimate |
//! | `plain` | segments once more, slowly |

mod bounds;
mod conjuncts;
mod fields;
mod importance;
mod levels;
mod plain;
mod projection;
mod repetition;
mod segments;
#[cfg(test)]
mod tests;
mod values;

pub use importance::{Importance, Table};
pub use levels::{Levels, levels};
pub use plain::{Segment, segment};
pub use repetition::{Repetition, Repetitions, Split, repeat, repetition};
pub use segments::{Ends, Population, Segments};

use crate::error::Refusal;
use crate::measure::{Event, Measure};
use crate::monitor::Monitors;
use crate::path::Plan;
use volvelle_control::Stop;
use volvelle_kernel::{ExprId, Site};

/// A path that failed, or came to no end.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// The site that failed; none where the path took too many steps.
    pub site: Option<Site>,
    /// Values of the fields when that happened.
    pub state: Vec<i64>,
    /// Steps since the initial state.
    pub steps: u32,
}

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// A path failed, or came to no end.
    Lost(Lost),
    /// No path of the pilot run got beyond a level.
    Stuck {
        /// Number of levels that were found.
        levels: usize,
        /// Paths that tried to get beyond the last.
        paths: u64,
    },
    /// There are more levels than make sense.
    TooManyLevels(usize),
    /// Time is over, or somebody wants to stop.
    Stopped(Stop),
}

/// A property whose probability is estimated by splitting.
pub struct Rare {
    /// Model and property.
    pub plan: Plan,
    /// How near states are.
    pub importance: Importance,
    /// `left U right`.
    pub left: ExprId,
    /// The target.
    pub right: ExprId,
    /// Latest time or step.
    pub upper: Option<f64>,
    /// Whether the probability is asked that it does not happen.
    pub negated: bool,
}

impl Rare {
    /// Prepares a plan that measures one thing.
    ///
    /// # Errors
    /// Other properties than `left U right` without lower bound, and choices that a file makes.
    pub fn new(mut plan: Plan) -> Result<Self, Refusal> {
        let [Measure::Indicator { event, negated }] = plan.measures[..] else {
            return Err(Refusal::Property("importance splitting is for probabilities"));
        };
        let (left, right, window) = match event {
            Event::Until(left, right, window) if window.lower == 0.0 => (left, right, window),
            Event::Until(..) => {
                return Err(Refusal::Property(
                    "importance splitting is for bounds on time without a lower end",
                ));
            }
            Event::Word(_) => {
                return Err(Refusal::Property(
                    "importance splitting is for a single until, such as F target",
                ));
            }
            Event::Now(_) | Event::Next(..) => {
                return Err(Refusal::Property(
                    "importance splitting is for targets that are many steps away",
                ));
            }
        };
        if plan.scheduler.is_some() {
            return Err(Refusal::Property("importance splitting follows no scheduler of a file"));
        }
        plan.measures = vec![Measure::Indicator { event, negated: false }];
        plan.monitors = Monitors::together(plan.program.kind, &plan.measures);
        let importance = Importance::new(&mut plan, left, right, window.upper);
        Ok(Rare { plan, importance, left, right, upper: window.upper, negated })
    }

    /// The importance of the initial state.
    pub fn at_first(&self) -> i32 {
        self.importance.of(&self.plan, &self.plan.initial)
    }
}

/// The seed of the paths of a stage; the pilot run has a number of its own.
fn stage_seed(seed: u64, repetition: u64, stage: usize) -> u64 {
    // The finalizer of SplitMix64, once for each number.
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let step =
        |z: u64, number: u64| mix(z.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    step(step(mix(seed), repetition), stage as u64)
}
