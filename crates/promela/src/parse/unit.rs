//! The parts of a model.

use super::cursor::{Parse, Parser};
use super::recover::begins_unit;
use crate::ast::{ExprId, Name, Proctype, Sequence, Unit};
use crate::place::PlaceInfo;
use crate::token::{Keyword, Kind};
use volvelle_diagnostics::codes;

impl Parser {
    /// Parses all parts of a model.
    pub fn model(&mut self) {
        while !self.at_end() {
            let begin = self.at;
            match self.unit() {
                Ok(Some(unit)) => self.model.units.push(unit),
                Ok(None) => {}
                Err(_) => {
                    self.in_sequence = false;
                    self.parens = 0;
                    self.formula = false;
                    self.skip_unit();
                }
            }
            if self.at == begin && !self.at_end() {
                self.advance();
            }
        }
        // Unexpected tokens at the end were reported where they stood.
        self.reported_at = None;
    }

    /// Skips a part of the model: up to a keyword that begins the next one, or a declaration at the beginning of a line.
    fn skip_unit(&mut self) {
        let mut nest = 0usize;
        let begin = self.at;
        loop {
            let kind = self.token().kind;
            if kind == Kind::End || begins_unit(kind) && self.at > begin {
                return;
            }
            if nest == 0 && self.at > begin {
                let declares = kind == Kind::Semi || self.token().starts_line && self.begins_declaration();
                if declares {
                    return;
                }
            }
            match kind {
                Kind::LeftBrace => nest += 1,
                Kind::RightBrace => nest = nest.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }

    fn unit(&mut self) -> Parse<Option<Unit>> {
        let start = self.info();
        let kind = self.token().kind;
        if self.at_embedded() {
            self.embedded();
            return Ok(None);
        }
        let Kind::Keyword(word) = kind else {
            return match kind {
                Kind::Semi | Kind::Arrow => {
                    self.bump();
                    Ok(None)
                }
                Kind::Word if self.kind_at(1) == Kind::Word => self.global(),
                _ => Err(self.unexpected("a declaration or a process")),
            };
        };
        match word {
            Keyword::Active | Keyword::Proctype | Keyword::DProctype => self.proctype().map(Some),
            Keyword::Init => self.init().map(Some),
            Keyword::Never => {
                self.bump();
                let name = self.optional_name();
                let body = self.body()?;
                let place = self.place_from(start);
                Ok(Some(Unit::Never { name, body, place }))
            }
            Keyword::Trace | Keyword::Notrace => {
                let negated = self.bump().kind == Kind::Keyword(Keyword::Notrace);
                let body = self.body()?;
                let place = self.place_from(start);
                Ok(Some(Unit::Trace { negated, name: None, body, place }))
            }
            Keyword::Ltl => self.ltl().map(Some),
            Keyword::Typedef => {
                self.bump();
                let token = self.expect(Kind::Word, "the name of a type")?;
                let name = self.name(&token);
                let fields = self.fields_of_type()?;
                if fields.is_empty() {
                    self.error(
                        codes::PROMELA_SYNTAX,
                        start,
                        "this type has no fields",
                        "declare at least one",
                    );
                    self.reported_at = None;
                }
                let place = self.place_from(start);
                Ok(Some(Unit::Typedef { name, fields, place }))
            }
            Keyword::Inline => {
                self.define_inline()?;
                Ok(None)
            }
            Keyword::Mtype if self.at_mtype_list() => self.mtype().map(Some),
            _ if self.begins_declaration() => self.global(),
            _ => Err(self.unexpected("a declaration or a process")),
        }
    }

    fn global(&mut self) -> Parse<Option<Unit>> {
        let declaration = self.declaration()?;
        if self.token().kind == Kind::LeftParen {
            let info = self.info();
            let help = "a process is a `proctype`, text with parameters an `inline`";
            return Err(self.error(codes::C_HABIT, info, "Promela has no functions", help));
        }
        // Global declarations need no separator: each begins with its type.
        Ok(Some(Unit::Declaration(declaration)))
    }

    fn optional_name(&mut self) -> Option<Name> {
        (self.token().kind == Kind::Word).then(|| {
            let token = self.bump();
            self.name(&token)
        })
    }

    /// The body of a process, where ends of lines imply semicolons.
    fn body(&mut self) -> Parse<Sequence> {
        self.in_sequence = true;
        // The head may end with its line.
        self.implied = true;
        let body = self.block();
        self.in_sequence = false;
        body
    }

    fn proctype(&mut self) -> Parse<Unit> {
        let start = self.info();
        let mut active = None;
        if self.eat_keyword(Keyword::Active) {
            active = Some(None);
            if self.peek() == Kind::LeftBracket {
                let count = self.enclosed(Kind::LeftBracket, Kind::RightBracket, Parser::expression)?;
                active = Some(Some(count));
            }
        }
        let deterministic = self.eat_keyword(Keyword::DProctype);
        if !deterministic && !self.eat_keyword(Keyword::Proctype) {
            return Err(self.unexpected("`proctype`"));
        }
        let token = self.expect(Kind::Word, "the name of a process type")?;
        self.check_no_inline(&token)?;
        let name = self.name(&token);
        let parameters = self.parameters()?;
        let priority = self.priority()?;
        let mut provided = None;
        if self.eat_keyword(Keyword::Provided) {
            provided = Some(self.enclosed(Kind::LeftParen, Kind::RightParen, Parser::expression)?);
        }
        if self.at_keyword(Keyword::Priority) {
            let info = self.info();
            let help = "write `priority 3 provided (…)`";
            self.error(codes::PROMELA_SYNTAX, info, "`priority` must come before `provided`", help);
            self.reported_at = None;
            self.priority()?;
        }
        let body = self.body()?;
        let is_init = false;
        let place = self.place_from(start);
        Ok(Unit::Proctype(Proctype {
            name,
            is_init,
            active,
            deterministic,
            parameters,
            priority,
            provided,
            body,
            place,
        }))
    }

    fn init(&mut self) -> Parse<Unit> {
        let start = self.info();
        let token = self.bump();
        let name = self.name(&token);
        let priority = self.priority()?;
        let body = self.body()?;
        let place = self.place_from(start);
        Ok(Unit::Proctype(Proctype {
            name,
            is_init: true,
            active: None,
            deterministic: false,
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
            place,
        }))
    }

    fn ltl(&mut self) -> Parse<Unit> {
        let start = self.info();
        self.bump();
        let name = self.optional_name();
        let open = self.info();
        self.expect(Kind::LeftBrace, "`{`")?;
        self.formula = true;
        let formula = self.formula_until_brace(open);
        self.formula = false;
        let formula = formula?;
        let place = self.place_from(start);
        Ok(Unit::Ltl { name, formula, place })
    }

    fn formula_until_brace(&mut self, open: PlaceInfo) -> Parse<ExprId> {
        let formula = self.deeper(Parser::expression)?;
        while self.eat_separator() {}
        if self.token().kind != Kind::RightBrace {
            return Err(self.unexpected_with("an operator or `}`", Some(open)));
        }
        self.bump();
        Ok(formula)
    }

    fn at_mtype_list(&self) -> bool {
        let behind = if self.kind_at(1) == Kind::Colon { 3 } else { 1 };
        let behind = if self.kind_at(behind) == Kind::Assign { behind + 1 } else { behind };
        self.kind_at(behind) == Kind::LeftBrace
    }

    fn mtype(&mut self) -> Parse<Unit> {
        let start = self.info();
        self.bump();
        let set = self.mtype_set()?;
        self.eat(Kind::Assign);
        let names = self.enclosed(Kind::LeftBrace, Kind::RightBrace, |parser| {
            let mut names = Vec::new();
            loop {
                while parser.eat(Kind::Comma) {}
                if parser.peek() != Kind::Word {
                    break;
                }
                let token = parser.bump();
                parser.declared.insert(token.text.clone());
                names.push(parser.name(&token));
            }
            if names.is_empty() { Err(parser.unexpected("a name")) } else { Ok(names) }
        })?;
        let place = self.place_from(start);
        Ok(Unit::Mtype { set, names, place })
    }
}
