//! What a rule file consists of: its head, declarations, rules.

use super::{Parser, Result};
use crate::ast::{
    AuxiliaryBody, AuxiliaryDecl, Blame, Cached, CheckRule, Data, Element, ExprId, Field, Judgment, Language,
    Name, Place, Rule,
};
use crate::tokens::{Kind, T};
use volvelle_syntax::Parse;

/// What is said behind the places of a judgment or a function.
#[derive(Default)]
struct Extras {
    cached: Option<Cached>,
    cycle: Option<ExprId>,
    blame: Blame,
}

impl Parser<'_> {
    pub(super) fn sections(&mut self) {
        while !self.at_end() {
            if self.section().is_err() {
                self.recover();
            }
        }
    }

    /// Goes on at the next token that begins a line and a section.
    fn recover(&mut self) {
        const WORDS: [&str; 7] = ["system", "language", "import", "data", "abstract", "inject", "val"];
        const KINDS: [Kind; 8] = [
            T!["rule"],
            T!["axiom"],
            T!["checkrule"],
            T!["auxiliary"],
            T!["judgments"],
            T!["override"],
            T!["val"],
            T!["var"],
        ];
        self.advance();
        while !self.at_end() {
            let starts = self.token().starts_line;
            if starts && (KINDS.contains(&self.peek()) || WORDS.iter().any(|word| self.at_word(word))) {
                return;
            }
            self.advance();
        }
    }

    fn section(&mut self) -> Result<()> {
        let overrides = self.take(T!["override"]);
        match self.peek() {
            T!["rule"] | T!["axiom"] => {
                let rule = self.rule(overrides)?;
                self.file.rules.push(rule);
            }
            T!["checkrule"] => {
                let check = self.check_rule(overrides)?;
                self.file.checks.push(check);
            }
            T!["auxiliary"] if self.ahead(1).kind == T!["{"] && !overrides => {
                self.advance();
                self.expect(T!["{"])?;
                while !self.take(T!["}"]) {
                    let auxiliary = self.auxiliary()?;
                    self.file.auxiliaries.push(auxiliary);
                }
            }
            T!["auxiliary"] => {
                self.advance();
                let name = self.name("the name of the function")?;
                let params = self.params()?;
                let body = self.block()?;
                self.file.bodies.push(AuxiliaryBody { overrides, name, params, body });
            }
            T!["judgments"] if !overrides => {
                self.advance();
                self.expect(T!["{"])?;
                while !self.take(T!["}"]) {
                    let judgment = self.judgment()?;
                    self.file.judgments.push(judgment);
                }
            }
            _ if overrides => {
                return Err(
                    self.unexpected("a rule, an axiom, a check or the body of a function to override")
                );
            }
            T!["val"] | T!["var"] => {
                let field = self.field()?;
                self.file.fields.push(field);
            }
            _ => self.head()?,
        }
        while self.take(T![";"]) {}
        Ok(())
    }

    fn head(&mut self) -> Result<()> {
        if self.take_word("system") {
            let mut name = self.name("the name of the system")?;
            while self.take(T!["."]) {
                let part = self.name("a part of the name")?;
                name = Name { text: format!("{}.{}", name.text, part.text), span: name.span.to(part.span) };
            }
            self.file.system = Some(name);
            let checks_only = self.at_word("validatorExtends");
            if checks_only || self.at_word("extends") {
                self.advance();
                let other = self.quoted("the file of the system that this one extends, in quotes")?;
                self.file.extends = Some((other, checks_only));
                if self.at_word("extends") || self.at_word("validatorExtends") {
                    return Err(self.unexpected("one of `extends` and `validatorExtends`, not both"));
                }
            }
            Ok(())
        } else if self.take_word("language") {
            let is_file = self.peek() != Kind::Name;
            let name = if is_file {
                self.quoted("the file of a grammar, in quotes, or the name of a language")?
            } else {
                self.name("the name of a language")?
            };
            self.file.language = Some(Language { name, is_file });
            Ok(())
        } else if self.take_word("import") {
            let file = self.quoted("a file of rules, in quotes")?;
            self.file.imports.push(file);
            Ok(())
        } else if self.at_word("data") || self.at_word("abstract") {
            let data = self.data()?;
            self.file.data.push(data);
            Ok(())
        } else {
            Err(self.unexpected(
                "`system`, `language`, `import`, `data`, `val`, `var`, `auxiliary`, `judgments`, `axiom`, `rule` or `checkrule`",
            ))
        }
    }

    fn data(&mut self) -> Result<Data> {
        let is_abstract = self.take_word("abstract");
        if !self.take_word("data") {
            return Err(self.unexpected("`data`"));
        }
        let name = self.name("the name of the type")?;
        let mut fields = Vec::new();
        if self.take(T!["("]) {
            fields = self.separated_until(T![","], T![")"], |parser| {
                let name = parser.name_or("the name of a field", true)?;
                parser.expect(T![":"])?;
                Ok((name, parser.ty()?))
            })?;
        }
        let mut supertypes = Vec::new();
        if self.take_word("extends") {
            supertypes = self.separated(T![","], |parser| parser.name("a type"))?;
        }
        Ok(Data { name, is_abstract, fields, supertypes })
    }

    fn field(&mut self) -> Result<Field> {
        let is_var = self.advance().kind == T!["var"];
        let ty = if self.at_typed_name() { Some(self.ty()?) } else { None };
        let name = self.name("the name of the field")?;
        let value = if self.take(T!["="]) { Some(self.expression()?) } else { None };
        Ok(Field { is_var, ty, name, value })
    }

    fn auxiliary(&mut self) -> Result<AuxiliaryDecl> {
        let overrides = self.take(T!["override"]);
        let host = self.at_word("host") && self.ahead(1).kind != T!["("];
        if host {
            self.advance();
        }
        let name = self.name("the name of a function")?;
        let params = self.params()?;
        let result = if self.take(T![":"]) { Some(self.ty()?) } else { None };
        let Extras { cached, cycle, blame } = self.extras()?;
        self.take(T![";"]);
        Ok(AuxiliaryDecl { host, overrides, name, params, result, cached, cycle, blame })
    }

    fn judgment(&mut self) -> Result<Judgment> {
        let overrides = self.take(T!["override"]);
        let name = self.name("the name of a judgment")?;
        let symbol = self.judgment_symbol()?;
        let mut places = vec![self.place()?];
        let mut relations = Vec::new();
        while self.peek().is_relation() {
            relations.push(self.advance().kind);
            places.push(self.place()?);
        }
        let Extras { cached, cycle, blame } = self.extras()?;
        self.take(T![";"]);
        Ok(Judgment { overrides, name, symbol, relations, places, cached, cycle, blame })
    }

    fn judgment_symbol(&mut self) -> Result<Kind> {
        if !self.peek().is_judgment() {
            return Err(self.unexpected("the symbol of a judgment, such as `|-`"));
        }
        Ok(self.advance().kind)
    }

    fn place(&mut self) -> Result<Place> {
        if self.take_word("output") {
            return Ok(Place { ty: self.ty()?, name: None });
        }
        let ty = self.ty()?;
        let name = self.name("the name of the input, or `output` before the type")?;
        Ok(Place { ty, name: Some(name) })
    }

    /// `cached { … }`, `cycle = …`, `error … source … feature … data …`
    fn extras(&mut self) -> Result<Extras> {
        let mut extras = Extras::default();
        loop {
            let start = self.span();
            if self.take_word("cached") {
                let mut cached = Cached { span: start, condition: None, entry: true };
                if self.take(T!["{"]) {
                    while !self.take(T!["}"]) {
                        if self.take_word("entryPoints") {
                            self.expect(T!["="])?;
                            if !self.take_word("NONE") {
                                return Err(self.unexpected("`NONE`"));
                            }
                            cached.entry = false;
                        } else if self.take_word("condition") {
                            self.expect(T!["="])?;
                            cached.condition = Some(self.expression()?);
                        } else {
                            return Err(self.unexpected("`entryPoints`, `condition` or `}`"));
                        }
                    }
                }
                extras.cached = Some(cached);
            } else if self.at_word("cycle") && self.ahead(1).kind == T!["="] {
                self.advance();
                self.advance();
                extras.cycle = Some(self.expression()?);
            } else if self.at_word("error") {
                extras.blame = self.blame()?;
            } else {
                return Ok(extras);
            }
        }
    }

    /// `error … source … feature … data …`; nothing where `error` is not next.
    pub(super) fn blame(&mut self) -> Result<Blame> {
        let mut blame = Blame::default();
        if !self.take_word("error") {
            return Ok(blame);
        }
        blame.message = Some(self.expression()?);
        loop {
            let part = match self.word() {
                "source" if self.at(Kind::Name) => &mut blame.source,
                "feature" if self.at(Kind::Name) => &mut blame.feature,
                "data" if self.at(Kind::Name) && !self.at_declaration_of_data() => &mut blame.data,
                _ => return Ok(blame),
            };
            if part.is_some() {
                return Err(self.unexpected("each of `source`, `feature` and `data` at most once"));
            }
            let word = self.word();
            self.advance();
            let value = Some(self.expression()?);
            match word {
                "source" => blame.source = value,
                "feature" => blame.feature = value,
                _ => blame.data = value,
            }
        }
    }

    /// `data` begins a declaration where a line begins with it that goes on as one.
    fn at_declaration_of_data(&self) -> bool {
        self.token().starts_line
            && self.ahead(1).kind == Kind::Name
            && (self.ahead(2).kind == T!["("] && self.ahead(4).kind == T![":"]
                || self.ahead(2).kind == Kind::Name && !self.ahead(2).starts_line)
    }

    fn rule(&mut self, overrides: bool) -> Result<Rule> {
        let start = self.span();
        let is_axiom = self.advance().kind == T!["axiom"];
        let name = self.name("the name of the rule")?;
        self.take_word("derives");
        let env = self.name("the name of the environment")?;
        let symbol = self.judgment_symbol()?;
        let mut elements = vec![self.element()?];
        let mut relations = Vec::new();
        while self.peek().is_relation() {
            relations.push(self.advance().kind);
            elements.push(self.element()?);
        }
        let blame = self.blame()?;
        let body = if is_axiom {
            None
        } else {
            self.from()?;
            Some(self.block()?)
        };
        let span = self.since(start);
        Ok(Rule { overrides, name, env, symbol, relations, elements, blame, body, span })
    }

    fn from(&mut self) -> Result<()> {
        if self.take_word("from") { Ok(()) } else { Err(self.unexpected("`from`")) }
    }

    fn element(&mut self) -> Result<Element> {
        if self.at_typed_name() || self.at(T!["("]) && self.at_function_type() {
            let ty = self.ty()?;
            return Ok(Element::Param(ty, self.name("the name of the parameter")?));
        }
        Ok(Element::Value(self.expression()?))
    }

    /// Whether a parenthesis closes before `=>`.
    fn at_function_type(&self) -> bool {
        let (mut at, mut open) = (0, 0_u32);
        loop {
            match self.ahead(at).kind {
                T!["("] => open += 1,
                T![")"] => open -= 1,
                Kind::Name | T![","] | T!["<"] | T![">"] | T!["=>"] => {}
                _ => return false,
            }
            at += 1;
            if open == 0 {
                return self.ahead(at).kind == T!["=>"];
            }
        }
    }

    fn check_rule(&mut self, overrides: bool) -> Result<CheckRule> {
        self.advance();
        let name = self.name("the name of the rule")?;
        self.expect(T!["for"])?;
        let param = self.param()?;
        self.from()?;
        let body = self.block()?;
        Ok(CheckRule { overrides, name, param, body })
    }
}
