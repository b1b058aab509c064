//! What can be asked of properties and models, and what was found, above the lines where they stand.

use crate::client::Client;
use crate::protocol::types::Range;
use crate::runs::Place;
use crate::runs::Runs;
use crate::runs::errands::{CANCEL, RUN, SHOW};
use crate::runs::question::{Command, Question, properties};
use crate::workspace::View;
use serde_json::{Value, json};

/// The command of the client that steps through a counterexample.
const DEBUG: &str = "volvelle.debug";

/// The lenses of a text.
pub fn lenses(view: &View, uri: &str, runs: &Runs, client: &Client) -> Vec<Value> {
    let analysis = &view.analysis;
    let mut lenses = Vec::new();
    let is_model = analysis.document(view.file) == Some(&analysis.main);
    let language = analysis.language;
    if is_model && analysis.outline.is_some() {
        // Without properties of their own, processes are checked for deadlocks and violated assertions.
        let about_model: &[Command] = match language {
            "promela" => &[Command::Check, Command::Explore, Command::Simulate, Command::Lint],
            "prism" => &[Command::Explore, Command::Trace],
            "lotos" => &[Command::Explore],
            _ => &[],
        };
        for &command in about_model {
            let question = Question { command, property: None };
            of_question(view, uri, &question, Range::default(), runs, client, &mut lenses);
        }
    }
    for (symbol, property) in properties(analysis, view.file) {
        let Some(span) = symbol.whole else { continue };
        let start = analysis.range(span, client.encoding).start;
        let range = Range { start, end: start };
        let commands: &[Command] =
            if language == "prism" { &[Command::Check, Command::Simulate] } else { &[Command::Check] };
        for &command in commands {
            let question = Question { command, property: Some(property.clone()) };
            of_question(view, uri, &question, range, runs, client, &mut lenses);
        }
    }
    lenses
}

fn of_question(
    view: &View,
    uri: &str,
    question: &Question,
    range: Range,
    runs: &Runs,
    client: &Client,
    lenses: &mut Vec<Value>,
) {
    let model = &view.analysis.main;
    let mut argument = json!(question);
    argument["uri"] = json!(uri);
    let mut lens = |title: String, command: &str| {
        let arguments = if command.is_empty() { json!([]) } else { json!([argument]) };
        let command = json!({ "title": title, "command": command, "arguments": arguments });
        lenses.push(json!({ "range": range, "command": command }));
    };
    let place = Place { model: model.clone(), question: question.clone() };
    if runs.running(model).is_some_and(|running| running.place == place) {
        return lens(format!("{} … (cancel)", question.command.word()), CANCEL);
    }
    let word = match (question.command, &question.property) {
        (Command::Explore, _) => "count states",
        _ if question.wants_path() => "sample a path",
        (command, _) => command.word(),
    };
    lens(word.to_owned(), RUN);
    let Some(kept) = runs.kept(&place) else { return };
    // What was found for other texts says so.
    let is_of_now = kept.texts == view.analysis.identity();
    let minutes = kept.when.get(..16).unwrap_or(&kept.when);
    let outdated = if is_of_now { "" } else { "before the last change: " };
    if !kept.outcome.text.is_empty() {
        lens(format!("{outdated}{} ({minutes} UTC)", kept.outcome.text), SHOW);
    } else if question.wants_path() {
        lens(format!("{outdated}show the path ({minutes} UTC)"), SHOW);
    }
    if kept.outcome.counterexample.is_some() {
        lens("show counterexample".to_owned(), SHOW);
        if client.debugs && is_of_now && view.analysis.language == "promela" {
            lens("step through it".to_owned(), DEBUG);
        }
    }
}
