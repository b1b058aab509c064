//! What is wrong with traces, as diagnostics.

use std::io;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_instructions::Failure;

const AGAIN: &str = "record it again, or copy it again";

fn unreadable(message: String) -> Diagnostic {
    Diagnostic::error(codes::TRACE_UNREADABLE, message).help(AGAIN)
}

/// The trace ends before its end.
pub(super) fn cut(instructions: u64) -> Failure {
    Failure::Faulty(Box::new(unreadable(format!("the trace is cut short after {instructions} instructions"))))
}

/// The trace holds what it cannot hold.
pub(super) fn damaged(what: &str, instructions: u64) -> Failure {
    let message = format!("the trace is damaged after {instructions} instructions: {what}");
    Failure::Faulty(Box::new(unreadable(message)))
}

/// A line of a trace in text holds what it cannot hold.
pub(super) fn wrong_line(what: &str, line: u64) -> Failure {
    Failure::Faulty(Box::new(unreadable(format!("line {line} of the trace cannot be understood: {what}"))))
}

/// The file is none, or of another version.
pub(super) fn foreign(what: &str) -> Failure {
    Failure::Faulty(Box::new(unreadable(what.to_owned())))
}

/// The file could not be read.
pub(super) fn not_read(error: &io::Error) -> Failure {
    let message = match error.raw_os_error() {
        Some(_) => error.to_string(),
        // What decompressors say of it helps nobody.
        None => "its compressed data is damaged".to_owned(),
    };
    Failure::Faulty(Box::new(unreadable(format!("the trace cannot be read: {message}"))))
}
