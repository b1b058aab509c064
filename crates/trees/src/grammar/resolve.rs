//! Names of a grammar file to numbers; terminals and keywords to an automaton.

use super::model::{END, Holding, Model, Part, RuleModel, Sort, TokenClass, TokenKind};
use super::syntax::{self, Element, File, Holds, Item, Mode, Word};
use super::terminals::{self, Scanner};
use crate::classes::{FieldId, Flaw};
use regex_syntax::hir::Hir;
use std::collections::HashMap;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Rules, tokens and names of classes of a grammar. More than any language has.
const MOST: usize = 8_000;

/// A terminal or a rule.
#[derive(Clone, Copy)]
enum Named {
    Terminal(TokenKind),
    Rule(usize),
}

struct Resolver<'f> {
    model: Model,
    names: HashMap<String, (Named, Span)>,
    keywords: HashMap<String, TokenKind>,
    sorts: HashMap<String, usize>,
    found: &'f mut Vec<Diagnostic>,
}

/// Gives the model, and the automaton of its tokens; both may lack what is reported.
pub(crate) fn resolve(file: FileId, read: &File, found: &mut Vec<Diagnostic>) -> Option<(Model, Scanner)> {
    let mut resolver = Resolver {
        model: Model::default(),
        names: HashMap::new(),
        keywords: HashMap::new(),
        sorts: HashMap::new(),
        found,
    };
    let end = TokenClass { text: "the end of the text".to_owned(), is_keyword: false, is_hidden: false };
    resolver.model.tokens.push(end);
    let expressions = resolver.terminals(&read.terminals);
    resolver.names_of_rules(file, &read.rules)?;
    for class in &read.classes {
        resolver.sort(&class.name);
    }
    for rule in &read.rules {
        resolver.classes_of_actions(&rule.body);
    }
    resolver.classes(&read.classes);
    let mut bodies = Vec::new();
    for rule in &read.rules {
        let sort = resolver.sort(&rule.class);
        bodies.push((sort, resolver.part(&rule.body, rule.name.span)));
    }
    for (rule, (sort, body)) in read.rules.iter().zip(bodies) {
        let Word { text, span } = rule.name.clone();
        resolver.model.rules.push(RuleModel { name: text, span, sort, is_level: rule.is_level, body });
    }
    let Resolver { model, keywords, found, .. } = resolver;
    let mut all: Vec<(Hir, TokenKind)> =
        keywords.iter().map(|(text, kind)| (Hir::literal(text.as_bytes()), *kind)).collect();
    all.sort_by_key(|(_, kind)| *kind);
    all.extend(expressions);
    let many =
        [model.rules.len(), model.tokens.len(), model.sorts.len()].into_iter().any(|count| count > MOST);
    let scanner = Scanner::new(&all).filter(|_| !many);
    if scanner.is_none() {
        let what = if many { "rules, tokens or classes" } else { "states of terminals" };
        let message = format!("the grammar has more {what} than there is room for");
        let place = read.name.as_ref().map_or(Span::new(file, 0, 0), |name| name.span);
        found.push(Diagnostic::error(codes::GRAMMAR_TOO_LARGE, message).at(place, ""));
    }
    Some((model, scanner?))
}

