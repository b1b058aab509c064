//! Published models with reference values: simulated intervals cover them, and all tiers run the same paths.
//!
//! Switched on by environment variables:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `VOLVELLE_CORPUS` | folder with `cases.tsv` (or with `prism/cases.tsv`) | skip everything |
//! | `VOLVELLE_SAMPLING_PATHS` | paths for each row | 1e4 |
//! | `VOLVELLE_SAMPLING_CASE_SECONDS` | time for each row; what is not done by then is judged as far as it came | 2 |
//! | `VOLVELLE_SAMPLING_SECONDS` | time for all | 240 |
//! | `VOLVELLE_CORPUS_FILTER` | only rows whose model's path contains this | all |
//! | `VOLVELLE_SAMPLING_DEVICE` | a device (`opencl:0`) that runs the paths that are compared as well, 600 of each row | none |
//! | `VOLVELLE_CORPUS_VERBOSE` | if set, every row is shown as it comes | |
//!
//! Chains only. For each row with a reference value the 99.9 % interval has to cover it; seeds are fixed, so that a miss is a miss on
//! every run. As many may miss as chance makes plausible (one in 10,000 for all rows together). Rows that simulation refuses are
//! counted apart. Then 48 paths of every row are run by the interpreter, by native code and by vector code, and more of them by native
//! code and by a device: estimates, intervals and numbers of steps have the same bits.

use crate::cases::{self, Instance, Reference, Row};
use crate::table;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_statistics::several;
use volvelle_verify::{Devices, Machine, PathTier, PropertyReport, Sampling, Session, Settings, Text, Value};

