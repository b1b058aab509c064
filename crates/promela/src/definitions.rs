//! Macros and inlines of a model, which its tree shows only expanded.

use crate::place::PlaceInfo;
use crate::token::{Kind, Token};
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

/// A macro or an inline, where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Arc<str>,
    /// Where its name stands.
    pub span: Span,
    /// All of it.
    pub whole: Span,
    /// Whether it is an inline.
    pub is_inline: bool,
    /// Its parameters, with the places in its body that they take.
    pub parameters: Vec<(Arc<str>, Span, Vec<Span>)>,
}

impl Definition {
    pub(crate) fn new(
        name: &Token,
        whole: Span,
        is_inline: bool,
        parameters: &[Token],
        body: &[Token],
    ) -> Self {
        let mut found: Vec<_> = parameters.iter().map(|p| (p.text.clone(), p.span, Vec::new())).collect();
        let numbers: FxHashMap<&str, usize> =
            parameters.iter().enumerate().map(|(number, parameter)| (&*parameter.text, number)).collect();
        for token in body.iter().filter(|token| token.kind == Kind::Word && token.through == name.through) {
            if let Some(&number) = numbers.get(&*token.text) {
                found[number].2.push(token.span);
            }
        }
        Definition { name: name.text.clone(), span: name.span, whole, is_inline, parameters: found }
    }
}

/// Macros and inlines as the texts have them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Written {
    /// All definitions, also those that others replace later.
    pub definitions: Vec<Definition>,
    /// Where names of definitions stand that are used there, each with the place of the name in its definition. Text that comes to several
    /// places means what it means in the first.
    pub uses: FxHashMap<Span, Span>,
}

/// The definitions of a model, for formulas that are parsed after it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definitions {
    /// What was written.
    pub written: Written,
    /// Macros as they are at the end of the text.
    pub macros: Macros,
    /// Inlines.
    pub inlines: Inlines,
}
