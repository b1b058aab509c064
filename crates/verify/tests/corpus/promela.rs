//! Published Promela models with SPIN's verdicts and counts.
//!
//! Switched on by `VOLVELLE_PROMELA_CORPUS`, a folder with `cases.tsv`. Without reductions the numbers of states and
//! transitions must be SPIN's; with them, the verdicts, and never more states than without. `VOLVELLE_PROMELA_STATES`
//! leaves out models with more states (1e6), `VOLVELLE_PROMELA_SECONDS` is the time for one search (60).

use crate::{table, tuning};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use volvelle_control::{Cancel, Control, Silent};
use volvelle_verify::{
    Allowance, Answer, Folder, Input, Report, SearchSettings, Session, Text, Value, Wanted,
};

/// What failed tells why by its panic.
pub fn corpus() -> Result<bool, String> {
    let Some(folder) = std::env::var_os("VOLVELLE_PROMELA_CORPUS").map(PathBuf::from) else {
        println!("promela_corpus: skipped, VOLVELLE_PROMELA_CORPUS is not set");
        println!("{}", table::result_line(true, 0, 0, 1));
        return Ok(true);
    };
    let parts = [tuning::tuned_models as fn(&Path), published_models, tuning_models];
    let failed = parts.into_iter().filter(|part| catch_unwind(|| part(&folder)).is_err()).count() as u64;
    println!("{}", table::result_line(failed == 0, parts.len() as u64 - failed, failed, 0));
    Ok(failed == 0)
}

/// A line of the table.
struct Row {
    model: String,
    mode: String,
    stored: Option<u64>,
    transitions: Option<u64>,
    /// Whether SPIN found an error.
    fails: Option<bool>,
}

fn rows(folder: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("cases.tsv")).expect("the folder has cases.tsv");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |i: usize| cells.get(i).copied().unwrap_or("");
        Row {
            model: cell(0).to_owned(),
            mode: cell(1).to_owned(),
            stored: cell(2).parse().ok(),
            transitions: cell(3).parse().ok(),
            fails: cell(4).parse::<u64>().ok().map(|n| n > 0),
        }
    };
    // Rows of changed models are told apart by their notes only.
    text.lines().skip(1).map(row).filter(|r| r.model.starts_with("spin/")).collect()
}

struct ModelFolder(PathBuf);

impl Folder for ModelFolder {
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(name)).ok()
    }
}

fn check(folder: &Path, model: &str, wanted: &Wanted, settings: &SearchSettings) -> Report {
    check_changed(folder, model, &[], wanted, settings)
}

/// With texts replaced, each of which must be there.
fn check_changed(
    folder: &Path,
    model: &str,
    changes: &[(&str, &str)],
    wanted: &Wanted,
    settings: &SearchSettings,
) -> Report {
    static NEVER: Cancel = Cancel::new();
    let path = folder.join(model);
    let mut text = std::fs::read_to_string(&path).expect("the model is there");
    for (old, new) in changes {
        assert!(text.contains(old), "{model} has no `{old}`");
        text = text.replace(old, new);
    }
    let text = Text { name: model.to_owned(), text };
    let mut folder = ModelFolder(path.parent().expect("a folder").to_path_buf());
    let unlimited = Control::unlimited();
    let files = Input::of_text(text, Vec::new(), &mut folder, &unlimited);
    let mut session = Session::open_files::<&str>(None, files, &[]);
    let limits = settings.allowance.starting_at(Instant::now());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    volvelle_verify::search(
        &mut session,
        wanted,
        settings,
        &Control { limits, cancel: &NEVER, progress: &Silent, threads, sharing: None },
    )
}

fn number(variable: &str, default: f64) -> f64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn verdict(report: &Report) -> Option<bool> {
    match report.results.first()?.outcome {
        Ok(Answer { value: Value::Bool(holds), .. }) => Some(holds),
        _ => None,
    }
}