fn number(name: &str, usual: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

/// What became of the rows.
#[derive(Default)]
struct Counts {
    judged: u64,
    missed: u64,
    refused: u64,
    without_reference: u64,
    compared: u64,
    different: u64,
    on_device: u64,
}

pub fn corpus() -> Result<bool, String> {
    let Some(folder) = std::env::var_os("VOLVELLE_CORPUS").map(PathBuf::from) else {
        println!("sampling_corpus: skipped, VOLVELLE_CORPUS is not set");
        println!("{}", table::result_line(true, 0, 0, 1));
        return Ok(true);
    };
    let folder = if folder.join("cases.tsv").exists() { folder } else { folder.join("prism") };
    let only = std::env::var("VOLVELLE_CORPUS_FILTER").unwrap_or_default();
    let verbose = std::env::var_os("VOLVELLE_CORPUS_VERBOSE").is_some();
    let deadline = Instant::now() + Duration::from_secs_f64(number("VOLVELLE_SAMPLING_SECONDS", 240.0));
    let device = match std::env::var("VOLVELLE_SAMPLING_DEVICE") {
        Ok(name) => Some(Machine::new(2, None, None).select(&name).map_err(|d| d.message)?),
        Err(_) => None,
    };
    let mut counts = Counts::default();
    let mut skipped = 0;
    for instance in cases::read(&folder, &only)?.iter().filter(|i| i.kind != "mdp") {
        for row in &instance.rows {
            if Instant::now() >= deadline {
                skipped += 1;
                continue;
            }
            let line = judge(instance, row, device.as_ref(), &mut counts);
            if verbose || line.contains("MISS") || line.contains("DIFFERS") {
                println!("{line}");
            }
        }
    }
    let plausible =
        several::at_least_misses(counts.judged.max(1), counts.missed, 0.001).map_err(|e| e.to_string())?;
    let good = counts.different == 0 && plausible > 1e-4;
    println!(
        "sampling_corpus: {} rows judged, {} of their 99.9 % intervals miss the reference (so many or more by chance: {plausible:.3}), \
         {} refused, {} without reference, {skipped} not reached; {} compared on all tiers, {} on a device as well, {} differ",
        counts.judged,
        counts.missed,
        counts.refused,
        counts.without_reference,
        counts.compared,
        counts.on_device,
        counts.different
    );
    let passed = counts.judged - counts.missed + counts.compared - counts.different;
    let failed = if good { 0 } else { counts.missed + counts.different };
    let ignored = counts.refused + counts.without_reference + skipped;
    println!("{}", table::result_line(good, passed, failed, ignored));
    Ok(good)
}

/// Simulates a row, on these devices or on threads.
fn simulate(
    instance: &Instance,
    row: &Row,
    sampling: Sampling,
    time: Duration,
    devices: Option<&Devices>,
) -> Option<PropertyReport> {
    let model = Text { name: instance.model.clone(), text: instance.model_text.clone() };
    let properties = Text { name: instance.properties.clone(), text: instance.properties_text.clone() };
    let constants: Vec<&str> = [instance.constants.as_str()].into_iter().filter(|c| !c.is_empty()).collect();
    let mut session = Session::open(model, vec![properties], &constants);
    if let Some(devices) = devices {
        session.run.set_devices(devices.clone());
    }
    let settings = Settings { sampling: Some(sampling), ..Settings::default() };
    let mut control = Control::unlimited();
    control.threads = 2;
    control.limits.deadline = Some(Instant::now() + time);
    volvelle_verify::check(&mut session, std::slice::from_ref(&row.property), &settings, &control)
        .results
        .into_iter()
        .next()
}

fn judge(instance: &Instance, row: &Row, device: Option<&Devices>, counts: &mut Counts) -> String {
    let name = format!("{}: {} {}", instance.family, instance.name(), row.property);
    let reference = match row.reference {
        Reference::Value(value) => [value, value],
        Reference::Between(lo, hi) => [lo, hi],
        Reference::None | Reference::True => {
            counts.without_reference += 1;
            [f64::NEG_INFINITY, f64::INFINITY]
        }
    };
    let samples = number("VOLVELLE_SAMPLING_PATHS", 1e4) as u64;
    let time = Duration::from_secs_f64(number("VOLVELLE_SAMPLING_CASE_SECONDS", 2.0));
    let sampling = Sampling { samples: Some(samples), confidence: 0.999, seed: 11, ..Sampling::default() };
    let Some(report) = simulate(instance, row, sampling, time, None) else {
        return format!("{name}: no result");
    };
    let (Some(statistics), Ok(answer)) = (&report.statistics, &report.outcome) else {
        counts.refused += 1;
        let why = report.outcome.as_ref().err().and_then(|d| d.first()).map(|d| d.message.clone());
        return format!("{name}: refused: {}", why.unwrap_or_default());
    };
    let mut line =
        format!("{name}: {:?} {:?} of {} paths", answer.value, statistics.interval, statistics.samples);
    let infinite = answer.value == Value::Number(f64::INFINITY);
    let covered = match statistics.interval {
        _ if infinite => reference[1] == f64::INFINITY,
        Some([lo, hi]) => lo <= reference[1] && reference[0] <= hi,
        // All paths gave the same number.
        None => {
            matches!(answer.value, Value::Number(x) if (x - reference[0]).abs() <= 1e-9 * x.abs().max(1.0))
                || !reference[0].is_finite()
        }
    };
    if reference[0].is_finite() || reference[1] == f64::INFINITY && reference[0] == f64::INFINITY {
        counts.judged += 1;
        if !covered {
            counts.missed += 1;
            line.push_str(&format!(" MISS {reference:?}"));
        }
    }
    let few = Sampling { samples: Some(48), ..sampling };
    // The interpreter would take too long.
    if statistics.steps / statistics.samples.max(1) > 3000 {
        return line;
    }
    let minute = Duration::from_secs(60);
    let tell = |report: PropertyReport| {
        let statistics = report.outcome.is_ok().then_some(report.statistics?)?;
        let interval = statistics.interval.map(|interval| interval.map(f64::to_bits));
        Some((statistics.steps, statistics.samples, interval, statistics.successes))
    };
    let tiers = [PathTier::Interpreter, PathTier::Scalar, PathTier::Vector];
    let run = |tier| simulate(instance, row, Sampling { tier, ..few }, minute, None).and_then(tell);
    let mut groups = vec![tiers.into_iter().filter_map(run).collect::<Vec<_>>()];
    if let Some(device) = device {
        let more = Sampling { samples: Some(600), tier: PathTier::Scalar, ..sampling };
        let by = |devices| simulate(instance, row, more, minute, devices);
        let (threads, device) = (by(None), by(Some(device)));
        // Paths that only foresight ends are run by threads.
        let ran = device.as_ref().and_then(|report| report.statistics.as_ref());
        counts.on_device += u64::from(ran.is_some_and(|statistics| statistics.tier.contains(':')));
        groups.push([threads, device].into_iter().flatten().filter_map(tell).collect());
    }
    counts.compared += 1;
    if groups.iter().any(|group| group.windows(2).any(|pair| pair[0] != pair[1])) {
        counts.different += 1;
        line.push_str(&format!(" DIFFERS {groups:?}"));
    }
    line
}
