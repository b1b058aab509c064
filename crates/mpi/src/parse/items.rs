//! Declarations.

use super::cursor::{Cursor, Parsed};
use crate::lex::Kind;
use crate::syntax::{
    Channel, Constant, Content, Dimension, Expr, ExprKind, Field, Group, Home, Item, Parameter, Private,
    Procedure, Process, Range, Shared, Type, TypeKind,
};

impl Cursor<'_> {
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let Some(word) = self.word() else { return self.expected("a declaration") };
        match word {
            "const" => self.constant(),
            "type" => {
                self.advance();
                let name = self.name("the name of a type")?;
                self.sign("=")?;
                let kind = self.kind()?;
                self.sign(";")?;
                Ok(Item::Type(name, kind))
            }
            "shared" => self.shared(),
            "private" => {
                self.advance();
                let name = self.name("the name of a variable")?;
                let dimensions = self.dimensions()?;
                let (kind, initial) = self.kind_and_value()?;
                self.sign(";")?;
                Ok(Item::Private(Private { name, dimensions, kind, initial }))
            }
            "channel" => {
                self.advance();
                let name = self.name("the name of a channel")?;
                let dimensions = self.dimensions()?;
                let kind = self.colon_kind()?;
                let capacity = if self.take_word("capacity") { Some(self.expression()?) } else { None };
                self.sign(";")?;
                Ok(Item::Channel(Channel { name, dimensions, kind, capacity }))
            }
            "procedure" => {
                self.advance();
                let name = self.name("the name of a procedure")?;
                let parameters = self.parameters()?;
                let body = self.block()?;
                Ok(Item::Procedure(Procedure { name, parameters, body }))
            }
            "process" => {
                self.advance();
                let name = self.name("the name of a process")?;
                let family = if self.at_sign("[") { Some(self.dimension()?) } else { None };
                let body = self.block()?;
                Ok(Item::Process(Process { name, family, body }))
            }
            _ => {
                let mut diagnostic = self
                    .unexpected("`const`, `type`, `shared`, `private`, `channel`, `procedure` or `process`");
                if let Some(meant) = self.meant_item() {
                    diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
                }
                self.refuse(diagnostic)
            }
        }
    }

    fn constant(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a constant")?;
        self.sign("=")?;
        let value = self.expression()?;
        let text = self.under(value.span).to_owned();
        self.sign(";")?;
        Ok(Item::Constant(Constant { name, value, text }))
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.sign("(")?;
        let mut parameters = Vec::new();
        if self.take(")") {
            return Ok(parameters);
        }
        loop {
            let shared = self.take_word("shared");
            parameters.push(Parameter { name: self.name("the name of a parameter")?, shared });
            if !self.take(",") {
                break;
            }
        }
        self.sign(")")?;
        Ok(parameters)
    }

    /// `lo .. hi`
    pub(super) fn range(&mut self) -> Parsed<Range> {
        let lo = self.expression()?;
        self.sign("..")?;
        let hi = self.expression()?;
        let span = lo.span.to(hi.span);
        Ok(Range { lo, hi, span })
    }

    fn dimension(&mut self) -> Parsed<Dimension> {
        self.sign("[")?;
        let name = self.name("the name of an index, such as `[i: 0..1]`")?;
        self.sign(":")?;
        let range = self.range()?;
        self.sign("]")?;
        Ok(Dimension { name, range })
    }

    fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.at_sign("[") {
            dimensions.push(self.dimension()?);
        }
        Ok(dimensions)
    }

    /// A type.
    fn kind(&mut self) -> Parsed<Type> {
        let start = self.token().span;
        if self.at_word("mod") && self.then_operand() {
            self.advance();
            let modulus = self.expression()?;
            return Ok(Type { span: start.to(modulus.span), kind: TypeKind::Modulo(modulus) });
        }
        let lo = self.expression()?;
        if self.take("..") {
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
            _ => self.expected("`..` and the greatest value"),
        }
    }

    pub(super) fn colon_kind(&mut self) -> Parsed<Option<Type>> {
        if self.take(":") { Ok(Some(self.kind()?)) } else { Ok(None) }
    }

    /// `: type = value`, each of which may be left out.
    pub(super) fn kind_and_value(&mut self) -> Parsed<(Option<Type>, Option<Expr>)> {
        let kind = self.colon_kind()?;
        let value = if self.take("=") { Some(self.expression()?) } else { None };
        Ok((kind, value))
    }

    fn shared(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a variable")?;
        let dimensions = self.dimensions()?;
        let (kind, initial) = self.kind_and_value()?;
        let (mut home, mut class, mut line) = (None, None, None);
        loop {
            let word = self.word().unwrap_or_default();
            let twice = match word {
                "home" => home.is_some(),
                "class" => class.is_some(),
                "line" => line.is_some(),
                _ => break,
            };
            if twice {
                return self.expected("`;`");
            }
            self.advance();
            match word {
                "home" if self.token().kind == Kind::Text => {
                    let quoted = self.advance().span;
                    home = Some(Home::Place(self.under(quoted).trim_matches('"').to_owned()));
                }
                "home" => home = Some(Home::Process(self.expression()?)),
                "class" => class = Some(self.name("the name of a class")?),
                _ => line = Some(self.name("the name of a line")?),
            }
        }
        let content = if self.at_sign("{") {
            if kind.is_some() || initial.is_some() {
                return self.expected("`;`");
            }
            Content::Structure(self.structure()?)
        } else {
            if !self.at_sign(";") {
                let meant = self.meant(&["home", "class", "line"]);
                let mut diagnostic = self.unexpected("`home`, `class`, `line` or `;`");
                if let Some(meant) = meant {
                    diagnostic = diagnostic.help(format!("did you mean `{meant}`?"));
                }
                return self.refuse(diagnostic);
            }
            self.advance();
            Content::Variable(kind.map(Box::new), initial.map(Box::new))
        };
        Ok(Item::Shared(Box::new(Shared { name, dimensions, content, home, class, line })))
    }

    /// `{ line { field; } line second { field; } }`
    fn structure(&mut self) -> Parsed<Vec<Group>> {
        self.sign("{")?;
        let mut groups = Vec::new();
        while !self.take("}") {
            let span = self.keyword("line")?;
            let name = if self.at_sign("{") { None } else { Some(self.name("`{` or the name of a line")?) };
            self.sign("{")?;
            let mut fields = Vec::new();
            while !self.take("}") {
                let name = self.name("the name of a field, or `}`")?;
                let dimensions = self.dimensions()?;
                let (kind, initial) = self.kind_and_value()?;
                let class =
                    if self.take_word("class") { Some(self.name("the name of a class")?) } else { None };
                self.sign(";")?;
                fields.push(Field { name, dimensions, kind, initial, class });
            }
            groups.push(Group { name, fields, span });
        }
        Ok(groups)
    }
}
