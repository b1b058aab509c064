//! Tokens: the output of the lexer and of the preprocessor.

use crate::place::{Place, PlaceInfo};
use std::sync::Arc;
use volvelle_diagnostics::Span;
use volvelle_syntax::{Language, kinds};

kinds! {
    /// The kind of a token.
    pub enum Kind {
        /// A name that is no keyword, and to the preprocessor every word.
        Word,
        /// Decimal digits.
        Number,
        /// `'a'`, with its quotes.
        Char,
        /// `"text"`, with its quotes.
        Text,
        /// The end of the text.
        End,
    }
    flaws {
        /// A character that Promela does not have.
        Unknown,
        /// A text without its closing quote.
        OpenText,
        /// An apostrophe that encloses no single character.
        Apostrophe,
        /// Digits that run into letters, as in `0x10`.
        BadNumber,
        /// The beginning of a comment without an end.
        OpenComment,
        /// An end without a comment.
        StrayEnd,
    }
    symbols {
        LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
        Semi ";", Comma ",", Dot ".", DotDot "..", Colon ":", ColonColon "::", Arrow "->", Assign "=",
        Increment "++", Decrement "--", Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Amp "&",
        AmpAmp "&&", Bar "|", BarBar "||", Caret "^", Tilde "~", Bang "!", BangBang "!!", Question "?",
        QuestionQuestion "??", At "@", Lt "<", Le "<=", Gt ">", Ge ">=", ShiftLeft "<<", ShiftRight ">>",
        EqualEqual "==", NotEqual "!=", Hash "#", HashHash "##", Backslash "\\",
    }
    words Keyword(
        /// The reserved words of the language.
        enum Keyword
    ) {
        Active "active", Assert "assert", Atomic "atomic", Bit "bit", Bool "bool", Break "break",
        Byte "byte", CCode "c_code", CDecl "c_decl", CExpr "c_expr", CState "c_state", CTrack "c_track",
        Chan "chan", DProctype "D_proctype", DStep "d_step", Do "do", Else "else", Empty "empty",
        Enabled "enabled", Eval "eval", False "false", Fi "fi", For "for", Full "full",
        GetPriority "get_priority", Goto "goto", Hidden "hidden", If "if", Init "init", Inline "inline",
        Int "int", Len "len", Local "local", Ltl "ltl", Mtype "mtype", Nempty "nempty", Never "never",
        Nfull "nfull", Notrace "notrace", Od "od", Of "of", PcValue "pc_value", Pid "pid",
        Printf "printf", Printm "printm", Priority "priority", Proctype "proctype", Provided "provided",
        Return "return", Run "run", Select "select", SetPriority "set_priority", Short "short",
        Show "show", Skip "skip", Timeout "timeout", Trace "trace", True "true", Typedef "typedef",
        Unless "unless", Unsigned "unsigned", Xr "xr", Xs "xs",
    }
}

/// The keyword that a word is.
pub fn keyword(text: &str) -> Option<Kind> {
    Some(Kind::LEXICON.word(text.as_bytes())).filter(|kind| *kind != Kind::Word)
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
