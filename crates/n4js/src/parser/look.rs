//! What follows, by tokens alone: functions with an arrow, types, type arguments.

use super::Parser;
use crate::lexer::{ESCAPED, NO_PARTNER};
use crate::token::T;

/// How many tokens of a type are looked at.
const FARTHEST: usize = 2_000;

impl Parser<'_> {
    /// The token behind the partner of a bracket.
    pub(super) fn behind_bracket(&self, number: usize) -> Option<usize> {
        let partner = self.tokens.get(number)?.partner;
        (partner != NO_PARTNER).then_some(partner as usize + 1)
    }

    /// Whether parameters and an arrow follow at `(`.
    pub(super) fn is_arrow_function(&self, number: usize) -> bool {
        let Some(behind) = self.behind_bracket(number) else { return false };
        match self.kind_of(behind) {
            T::Arrow => true,
            T::Colon if !self.context.in_then => {
                self.behind_type(behind + 1).is_some_and(|behind| self.kind_of(behind) == T::Arrow)
            }
            _ => false,
        }
    }

    /// The token behind a type.
    pub(super) fn behind_type(&self, number: usize) -> Option<usize> {
        let mut at = number;
        let most = number + FARTHEST;
        while at < most {
            at = self.behind_primary(at)?;
            loop {
                match self.kind_of(at) {
                    T::OpenBracket if self.kind_of(at + 1) == T::CloseBracket => at += 2,
                    T::Plus | T::Question => at += 1,
                    T::With => at = self.behind_bracket(at + 1)?,
                    _ => break,
                }
            }
            if !matches!(self.kind_of(at), T::Bar | T::Ampersand) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    fn behind_primary(&self, number: usize) -> Option<usize> {
        let mut at = number;
        loop {
            match self.kind_of(at) {
                // `~r~`
                T::Tilde if self.kind_of(at + 1).is_name() && self.kind_of(at + 2) == T::Tilde => at += 3,
                T::Tilde | T::Minus | T::Typeof => at += 1,
                T::Question if matches!(self.kind_of(at + 1), T::Extends | T::Super) => at += 2,
                _ => break,
            }
        }
        match self.kind_of(at) {
            T::Open | T::OpenBracket | T::OpenBrace => self.behind_bracket(at),
            T::Question | T::This | T::Void | T::Null | T::True | T::False | T::Number | T::Text => {
                Some(at + 1)
            }
            T::Union | T::Intersection | T::Type | T::Constructor if self.kind_of(at + 1) == T::OpenBrace => {
                self.behind_bracket(at + 1)
            }
            kind if kind.is_name() => {
                at += 1;
                while self.kind_of(at) == T::Dot && self.kind_of(at + 1).is_name() {
                    at += 2;
                }
                if self.kind_of(at) == T::Less { self.behind_angles(at) } else { Some(at) }
            }
            _ => None,
        }
    }

    /// The token behind what stands between `<` and `>`, where that can be types.
    pub(super) fn behind_angles(&self, number: usize) -> Option<usize> {
        let (mut at, mut depth) = (number, 0u32);
        while at < number + FARTHEST {
            match self.kind_of(at) {
                T::Less => depth += 1,
                T::Greater => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                T::Open | T::OpenBracket | T::OpenBrace => {
                    at = self.behind_bracket(at)?;
                    continue;
                }
                T::Comma
                | T::Dot
                | T::Question
                | T::Bar
                | T::Ampersand
                | T::Plus
                | T::Minus
                | T::Tilde
                | T::At
                | T::Assign => {}
                T::Arrow
                | T::Dots
                | T::Colon
                | T::Number
                | T::Text
                | T::Extends
                | T::Super
                | T::In
                | T::This
                | T::Void => {}
                T::Null | T::True | T::False | T::Typeof | T::With => {}
                kind if kind.is_name() => {}
                _ => return None,
            }
            at += 1;
        }
        None
    }

    /// Whether a token is a name of these letters.
    pub(super) fn is_word(&self, number: usize, word: &str) -> bool {
        self.tokens.get(number).is_some_and(|token| token.flags & ESCAPED == 0)
            && self.spelling(number) == word
    }

    /// Whether a token begins the name of a member or a property.
    pub(super) fn begins_member_name(&self, number: usize) -> bool {
        let kind = self.kind_of(number);
        kind.is_word() || matches!(kind, T::Text | T::Number | T::OpenBracket)
    }

    /// Whether a token begins an operand and nothing else.
    pub(super) fn begins_operand(&self, number: usize) -> bool {
        let kind = self.kind_of(number);
        kind.is_name()
            || matches!(
                kind,
                T::Number
                    | T::Text
                    | T::This
                    | T::Super
                    | T::New
                    | T::Null
                    | T::True
                    | T::False
                    | T::Function
                    | T::Import
            )
    }
}
