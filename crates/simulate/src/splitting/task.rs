//! A property whose probability is estimated by splitting.

use super::importance::importance;
use crate::error::Refusal;
use crate::importance::Importance;
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
pub enum NoEstimate {
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
pub struct SplittingTask {
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

impl SplittingTask {
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
            Event::Automaton(_) => {
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
        plan.monitors = Monitors::together(plan.program.kind(), &plan.measures);
        let importance = importance(&mut plan, left, right, window.upper);
        Ok(SplittingTask { plan, importance, left, right, upper: window.upper, negated })
    }

    /// The importance of the initial state.
    pub fn at_first(&self) -> i32 {
        self.importance.of(&self.plan, &self.plan.initial)
    }
}
