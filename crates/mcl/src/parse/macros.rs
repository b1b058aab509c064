//! Macros: definitions, calls, arguments.

use super::frame::{Call, Frame, Macro};
use super::{Failed, Parsed, Parser};
use crate::token::{Kind, T};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// What a name that is no variable stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    /// A parameter: its argument.
    Argument(Frame),
    /// A macro.
    Macro(usize),
    /// Nothing.
    Unknown,
}

impl Parser<'_> {
    /// The definitions at the beginning of a text.
    pub(super) fn definitions(&mut self) {
        self.frame.macros = self.macros.len();
        loop {
            if self.at(T!["library"]) {
                let span = self.here();
                self.error(codes::FORMULA_SYNTAX, "libraries in other files are not read", span, "");
                let last = self.diagnostics.last_mut().expect("just pushed");
                last.helps.push("put their macros before the formula; common patterns such as `DEADLOCK_FREE` are built in".to_owned());
                self.skip_behind(T!["end_library"]);
            } else if self.at(T!["macro"]) {
                let start = self.advance();
                if self.definition(start).is_err() {
                    self.skip_behind(T!["end_macro"]);
                }
                self.frame.macros = self.macros.len();
            } else {
                return;
            }
        }
    }

    fn skip_behind(&mut self, word: Kind) {
        while !self.at_end() && !self.accept(word) {
            self.advance();
        }
    }

    fn definition(&mut self, start: Span) -> Parsed<()> {
        let name = self.name("the name of the macro")?;
        let mut parameters = Vec::new();
        if self.accept(T!["("]) && !self.accept(T![")"]) {
            loop {
                let span = self.here();
                let parameter = self.name("a parameter")?;
                if parameters.contains(&parameter) {
                    self.error(
                        codes::MACRO_CALL,
                        format!("two parameters have the name `{parameter}`"),
                        span,
                        "",
                    );
                }
                parameters.push(parameter);
                if !self.accept(T![","]) {
                    break;
                }
            }
            self.expect(T![")"])?;
        }
        self.expect(T!["="])?;
        let begin = self.frame.at;
        while !self.at_end() && !self.at(T!["end_macro"]) && !self.at(T!["macro"]) {
            self.advance();
        }
        let body = begin..self.frame.at;
        if !self.accept(T!["end_macro"]) {
            self.error(
                codes::FORMULA_SYNTAX,
                format!("the macro `{name}` has no end"),
                start,
                "it begins here",
            );
            let last = self.diagnostics.last_mut().expect("just pushed");
            last.helps.push("close it with `end_macro`".to_owned());
            return Ok(());
        }
        if body.is_empty() {
            self.error(codes::FORMULA_SYNTAX, format!("the macro `{name}` is empty"), start, "");
        }
        self.macros.push(Macro { name, parameters, list: self.frame.list, body });
        Ok(())
    }

    /// Takes a name.
    pub(super) fn name(&mut self, expected: &str) -> Parsed<String> {
        if !self.at(Kind::Name) {
            return Err(self.unexpected(expected));
        }
        let name = self.word().to_owned();
        self.advance();
        Ok(name)
    }

    /// What the next word stands for, if it is no variable.
    pub(super) fn named(&self) -> Named {
        let word = self.word();
        if let Some(call) = self.frame.call.map(|call| &self.calls[call]) {
            let place = self.macros[call.of].parameters.iter().position(|p| p == word);
            if let Some(argument) = place.and_then(|place| call.arguments.get(place)) {
                return Named::Argument(*argument);
            }
        }
        let known = &self.macros[..self.frame.macros];
        known.iter().rposition(|m| m.name == word).map_or(Named::Unknown, Named::Macro)
    }

    /// Names of macros and parameters that are known here.
    pub(super) fn known_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.macros[..self.frame.macros].iter().map(|m| m.name.clone()).collect();
        if let Some(call) = self.frame.call {
            names.extend(self.macros[self.calls[call].of].parameters.iter().cloned());
        }
        names
    }

    /// Parses a parameter or a call, whose name is next, with the parser of what is expected here.
    pub(super) fn expanded<T>(
        &mut self,
        named: Named,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let span = self.here();
        let origin = Some(self.frame.origin.unwrap_or(span));
        let inner = match named {
            Named::Unknown => unreachable!("callers ask first"),
            Named::Argument(argument) => {
                self.advance();
                // Inside an argument that the text has, the text itself is the origin.
                argument
            }
            Named::Macro(of) => {
                self.advance();
                let arguments = self.arguments()?;
                let definition = self.macros[of].clone();
                if arguments.len() != definition.parameters.len() {
                    let message = format!(
                        "`{}` takes {}, not {}",
                        definition.name,
                        count(definition.parameters.len()),
                        arguments.len()
                    );
                    let mut diagnostic = Diagnostic::error(codes::MACRO_CALL, message).at(span, "");
                    if !definition.parameters.is_empty() {
                        let list = definition.parameters.join(", ");
                        diagnostic = diagnostic.help(format!("write `{} ({list})`", definition.name));
                    }
                    self.diagnostics.push(diagnostic);
                    return Err(Failed::Syntax);
                }
                self.calls.push(Call { of, arguments });
                Frame {
                    list: definition.list,
                    at: definition.body.start,
                    end: definition.body.end,
                    call: Some(self.calls.len() - 1),
                    scope: None,
                    macros: of,
                    origin,
                }
            }
        };
        self.nested(|parser| {
            let outer = std::mem::replace(&mut parser.frame, inner);
            let result = parse(parser).and_then(|found| match parser.at_end() {
                true => Ok(found),
                false => Err(parser.unexpected("the end of the macro or argument")),
            });
            parser.frame = outer;
            result
        })
    }

    /// The arguments of a call: tokens between commas, in parentheses that match.
    fn arguments(&mut self) -> Parsed<Vec<Frame>> {
        let mut arguments = Vec::new();
        if !self.accept(T!["("]) || self.accept(T![")"]) {
            return Ok(arguments);
        }
        let mut depth = 0usize;
        let mut begin = self.frame.at;
        loop {
            let kind = self.peek();
            if kind == Kind::End || (depth == 0 && matches!(kind, T!["]"] | T!["}"])) {
                return Err(self.unexpected("`)` behind the arguments"));
            }
            let is_last = depth == 0 && kind == T![")"];
            if is_last || (depth == 0 && kind == T![","]) {
                if begin == self.frame.at {
                    return Err(self.unexpected("an argument"));
                }
                arguments.push(Frame { at: begin, end: self.frame.at, ..self.frame });
                begin = self.frame.at + 1;
            }
            match kind {
                T!["("] | T!["["] | T!["{"] => depth += 1,
                T![")"] | T!["]"] | T!["}"] => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if is_last {
                return Ok(arguments);
            }
        }
    }
}

fn count(parameters: usize) -> String {
    match parameters {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
