//! `--fix`: ways out of diagnostics that a program can take, before the question is asked.
//!
//! The model and its files of properties are read as by `volvelle info`, fixed in memory, and read again, until nothing changes. What changes
//! is shown. Nothing is lost: a file is replaced only when the new one is whole, and the text that it had stays beside it. Files that a model
//! includes are left as they are.

mod diff;

use crate::files;
use crate::opening::{self, Opening};
use crate::options::{FixArg, LimitArgs, ModelArgs};
use crate::output::{say, say_document};
use crate::{cluster, door};
use clap::{ArgMatches, FromArgMatches};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Applied, Diagnostic, FileId, Fix, Sources, applied, codes};
use volvelle_session::{Text, decode};

/// How often a text is read again at most. A fix may show what was hidden behind it.
const ROUNDS: usize = 10;

/// A file that may be fixed.
struct File {
    path: PathBuf,
    before: String,
    now: Text,
}

/// Does what `--fix` asks for, if it was given.
///
/// # Errors
/// A file cannot be read or written.
pub fn fix(given: &ArgMatches, limits: &LimitArgs) -> Result<(), Vec<Diagnostic>> {
    let Some(&which) = given.try_get_one::<FixArg>("fix").ok().flatten() else { return Ok(()) };
    let usage = |error: clap::Error| vec![Diagnostic::error(codes::BAD_USAGE, error.to_string())];
    let model = ModelArgs::from_arg_matches(given).map_err(usage)?;
    let paths: Vec<PathBuf> = opening::values(given, "properties");
    if std::iter::once(&model.model).chain(&paths).any(|path| path == Path::new("-")) {
        let message = "`--fix` changes files, and standard input is none";
        return Err(vec![
            Diagnostic::error(codes::BAD_USAGE, message).help("write the text to a file first"),
        ]);
    }
    if cluster::is_follower() {
        return Ok(());
    }
    let read = |path: &PathBuf| {
        let now = decode(&path.display().to_string(), files::read_bytes(path)?)?;
        Ok(File { path: path.clone(), before: now.text.clone(), now })
    };
    let own: Result<Vec<File>, Diagnostic> = std::iter::once(&model.model).chain(&paths).map(read).collect();
    // What is no text, or is not there, is told where it is read for the question.
    let Ok(mut own) = own else { return Ok(()) };
    let defines: Vec<String> = opening::values(given, "define");
    let opening =
        Opening { properties: &paths, defines: &defines, limits: Some(limits), ..Opening::default() };
    let mut number = 0;
    let mut left = 0;
    for _ in 0..ROUNDS {
        let texts = own.iter().map(|file| file.now.clone()).collect();
        let mut session = opening::of_texts(&model, opening, texts)?;
        let found = session.model.findings();
        let made = made(&found, &session.model.sources, which, &own);
        (left, number) = (made.left, number + made.number);
        if made.number == 0 {
            break;
        }
        for file in &mut own {
            let place = place(&session.model.sources, file);
            let text = place.and_then(|place| made.applied.text(&session.model.sources, place));
            file.now.text = text.unwrap_or_else(|| std::mem::take(&mut file.now.text));
        }
    }
    for file in own.iter().filter(|file| file.before != file.now.text) {
        say_document(&diff::unified(&file.now.name, &file.before, &file.now.text));
        if which != FixArg::Show {
            let kept = door::amend(&file.path, file.before.as_bytes(), file.now.text.as_bytes());
            let kept = kept.map_err(|error| vec![files::not_written(&file.path, &error)])?;
            say(&format!("{} is fixed; the text before is in {}", file.now.name, kept.display()));
        }
    }
    tell(number, left, which);
    Ok(())
}

/// Says what is done, and what is not.
fn tell(number: usize, left: usize, which: FixArg) {
    let fixes = |number: usize| if number == 1 { "1 fix".to_owned() } else { format!("{number} fixes") };
    let done = match (number, which) {
        (0, _) => "nothing to fix".to_owned(),
        (_, FixArg::Show) => format!("{}: `--fix` makes them", fixes(number)),
        _ => fixes(number),
    };
    match left {
        0 => say(&done),
        _ => say(&format!("{done}; {} not certain: `--fix=all`", fixes(left))),
    }
}

/// The fixes of a round.
struct Made {
    applied: Applied,
    number: usize,
    /// Those that are not certain.
    left: usize,
}

/// Applies one fix of each diagnostic, where all of it is in the files that may be fixed.
fn made(found: &[Diagnostic], sources: &Sources, which: FixArg, own: &[File]) -> Made {
    let places: Vec<FileId> = own.iter().filter_map(|file| place(sources, file)).collect();
    let is_own = |fix: &&Fix| {
        let edits = fix.edits(sources);
        !edits.is_empty() && edits.iter().all(|edit| places.contains(&edit.span.file))
    };
    let mut chosen = Vec::new();
    let mut left = 0;
    for diagnostic in found {
        let mut fixes = diagnostic.fixes.iter().filter(is_own);
        let fix = match which {
            FixArg::All => fixes.next(),
            FixArg::Certain | FixArg::Show => fixes.clone().find(|fix| fix.is_certain()),
        };
        left += usize::from(fix.is_none() && fixes.next().is_some());
        chosen.extend(fix);
    }
    let applied = applied(sources, &chosen);
    let number = applied.is_applied.iter().filter(|&&is_applied| is_applied).count();
    Made { applied, number, left }
}

/// The number of a file among the texts, if it has the text that is to be fixed.
fn place(sources: &Sources, file: &File) -> Option<FileId> {
    let ids = (0..sources.len()).map(|number| FileId(number as u32));
    let mut same = ids.filter(|&id| {
        let source = sources.file(id);
        source.name == file.now.name && source.text == file.now.text && source.first_line == 1
    });
    same.next()
}
