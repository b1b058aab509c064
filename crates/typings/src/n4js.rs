//! `volvelle n4js`.

use crate::options::{AskN4js, SyntaxForm};
use crate::run::{self, stop_of};
use crate::telling::Telling;
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_console::{door, files, machine};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_n4js::{Syntax, system, typed};

/// Endings of programs in folders.
const ENDINGS: &[&str] = &["n4js", "n4jsd", "js"];

/// Folders are within one another at most so deep.
const DEEPEST: usize = 64;

/// Files that can be checked together.
const MOST: usize = 50_000;

impl Ask for AskN4js {
    const NAME: &'static str = "n4js";
    const FILES: &'static [(&'static str, FileUse)] = &[("programs", FileUse::Read)];
    const READS: fn(&Head) -> Option<&'static str> =
        |head| ["n4js", "n4jsd"].contains(&head.ending.as_str()).then_some("program in N4JS");
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| match subject.offers {
        None => {
            vec![Suggestion::new("whether its types fit", format!("n4js check {}", subject.head.word))]
        }
        Some(_) => Vec::new(),
    };

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        asked(self, output).unwrap_or_else(|refused| refused.show(self.answer.output.json, output))
    }
}

/// Opens, computes, writes and prints.
fn asked(args: &AskN4js, output: &Output) -> Result<u8, Refused> {
    let start = Instant::now();
    let (allowance, threads) = machine::limits(&args.limits.all())?;
    let syntax = match args.syntax {
        SyntaxForm::Current => Syntax::Current,
        SyntaxForm::Prefix2016 => Syntax::Prefix2016,
    };
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let loaded = system::load(&mut sources, syntax, &mut found);
    let Some(loaded) = loaded else { return Err(Refused::in_texts(found, &sources)) };
    let mut programs = Vec::new();
    for path in paths(args)? {
        match files::read(&path) {
            Ok(text) => programs.push(sources.add(text.name, text.text)),
            Err(why) => found.push(why),
        }
    }
    if !found.is_empty() {
        return Err(Refused::in_texts(found, &sources));
    }
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let judgment = args.has_types.then(|| loaded.judgment(typed::JUDGMENT)).flatten();
    let caches = !args.apply.no_cache;
    let checked = run::check_together(&loaded, &sources, &programs, (caches, judgment), &control);
    let given: Vec<String> = args.programs.iter().map(|path| path.display().to_string()).collect();
    let telling = Telling {
        apply: &args.apply,
        answer: &args.answer,
        subject: given.join(" "),
        loaded: &loaded,
        sources: &sources,
        stop: &|why| stop_of(&control, why),
        allowance: &allowance,
        output,
    };
    Ok(telling.checked(&checked, args.has_types, Vec::new()))
}

/// The files that are named, and those in folders that are named, each once.
fn paths(args: &AskN4js) -> Result<Vec<PathBuf>, Refused> {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    for given in &args.programs {
        let before = all.len();
        collect(given, 0, &mut all);
        if all.len() == before {
            let message = format!("there are no programs in `{}`", given.display());
            let help =
                "programs end in `.n4js`, `.n4jsd` or `.js`; hidden folders and `node_modules` are left out";
            found.push(Diagnostic::error(codes::BAD_USAGE, message).help(help));
        }
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    if all.len() > MOST {
        let message = format!("these are {} programs; at most {MOST} are checked together", all.len());
        found.push(Diagnostic::error(codes::BAD_USAGE, message).help("name folders inside of it"));
    }
    if found.is_empty() { Ok(all) } else { Err(found.into()) }
}

/// A file, or the programs in a folder and those within it, in the order of their names.
fn collect(path: &Path, depth: usize, all: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        all.push(path.to_owned());
        return;
    }
    if depth > DEEPEST {
        return;
    }
    let mut names = door::folder_entries(path);
    names.sort();
    for name in names {
        let inner = path.join(&name);
        let is_left_out = name.starts_with('.') || name == "node_modules";
        let is_program = || inner.extension().is_some_and(|ending| ENDINGS.iter().any(|one| ending == *one));
        if !is_left_out && (inner.is_dir() || is_program()) {
            collect(&inner, depth + 1, all);
        }
    }
}
