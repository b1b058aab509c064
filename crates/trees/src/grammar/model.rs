//! A grammar whose names are numbers.

use super::syntax::{Mode, Times};
use crate::classes::{Classes, FieldId};
use volvelle_diagnostics::Span;

/// The kind of a token: 0 is the end of the text; then come terminals, and then keywords.
pub(crate) type TokenKind = u16;

/// The kind of the end of the text.
pub(crate) const END: TokenKind = 0;

/// A kind of tokens.
#[derive(Clone, Debug)]
pub(crate) struct TokenClass {
    /// The name of a terminal, the text of a keyword.
    pub text: String,
    pub is_keyword: bool,
    /// Whether it stands between tokens.
    pub is_hidden: bool,
}

impl TokenClass {
    /// As messages name it.
    pub fn shown(&self) -> String {
        if self.is_keyword { format!("`{}`", self.text) } else { self.text.clone() }
    }
}

/// What a field is said to hold at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holding {
    Text { is_list: bool },
    Flag,
    Node { sort: usize, is_list: bool },
    Reference { sort: usize, is_list: bool },
}

/// A name of a class. Several become one class where each is a kind of the others.
#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub name: String,
    /// Where it was named first.
    pub span: Span,
    /// Whether `class` declares it.
    pub is_declared: bool,
    /// Whether some rule makes nodes of it.
    pub is_made: bool,
    /// Those that it is a kind of, directly, with the places that say so.
    pub supertypes: Vec<(usize, Span)>,
    /// What is said about its fields.
    pub fields: Vec<(FieldId, Holding, Span)>,
}

/// A part of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Sequence(Vec<Part>),
    Choice(Vec<Part>, Span),
    Repeat { inner: Box<Part>, times: Times, span: Span },
    Token { kind: TokenKind, field: Option<(FieldId, Mode)>, refers_to: Option<usize>, span: Span },
    Call { rule: usize, field: Option<(FieldId, Mode)>, span: Span },
    New { sort: usize, span: Span },
    Wrap { sort: usize, field: FieldId, mode: Mode, span: Span },
}

impl Part {
    /// Its place.
    pub fn span(&self) -> Option<Span> {
        match self {
            Part::Sequence(parts) => {
                let mut spans = parts.iter().filter_map(Part::span);
                let first = spans.next()?;
                Some(spans.fold(first, Span::to))
            }
            Part::Choice(_, span)
            | Part::Repeat { span, .. }
            | Part::Token { span, .. }
            | Part::Call { span, .. }
            | Part::New { span, .. }
            | Part::Wrap { span, .. } => Some(*span),
        }
    }
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleModel {
    pub name: String,
    pub span: Span,
    /// The class of what it makes.
    pub sort: usize,
    /// Whether it stands for a level of operators of another one.
    pub is_level: bool,
    pub body: Part,
}

/// A grammar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub tokens: Vec<TokenClass>,
    pub rules: Vec<RuleModel>,
    pub entry: usize,
    pub sorts: Vec<Sort>,
    pub classes: Classes,
}