fn published_models(folder: &Path) {
    let most = number("VOLVELLE_PROMELA_STATES", 1e6) as u64;
    let timeout = Some(Duration::from_secs_f64(number("VOLVELLE_PROMELA_SECONDS", 60.0)));
    let allowance = Allowance { timeout, ..Allowance::default() };
    let reduced = SearchSettings { allowance, all_errors: true, ..SearchSettings::default() };
    let plain = SearchSettings { no_reduction: true, ..reduced };
    let (mut looked_at, mut complaints) = (0, Vec::new());
    for row in rows(folder) {
        let Row { model, mode, stored, transitions, fails } = &row;
        let mut expect = |what: &str, found: String, wanted: String| {
            if found != wanted {
                complaints.push(format!("{model} {mode}: {what} {found}, not {wanted}"));
            }
        };
        if mode == "safety" {
            let Some(stored) = stored.filter(|&n| n <= most) else { continue };
            looked_at += 1;
            let wanted = Wanted { safety: true, ..Wanted::default() };
            let report = check(folder, model, &wanted, &plain);
            let space = report.model.as_ref().expect("it was searched");
            expect("states", space.states.to_string(), stored.to_string());
            // SPIN counts the initial state as a transition.
            let counted = transitions.map(|t| t.to_string());
            expect("transitions", (space.transitions + 1).to_string(), counted.unwrap_or_default());
            expect("verdict", format!("{:?}", verdict(&report)), format!("{:?}", fails.map(|f| !f)));
            let report = check(folder, model, &wanted, &reduced);
            let fewer = report.model.as_ref().expect("it was searched").states;
            expect("reduced verdict", format!("{:?}", verdict(&report)), format!("{:?}", fails.map(|f| !f)));
            expect("states with reduction", (fewer <= stored).to_string(), "true".into());
        } else if let (Some(name), Some(fails)) = (mode.strip_prefix("ltl:"), fails) {
            looked_at += 1;
            let wanted = Wanted { claims: vec![name.to_owned()], ..Wanted::default() };
            let report = check(folder, model, &wanted, &reduced);
            // What a limit ended is no verdict, and not wrong.
            if let Some(holds) = verdict(&report) {
                expect("verdict", (!holds).to_string(), fails.to_string());
            } else if report.stop.is_none() {
                complaints.push(format!("{model} {mode}: no verdict, {:?}", report.all_diagnostics()));
            }
        }
    }
    assert!(looked_at > 100, "only {looked_at} rows were looked at");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The tuning models by Garanina, Staroletov and Gorlatch: rows of the table whose notes say what is changed. Each time that
/// is the least one, less one and as it is.
fn tuning_models(folder: &Path) {
    let timeout = Some(Duration::from_secs_f64(number("VOLVELLE_PROMELA_SECONDS", 60.0)));
    let allowance = Allowance { timeout, ..Allowance::default() };
    let settings = SearchSettings { allowance, ..SearchSettings::default() };
    let wanted = Wanted { claims: vec!["OverTime".to_owned()], ..Wanted::default() };
    // Size, time, whether it holds that all runs take longer, states that SPIN stores with its reductions.
    let cases = [("3", "43", true, 601_749), ("3", "44", false, 0), ("4", "155", true, 11_365_985)];
    for (n, time, holds, stored) in cases.into_iter().chain([("4", "156", false, 0)]) {
        let (size, least) = (format!("byte n = {n};"), format!("Tmin = {time};"));
        let changes = [("byte n = 7;", size.as_str()), ("Tmin = 13;", least.as_str())];
        let report = check_changed(folder, "autotune/autotune_reduced.pml", &changes, &wanted, &settings);
        if report.stop.is_some() {
            // On a busy machine: what a limit ended is no verdict, and not wrong.
            println!("n={n}, Tmin={time}: not decided within the limit");
            continue;
        }
        assert_eq!(verdict(&report), Some(holds), "n={n}, Tmin={time}: {:?}", report.all_diagnostics());
        let states = report.model.as_ref().map_or(0, |m| m.states);
        assert!(!holds || states < stored, "{states} states, where SPIN has {stored}");
    }
}
