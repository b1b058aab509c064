//! The parser around its cursor: reporting, resynchronising.

use crate::ast::{Broken, Coalition, Declares, ExprId, ExprKind, Exprs, Name};
use crate::lex::{Keyword, Lexed, Quotes, Token, TokenKind, lex, quoted_name, shortened};
use crate::parse::NESTING_LIMIT;
use crate::parse::frames::{Frame, Mode};
use volvelle_diagnostics::{Code, Diagnostic, FileId, Fix, Span, codes};
use volvelle_syntax::{Cursor, Spelt, around_cursor};

/// Syntax errors after which a file is no longer described.
const ERROR_LIMIT: usize = 100;

/// A syntax error was reported; the parser of the construct around it resynchronises.
#[derive(Debug)]
pub(super) struct Reported;

/// The result of parsing a construct.
pub(super) type Parsed<T> = Result<T, Reported>;

/// State of a parse: cursor, the arena under construction, the stack of the expression parser.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a, TokenKind>,
    pub(super) exprs: Exprs,
    pub(super) frames: Vec<Frame>,
    /// Coalitions whose operands in parentheses are being read.
    pub(super) coalitions: Vec<Coalition>,
    pub(super) mode: Mode,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The number of errors, also of those that are not shown.
    pub(super) errors: usize,
    /// Reserved words that were reported, in this file or property.
    pub(super) reserved: Vec<Keyword>,
    /// The name of the declaration that is being read.
    pub(super) started: Option<Span>,
    /// Declarations that could not be read.
    pub(super) broken: Vec<Broken>,
    /// Places that the lexer reported.
    unreadable: Vec<Span>,
}

around_cursor!(Parser, TokenKind);

impl<'a> Parser<'a> {
    pub(super) fn new(file: FileId, text: &'a str, quotes: Quotes) -> Self {
        // Offsets are 32 bits wide: a longer text is refused as a whole.
        let fits = u32::try_from(text.len()).is_ok();
        let text = if fits { text } else { "" };
        let Lexed { tokens, mut diagnostics, unreadable } = lex(file, text, quotes);
        if !fits {
            diagnostics.push(Diagnostic::error(codes::FILE_NOT_READ, "the file is larger than 4 GiB"));
        }
        Parser {
            errors: 0,
            reserved: Vec::new(),
            started: None,
            broken: Vec::new(),
            unreadable,
            cursor: Cursor::new(file, text, tokens),
            exprs: Exprs::default(),
            frames: Vec::new(),
            coalitions: Vec::new(),
            mode: Mode::PLAIN,
            diagnostics,
        }
    }

    /// The diagnostics in the order of the text.
    pub(super) fn finish(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        diagnostics.sort_by_key(|d| d.primary.as_ref().map_or(0, |label| label.span.start));
        diagnostics
    }

    pub(super) fn at_keyword(&self, word: Keyword) -> bool {
        self.at(TokenKind::Keyword(word))
    }

    /// Whether the next tokens are `first` and, touching it, `second`.
    pub(super) fn at_joined(&self, first: TokenKind, second: TokenKind) -> bool {
        let (a, b) = (self.token(), self.ahead(1));
        a.kind == first && b.kind == second && a.end == b.start
    }

    /// The place of the token consumed last; the start of the file before the first.
    pub(super) fn last_span(&self) -> Span {
        if self.number() == 0 { Span::new(self.file, 0, 0) } else { self.before() }
    }

    /// Consumes a token of this kind, or reports an error: expected `…` `place` (such as "after the guard").
    pub(super) fn expect(&mut self, kind: TokenKind, place: &str) -> Parsed<Span> {
        if self.peek() == kind {
            return Ok(self.advance().span(self.file));
        }
        let wanted = kind.spelling().unwrap_or("…");
        Err(self.unexpected(&format!("`{wanted}` {place}")))
    }

    /// The first place in `place` that the lexer reported.
    pub(super) fn unreadable_in(&self, place: Span) -> Option<Span> {
        let found = self.unreadable.partition_point(|span| span.end <= place.start);
        let span = self.unreadable.get(found)?;
        (span.start < place.end).then_some(*span)
    }

