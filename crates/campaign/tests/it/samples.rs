//! Random runs, and their parts.

use std::time::Duration;
use volvelle_campaign::{Body, Identity, PackedFile, Part, PointRecord, Section, Shard};
use volvelle_random::Random;
use volvelle_simulate::blocks::BlockRecord;
use volvelle_simulate::sample::{BLOCK, Sampled, Summary};
use volvelle_statistics::{Moments, Tally};

pub fn identity(random: &mut Random) -> Identity {
    let file = |contents: Option<Vec<u8>>| PackedFile {
        path: format!("m{}.prism", contents.is_some()),
        sha256: "00".repeat(32),
        contents,
    };
    Identity {
        version: "1.2.3".to_owned(),
        arguments: vec!["simulate".to_owned(), format!("--seed={}", random.below(1 << 30))],
        files: vec![file(Some(b"dtmc\0\xff".to_vec())), file(None)],
    }
}

/// The summaries of all blocks of a run of `paths` paths.
pub fn blocks(random: &mut Random, indicators: &[bool], paths: u64) -> Vec<Sampled> {
    let mut blocks = Vec::new();
    let mut end = 0;
    while end < paths {
        let count = BLOCK.min(paths - end);
        end += count;
        let summary = |random: &mut Random, indicator: bool| {
            if indicator {
                return Summary::Tally(Tally::new(random.below(count as usize + 1) as u64, count).unwrap());
            }
            let mut moments = Moments::new();
            let infinite = if random.one_in(4) { random.below(count as usize + 1) as u64 } else { 0 };
            (infinite..count).for_each(|_| moments.push(random.below(1000) as f64 / 7.0 - 30.0));
            Summary::Moments { moments, infinite }
        };
        let summaries = indicators.iter().map(|&indicator| summary(random, indicator)).collect();
        blocks.push(Sampled { paths: count, end, steps: random.below(100_000) as u64, summaries });
    }
    blocks
}

/// The record of a share of a run; a measure may meet a path that leaves it undecided.
pub fn record(
    blocks: &[Sampled],
    indicators: &[bool],
    share: std::ops::Range<u64>,
    undecided: Option<(usize, u64)>,
) -> BlockRecord {
    let mut record = BlockRecord::new(share.start / BLOCK, indicators);
    let mut measures: Vec<usize> = (0..indicators.len()).collect();
    for block in share.start / BLOCK..share.end.div_ceil(BLOCK) {
        if let Some((measure, path)) = undecided.filter(|(_, path)| path / BLOCK == block) {
            record.leave_undecided(measure, path);
            measures.retain(|&other| other != measure);
        }
        // Of a run that stops measuring something, nothing else is different.
        if measures.is_empty() {
            break;
        }
        let all = &blocks[block as usize];
        let summaries = measures.iter().map(|&measure| all.summaries[measure].clone()).collect();
        record.push(&Sampled { summaries, ..*all }, &measures);
    }
    record
}

/// All parts of a run in this many shares.
pub fn parts(random: &mut Random, identity: &Identity, shards: u64, paths: u64) -> (Vec<Part>, BlockRecord) {
    let indicators: Vec<bool> = (0..1 + random.below(4)).map(|_| random.one_in(2)).collect();
    let blocks = blocks(random, &indicators, paths);
    let undecided = (paths > 0 && random.one_in(3))
        .then(|| (random.below(indicators.len()), random.below(paths as usize) as u64));
    let part = |number: u64| {
        let shard = Shard { number, of: shards };
        let share = Section::share_of(shard, &(0..paths));
        let time = Duration::from_micros(number);
        let record = record(&blocks, &indicators, share.clone(), undecided);
        let section = Section { round: 0..paths, share, record, tier: "scalar".to_owned(), time };
        Part { identity: identity.clone(), shard, round: 1, body: Body::Paths(vec![section]) }
    };
    ((1..=shards).map(part).collect(), record(&blocks, &indicators, 0..paths, undecided))
}

/// A part with answers at points.
pub fn points(random: &mut Random, identity: &Identity) -> Part {
    let point = |random: &mut Random| PointRecord {
        point: random.below(1000) as u64,
        answers: (0..random.below(50)).map(|_| random.below(256) as u8).collect(),
    };
    let body = Body::Points((0..random.below(9)).map(|_| point(random)).collect(), random.one_in(2));
    Part { identity: identity.clone(), shard: Shard { number: 2, of: 3 }, round: 1, body }
}
