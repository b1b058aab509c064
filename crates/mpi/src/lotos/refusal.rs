//! Why a system has no specification.

use volvelle_diagnostics::{Diagnostic, codes};

/// Largest number of a specification: such values are tried one by one where nobody gives them.
pub(super) const MOST_NUMBER: i128 = 1_000_000;

/// Why a system cannot be written as a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A name, as labels show it, is a word of the language or begins with a digit.
    Name(String),
    /// Two things have the same name in labels.
    TwoNames(String),
    /// A mark has the name of a gate of accesses.
    Mark(String),
    /// The code between two steps of a process has too many ways, or nests too deeply.
    Ways(String),
    /// A value may be too large.
    Number,
}

impl Refusal {
    /// The message, with a way out.
    pub fn diagnostic(&self) -> Diagnostic {
        let (message, help) = match self {
            Refusal::Name(name) => (
                format!("`{name}` cannot be a name in LOTOS"),
                "give it another name: a letter, then letters and digits, and no word of LOTOS",
            ),
            Refusal::TwoNames(name) => (
                format!("two things have the name `{name}` in labels"),
                "give one of them another name: labels show letters in upper case, and `_` for other characters",
            ),
            Refusal::Mark(name) => {
                (format!("the mark `{name}` would be taken for a part of an access"), "give it another name")
            }
            Refusal::Ways(process) => (
                format!(
                    "between two steps, process `{process}` computes and decides too much to be written as conditions in LOTOS"
                ),
                "put an access or `measure` in between",
            ),
            Refusal::Number => (
                format!("a value may be larger than {MOST_NUMBER}, too large for a LOTOS specification"),
                "declare smaller ranges, or compute with smaller numbers",
            ),
        };
        Diagnostic::error(codes::LOTOS_UNSUPPORTED, message).help(help)
    }
}
