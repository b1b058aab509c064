//! From the options of a command to a session: files that are read, limits, settings.

use crate::files::{self, ModelFolder, Record};
use crate::machine;
use crate::options::{BuildingArgs, InterpreterArgs, KindArg, LimitArgs, ModelArgs, PartArgs, SchedulerArgs};
use clap::ArgMatches;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use volvelle_control::{Control, Progress, Silent};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Session;
use volvelle_session::Settings;
use volvelle_session::Text;
use volvelle_session::choices::Choices;
use volvelle_session::choices::SavedScheduler;
use volvelle_session::language;
use volvelle_session::language::Input;
use volvelle_session::language::Part;
use volvelle_session::language::{Overrides, ReadAs};

/// Files and options with which the model is opened.
#[derive(Clone, Copy, Default)]
pub struct Opening<'a> {
    /// Files of properties.
    pub properties: &'a [PathBuf],
    /// Macros, `NAME` or `NAME=TEXT`.
    pub defines: &'a [String],
    /// Whether numbers are also read as fractions.
    pub exact: bool,
    /// Limits of reading; the usual ones if absent.
    pub limits: Option<&'a LimitArgs>,
    /// Whether the model may read the standard input.
    pub with_input: bool,
    /// Whether the model is wanted as a labelled transition system: a large file is read as it is parsed.
    pub as_system: bool,
    /// Where files are noted that the model names.
    pub record: Option<&'a Record>,
}

/// Reads the files of a model and opens a session.
pub fn open(model: &ModelArgs, opening: Opening<'_>) -> Result<Session, Vec<Diagnostic>> {
    machine::limits(opening.limits.unwrap_or(&LimitArgs::default()))?;
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
    opened(model, opening, Given { bytes, rest, properties }, diagnostics)
}

/// The same for texts of the files instead of what is in them: the first is that of the model.
///
/// # Errors
/// What is wrong with the options.
pub fn of_texts(
    model: &ModelArgs,
    opening: Opening<'_>,
    texts: Vec<Text>,
) -> Result<Session, Vec<Diagnostic>> {
    let mut texts = texts.into_iter();
    let bytes = texts.next().unwrap_or_default().text.into_bytes();
    opened(model, opening, Given { bytes, rest: None, properties: texts.collect() }, Vec::new())
}

/// The contents of files.
struct Given {
    bytes: Vec<u8>,
    /// What follows the bytes of the model.
    rest: Option<Box<dyn Read>>,
    properties: Vec<Text>,
}

/// Opens a session, unless there are diagnostics.
fn opened(
    model: &ModelArgs,
    opening: Opening<'_>,
    given: Given,
    mut diagnostics: Vec<Diagnostic>,
) -> Result<Session, Vec<Diagnostic>> {
    let (allowance, threads) = machine::limits(opening.limits.unwrap_or(&LimitArgs::default()))?;
    let Given { bytes, mut rest, properties } = given;
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

/// The values of an option that the command may have.
pub fn values<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, option: &str) -> Vec<T> {
    let given = matches.try_get_many::<T>(option).ok().flatten();
    given.into_iter().flatten().cloned().collect()
}

/// The files given for parts of an explicit model.
pub fn parts(args: &PartArgs, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Part, String, Vec<u8>)> {
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
pub fn choices(args: &SchedulerArgs) -> Result<Choices, Vec<Diagnostic>> {
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
pub fn settings(code: &InterpreterArgs, limits: &LimitArgs) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (allowance, threads) = machine::limits(limits)?;
    let tier = if code.interpreter {
        volvelle_session::engine::Tier::Interpreter
    } else {
        volvelle_session::engine::Tier::Auto
    };
    Ok((Settings { allowance, tier, ..Settings::default() }, threads))
}

/// The same where states without transitions may be left as they are.
pub fn building_settings(
    building: &BuildingArgs,
    limits: &LimitArgs,
) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (settings, threads) = settings(&building.code, limits)?;
    Ok((Settings { fix_deadlocks: !building.deadlocks.no_fix_deadlocks, ..settings }, threads))
}

/// The limits of a run that began at `start`, with its progress and Ctrl-C.
pub fn control<'a>(
    allowance: &volvelle_session::limits::Allowance,
    threads: usize,
    start: Instant,
    progress: &'a dyn Progress,
) -> Control<'a> {
    let cancel = machine::cancel_on_signal();
    Control { limits: allowance.starting_at(start), cancel, progress, threads, sharing: None }
}

/// Whether two models can be read, one after the other.
///
/// # Errors
/// Both would come from standard input.
pub fn two_inputs(first: &Path, second: &Path) -> Result<(), Vec<Diagnostic>> {
    if first != Path::new("-") || second != first {
        return Ok(());
    }
    let message = "both models would be read from standard input";
    Err(vec![Diagnostic::error(codes::BAD_USAGE, message).help("give a file for one of them")])
}
