//! Misspelt words that begin declarations and end blocks: read as what was meant, so that the rest of the text is.

use crate::lex::{Keyword, TokenKind};
use crate::parse::cursor::{Parser, opens_or_closes};
use volvelle_diagnostics::{Diagnostic, Fix, Span, codes, nearest};

/// Words that begin declarations.
const BEGINNINGS: [Keyword; 11] = [
    Keyword::Const,
    Keyword::Ctmc,
    Keyword::Dtmc,
    Keyword::Formula,
    Keyword::Global,
    Keyword::Init,
    Keyword::Label,
    Keyword::Mdp,
    Keyword::Module,
    Keyword::Rewards,
    Keyword::System,
];

impl Parser<'_> {
    /// Whether the next token is the misspelt word that ends a block: a name near to it at the start of a line, behind which nothing of the
    /// block can follow.
    pub(super) fn at_misspelt_end(&self, end: Keyword) -> bool {
        let (token, next) = (self.token(), self.ahead(1));
        let is_over = match next.kind {
            TokenKind::End => true,
            TokenKind::Keyword(word) => opens_or_closes(word),
            TokenKind::Ident => next.starts_line,
            TokenKind::LeftBracket => next.starts_line && end == Keyword::Endinvariant,
            _ => false,
        };
        let is_alone = token.kind == TokenKind::Ident && token.starts_line && is_over;
        is_alone && nearest(self.text_of(token), [end.text()]).is_some()
    }

    /// Reads it as the word.
    pub(super) fn misspelt_end(&mut self, end: Keyword, start: Span, what: &str) {
        let word = end.text();
        let message = format!("expected `{word}`, found {}", self.describe(self.token()));
        let fix = Fix::instead(self.span(), self.text_of(self.token()), word).certain();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message)
            .at(self.span(), format!("did you mean `{word}`?"))
            .also(start, format!("to close {what}"));
        self.report(diagnostic.fix(fix));
        self.advance();
    }

    /// The word that was meant by the next token, which begins no declaration, if what follows is that of one. It is reported.
    pub(super) fn misspelt_beginning(&mut self) -> Option<Keyword> {
        let token = self.token();
        let is_first = self.number() == 0 || token.starts_line;
        if token.kind != TokenKind::Ident || !is_first {
            return None;
        }
        let text = self.text_of(token);
        let fitting = BEGINNINGS.iter().copied().filter(|word| self.may_follow(*word));
        let near = nearest(text, fitting.map(Keyword::text))?;
        let meant = BEGINNINGS.iter().copied().find(|word| word.text() == near.name)?;
        let expected = "a declaration, such as `const`, `module` or `rewards`";
        let message = format!("expected {expected}, found {}", self.describe(token));
        let fix = Fix::instead(self.span(), text, near.name).certain_if(near.is_certain);
        let label = format!("did you mean `{}`?", near.name);
        self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(self.span(), label).fix(fix));
        Some(meant)
    }

    /// Whether what stands behind the next token may stand behind a word that begins a declaration.
    fn may_follow(&self, word: Keyword) -> bool {
        use {Keyword as K, TokenKind as T};
        let (next, after) = (self.ahead(1), self.ahead(2).kind);
        let is_condition = matches!(
            next.kind,
            T::Ident | T::LeftParen | T::Not | T::Int | T::Real | T::Keyword(K::True | K::False)
        );
        match word {
            K::Const => match next.kind {
                T::Keyword(K::Int | K::Double | K::Bool) => true,
                T::Ident => matches!(after, T::Eq | T::Semicolon),
                _ => false,
            },
            K::Formula => next.kind == T::Ident && matches!(after, T::Eq | T::Colon),
            K::Global => next.kind == T::Ident && after == T::Colon,
            K::Label => matches!(next.kind, T::Quoted | T::Ident) && after == T::Eq,
            K::Module => next.kind == T::Ident && !next.starts_line,
            K::Rewards => next.kind == T::Quoted || next.kind == T::LeftBracket || is_condition,
            K::Init => is_condition,
            K::System => matches!(next.kind, T::Ident | T::LeftParen | T::Quoted),
            _ => next.starts_line || next.kind == T::End,
        }
    }
}
