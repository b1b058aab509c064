//! Tokens of models and property files.

use volvelle_diagnostics::{FileId, Span};

/// The kind of a token. Its text is under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum TokenKind {
    /// A name that is not reserved.
    Ident,
    /// A reserved word.
    Keyword(Keyword),
    /// An integer literal.
    Int,
    /// A real literal, or an integer with leading zeros.
    Real,
    /// `"name"`, quotes included in the span.
    Quoted,
    Not,
    And,
    Or,
    Implies,
    Iff,
    Arrow,
    Colon,
    Semicolon,
    Comma,
    Dots,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Plus,
    Minus,
    Times,
    Divide,
    Caret,
    Prime,
    Question,
    /// Behind the last token.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
    /// Whether a line starts with it.
    pub starts_line: bool,
}

impl Token {
    /// The token's place.
    pub fn span(self, file: FileId) -> Span {
        Span { file, start: self.start, end: self.end }
    }
}

macro_rules! keywords {
    ($($name:ident = $text:literal,)*) => {
        /// Reserved words: PRISM manual, *The PRISM Language*, *Identifiers*.
        ///
        /// Not reserved here: `of`, which the manual lists and PRISM 4 accepts as a name, and the words of
        /// game models (`Pmaxmin`, `player`, …), which are recognised where they can stand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the names say it
        pub enum Keyword {
            $($name,)*
        }

        impl Keyword {
            /// The reserved word with this spelling.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text {
                    $($text => Some(Keyword::$name),)*
                    _ => None,
                }
            }

            /// Its spelling.
            pub fn text(self) -> &'static str {
                match self {
                    $(Keyword::$name => $text,)*
                }
            }
        }
    };
}

keywords! {
    A = "A",
    Bool = "bool",
    Clock = "clock",
    Const = "const",
    Ctmc = "ctmc",
    C = "C",
    Double = "double",
    Dtmc = "dtmc",
    E = "E",
    Endinit = "endinit",
    Endinvariant = "endinvariant",
    Endmodule = "endmodule",
    Endobservables = "endobservables",
    Endrewards = "endrewards",
    Endsystem = "endsystem",
    False = "false",
    Filter = "filter",
    Formula = "formula",
    Func = "func",
    F = "F",
    Global = "global",
    G = "G",
    Init = "init",
    Invariant = "invariant",
    I = "I",
    Int = "int",
    Label = "label",
    Max = "max",
    Mdp = "mdp",
    Min = "min",
    Module = "module",
    X = "X",
    Nondeterministic = "nondeterministic",
    Observable = "observable",
    Observables = "observables",
    Pmax = "Pmax",
    Pmin = "Pmin",
    P = "P",
    Pomdp = "pomdp",
    Popta = "popta",
    Probabilistic = "probabilistic",
    Prob = "prob",
    Pta = "pta",
    Rate = "rate",
    Rewards = "rewards",
    Rmax = "Rmax",
    Rmin = "Rmin",
    R = "R",
    S = "S",
    Stochastic = "stochastic",
    System = "system",
    True = "true",
    U = "U",
    W = "W",
}

impl TokenKind {
    /// The spelling, where all tokens of the kind have the same.
    pub fn fixed_text(self) -> Option<&'static str> {
        Some(match self {
            TokenKind::Ident | TokenKind::Int | TokenKind::Real | TokenKind::Quoted | TokenKind::End => {
                return None;
            }
            TokenKind::Keyword(word) => word.text(),
            TokenKind::Not => "!",
            TokenKind::And => "&",
            TokenKind::Or => "|",
            TokenKind::Implies => "=>",
            TokenKind::Iff => "<=>",
            TokenKind::Arrow => "->",
            TokenKind::Colon => ":",
            TokenKind::Semicolon => ";",
            TokenKind::Comma => ",",
            TokenKind::Dots => "..",
            TokenKind::LeftParen => "(",
            TokenKind::RightParen => ")",
            TokenKind::LeftBracket => "[",
            TokenKind::RightBracket => "]",
            TokenKind::LeftBrace => "{",
            TokenKind::RightBrace => "}",
            TokenKind::Eq => "=",
            TokenKind::Ne => "!=",
            TokenKind::Lt => "<",
            TokenKind::Gt => ">",
            TokenKind::Le => "<=",
            TokenKind::Ge => ">=",
            TokenKind::Plus => "+",
            TokenKind::Minus => "-",
            TokenKind::Times => "*",
            TokenKind::Divide => "/",
            TokenKind::Caret => "^",
            TokenKind::Prime => "'",
            TokenKind::Question => "?",
        })
    }
}
