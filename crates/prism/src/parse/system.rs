//! `system … endsystem`: how modules are composed.
//!
//! PRISM's grammar: hiding and renaming bind tightest, then `|[…]|` (which does not chain), then `|||`, then
//! `||`; `P ||| Q || R` is `P ||| (Q || R)`. `P || Q ||| R`, which PRISM cannot read, needs parentheses.

use crate::ast::{Name, Rename, System};
use crate::lex::{Keyword, TokenKind, quoted_name};
use crate::parse::SYSTEM_NESTING_LIMIT;
use crate::parse::cursor::{Parsed, Parser, Reported};
use volvelle_diagnostics::{Fix, Span, codes};

impl Parser<'_> {
    /// The whole block: its name, where it has one, what it composes, and its place.
    pub(super) fn system_block(&mut self) -> Parsed<(Option<Name>, System, Span)> {
        let start = self.advance().span(self.file);
        let named = self.peek() == TokenKind::Quoted
            && matches!(self.ahead(1).kind, TokenKind::Ident | TokenKind::Quoted | TokenKind::LeftParen);
        let name = if named { self.quoted("the system").ok() } else { None };
        let system = self.parallel(0);
        if system.is_err() {
            while !self.block_ends(Keyword::Endsystem) {
                self.advance();
            }
        }
        self.end_of_block(Keyword::Endsystem, start, "this system");
        Ok((name, system?, start.to(self.last_span())))
    }

    /// The number of `|` that follow each other at the cursor.
    fn bars(&self) -> usize {
        (0..3).take_while(|ahead| self.ahead(*ahead).kind == TokenKind::Or).count()
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.advance();
        }
    }

    /// `P || Q || …`
    fn parallel(&mut self, depth: u32) -> Parsed<System> {
        if depth > SYSTEM_NESTING_LIMIT {
            let span = self.last_span();
            self.error(
                codes::NESTING_TOO_DEEP,
                span,
                "this composition is nested too deeply",
                "name parts of it: `system \"part\" … endsystem`",
            );
            return Err(Reported);
        }
        let mut operands = vec![self.interleaved(depth)?];
        while self.bars() == 2 {
            self.skip(2);
            operands.push(self.synchronised(depth)?);
        }
        if operands.len() > 1 && self.bars() == 3 {
            self.error(
                codes::UNEXPECTED_TOKEN,
                self.joined_span(3),
                "`||` and `|||` are mixed",
                "put one of the compositions in parentheses",
            );
            return Err(Reported);
        }
        Ok(match operands.len() {
            1 => operands.remove(0),
            _ => System::Parallel(operands),
        })
    }

    /// `P ||| Q ||| …`; as in PRISM, the right side may be a `||`.
    fn interleaved(&mut self, depth: u32) -> Parsed<System> {
        let mut operands = vec![self.synchronised(depth)?];
        while self.bars() == 3 {
            self.skip(3);
            operands.push(self.synchronised(depth)?);
            if self.bars() == 2 {
                let mut parallel = vec![operands.remove(operands.len() - 1)];
                while self.bars() == 2 {
                    self.skip(2);
                    parallel.push(self.synchronised(depth)?);
                }
                operands.push(System::Parallel(parallel));
            }
        }
        Ok(match operands.len() {
            1 => operands.remove(0),
            _ => System::Interleave(operands),
        })
    }

    /// `P |[a,b]| Q`
    fn synchronised(&mut self, depth: u32) -> Parsed<System> {
        let left = self.hidden_or_renamed(depth)?;
        if !(self.peek() == TokenKind::Or && self.ahead(1).kind == TokenKind::LeftBracket) {
            return Ok(left);
        }
        self.advance();
        let open = self.advance().span(self.file);
        if self.peek() == TokenKind::RightBracket {
            self.error(
                codes::UNEXPECTED_TOKEN,
                self.span(),
                "no action is listed in `|[ ]|`",
                "compose processes that share no action with `|||`",
            );
            return Err(Reported);
        }
        let actions = self.actions()?;
        self.closing(TokenKind::RightBracket, open)?;
        self.expect(TokenKind::Or, "after `]` (a composition over actions is `P |[a,b]| Q`)")?;
        let right = self.hidden_or_renamed(depth)?;
        if self.peek() == TokenKind::Or && self.ahead(1).kind == TokenKind::LeftBracket {
            self.error(
                codes::UNEXPECTED_TOKEN,
                self.joined_span(2),
                "`|[…]|` cannot be chained",
                "use parentheses: `(P |[a]| Q) |[b]| R`",
            );
            return Err(Reported);
        }
        Ok(System::Sync(Box::new(left), actions, Box::new(right)))
    }

    fn actions(&mut self) -> Parsed<Vec<Name>> {
        let mut actions = vec![self.name("an action")?];
        while self.take(TokenKind::Comma) {
            actions.push(self.name("an action")?);
        }
        Ok(actions)
    }

    /// `P / {a,b}`, `P {a<-b}`, any number of them.
    fn hidden_or_renamed(&mut self, depth: u32) -> Parsed<System> {
        let mut system = self.process(depth)?;
        let mut applied = depth;
        loop {
            let hide = self.peek() == TokenKind::Divide;
            if !hide && self.peek() != TokenKind::LeftBrace {
                return Ok(system);
            }
            applied += 1;
            if applied > SYSTEM_NESTING_LIMIT {
                let span = self.span();
                return Err(self.too_deep(span));
            }
            if hide {
                self.advance();
            }
            let open = self.expect(TokenKind::LeftBrace, "and the hidden actions after `/`")?;
            system = if hide {
                System::Hide(Box::new(system), self.actions()?)
            } else {
                System::Rename(Box::new(system), self.action_renames()?)
            };
            self.closing(TokenKind::RightBrace, open)?;
        }
    }

    fn action_renames(&mut self) -> Parsed<Vec<Rename>> {
        let mut renames = Vec::new();
        loop {
            let from = self.name("an action")?;
            if self.at_joined(TokenKind::Lt, TokenKind::Minus) {
                self.skip(2);
            } else if matches!(self.peek(), TokenKind::Eq | TokenKind::Arrow) {
                let fix = Fix::replace("write `<-`", self.span(), "<-");
                self.slip(self.span(), "actions are renamed with `<-`", "write `old<-new`", fix);
                self.advance();
            } else {
                return Err(self.unexpected("`<-` and the new action"));
            }
            let to = self.name("an action")?;
            renames.push(Rename { from, to });
            if !self.take(TokenKind::Comma) {
                return Ok(renames);
            }
        }
    }

    fn process(&mut self, depth: u32) -> Parsed<System> {
        let token = self.token();
        match token.kind {
            TokenKind::LeftParen => {
                let open = self.advance().span(self.file);
                let system = self.parallel(depth + 1)?;
                self.closing(TokenKind::RightParen, open)?;
                Ok(system)
            }
            TokenKind::Quoted => {
                self.advance();
                Ok(System::Name(Name {
                    text: quoted_name(self.text_of(token)).to_string(),
                    span: token.span(self.file),
                }))
            }
            _ => Ok(System::Name(self.name("a module")?)),
        }
    }
}
