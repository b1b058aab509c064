//! Why a text in the Hanoi format is not read.

use std::ops::Range;

/// Automata with more states, transitions or parts of labels than this are refused.
pub(super) const MOST: usize = 1 << 24;

/// A mistake in a file, or something in it that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// Its place in the text, in bytes.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// A way out.
    pub help: Option<&'static str>,
}

impl HoaError {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        HoaError { at, message: message.into(), help: None }
    }

    pub(super) fn help(self, help: &'static str) -> Self {
        HoaError { help: Some(help), ..self }
    }
}
