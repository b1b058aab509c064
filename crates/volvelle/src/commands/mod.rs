//! The commands: arguments in, exit code out.

pub mod bench;
pub mod calibrate;
pub mod campaign;
pub mod check;
pub mod completions;
pub mod devices;
mod distribution;
mod experiment;
pub mod explain;
mod explicit;
pub mod explore;
mod export;
mod find;
mod found;
pub mod info;
pub mod lint;
mod lts;
pub mod man;
pub mod mpi;
pub mod multicore;
pub mod nbody;
mod page;
pub mod performance;
mod plot;
pub mod run;
mod scheduler;
mod search;
pub mod simulate;
pub mod systems;
pub mod trace;
pub mod tune;
pub mod weighted;

use crate::args::{BuildingArgs, KindArg, LimitArgs, ModelArgs, PartArgs, SchedulerArgs};
use crate::files::{self, ModelFolder, Record};
use crate::machine;
use crate::output::{EXIT_LIMIT, EXIT_USAGE, Output, exit_code};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use volvelle_control::{Control, Progress, Silent};
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_verify::language::{Overrides, ReadAs};
use volvelle_verify::{
    Choices, Input, Part, Report, SavedScheduler, Session, Settings, Text, json, language, limits,
};

/// Prints diagnostics that end a command before it has a model, and returns the exit code.
pub fn refuse(diagnostics: &[Diagnostic], as_json: bool, output: &Output) -> u8 {
    refuse_in(diagnostics, &Sources::new(), as_json, output)
}

/// Like [`refuse`], for diagnostics with places in texts.
fn refuse_in(diagnostics: &[Diagnostic], sources: &Sources, as_json: bool, output: &Output) -> u8 {
    if as_json {
        output.print(&json::Document::new(diagnostics, sources).to_text());
    }
    output.print_diagnostics(diagnostics, sources);
    // Who refuses has a reason.
    code_of(diagnostics).max(EXIT_USAGE)
}

/// The exit code that diagnostics stand for: a limit, if all errors are about one.
fn code_of(diagnostics: &[Diagnostic]) -> u8 {
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    match errors().next() {
        None => 0,
        Some(_) if errors().all(|diagnostic| limits::is_limit(diagnostic.code)) => EXIT_LIMIT,
        Some(_) => EXIT_USAGE,
    }
}

/// Prints the diagnostics of a report and returns the exit code.
fn finish(report: &Report, sources: &Sources, output: &Output) -> u8 {
    let diagnostics: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    output.print_diagnostics(&diagnostics, sources);
    exit_code(report.status())
}

/// Errors about the files that a command is to write, before it does anything else: those that the run reads or writes twice, as far as is
/// known by now, and those that cannot be written.
fn refused_targets<'p>(targets: impl IntoIterator<Item = &'p PathBuf>) -> Vec<Diagnostic> {
    let mut diagnostics = files::refusals();
    if diagnostics.is_empty() {
        diagnostics.extend(files::unwritable(targets.into_iter().map(PathBuf::as_path)));
    }
    diagnostics
}

/// Files and options with which the model is opened.
#[derive(Clone, Copy, Default)]
struct Opening<'a> {
    /// Files of properties.
    properties: &'a [PathBuf],
    /// Macros, `NAME` or `NAME=TEXT`.
    defines: &'a [String],
    /// Whether numbers are also read as fractions.
    exact: bool,
    /// Limits of reading; the usual ones if absent.
    limits: Option<&'a LimitArgs>,
    /// Whether the model may read the standard input.
    with_input: bool,
    /// Whether the model is wanted as a labelled transition system: a large file is read as it is parsed.
    as_system: bool,
    /// Where files are noted that the model names.
    record: Option<&'a Record>,
}

