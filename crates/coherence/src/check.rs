//! Whether a table is complete and coherent.

use crate::counts::Caches;
use crate::explore::explore;
use crate::protocol::{Operation, Protocol};
use crate::trace::{Counterexample, replay};
use crate::violation::Violation;
use volvelle_diagnostics::{Diagnostic, codes};

/// Caches of the largest machine that is searched for a run that goes wrong.
pub const MOST_CACHES: usize = 5;

/// Why there is no proof for any number of caches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Where counts of caches are only known as 0, 1 or many, something goes wrong that no machine was found to do.
    Abstraction(Operation, Violation),
    /// There are too many configurations.
    Size,
}

/// What is known about a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is complete and coherent for any number of caches.
    Proved {
        /// How many abstract configurations there are.
        configurations: usize,
    },
    /// It is not.
    Failed(Counterexample),
    /// It is complete and coherent for so many caches and less; for more it is not known.
    Bounded {
        /// How many; 0 if nothing is known.
        caches: usize,
        /// Why not for more.
        reason: Reason,
    },
}

/// The result of [`check`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// What is known.
    pub verdict: Verdict,
    /// Rows that are never used, if the protocol was proved; otherwise none.
    pub unused_rows: Vec<usize>,
}

/// Decides whether a table is complete and coherent, for any number of caches that operate on one line at any time. Each operation is one
/// atomic step; caches are large enough, so that they never evict a line.
pub fn check(protocol: &Protocol) -> Checked {
    let any = explore(protocol, Caches::Any);
    if any.error.is_none() && !any.gave_up {
        let unused_rows = (0..any.used.len()).filter(|&row| !any.used[row]).collect();
        return Checked { verdict: Verdict::Proved { configurations: any.configurations }, unused_rows };
    }
    let verdict = |verdict| Checked { verdict, unused_rows: Vec::new() };
    let mut reason = match any.error {
        Some((way, violation)) => {
            let operation = way.last().map_or(Operation::Load, |access| access.operation);
            Reason::Abstraction(operation, violation)
        }
        None => Reason::Size,
    };
    let mut done = 0;
    for caches in 2..=MOST_CACHES {
        let found = explore(protocol, Caches::Exactly(caches as u8));
        if let Some((way, violation)) = found.error {
            return verdict(Verdict::Failed(replay(protocol, caches as u8, &way, violation)));
        }
        if found.gave_up {
            reason = Reason::Size;
            break;
        }
        done = caches;
    }
    verdict(Verdict::Bounded { caches: done, reason })
}

impl Checked {
    /// Whether the protocol is complete and coherent for any number of caches.
    pub fn is_proved(&self) -> bool {
        matches!(self.verdict, Verdict::Proved { .. })
    }

    /// What is wrong, at the row that does it, with the run that leads there; nothing if the protocol is proved. That no proof was found is
    /// a warning.
    pub fn diagnostics(&self, protocol: &Protocol) -> Vec<Diagnostic> {
        match &self.verdict {
            Verdict::Proved { .. } => Vec::new(),
            Verdict::Failed(run) => vec![failed(run, protocol)],
            Verdict::Bounded { caches, reason } => vec![bounded(*caches, *reason, protocol)],
        }
    }
}

/// The diagnostic of a run that goes wrong.
fn failed(run: &Counterexample, protocol: &Protocol) -> Diagnostic {
    let last = run.steps.last();
    let operation = last.map_or(Operation::Load, |step| step.operation);
    let message = run.violation.sentence(protocol, operation);
    let found = match last.and_then(|step| step.row) {
        Some(row) => Diagnostic::error(codes::PROTOCOL_NOT_COHERENT, message).at(protocol.row_span(row), ""),
        None => Diagnostic::error(codes::PROTOCOL_INCOMPLETE, message).at(protocol.table, ""),
    };
    let found = found.note(format!("with {} caches, none of which holds the line at first:", run.caches));
    let found = run.lines(protocol).into_iter().fold(found, Diagnostic::note);
    found.help(run.violation.help(protocol, operation))
}

/// The diagnostic of a protocol that could not be proved.
fn bounded(caches: usize, reason: Reason, protocol: &Protocol) -> Diagnostic {
    let message = match caches {
        0 => "whether the protocol is coherent is not known".to_owned(),
        _ => format!("the protocol is coherent for up to {caches} caches; for more it is not proved"),
    };
    let reason = match reason {
        Reason::Abstraction(operation, violation) => format!(
            "the proof counts caches as none, one or many, and there {}; a run of single caches was not found",
            violation.sentence(protocol, operation)
        ),
        Reason::Size => "there are too many configurations".to_owned(),
    };
    Diagnostic::warning(codes::PROTOCOL_NOT_COHERENT, message).at(protocol.table, "").note(reason)
}
