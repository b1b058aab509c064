//! What is being read, and what names mean there: macros, the calls that lead into their bodies, and variables that are bound.

use crate::token::Token;
use crate::tree::VariableId;
use std::ops::Range;
use volvelle_diagnostics::Span;

/// A text with its tokens.
pub(super) struct TokenList<'t> {
    pub text: &'t str,
    pub tokens: Vec<Token>,
    pub is_library: bool,
}

/// A part of a list that is being read, and what names mean in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub list: usize,
    pub at: usize,
    pub end: usize,
    /// The call whose parameters are known here.
    pub call: Option<usize>,
    /// The innermost variable that is bound here.
    pub scope: Option<usize>,
    /// How many macros are known here: those that are defined before.
    pub macros: usize,
    /// The call in the text that led here.
    pub origin: Option<Span>,
}

impl Frame {
    pub fn outermost(list: usize, end: usize) -> Self {
        Frame { list, at: 0, end, call: None, scope: None, macros: 0, origin: None }
    }
}

/// A definition. Its body is the tokens `body` of a list.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub name: String,
    pub parameters: Vec<String>,
    pub list: usize,
    pub body: Range<usize>,
}

/// A call: the arguments of the parameters of a macro.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub of: usize,
    pub arguments: Vec<Frame>,
}

/// A variable that is bound, and the one bound around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub variable: VariableId,
    pub outer: Option<usize>,
}
