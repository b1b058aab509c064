//! Declarations.

use super::expressions::is_operand;
use super::parser::{Parsed, Parser};
use crate::lex::{Kind, T};
use crate::syntax::{
    Channel, Constant, Content, Dimension, Expr, ExprKind, Field, Group, Home, Item, Parameter, Private,
    Procedure, Process, Range, Shared, Type, TypeKind,
};
use volvelle_syntax::{Parse, Spelt};

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Parsed<Item> {
        match self.peek() {
            T!["const"] => self.constant(),
            T!["type"] => {
                self.advance();
                let name = self.name("the name of a type")?;
                self.expect(T!["="])?;
                let kind = self.kind()?;
                self.expect(T![";"])?;
                Ok(Item::Type(name, kind))
            }
            T!["shared"] => self.shared(),
            T!["private"] => {
                self.advance();
                let name = self.name("the name of a variable")?;
                let dimensions = self.dimensions()?;
                let (kind, initial) = self.kind_and_value()?;
                self.expect(T![";"])?;
                Ok(Item::Private(Private { name, dimensions, kind, initial }))
            }
            T!["channel"] => {
                self.advance();
                let name = self.name("the name of a channel")?;
                let dimensions = self.dimensions()?;
                let kind = self.colon_kind()?;
                let capacity = if self.take_word("capacity") { Some(self.expression()?) } else { None };
                self.expect(T![";"])?;
                Ok(Item::Channel(Channel { name, dimensions, kind, capacity }))
            }
            T!["procedure"] => {
                self.advance();
                let name = self.name("the name of a procedure")?;
                let parameters = self.parameters()?;
                let body = self.block()?;
                Ok(Item::Procedure(Procedure { name, parameters, body }))
            }
            T!["process"] => {
                self.advance();
                let name = self.name("the name of a process")?;
                let family = if self.at(T!["["]) { Some(self.dimension()?) } else { None };
                let body = self.block()?;
                Ok(Item::Process(Process { name, family, body }))
            }
            kind if kind == Kind::Name || kind.is_word() => {
                let words =
                    ["const", "type", "shared", "private", "channel", "procedure", "process"].as_slice();
                let diagnostic = self.perhaps(
                    "`const`, `type`, `shared`, `private`, `channel`, `procedure` or `process`",
                    words,
                );
                Err(self.refuse(diagnostic))
            }
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn constant(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a constant")?;
        self.expect(T!["="])?;
        let value = self.expression()?;
        let text = self.under(value.span).to_owned();
        self.expect(T![";"])?;
        Ok(Item::Constant(Constant { name, value, text }))
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect(T!["("])?;
        self.separated_until(T![","], T![")"], |p| {
            let shared = p.take(T!["shared"]);
            Ok(Parameter { name: p.name("the name of a parameter")?, shared })
        })
    }

    /// `lo .. hi`
    pub(super) fn range(&mut self) -> Parsed<Range> {
        let lo = self.expression()?;
        self.expect(T![".."])?;
        let hi = self.expression()?;
        let span = lo.span.to(hi.span);
        Ok(Range { lo, hi, span })
    }

    fn dimension(&mut self) -> Parsed<Dimension> {
        self.expect(T!["["])?;
        let name = self.name("the name of an index, such as `[i: 0..1]`")?;
        self.expect(T![":"])?;
        let range = self.range()?;
        self.expect(T!["]"])?;
        Ok(Dimension { name, range })
    }

    fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.at(T!["["]) {
            dimensions.push(self.dimension()?);
        }
        Ok(dimensions)
    }

    /// A type.
    fn kind(&mut self) -> Parsed<Type> {
        let start = self.span();
        if self.at_word("mod") && is_operand(self.ahead(1).kind) {
            self.advance();
            let modulus = self.expression()?;
            return Ok(Type { span: start.to(modulus.span), kind: TypeKind::Modulo(modulus) });
        }
        let lo = self.expression()?;
        if self.take(T![".."]) {
            let hi = self.expression()?;
            let span = lo.span.to(hi.span);
            return Ok(Type { kind: TypeKind::Range(Box::new(Range { lo, hi, span })), span });
        }
        match lo {
            Expr { kind: ExprKind::Place(place), span, .. }
                if place.indices.is_empty() && place.field.is_none() =>
            {
                let kind = match place.name.text.as_str() {
                    "data" => TypeKind::Data,
                    "bool" => TypeKind::Bool,
                    _ => TypeKind::Name(place.name.text),
                };
                Ok(Type { kind, span })
            }
            _ => Err(self.unexpected("`..` and the greatest value")),
        }
    }

    pub(super) fn colon_kind(&mut self) -> Parsed<Option<Type>> {
        if self.take(T![":"]) { Ok(Some(self.kind()?)) } else { Ok(None) }
    }

    /// `: type = value`, each of which may be left out.
    pub(super) fn kind_and_value(&mut self) -> Parsed<(Option<Type>, Option<Expr>)> {
        let kind = self.colon_kind()?;
        let value = if self.take(T!["="]) { Some(self.expression()?) } else { None };
        Ok((kind, value))
    }

    fn shared(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a variable")?;
        let dimensions = self.dimensions()?;
        let (kind, initial) = self.kind_and_value()?;
        let (mut home, mut class, mut line) = (None, None, None);
        loop {
            let word = self.word();
            let twice = match word {
                "home" => home.is_some(),
                "class" => class.is_some(),
                "line" => line.is_some(),
                _ => break,
            };
            if twice {
                return Err(self.unexpected("`;`"));
            }
            self.advance();
            match word {
                "home" if self.at(Kind::Text) => {
                    let quoted = self.advance().span(self.file);
                    home = Some(Home::Place(self.under(quoted).trim_matches('"').to_owned()));
                }
                "home" => home = Some(Home::Process(self.expression()?)),
                "class" => class = Some(self.name("the name of a class")?),
                _ => line = Some(self.name("the name of a line")?),
            }
        }
        let content = if self.at(T!["{"]) {
            if kind.is_some() || initial.is_some() {
                return Err(self.unexpected("`;`"));
            }
            Content::Structure(self.structure()?)
        } else {
            if !self.at(T![";"]) {
                let diagnostic = self.perhaps("`home`, `class`, `line` or `;`", &["home", "class", "line"]);
                return Err(self.refuse(diagnostic));
            }
            self.advance();
            Content::Variable(kind.map(Box::new), initial.map(Box::new))
        };
        Ok(Item::Shared(Box::new(Shared { name, dimensions, content, home, class, line })))
    }

    /// `{ line { field; } line second { field; } }`
    fn structure(&mut self) -> Parsed<Vec<Group>> {
        self.expect(T!["{"])?;
        let mut groups = Vec::new();
        while !self.take(T!["}"]) {
            let span = self.span();
            if !self.take_word("line") {
                return Err(self.unexpected("`line`"));
            }
            let name = if self.at(T!["{"]) { None } else { Some(self.name("`{` or the name of a line")?) };
            self.expect(T!["{"])?;
            let mut fields = Vec::new();
            while !self.take(T!["}"]) {
                let name = self.name("the name of a field, or `}`")?;
                let dimensions = self.dimensions()?;
                let (kind, initial) = self.kind_and_value()?;
                let class =
                    if self.take_word("class") { Some(self.name("the name of a class")?) } else { None };
                self.expect(T![";"])?;
                fields.push(Field { name, dimensions, kind, initial, class });
            }
            groups.push(Group { name, fields, span });
        }
        Ok(groups)
    }
}
