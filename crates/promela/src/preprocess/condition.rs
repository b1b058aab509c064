//! Conditions of `#if` and `#elif`: integer expressions of C (C99, 6.10.1), on 64 bits.

use super::state::Preprocessor;
use crate::token::{Kind, Token, character_value};
use volvelle_diagnostics::codes;

/// How deep a condition may nest.
const NESTING_LIMIT: usize = 100;

impl Preprocessor<'_> {
    /// Whether a condition holds; one that cannot be parsed does not.
    pub(super) fn condition(&mut self, word: &Token, rest: &[Token]) -> bool {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            at += 1;
            if token.kind != Kind::Word || &*token.text != "defined" {
                tokens.push(token.clone());
                continue;
            }
            let name = match &rest[at..] {
                [open, name, close, ..]
                    if open.kind == Kind::LeftParen
                        && name.kind == Kind::Word
                        && close.kind == Kind::RightParen =>
                {
                    at += 3;
                    name
                }
                [name, ..] if name.kind == Kind::Word => {
                    at += 1;
                    name
                }
                _ => {
                    self.error(codes::BAD_DIRECTIVE, token, "`defined` needs the name of a macro", "");
                    return false;
                }
            };
            let value = if self.is_macro(name) { "1" } else { "0" };
            tokens.push(Token { kind: Kind::Number, text: value.into(), ..token.clone() });
        }
        let tokens = self.expand(tokens);
        let mut evaluator = Evaluator { tokens: &tokens, at: 0, depth: 0 };
        let result = match evaluator.expression(0, true) {
            Ok(_) if evaluator.at < tokens.len() => Err("this does not belong to the condition"),
            result => result,
        };
        match result {
            Ok(value) => value != 0,
            Err(message) => {
                let place = tokens.get(evaluator.at).or(tokens.last()).unwrap_or(word).clone();
                let help = "conditions are integer expressions of C: numbers, macros, `defined(NAME)`";
                self.error(codes::BAD_DIRECTIVE, &place, message, help);
                false
            }
        }
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

type Value = Result<i64, &'static str>;

impl Evaluator<'_> {
    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    /// Parses operators that bind at least as tightly as `least`; evaluates them only where `counts`.
    fn expression(&mut self, least: u8, counts: bool) -> Value {
        self.depth += 1;
        if self.depth > NESTING_LIMIT {
            return Err("this condition is nested too deeply");
        }
        let mut value = self.operand(counts)?;
        while let Some(kind) = self.kind() {
            let Some(level) = level(kind).filter(|level| *level >= least) else { break };
            self.at += 1;
            value = match kind {
                Kind::Question => {
                    let yes = self.expression(0, counts && value != 0)?;
                    if self.kind() != Some(Kind::Colon) {
                        return Err("`:` is missing here");
                    }
                    self.at += 1;
                    let no = self.expression(level, counts && value == 0)?;
                    if value != 0 { yes } else { no }
                }
                Kind::AmpAmp => {
                    let right = self.expression(level + 1, counts && value != 0)?;
                    i64::from(value != 0 && right != 0)
                }
                Kind::BarBar => {
                    let right = self.expression(level + 1, counts && value == 0)?;
                    i64::from(value != 0 || right != 0)
                }
                _ => {
                    let right = self.expression(level + 1, counts)?;
                    if counts { compute(kind, value, right)? } else { 0 }
                }
            };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self, counts: bool) -> Value {
        let Some(token) = self.tokens.get(self.at) else {
            return Err("something is missing in this condition");
        };
        self.at += 1;
        match token.kind {
            Kind::Number => number(&token.text),
            Kind::Char => Ok(character_value(&token.text)),
            // Names that are no macros are 0.
            Kind::Word => Ok(0),
            Kind::LeftParen => {
                let value = self.expression(0, counts)?;
                if self.kind() != Some(Kind::RightParen) {
                    return Err("`)` is missing here");
                }
                self.at += 1;
                Ok(value)
            }
            Kind::Bang => Ok(i64::from(self.expression(UNARY, counts)? == 0)),
            Kind::BangBang => Ok(i64::from(self.expression(UNARY, counts)? != 0)),
            Kind::Minus => Ok(self.expression(UNARY, counts)?.wrapping_neg()),
            Kind::Plus => self.expression(UNARY, counts),
            Kind::Tilde => Ok(!self.expression(UNARY, counts)?),
            _ => {
                self.at -= 1;
                Err("this is not allowed in a condition")
            }
        }
    }
}

/// The value of a number, as in C: a leading 0 means octal.
fn number(text: &str) -> Value {
    let radix = if text.len() > 1 && text.starts_with('0') { 8 } else { 10 };
    i64::from_str_radix(text, radix).map_err(|_| "this number cannot be read")
}

const UNARY: u8 = 20;

fn level(kind: Kind) -> Option<u8> {
    Some(match kind {
        Kind::Question => 1,
        Kind::BarBar => 2,
        Kind::AmpAmp => 3,
        Kind::Bar => 4,
        Kind::Caret => 5,
        Kind::Amp => 6,
        Kind::EqualEqual | Kind::NotEqual => 7,
        Kind::Lt | Kind::Le | Kind::Gt | Kind::Ge => 8,
        Kind::ShiftLeft | Kind::ShiftRight => 9,
        Kind::Plus | Kind::Minus => 10,
        Kind::Star | Kind::Slash | Kind::Percent => 11,
        _ => return None,
    })
}

fn compute(kind: Kind, a: i64, b: i64) -> Value {
    let shift = |b: i64| u32::try_from(b).ok().filter(|b| *b < 64);
    Ok(match kind {
        Kind::Bar => a | b,
        Kind::Caret => a ^ b,
        Kind::Amp => a & b,
        Kind::EqualEqual => i64::from(a == b),
        Kind::NotEqual => i64::from(a != b),
        Kind::Lt => i64::from(a < b),
        Kind::Le => i64::from(a <= b),
        Kind::Gt => i64::from(a > b),
        Kind::Ge => i64::from(a >= b),
        Kind::ShiftLeft => shift(b).map_or(0, |b| a.wrapping_shl(b)),
        Kind::ShiftRight => shift(b).map_or(if a < 0 { -1 } else { 0 }, |b| a >> b),
        Kind::Plus => a.wrapping_add(b),
        Kind::Minus => a.wrapping_sub(b),
        Kind::Star => a.wrapping_mul(b),
        Kind::Slash | Kind::Percent if b == 0 => return Err("division by zero in a condition"),
        Kind::Slash => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}
