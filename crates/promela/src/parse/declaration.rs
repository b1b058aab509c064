//! Declarations of variables.

use super::cursor::{Parse, Parser};
use super::mistakes::type_of_c;
use crate::ast::{ChannelInit, Declaration, Initial, Name, TypeName, Variable, Visibility};
use crate::token::{Keyword, Kind, Token};
use volvelle_diagnostics::{Diagnostic, Fix, codes, suggest};

/// Names of the built-in types.
pub(crate) const TYPE_NAMES: &[&str] =
    &["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"];

/// The purpose of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Variable,
    Parameter,
}

impl Parser {
    /// Whether a declaration begins here.
    pub fn begins_declaration(&self) -> bool {
        let token = self.token();
        match token.kind {
            Kind::Keyword(
                Keyword::Bit
                | Keyword::Bool
                | Keyword::Byte
                | Keyword::Pid
                | Keyword::Short
                | Keyword::Int
                | Keyword::Unsigned
                | Keyword::Mtype
                | Keyword::Chan
                | Keyword::Hidden
                | Keyword::Show
                | Keyword::Local,
            ) => true,
            Kind::Word => {
                let next = self.token_at(1);
                let names = next.kind == Kind::Word && !next.starts_line;
                names
                    && !self.at_inline_name()
                    && (self.typedefs.contains(&token.text)
                        || type_of_c(&token.text).is_some()
                        || self.near_type(&token.text).is_some())
            }
            _ => false,
        }
    }

