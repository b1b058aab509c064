//! The text form `.wks`: tokens to states in one pass, in which targets may come before their declaration.

use super::Explicit;
use super::assemble::Assembly;
use crate::lexical::{Kind, Lexer, T, Token, unquoted};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes, has_errors};
use volvelle_space::{LinearWeight, WeightParameter};

/// Messages after which reading stops.
const MESSAGES: usize = 100;

/// Reads a structure. There is none exactly if a diagnostic is an error.
pub fn read(file: FileId, text: &str) -> (Option<Explicit>, Vec<Diagnostic>) {
    if u32::try_from(text.len()).is_err() {
        return (None, vec![Diagnostic::error(codes::WKS_SYNTAX, "the text has more than 4 GiB")]);
    }
    let mut lexer = Lexer::new(text);
    let token = lexer.next();
    let mut reader = Reader {
        file,
        text,
        lexer,
        token,
        behind: 0,
        diagnostics: Vec::new(),
        parameters: Vec::new(),
        bounds: [Vec::new(), Vec::new()],
        parameter_spans: Vec::new(),
        assembly: Assembly::default(),
        name: None,
        initial: None,
    };
    while reader.token.kind != Kind::End && reader.diagnostics.len() < MESSAGES {
        if reader.item().is_none() {
            reader.recover();
        }
    }
    reader.finish()
}

pub(super) struct Reader<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub lexer: Lexer<'t>,
    /// The next token.
    pub token: Token,
    /// Where the one before it ends.
    behind: u32,
    diagnostics: Vec<Diagnostic>,
    pub parameters: Vec<WeightParameter>,
    /// Their least and their largest values.
    bounds: [Vec<dashu_ratio::RBig>; 2],
    parameter_spans: Vec<Span>,
    assembly: Assembly<'t>,
    name: Option<String>,
    /// The symbol of the initial state, and where it is chosen.
    initial: Option<(u32, Span)>,
}

impl<'t> Reader<'t> {
    #[inline]
    pub fn advance(&mut self) {
        self.behind = self.token.end;
        self.token = self.lexer.next();
    }

    pub fn span(&self, token: Token) -> Span {
        token.span(self.file)
    }

