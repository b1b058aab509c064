//! `volvelle info`, and `volvelle FILE`: what a file is, and what can be asked of it.

use crate::args::Info;
use crate::questions::QUESTIONS;
use std::collections::BTreeMap;
use std::path::Path;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, open};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::question::{Ask, Question};
use volvelle_console::refusal::{code_of, refuse};
use volvelle_console::suggestions::{Head, Subject, Suggestion, word};
use volvelle_console::{door, of_language};
use volvelle_diagnostics::{Diagnostic, Sources, has_errors};
use volvelle_present::document::{Block, Document, Items, Note, faint, name, strong};
use volvelle_present::format::kind;
use volvelle_reports::documents::outline;
use volvelle_session::language::{LanguageOption, Offers, is_property_file};
use volvelle_session::outline::Outline;
use volvelle_session::{Session, json};

impl Ask for Info {
    const NAME: &'static str = "info";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// What is said about a file.
struct Said<'a> {
    file: &'a str,
    document: Option<Document>,
    outline: Option<&'a Outline>,
    kind: Option<String>,
    suggestions: Vec<Suggestion>,
    diagnostics: Vec<Diagnostic>,
    sources: &'a Sources,
}

/// Says what a file is, what is in it, and what can be asked of it.
fn run(args: &Info, given: &GivenOptions, output: &Output) -> u8 {
    let head = Head::of(&args.model.model);
    let other = QUESTIONS.iter().find_map(|question| question.reads(&head));
    if let Some(what) = other.filter(|_| args.model.language.is_none()) {
        return of_another_kind(args, &head, what, output);
    }
    let (limits, json) = (args.limits.all(), args.answer.output.json);
    let opening = Opening {
        properties: &args.properties,
        defines: &args.macros.define,
        limits: Some(&limits),
        ..Opening::default()
    };
    let mut session = match open(&args.model, opening) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, json, output),
    };
    let refusals = of_language::refusals(given, &session.model);
    if !refusals.is_empty() {
        return refuse(&refusals, json, output);
    }
    let (found, diagnostics) = session.model.outline();
    let properties = properties(args, &session);
    let subject = Subject {
        head: &head,
        offers: session.model.offers(),
        outline: found.as_ref(),
        properties: &properties,
    };
    let is_wrong = has_errors(&diagnostics);
    let suggestions = if is_wrong { Vec::new() } else { suggested(&subject) };
    let (file, sources) = (session.model.file.as_str(), &session.model.sources);
    // A system of states and steps has no parts to list.
    let is_bare = |offers: &Offers| !is_wrong && found.is_none() && !offers.has_program();
    let models = subject.offers.filter(is_bare).map(|offers| offers.models().to_owned());
    let document = match (&found, &models) {
        (Some(found), _) => Some(outline::document(file, found, output.style.width)),
        (None, Some(what)) => Some(headed(file, what)),
        (None, None) => None,
    };
    let kind = found.as_ref().map(|found| found.kind.to_lowercase()).or(models);
    let outline = found.as_ref();
    show(args, Said { file, document, outline, kind, suggestions, diagnostics, sources }, output)
}

/// The same about a file that is no model.
fn of_another_kind(args: &Info, head: &Head, what: &str, output: &Output) -> u8 {
    let subject = Subject { head, offers: None, outline: None, properties: &[] };
    let (file, sources) = (args.model.model.display().to_string(), Sources::new());
    let said = Said {
        file: &file,
        document: Some(headed(&file, what)),
        outline: None,
        kind: Some(what.to_owned()),
        suggestions: suggested(&subject),
        diagnostics: Vec::new(),
        sources: &sources,
    };
    show(args, said, output)
}

/// A document that says what a file is.
fn headed(file: &str, what: &str) -> Document {
    let mut document = Document::new(name(file));
    document.push(Items { items: vec![strong(name(file)), kind(what).into()], indent: 0 });
    document
}

/// What all questions would ask, each command once.
fn suggested(subject: &Subject<'_>) -> Vec<Suggestion> {
    let mut all: Vec<Suggestion> = Vec::new();
    for suggestion in QUESTIONS.iter().flat_map(|question: &Question| question.suggestions(subject)) {
        if all.iter().all(|known| known.command != suggestion.command) {
            all.push(suggestion);
        }
    }
    all.sort_by_key(|suggestion| !suggestion.is_main);
    all
}

/// The files of properties that were given, or those that have the name of the model: as words.
fn properties(args: &Info, session: &Session) -> Vec<String> {
    if !session.model.offers().is_some_and(|offers| offers.knows(LanguageOption::PropertyFiles)) {
        return Vec::new();
    }
    if !args.properties.is_empty() {
        return args.properties.iter().map(|file| word(&file.display().to_string())).collect();
    }
    let model = &args.model.model;
    let folder = model.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = door::folder_entries(folder.unwrap_or(Path::new(".")));
    let is_beside =
        |entry: &&String| Path::new(entry).file_stem() == model.file_stem() && is_property_file(entry);
    let place = |entry: &String| folder.map_or_else(|| entry.into(), |folder| folder.join(entry));
    let beside = entries.iter().filter(is_beside);
    beside.map(|entry| word(&place(entry).display().to_string())).take(1).collect()
}

fn show(args: &Info, said: Said<'_>, output: &Output) -> u8 {
    let Said { file, document, outline, kind, suggestions, mut diagnostics, sources } = said;
    let document = document.map(|mut document| {
        if !suggestions.is_empty() {
            document.push(Block::Gap);
            document.push(Note { text: faint("what can be asked"), indent: 2, further: 2 });
        }
        for Suggestion { command, about, .. } in &suggestions {
            document.push(Block::Gap);
            document.push(Note { text: name(about), indent: 4, further: 4 });
            document.push(Note { text: strong(name(command)), indent: 6, further: 6 });
        }
        document
    });
    let shown = document.map(|document| Shown::new(&args.answer, document, file, sources));
    let written = shown.as_ref().map_or_else(Vec::new, |shown| shown.write(&[], &mut diagnostics, output));
    let json = || {
        let ask: Vec<BTreeMap<&str, &str>> = suggestions
            .iter()
            .map(|suggestion| [("about", suggestion.about.as_str()), ("command", &suggestion.command)].into())
            .collect();
        let document = json::Document::of_outline(file, kind.clone(), outline, &diagnostics, sources);
        document.with_some("ask", (!ask.is_empty()).then_some(ask)).to_text()
    };
    match &shown {
        Some(shown) => shown.print(json, &written, output),
        None if args.answer.output.json => output.print(&json()),
        None => {}
    }
    output.print_diagnostics(&diagnostics, sources);
    code_of(&diagnostics)
}
