//! Mistakes in a text, while it is read.

use crate::grammar::code::At;
use volvelle_diagnostics::Diagnostic;

/// A place to go on with a kind of token.
#[derive(Clone, Copy)]
pub(super) struct Resume {
    pub(super) frame: u32,
    pub(super) at: At,
    /// Whether it is likely to be meant: in the same rule, by a keyword, or because one token was forgotten.
    pub(super) is_likely: bool,
}

/// Mistakes so far.
pub(super) struct Mistakes {
    pub(super) found: Vec<Diagnostic>,
    pub(super) count: u32,
    /// The token of the last one.
    pub(super) last: Option<u32>,
    pub(super) resumes: Vec<Option<Resume>>,
}

impl Mistakes {
    pub(super) fn new(kinds: usize) -> Self {
        Mistakes { found: Vec::new(), count: 0, last: None, resumes: vec![None; kinds] }
    }
}
