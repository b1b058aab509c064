//! A part of a run as JSON.

use serde::Serialize;
use volvelle_campaign::{Body, Part};

/// What a part has.
#[derive(Serialize)]
pub struct PartShape {
    file: String,
    shard: u64,
    shards: u64,
    round: u64,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

pub fn part(file: &str, part: &Part) -> PartShape {
    let mut shape = PartShape {
        file: file.to_owned(),
        shard: part.shard.number,
        shards: part.shard.of,
        round: part.round,
        complete: part.is_complete(),
        paths: None,
        steps: None,
        points: None,
        seconds: None,
    };
    match &part.body {
        Body::Paths(sections) => {
            shape.paths = Some(sections.iter().map(|s| s.record.paths().end - s.record.paths().start).sum());
            shape.steps = Some(sections.iter().flat_map(|s| s.record.steps()).sum());
            shape.seconds = Some(sections.iter().map(|s| s.time.as_secs_f64()).sum());
        }
        Body::Points(points, _) => shape.points = Some(points.len()),
    }
    shape
}