/// Reads the files of a model and opens a session.
fn open(model: &ModelArgs, opening: Opening<'_>) -> Result<Session, Vec<Diagnostic>> {
    let (allowance, threads) = machine::limits(opening.limits.unwrap_or(&LimitArgs::default()))?;
    let mut diagnostics = Vec::new();
    let mut rest: Option<Box<dyn Read>> = None;
    let bytes = if opening.as_system {
        files::begun(&model.model, language::is_read_as_system).map(|(bytes, behind)| {
            rest = Some(behind);
            bytes
        })
    } else {
        files::read_bytes(&model.model)
    };
    let bytes = bytes.map_err(|d| diagnostics.push(d)).unwrap_or_default();
    let read = |path: &PathBuf| {
        let text = files::read(path).map_err(|diagnostic| files::meant_as_text(path, diagnostic));
        text.map_err(|d| diagnostics.push(d)).unwrap_or_default()
    };
    let properties: Vec<Text> = opening.properties.iter().map(read).collect();
    let parts = parts(&model.parts, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let define = |d: &String| match d.split_once('=') {
        Some((name, text)) => (name.to_owned(), text.to_owned()),
        None => (d.clone(), "1".to_owned()),
    };
    let defines: Vec<(String, String)> = opening.defines.iter().map(define).collect();
    let control = control(&allowance, threads, Instant::now(), &Silent);
    let has_input = opening.with_input && model.model != Path::new("-") && !io::stdin().is_terminal();
    let mut standard_input = files::characters;
    let files = Input {
        name: model.model.display().to_string(),
        bytes,
        properties,
        defines: &defines,
        parts,
        exact: opening.exact,
        overrides: Overrides {
            kind: model.read_as.map(|kind| match kind {
                KindArg::Dtmc => ReadAs::Dtmc,
                KindArg::Ctmc => ReadAs::Ctmc,
                KindArg::Mdp => ReadAs::Mdp,
            }),
            unchecked_sums: model.no_probability_check,
        },
        system: rest.as_mut().map(|rest| &mut **rest as &mut dyn Read),
        standard_input: if has_input { Some(&mut standard_input) } else { None },
        folder: &mut ModelFolder::of(&model.model).recorded(opening.record),
        named: Rc::new(files::BesideFiles),
        control: &control,
    };
    let language = model.language.as_deref().and_then(language::named);
    let session = Session::open_files(language, files, &model.constants);
    // Files that the model names are read by now.
    match files::refusals() {
        none if none.is_empty() => Ok(session),
        refusals => Err(refusals),
    }
}

/// The files given for parts of an explicit model.
fn parts(args: &PartArgs, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Part, String, Vec<u8>)> {
    let single = [
        (Part::Labels, &args.labels),
        (Part::States, &args.state_values),
        (Part::Observations, &args.observations),
    ];
    let single = single.into_iter().filter_map(|(part, path)| Some((part, path.as_ref()?)));
    let state_rewards = args.state_rewards.iter().map(|path| (Part::StateRewards, path));
    let transition_rewards = args.transition_rewards.iter().map(|path| (Part::TransitionRewards, path));
    let mut parts = Vec::new();
    for (part, path) in single.chain(state_rewards).chain(transition_rewards) {
        match files::read_bytes(path) {
            Ok(bytes) => parts.push((part, path.display().to_string(), bytes)),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    parts
}

/// The scheduler of an mdp that is simulated.
fn choices(args: &SchedulerArgs) -> Result<Choices, Vec<Diagnostic>> {
    match args.scheduler.as_deref() {
        None => Ok(Choices::Unresolved),
        Some(path) if path == Path::new("uniform") => Ok(Choices::Uniform),
        Some(path) => {
            let saved = files::read(path).and_then(|text| SavedScheduler::read(&text.name, &text.text));
            saved.map(Choices::Scheduler).map_err(|diagnostic| vec![diagnostic])
        }
    }
}

/// The settings of a run and its number of threads.
fn settings(building: &BuildingArgs, limits: &LimitArgs) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (allowance, threads) = machine::limits(limits)?;
    let tier =
        if building.interpreter { volvelle_verify::Tier::Interpreter } else { volvelle_verify::Tier::Auto };
    let settings =
        Settings { allowance, tier, fix_deadlocks: !building.no_fix_deadlocks, ..Settings::default() };
    Ok((settings, threads))
}

/// The limits of a run that began at `start`, with its progress and Ctrl-C.
fn control<'a>(
    allowance: &volvelle_verify::Allowance,
    threads: usize,
    start: Instant,
    progress: &'a dyn Progress,
) -> Control<'a> {
    let cancel = machine::cancel_on_signal();
    Control { limits: allowance.starting_at(start), cancel, progress, threads, sharing: None }
}
