//! What simulated paths say: the numbers behind an estimate, and a numerical value against intervals.

use super::number;
use volvelle_present::document::{
    Block, Digest, Entry, Heading, Interval, Mark, Medium, Note, Text, bad, cost, doubtful, faint, took,
};
use volvelle_present::format::{self, count, count_short, error_short};
use volvelle_present::text;
use volvelle_session::statistics::Statistics;
use volvelle_session::verification::Verification;

/// Levels of importance splitting that are shown one by one.
const MOST_LEVELS: usize = 12;

/// How many paths there were, and how they spread.
pub fn statistics(s: &Statistics) -> Vec<Block> {
    let mut spread = Vec::new();
    if let Some([lo, hi]) = s.interval {
        // Digits down to some hundredths of the width.
        let [lo, hi] = [lo, hi].map(|end| format::number(end, 0.01 * (hi - lo)));
        let interval = format!("{lo} to {hi}");
        spread.push(Entry::new(
            "interval",
            interval.clone(),
            format!("{} % interval {interval}", 100.0 * s.confidence),
        ));
    }
    if let Some(rare) = &s.rare {
        let levels: Vec<String> = rare.levels.iter().map(i32::to_string).collect();
        let item = match levels.len() {
            0 => "no intermediate level".to_owned(),
            n if n <= MOST_LEVELS => format!("levels {}", levels.join(" ")),
            n => format!("{n} levels"),
        };
        spread.push(Entry::named("importance", volvelle_present::document::name(&rare.importance)));
        spread.push(Entry::new("levels", count(levels.len() as u64), item));
    }
    let all = count(s.samples);
    let paths = s.rare.is_some().then(|| format!("{all} paths"));
    spread.push(match s.successes.map(count) {
        Some(of) => Entry::new(
            "paths",
            format!("{all}, of which {of} satisfy it"),
            paths.unwrap_or_else(|| format!("{of} of {all} paths")),
        ),
        None => Entry::new("paths", all, paths.unwrap_or_default()),
    });
    if let Some(deviation) = s.deviation {
        let deviation = format::number(deviation, 1e-3 * deviation);
        spread.push(Entry::new(
            "standard deviation",
            deviation.clone(),
            format!("standard deviation {deviation}"),
        ));
    }
    let seconds = s.time.as_secs_f64();
    let speed = count_short(if seconds > 0.0 { s.steps as f64 / seconds } else { 0.0 });
    let each = format::number(s.steps as f64 / s.samples.max(1) as f64, 0.5);
    let seed = format!("{} ({})", s.seed, s.generator);
    let work = vec![
        Entry::new("steps", count(s.steps), format!("{} steps", count_short(s.steps as f64))),
        Entry::new("steps per path", each.clone(), format!("{each} per path")),
        Entry::new(
            "steps per second",
            cost(speed.clone()),
            cost(format!("{speed} per second with {}", s.tier)),
        ),
        Entry::named("code", cost(&s.tier)),
        Entry::new("seed", seed.clone(), format!("seed {seed}")),
    ];
    [spread, work].map(listed).to_vec()
}

/// Sides that a terminal shows as one faint sentence.
fn listed(mut entries: Vec<Entry>) -> Block {
    let last = entries.iter().rposition(|entry| !entry.item.is_empty());
    for (place, entry) in entries.iter_mut().enumerate().filter(|(_, entry)| !entry.item.is_empty()) {
        let comma = if Some(place) < last { "," } else { "" };
        entry.item = faint(std::mem::take(&mut entry.item).then(comma));
    }
    Digest { entries, gap: " ", indent: 0 }.into()
}

/// The comparison of a value with simulated paths.
pub fn verification(verification: &Verification) -> Vec<Block> {
    let note = |text: Text| Block::from(Note { text, ..Note::default() });
    let heading = Heading { title: "Verification by simulation".into(), ..Heading::default() };
    let mut blocks = vec![Block::On(Medium::Page, vec![heading.into()])];
    let message = verification.message();
    let Ok(verdict) = &verification.verdict else {
        blocks.push(note(faint(message)));
        return blocks;
    };
    let [narrow, middle, wide] = verdict.intervals;
    let is_wrong = verification.agrees() == Some(false);
    let estimate = format::number(verdict.estimate, 0.05 * wide.width());
    let half = error_short(0.5 * wide.width());
    let paths = cost(count(verification.samples));
    blocks.push(note(faint(text![format!("simulated: {estimate} ±{half} at 99 %, "), paths, " paths"])));
    blocks.push(note(if is_wrong { bad(message) } else { faint(message) }));
    let at = verification.replaced.filter(|_| is_wrong).unwrap_or(verification.value);
    blocks.push(
        Interval {
            what: "99 % interval of the paths",
            intervals: [wide, middle, narrow].map(|interval| [interval.lo, interval.hi]).to_vec(),
            marks: vec![Mark { at, name: "numerical value", is_wrong }],
        }
        .into(),
    );
    if let (Some(how), Some(before)) = (&verification.repaired, verification.replaced) {
        let before = number(before);
        blocks.push(note(doubtful(format!(
            "recomputed with {how}; the paths refute the earlier value {before}"
        ))));
    }
    if !verification.is_precise {
        let width = match verdict.relative_width {
            Some(width) => format!("the relative width of the 90 % interval is {}", error_short(width)),
            None => "the estimate is 0 and has no relative width".to_owned(),
        };
        let line =
            format!("the time was too short for a meaningful comparison: {width}; raise --verify-time");
        blocks.push(note(doubtful(line)));
    }
    let width = verdict.relative_width.map_or("unknown".to_owned(), error_short);
    let [lo, hi] = [narrow.lo, narrow.hi].map(|end| format::number(end, 0.01 * narrow.width()));
    let details = text![
        format!("90 % interval {lo} to {hi}, relative width {width}; "),
        cost(format!("{} steps with {} in ", count_short(verification.steps as f64), verification.tier)),
        took(verification.time),
        format!(
            ", seed {}{}",
            verification.seed,
            if verification.redrawn { " (the second one drawn)" } else { "" }
        ),
    ];
    blocks.push(Block::On(Medium::Details, vec![note(faint(details))]));
    blocks
}
