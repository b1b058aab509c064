//! The parser of weighted CCS. Parentheses wait on a stack, not in calls: nesting costs memory, and is limited all the same.
//!
//! After a mistake it goes on behind the next `;`.

use super::lexer::{Kind, T, Token};
use super::{OUTPUT, Process, Relabelling, TAU, Term, Wccs};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes};
use volvelle_logic::rational;
use volvelle_space::integer_weights;
use volvelle_syntax::{Cursor, around_cursor, tokens};

/// Parentheses inside each other beyond this have an error.
const LIMIT_NESTING: usize = 1000;

/// Where a body goes on after a mistake is the business of the caller; what the mistake is has been said.
struct Refused;

/// Numbers for values, in the order in which they are met.
struct Numbers<T> {
    values: Vec<T>,
    number_of: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Self {
        Numbers { values: Vec::new(), number_of: FxHashMap::default() }
    }

    fn number(&mut self, value: T) -> u32 {
        if let Some(&number) = self.number_of.get(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.number_of.insert(value, number);
        number
    }
}

/// What stands before a term that is still to come.
enum Pending {
    Step { action: u32, weight: u32 },
    Label(u32),
}

/// What has been read between parentheses.
struct Frame {
    /// The parenthesis; the name of the process in the outermost frame.
    open: Token,
    summands: Vec<u32>,
    factors: Vec<u32>,
    pending: Vec<Pending>,
}

impl Frame {
    fn new(open: Token) -> Self {
        Frame { open, summands: Vec::new(), factors: Vec::new(), pending: Vec::new() }
    }
}

struct Parser<'a> {
    cursor: Cursor<'a, Kind>,
    diagnostics: Vec<Diagnostic>,
    /// Names of processes, by number, with the place of their definition.
    processes: Vec<(&'a str, Span)>,
    process_of: FxHashMap<&'a str, u32>,
    actions: Numbers<&'a str>,
    propositions: Numbers<&'a str>,
    weights: Numbers<RBig>,
    terms: Numbers<Term>,
    lists: Numbers<Box<[u32]>>,
    relabellings: Numbers<Relabelling>,
}

/// Reads definitions. There is a system unless there are errors.
pub(super) fn parse(file: FileId, text: &str) -> (Option<Wccs>, Vec<Diagnostic>) {
    let mut parser = Parser {
        cursor: Cursor::new(file, text, tokens(text, Some)),
        diagnostics: Vec::new(),
        processes: Vec::new(),
        process_of: FxHashMap::default(),
        actions: Numbers::new(),
        propositions: Numbers::new(),
        weights: Numbers::new(),
        terms: Numbers::new(),
        lists: Numbers::new(),
        relabellings: Numbers::new(),
    };
    parser.actions.number("tau");
    parser.collect_names();
    let bodies = parser.definitions();
    parser.finish(bodies)
}

around_cursor!(Parser, Kind);

impl<'a> Parser<'a> {
    /// Names that are defined, in the order of the text: terms may use them before.
    fn collect_names(&mut self) {
        for pair in 1..self.tokens().len() {
            let (name, define) = (self.tokens()[pair - 1], self.tokens()[pair]);
            if name.kind != Kind::Name || define.kind != T![":="] {
                continue;
            }
            let text = self.text_of(name);
            if !self.process_of.contains_key(text) {
                self.process_of.insert(text, self.processes.len() as u32);
                self.processes.push((text, name.span(self.file)));
            }
        }
    }

    /// The bodies by number of their process; those that have mistakes are missing.
    fn definitions(&mut self) -> Vec<Option<u32>> {
        let mut bodies = vec![None; self.processes.len()];
        if self.peek() == Kind::End {
            let end = self.token();
            let found = self.error(end, "there are no processes", "expected a definition");
            self.diagnostics.push(found.help("write `P := <a,1>.P;`"));
        }
        while self.peek() != Kind::End {
            if let Ok((number, body)) = self.definition() {
                bodies[number as usize].get_or_insert(body);
            } else {
                while !matches!(self.peek(), T![";"] | Kind::End) && !self.is_definition() {
                    self.advance();
                }
                self.take(T![";"]);
            }
        }
        bodies
    }

    fn is_definition(&self) -> bool {
        self.peek() == Kind::Name && self.ahead(1).kind == T![":="]
    }

