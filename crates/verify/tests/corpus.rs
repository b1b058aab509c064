//! Published models with published values, where `VOLVELLE_CORPUS` names the folder that has them.
//!
//! The folder holds `cases.tsv`: kind, model, properties, constants, property, reference value, how exact the
//! reference is, number of states, source. Rows of one model with the same constants are one run. The number of
//! states must be equal, values within one part in a million; a row that a limit stops is reported as skipped.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `VOLVELLE_CORPUS_STATES` | rows with more states are skipped | 100000 |
//! | `VOLVELLE_CORPUS_SECONDS` | time limit of a run | 20 |
//! | `VOLVELLE_CORPUS_BUDGET` | no further run starts after so many seconds | 900 |
//! | `VOLVELLE_CORPUS_MEMORY` | memory limit of a run, in MiB | 2000 |
//! | `VOLVELLE_CORPUS_FILTER` | only models whose path contains this text | |
//! | `VOLVELLE_CORPUS_VERBOSE` | show every row | |

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use volvelle_control::{Cancel, Control, Silent};
use volvelle_diagnostics::codes;
use volvelle_verify::{Allowance, Answer, Guarantee, Report, Session, Settings, Text, Value};

/// A row of `cases.tsv`.
struct Row {
    model: String,
    properties: String,
    constants: String,
    property: String,
    reference: String,
    exact: String,
    states: Option<u64>,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// As published.
    Passed,
    /// Nothing was published to compare with.
    Unchecked,
    /// A limit stopped it.
    Skipped(String),
    /// The property is refused as not yet evaluated.
    Refused(String),
    /// Something else.
    Failed(String),
}

fn say(line: &str) {
    // Past the capture of the test harness: what was skipped must be seen.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn rows(folder: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("cases.tsv")).expect("cases.tsv can be read");
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert!(cells.len() >= 8, "a row has eight cells: {line}");
        rows.push(Row {
            model: cells[1].to_owned(),
            properties: cells[2].to_owned(),
            constants: cells[3].to_owned(),
            property: cells[4].to_owned(),
            reference: cells[5].to_owned(),
            exact: cells[6].to_owned(),
            states: cells[7].parse().ok(),
        });
    }
    rows
}

#[test]
fn published_values() {
    let Some(folder) = std::env::var_os("VOLVELLE_CORPUS").map(PathBuf::from) else {
        say("skipped: VOLVELLE_CORPUS is not set");
        return;
    };
    let start = Instant::now();
    let most_states = number("VOLVELLE_CORPUS_STATES", 100_000);
    let budget = Duration::from_secs(number("VOLVELLE_CORPUS_BUDGET", 900));
    let filter = std::env::var("VOLVELLE_CORPUS_FILTER").unwrap_or_default();
    let verbose = std::env::var_os("VOLVELLE_CORPUS_VERBOSE").is_some();

    let mut runs: BTreeMap<(String, String, String), Vec<Row>> = BTreeMap::new();
    for row in rows(&folder).into_iter().filter(|row| row.model.contains(&filter)) {
        let key = (row.model.clone(), row.properties.clone(), row.constants.clone());
        runs.entry(key).or_default().push(row);
    }
    let mut runs: Vec<Vec<Row>> = runs.into_values().collect();
    runs.sort_by_key(|rows| rows[0].states.unwrap_or(0));

    let mut outcomes: Vec<(String, Outcome)> = Vec::new();
    for rows in &runs {
        let name = |row: &Row| format!("{} {} {}", row.model, row.constants, row.property);
        let states = rows[0].states.unwrap_or(0);
        let found: Vec<Outcome> = if states > most_states {
            rows.iter().map(|_| Outcome::Skipped(format!("{states} states"))).collect()
        } else if start.elapsed() > budget {
            rows.iter().map(|_| Outcome::Skipped("no time left".to_owned())).collect()
        } else {
            let time = Instant::now();
            let found = run(&folder, rows);
            if verbose {
                say(&format!("{:8.2} s  {} {}", time.elapsed().as_secs_f64(), rows[0].model, rows[0].constants));
            }
            found
        };
        for (row, outcome) in rows.iter().zip(found) {
            if verbose || matches!(outcome, Outcome::Failed(_)) {
                say(&format!("    {}: {outcome:?}", name(row)));
            }
            outcomes.push((name(row), outcome));
        }
    }
    let count = |what: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, o)| what(o)).count();
    let failed = count(|o| matches!(o, Outcome::Failed(_)));
    say(&format!(
        "corpus: {} as published, {} without a published value, {} refused, {} skipped (limit), {failed} failed; {:.0} s",
        count(|o| *o == Outcome::Passed),
        count(|o| *o == Outcome::Unchecked),
        count(|o| matches!(o, Outcome::Refused(_))),
        count(|o| matches!(o, Outcome::Skipped(_))),
        start.elapsed().as_secs_f64(),
    ));
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, outcome) in &outcomes {
        if let Outcome::Refused(reason) = outcome {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    for (reason, rows) in reasons {
        say(&format!("  refused {rows}: {reason}"));
    }
    assert_eq!(failed, 0, "rows differ from what was published");
    assert!(count(|o| *o == Outcome::Passed) > 0, "nothing was compared");
}

/// Checks all properties of the rows, which share model and constants.
fn run(folder: &Path, rows: &[Row]) -> Vec<Outcome> {
    let read = |name: &str| Text {
        name: name.to_owned(),
        text: std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}")),
    };
    let constants: Vec<&str> = Some(rows[0].constants.as_str()).filter(|c| !c.is_empty()).into_iter().collect();
    let mut session = Session::open(read(&rows[0].model), vec![read(&rows[0].properties)], &constants);
    let allowance = Allowance {
        timeout: Some(Duration::from_secs(number("VOLVELLE_CORPUS_SECONDS", 20))),
        memory_bytes: Some(number("VOLVELLE_CORPUS_MEMORY", 2000) << 20),
        ..Allowance::default()
    };
    let settings = Settings { allowance, ..Settings::default() };
    let cancel = Cancel::new();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let limits = allowance.starting_at(Instant::now());
    let control = Control { limits, cancel: &cancel, progress: &Silent, threads };
    let wanted: Vec<String> = rows.iter().map(|row| row.property.clone()).collect();
    let report = session.check(&wanted, &settings, &control);
    rows.iter().enumerate().map(|(i, row)| judge(row, i, &report)).collect()
}

