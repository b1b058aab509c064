//! Published MDPs: the scheduler of every property attains the value that was computed.
//!
//! Switched on by environment variables:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `VOLVELLE_CORPUS` | folder with `cases.tsv` (or with `prism/cases.tsv`) | skip everything |
//! | `VOLVELLE_STRATEGY_STATES` | rows with more states are left out | 20000 |
//! | `VOLVELLE_STRATEGY_SECONDS` | time for all | 240 |
//! | `VOLVELLE_STRATEGY_CASE_SECONDS` | time for each row | 10 |
//! | `VOLVELLE_CORPUS_FILTER` | only rows whose model's path contains this | all |
//! | `VOLVELLE_CORPUS_VERBOSE` | if set, every row is shown as it comes | |
//!
//! For each property of an MDP that has a number, the scheduler is written and read again, and the property is checked on the
//! chain that it makes: bounds of the two values meet, up to the precision. The chain is also written as UMB, and checked from
//! there, where the text of the property means the same without the model.

use crate::cases::{self, Instance, Row};
use crate::table;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Limits};
use volvelle_explicit::{Compression, Format, WriteOptions, write};
use volvelle_verify::{
    Choices, Evidences, Guarantee, Input, NoFolder, PropertyReport, SavedScheduler, SchedulerFormat, Session,
    Settings, Text, Value,
};

