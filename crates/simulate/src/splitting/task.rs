//! A property whose probability is estimated by splitting.

use super::importance::importance;
use crate::error::{Unsupported, UnsupportedProperty};
use crate::importance::Importance;
use crate::measure::{Event, Measure};
use crate::monitor::Monitors;
use crate::path::Plan;
use serde::{Deserialize, Serialize};
use volvelle_control::Stop;
use volvelle_kernel::{ExprId, Site};

/// A path that failed, or did not end within the step limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// The site that failed; `None` if the path reached the step limit.
    #[serde(with = "site_number")]
    pub site: Option<Site>,
    /// Values of the fields when that happened.
    pub state: Vec<i64>,
    /// Steps since the initial state.
    pub steps: u32,
}

/// A site in a message between processes.
mod site_number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use volvelle_kernel::Site;

    pub fn serialize<S: Serializer>(site: &Option<Site>, to: S) -> Result<S::Ok, S::Error> {
        site.map(|site| site.0).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Site>, D::Error> {
        Ok(Option::<u32>::deserialize(from)?.map(Site))
    }
}

/// Why there is no estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NoEstimate {
    /// A path failed, or did not end within the step limit.
    Lost(Lost),
    /// No path of the pilot run got beyond a level.
    Stuck {
        /// Number of levels that were found.
        levels: usize,
        /// Paths that tried to get beyond the last.
        paths: u64,
    },
    /// The pilot run found more levels than are supported.
    TooManyLevels(usize),
    /// A limit was reached, or the user asked to stop.
    Stopped(Stop),
}

/// A property whose probability is estimated by splitting.
pub struct SplittingTask {
    /// Model and property.
    pub plan: Plan,
    /// Importance of states.
    pub importance: Importance,
    /// `left U right`.
    pub left: ExprId,
    /// The target.
    pub right: ExprId,
    /// Latest time, or last step.
    pub upper: Option<f64>,
    /// Whether the property asks for the probability of the complement.
    pub negated: bool,
}

impl SplittingTask {
    /// Prepares a plan with a single measure.
    ///
    /// # Errors
    /// The measure is not `left U right` without lower bound, or choices are made by a scheduler from a file.
    pub fn new(mut plan: Plan) -> Result<Self, Unsupported> {
        let [Measure::Indicator { event, negated }] = plan.measures[..] else {
            return Err(Unsupported::Property(UnsupportedProperty::SplittingOfReward));
        };
        let (left, right, window) = match event {
            Event::Until(left, right, window) if window.lower == 0.0 => (left, right, window),
            Event::Until(..) => {
                return Err(Unsupported::Property(UnsupportedProperty::SplittingWithLowerBound));
            }
            Event::Spending(..) => {
                return Err(Unsupported::Property(UnsupportedProperty::SplittingWithRewardBound));
            }
            Event::Automaton(_) => {
                return Err(Unsupported::Property(UnsupportedProperty::SplittingOfCombination));
            }
            Event::Now(_) | Event::Next(..) => {
                return Err(Unsupported::Property(UnsupportedProperty::SplittingOfNearTarget));
            }
        };
        if plan.rows.is_some() {
            return Err(Unsupported::Property(UnsupportedProperty::SplittingOfStates));
        }
        if plan.scheduler.is_some() {
            return Err(Unsupported::Property(UnsupportedProperty::SplittingWithScheduler));
        }
        plan.measures = vec![Measure::Indicator { event, negated: false }];
        plan.monitors = Monitors::together(plan.program.kind(), &plan.measures);
        let importance = importance(&mut plan, left, right, window.upper);
        Ok(SplittingTask { plan, importance, left, right, upper: window.upper, negated })
    }

    /// The importance of the initial state.
    pub fn at_first(&self) -> i32 {
        self.importance.of(&self.plan.program, &self.plan.initial)
    }
}