    /// The type whose name is similar to a word that is no type.
    fn near_type<'a>(&'a self, word: &str) -> Option<&'a str> {
        suggest(word, TYPE_NAMES.iter().copied().chain(self.typedefs.iter().map(AsRef::as_ref)))
    }

    /// `type a, b = 1, c[3]`
    pub fn declaration(&mut self) -> Parse<Declaration> {
        self.declaration_for(Purpose::Variable)
    }

    fn declaration_for(&mut self, purpose: Purpose) -> Parse<Declaration> {
        let start = self.info();
        let visibility = self.visibility();
        let ty = self.type_name()?;
        let mut variables = vec![self.variable_of(&ty, purpose)?];
        while self.peek() == Kind::Comma {
            if purpose == Purpose::Parameter
                && let Kind::Keyword(word) = self.kind_at(1)
            {
                let info = self.info();
                let message = format!("expected `;` before `{}`", word.text());
                let help = "commas separate parameters of the same type: `byte a, b; chan c`";
                self.error(codes::PROMELA_SYNTAX, info, message, help);
                self.reported_at = None;
                break;
            }
            self.bump();
            variables.push(self.variable_of(&ty, purpose)?);
        }
        let place = self.place_from(start);
        Ok(Declaration { visibility, ty, variables, place })
    }

    fn visibility(&mut self) -> Visibility {
        let mut visibility = Visibility::default();
        let mut first = true;
        loop {
            let field = match self.token().kind {
                Kind::Keyword(Keyword::Hidden) => &mut visibility.hidden,
                Kind::Keyword(Keyword::Show) => &mut visibility.show,
                Kind::Keyword(Keyword::Local) => &mut visibility.local,
                _ => return visibility,
            };
            *field = true;
            if !first {
                let info = self.info();
                let message = "a variable can be only one of `hidden`, `show` and `local`";
                self.error(codes::PROMELA_SYNTAX, info, message, "keep one of them");
                self.reported_at = None;
            }
            first = false;
            self.bump();
        }
    }

    /// The type of a declaration, or of a field of messages.
    pub fn type_name(&mut self) -> Parse<TypeName> {
        let start = self.info();
        let token = self.token().clone();
        let ty = match token.kind {
            Kind::Keyword(Keyword::Bit) => TypeName::Bit,
            Kind::Keyword(Keyword::Bool) => TypeName::Bool,
            Kind::Keyword(Keyword::Byte) => TypeName::Byte,
            Kind::Keyword(Keyword::Pid) => TypeName::Pid,
            Kind::Keyword(Keyword::Short) => TypeName::Short,
            Kind::Keyword(Keyword::Int) => TypeName::Int,
            Kind::Keyword(Keyword::Unsigned) => TypeName::Unsigned,
            Kind::Keyword(Keyword::Chan) => TypeName::Chan,
            Kind::Keyword(Keyword::Mtype) => {
                self.bump();
                return Ok(TypeName::Mtype(self.mtype_set()?));
            }
            Kind::Word => TypeName::User(self.name(&token)),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        if token.kind == Kind::Word
            && !self.typedefs.contains(&token.text)
            && let Some(instead) = type_of_c(&token.text)
        {
            let message = format!("`{}` is not a Promela type", token.text);
            let word = instead.strip_prefix("write `").and_then(|rest| rest.strip_suffix('`'));
            let fix = word.filter(|word| TYPE_NAMES.contains(word) && start.through.is_none());
            let fix = fix.map(|word| Fix::replace(instead, start.span, word).certain());
            let of_c = Diagnostic::error(codes::C_HABIT, message);
            self.report_at(fix.into_iter().fold(of_c, Diagnostic::fix), start, instead);
            self.reported_at = None;
            while self.token().kind == Kind::Word && type_of_c(&self.token().text).is_some() {
                self.bump();
            }
        }
        if matches!(token.kind, Kind::Keyword(Keyword::Unsigned | Keyword::Short))
            && matches!(self.token().kind, Kind::Keyword(Keyword::Int | Keyword::Short | Keyword::Byte))
        {
            let info = self.info();
            let message = format!("`{} {}` is not a Promela type", token.text, self.token().text);
            self.error(
                codes::C_HABIT,
                info,
                message,
                "write `int`, or `unsigned x : 5` with a number of bits",
            );
            self.reported_at = None;
            self.bump();
        }
        Ok(ty)
    }

    /// `:set` behind `mtype`, if it is there.
    pub fn mtype_set(&mut self) -> Parse<Option<Name>> {
        if !self.eat(Kind::Colon) {
            return Ok(None);
        }
        let token = self.expect(Kind::Word, "the name of an `mtype`")?;
        Ok(Some(self.name(&token)))
    }

    fn variable_of(&mut self, ty: &TypeName, purpose: Purpose) -> Parse<Variable> {
        let start = self.info();
        let token = self.declared_name()?;
        let name = self.name(&token);
        let mut length = None;
        let mut bits = None;
        loop {
            match self.peek() {
                Kind::LeftBracket if length.is_none() => {
                    length =
                        Some(self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::expression)?);
                }
                Kind::Colon if bits.is_none() => {
                    self.bump();
                    if self.token().kind != Kind::Number {
                        return Err(self.unexpected("the number of bits"));
                    }
                    bits = Some(self.operand()?);
                }
                _ => break,
            }
        }
        if *ty == TypeName::Unsigned && bits.is_none() {
            let help = format!("write `unsigned {} : 5`", name.text);
            self.error(codes::PROMELA_SYNTAX, start, "`unsigned` needs a number of bits", &help);
            self.reported_at = None;
        } else if *ty != TypeName::Unsigned && bits.is_some() {
            let help = format!("write `unsigned {} : …`", name.text);
            self.error(codes::PROMELA_SYNTAX, start, "only `unsigned` takes a number of bits", &help);
            self.reported_at = None;
        }
        let initial = if self.eat(Kind::Assign) { Some(self.initial()?) } else { None };
        if purpose == Purpose::Parameter {
            let wrong = match (&length, &initial) {
                (Some(_), _) => Some((
                    "a parameter cannot be an array",
                    "put the array into a `typedef`, or make it global",
                )),
                (None, Some(_)) => Some((
                    "a parameter cannot have an initial value",
                    "pass the value when the process is started",
                )),
                _ => None,
            };
            if let Some((message, help)) = wrong {
                self.error(codes::PROMELA_SYNTAX, start, message, help);
                self.reported_at = None;
            }
        }
        Ok(Variable { name, length, bits, initial })
    }

    /// The name in a declarator.
    fn declared_name(&mut self) -> Parse<Token> {
        if let Kind::Keyword(word) = self.token().kind
            && !self.line_ends()
        {
            let info = self.info();
            let message = format!("`{}` is a reserved word and cannot be a name", word.text());
            let help = format!("choose another name, such as `{}_`", word.text());
            self.error(codes::RESERVED_WORD, info, message, &help);
            self.reported_at = None;
            return Ok(self.bump());
        }
        let token = self.expect(Kind::Word, "a name")?;
        self.check_no_inline(&token)?;
        self.declared.insert(token.text.clone());
        Ok(token)
    }

    fn initial(&mut self) -> Parse<Initial> {
        match self.peek() {
            Kind::LeftBrace => {
                let list = self.enclosed(Kind::LeftBrace, Kind::RightBrace, Parser::expressions)?;
                Ok(Initial::List(list))
            }
            Kind::LeftBracket => {
                let start = self.info();
                let capacity = self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::expression)?;
                self.expect(Kind::Keyword(Keyword::Of), "`of` and the types of a message")?;
                let fields = self.enclosed(Kind::LeftBrace, Kind::RightBrace, |parser| {
                    let mut fields = vec![parser.type_name()?];
                    while parser.eat(Kind::Comma) {
                        fields.push(parser.type_name()?);
                    }
                    Ok(fields)
                })?;
                let place = self.place_from(start);
                Ok(Initial::Channel(ChannelInit { capacity, fields, place }))
            }
            _ => Ok(Initial::Value(self.expression()?)),
        }
    }

    /// `( parameters )` of a process type.
    pub fn parameters(&mut self) -> Parse<Vec<Declaration>> {
        self.enclosed(Kind::LeftParen, Kind::RightParen, |parser| {
            let mut all = Vec::new();
            while parser.peek() != Kind::RightParen {
                all.push(parser.declaration_for(Purpose::Parameter)?);
                if !parser.eat(Kind::Semi) && !parser.eat(Kind::Comma) {
                    break;
                }
            }
            Ok(all)
        })
    }

    /// `{ declarations }` of a `typedef`.
    pub fn fields_of_type(&mut self) -> Parse<Vec<Declaration>> {
        let open = self.info();
        self.expect(Kind::LeftBrace, "`{`")?;
        self.in_sequence = true;
        let mut all = Vec::new();
        let result = loop {
            while self.eat(Kind::Semi) {}
            if self.token().kind == Kind::RightBrace {
                break Ok(());
            }
            match self.declaration() {
                Ok(declaration) => all.push(declaration),
                Err(reported) => break Err(reported),
            }
            if !matches!(self.peek(), Kind::Semi | Kind::RightBrace) {
                break Err(self.unexpected_with("`;` or `}`", Some(open)));
            }
        };
        self.in_sequence = false;
        result?;
        self.bump();
        Ok(all)
    }
}
