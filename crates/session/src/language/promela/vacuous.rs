//! Models and options that would make an answer empty: no process that can run, macros that nothing mentions.

use volvelle_diagnostics::{Diagnostic, FileId, Sources, codes};
use volvelle_promela::ast;

/// What SPIN's verifier is compiled with, and what does the same here.
const PAN_DIRECTIVES: &[(&str, &str)] = &[
    ("BITSTATE", "--search bitstate"),
    ("HC", "--search hash-compact"),
    ("HC4", "--search hash-compact"),
    ("NOREDUCE", "--no-reduction"),
    ("BFS", "nothing: assertions and end states are searched breadth first"),
    ("REACH", "nothing: a breadth-first search finds shortest trails"),
    ("SAFETY", "--safety"),
    ("NP", "--progress"),
    ("MEMLIM", "--max-memory 4G"),
    ("VECTORSZ", "nothing: states may have any size"),
    ("COLLAPSE", "nothing: states are always compressed"),
    ("MA", "nothing: states are always compressed"),
    ("NFAIR", "nothing: the number of processes under fairness is not limited"),
    ("NOFAIR", "nothing: fairness is off unless --fair is given"),
    ("NCORE", "--threads N"),
];

/// The error that no process runs: every claim would hold, and nothing would be checked.
pub(super) fn no_process(name: &str, model: &ast::Model) -> Option<Diagnostic> {
    let mut types = Vec::new();
    for unit in &model.units {
        match unit {
            ast::Unit::Proctype(process) if process.is_init || process.active.is_some() => return None,
            ast::Unit::Proctype(process) => types.push(process.name.text.as_str()),
            _ => {}
        }
    }
    let diagnostic = Diagnostic::error(codes::NO_INITIAL_STATE, format!("no process of `{name}` can run"));
    Some(match types.first() {
        Some(first) => diagnostic
            .note("no proctype is `active`, and there is no `init`")
            .help(format!("start one: `active proctype {first}`, or `init {{ run {first}() }}`")),
        None => diagnostic
            .note("the model declares no process")
            .help("add one: `active proctype P() { ... }`, or `init { ... }`"),
    })
}

/// Warnings about macros given from outside that no text mentions.
pub(super) fn unused_macros(macros: &[String], sources: &Sources) -> Vec<Diagnostic> {
    let unused = macros.iter().filter(|name| !is_mentioned(name.split('(').next().unwrap_or(name), sources));
    let warning = |name: &String| {
        let message = format!("the macro `{name}` defined by -D does not occur in the model");
        let diagnostic = Diagnostic::warning(codes::UNUSED_OR_SUSPICIOUS, message);
        match PAN_DIRECTIVES.iter().find(|(directive, _)| directive == name) {
            Some((_, ours)) => diagnostic
                .note("this macro is an option for compiling SPIN's verifier, which does not exist here")
                .help(format!("use instead: {ours}")),
            None => diagnostic.help("correct the name, or leave it out"),
        }
    };
    unused.map(warning).collect()
}

/// Whether a text other than the definitions of macros has this word.
fn is_mentioned(word: &str, sources: &Sources) -> bool {
    let files = (0..).map(FileId).map_while(|file| sources.get(file));
    let is_part = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    files.filter(|file| file.name != "--define").any(|file| {
        file.text.match_indices(word).any(|(at, _)| {
            let bytes = file.text.as_bytes();
            let before = at.checked_sub(1).is_some_and(|at| is_part(bytes[at]));
            let after = bytes.get(at + word.len()).is_some_and(|&c| is_part(c));
            !before && !after
        })
    })
}
