//! Mistakes: what is said about them, and where reading goes on.

use super::{DEEPEST, Parser};
use crate::lexer::{Flaw, NO_PARTNER};
use crate::token::T;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// Mistakes that are told of one text.
const MOST_TOLD: usize = 100;

/// How a kind of token is written in messages.
fn spelling(kind: T) -> &'static str {
    match kind {
        T::Open => "`(`",
        T::Close => "`)`",
        T::OpenBrace => "`{`",
        T::CloseBrace => "`}`",
        T::CloseBracket => "`]`",
        T::Semicolon => "`;`",
        T::Colon => "`:`",
        T::Arrow => "`=>`",
        T::Assign => "`=`",
        T::Greater => "`>`",
        T::While => "`while`",
        T::Text => "a text in quotes",
        T::TemplateTail => "`}`",
        _ => "something else",
    }
}

/// What helps where a kind of token is missing.
fn way_out(kind: T) -> &'static str {
    match kind {
        T::Semicolon => "end the statement with `;` or a new line",
        T::Close | T::CloseBrace | T::CloseBracket | T::Greater | T::TemplateTail => {
            "close the bracket, or take out what should not be in it"
        }
        _ => "write it there, or take out the construct that wants it",
    }
}

impl Parser<'_> {
    /// The next token as messages name it.
    fn found_token(&self) -> String {
        if self.is(T::End) {
            return "the end of the text".to_owned();
        }
        let text = self.spelling(self.at);
        // A long text or template is not shown in the middle of a sentence.
        match text.char_indices().nth(30) {
            Some((at, _)) => format!("`{}…`", text[..at].lines().next().unwrap_or_default()),
            None => format!("`{}`", text.lines().next().unwrap_or_default()),
        }
    }

    /// Tells that something else should stand at the next token, once for each token.
    pub(super) fn expected(&mut self, wanted: &str) {
        self.expected_for(wanted, "write it there, or take out what stands there instead");
    }

    fn expected_for(&mut self, wanted: &str, way_out: &str) {
        if self.is_to_be_told() {
            let message = format!("expected {wanted}, found {}", self.found_token());
            self.tell(message, way_out);
        }
    }

    /// Whether nothing was told at the next token.
    fn is_to_be_told(&self) -> bool {
        self.told_at != self.at && self.found.len() < 2 * MOST_TOLD
    }

    /// Tells a mistake at the next token.
    pub(super) fn mistake(&mut self, message: &str, way_out: &str) {
        if self.is_to_be_told() {
            self.tell(message.to_owned(), way_out);
        }
    }

    fn tell(&mut self, message: String, way_out: &str) {
        let token = self.token();
        let span = Span::new(self.file, token.start as usize, token.end as usize);
        let label = if token.kind == T::End { "the text ends here" } else { "" };
        self.found.push(Diagnostic::error(codes::N4JS_SYNTAX, message).at(span, label).help(way_out));
        self.told_at = self.at;
    }

    /// Takes a token; tells that it is missing.
    pub(super) fn expect(&mut self, kind: T) -> bool {
        let found = self.take(kind);
        if !found {
            self.expected_for(spelling(kind), way_out(kind));
        }
        found
    }

    /// The end of a statement: `;`, or where a line or a block ends.
    pub(super) fn semicolon(&mut self) {
        if !self.take(T::Semicolon)
            && !self.is_behind_line()
            && !matches!(self.kind(), T::CloseBrace | T::End)
        {
            self.expected_for(spelling(T::Semicolon), way_out(T::Semicolon));
        }
    }

    /// What is nested deeper than the limit is left out, up to where what it is in goes on.
    pub(super) fn too_deep(&mut self) {
        if !self.is_depth_told {
            self.is_depth_told = true;
            let message = format!("this is within more than {DEEPEST} others");
            self.tell(message, "give a part of it a name of its own");
        }
        while !matches!(
            self.kind(),
            T::End
                | T::Semicolon
                | T::Close
                | T::CloseBracket
                | T::CloseBrace
                | T::TemplateMiddle
                | T::TemplateTail
        ) {
            self.jump();
        }
        self.told_at = self.at;
    }

    /// Takes a token; a bracket with all that is in it, a template with all its parts.
    pub(super) fn jump(&mut self) {
        while self.token().partner != NO_PARTNER {
            self.at = self.token().partner as usize;
            if !self.is(T::TemplateMiddle) {
                break;
            }
        }
        self.advance();
    }

    /// Behind a mistake in a list: goes on to the next comma of it. Whether the list goes on.
    pub(super) fn skip_in_list(&mut self, close: T, before: usize) -> bool {
        // The next item follows, only the comma was forgotten.
        if self.at > before && !self.is_behind_line() && self.begins_item() {
            return true;
        }
        loop {
            match self.kind() {
                T::Comma => {
                    self.advance();
                    self.told_at = self.at;
                    return true;
                }
                kind if kind == close => return true,
                T::Semicolon if close == T::CloseBrace => self.advance(),
                T::End
                | T::Semicolon
                | T::Close
                | T::CloseBracket
                | T::CloseBrace
                | T::TemplateMiddle
                | T::TemplateTail => {
                    return false;
                }
                kind if kind != T::Function
                    && kind != T::Class
                    && self.begins_statement(kind)
                    && self.is_behind_line() =>
                {
                    return false;
                }
                _ => self.jump(),
            }
        }
    }

    fn begins_item(&self) -> bool {
        self.kind().is_name() || matches!(self.kind(), T::Text | T::Number)
    }

    /// Whether a token begins a statement and nothing else.
    pub(super) fn begins_statement(&self, kind: T) -> bool {
        use T::{
            Break, Case, Class, Const, Continue, Debugger, Do, Export, For, Function, If, Import, Return,
            Switch, Throw, Try, Var, While, With,
        };
        matches!(
            kind,
            Break
                | Case
                | Class
                | Const
                | Continue
                | Debugger
                | Do
                | Export
                | For
                | Function
                | If
                | Import
                | Return
                | Switch
                | Throw
                | Try
                | Var
                | While
                | With
        )
    }

    /// Behind a mistake at which no statement begins: leaves out the rest of the line, or up to `;`.
    pub(super) fn skip_statement(&mut self) {
        loop {
            self.jump();
            let kind = self.kind();
            if self.take(T::Semicolon)
                || matches!(kind, T::End | T::CloseBrace)
                || self.is_behind_line()
                || self.begins_statement(kind)
            {
                return;
            }
        }
    }

    pub(super) fn tell_flaws(&mut self, flaws: &[(Flaw, u32, u32)]) {
        for &(flaw, start, end) in flaws.iter().take(MOST_TOLD) {
            let (message, way_out) = match flaw {
                Flaw::Unknown => ("this is nothing that N4JS knows", "take it out"),
                Flaw::OpenText => {
                    ("the text has no closing quote in its line", "close it, or write `\\n` for a line break")
                }
                Flaw::OpenTemplate => ("the template has no closing `` ` ``", "close it"),
                Flaw::OpenComment => ("the comment has no closing `*/`", "close it"),
                Flaw::OpenRegex => ("the regular expression has no closing `/` in its line", "close it"),
                Flaw::Number => ("this is no number", "write digits of its base, and a space before a name"),
                Flaw::Escape => {
                    ("`\\` in a name begins `\\u` and a code", "write `\\u` with four digits, or take it out")
                }
            };
            let span = Span::new(self.file, start as usize, end as usize);
            self.found.push(Diagnostic::error(codes::N4JS_SYNTAX, message).at(span, "").help(way_out));
        }
    }

    /// What was told, in the order of the text. Of several at one place, the first.
    pub(super) fn told(&mut self) -> Vec<Diagnostic> {
        let mut found = std::mem::take(&mut self.found);
        let place = |found: &Diagnostic| found.primary.as_ref().map(|label| label.span.start);
        found.sort_by_key(place);
        found.dedup_by_key(|found| place(found));
        found.truncate(MOST_TOLD);
        found
    }
}