impl Resolver<'_> {
    fn terminals(&mut self, terminals: &[syntax::Terminal]) -> Vec<(Hir, TokenKind)> {
        let mut expressions = Vec::new();
        for terminal in terminals {
            let kind = self.model.tokens.len() as TokenKind;
            let name = terminal.name.text.clone();
            self.model.tokens.push(TokenClass {
                text: name,
                is_keyword: false,
                is_hidden: terminal.is_hidden,
            });
            self.declare(&terminal.name, Named::Terminal(kind));
            let Word { text, span } = &terminal.pattern;
            match terminals::read(text) {
                Ok(hir) => expressions.push((hir, kind)),
                Err(flaw) => {
                    let start = span.start as usize;
                    let place = Span::new(span.file, start + flaw.range.start, start + flaw.range.end);
                    let message = format!("`{}` cannot be a terminal: {}", terminal.name.text, flaw.message);
                    self.found.push(Diagnostic::error(codes::GRAMMAR_TERMINAL, message).at(place, ""));
                }
            }
        }
        expressions
    }

    fn declare(&mut self, name: &Word, named: Named) {
        if let Some((_, first)) = self.names.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::error(codes::GRAMMAR_TWICE, message);
            self.found.push(diagnostic.at(name.span, "again").also(*first, "first here"));
            return;
        }
        self.names.insert(name.text.clone(), (named, name.span));
    }

    fn names_of_rules(&mut self, file: FileId, rules: &[syntax::Rule]) -> Option<()> {
        for (at, rule) in rules.iter().enumerate() {
            self.declare(&rule.name, Named::Rule(at));
            self.sort(&rule.class);
        }
        let mut entries = (0..rules.len()).filter(|&at| rules[at].is_entry);
        self.model.entry = entries.next().unwrap_or(0);
        if let Some(second) = entries.next() {
            let diagnostic =
                Diagnostic::error(codes::GRAMMAR_TWICE, "texts begin with one rule, not with two");
            let first = rules[self.model.entry].name.span;
            self.found.push(diagnostic.at(rules[second].name.span, "again").also(first, "first here"));
        }
        if rules.is_empty() {
            let diagnostic = Diagnostic::error(codes::GRAMMAR_SYNTAX, "a grammar needs a rule");
            self.found.push(
                diagnostic
                    .at(Span::new(file, 0, 0), "")
                    .help("write `entry Program : statements+=Statement* ;`"),
            );
            return None;
        }
        Some(())
    }

    /// The number of a name of a class; it may be a new one.
    fn sort(&mut self, name: &Word) -> usize {
        if let Some(&sort) = self.sorts.get(&name.text) {
            return sort;
        }
        let sort = self.model.sorts.len();
        self.sorts.insert(name.text.clone(), sort);
        self.model.sorts.push(Sort {
            name: name.text.clone(),
            span: name.span,
            is_declared: false,
            is_made: false,
            supertypes: Vec::new(),
            fields: Vec::new(),
        });
        sort
    }

    /// Numbers the classes that actions make, so that references and fields may name them.
    fn classes_of_actions(&mut self, element: &Element) {
        match element {
            Element::Sequence(parts) | Element::Choice(parts) => {
                parts.iter().for_each(|part| self.classes_of_actions(part));
            }
            Element::Repeat { inner, .. } => self.classes_of_actions(inner),
            Element::New(class) | Element::Wrap { class, .. } => {
                self.sort(class);
            }
            Element::Item { .. } => {}
        }
    }

    fn field(&mut self, name: &Word) -> FieldId {
        match self.model.classes.field(&name.text) {
            Ok(field) => field,
            Err(Flaw::Twice | Flaw::Shapes(_) | Flaw::Many) => {
                let message = "the grammar has more fields than there is room for";
                self.found.push(Diagnostic::error(codes::GRAMMAR_TOO_LARGE, message).at(name.span, ""));
                FieldId(0)
            }
        }
    }

    fn classes(&mut self, declared: &[syntax::ClassDeclaration]) {
        for class in declared {
            let sort = self.sort(&class.name);
            if std::mem::replace(&mut self.model.sorts[sort].is_declared, true) {
                let message = format!("the class `{}` is declared twice", class.name.text);
                self.found
                    .push(Diagnostic::error(codes::GRAMMAR_TWICE, message).at(class.name.span, "again"));
            }
        }
        for class in declared {
            let sort = self.sort(&class.name);
            for above in &class.supertypes {
                if let Some(known) = self.known(above) {
                    self.model.sorts[sort].supertypes.push((known, above.span));
                }
            }
            for field in &class.fields {
                let id = self.field(&field.name);
                let holding = match &field.holds {
                    Holds::Text { is_list } => Some(Holding::Text { is_list: *is_list }),
                    Holds::Flag => Some(Holding::Flag),
                    Holds::Node { class, is_list } => {
                        self.known(class).map(|sort| Holding::Node { sort, is_list: *is_list })
                    }
                    Holds::Reference { class, is_list } => {
                        self.known(class).map(|sort| Holding::Reference { sort, is_list: *is_list })
                    }
                };
                self.model.sorts[sort].fields.extend(holding.map(|holding| (id, holding, field.name.span)));
            }
        }
    }

    /// A class that a rule, an action or a declaration has.
    fn known(&mut self, name: &Word) -> Option<usize> {
        let sort = self.sorts.get(&name.text).copied();
        if sort.is_none() {
            let message = format!("`{}` is no class", name.text);
            let diagnostic = Diagnostic::error(codes::GRAMMAR_NAME, message);
            self.found.push(diagnostic.at_misspelt(name.span, &name.text, self.sorts.keys()));
        }
        sort
    }

    fn part(&mut self, element: &Element, whole: Span) -> Part {
        match element {
            Element::Sequence(parts) => {
                Part::Sequence(parts.iter().map(|part| self.part(part, whole)).collect())
            }
            Element::Choice(parts) => {
                let span = element.span().unwrap_or(whole);
                Part::Choice(parts.iter().map(|part| self.part(part, whole)).collect(), span)
            }
            Element::Repeat { inner, times, span } => {
                Part::Repeat { inner: Box::new(self.part(inner, whole)), times: *times, span: *span }
            }
            Element::New(class) => Part::New { sort: self.sort(class), span: class.span },
            Element::Wrap { class, field, mode } => {
                let span = class.span.to(field.span);
                Part::Wrap { sort: self.sort(class), field: self.field(field), mode: *mode, span }
            }
            Element::Item { what, field, span } => self.item(what, field.as_ref(), *span),
        }
    }

    fn item(&mut self, what: &Item, field: Option<&(Word, Mode)>, span: Span) -> Part {
        let field = field.map(|(name, mode)| (self.field(name), *mode));
        match what {
            Item::Keyword(text) => Part::Token { kind: self.keyword(text), field, refers_to: None, span },
            Item::Name(name) => match self.names.get(name) {
                Some((Named::Rule(rule), _)) => Part::Call { rule: *rule, field, span },
                Some((Named::Terminal(kind), _)) => {
                    let kind = self.visible(*kind, span);
                    Part::Token { kind, field, refers_to: None, span }
                }
                None => {
                    self.unknown(name, span, "terminal or rule", |_| true);
                    Part::Sequence(Vec::new())
                }
            },
            Item::Reference { class, terminal } => {
                let sort = self.known(class);
                let (name, place) = match terminal {
                    Some(terminal) => (terminal.text.clone(), terminal.span),
                    None => ("ID".to_owned(), class.span),
                };
                match self.names.get(&name) {
                    Some((Named::Terminal(kind), _)) => {
                        let kind = self.visible(*kind, place);
                        Part::Token { kind, field, refers_to: sort, span }
                    }
                    _ => {
                        self.unknown(&name, place, "terminal", |named| matches!(named, Named::Terminal(_)));
                        Part::Sequence(Vec::new())
                    }
                }
            }
        }
    }

    fn visible(&mut self, kind: TokenKind, span: Span) -> TokenKind {
        let token = &self.model.tokens[usize::from(kind)];
        if token.is_hidden {
            let message = format!("`{}` is hidden: no rule sees it", token.text);
            let diagnostic = Diagnostic::error(codes::GRAMMAR_NAME, message).at(span, "");
            self.found.push(diagnostic.help("declare it with `terminal`"));
            return END;
        }
        kind
    }

    fn unknown(&mut self, name: &str, span: Span, what: &str, fits: impl Fn(&Named) -> bool) {
        let message = format!("`{name}` is no {what}");
        let diagnostic = Diagnostic::error(codes::GRAMMAR_NAME, message);
        // An assignment is underlined from its field on; the name is at its end.
        let start = (span.end as usize).saturating_sub(name.len()).max(span.start as usize);
        let place = Span::new(span.file, start, span.end as usize);
        let known = self.names.iter().filter(|(_, (named, _))| fits(named)).map(|(known, _)| known.as_str());
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        self.found.push(diagnostic.at_misspelt(place, name, known));
    }

    fn keyword(&mut self, text: &str) -> TokenKind {
        if let Some(&kind) = self.keywords.get(text) {
            return kind;
        }
        let kind = self.model.tokens.len() as TokenKind;
        self.keywords.insert(text.to_owned(), kind);
        self.model.tokens.push(TokenClass { text: text.to_owned(), is_keyword: true, is_hidden: false });
        kind
    }
}