    /// Whether the text before the next token could not be read. That was reported, and whatever is missing
    /// here is probably that. Counts as an error.
    pub(super) fn is_excused(&mut self) -> bool {
        let before = self.last_span();
        let gap = Span { start: before.end, end: before.end.max(self.token().start), ..before };
        let excused = self.unreadable_in(gap).is_some();
        self.errors += usize::from(excused);
        excused
    }

    /// Reports the next token, with what should stand there.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        self.unexpected_or(expected, None)
    }

    /// The same, with a way out where the token itself shows none.
    fn unexpected_or(&mut self, expected: &str, fix: Option<Fix>) -> Reported {
        if self.is_excused() {
            return Reported;
        }
        let message = format!("expected {expected}, found {}", self.describe(self.token()));
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(self.span(), "");
        let diagnostic = self.hinted(diagnostic, fix);
        self.report(diagnostic);
        Reported
    }

    /// Reports a slip that is read as what was meant: as the fix writes it.
    pub(super) fn slip(&mut self, span: Span, message: impl Into<String>, help: &str, fix: Fix) {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(span, "").help(help);
        self.report(diagnostic.fix(fix.certain()));
    }

    /// Adds a diagnostic at a place.
    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let mut diagnostic = Diagnostic::error(code, message).at(span, "");
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }

    /// Adds a diagnostic, unless the place has one or the limit is reached.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += 1;
        let place = |d: &Diagnostic| d.primary.as_ref().map(|label| label.span.start);
        let repeated = self.diagnostics.iter().rev().take(3).any(|d| place(d) == place(&diagnostic));
        if repeated || self.diagnostics.len() > ERROR_LIMIT {
            return;
        }
        let last = self.diagnostics.len() == ERROR_LIMIT;
        self.diagnostics.push(if last {
            diagnostic.note("there are too many errors: further ones are not shown")
        } else {
            diagnostic
        });
    }

    /// A token in words.
    pub(super) fn describe(&self, token: Token) -> String {
        let text = self.text_of(token);
        match token.kind {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::Ident => format!("the name `{}`", shortened(text)),
            TokenKind::Int | TokenKind::Real => format!("the number `{}`", shortened(text)),
            TokenKind::Quoted => format!("`{}`", shortened(text)),
            _ => format!("`{text}`"),
        }
    }

    /// A name; a reserved word in its place is reported and taken as one.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token();
        match token.kind {
            TokenKind::Ident => {}
            TokenKind::Keyword(word) if !opens_or_closes(word) || self.looks_like_name() => {
                self.reserved(word);
            }
            _ => return Err(self.unexpected(&format!("the name of {what}"))),
        }
        self.advance();
        Ok(Name { text: self.text_of(token).to_string(), span: token.span(self.file) })
    }

    /// Reports a reserved word that is used as a name; once per word.
    pub(super) fn reserved(&mut self, word: Keyword) {
        if self.reserved.contains(&word) {
            self.errors += 1;
            return;
        }
        self.reserved.push(word);
        let text = word.text();
        self.error(
            codes::RESERVED_WORD,
            self.span(),
            format!("`{text}` is a reserved word and cannot be a name"),
            &format!("choose another name, for example `{text}_`"),
        );
    }

    /// Whether a reserved word that opens or closes something was probably meant as a name here, from what
    /// follows it: `rate : [0..3]`, `init = 3`.
    pub(super) fn looks_like_name(&self) -> bool {
        use TokenKind as T;
        !matches!(
            self.ahead(1).kind,
            T::End
                | T::Ident
                | T::Int
                | T::Real
                | T::Quoted
                | T::Keyword(_)
                | T::Not
                | T::LeftParen
                | T::LeftBracket
        )
    }

    /// `"name"`; a name without its quotes is reported and taken.
    pub(super) fn quoted(&mut self, what: &str) -> Parsed<Name> {
        let token = self.token();
        match token.kind {
            TokenKind::Quoted => {}
            TokenKind::Ident => {
                let (text, span) = (self.text_of(token), token.span(self.file));
                let message = format!("the name of {what} must be in quotes");
                let help = format!("write `\"{}\"`", shortened(text));
                self.slip(span, message, &help, Fix::around(&help, span, "\"", "\""));
            }
            _ => return Err(self.unexpected(&format!("the name of {what} in quotes"))),
        }
        self.advance();
        Ok(Name { text: quoted_name(self.text_of(token)).to_string(), span: token.span(self.file) })
    }

    /// `;` behind a construct. Where it was only forgotten nothing is skipped; otherwise the rest up to the
    /// next `;` is.
    pub(super) fn semicolon(&mut self, place: &str) {
        let next = self.token();
        if next.starts_line && next.kind != TokenKind::Semicolon {
            // The place to write it is at the end of the line before.
            let end = self.last_span().end;
            let span = Span { start: end, ..self.last_span() };
            let missing = Diagnostic::error(codes::UNEXPECTED_TOKEN, format!("expected `;` {place}"));
            self.report(missing.at(span, "").fix(Fix::behind("add `;`", span, ";").certain()));
        } else if !self.take(TokenKind::Semicolon) {
            let is_over = match next.kind {
                TokenKind::End => true,
                TokenKind::Keyword(word) => opens_or_closes(word),
                _ => false,
            };
            let fix = Fix::behind("add `;`", self.last_span(), ";").certain_if(is_over);
            let may_begin = is_over || next.kind == TokenKind::LeftBracket;
            self.unexpected_or(&format!("`;` {place}"), may_begin.then_some(fix));
            self.skip_statement();
        }
    }

    /// Skips to behind the next `;`, but not into the next block or out of this one.
    pub(super) fn skip_statement(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Semicolon => {
                    self.advance();
                    return;
                }
                TokenKind::Keyword(word) if opens_or_closes(word) && self.token().starts_line => return,
                TokenKind::Keyword(Keyword::Endmodule | Keyword::Endrewards) => return,
                TokenKind::LeftBracket if self.token().starts_line => return,
                _ => self.advance(),
            };
        }
    }

    /// After an error in a declaration, skips the rest of it, and keeps its name if it has one.
    pub(super) fn or_broken<T>(&mut self, kind: Declares, start: Span, result: Parsed<T>) -> Parsed<T> {
        let started = self.started.take();
        if result.is_err() {
            self.skip_statement();
            self.keep_broken(kind, started, start);
        }
        result
    }

    /// Keeps the name of a declaration that could not be read.
    pub(super) fn keep_broken(&mut self, kind: Declares, name: Option<Span>, start: Span) {
        if let Some(span) = name {
            let name = Name { text: quoted_name(self.under(span)).to_owned(), span };
            self.broken.push(Broken { kind, name, span: start.to(self.last_span()) });
        }
    }

    /// Adds an expression whose children are in the arena.
    pub(super) fn add(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let mut nesting = 0;
        match kind {
            // Chains lean to the left and cost nothing: `a + b + c + …`.
            ExprKind::Binary { lhs, rhs, .. } => {
                nesting = self.exprs.get(lhs).nesting.max(self.exprs.get(rhs).nesting + 1);
            }
            _ => kind.for_each_child(|child| nesting = nesting.max(self.exprs.get(child).nesting + 1)),
        }
        if nesting > NESTING_LIMIT {
            let start = Span { end: span.start + 1, ..span };
            return Err(self.too_deep(start));
        }
        Ok(self.exprs.add(kind, span, nesting))
    }

    pub(super) fn too_deep(&mut self, span: Span) -> Reported {
        self.error(
            codes::NESTING_TOO_DEEP,
            span,
            "this expression is nested too deeply",
            "split it with formulas",
        );
        Reported
    }
}

/// Words that open or close a declaration or a block, at which the parser finds its way again.
pub(super) fn opens_or_closes(word: Keyword) -> bool {
    use Keyword as K;
    matches!(
        word,
        K::Const
            | K::Ctmc
            | K::Dtmc
            | K::Endinit
            | K::Endinvariant
            | K::Endmodule
            | K::Endobservables
            | K::Endrewards
            | K::Endsystem
            | K::Formula
            | K::Global
            | K::Init
            | K::Invariant
            | K::Label
            | K::Mdp
            | K::Module
            | K::Nondeterministic
            | K::Observable
            | K::Observables
            | K::Pomdp
            | K::Popta
            | K::Prob
            | K::Probabilistic
            | K::Pta
            | K::Rate
            | K::Rewards
            | K::Stochastic
            | K::System
    )
}
