//! Macros and inlines of a model, which its tree shows only expanded.

use crate::place::PlaceInfo;
use crate::token::Token;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use volvelle_diagnostics::Span;

/// `#define name(parameters) body`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Macro {
    /// `None`: a macro without arguments.
    pub parameters: Option<Vec<Arc<str>>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Vec<Token>,
    /// Its name where it was defined.
    pub span: Span,
}

/// The macros of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Macros(pub(crate) FxHashMap<Arc<str>, Arc<Macro>>);

/// `inline name(parameters) { body }`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inline {
    pub parameters: Vec<Arc<str>>,
    /// With its braces.
    pub body: Vec<Token>,
    /// Its name where it was defined.
    pub name: PlaceInfo,
}

/// The inlines of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inlines(pub(crate) FxHashMap<Arc<str>, Arc<Inline>>);

impl Inlines {
    /// Whether a piece of the text lies within an inline.
    pub fn contain(&self, span: Span) -> bool {
        self.0.values().any(|inline| match (inline.body.first(), inline.body.last()) {
            (Some(first), Some(last)) => {
                first.span.file == span.file && first.span.start <= span.start && span.end <= last.span.end
            }
            _ => false,
        })
    }
}

/// The definitions of a model, for formulas that are parsed after it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definitions {
    /// Macros as they are at the end of the text.
    pub macros: Macros,
    /// Inlines.
    pub inlines: Inlines,
}
