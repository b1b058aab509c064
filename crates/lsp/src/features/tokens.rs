//! Semantic tokens: what every word of a text is, for its colour.

use crate::address::Address;
use crate::client::Client;
use crate::features::walk::Walk;
use crate::protocol::types::{Position, Range};
use crate::workspace::View;
use std::collections::BTreeMap;
use std::fmt::Write;
use volvelle_diagnostics::{Lines, PositionEncoding};
use volvelle_symbols::{Kind, Occurrence, Role, Token, TokenKind};

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
            Kind::Constant | Kind::Variable | Kind::Channel | Kind::Local | Kind::Terminal | Kind::Buffer => {
                5
            }
            Kind::Module => 6,
            Kind::Process | Kind::Class => 7,
            Kind::Action | Kind::Gate => 8,
            Kind::Formula
            | Kind::Inline
            | Kind::Operation
            | Kind::Procedure
            | Kind::Function
            | Kind::Method
            | Kind::Kernel => 9,
            Kind::Field | Kind::Property | Kind::Key => 10,
            Kind::Macro | Kind::Judgment => 11,
            Kind::Type => 12,
            Kind::Rewards | Kind::Table => 13,
            Kind::Parameter => 14,
            Kind::Label => 15,
            Kind::Location | Kind::State | Kind::Entry | Kind::Rule => 16,
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
    let all = index.tokens_of(view.file);
    let first = all.partition_point(|token| token.span.end <= from);
    let own = &all[first..];
    let own = &own[..own.partition_point(|token| token.span.start < to)];
    let (lines, encoding) = (view.analysis.lines(view.file), client.encoding);
    let (walk, numbers) = (Walk::new(text, encoding), Vec::with_capacity(own.len() * 5));
    let mut data = Data { text, lines, encoding, walk, last: Position::default(), numbers };
    // Occurrences stand in the same order.
    let here = (view.file, from);
    let begun = index.occurrences.partition_point(|one| (one.span.file, one.span.start) < here);
    let mut occurrences = index.occurrences[begun..].iter().peekable();
    let mut behind = 0;
    for token in own {
        // Tokens that overlap would have lengths below zero.
        if token.span.start >= behind {
            behind = token.span.end;
            let start = |one: &Occurrence| (one.span.file, one.span.start);
            while occurrences.next_if(|one| start(one) < (view.file, token.span.start)).is_some() {}
            let named = occurrences.peek().filter(|one| start(one) == (view.file, token.span.start));
            data.push(token, modifiers(token, named.map(|one| one.role)));
        }
    }
    data.numbers
}

/// What a name does where it stands.
fn modifiers(token: &Token, role: Option<Role>) -> u32 {
    let TokenKind::Name(kind) = token.kind else { return 0 };
    let readonly = if kind == Kind::Constant { READONLY } else { 0 };
    readonly
        | match role {
            Some(Role::Declares) => DECLARATION,
            Some(Role::Writes) => MODIFICATION,
            Some(Role::Reads) | None => 0,
        }
}

/// The tokens that a client has, so that it is told what changed.
#[derive(Default)]
pub struct Sent {
    next: u64,
    /// With their numbers, by document.
    last: BTreeMap<Address, (u64, Vec<u32>)>,
}

impl Sent {
    /// All tokens of a document; or what is different from those with the number that the client has.
    pub fn answer(&mut self, document: &Address, data: Vec<u32>, has: Option<&str>) -> String {
        self.next += 1;
        let id = self.next.to_string();
        let before = self.last.get(document).filter(|(number, _)| has == Some(number.to_string().as_str()));
        let answer = match before {
            Some((_, before)) => format!(r#"{{"resultId":"{id}","edits":{}}}"#, edits(before, &data)),
            None => format!(r#"{{"resultId":"{id}","data":{}}}"#, list(&data)),
        };
        self.last.insert(document.clone(), (self.next, data));
        answer
    }

    /// A document was closed.
    pub fn forget(&mut self, document: &Address) {
        self.last.remove(document);
    }
}

/// What is different: one part, since what is typed stands in one place.
fn edits(before: &[u32], after: &[u32]) -> String {
    let start = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let (old, new) = (&before[start..], &after[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (removed, added) = (old.len() - end, &new[..new.len() - end]);
    if removed == 0 && added.is_empty() {
        return "[]".to_owned();
    }
    format!(r#"[{{"start":{start},"deleteCount":{removed},"data":{}}}]"#, list(added))
}

/// Tokens of a part, as JSON.
pub fn written(data: &[u32]) -> String {
    format!(r#"{{"data":{}}}"#, list(data))
}

/// A list of numbers as JSON: there are five for each token of a text, after every key.
fn list(numbers: &[u32]) -> String {
    let mut text = String::with_capacity(numbers.len() * 2 + 2);
    text.push('[');
    for (at, number) in numbers.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        match number {
            // Most are.
            0..=9 => text.push(char::from(b'0' + *number as u8)),
            10..=99 => text.extend([*number / 10, *number % 10].map(|digit| char::from(b'0' + digit as u8))),
            // It cannot fail.
            _ => drop(write!(text, "{number}")),
        }
    }
    text.push(']');
    text
}

struct Data<'a> {
    text: &'a str,
    lines: &'a Lines,
    encoding: PositionEncoding,
    /// At the end of the last token.
    walk: Walk<'a>,
    last: Position,
    numbers: Vec<u32>,
}

impl Data<'_> {
    /// Adds a token, line by line: few editors take one of several lines.
    fn push(&mut self, token: &Token, modifiers: u32) {
        let (text, lines, encoding) = (self.text, self.lines, self.encoding);
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let (first, last) = (self.walk.to(start), self.walk.to(end));
        for line in first.line..=last.line {
            let from = if line == first.line { first.character } else { 0 };
            let whole = || lines.end(text, line as usize, encoding).character;
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
    use serde_json::Value;

    /// Whatever changes, the edits lead from the one to the other.
    #[test]
    fn edits_lead_to_the_new_tokens() {
        let texts: [&[u32]; 7] = [&[], &[1], &[1, 1], &[1, 2, 1], &[1, 2, 2, 1], &[2, 1], &[3, 1, 2, 1, 3]];
        for before in texts {
            for after in texts {
                let mut result = before.to_vec();
                let edits: Value = serde_json::from_str(&edits(before, after)).unwrap();
                for edit in edits.as_array().unwrap() {
                    let number = |name: &str| edit[name].as_u64().unwrap() as usize;
                    let data =
                        edit["data"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap() as u32);
                    result.splice(number("start")..number("start") + number("deleteCount"), data);
                }
                assert_eq!(result, after, "{before:?}");
            }
        }
    }

    #[test]
    fn a_client_that_has_others_gets_all() {
        let (mut sent, document) = (Sent::default(), Address::of("file:///m.prism"));
        assert_eq!(sent.answer(&document, vec![1, 20], None), r#"{"resultId":"1","data":[1,20]}"#);
        assert_eq!(sent.answer(&document, vec![1, 3], Some("7")), r#"{"resultId":"2","data":[1,3]}"#);
        let edits = r#"{"resultId":"3","edits":[{"start":2,"deleteCount":0,"data":[4]}]}"#;
        assert_eq!(sent.answer(&document, vec![1, 3, 4], Some("2")), edits);
        sent.forget(&document);
        assert_eq!(sent.answer(&document, vec![1], Some("3")), r#"{"resultId":"4","data":[1]}"#);
    }

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
