//! Command lines without a command.
//!
//! `volvelle FILE` asks what the file is. With options that this question does not have, the file is asked what such files are for, as
//! `prism model.prism -pf PROPERTY` and `spin -a model.pml` are typed: a note says which command was taken.

use crate::questions::QUESTIONS;
use std::ffi::OsString;
use std::path::Path;
use volvelle_console::output::say;
use volvelle_console::question::Question;
use volvelle_console::suggestions::{Head, word};

/// The command that says what a file is.
const SHOWS: &str = "info";

/// The command for models.
const ASKS: &str = "check";

/// Whether other tools have a switch for a command, or for any.
type IsSwitch = fn(Option<&str>, &str) -> bool;

/// The words with a command, where a file stands in its place.
pub fn completed(mut words: Vec<OsString>, is_switch: IsSwitch) -> Vec<OsString> {
    let texts: Vec<&str> = words.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let options: Vec<&str> =
        texts.iter().copied().take_while(|word| *word != "--").filter(|word| word.starts_with('-')).collect();
    let file = match texts.first() {
        Some(first) if first.starts_with('-') => {
            // Only other tools have options before the file.
            let is_one = is_switch(None, first);
            texts.iter().find(|word| is_one && !word.starts_with('-') && Path::new(word).is_file())
        }
        Some(first) if is_command(first) => None,
        first => first.filter(|word| word.contains(['.', '/']) || Path::new(word).is_file()),
    };
    let Some(file) = file else { return words };
    let shows = QUESTIONS.iter().find(|question| question.name == SHOWS);
    let is_shown =
        |option: &&str| is_switch(Some(SHOWS), option) || shows.is_some_and(|q| has(q, option, is_switch));
    if options.iter().all(is_shown) {
        words.insert(1, SHOWS.into());
        return words;
    }
    let head = Head::of(Path::new(file));
    let reader = QUESTIONS.iter().find(|question| question.reads(&head).is_some());
    words.insert(1, reader.map_or(ASKS, |question| question.name).into());
    let shown: Vec<String> = words[1..].iter().map(|text| word(&text.to_string_lossy())).collect();
    say(&format!("note: this is read as: volvelle {}", shown.join(" ")));
    words
}

fn is_command(word: &str) -> bool {
    word == "help" || QUESTIONS.iter().any(|question| question.name == word)
}

/// Whether a question has an option. A letter with more behind it may be a switch of another tool: `-const` is no `-c onst`.
fn has(question: &Question, option: &str, is_switch: IsSwitch) -> bool {
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    if ["--help", "-h"].contains(&name) {
        return true;
    }
    let command = question.command();
    let mut arguments = command.get_arguments();
    match name.strip_prefix("--") {
        Some(long) => arguments.any(|argument| argument.get_long() == Some(long)),
        None => {
            let letter = name.chars().nth(1);
            let is_own = arguments.any(|argument| letter.is_some() && argument.get_short() == letter);
            is_own && !is_switch(None, name)
        }
    }
}
