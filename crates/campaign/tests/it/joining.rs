//! Parts put together.

use crate::samples;
use volvelle_campaign::{Body, Identity, Part, Section, Shard, join};
use volvelle_diagnostics::{Code, codes};
use volvelle_random::Random;
use volvelle_simulate::blocks::BlockRecord;
use volvelle_simulate::sample::BLOCK;

fn named(parts: impl IntoIterator<Item = Part>) -> Vec<(String, Part)> {
    parts.into_iter().enumerate().map(|(i, part)| (format!("part-{i}.vvs"), part)).collect()
}

fn joined(parts: Vec<Part>) -> Result<BlockRecord, Vec<(Code, String)>> {
    match join(named(parts)) {
        Ok(joined) => match joined.body {
            Body::Paths(mut sections) => Ok(sections.remove(0).record),
            Body::Points(..) => panic!("these are paths"),
        },
        Err(found) => Err(found.into_iter().map(|d| (d.code, d.message)).collect()),
    }
}

/// What a record says: up to the block at which nothing is measured any more.
fn said(record: &BlockRecord) -> (Vec<u64>, String) {
    (record.steps().to_vec(), format!("{:?}", record.columns()))
}

#[test]
fn all_parts_in_any_order_are_the_run() {
    let mut random = Random(1);
    for _ in 0..500 {
        let identity = samples::identity(&mut random);
        let (shards, paths) = (1 + random.below(9) as u64, random.below(4000) as u64);
        let (mut parts, whole) = samples::parts(&mut random, &identity, shards, paths);
        // Doubled, and in any order.
        for _ in 0..random.below(4) {
            let part = parts[random.below(parts.len())].clone();
            parts.push(part);
        }
        for i in (1..parts.len()).rev() {
            parts.swap(i, random.below(i + 1));
        }
        assert_eq!(said(&joined(parts).unwrap()), said(&whole));
    }
}

#[test]
fn every_subset_of_shards() {
    let mut random = Random(2);
    let identity = samples::identity(&mut random);
    let (parts, whole) = samples::parts(&mut random, &identity, 6, 6 * BLOCK + 17);
    for subset in 1_u32..1 << 6 {
        let chosen = |i: &usize| subset & 1 << i != 0;
        let found = joined((0..6).filter(chosen).map(|i| parts[i].clone()).collect());
        if subset == (1 << 6) - 1 {
            assert_eq!(said(&found.unwrap()), said(&whole));
            continue;
        }
        let missing: Vec<String> = (0..6).filter(|i| !chosen(i)).map(|i| (i + 1).to_string()).collect();
        let found = found.unwrap_err();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, codes::PARTS_MISSING);
        // Runs of three and more are abbreviated.
        assert!(missing.first().is_some_and(|first| found[0].1.contains(first)), "{found:?}");
        if missing.len() == 1 {
            assert_eq!(found[0].1, format!("shard {} of 6 is missing", missing[0]));
        }
    }
}

/// One division into shares is complete; parts of another one do no harm.
#[test]
fn shares_of_two_divisions() {
    let mut random = Random(3);
    let identity = samples::identity(&mut random);
    let indicators = [true, false];
    let paths = 9 * BLOCK;
    let blocks = samples::blocks(&mut random, &indicators, paths);
    let part = |number: u64, of: u64| {
        let shard = Shard { number, of };
        let share = Section::share_of(shard, &(0..paths));
        let record = samples::record(&blocks, &indicators, share.clone(), None);
        let section =
            Section { round: 0..paths, share, record, tier: String::new(), time: Default::default() };
        Part { identity: identity.clone(), shard, round: 1, body: Body::Paths(vec![section]) }
    };
    let whole = said(&samples::record(&blocks, &indicators, 0..paths, None));
    let mixed = vec![part(1, 4), part(2, 3), part(1, 3), part(3, 4), part(3, 3)];
    assert_eq!(said(&joined(mixed).unwrap()), whole);
    assert!(joined(vec![part(1, 4), part(2, 3), part(1, 3), part(3, 4)]).is_err());
}

#[test]
fn parts_that_disagree() {
    let mut random = Random(4);
    let identity = samples::identity(&mut random);
    let mut tried = 0;
    while tried < 50 {
        let (parts, of_parts) = samples::parts(&mut random, &identity, 3, 3 * BLOCK);
        let (others, of_others) = samples::parts(&mut random, &identity, 3, 3 * BLOCK);
        // What is undecided in the first block says nothing about the others.
        if of_parts.columns().iter().chain(of_others.columns()).any(|column| column.undecided.is_some()) {
            continue;
        }
        tried += 1;
        let mut all = parts.clone();
        all.push(others[random.below(3)].clone());
        // The steps of its blocks are others, almost surely.
        assert_eq!(joined(all).unwrap_err()[0].0, codes::PART_FOREIGN);
    }
}

#[test]
fn foreign_parts() {
    let mut random = Random(5);
    let identity = samples::identity(&mut random);
    let (parts, _) = samples::parts(&mut random, &identity, 4, 5 * BLOCK);
    let with = |change: &dyn Fn(&mut Identity)| {
        let mut all = parts.clone();
        change(&mut all[2].identity);
        let found = join(named(all)).unwrap_err();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].code, &*found[0].message),
            (codes::PART_FOREIGN, "`part-2.vvs` is a part of another run")
        );
        found[0].notes.join("; ")
    };
    assert!(with(&|other| other.version = "9.9".to_owned()).contains("version 9.9"));
    assert!(with(&|other| other.arguments[1] = "--seed=x".to_owned()).contains("with `--seed=x`"));
    assert!(
        with(&|other| other.arguments.push("--rng=philox".to_owned()))
            .contains("with `--rng=philox`, the others without that")
    );
    assert!(with(&|other| other.files[0].sha256 = "1".repeat(64)).contains("other contents"));
}

#[test]
fn incomplete_parts_are_named() {
    let mut random = Random(6);
    let identity = samples::identity(&mut random);
    let indicators = [true];
    let paths = 8 * BLOCK;
    let blocks = samples::blocks(&mut random, &indicators, paths);
    let part = |number: u64, end: u64| {
        let shard = Shard { number, of: 2 };
        let share = Section::share_of(shard, &(0..paths));
        let record = samples::record(&blocks, &indicators, share.start..share.end.min(end), None);
        let section =
            Section { round: 0..paths, share, record, tier: String::new(), time: Default::default() };
        Part { identity: identity.clone(), shard, round: 1, body: Body::Paths(vec![section]) }
    };
    let found = joined(vec![part(1, paths), part(2, 6 * BLOCK)]).unwrap_err();
    assert_eq!(found, [(codes::PARTS_MISSING, "shard 2/2 is incomplete in `part-1.vvs`".to_owned())]);
    // Where the same shard is complete in another file, the first does not matter.
    assert!(joined(vec![part(1, paths), part(2, 6 * BLOCK), part(2, paths)]).is_ok());
}