    fn definition(&mut self) -> Result<(u32, u32), Refused> {
        let name = self.token();
        if !self.is_definition() {
            let message = format!("expected a definition, found {}", self.found());
            let found = self.error(name, message, "not the beginning of a definition");
            self.diagnostics.push(found.help("a definition is a name, `:=`, a term and `;`"));
            // A name would be taken for the next definition again, were it one.
            self.advance();
            return Err(Refused);
        }
        self.advance();
        self.advance();
        let text = self.text_of(name);
        let number = self.process_of[text];
        let (_, first) = self.processes[number as usize];
        if first != name.span(self.file) {
            let found = Diagnostic::error(codes::WCCS_NAME, format!("process `{text}` is defined twice"))
                .at(name.span(self.file), "the second definition")
                .also(first, "the first definition");
            self.diagnostics.push(found.help("rename one of them, or write them as one with `+`"));
        }
        let body = self.body(name)?;
        Ok((number, body))
    }

    /// A term up to and with `;`.
    fn body(&mut self, name: Token) -> Result<u32, Refused> {
        let mut frames = vec![Frame::new(name)];
        loop {
            let mut term = loop {
                if let Some(term) = self.operand(&mut frames)? {
                    break term;
                }
            };
            loop {
                term = self.postfixes(term)?;
                let frame = frames.last_mut().expect("a body has a frame");
                while let Some(pending) = frame.pending.pop() {
                    term = self.terms.number(match pending {
                        Pending::Step { action, weight } => Term::Prefix { action, weight, next: term },
                        Pending::Label(proposition) => Term::Label(proposition, term),
                    });
                }
                frame.factors.push(term);
                let token = self.token();
                match token.kind {
                    T!["|"] => break,
                    T!["+"] => {
                        let factors = std::mem::take(&mut frame.factors);
                        frame.summands.push(self.list(factors, Term::Parallel));
                        break;
                    }
                    T![")"] if frames.len() > 1 => {
                        let frame = frames.pop().expect("there are two");
                        term = self.close(frame);
                        self.advance();
                    }
                    T![";"] if frames.len() == 1 => {
                        self.advance();
                        let frame = frames.pop().expect("there is one");
                        return Ok(self.close(frame));
                    }
                    _ => return Err(self.no_operator(token, &frames)),
                }
            }
            self.advance();
        }
    }

    fn no_operator(&mut self, token: Token, frames: &[Frame]) -> Refused {
        let frame = frames.last().expect("a body has a frame");
        let inside = frames.len() > 1;
        let wanted = if inside { "`)`" } else { "`;`" };
        let message = format!("expected an operator or {wanted}, found {}", self.found());
        let mut found = self.error(token, message, format!("expected `+`, `|` or {wanted}"));
        if inside && matches!(token.kind, T![";"] | Kind::End) {
            found = found.also(frame.open.span(self.file), "this parenthesis is not closed");
        } else if token.kind == T![":="] {
            found = found.help("a definition ends with `;`");
        }
        if !inside && self.trivia().contains('\n') {
            found = found.fix(Fix::behind("add `;`", self.before(), ";").certain());
        }
        self.diagnostics.push(found);
        Refused
    }

    fn close(&mut self, frame: Frame) -> u32 {
        let last = self.list(frame.factors, Term::Parallel);
        let mut summands = frame.summands;
        summands.push(last);
        self.list(summands, Term::Choice)
    }

    fn list(&mut self, parts: Vec<u32>, make: fn(u32) -> Term) -> u32 {
        if let [part] = parts[..] {
            return part;
        }
        let list = self.lists.number(parts.into_boxed_slice());
        self.terms.number(make(list))
    }

