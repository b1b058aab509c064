//! Text of rules to its tree. Never stops at the first mistake: behind one, reading goes on at the next rule or section.

mod expression;
mod section;

use crate::ast::{Expr, ExprId, ExprKind, File, Name, Param, TypeRef};
use crate::tokens::{Kind, T};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_syntax::{Cursor, Parse, around_cursor, tokens};

/// How deep expressions may be within one another.
pub const DEEPEST: u32 = 400;

/// A mistake was reported.
pub(crate) struct Reported;

type Result<T> = std::result::Result<T, Reported>;

pub(crate) struct Parser<'t> {
    cursor: Cursor<'t, Kind>,
    file: File,
    found: Vec<Diagnostic>,
    /// Whether a comma separates items here, so that it adds no mapping to an environment.
    separates: bool,
}

around_cursor!(Parser, Kind);

/// Reads a rule file.
pub fn parse(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let tokens = tokens::<Kind>(text, |token| {
        let span = token.span(file);
        let message = match token.kind {
            Kind::OpenText => "the text has no end".to_owned(),
            Kind::OpenComment => "the comment has no end".to_owned(),
            _ => format!("`{}` has no meaning here", token.text(text)),
        };
        found.push(Diagnostic::error(codes::UNEXPECTED_CHARACTER, message).at(span, ""));
        None
    });
    let mut parser =
        Parser { cursor: Cursor::new(file, text, tokens), file: File::default(), found, separates: false };
    parser.sections();
    (parser.file, parser.found)
}

impl<'t> Parse<'t> for Parser<'t> {
    type Kind = Kind;
    type Error = Reported;
    const DEEPEST: u32 = DEEPEST;

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let message = self.expected(wanted);
        let span = self.span();
        self.found.push(Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(span, ""));
        Reported
    }

    fn too_deep(&mut self) -> Reported {
        let span = self.span();
        let message = format!("more than {DEEPEST} constructs are within one another");
        self.found.push(Diagnostic::error(codes::UNEXPECTED_TOKEN, message).at(span, ""));
        Reported
    }
}

impl Parser<'_> {
    /// A name; words of the language are names where `any_word`.
    fn name_or(&mut self, wanted: &str, any_word: bool) -> Result<Name> {
        let token = self.token();
        let is_word = any_word && volvelle_syntax::Spelt::is_word(token.kind);
        if token.kind != Kind::Name && !is_word {
            return Err(self.unexpected(wanted));
        }
        self.advance();
        Ok(Name { text: self.text_of(token).to_owned(), span: token.span(self.cursor.file) })
    }

    fn name(&mut self, wanted: &str) -> Result<Name> {
        self.name_or(wanted, false)
    }

    /// A text in quotes, without them.
    fn quoted(&mut self, wanted: &str) -> Result<Name> {
        if !self.at(Kind::Text) {
            return Err(self.unexpected(wanted));
        }
        let token = self.advance();
        Ok(Name { text: unquoted(self.text_of(token)), span: token.span(self.cursor.file) })
    }

    /// `Name`, `Name<A, B>`, `(A, B) => C`
    fn ty(&mut self) -> Result<TypeRef> {
        self.nested(|parser| {
            let start = parser.span();
            if parser.take(T!["("]) {
                let mut args = parser.separated_until(T![","], T![")"], Self::ty)?;
                parser.expect(T!["=>"])?;
                args.push(parser.ty()?);
                return Ok(TypeRef { name: Name { text: "=>".to_owned(), span: parser.since(start) }, args });
            }
            let name = parser.name("a type")?;
            let mut args = Vec::new();
            if parser.take(T!["<"]) {
                args = parser.separated(T![","], Self::ty)?;
                if parser.at(T![">>"]) {
                    // Both close a list of arguments: the second one is left to the type around this one.
                    let number = parser.number();
                    parser.read_as(number, T![">"]);
                } else {
                    parser.expect(T![">"])?;
                }
            }
            Ok(TypeRef { name, args })
        })
    }

    /// Whether a type and a name follow: `Type name`, `List<Type> name`.
    fn at_typed_name(&self) -> bool {
        self.typed_name_behind(0)
    }

    fn typed_name_behind(&self, from: usize) -> bool {
        if self.ahead(from).kind != Kind::Name {
            return false;
        }
        let mut at = from + 1;
        if self.ahead(at).kind == T!["<"] {
            let mut open = 0_i32;
            loop {
                match self.ahead(at).kind {
                    T!["<"] => open += 1,
                    T![">"] => open -= 1,
                    T![">>"] => open -= 2,
                    Kind::Name | T![","] => {}
                    _ => return false,
                }
                at += 1;
                if open <= 0 {
                    break;
                }
            }
        }
        let token = self.ahead(at);
        // `result from {` ends a conclusion.
        let ends = self.text_of(token) == "from" && self.ahead(at + 1).kind == T!["{"];
        token.kind == Kind::Name && !token.starts_line && !ends
    }

    fn param(&mut self) -> Result<Param> {
        let ty = self.ty()?;
        let name = self.name("the name of the parameter")?;
        Ok(Param { ty: Some(ty), name })
    }

    fn params(&mut self) -> Result<Vec<Param>> {
        self.expect(T!["("])?;
        self.separated_until(T![","], T![")"], Self::param)
    }

    fn add(&mut self, kind: ExprKind, span: Span, depth: u32) -> Result<ExprId> {
        if depth > DEEPEST {
            return Err(self.too_deep());
        }
        Ok(self.file.exprs.push(Expr { kind, span, depth }))
    }

    fn depth_of(&self, exprs: &[ExprId]) -> u32 {
        exprs.iter().map(|&expr| self.file.exprs[expr].depth).max().unwrap_or(0) + 1
    }
}

/// The text in quotes, with what its escapes mean.
pub(crate) fn unquoted(quoted: &str) -> String {
    let inner = &quoted[1..quoted.len() - 1];
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    text
}