fn judge(row: &Row, index: usize, report: &Report) -> Outcome {
    let messages = || {
        let all = report.all_diagnostics();
        all.iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<_>>().join("; ")
    };
    if let Some(model) = report.model.as_ref().filter(|m| m.complete)
        && let Some(states) = row.states
        && model.states != states
    {
        return Outcome::Failed(format!("{} states instead of {states}", model.states));
    }
    let Some(result) = report.results.get(index) else { return Outcome::Failed(messages()) };
    match &result.outcome {
        Ok(answer) => compare(row, answer),
        Err(complaints) if complaints.iter().any(|d| d.code == codes::NOT_YET_EVALUATED) => {
            Outcome::Refused(complaints.iter().map(|d| d.message.clone()).collect())
        }
        Err(complaints) if report.stop.is_some() => {
            Outcome::Skipped(complaints.iter().map(|d| d.message.clone()).collect())
        }
        Err(_) => Outcome::Failed(messages()),
    }
}

fn compare(row: &Row, answer: &Answer) -> Outcome {
    let reference = row.reference.as_str();
    if reference.is_empty() {
        return Outcome::Unchecked;
    }
    let differs = |found: &dyn std::fmt::Debug| Outcome::Failed(format!("{found:?} instead of {reference}"));
    let value = match &answer.value {
        Value::Bool(truth) => {
            let same = reference.eq_ignore_ascii_case(&truth.to_string());
            return if same { Outcome::Passed } else { differs(truth) };
        }
        Value::Number(value) => *value,
        other => return differs(other),
    };
    let Ok(expected) = reference.parse::<f64>() else { return differs(&value) };
    let (lo, hi) = match answer.guarantee {
        Guarantee::Sound { lo, hi } => (lo, hi),
        _ => (value, value),
    };
    // An enclosure of the reference, or the reference alone; widened by the digits it was printed with.
    let ends = row.exact.trim_start_matches('[').trim_end_matches(']').split_once(',');
    let ends = ends.and_then(|(a, b)| Some((a.parse::<f64>().ok()?, b.parse::<f64>().ok()?)));
    let (low, high) = ends.unwrap_or((expected, expected));
    let slack = 1e-9 * expected.abs();
    if hi < low - slack || lo > high + slack {
        return Outcome::Failed(format!("[{lo:?}, {hi:?}] misses {reference}"));
    }
    if value == expected || (value - expected).abs() <= 1e-6 * expected.abs() || ends.is_some() {
        Outcome::Passed
    } else {
        differs(&value)
    }
}
