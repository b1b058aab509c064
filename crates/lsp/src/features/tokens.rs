//! Semantic tokens: what every word of a text is, for its colour.

use crate::client::Client;
use crate::protocol::types::{Position, Range};
use crate::workspace::View;
use volvelle_symbols::{Kind, Role, Token, TokenKind};

/// The types of tokens, by their numbers.
pub const TYPES: &[&str] = &[
    "keyword",
    "number",
    "string",
    "comment",
    "operator",
    "variable",
    "namespace",
    "class",
    "event",
    "function",
    "property",
    "macro",
    "type",
    "struct",
    "parameter",
    "enumMember",
    "label",
];

/// The modifiers, by their bits.
pub const MODIFIERS: &[&str] = &["declaration", "readonly", "modification"];

const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const MODIFICATION: u32 = 4;

/// The number of a type.
fn number(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Keyword => 0,
        TokenKind::Number => 1,
        TokenKind::Text => 2,
        TokenKind::Comment => 3,
        TokenKind::Operator => 4,
        TokenKind::Name(kind) => match kind {
            Kind::Constant | Kind::Variable | Kind::Channel => 5,
            Kind::Module => 6,
            Kind::Process => 7,
            Kind::Action | Kind::Gate => 8,
            Kind::Formula | Kind::Inline | Kind::Operation | Kind::Procedure => 9,
            Kind::Field | Kind::Property => 10,
            Kind::Macro => 11,
            Kind::Type => 12,
            Kind::Rewards => 13,
            Kind::Parameter => 14,
            Kind::Label => 15,
            Kind::Location | Kind::State => 16,
        },
    }
}

/// The tokens of a text, or of a part of it, five numbers each: lines and characters since the one before, length, type and modifiers.
pub fn tokens(view: &View, part: Option<Range>, client: &Client) -> Vec<u32> {
    let Some(index) = view.analysis.index() else { return Vec::new() };
    let text = view.analysis.sources.file(view.file).text.as_str();
    let (from, to) = part.map_or((0, u32::MAX), |part| {
        let offset = |position| view.analysis.offset(view.file, position, client.encoding);
        (offset(part.start), offset(part.end))
    });
    let mut data = Data { view, client, text, last: Position::default(), numbers: Vec::new() };
    let first = index.tokens.partition_point(|token| token.span.file < view.file);
    let own = index.tokens[first..].iter().take_while(|token| token.span.file == view.file);
    let mut behind = 0;
    for token in own.filter(|token| token.span.end > from && token.span.start < to) {
        // Tokens that overlap would have lengths below zero.
        if token.span.start >= behind {
            behind = token.span.end;
            data.push(token, modifiers(view, token));
        }
    }
    data.numbers
}

/// What a name does where it stands.
fn modifiers(view: &View, token: &Token) -> u32 {
    let TokenKind::Name(kind) = token.kind else { return 0 };
    let readonly = if kind == Kind::Constant { READONLY } else { 0 };
    let occurrence = view.analysis.index().and_then(|index| index.at(token.span.file, token.span.start));
    let role = occurrence.filter(|one| one.span.start == token.span.start).map(|one| one.role);
    readonly
        | match role {
            Some(Role::Declares) => DECLARATION,
            Some(Role::Writes) => MODIFICATION,
            Some(Role::Reads) | None => 0,
        }
}

struct Data<'a> {
    view: &'a View,
    client: &'a Client,
    text: &'a str,
    last: Position,
    numbers: Vec<u32>,
}

impl Data<'_> {
    /// Adds a token, line by line: few editors take one of several lines.
    fn push(&mut self, token: &Token, modifiers: u32) {
        let lines = self.view.analysis.lines(token.span.file);
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let encoding = self.client.encoding;
        let first = lines.position(self.text, start, encoding);
        let last = lines.position(self.text, end, encoding);
        for line in first.line..=last.line {
            let from = if line == first.line { first.character } else { 0 };
            let whole = || lines.end(self.text, line as usize, encoding).character;
            let to = if line == last.line { last.character } else { whole() };
            if to <= from {
                continue;
            }
            let lines_down = line - self.last.line;
            let right = if lines_down == 0 { from - self.last.character } else { from };
            self.numbers.extend([lines_down, right, to - from, number(token.kind), modifiers]);
            self.last = Position { line, character: from };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_legend() {
        for (kind, word) in [
            (TokenKind::Keyword, "keyword"),
            (TokenKind::Operator, "operator"),
            (TokenKind::Name(Kind::Channel), "variable"),
            (TokenKind::Name(Kind::Process), "class"),
            (TokenKind::Name(Kind::Gate), "event"),
            (TokenKind::Name(Kind::Operation), "function"),
            (TokenKind::Name(Kind::Parameter), "parameter"),
            (TokenKind::Name(Kind::Location), "label"),
        ] {
            assert_eq!(TYPES[number(kind) as usize], word);
        }
        assert_eq!(MODIFIERS[READONLY.trailing_zeros() as usize], "readonly");
        assert_eq!(MODIFIERS[MODIFICATION.trailing_zeros() as usize], "modification");
    }
}
