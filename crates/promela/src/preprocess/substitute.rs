//! The body of a macro with its arguments in place: parameters, `#` and `##` (C99, 6.10.3.1 to 6.10.3.3).

use super::state::{Preprocessor, TOKEN_LIMIT};
use crate::definitions::Macro;
use crate::place::Place;
use crate::token::{Kind, Token};
use volvelle_diagnostics::codes;
use volvelle_syntax::Spelt;

/// The position of the parameter that a token of a macro's body names.
fn parameter(definition: &Macro, token: &Token) -> Option<usize> {
    let parameters = definition.parameters.as_ref().filter(|_| token.kind == Kind::Word)?;
    parameters.iter().position(|name| *name == token.text)
}

/// The parameters whose arguments are expanded before they take their place, in the order in which the body names them:
/// all but those that stand only beside `#` and `##`.
pub(super) fn expanded_parameters(definition: &Macro) -> Vec<usize> {
    let body = &definition.body;
    let kind = |at: Option<usize>| at.and_then(|at| body.get(at)).map(|token| token.kind);
    let mut found = Vec::new();
    for (at, token) in body.iter().enumerate() {
        let raw = matches!(kind(at.checked_sub(1)), Some(Kind::Hash | Kind::HashHash))
            || kind(Some(at + 1)) == Some(Kind::HashHash);
        if let Some(index) = parameter(definition, token)
            && !raw
            && !found.contains(&index)
        {
            found.push(index);
        }
    }
    found
}

/// The arguments of a call of a macro.
pub(super) struct Arguments {
    /// As they are written.
    pub raw: Vec<Vec<Token>>,
    /// After expansion, for those of [`expanded_parameters`].
    pub expanded: Vec<Option<Vec<Token>>>,
}

impl Preprocessor<'_> {
    /// The body of a macro for one call.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        name: &Token,
        arguments: &Arguments,
        call: Place,
    ) -> Vec<Token> {
        let body = &definition.body;
        let mut out: Vec<Token> = Vec::new();
        // After `##`: whether there is a left side to join with.
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
                .then(|| body.get(at).and_then(|token| parameter(definition, token)))
                .flatten();
            if let Some(index) = quoted {
                at += 1;
                piece = vec![Token {
                    kind: Kind::Text,
                    text: stringized(&arguments.raw[index]).into(),
                    through: Some(call),
                    ..token.clone()
                }];
            } else if let Some(index) = parameter(definition, token) {
                let joined = join.is_some() || body.get(at).is_some_and(|t| t.kind == Kind::HashHash);
                let expanded = arguments.expanded[index].as_ref().filter(|_| !joined);
                piece = expanded.unwrap_or(&arguments.raw[index]).clone();
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
                        let message =
                            format!("`{}` and `{}` do not form a token together", last.text, first.text);
                        self.error(codes::BAD_MACRO_CALL, name, message, "`##` joins two tokens into one");
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
        let (tokens, diagnostics) = crate::lex::lex(left.span.file, &text);
        match (tokens.as_slice(), diagnostics.as_slice()) {
            ([one], []) if *one.text == *text && (one.kind == Kind::BadNumber || !one.kind.is_flaw()) => {
                Some(Token { kind: one.kind, text: one.text.clone(), painted: false, ..left.clone() })
            }
            _ => None,
        }
    }
}

/// Tokens as the text of a string, in quotes.
fn stringized(tokens: &[Token]) -> String {
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
