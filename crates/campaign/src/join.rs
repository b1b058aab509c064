//! Parts put together: in any order, each as often as it is there, all of one run.

use crate::part::{Body, Identity, Part, PointRecord};
use crate::section::Section;
use crate::shard::Shard;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_simulate::blocks::BlockRecord;

/// Parts that were put together.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The run.
    pub identity: Identity,
    /// Rounds of the campaign.
    pub rounds: u64,
    /// What was computed: of all shards together.
    pub body: Body,
}

/// Shards that are listed; of more, only their number is given.
const LISTED: usize = 12;

/// Puts parts together, each with the name of its file.
///
/// # Errors
/// Some are of another run or disagree, or there are gaps.
pub fn join(parts: Vec<(String, Part)>) -> Result<Joined, Vec<Diagnostic>> {
    let Some(identity) = most_common(&parts).cloned() else {
        return Err(vec![Diagnostic::error(codes::PARTS_MISSING, "there are no parts to put together")]);
    };
    let foreign: Vec<Diagnostic> =
        parts.iter().filter_map(|(name, part)| foreign(name, &part.identity, &identity)).collect();
    if !foreign.is_empty() {
        return Err(foreign);
    }
    let rounds = parts.iter().map(|(_, part)| part.round).max().unwrap_or(1);
    let gaps = gaps(&parts, rounds);
    if !gaps.is_empty() {
        return Err(gaps);
    }
    let is_of_paths = |part: &Part| matches!(part.body, Body::Paths(_));
    let body = match parts.iter().all(|(_, part)| is_of_paths(part)) {
        true => joined_paths(&parts).map(Body::Paths),
        false => Ok(joined_points(parts)),
    };
    body.map(|body| Joined { identity, rounds, body }).map_err(|diagnostic| vec![diagnostic])
}

/// The identity that most parts have; of several, the first.
fn most_common(parts: &[(String, Part)]) -> Option<&Identity> {
    let mut counts: Vec<(&Identity, usize)> = Vec::new();
    for (_, part) in parts {
        match counts.iter_mut().find(|(identity, _)| **identity == part.identity) {
            Some((_, count)) => *count += 1,
            None => counts.push((&part.identity, 1)),
        }
    }
    counts.iter().rev().max_by_key(|(_, count)| *count).map(|(identity, _)| *identity)
}

/// What tells a part of another run from those of this one.
fn foreign(name: &str, found: &Identity, expected: &Identity) -> Option<Diagnostic> {
    if found == expected {
        return None;
    }
    let mut notes = Vec::new();
    if found.version != expected.version {
        notes.push(format!(
            "it was made by version {}, the others by version {}: paths may differ",
            found.version, expected.version
        ));
    }
    let only = |a: &[String], b: &[String]| {
        let different: Vec<&str> = a.iter().filter(|x| !b.contains(x)).map(String::as_str).collect();
        if different.is_empty() {
            "without that".to_owned()
        } else {
            format!("with `{}`", different.join(" "))
        }
    };
    if found.arguments != expected.arguments {
        let (this, others) =
            (only(&found.arguments, &expected.arguments), only(&expected.arguments, &found.arguments));
        notes.push(match this == others {
            true => "its arguments are in another order".to_owned(),
            false => format!("it was made {this}, the others {others}"),
        });
    }
    for file in &found.files {
        let other = expected.files.iter().find(|other| other.path == file.path);
        if other.is_some_and(|other| other.sha256 != file.sha256) {
            notes.push(format!("`{}` had other contents", file.path));
        }
    }
    if notes.is_empty() {
        notes.push("it read other files".to_owned());
    }
    let message = format!("`{name}` is a part of another run");
    let diagnostic = Diagnostic::error(codes::PART_FOREIGN, message);
    let diagnostic = notes.into_iter().fold(diagnostic, Diagnostic::note);
    Some(diagnostic.help("leave it out, or make it again like the others"))
}