    pub fn place(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub fn unexpected(&mut self, expected: &str) {
        let label = match self.token.kind {
            Kind::End => "the text ends here",
            Kind::OpenText => "this text in quotation marks has no end",
            Kind::OpenComment => "this comment has no end",
            _ => "",
        };
        let error = Diagnostic::error(codes::WKS_SYNTAX, format!("{expected} is expected"));
        self.report(error.at(self.span(self.token), label));
    }

    fn expect(&mut self, sign: Kind, text: &str) -> Option<()> {
        if !self.token.is(sign) {
            self.unexpected(text);
            let gap = &self.text[self.behind as usize..self.token.start as usize];
            let is_line = gap.contains('\n') || self.token.kind == Kind::End;
            if sign == T![";"]
                && let Some(error) = self.diagnostics.last_mut()
            {
                let place = Span { file: self.file, start: self.behind, end: self.behind };
                error.fixes.push(Fix::behind("add `;`", place, ";").certain_if(is_line));
            }
            return None;
        }
        self.advance();
        Some(())
    }

    fn expect_name(&mut self, what: &str) -> Option<Token> {
        let token = self.token;
        if !matches!(token.kind, Kind::Name | Kind::Quoted) {
            self.unexpected(what);
            if token.kind == Kind::Number
                && let Some(error) = self.diagnostics.pop()
            {
                let written = format!("\"{}\"", self.lexer.text(token));
                let fix = Fix::replace(format!("write `{written}`"), self.span(token), &*written);
                let help = format!("names that are no words are in quotation marks: `{written}`");
                self.report(error.help(help).fix(fix.certain()));
            }
            return None;
        }
        self.advance();
        Some(token)
    }

    /// Goes on behind the next semicolon.
    fn recover(&mut self) {
        while !matches!(self.token.kind, Kind::End | T![";"]) {
            self.advance();
        }
        self.advance();
    }

    fn item(&mut self) -> Option<()> {
        let first = self.token;
        let word = if first.kind == Kind::Name { self.lexer.text(first) } else { "" };
        match word {
            "state" => {
                self.advance();
                return self.state();
            }
            "initial" => {
                self.advance();
                let token = self.expect_name("the name of a state")?;
                let span = self.span(token);
                let symbol = self.assembly.symbol(unquoted(self.lexer.text(token)), token.span(self.file));
                if let Some((_, before)) = self.initial {
                    let error = Diagnostic::error(codes::WKS_NAME, "there are two initial states");
                    self.report(error.at(span, "the second").also(before, "the first"));
                } else {
                    self.initial = Some((symbol, span));
                }
            }
            "parameter" => {
                self.advance();
                self.parameter()?;
            }
            "wks" => {
                self.advance();
                if !self.token.is(T![";"]) {
                    let token = self.expect_name("a name or `;`")?;
                    self.name = Some(unquoted(self.lexer.text(token)).into_owned());
                }
                if first.start != 0 && !self.assembly.is_empty() {
                    let error = Diagnostic::error(codes::WKS_SYNTAX, "the name of the whole comes first");
                    self.report(error.at(self.span(first), ""));
                }
            }
            _ => {
                self.unexpected("`state`, `initial`, `parameter` or `wks`");
                if let Some(error) = self.diagnostics.pop() {
                    self.report(error.misspelt(word, ["state", "initial", "parameter", "wks"]));
                }
                return None;
            }
        }
        self.expect(T![";"], "`;`")
    }

    fn parameter(&mut self) -> Option<()> {
        let token = self.expect_name("the name of a parameter")?;
        let (name, span) = (unquoted(self.lexer.text(token)).into_owned(), self.span(token));
        if self.token.kind != Kind::Name || self.lexer.text(self.token) != "in" {
            self.unexpected("`in`");
            return None;
        }
        self.advance();
        self.expect(T!["["], "`[`")?;
        let (low, low_span) = self.number()?;
        self.expect(T![","], "`,`")?;
        let (high, high_span) = self.number()?;
        self.expect(T!["]"], "`]`")?;
        if low > high {
            let error = Diagnostic::error(codes::WKS_WEIGHT, format!("no value is left for `{name}`"));
            self.report(error.at(low_span.to(high_span), format!("{low} is above {high}")));
            return Some(());
        }
        if let Some(before) = self.parameters.iter().position(|parameter| parameter.name == name) {
            let error = Diagnostic::error(codes::WKS_NAME, format!("parameter `{name}` is declared twice"));
            self.report(error.at(span, "here").also(self.parameter_spans[before], "and here"));
            return Some(());
        }
        self.bounds[0].push(low.clone());
        self.bounds[1].push(high.clone());
        self.parameters.push(WeightParameter { name, low, high });
        self.parameter_spans.push(span);
        Some(())
    }

    fn state(&mut self) -> Option<()> {
        let token = self.expect_name("the name of a state")?;
        let symbol = self.assembly.symbol(unquoted(self.lexer.text(token)), token.span(self.file));
        if let Err(before) = self.assembly.begin_state(symbol, token.span(self.file)) {
            let name = unquoted(self.lexer.text(token));
            let error = Diagnostic::error(codes::WKS_NAME, format!("state `{name}` is declared twice"))
                .at(self.span(token), "the second time")
                .also(before, "the first time");
            self.report(error);
        }
        if self.token.is(T!["{"]) {
            self.advance();
            while !self.token.is(T!["}"]) {
                let token = self.expect_name("the name of a proposition or `}`")?;
                let times = if self.token.is(T!["*"]) { self.times()? } else { 1 };
                self.assembly.proposition(unquoted(self.lexer.text(token)), times);
                if !self.token.is(T![","]) {
                    break;
                }
                self.advance();
            }
            self.expect(T!["}"], "`,` or `}`")?;
        }
        if self.token.is(T![":"]) {
            self.advance();
            loop {
                self.step()?;
                if !self.token.is(T![","]) {
                    break;
                }
                self.advance();
            }
        }
        self.expect(T![";"], "`,` or `;`")
    }

    /// `*2` behind a proposition.
    fn times(&mut self) -> Option<i64> {
        self.advance();
        let is_negative = self.token.is(T!["-"]);
        if is_negative {
            self.advance();
        }
        let token = self.token;
        let digits = self.lexer.text(token);
        let times = if is_negative { format!("-{digits}").parse() } else { digits.parse() };
        let times = times.ok().filter(|times: &i64| *times != 0 && token.kind == Kind::Number);
        if times.is_none() {
            self.unexpected("how often the proposition holds, an integer other than 0,");
            return None;
        }
        self.advance();
        times
    }

    /// `-3/2-> paid`
    fn step(&mut self) -> Option<()> {
        self.expect(T!["-"], "a step `-weight-> state`")?;
        let weight = self.weight()?;
        self.expect(T!["->"], "`->`")?;
        let token = self.expect_name("the name of a state")?;
        let target = self.assembly.symbol(unquoted(self.lexer.text(token)), token.span(self.file));
        self.assembly.step(weight, target);
        Some(())
    }

    fn weight(&mut self) -> Option<u32> {
        let first = self.token;
        // Most weights have been seen before, with the same digits.
        if first.kind == Kind::Number {
            let mut ahead = self.lexer.clone();
            let next = ahead.next();
            if next.is(T!["->"])
                && let Some(weight) = self.assembly.weight_of_text(self.lexer.text(first))
            {
                (self.lexer, self.token) = (ahead, next);
                return Some(weight);
            }
        }
        let (weight, span) = match first.kind {
            T!["("] => self.expression()?,
            Kind::Number | T!["-"] => {
                let (number, span) = self.number()?;
                (LinearWeight::constant(number), span)
            }
            Kind::Name => {
                self.unexpected("a weight");
                if let Some(error) = self.diagnostics.pop() {
                    self.report(error.help("expressions of parameters are in parentheses: `-(2*x + 1)-> s`"));
                }
                return None;
            }
            _ => {
                self.unexpected("a weight");
                return None;
            }
        };
        let [low, high] = &self.bounds;
        let (least, largest) = weight.range(low, high);
        if least < dashu_ratio::RBig::ZERO {
            let label = match weight.coefficients.is_empty() {
                true => format!("{least}"),
                false => format!("from {least} to {largest} in the ranges of the parameters"),
            };
            let error = Diagnostic::error(codes::WKS_WEIGHT, "a weight is negative").at(span, label);
            self.report(error);
            return Some(self.assembly.weight(LinearWeight::constant(dashu_ratio::RBig::ZERO), None));
        }
        let text = &self.text[span.start as usize..span.end as usize];
        Some(self.assembly.weight(weight, (first.kind == Kind::Number).then_some(text)))
    }

    fn finish(mut self) -> (Option<Explicit>, Vec<Diagnostic>) {
        let undefined: Vec<(String, Span)> = self.assembly.undefined(MESSAGES);
        for (name, place) in undefined {
            let error = Diagnostic::error(codes::WKS_NAME, format!("there is no state `{name}`"));
            let error = error.at_misspelt(place, &name, self.assembly.known());
            let declared = format!("state {name};");
            let end = Span::new(self.file, self.text.len(), self.text.len());
            let line =
                if self.text.ends_with('\n') { format!("{declared}\n") } else { format!("\n{declared}") };
            let fix = Fix::before(format!("declare it: `{declared}`"), end, line);
            self.report(error.help(format!("`{declared}` declares one without steps")).fix(fix));
        }
        if self.assembly.is_empty() && !has_errors(&self.diagnostics) {
            let error = Diagnostic::error(codes::WKS_SYNTAX, "there is no state");
            self.report(error.at(self.place(0, 0), "").help("a structure has at least one: `state idle;`"));
        }
        if has_errors(&self.diagnostics) {
            return (None, self.diagnostics);
        }
        let initial = self.initial.map(|(symbol, _)| symbol);
        match self.assembly.finish(self.name.take(), initial, std::mem::take(&mut self.parameters)) {
            Ok(explicit) => (Some(explicit), self.diagnostics),
            Err(error) => {
                self.diagnostics.push(error);
                (None, self.diagnostics)
            }
        }
    }
}
