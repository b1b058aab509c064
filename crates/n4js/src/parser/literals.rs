//! Literals: numbers, texts, words, regular expressions, templates, arrays.

use super::Parser;
use crate::classes::Kind;
use crate::texts;
use crate::token::T;
use volvelle_trees::{Placed, Slot};

impl Parser<'_> {
    /// A literal of one token.
    pub(super) fn literal(&mut self) -> Placed {
        let token = self.token();
        let (start, end) = (token.start, token.end);
        self.advance();
        let text = &self.text[start as usize..end as usize];
        let flag = |is_set| Placed { slot: Slot::Flag(is_set), start, end };
        match token.kind {
            T::Text => {
                let (value, has_octal) = if text.contains('\\') {
                    let (value, has_octal) = texts::quoted(text);
                    (self.intern(&value, start, end), has_octal)
                } else {
                    let inner = text[1..].strip_suffix(&text[..1]).unwrap_or(&text[1..]);
                    (self.intern(inner, start, end), false)
                };
                self.node(Kind::StringLiteral, start, &[value, flag(has_octal)])
            }
            T::Number => {
                let bytes = text.as_bytes();
                let is_decimal = !matches!(bytes, [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
                let is_integer = !is_decimal || bytes.iter().all(u8::is_ascii_digit);
                let is_octal = matches!(bytes, [b'0', b'0'..=b'9', ..]);
                let value = self.intern(text, start, end);
                self.node(Kind::NumberLiteral, start, &[value, flag(is_integer), flag(is_octal)])
            }
            T::Regex => {
                let at = text.rfind('/').filter(|&at| at > 0).unwrap_or(text.len());
                let (pattern, flags) = (&text[1..at.max(1)], &text[(at + 1).min(text.len())..]);
                let middle = start + at as u32;
                let pattern = self.intern(pattern, start, middle);
                let flags = self.intern(flags, middle, end);
                self.node(Kind::RegexLiteral, start, &[pattern, flags])
            }
            T::Null => self.node(Kind::NullLiteral, start, &[]),
            kind => self.node(Kind::BooleanLiteral, start, &[flag(kind == T::True)]),
        }
    }

    /// A part of a template without what stands around it.
    fn chunk(&mut self) -> Placed {
        let token = self.token();
        let text = &self.text[token.start as usize + 1..token.end as usize];
        let text = text.strip_suffix("${").or_else(|| text.strip_suffix('`')).unwrap_or(text);
        self.advance();
        let start = token.start + 1;
        self.intern(text, start, start + text.len() as u32)
    }

    pub(super) fn template(&mut self) -> Placed {
        let start = self.start();
        let mut chunks = Vec::new();
        let mark = self.items.len();
        let is_whole = self.is(T::Template);
        let chunk = self.chunk();
        chunks.push(chunk);
        if !is_whole {
            loop {
                let expression = self.enclosed(Self::expression);
                self.items.push(expression);
                // What is no part of the expression is left out.
                if !matches!(self.kind(), T::TemplateMiddle | T::TemplateTail) {
                    self.expected("`}`");
                    while !matches!(
                        self.kind(),
                        T::TemplateMiddle
                            | T::TemplateTail
                            | T::Close
                            | T::CloseBrace
                            | T::CloseBracket
                            | T::End
                    ) {
                        self.jump();
                    }
                }
                if !matches!(self.kind(), T::TemplateMiddle | T::TemplateTail) {
                    break;
                }
                let is_last = self.is(T::TemplateTail);
                let chunk = self.chunk();
                chunks.push(chunk);
                if is_last {
                    break;
                }
            }
        }
        let expressions = self.list(mark);
        self.items.extend(chunks);
        let chunks = self.list(mark);
        self.node(Kind::TemplateLiteral, start, &[chunks, expressions])
    }

    pub(super) fn array_literal(&mut self) -> Placed {
        let start = self.start();
        self.advance();
        let mark = self.items.len();
        self.enclosed(|parser| {
            parser.separated(T::CloseBracket, "`,` or `]`", |parser| {
                let element = if parser.is(T::Comma) {
                    parser.missing(Kind::ArrayHole)
                } else {
                    parser.spread_or_assignment()
                };
                parser.items.push(element);
            });
        });
        let elements = self.list(mark);
        self.node(Kind::ArrayLiteral, start, &[elements])
    }
}