    /// One more piece where a term is expected: a term without operators, or nothing where one is still to come.
    fn operand(&mut self, frames: &mut Vec<Frame>) -> Result<Option<u32>, Refused> {
        let token = self.token();
        let frame = frames.last_mut().expect("a body has a frame");
        match token.kind {
            T!["<"] => {
                let step = self.step()?;
                frame.pending.push(step);
                Ok(None)
            }
            T!["("] => {
                if frames.len() > LIMIT_NESTING {
                    let message = format!("more than {LIMIT_NESTING} parentheses inside each other");
                    let found = self.error(token, message, "nested too deeply");
                    self.diagnostics.push(found.help("give the inner part a name of its own"));
                    return Err(Refused);
                }
                frames.push(Frame::new(token));
                self.advance();
                Ok(None)
            }
            Kind::Name if self.ahead(1).kind == T![":"] => {
                let proposition = self.propositions.number(self.text_of(token));
                frame.pending.push(Pending::Label(proposition));
                self.advance();
                self.advance();
                Ok(None)
            }
            Kind::Name => {
                self.advance();
                let text = self.text_of(token);
                let Some(&number) = self.process_of.get(text) else {
                    let known = self.processes.iter().map(|(name, _)| *name);
                    let message = format!("process `{text}` is not defined");
                    let found = Diagnostic::error(codes::WCCS_NAME, message);
                    let found = found.at_misspelt(token.span(self.file), text, known);
                    self.diagnostics.push(found.help(format!("define it: `{text} := ...;`")));
                    return Ok(Some(self.terms.number(Term::Null)));
                };
                Ok(Some(self.terms.number(Term::Constant(number))))
            }
            Kind::Number if self.text_of(token) == "0" => {
                self.advance();
                Ok(Some(self.terms.number(Term::Null)))
            }
            _ => {
                let message = format!("expected a process, found {}", self.found());
                let found = self.error(token, message, "expected a name, `0`, `<action>` or `(`");
                self.diagnostics.push(found);
                Err(Refused)
            }
        }
    }

    /// `<action!,weight>.`
    fn step(&mut self) -> Result<Pending, Refused> {
        self.advance();
        let name = self.expect(Kind::Name, "an action")?;
        let mut action = self.actions.number(self.text_of(name));
        if self.peek() == T!["!"] {
            if action == TAU {
                let found = self.error(self.token(), "`tau` has no output", "`tau` is internal");
                self.diagnostics.push(found.help("write `tau`, or use another name"));
            }
            action |= OUTPUT;
            self.advance();
        }
        let mut weight = RBig::ZERO;
        if self.take(T![","]) {
            weight = self.weight();
        }
        self.expect(T![">"], "`,` or `>`")?;
        self.expect(T!["."], "`.`")?;
        Ok(Pending::Step { action, weight: self.weights.number(weight) })
    }

    /// A weight, which ends before `>`; zero with a diagnostic where there is none.
    fn weight(&mut self) -> RBig {
        let first = self.token();
        let mut last = first;
        while !matches!(self.peek(), T![">"] | T![";"] | T!["->"] | Kind::End) {
            last = self.token();
            self.advance();
        }
        let text = if self.token().start == first.start {
            ""
        } else {
            self.under(first.span(self.file).to(last.span(self.file)))
        };
        let value = rational(text);
        if let Some(value) = value.as_ref().filter(|value| **value >= RBig::ZERO) {
            return value.clone();
        }
        let message = match value {
            Some(_) => format!("weight `{text}` is negative"),
            None if text.is_empty() => "the weight is missing".to_owned(),
            None => format!("`{text}` is not a weight"),
        };
        let span = first.span(self.file).to(last.span(self.file));
        let found = Diagnostic::error(codes::WCCS_WEIGHT, message).at(span, "");
        self.diagnostics.push(found.help("a weight is a number that is not negative: `3`, `0.5`, `1/3`"));
        RBig::ZERO
    }

    /// Restrictions and relabellings behind a term.
    fn postfixes(&mut self, mut term: u32) -> Result<u32, Refused> {
        loop {
            match self.peek() {
                T!["\\"] => {
                    self.advance();
                    self.expect(T!["{"], "`{`")?;
                    let actions = self.restricted()?;
                    let list = self.lists.number(actions.into_boxed_slice());
                    term = self.terms.number(Term::Restrict(list, term));
                }
                T!["["] => {
                    self.advance();
                    let relabelling = self.relabelling()?;
                    let number = self.relabellings.number(relabelling);
                    term = self.terms.number(Term::Relabel(number, term));
                }
                _ => return Ok(term),
            }
        }
    }

    /// `a, b }`; may be empty.
    fn restricted(&mut self) -> Result<Vec<u32>, Refused> {
        let mut actions = Vec::new();
        if self.take(T!["}"]) {
            return Ok(actions);
        }
        loop {
            let name = self.expect(Kind::Name, "an action")?;
            actions.push(self.visible(name, "restricted"));
            if !self.take(T![","]) {
                break;
            }
        }
        self.expect(T!["}"], "`,` or `}`")?;
        actions.sort_unstable();
        actions.dedup();
        Ok(actions)
    }

