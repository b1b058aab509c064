//! Directives: lines that begin with `#`.

use super::state::{INCLUDE_LIMIT, Preprocessor, TOKEN_LIMIT};
use crate::definitions::{Definition, Macro};
use crate::token::{Kind, Token};
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes, nearest};

/// An open `#if`.
#[derive(Clone, Copy, Debug)]
struct Condition {
    /// The text at this place is part of the model.
    active: bool,
    /// A branch was taken, or no branch may be taken.
    taken: bool,
    /// Its `#else` was passed.
    last: bool,
    span: Span,
}

/// The conditions that are open in a file, outermost first.
#[derive(Debug, Default)]
struct Conditions(Vec<Condition>);

impl Conditions {
    fn active(&self) -> bool {
        self.0.last().is_none_or(|condition| condition.active)
    }

    fn open(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().map(|condition| condition.span)
    }
}

const DIRECTIVES: [&str; 14] = [
    "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "include", "error", "warning",
    "line", "pragma", "ident",
];

impl Preprocessor<'_> {
    /// Processes one file: its lines are directives, or text that is expanded in runs between directives.
    pub(super) fn file(&mut self, file: FileId, folder: &str, depth: usize, out: &mut Vec<Token>) {
        let tokens = self.lexed(file);
        let mut conditions = Conditions::default();
        let mut run: Vec<Token> = Vec::new();
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            let length = rest[1..].iter().position(|token| token.starts_line).map_or(rest.len(), |i| i + 1);
            let (line, behind) = rest.split_at(length);
            rest = behind;
            if line[0].kind != Kind::Hash {
                if conditions.active() {
                    run.extend_from_slice(line);
                }
                continue;
            }
            let text = self.expand(std::mem::take(&mut run));
            out.extend(text);
            self.directive(line, &mut conditions, folder, depth, out);
        }
        let text = self.expand(run);
        out.extend(text);
        for open in conditions.open() {
            self.report(
                Diagnostic::error(codes::BAD_DIRECTIVE, "this condition has no end")
                    .at(open, "")
                    .help("add `#endif`"),
            );
        }
    }

    fn directive(
        &mut self,
        line: &[Token],
        conditions: &mut Conditions,
        folder: &str,
        depth: usize,
        out: &mut Vec<Token>,
    ) {
        let hash = &line[0];
        let Some(word) = line.get(1) else { return };
        let rest = &line[2..];
        let active = conditions.active();
        match &*word.text {
            "if" => {
                let holds = active && self.condition(word, rest);
                conditions.0.push(Condition {
                    active: holds,
                    taken: holds || !active,
                    last: false,
                    span: word.span,
                });
            }
            "ifdef" | "ifndef" => {
                let defined = active && self.is_defined(word, rest);
                let holds = active && (defined == (&*word.text == "ifdef"));
                conditions.0.push(Condition {
                    active: holds,
                    taken: holds || !active,
                    last: false,
                    span: word.span,
                });
            }
            "elif" | "else" => {
                let last = &*word.text == "else";
                match conditions.0.last().copied() {
                    None => self.stray(word),
                    Some(open) if open.last => {
                        self.report(
                            Diagnostic::error(
                                codes::BAD_DIRECTIVE,
                                format!("`#{}` after `#else`", word.text),
                            )
                            .at(word.span, "")
                            .also(open.span, "the condition"),
                        );
                    }
                    Some(open) => {
                        let holds = !open.taken && (last || self.condition(word, rest));
                        let span = open.span;
                        conditions.0.pop();
                        conditions.0.push(Condition {
                            active: holds,
                            taken: open.taken || holds,
                            last,
                            span,
                        });
                    }
                }
            }
            "endif" => {
                if conditions.0.pop().is_none() {
                    self.stray(word);
                }
            }
            _ if !active => {}
            "define" => self.define(hash.span, rest),
            "undef" => match rest.first() {
                Some(name) if name.kind == Kind::Word => {
                    self.is_macro(name);
                    self.macros.0.remove(&name.text);
                }
                _ => self.error(codes::BAD_DIRECTIVE, word, "`#undef` needs the name of a macro", ""),
            },
            "include" => self.included(word, rest, folder, depth, out),
            "error" | "warning" => {
                let text = rest.first().zip(rest.last()).map(|(a, b)| self.sources.text(a.span.to(b.span)));
                let message = format!("`#{}` {}", word.text, text.unwrap_or(""));
                let message = message.trim_end();
                let diagnostic = if &*word.text == "error" {
                    Diagnostic::error(codes::ERROR_DIRECTIVE, message)
                        .help("the surrounding conditions determine when it is reached")
                } else {
                    Diagnostic::warning(codes::ERROR_DIRECTIVE, message)
                };
                self.report(diagnostic.at(word.span, ""));
            }
            "line" | "pragma" | "ident" => {}
            _ if word.kind == Kind::Number => {}
            name => {
                let message = format!("`#{name}` is not a directive");
                let mut diagnostic = Diagnostic::error(codes::BAD_DIRECTIVE, message).at(word.span, "");
                if let Some(near) = nearest(name, DIRECTIVES) {
                    let fix = Fix::instead(word.span, name, near.name).certain_if(near.is_certain);
                    diagnostic = diagnostic.help(format!("did you mean `#{}`?", near.name)).fix(fix);
                }
                self.report(diagnostic);
            }
        }
    }

    fn stray(&mut self, word: &Token) {
        let message = format!("`#{}` without `#if`", word.text);
        self.error(codes::BAD_DIRECTIVE, word, message, "");
    }

    fn is_defined(&mut self, word: &Token, rest: &[Token]) -> bool {
        match rest.first() {
            Some(name) if name.kind == Kind::Word => self.is_macro(name),
            _ => {
                let message = format!("`#{}` needs the name of a macro", word.text);
                self.error(codes::BAD_DIRECTIVE, word, message, "");
                false
            }
        }
    }

    /// Whether a name is that of a macro, which it then refers to.
    pub(super) fn is_macro(&mut self, name: &Token) -> bool {
        let Some(definition) = self.macros.0.get(&name.text) else { return false };
        self.written.uses.entry(name.span).or_insert(definition.span);
        true
    }

    /// Defines a macro from the tokens after `#define`.
    pub(super) fn define(&mut self, hash: Span, rest: &[Token]) {
        let Some((name, mut body)) = rest.split_first().filter(|(name, _)| name.kind == Kind::Word) else {
            let span = rest.first().map_or(hash, |token| token.span);
            self.report(
                Diagnostic::error(codes::BAD_DIRECTIVE, "`#define` needs the name of a macro").at(span, ""),
            );
            return;
        };
        if matches!(&*name.text, "defined" | "__VA_ARGS__") {
            let message = format!("`{}` cannot be defined", name.text);
            return self.error(codes::BAD_DIRECTIVE, name, message, "");
        }
        let mut parameters = None;
        let mut written: &[Token] = &[];
        let mut variadic = false;
        if let Some((open, behind)) = body.split_first()
            && open.kind == Kind::LeftParen
            && !open.spaced
        {
            let Some(close) = behind.iter().position(|token| token.kind == Kind::RightParen) else {
                return self.error(
                    codes::BAD_DIRECTIVE,
                    open,
                    "the parameters of this macro have no closing `)`",
                    "",
                );
            };
            let (list, after) = behind.split_at(close);
            let Some(names) = parameter_names(list, &mut variadic) else {
                let help = "parameters are names separated by commas";
                return self.error(codes::BAD_DIRECTIVE, open, "these are not macro parameters", help);
            };
            parameters = Some(names);
            written = list;
            body = &after[1..];
        }
        if let Some(edge) = body.first().into_iter().chain(body.last()).find(|t| t.kind == Kind::HashHash) {
            return self.error(codes::BAD_DIRECTIVE, edge, "`##` needs something on both sides", "");
        }
        let defined = Macro { parameters, variadic, body: body.to_vec(), span: name.span };
        if let Some(earlier) = self.macros.0.get(&name.text)
            && !same(earlier, &defined)
        {
            let diagnostic = Diagnostic::warning(
                codes::MACRO_REDEFINED,
                format!("the macro `{}` is redefined", name.text),
            )
            .at(name.span, "this definition applies from here on")
            .also(earlier.span, "first defined here")
            .help("if this is intended, write `#undef` before the second definition");
            self.report(diagnostic);
        }
        self.macros.0.insert(name.text.clone(), Arc::new(defined));
        let parameters: Vec<Token> =
            written.iter().filter(|token| token.kind == Kind::Word).cloned().collect();
        let whole = hash.to(rest.last().map_or(name.span, |last| last.span));
        self.written.definitions.push(Definition::new(name, whole, false, &parameters, body));
    }

    fn included(&mut self, word: &Token, rest: &[Token], folder: &str, depth: usize, out: &mut Vec<Token>) {
        let expanded;
        let mut rest = rest;
        if rest.first().is_some_and(|token| token.kind == Kind::Word) {
            expanded = self.expand(rest.to_vec());
            rest = &expanded;
        }
        let Some(target) = rest.first() else {
            return self.error(codes::BAD_INCLUDE, word, "`#include` needs the name of a file", "");
        };
        let help = "write `#include \"file\"`, with a file in the folder of the model";
        if target.kind != Kind::Text {
            let message = match target.kind {
                Kind::Lt => "system files cannot be included",
                _ => "`#include` needs the name of a file in quotes",
            };
            return self.error(codes::BAD_INCLUDE, target, message, help);
        }
        let name = &target.text[1..target.text.len() - 1];
        let Some(path) = inside(folder, name) else {
            let message = format!("`{name}` lies outside the folder of the model");
            return self.error(
                codes::BAD_INCLUDE,
                target,
                message,
                "copy the file into the folder of the model",
            );
        };
        if depth >= INCLUDE_LIMIT {
            let message = format!("files include each other more than {INCLUDE_LIMIT} levels deep");
            let help = "a file that includes itself needs `#ifndef` around its text";
            return self.error(codes::BAD_INCLUDE, target, message, help);
        }
        let Some(text) = self.include.read(&path) else {
            let message = format!("the included file `{path}` cannot be read");
            let help = "names are relative to the folder of the including file";
            return self.error(codes::BAD_INCLUDE, target, message, help);
        };
        self.produced = self.produced.saturating_add(text.len() / 2);
        if self.produced > TOKEN_LIMIT {
            return self.too_large(target);
        }
        let inner = path.rfind('/').map_or("", |slash| &path[..slash]);
        let file = self.sources.add(path.as_str(), text);
        self.file(file, inner, depth + 1, out);
    }
}

fn parameter_names(list: &[Token], variadic: &mut bool) -> Option<Vec<Arc<str>>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    if list.is_empty() {
        return Some(names);
    }
    let mut parts = list.split(|token| token.kind == Kind::Comma).peekable();
    while let Some(part) = parts.next() {
        match part {
            [name] if name.kind == Kind::Word && !names.contains(&name.text) => names.push(name.text.clone()),
            [dots, dot] if dots.kind == Kind::DotDot && dot.kind == Kind::Dot && parts.peek().is_none() => {
                *variadic = true;
                names.push("__VA_ARGS__".into());
            }
            _ => return None,
        }
    }
    Some(names)
}

/// Whether two definitions are equivalent (C99, 6.10.3).
fn same(a: &Macro, b: &Macro) -> bool {
    a.parameters == b.parameters
        && a.variadic == b.variadic
        && a.body.len() == b.body.len()
        && a.body
            .iter()
            .zip(&b.body)
            .enumerate()
            .all(|(i, (x, y))| x.kind == y.kind && x.text == y.text && (i == 0 || x.spaced == y.spaced))
}

/// A path from the folder of the model, for a name in a file of `folder`; `None` where it leaves the folder.
fn inside(folder: &str, name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with('/') || name.contains(['\\', ':', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
