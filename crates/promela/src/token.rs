//! Tokens: the output of the lexer and of the preprocessor.

use crate::place::{Place, PlaceInfo};
use std::sync::Arc;
use volvelle_diagnostics::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the operators are named by their text in `fixed_text`
pub enum Kind {
    /// A name that is no keyword, and to the preprocessor every word.
    Word,
    Keyword(Keyword),
    /// Decimal digits.
    Number,
    /// `'a'`, with its quotes.
    Char,
    /// `"text"`, with its quotes.
    Text,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Semi,
    Comma,
    Dot,
    DotDot,
    Colon,
    ColonColon,
    Arrow,
    Assign,
    Increment,
    Decrement,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    AmpAmp,
    Bar,
    BarBar,
    Caret,
    Tilde,
    Bang,
    BangBang,
    Question,
    QuestionQuestion,
    At,
    Lt,
    Le,
    Gt,
    Ge,
    ShiftLeft,
    ShiftRight,
    EqualEqual,
    NotEqual,
    Hash,
    HashHash,
    Backslash,
    /// Text that begins no token, or an unfinished token.
    Bad(Bad),
    /// The end of the text.
    End,
}

/// The reason why text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bad {
    /// A character that Promela does not have.
    Character,
    /// A text without its closing quote.
    OpenText,
    /// An apostrophe that encloses no single character.
    Apostrophe,
    /// Digits that run into letters, as in `0x10`.
    Number,
}

macro_rules! keywords {
    ($($name:ident = $text:literal,)*) => {
        /// The reserved words of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the names say it
        pub enum Keyword { $($name,)* }

        impl Keyword {
            /// The keyword that a word is.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text {
                    $($text => Some(Keyword::$name),)*
                    _ => None,
                }
            }

            /// Its text.
            pub fn text(self) -> &'static str {
                match self {
                    $(Keyword::$name => $text,)*
                }
            }
        }

        /// All keywords, for generators and dictionaries.
        pub const KEYWORDS: &[Keyword] = &[$(Keyword::$name,)*];
    };
}

keywords! {
    Active = "active",
    Assert = "assert",
    Atomic = "atomic",
    Bit = "bit",
    Bool = "bool",
    Break = "break",
    Byte = "byte",
    CCode = "c_code",
    CDecl = "c_decl",
    CExpr = "c_expr",
    CState = "c_state",
    CTrack = "c_track",
    Chan = "chan",
    DProctype = "D_proctype",
    DStep = "d_step",
    Do = "do",
    Else = "else",
    Empty = "empty",
    Enabled = "enabled",
    Eval = "eval",
    False = "false",
    Fi = "fi",
    For = "for",
    Full = "full",
    GetPriority = "get_priority",
    Goto = "goto",
    Hidden = "hidden",
    If = "if",
    Init = "init",
    Inline = "inline",
    Int = "int",
    Len = "len",
    Local = "local",
    Ltl = "ltl",
    Mtype = "mtype",
    Nempty = "nempty",
    Never = "never",
    Nfull = "nfull",
    Notrace = "notrace",
    Od = "od",
    Of = "of",
    PcValue = "pc_value",
    Pid = "pid",
    Printf = "printf",
    Printm = "printm",
    Priority = "priority",
    Proctype = "proctype",
    Provided = "provided",
    Return = "return",
    Run = "run",
    Select = "select",
    SetPriority = "set_priority",
    Short = "short",
    Show = "show",
    Skip = "skip",
    Timeout = "timeout",
    Trace = "trace",
    True = "true",
    Typedef = "typedef",
    Unless = "unless",
    Unsigned = "unsigned",
    Xr = "xr",
    Xs = "xs",
}

/// A token, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// Its text.
    pub text: Arc<str>,
    /// Where it was written.
    pub span: Span,
    /// The macro or inline call that brought it.
    pub through: Option<Place>,
    /// White space or a comment stands before it.
    pub spaced: bool,
    /// It is the first of its line, where it was written.
    pub starts_line: bool,
    /// The name of a macro inside the expansion of that macro: it is not expanded any more.
    pub painted: bool,
}

impl Token {
    /// Where it was written, and the call that brought it.
    pub fn info(&self) -> PlaceInfo {
        PlaceInfo { span: self.span, through: self.through }
    }
}

impl Kind {
    /// The text of a token whose kind has only one.
    pub fn fixed_text(self) -> Option<&'static str> {
        Some(match self {
            Kind::Keyword(word) => word.text(),
            Kind::LeftParen => "(",
            Kind::RightParen => ")",
            Kind::LeftBracket => "[",
            Kind::RightBracket => "]",
            Kind::LeftBrace => "{",
            Kind::RightBrace => "}",
            Kind::Semi => ";",
            Kind::Comma => ",",
            Kind::Dot => ".",
            Kind::DotDot => "..",
            Kind::Colon => ":",
            Kind::ColonColon => "::",
            Kind::Arrow => "->",
            Kind::Assign => "=",
            Kind::Increment => "++",
            Kind::Decrement => "--",
            Kind::Plus => "+",
            Kind::Minus => "-",
            Kind::Star => "*",
            Kind::Slash => "/",
            Kind::Percent => "%",
            Kind::Amp => "&",
            Kind::AmpAmp => "&&",
            Kind::Bar => "|",
            Kind::BarBar => "||",
            Kind::Caret => "^",
            Kind::Tilde => "~",
            Kind::Bang => "!",
            Kind::BangBang => "!!",
            Kind::Question => "?",
            Kind::QuestionQuestion => "??",
            Kind::At => "@",
            Kind::Lt => "<",
            Kind::Le => "<=",
            Kind::Gt => ">",
            Kind::Ge => ">=",
            Kind::ShiftLeft => "<<",
            Kind::ShiftRight => ">>",
            Kind::EqualEqual => "==",
            Kind::NotEqual => "!=",
            Kind::Hash => "#",
            Kind::HashHash => "##",
            Kind::Backslash => "\\",
            Kind::Word | Kind::Number | Kind::Char | Kind::Text | Kind::Bad(_) | Kind::End => return None,
        })
    }
}

/// The number that a character in quotes stands for.
pub(crate) fn character_value(text: &str) -> i64 {
    let mut inside = text.chars().skip(1);
    let value = match inside.next() {
        Some('\\') => match inside.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('f') => '\x0c',
            Some(other) => other,
            None => '\0',
        },
        Some(other) => other,
        None => '\0',
    };
    i64::from(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_have_their_text() {
        for &word in KEYWORDS {
            assert_eq!(Keyword::from_text(word.text()), Some(word));
            assert_eq!(Kind::Keyword(word).fixed_text(), Some(word.text()));
        }
        for name in ["in", "always", "np_", "_pid", "STDIN", "If", "return_"] {
            assert_eq!(Keyword::from_text(name), None, "{name} is a name");
        }
    }
}