    /// `a -> b, p => q ]`; may be empty.
    fn relabelling(&mut self) -> Result<Relabelling, Refused> {
        let mut relabelling = Relabelling::default();
        if self.take(T!["]"]) {
            return Ok(relabelling);
        }
        loop {
            let old = self.expect(Kind::Name, "an action or a proposition")?;
            let arrow = self.token();
            if !matches!(arrow.kind, T!["->"] | T!["=>"]) {
                let message = format!("expected `->` or `=>`, found {}", self.found());
                let found = self.error(arrow, message, "expected an arrow");
                self.diagnostics.push(found.help("`a -> b` renames an action, `p => q` a proposition"));
                return Err(Refused);
            }
            self.advance();
            let new = self.expect(Kind::Name, "a name")?;
            let pairs = if arrow.kind == T!["->"] {
                let pair = (self.visible(old, "renamed"), self.visible(new, "a new name"));
                relabelling.actions.push(pair);
                &mut relabelling.actions
            } else {
                let old = self.propositions.number(self.text_of(old));
                relabelling.propositions.push((old, self.propositions.number(self.text_of(new))));
                &mut relabelling.propositions
            };
            let (last, before) = pairs.split_last().expect("one was added");
            if before.iter().any(|(known, _)| known == &last.0) {
                let message = format!("`{}` is renamed twice", self.text_of(old));
                let found = self.error(old, message, "the second new name");
                self.diagnostics.push(found);
            }
            if !self.take(T![","]) {
                break;
            }
        }
        self.expect(T!["]"], "`,` or `]`")?;
        relabelling.actions.sort_unstable();
        relabelling.propositions.sort_unstable();
        Ok(relabelling)
    }

    /// An action that is not internal.
    fn visible(&mut self, name: Token, role: &str) -> u32 {
        let action = self.actions.number(self.text_of(name));
        if action == TAU {
            let found = self.error(name, format!("`tau` cannot be {role}"), "`tau` is internal");
            self.diagnostics.push(found);
        }
        action
    }

    fn finish(self, bodies: Vec<Option<u32>>) -> (Option<Wccs>, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics;
        let order = {
            let mut order: Vec<usize> = (0..self.weights.values.len()).collect();
            order.sort_by(|&a, &b| self.weights.values[a].cmp(&self.weights.values[b]));
            order
        };
        let sorted: Vec<RBig> = order.iter().map(|&old| self.weights.values[old].clone()).collect();
        let (unit, weights) = match integer_weights(&sorted) {
            Ok(scaled) => scaled,
            Err(_) => {
                let message = "the weights are not multiples of one unit that fit into 64 bits";
                let large = sorted.last().map_or(String::new(), ToString::to_string);
                let found = Diagnostic::error(codes::WCCS_WEIGHT, message)
                    .note(format!("the largest weight is {large}"))
                    .help("use numbers with a common denominator, and of similar size");
                diagnostics.push(found);
                (RBig::ONE, vec![0; sorted.len()])
            }
        };
        if !diagnostics.is_empty() || bodies.iter().any(Option::is_none) {
            return (None, diagnostics);
        }
        let mut rank = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = new as u32;
        }
        let ranked = |term: Term| match term {
            Term::Prefix { action, weight, next } => {
                Term::Prefix { action, weight: rank[weight as usize], next }
            }
            other => other,
        };
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let process = |((name, span), body): ((&str, Span), Option<u32>)| {
            let body = body.expect("all bodies are there");
            Process { name: name.to_owned(), span, body }
        };
        let system = Wccs {
            processes: self.processes.into_iter().zip(bodies).map(process).collect(),
            actions: owned(self.actions.values),
            propositions: owned(self.propositions.values),
            weights,
            unit,
            terms: self.terms.values.into_iter().map(ranked).collect(),
            lists: self.lists.values,
            relabellings: self.relabellings.values,
        };
        (Some(system), diagnostics)
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<Token, Refused> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        let token = self.token();
        let message = format!("expected {what}, found {}", self.found());
        let found = self.error(token, message, format!("expected {what}"));
        self.diagnostics.push(found);
        Err(Refused)
    }

    fn error(&self, token: Token, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic::error(codes::WCCS_SYNTAX, message).at(token.span(self.file), label)
    }
}
