//! Regular and action formulas.
//!
//! A parenthesis may open either: `("A" or "B") . "C"` and `("A" . "B")*`. So one parser reads both and gives a [`Term`]; the
//! operators of action formulas ask for actions.

use super::macros::Named;
use super::{Parsed, Parser};
use crate::token::{Kind, T, unquoted};
use crate::tree::{Action, ActionId, Regular, RegularId};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_labels::Pattern;
use volvelle_syntax::Spelt;

/// What a text between `<` and `>` may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    Action(ActionId),
    Regular(RegularId),
}

impl Parser<'_> {
    /// A regular formula.
    pub(super) fn regular(&mut self) -> Parsed<RegularId> {
        let term = self.term()?;
        self.as_regular(term)
    }

    fn as_regular(&mut self, term: Term) -> Parsed<RegularId> {
        match term {
            Term::Regular(regular) => Ok(regular),
            Term::Action(action) => {
                let made = self.tree.regular(Regular::Action(action));
                self.built(made)
            }
        }
    }

    /// Alternatives.
    fn term(&mut self) -> Parsed<Term> {
        self.list(if self.is_mcrl2() { T!["+"] } else { T!["|"] }, Self::sequence, Regular::Choice)
    }

    fn sequence(&mut self) -> Parsed<Term> {
        self.list(T!["."], Self::repeated, Regular::Sequence)
    }

    fn list(
        &mut self,
        sign: Kind,
        part: fn(&mut Self) -> Parsed<Term>,
        make: fn(Vec<RegularId>) -> Regular,
    ) -> Parsed<Term> {
        let first = part(self)?;
        if !self.at(sign) {
            return Ok(first);
        }
        let mut parts = vec![self.as_regular(first)?];
        while self.accept(sign) {
            let next = part(self)?;
            parts.push(self.as_regular(next)?);
        }
        let made = self.tree.regular(make(parts));
        self.built(made).map(Term::Regular)
    }

    /// A step or group, with how often it comes.
    fn repeated(&mut self) -> Parsed<Term> {
        let mut term = self.equ()?;
        loop {
            let make: fn(RegularId) -> Regular = match self.peek() {
                T!["*"] => Regular::Star,
                T!["+"] if self.is_mcrl2() && self.begins_part() => return Ok(term),
                T!["+"] => Regular::Plus,
                T!["?"] => Regular::Optional,
                T!["{"] => {
                    let (least, most) = self.bounds()?;
                    let inner = self.as_regular(term)?;
                    let made = self.tree.regular(Regular::Repeat(inner, least, most));
                    term = Term::Regular(self.built(made)?);
                    continue;
                }
                _ => {
                    let is_operator = self.peek().is_operator();
                    if is_operator && let Term::Regular(_) = term {
                        let span = self.here();
                        self.as_action(term, span)?;
                    }
                    return Ok(term);
                }
            };
            self.advance();
            let inner = self.as_regular(term)?;
            let made = self.tree.regular(make(inner));
            term = Term::Regular(self.built(made)?);
        }
    }

    /// Whether a regular formula begins behind the next token.
    fn begins_part(&self) -> bool {
        match self.peek_second() {
            T!["("] | Kind::Label | Kind::Pattern => true,
            kind => kind.is_any_word() && !kind.is_operator(),
        }
    }

    /// `{n}`, `{n ..}`, `{n .. m}`.
    fn bounds(&mut self) -> Parsed<(u32, Option<u32>)> {
        let open = self.advance();
        let least = self.number()?;
        let most = match self.peek() == T![".."] {
            true => {
                self.advance();
                if self.peek() == T!["}"] { None } else { Some(self.number()?) }
            }
            false => Some(least),
        };
        if most.is_some_and(|most| most < least) {
            self.error(
                codes::FORMULA_SYNTAX,
                "the second number is below the first",
                open,
                "of this repetition",
            );
        }
        self.expect(T!["}"])?;
        Ok((least, most))
    }

    fn number(&mut self) -> Parsed<u32> {
        if self.peek() != Kind::Number {
            return Err(self.unexpected("a number of repetitions"));
        }
        // Larger numbers are above the limit of sizes anyway.
        let number = self.word().parse().unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
        self.advance();
        Ok(number)
    }

    fn equ(&mut self) -> Parsed<Term> {
        let mut left = self.implies()?;
        while self.at(T!["equ"]) {
            let (span, a) = self.operator(left)?;
            let right = self.implies()?;
            let b = self.as_action(right, span)?;
            let made = self.tree.action(Action::Equ(a, b));
            left = Term::Action(self.built(made)?);
        }
        Ok(left)
    }

    fn implies(&mut self) -> Parsed<Term> {
        let left = self.or()?;
        if !self.at(T!["implies"]) {
            return Ok(left);
        }
        let (span, a) = self.operator(left)?;
        let right = self.nested(Self::implies)?;
        let b = self.as_action(right, span)?;
        let made = self.tree.action(Action::Implies(a, b));
        self.built(made).map(Term::Action)
    }

    fn or(&mut self) -> Parsed<Term> {
        self.actions(T!["or"], Self::and, Action::Or)
    }

    fn and(&mut self) -> Parsed<Term> {
        self.actions(T!["and"], Self::step, Action::And)
    }

    fn actions(
        &mut self,
        word: Kind,
        part: fn(&mut Self) -> Parsed<Term>,
        make: fn(Vec<ActionId>) -> Action,
    ) -> Parsed<Term> {
        let first = part(self)?;
        if !self.at(word) {
            return Ok(first);
        }
        let mut parts = Vec::new();
        let mut last = first;
        while self.at(word) {
            let (span, a) = self.operator(last)?;
            parts.push(a);
            last = part(self)?;
            if !self.at(word) {
                parts.push(self.as_action(last, span)?);
            }
        }
        let made = self.tree.action(make(parts));
        self.built(made).map(Term::Action)
    }

    /// Takes an operator of action formulas; gives its place and the action before it.
    fn operator(&mut self, left: Term) -> Parsed<(Span, ActionId)> {
        let span = self.here();
        let action = self.as_action(left, span)?;
        self.advance();
        Ok((span, action))
    }

    fn as_action(&mut self, term: Term, operator: Span) -> Parsed<ActionId> {
        match term {
            Term::Action(action) => Ok(action),
            Term::Regular(_) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        codes::FORMULA_SYNTAX,
                        "this operator joins single steps, not sequences",
                    )
                    .at(operator, "")
                    .help("write `|` for a choice between sequences"),
                );
                Err(super::Failed::Syntax)
            }
        }
    }

    /// The smallest parts.
    fn step(&mut self) -> Parsed<Term> {
        match self.peek() {
            Kind::Label => {
                let text = unquoted(self.word());
                let span = self.advance();
                self.leaf(Action::Label(text, span))
            }
            Kind::Pattern => {
                let text = unquoted(self.word());
                let span = self.advance();
                match Pattern::new(&text) {
                    Ok(pattern) => self.leaf(Action::Pattern(pattern, span)),
                    Err(bad) => {
                        self.diagnostics.push(
                            Diagnostic::error(codes::BAD_LABEL_PATTERN, bad.to_string())
                                .at(span, "")
                                .help("a label that is meant as it stands goes in double quotes"),
                        );
                        self.leaf(Action::False)
                    }
                }
            }
            T!["("] => {
                self.advance();
                self.nested(|parser| parser.inside(T![")"], Self::term, |parser| parser.leaf(Action::False)))
            }
            kind if kind.is_any_word() => self.step_word(),
            _ => Err(self.unexpected("a regular formula")),
        }
    }

    pub(super) fn leaf(&mut self, action: Action) -> Parsed<Term> {
        let made = self.tree.action(action);
        self.built(made).map(Term::Action)
    }

    fn step_word(&mut self) -> Parsed<Term> {
        if self.is_mcrl2() {
            self.refuse_data()?;
            if let Some(value) = self.val()? {
                return self.leaf(if value { Action::True } else { Action::False });
            }
            if self.at(Kind::Name) {
                return self.action_by_name();
            }
        }
        match self.peek() {
            T!["true"] => {
                self.advance();
                self.leaf(Action::True)
            }
            T!["false"] => {
                self.advance();
                self.leaf(Action::False)
            }
            T!["nil"] => {
                self.advance();
                let made = self.tree.regular(Regular::Nil);
                self.built(made).map(Term::Regular)
            }
            T!["not"] => {
                let span = self.advance();
                let term = self.nested(Self::step)?;
                let action = self.as_action(term, span)?;
                self.leaf(Action::Not(action))
            }
            kind if kind.is_word() => Err(self.unexpected("a regular formula")),
            _ => match self.named() {
                Named::Unknown => {
                    let word = self.word().to_owned();
                    let span = self.here();
                    let mut diagnostic =
                        Diagnostic::error(codes::UNKNOWN_FORMULA_NAME, format!("`{word}` is no macro"))
                            .at_misspelt(span, &word, self.known_names());
                    diagnostic = diagnostic.help(match word.as_str() {
                        "i" | "tau" => "the internal action is `\"i\"`, in quotes".to_owned(),
                        _ => format!("a label stands in quotes: `\"{word}\"`"),
                    });
                    self.diagnostics.push(diagnostic);
                    self.advance();
                    self.leaf(Action::False)
                }
                named => self.expanded(named, Self::term),
            },
        }
    }
}
