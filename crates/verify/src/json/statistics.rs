//! Numbers beside answers that were simulated.

use super::Number;
use crate::sampling::Statistics;
use serde::Serialize;

#[derive(Serialize)]
pub struct StatisticsShape<'a> {
    samples: u64,
    steps: u64,
    seed: u64,
    generator: &'a str,
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[Number; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    successes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<Number>,
    tier: &'static str,
    seconds: f64,
}

impl<'a> StatisticsShape<'a> {
    pub fn of(statistics: &'a Statistics) -> Self {
        StatisticsShape {
            samples: statistics.samples,
            steps: statistics.steps,
            seed: statistics.seed,
            generator: &statistics.generator,
            confidence: statistics.confidence,
            interval: statistics.interval.map(|bounds| bounds.map(Number)),
            successes: statistics.successes,
            deviation: statistics.deviation.map(Number),
            tier: statistics.tier,
            seconds: statistics.time.as_secs_f64(),
        }
    }
}
