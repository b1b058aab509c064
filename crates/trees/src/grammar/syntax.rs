//! Grammar files as trees.

use volvelle_diagnostics::Span;

/// A word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// A grammar file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub name: Option<Word>,
    pub terminals: Vec<Terminal>,
    pub classes: Vec<ClassDeclaration>,
    pub rules: Vec<Rule>,
}

/// A terminal; the text of a hidden one stands between tokens.
#[derive(Debug)]
pub(crate) struct Terminal {
    pub name: Word,
    /// The regular expression, without its slashes.
    pub pattern: Word,
    pub is_hidden: bool,
}

/// `class Fun : Binder { name: text }`.
#[derive(Debug)]
pub(crate) struct ClassDeclaration {
    pub name: Word,
    pub supertypes: Vec<Word>,
    pub fields: Vec<FieldDeclaration>,
}

/// A field of a class that is declared.
#[derive(Debug)]
pub(crate) struct FieldDeclaration {
    pub name: Word,
    pub holds: Holds,
}

/// What a field is declared to hold.
#[derive(Debug)]
pub(crate) enum Holds {
    Text { is_list: bool },
    Flag,
    Node { class: Word, is_list: bool },
    Reference { class: Word, is_list: bool },
}

/// A rule. Operators are rules of their own by now, one for each level.
#[derive(Debug)]
pub(crate) struct Rule {
    pub name: Word,
    /// The name of the class of what it makes.
    pub class: Word,
    pub is_entry: bool,
    /// Whether it stands for a level of operators of the rule before it.
    pub is_level: bool,
    pub body: Element,
}

/// How an assignment puts a value into a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `?=`
    Flag,
}

/// A part of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    /// One behind the other.
    Sequence(Vec<Element>),
    /// One of them.
    Choice(Vec<Element>),
    /// `?`, `*` or `+`.
    Repeat { inner: Box<Element>, times: Times, span: Span },
    /// A keyword, a terminal or a rule, with the field that it goes to.
    Item { what: Item, field: Option<(Word, Mode)>, span: Span },
    /// `{Class}`
    New(Word),
    /// `{Class.field=current}`
    Wrap { class: Word, field: Word, mode: Mode },
}

/// How often something stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    Optional,
    Any,
    Some,
}

/// What stands in a text.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Keyword(String),
    /// A terminal or a rule.
    Name(String),
    /// `[Class:TERMINAL]`
    Reference {
        class: Word,
        terminal: Option<Word>,
    },
}

impl Element {
    /// Its place.
    pub fn span(&self) -> Option<Span> {
        match self {
            Element::Sequence(parts) | Element::Choice(parts) => {
                let mut spans = parts.iter().filter_map(Element::span);
                let first = spans.next()?;
                Some(spans.fold(first, Span::to))
            }
            Element::Repeat { span, .. } | Element::Item { span, .. } => Some(*span),
            Element::New(class) => Some(class.span),
            Element::Wrap { class, field, .. } => Some(class.span.to(field.span)),
        }
    }
}
