//! Expansion of macros (C99, 6.10.3.4).
//!
//! The bodies that are being read form a stack. A macro whose body is on the stack is not expanded again: its name stays a
//! name. Arguments are expanded separately before, with the same stack below them.

use super::state::{CALL_LIMIT, Preprocessor, TOKEN_LIMIT};
use super::substitute::{Arguments, expanded_parameters};
use crate::definitions::Macro;
use crate::place::PlaceInfo;
use crate::token::{Kind, Token};
use std::sync::Arc;
use volvelle_diagnostics::codes;

/// Tokens that are still to be read, and the macro whose body they are.
struct Waiting {
    tokens: std::vec::IntoIter<Token>,
    of: Option<Arc<str>>,
}

/// The stack of one expansion.
struct Reader<'s> {
    stack: Vec<Waiting>,
    /// Macros being expanded, around this text and in it.
    busy: &'s mut Vec<Arc<str>>,
}

impl Reader<'_> {
    /// Drops the bodies that are read to their ends.
    fn drop_finished(&mut self) {
        while let Some(top) = self.stack.last()
            && top.tokens.as_slice().is_empty()
        {
            if top.of.is_some() {
                self.busy.pop();
            }
            self.stack.pop();
        }
    }

    fn peek(&mut self) -> Option<&Token> {
        self.drop_finished();
        self.stack.last().and_then(|top| top.tokens.as_slice().first())
    }

    fn next(&mut self) -> Option<Token> {
        self.drop_finished();
        self.stack.last_mut().and_then(|top| top.tokens.next())
    }
}

impl Preprocessor<'_> {
    /// Expands a run of text.
    pub(super) fn expand(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        self.expand_within(tokens, &mut Vec::new(), 0)
    }

    /// Expands text while some macros (`busy`) are being expanded; `depth` is the nesting of arguments.
    pub(super) fn expand_within(
        &mut self,
        tokens: Vec<Token>,
        busy: &mut Vec<Arc<str>>,
        depth: usize,
    ) -> Vec<Token> {
        let around = busy.len();
        let mut out = Vec::with_capacity(tokens.len());
        let mut reader = Reader { stack: vec![Waiting { tokens: tokens.into_iter(), of: None }], busy };
        while let Some(mut token) = reader.next() {
            if token.kind != Kind::Word || token.painted || self.exhausted {
                out.push(token);
                continue;
            }
            let Some(definition) = self.macros.0.get(&token.text).cloned() else {
                self.built_in(&mut token);
                out.push(token);
                continue;
            };
            if reader.busy.contains(&token.text) {
                token.painted = true;
                out.push(token);
                continue;
            }
            let mut arguments = Vec::new();
            let mut span = token.span;
            if definition.parameters.is_some() {
                // Only a parenthesis behind the name makes it a call.
                if reader.peek().is_none_or(|next| next.kind != Kind::LeftParen) {
                    out.push(token);
                    continue;
                }
                let Some((given, end)) = self.arguments(&mut reader, &token, &definition) else {
                    continue;
                };
                arguments = given;
                if end.through == token.through {
                    span = span.to(end.span);
                }
            }
            self.written.uses.entry(token.span).or_insert(definition.span);
            if depth + reader.busy.len() >= CALL_LIMIT {
                self.exhausted = true;
                let message = format!("macro calls are nested more than {CALL_LIMIT} levels deep");
                self.error(codes::EXPANSION_LIMIT, &token, message, "expand the innermost ones by hand");
                continue;
            }
            let call = self.places.add(PlaceInfo { span, through: token.through });
            let mut body = {
                let arguments = self.expanded_arguments(&definition, arguments, reader.busy, depth);
                self.substitute(&definition, &token, &arguments, call)
            };
            if let Some(first) = body.first_mut() {
                first.starts_line = token.starts_line;
                first.spaced = token.spaced;
            } else if let Some(next) =
                reader.stack.last_mut().and_then(|top| top.tokens.as_mut_slice().first_mut())
            {
                // The token after an empty body takes the place at which the body would begin.
                next.starts_line |= token.starts_line;
                next.spaced |= token.spaced;
            }
            self.produced = self.produced.saturating_add(body.len());
            if self.produced > TOKEN_LIMIT {
                self.too_large(&token);
                continue;
            }
            reader.busy.push(token.text.clone());
            reader.stack.push(Waiting { tokens: body.into_iter(), of: Some(token.text.clone()) });
        }
        reader.drop_finished();
        busy.truncate(around);
        out
    }

    /// Expands those arguments of a call that take their place expanded.
    fn expanded_arguments(
        &mut self,
        definition: &Macro,
        raw: Vec<Vec<Token>>,
        busy: &mut Vec<Arc<str>>,
        depth: usize,
    ) -> Arguments {
        let mut expanded = vec![None; raw.len()];
        for index in expanded_parameters(definition) {
            expanded[index] = Some(self.expand_within(raw[index].clone(), busy, depth + 1));
        }
        Arguments { raw, expanded }
    }

    pub(super) fn too_large(&mut self, token: &Token) {
        if !self.exhausted {
            self.exhausted = true;
            let message = format!("the model has more than {TOKEN_LIMIT} tokens after expansion");
            self.error(codes::EXPANSION_LIMIT, token, message, "look for macros that double their text");
        }
    }

    fn built_in(&self, token: &mut Token) {
        let span = self.places_outermost(token);
        match &*token.text {
            "__LINE__" => {
                token.text = self.sources.line_column(span).line.to_string().into();
                token.kind = Kind::Number;
            }
            "__FILE__" => {
                let name = self.sources.file(span.file).name.replace('\\', "\\\\").replace('"', "\\\"");
                token.text = format!("\"{name}\"").into();
                token.kind = Kind::Text;
            }
            _ => {}
        }
    }

    fn places_outermost(&self, token: &Token) -> volvelle_diagnostics::Span {
        let Some(call) = token.through else { return token.span };
        self.places.span(self.places.calls(call).last().unwrap_or(call))
    }

    /// The arguments of a call, from its `(` on, and the `)`.
    fn arguments(
        &mut self,
        reader: &mut Reader<'_>,
        name: &Token,
        definition: &Macro,
    ) -> Option<(Vec<Vec<Token>>, Token)> {
        reader.next();
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        let end = loop {
            let Some(token) = reader.next() else {
                let message = format!("the call of the macro `{}` has no closing `)`", name.text);
                self.error(codes::BAD_MACRO_CALL, name, message, "");
                return None;
            };
            match token.kind {
                Kind::LeftParen => depth += 1,
                Kind::RightParen if depth == 0 => break token,
                Kind::RightParen => depth -= 1,
                Kind::Comma if depth == 0 && !(definition.variadic && arguments.len() == wanted) => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        };
        if wanted == 0 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == wanted {
            arguments.push(Vec::new());
        }
        if arguments.len() == wanted {
            return Some((arguments, end));
        }
        let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        let message = format!("the macro `{}` takes {}, not {}", name.text, count(wanted), arguments.len());
        let diagnostic = volvelle_diagnostics::Diagnostic::error(codes::BAD_MACRO_CALL, message);
        let diagnostic = crate::place::at_info(diagnostic, &self.places, name.info(), "");
        self.report(diagnostic.also(definition.span, "defined here"));
        // A number replaces a missing argument, so that the rest can be parsed.
        let missing = Token { kind: Kind::Number, text: "0".into(), ..name.clone() };
        arguments.resize(wanted, vec![missing]);
        Some((arguments, end))
    }
}
