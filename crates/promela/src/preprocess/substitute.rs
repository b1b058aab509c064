//! The body of a macro with its arguments in place: parameters, `#` and `##` (C99, 6.10.3.1 to 6.10.3.3).

use super::{Macro, Preprocessor, TOKEN_LIMIT};
use crate::ast::Place;
use crate::token::{Bad, Kind, Token};
use std::sync::Arc;
use volvelle_diagnostics::codes;

impl Preprocessor<'_> {
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        name: &Token,
        arguments: Vec<Vec<Token>>,
        call: Place,
        busy: &mut Vec<Arc<str>>,
        depth: usize,
    ) -> Vec<Token> {
        let none = Vec::new();
        let parameters = definition.parameters.as_ref().unwrap_or(&none);
        let parameter = |token: &Token| match token.kind {
            Kind::Word => parameters.iter().position(|name| *name == token.text),
            _ => None,
        };
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let body = &definition.body;
        let mut out: Vec<Token> = Vec::new();
        // Between `##` and its right side: whether there is a left side to join with.
        let mut join: Option<bool> = None;
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            if token.kind == Kind::HashHash && join.is_none() {
                join = Some(false);
                continue;
            }
            let mut piece: Vec<Token>;
            let quoted = (token.kind == Kind::Hash && definition.parameters.is_some())
                .then(|| body.get(at).and_then(parameter))
                .flatten();
            if let Some(index) = quoted {
                at += 1;
                piece = vec![Token {
                    kind: Kind::Text,
                    text: spelled(&arguments[index]).into(),
                    through: Some(call),
                    ..token.clone()
                }];
            } else if let Some(index) = parameter(token) {
                let joined = join.is_some() || body.get(at).is_some_and(|t| t.kind == Kind::HashHash);
                piece = if joined {
                    arguments[index].clone()
                } else {
                    if expanded[index].is_none() {
                        expanded[index] = Some(self.expand_within(arguments[index].clone(), busy, depth + 1));
                    }
                    expanded[index].clone().unwrap_or_default()
                };
                for token in &mut piece {
                    token.spaced |= token.starts_line;
                    token.starts_line = false;
                }
                if let Some(first) = piece.first_mut() {
                    first.spaced = token.spaced;
                }
            } else {
                piece = vec![Token { through: Some(call), ..token.clone() }];
            }
            let left = join.take();
            if body.get(at).is_some_and(|t| t.kind == Kind::HashHash) {
                // The next piece is joined with the last token of this one, if it has one.
                join = Some(!piece.is_empty() || left == Some(true));
                at += 1;
            }
            if left == Some(true)
                && let Some(first) = piece.first()
                && let Some(last) = out.pop()
            {
                match self.pasted(&last, first) {
                    Some(one) => piece[0] = one,
                    None => {
                        let message = format!("`{}` and `{}` make no word together", last.text, first.text);
                        self.error(codes::BAD_MACRO_CALL, name, message, "`##` joins two words to one");
                        out.push(last);
                    }
                }
            }
            out.append(&mut piece);
            if self.produced + out.len() > TOKEN_LIMIT {
                break;
            }
        }
        out
    }

    fn pasted(&self, left: &Token, right: &Token) -> Option<Token> {
        let text = format!("{}{}", left.text, right.text);
        let (tokens, complaint) = crate::lex::lex(left.span.file, &text);
        match (tokens.as_slice(), complaint) {
            ([one], None)
                if *one.text == *text
                    && (one.kind == Kind::Bad(Bad::Number) || !matches!(one.kind, Kind::Bad(_))) =>
            {
                Some(Token { kind: one.kind, text: one.text.clone(), painted: false, ..left.clone() })
            }
            _ => None,
        }
    }
}

/// Tokens as the text of a string, in quotes.
fn spelled(tokens: &[Token]) -> String {
    let mut out = String::from("\"");
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && (token.spaced || token.starts_line) {
            out.push(' ');
        }
        if matches!(token.kind, Kind::Text | Kind::Char) {
            for character in token.text.chars() {
                if matches!(character, '"' | '\\') {
                    out.push('\\');
                }
                out.push(character);
            }
        } else {
            out.push_str(&token.text);
        }
    }
    out.push('"');
    out
}
