//! Options that had another name in the version before: for one version the old name stands for the new one, and a note says which that is.
//!
//! Like the switches of other tools, old names are replaced before the command line is parsed: no option has two names, and help, pages
//! of the manual and completions know only the new ones.

use crate::words::rewritten;
use std::ffi::OsString;
use volvelle_diagnostics::{Diagnostic, codes};

/// An option that has another name now.
pub struct OldName {
    /// The commands that had it.
    pub commands: &'static [&'static str],
    /// As it was typed: `--set`, or `-p`.
    pub old: &'static str,
    /// The option that means the same.
    pub new: &'static str,
    /// The value that the new option takes in place of an old one without a value.
    pub value: Option<&'static str>,
}

const fn renamed(commands: &'static [&'static str], old: &'static str, new: &'static str) -> OldName {
    OldName { commands, old, new, value: None }
}

/// The table.
pub const OLD_NAMES: &[OldName] = &[
    renamed(&["check", "simulate", "calibrate"], "--out", "--output"),
    renamed(&["man"], "--folder", "--output"),
    renamed(&["distance"], "--minimise", "--minimize"),
    renamed(&["mpi", "multicore"], "--set", "--const"),
    renamed(&["mpi", "multicore"], "--sweep", "--const"),
    OldName { value: Some("never"), ..renamed(&["mpi"], "--no-verify", "--verify") },
    OldName { value: Some("only"), ..renamed(&["mpi"], "--verify-only", "--verify") },
    renamed(&["mpi"], "--explain", "--profile"),
    renamed(&["tune"], "--method", "--search"),
    renamed(&["simulate"], "--emit", "--print-code"),
    renamed(&["mpi"], "--emit", "--print-model"),
    renamed(&["tune", "multicore"], "--emit", "--export-model"),
    renamed(&["tune"], "--cache", "--measurements"),
    renamed(&["tune"], "--budget", "--evaluations"),
    renamed(&["tune"], "--until", "--goal"),
    renamed(&["tune"], "-p", "--parameters"),
    renamed(&["multicore"], "--subject", "--constraint"),
    renamed(&["transient"], "--until", "--first-passage"),
    renamed(&["reduce", "compare"], "--epsilon", "--rounding"),
];

/// Modes of commands that are commands of their own now.
const MOVED: &[Moved] =
    &[Moved { commands: &["trace", "simulate"], names: &["--interactive", "-i"], command: "step" }];

/// An option for which there is a command.
struct Moved {
    /// The commands that had it.
    commands: &'static [&'static str],
    /// As it was typed.
    names: &'static [&'static str],
    /// The command.
    command: &'static str,
}

/// Errors about options that are commands of their own now, with these commands.
pub fn moved(words: &[OsString]) -> Vec<Diagnostic> {
    let words: Vec<&str> = words.iter().skip(1).map_while(|word| word.to_str()).collect();
    let Some((command, rest)) = words.split_first() else { return Vec::new() };
    let given = || rest.iter().take_while(|word| **word != "--");
    let model = given().find(|word| !word.starts_with('-') && std::path::Path::new(word).is_file());
    let of_command = MOVED.iter().filter(|moved| moved.commands.contains(command));
    let found =
        of_command.filter_map(|moved| Some((moved, given().find(|word| moved.names.contains(word))?)));
    found
        .map(|(moved, word)| {
            let message = format!("`{word}` of `volvelle {command}` is a command of its own: `volvelle {}`", moved.command);
            let model = model.copied().unwrap_or("MODEL");
            Diagnostic::error(codes::BAD_USAGE, message)
                .note("it lists the steps of each state, in every language, and also goes back, jumps, and saves its way")
                .help(format!("volvelle {} {model}", moved.command))
        })
        .collect()
}

/// The words of a command line with new names in place of old ones, and what is to be said about each old name.
pub fn replaced(words: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut notes = Vec::new();
    let words = rewritten(words, |command, text, _| {
        let mut found = OLD_NAMES.iter().filter(|known| known.commands.contains(&command));
        let (known, rest) = found.find_map(|known| Some((known, rest_of(known.old, text)?)))?;
        let new = match known.value {
            None => known.new.to_owned(),
            Some(value) => format!("{}={value}", known.new),
        };
        let note = format!("note: {} is now {new}", known.old);
        if !notes.contains(&note) {
            notes.push(note);
        }
        Some(vec![(new + &rest).into()])
    });
    (words, notes)
}

/// What stands behind an old name in a word, as the end of a long option; `None` if the word has another name.
fn rest_of(old: &str, word: &str) -> Option<String> {
    let rest = word.strip_prefix(old)?;
    match rest.strip_prefix('=') {
        Some(value) => Some(format!("={value}")),
        None if rest.is_empty() => Some(String::new()),
        // `-pWG,TS`
        None if !old.starts_with("--") => Some(format!("={rest}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{MOVED, OLD_NAMES, moved, replaced};
    use crate::questions::QUESTIONS;
    use std::ffi::OsString;

    fn run(line: &str) -> (String, Vec<String>) {
        let (words, notes) = replaced(line.split_whitespace().map(OsString::from).collect());
        let words: Vec<String> = words.into_iter().filter_map(|word| word.into_string().ok()).collect();
        (words.join(" "), notes)
    }

    #[test]
    fn old_names_are_replaced_with_a_note() {
        let note = vec!["note: --out is now --output".to_owned()];
        assert_eq!(run("v check m --out a"), ("v check m --output a".into(), note.clone()));
        assert_eq!(run("v check m --out=a --out=b"), ("v check m --output=a --output=b".into(), note));
        // Behind `--`, in other commands and in longer names they are other words.
        for same in
            ["v check m -- --out", "v info m --out a", "v check m --outer", "v", "v check m --output a"]
        {
            assert_eq!(run(same), (same.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn moved_modes_name_their_command() {
        let told = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            moved(&words).into_iter().map(|diagnostic| format!("{diagnostic:?}")).collect::<String>()
        };
        for line in ["v trace m --interactive", "v trace -i m", "v simulate m.pml -i --seed 3"] {
            assert!(told(line).contains("volvelle step MODEL"), "{line}: {}", told(line));
        }
        for line in ["v trace m", "v check m -i", "v trace m -- -i", "v"] {
            assert_eq!(told(line), "", "{line}");
        }
        for moved in MOVED {
            assert!(QUESTIONS.iter().any(|question| question.name == moved.command));
        }
    }

    /// An old name leads to an option of each of the commands, which takes the value, and hides none.
    #[test]
    fn old_names_lead_to_their_options() {
        for known in OLD_NAMES {
            for name in known.commands {
                let question = QUESTIONS.iter().find(|question| question.name == *name);
                let command = question.expect("a command is a question").command();
                let new = known.new.strip_prefix("--").expect("a new name is long");
                let option = command.get_arguments().find(|argument| argument.get_long() == Some(new));
                let option = option.unwrap_or_else(|| panic!("`{name}` has no {}", known.new));
                if let Some(value) = known.value {
                    let values = option.get_possible_values();
                    assert!(values.iter().any(|known| known.get_name() == value), "{} {value}", known.new);
                }
                let is_taken = command.get_arguments().any(|argument| match known.old.strip_prefix("--") {
                    Some(long) => {
                        argument.get_long() == Some(long)
                            || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
                    }
                    None => argument.get_short() == known.old.chars().nth(1),
                });
                assert!(!is_taken, "{} of `{name}` is an option", known.old);
            }
        }
    }
}
