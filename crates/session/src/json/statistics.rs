//! Numbers beside answers that were simulated, or verified by simulation.

use super::values::Number;
use crate::statistics::Statistics;
use crate::verification::Verification;
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_statistics::verdict::Place;

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
    tier: String,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rare: Option<RareShape<'a>>,
}

#[derive(Serialize)]
struct RareShape<'a> {
    importance: &'a str,
    levels: &'a [i32],
    replications: u64,
    successes: u64,
    zeros: u64,
    paths: &'a [u64],
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
            tier: statistics.tier.clone(),
            seconds: statistics.time.as_secs_f64(),
            rare: statistics.rare.as_ref().map(|rare| RareShape {
                importance: &rare.importance,
                levels: &rare.levels,
                replications: rare.replications,
                successes: rare.successes,
                zeros: rare.zeros,
                paths: &rare.stages,
            }),
        }
    }
}

#[derive(Serialize)]
pub struct VerificationShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Number>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    intervals: BTreeMap<&'static str, [Number; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_width: Option<Number>,
    precise: bool,
    /// The smallest level whose interval holds the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<&'static str>,
    /// The largest level whose interval does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
    message: String,
    redrawn: bool,
    samples: u64,
    steps: u64,
    seed: u64,
    tier: String,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<Number>,
}

/// The levels, as keys.
const LEVELS: [&str; 3] = ["0.90", "0.95", "0.99"];

impl VerificationShape {
    pub fn of(verification: &Verification) -> Self {
        let verdict = verification.verdict.as_ref().ok();
        let place = verdict.map(|verdict| verdict.place);
        let intervals = verdict.map(|verdict| verdict.intervals);
        VerificationShape {
            estimate: verdict.map(|verdict| Number(verdict.estimate)),
            intervals: intervals.map_or_else(BTreeMap::new, |intervals| {
                LEVELS.into_iter().zip(intervals.map(|i| [Number(i.lo), Number(i.hi)])).collect()
            }),
            relative_width: verdict.and_then(|verdict| verdict.relative_width).map(Number),
            precise: verification.is_precise,
            inside: match place {
                Some(Place::Inside90) => Some(LEVELS[0]),
                Some(Place::Outside90) => Some(LEVELS[1]),
                Some(Place::Outside95) => Some(LEVELS[2]),
                Some(Place::Outside99) | None => None,
            },
            outside: match place {
                Some(Place::Outside90) => Some(LEVELS[0]),
                Some(Place::Outside95) => Some(LEVELS[1]),
                Some(Place::Outside99) => Some(LEVELS[2]),
                Some(Place::Inside90) | None => None,
            },
            agrees: verification.agrees(),
            message: verification.message(),
            redrawn: verification.redrawn,
            samples: verification.samples,
            steps: verification.steps,
            seed: verification.seed,
            tier: verification.tier.clone(),
            seconds: verification.time.as_secs_f64(),
            repaired: verification.repaired.clone(),
            replaced: verification.replaced.map(Number),
        }
    }
}