/// Shards that are missing or incomplete in each round.
fn gaps(parts: &[(String, Part)], rounds: u64) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for round in 1..=rounds {
        let of_round: Vec<&(String, Part)> = parts.iter().filter(|(_, part)| part.round == round).collect();
        if of_round.is_empty() {
            let message = format!("round {round} of {rounds} has no parts");
            found.push(Diagnostic::error(codes::PARTS_MISSING, message).help("give the parts of all rounds"));
            continue;
        }
        // Without all shares of one division, there are gaps in all.
        let mut divisions: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (_, part) in of_round.iter().filter(|(_, part)| part.is_complete()) {
            divisions.entry(part.shard.of).or_default().push(part.shard.number);
        }
        let of = |numbers: &mut Vec<u64>| {
            numbers.sort_unstable();
            numbers.dedup();
            numbers.len() as u64
        };
        if divisions.iter_mut().any(|(&shards, numbers)| of(numbers) == shards) {
            continue;
        }
        let shards = of_round
            .iter()
            .map(|(_, part)| part.shard.of)
            .max_by_key(|&shards| of_round.iter().filter(|(_, part)| part.shard.of == shards).count());
        let shards = shards.unwrap_or(1);
        let complete = divisions.remove(&shards).unwrap_or_default();
        let begun: BTreeMap<u64, &str> = of_round
            .iter()
            .filter(|(_, part)| part.shard.of == shards)
            .map(|(name, part)| (part.shard.number, name.as_str()))
            .collect();
        let missing: Vec<u64> = (1..=shards).filter(|number| !begun.contains_key(number)).collect();
        let in_round = if rounds > 1 { format!(" of round {round}") } else { String::new() };
        if let Some(&first) = missing.first() {
            let which = listed(&missing);
            let (noun, verb) = if missing.len() == 1 { ("shard", "is") } else { ("shards", "are") };
            let message = format!("{noun} {which} of {shards}{in_round} {verb} missing");
            let command = format!("run the same command with `--shard {first}/{shards}`");
            found.push(Diagnostic::error(codes::PARTS_MISSING, message).help(command));
        }
        for (number, name) in begun.iter().filter(|(number, _)| !complete.contains(number)) {
            let shard = Shard { number: *number, of: shards };
            let message = format!("shard {shard}{in_round} is incomplete in `{name}`");
            found.push(
                Diagnostic::error(codes::PARTS_MISSING, message)
                    .note("the run that made it was stopped before its end")
                    .help(format!(
                        "run the command again with `-o {name}`: it continues where it was stopped"
                    )),
            );
        }
    }
    found
}

fn listed(numbers: &[u64]) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let run = rest.iter().enumerate().take_while(|&(i, &n)| n == first + i as u64).count();
        if run < 3 {
            texts.extend(rest[..run].iter().map(u64::to_string));
        } else {
            texts.push(format!("{first} to {}", first + run as u64 - 1));
        }
        rest = &rest[run..];
    }
    let more = texts.len() > LISTED;
    texts.truncate(LISTED);
    if more {
        texts.push("more".to_owned());
    }
    match texts.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => texts.concat(),
    }
}

/// The records of all parts, one behind the other.
fn joined_paths(parts: &[(String, Part)]) -> Result<Vec<Section>, Diagnostic> {
    let of = |part: &'_ Part| match &part.body {
        Body::Paths(sections) => sections.len(),
        Body::Points(..) => 0,
    };
    let count = parts.iter().map(|(_, part)| of(part)).max().unwrap_or(0);
    (0..count).map(|number| joined_section(parts, number)).collect()
}

fn joined_section(parts: &[(String, Part)], number: usize) -> Result<Section, Diagnostic> {
    let mut pieces: Vec<(&str, &Section)> = parts
        .iter()
        .filter_map(|(name, part)| match &part.body {
            Body::Paths(sections) => Some((name.as_str(), sections.get(number)?)),
            Body::Points(..) => None,
        })
        .collect();
    // Of those that begin alike, the longest goes first.
    pieces.sort_by_key(|(_, section)| {
        let paths = section.record.paths();
        (paths.start, std::cmp::Reverse(paths.end))
    });
    let Some((_, first)) = pieces.first() else {
        return Err(Diagnostic::error(codes::PARTS_MISSING, "no part has paths"));
    };
    let indicators: Vec<bool> =
        first.record.columns().iter().map(|column| column.values.is_indicator()).collect();
    let mut record = BlockRecord::new(0, &indicators);
    let mut tiers: BTreeMap<&str, Duration> = BTreeMap::new();
    let mut round: Range<u64> = 0..0;
    let mut time = Duration::ZERO;
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for (name, section) in &pieces {
        round.end = round.end.max(section.round.end);
        let share = (section.share.start, section.share.end);
        if !counted.contains(&share) {
            counted.push(share);
            time += section.time;
            *tiers.entry(&section.tier).or_default() += section.time;
        }
        if record.is_closed() {
            continue;
        }
        record.append(&section.record).map_err(|_| disagreement(name, &section.share))?;
    }
    let tier = tiers.iter().max_by_key(|(_, time)| **time).map_or("", |(tier, _)| tier);
    Ok(Section { share: round.clone(), round, record, tier: tier.to_owned(), time })
}

/// Two parts have the same paths, but not the same results of them.
fn disagreement(name: &str, share: &Range<u64>) -> Diagnostic {
    let message =
        format!("`{name}` disagrees with another part about paths {} to {}", share.start, share.end);
    Diagnostic::error(codes::PART_FOREIGN, message)
        .note("the same paths give the same results on every machine: one of the two was computed wrongly")
        .help("compute both parts again, on different machines, and see which of them changes")
}

fn joined_points(parts: Vec<(String, Part)>) -> Body {
    let mut points: BTreeMap<u64, PointRecord> = BTreeMap::new();
    for (_, part) in parts {
        if let Body::Points(records, _) = part.body {
            for record in records {
                points.entry(record.point).or_insert(record);
            }
        }
    }
    Body::Points(points.into_values().collect(), true)
}
