//! Streams as text: outcomes of tasks, accesses to memory, executed instructions.
//!
//! The first line of a text names its columns and thereby its form. Columns are separated by one tabulator.
//! Addresses are hexadecimal, sizes are decimal, `-` stands for nothing, and lines that begin with `#` are
//! remarks. Further columns may follow: results that a text carries for comparison.

mod accesses;
mod columns;
mod instructions;
mod outcomes;

pub use accesses::{Access, accesses};
pub use instructions::TextTrace;
pub use outcomes::{Outcome, outcomes};

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// What a text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Addresses of tasks, and whether the transfer at their ends was taken.
    Outcomes,
    /// Loads and stores of cores.
    Accesses,
    /// Executed instructions.
    Instructions,
}

impl Form {
    const ALL: [Form; 3] = [Form::Outcomes, Form::Accesses, Form::Instructions];

    /// The columns that the first line names.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Form::Outcomes => &["address", "outcome"],
            Form::Accesses => &["core", "operation", "address", "size"],
            Form::Instructions => &["pc", "class", "rd", "sources", "address", "size", "taken"],
        }
    }

    /// What a text holds, by its first line; `None` if it is no such text.
    pub fn of(text: &str) -> Option<Form> {
        let first = text.lines().next()?;
        let named: Vec<&str> = first.split('\t').map(str::trim).collect();
        Form::ALL.into_iter().find(|form| named.starts_with(form.columns()))
    }
}

/// The diagnostic for a text whose first line names the columns of no stream.
pub fn unknown_form(file: FileId, text: &str) -> Diagnostic {
    let first = text.lines().next().unwrap_or_default();
    Diagnostic::error(codes::STREAM_FORM, "the first line names the columns of no known stream")
        .at(Span::within(file, text, 0..first.len()), "no known columns")
        .help("columns are `address outcome`, `core operation address size`, or those of instructions")
}
