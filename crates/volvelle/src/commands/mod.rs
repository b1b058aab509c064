//! The commands: arguments in, exit code out.

pub mod check;
pub mod devices;
mod experiment;
pub mod explain;
pub mod explore;
pub mod info;
pub mod lint;
mod lts;
mod plot;
mod processes;
mod scheduler;
pub mod simulate;
pub mod trace;

use crate::args::{BuildingArgs, LanguageName, LimitArgs, ModelArgs, SchedulerArgs};
use crate::output::{EXIT_USAGE, Output, exit_code};
use crate::{files, machine};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_control::{Control, Progress};
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_verify::{Choices, Language, Report, SavedScheduler, Session, Settings, Text, json};

/// Complaints that end a command before it has a model. Prints them and gives the exit code.
fn refuse(diagnostics: &[Diagnostic], as_json: bool, output: &Output) -> u8 {
    refuse_in(diagnostics, &Sources::new(), as_json, output)
}

/// The same, with places in texts.
fn refuse_in(diagnostics: &[Diagnostic], sources: &Sources, as_json: bool, output: &Output) -> u8 {
    if as_json {
        output.print(&json::Document::new(diagnostics, sources).to_text());
    }
    output.complain(diagnostics, sources);
    EXIT_USAGE
}

/// Prints the complaints of a report and gives the exit code.
fn finish(report: &Report, sources: &Sources, output: &Output) -> u8 {
    let complaints: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    output.complain(&complaints, sources);
    exit_code(report.status())
}

/// Reads the files of a model and opens a session.
fn open(model: &ModelArgs, properties: &[PathBuf]) -> Result<Session, Vec<Diagnostic>> {
    let mut complaints = Vec::new();
    let mut read = |path: &PathBuf| match files::read(path) {
        Ok(text) => text,
        Err(diagnostic) => {
            complaints.push(diagnostic);
            Text::default()
        }
    };
    let text = read(&model.model);
    let properties: Vec<Text> = properties.iter().map(&mut read).collect();
    if complaints.is_empty() {
        let language = model.language.map(|name| match name {
            LanguageName::Prism => Language::Prism,
            LanguageName::Promela => Language::Promela,
        });
        Ok(Session::open_as(language, text, properties, &model.constants))
    } else {
        Err(complaints)
    }
}

/// What makes the choices of an mdp whose paths are wanted.
fn choices(args: &SchedulerArgs) -> Result<Choices, Vec<Diagnostic>> {
    match args.scheduler.as_deref() {
        None => Ok(Choices::Nobody),
        Some(path) if path == Path::new("uniform") => Ok(Choices::Uniform),
        Some(path) => {
            let saved = files::read(path).and_then(|text| SavedScheduler::read(&text.name, &text.text));
            saved.map(Choices::Scheduler).map_err(|complaint| vec![complaint])
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

fn control<'a>(
    settings: &Settings,
    threads: usize,
    start: Instant,
    progress: &'a dyn Progress,
) -> Control<'a> {
    let cancel = machine::cancel_on_signal();
    Control { limits: settings.allowance.starting_at(start), cancel, progress, threads }
}
