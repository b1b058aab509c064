//! Property files: declarations and properties, with `;` between them or not.
//!
//! As in PRISM, semicolons may be left out: a property is read as long as possible. A property that cannot be
//! read costs only itself; the next one is found behind a `;`, or where a line starts like a property.

use crate::ast::{ExprId, ExprKind, Name, Property, PropertyFile};
use crate::lex::{Keyword, TokenKind};
use crate::parse::cursor::Parser;
use crate::parse::frames::Mode;
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// A whole property file.
    pub(super) fn property_file(&mut self, file: &mut PropertyFile) {
        while self.peek() != TokenKind::End {
            if self.eat(TokenKind::Semicolon) || self.property_declaration(file) {
                continue;
            }
            let property = self.property();
            file.properties.push(property);
        }
    }

    /// Declarations, then one property and nothing else.
    pub(super) fn single_property(&mut self, file: &mut PropertyFile) {
        while self.peek() != TokenKind::End && self.property_declaration(file) {}
        if self.peek() == TokenKind::End {
            self.error(codes::PROPERTY_SYNTAX, self.span(), "there is no property", "");
            return;
        }
        let property = self.property();
        file.properties.push(property);
        while self.eat(TokenKind::Semicolon) {}
        if self.peek() != TokenKind::End {
            let _ = self.unexpected("the end of the property");
        }
    }

    /// A constant, formula or label; whether there was one.
    fn property_declaration(&mut self, file: &mut PropertyFile) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Const | Keyword::Rate | Keyword::Prob) => {
                file.constants.extend(self.constant().ok());
            }
            TokenKind::Keyword(Keyword::Formula) => file.formulas.extend(self.formula().ok()),
            TokenKind::Keyword(Keyword::Label) => file.labels.extend(self.label().ok()),
            _ => return false,
        }
        true
    }

    fn property(&mut self) -> Property {
        let name = self.property_name();
        let (first, mark) = (self.at, self.exprs.len());
        let start = self.span();
        let body = self
            .expression(Mode::PROPERTY)
            .ok()
            .filter(|_| self.property_ends());
        let body = body.unwrap_or_else(|| {
            self.skip_property(first);
            self.exprs.truncate(mark);
            self.error_expr(start)
        });
        let end = if self.at > first { self.last_span() } else { start };
        while self.eat(TokenKind::Semicolon) {}
        Property {
            name,
            body,
            span: start.to(end),
        }
    }

    /// `"name":`
    fn property_name(&mut self) -> Option<Name> {
        if self.peek() != TokenKind::Quoted || self.peek_at(1) != TokenKind::Colon {
            return None;
        }
        let name = self.quoted("the property").ok();
        self.bump();
        name
    }

    fn error_expr(&mut self, span: Span) -> ExprId {
        self.exprs.add(ExprKind::Error, span, 0)
    }

    /// Whether a property may end before the next token; complains if not.
    fn property_ends(&mut self) -> bool {
        use TokenKind as T;
        let ends = match self.peek() {
            T::End | T::Semicolon | T::Quoted | T::Ident | T::Int | T::Real | T::LeftParen | T::Not => true,
            T::Keyword(Keyword::U | Keyword::W | Keyword::X | Keyword::F | Keyword::G) => {
                let text = self.text_of(self.token());
                self.report(
                    Diagnostic::error(
                        codes::PROPERTY_SYNTAX,
                        format!(
                            "the temporal operator `{text}` stands outside of `P`, `R`, `T`, `A` and `E`"
                        ),
                    )
                    .at(self.span(), "")
                    .help("ask for a probability, as in `P=? [ a U b ]`"),
                );
                return false;
            }
            T::Keyword(_) => true,
            _ => false,
        };
        if !ends {
            let _ = self.unexpected("`;` after the property");
        }
        ends
    }

    /// Skips the rest of a property that started at token `first`.
    fn skip_property(&mut self, first: usize) {
        use TokenKind as T;
        loop {
            match self.peek() {
                T::End | T::Semicolon => return,
                _ if self.at > first && self.starts_property() => return,
                _ => self.bump(),
            };
        }
    }

    /// Whether a line starts here that looks like a declaration or a property of its own.
    fn starts_property(&self) -> bool {
        use TokenKind as T;
        if !self.token().starts_line {
            return false;
        }
        match self.peek() {
            T::Quoted => self.peek_at(1) == T::Colon,
            T::Keyword(Keyword::Const | Keyword::Formula | Keyword::Label | Keyword::Filter) => true,
            T::Keyword(Keyword::P | Keyword::R | Keyword::S) => {
                // An operator behind an unfinished line belongs to it.
                matches!(
                    self.tokens[self.at - 1].kind,
                    T::RightBracket | T::RightParen | T::RightBrace | T::Ident | T::Int | T::Real | T::Quoted
                ) && matches!(
                    self.peek_at(1),
                    T::Eq | T::Lt | T::Le | T::Gt | T::Ge | T::LeftBrace
                )
            }
            T::Keyword(Keyword::Pmin | Keyword::Pmax | Keyword::Rmin | Keyword::Rmax) => {
                self.peek_at(1) == T::Eq
            }
            _ => false,
        }
    }
}
