//! Automata in files: `HOA: {"file", "a" <- x=1, "b" <- "label"}` as in PRISM; Storm's arrow `->` is accepted, too.

use crate::ast::{ExprId, ExprKind, Name};
use crate::lex::TokenKind;
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::expr::Next;
use crate::parse::frames::{Frame, Mode, PendingAutomaton};

impl Parser<'_> {
    /// `HOA: {` is known to be there.
    pub(super) fn automaton(&mut self) -> Parsed<Next> {
        let start = self.advance().span(self.file);
        self.advance();
        let open = self.advance().span(self.file);
        let file = self.quoted("a file with an automaton")?;
        let outer = self.mode;
        self.next_proposition(PendingAutomaton { file, propositions: Vec::new(), start, open, outer })
    }

    /// Goes on behind the name of the file or a proposition.
    fn next_proposition(&mut self, automaton: PendingAutomaton) -> Parsed<Next> {
        if !self.take(TokenKind::Comma) {
            let close = self.closing(TokenKind::RightBrace, automaton.open)?;
            let PendingAutomaton { file, propositions, start, outer, .. } = automaton;
            self.mode = outer;
            return Ok(Next::Have(self.add(ExprKind::Automaton { file, propositions }, start.to(close))?));
        }
        let name = self.quoted("a proposition of the automaton")?;
        if self.at_joined(TokenKind::Lt, TokenKind::Minus) {
            self.advance();
            self.advance();
        } else if !self.take(TokenKind::Arrow) {
            return Err(self.unexpected("`<-` and a condition on states"));
        }
        self.mode = Mode::PROPERTY;
        self.push(Frame::Proposition { automaton, name })
    }

    pub(super) fn close_proposition(
        &mut self,
        mut automaton: PendingAutomaton,
        name: Name,
        condition: ExprId,
    ) -> Parsed<Next> {
        automaton.propositions.push((name, condition));
        self.next_proposition(automaton)
    }
}