fn number(name: &str, usual: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

/// What became of the rows.
#[derive(Default)]
struct Counts {
    good: u64,
    chains: u64,
    bad: u64,
    /// Without a number, or without a scheduler.
    without: u64,
    /// A limit ended them.
    limited: u64,
}

pub fn corpus() -> Result<bool, String> {
    let Some(folder) = std::env::var_os("VOLVELLE_CORPUS").map(PathBuf::from) else {
        println!("strategies_corpus: skipped, VOLVELLE_CORPUS is not set");
        println!("{}", table::result_line(true, 0, 0, 1));
        return Ok(true);
    };
    let folder = if folder.join("cases.tsv").exists() { folder } else { folder.join("prism") };
    let only = std::env::var("VOLVELLE_CORPUS_FILTER").unwrap_or_default();
    let verbose = std::env::var_os("VOLVELLE_CORPUS_VERBOSE").is_some();
    let deadline = Instant::now() + Duration::from_secs_f64(number("VOLVELLE_STRATEGY_SECONDS", 240.0));
    let most = number("VOLVELLE_STRATEGY_STATES", 20_000.0) as u64;
    let mut counts = Counts::default();
    let mut skipped = 0;
    for instance in cases::read(&folder, &only)?.iter().filter(|i| i.kind == "mdp") {
        for row in &instance.rows {
            if Instant::now() >= deadline || instance.states.is_none_or(|n| n > most) {
                skipped += 1;
                continue;
            }
            let line = judge(instance, row, &mut counts);
            if verbose || line.contains("WRONG") {
                println!("{} {}: {line}", instance.name(), row.property);
            }
        }
    }
    let good = counts.bad == 0;
    println!(
        "strategies_corpus: {} schedulers attain the value, {} of them as a file of their chain as well; {} do not; {} properties \
         without a scheduler, {} rows ended by a limit, {skipped} not reached",
        counts.good, counts.chains, counts.bad, counts.without, counts.limited
    );
    println!("{}", table::result_line(good, counts.good, counts.bad, skipped));
    Ok(good)
}

fn judge(instance: &Instance, row: &Row, counts: &mut Counts) -> String {
    let time = Duration::from_secs_f64(number("VOLVELLE_STRATEGY_CASE_SECONDS", 10.0));
    let control = || Control {
        limits: Limits { deadline: Some(Instant::now() + time), ..Limits::default() },
        ..Control::unlimited()
    };
    let wanted = [row.property.clone()];
    let scheduler = Some(SchedulerFormat::Json);
    let evidence = Evidences { scheduler, induced: true, ..Evidences::default() };
    let settings = Settings { evidence, ..Settings::default() };
    let report = volvelle_verify::check(&mut session(instance), &wanted, &settings, &control());
    let Some(result) = report.results.first() else {
        counts.without += 1;
        return "without a scheduler".to_owned();
    };
    let best = bounds(result);
    let evidence = result.evidence.as_ref().and_then(|e| e.scheduler.as_ref());
    let (Some(best), Some(found)) = (best, evidence) else {
        if report.stop.is_some() {
            counts.limited += 1
        } else {
            counts.without += 1
        };
        return format!("no number, or no scheduler: {:?}", report.diagnostics.first().map(|d| &d.message));
    };
    let saved = match SavedScheduler::read("s.json", &found.text) {
        Ok(saved) => saved,
        Err(complaint) => {
            counts.bad += 1;
            return format!("WRONG: {}", complaint.message);
        }
    };
    let mut following = session(instance);
    following.run.choices = Choices::Scheduler(saved);
    let followed = volvelle_verify::check(&mut following, &wanted, &Settings::default(), &control());
    let Some(own) = followed.results.first().and_then(bounds) else {
        if followed.stop.is_some() {
            counts.limited += 1
        } else {
            counts.bad += 1
        };
        return format!("WRONG or stopped: {:?}", followed.diagnostics);
    };
    if !fits(best, own) {
        counts.bad += 1;
        return format!("WRONG: {own:?} instead of {best:?}");
    }
    counts.good += 1;
    // Operators within operators mean the chain there, and constants and formulas of the model are not known.
    let Some(model) = &found.induced else { return "good".to_owned() };
    let mut bytes = Vec::new();
    let written =
        write(model, Format::Umb, Compression::None, &WriteOptions::default(), &mut bytes, &control());
    if written.is_err() {
        return "good; a limit ended writing the chain".to_owned();
    }
    let is_nested = ["P>", "P<", "R>", "R<"].iter().any(|operator| result.text.contains(operator));
    let texts = vec![Text { name: instance.properties.clone(), text: instance.properties_text.clone() }];
    let limits = control();
    let input = Input {
        name: "chain.umb".to_owned(),
        bytes,
        parts: Vec::new(),
        properties: texts,
        defines: &[],
        exact: false,
        overrides: Default::default(),
        standard_input: None,
        system: None,
        folder: &mut NoFolder,
        named: std::rc::Rc::new(NoFolder),
        control: &limits,
    };
    let constants: Vec<&str> = [instance.constants.as_str()].into_iter().filter(|c| !c.is_empty()).collect();
    let again = volvelle_verify::check(
        &mut Session::open_files(None, input, &constants),
        &wanted,
        &Settings::default(),
        &limits,
    );
    match again.results.first().and_then(bounds).filter(|_| !is_nested) {
        Some(own) if !fits(best, own) => {
            counts.bad += 1;
            format!("WRONG: {own:?} from the file of the chain, instead of {best:?}")
        }
        Some(_) => {
            counts.chains += 1;
            "good, as a chain as well".to_owned()
        }
        None => "good".to_owned(),
    }
}

/// Bounds of the number of a property.
fn bounds(result: &PropertyReport) -> Option<[f64; 2]> {
    let answer = result.outcome.as_ref().ok()?;
    match (&answer.guarantee, &answer.value, answer.compared) {
        (Guarantee::Sound { lo, hi, .. }, ..) => Some([*lo, *hi]),
        (Guarantee::Exact { .. }, Value::Number(value), _) => Some([*value; 2]),
        (Guarantee::Exact { .. }, _, Some(value)) => Some([value; 2]),
        _ => None,
    }
}

/// Whether the values of a property, and of a scheduler for it, are the same up to the precision.
fn fits(best: [f64; 2], own: [f64; 2]) -> bool {
    let apart = (own[0] - best[1]).max(best[0] - own[1]);
    own == best || apart <= 1e-5 * best[1].abs().max(1e-6)
}

fn session(instance: &Instance) -> Session {
    let text = |name: &str, text: &str| Text { name: name.to_owned(), text: text.to_owned() };
    let properties = vec![text(&instance.properties, &instance.properties_text)];
    let constants: Vec<&str> = [instance.constants.as_str()].into_iter().filter(|c| !c.is_empty()).collect();
    Session::open(text(&instance.model, &instance.model_text), properties, &constants)
}
