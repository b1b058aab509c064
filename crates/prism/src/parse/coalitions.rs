//! Coalitions of players, and the players of a model, as PRISM-games writes them.

use crate::ast::{Coalition, Model, Name, Player};
use crate::lex::TokenKind;
use crate::parse::cursor::{Parsed, Parser, Reported};
use crate::parse::expr::Next;
use crate::parse::frames::{Callee, Frame};
use volvelle_diagnostics::{Span, codes};
use volvelle_syntax::Spelt;

impl Parser<'_> {
    /// `<<players>> …`, `[[players]] …`, where the players may be `*`.
    pub(super) fn coalition(&mut self) -> Parsed<Next> {
        use TokenKind as T;
        let end = if self.at_joined(T::Lt, T::Lt) {
            T::Gt
        } else if self.at_joined(T::LeftBracket, T::LeftBracket) {
            T::RightBracket
        } else {
            return Err(self.unexpected("an expression"));
        };
        let start = self.advance().span(self.file);
        self.advance();
        let mut players = Some(Vec::new());
        if self.take(T::Times) {
            players = None;
        }
        while let (Some(listed), T::Ident | T::Int | T::Quoted) = (&mut players, self.peek()) {
            let token = self.token();
            let text = self.text_of(token).trim_matches('"').to_string();
            listed.push(Name { text, span: token.span(self.file) });
            self.advance();
            if !self.take(T::Comma) {
                break;
            }
        }
        if self.peek() == T::Colon {
            self.error(
                codes::PROPERTY_SYNTAX,
                self.span(),
                "several coalitions, as for equilibria, are not supported",
                "name the players of one coalition, separated by commas",
            );
            return Err(Reported);
        }
        let text = end.spelling().unwrap_or("…");
        if !self.at_joined(end, end) {
            return Err(self.unexpected(&format!("`{text}{text}` after the players")));
        }
        self.advance();
        let span = start.to(self.advance().span(self.file));
        let coalition = Coalition { exists: end == T::Gt, players, span };
        if self.take(T::LeftParen) {
            self.coalitions.push(coalition);
            return self.arguments(Callee::Strategy, start);
        }
        self.push(Frame::Strategy { coalition })
    }

    /// `player name module, [action], … endplayer`
    pub(super) fn player(&mut self, model: &mut Model) {
        let start = self.advance().span(self.file);
        let before = self.errors;
        if let Ok(player) = self.player_parts(start) {
            model.players.push(player);
        } else if self.errors > before {
            self.skip_to_declaration();
        }
    }

    fn player_parts(&mut self, start: Span) -> Parsed<Player> {
        let name = self.name("the player")?;
        let (mut modules, mut actions) = (Vec::new(), Vec::new());
        let at_end = |parser: &Self| parser.text_of(parser.token()) == "endplayer";
        while !at_end(self) {
            if self.peek() == TokenKind::LeftBracket {
                let open = self.advance().span(self.file);
                actions.push(self.name("the action")?);
                self.closing(TokenKind::RightBracket, open)?;
            } else {
                modules.push(self.name("a module, or an action in brackets")?);
            }
            if !self.take(TokenKind::Comma) && !at_end(self) {
                return Err(self.unexpected("`,` or `endplayer`"));
            }
        }
        let span = start.to(self.advance().span(self.file));
        Ok(Player { name, modules, actions, span })
    }

    /// Whether a block of a player starts here: `player` is no reserved word.
    pub(super) fn at_player(&self) -> bool {
        self.text_of(self.token()) == "player" && self.ahead(1).kind == TokenKind::Ident
    }
}
