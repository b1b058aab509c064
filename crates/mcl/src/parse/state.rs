//! State formulas.

use super::frame::Scope;
use super::macros::Named;
use super::{Parsed, Parser};
use crate::token::{Kind, T};
use crate::tree::{Action, Fixpoint, Regular, RegularId, State, StateId, VariableId};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_syntax::Spelt;

impl Parser<'_> {
    /// A state formula.
    pub(super) fn state(&mut self) -> Parsed<StateId> {
        let mut left = self.state_implies()?;
        while self.accept(T!["equ"]) {
            let right = self.state_implies()?;
            left = self.state_node(State::Equ(left, right))?;
        }
        Ok(left)
    }

    fn state_implies(&mut self) -> Parsed<StateId> {
        let left = self.state_or()?;
        if !self.accept(T!["implies"]) {
            return Ok(left);
        }
        let right = self.nested(Self::state_implies)?;
        self.state_node(State::Implies(left, right))
    }

    fn state_or(&mut self) -> Parsed<StateId> {
        self.states(T!["or"], Self::state_and, State::Or)
    }

    fn state_and(&mut self) -> Parsed<StateId> {
        self.states(T!["and"], Self::unary, State::And)
    }

    fn states(
        &mut self,
        word: Kind,
        part: fn(&mut Self) -> Parsed<StateId>,
        make: fn(Vec<StateId>) -> State,
    ) -> Parsed<StateId> {
        let first = part(self)?;
        if !self.at(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept(word) {
            parts.push(part(self)?);
        }
        self.state_node(make(parts))
    }

    fn state_node(&mut self, state: State) -> Parsed<StateId> {
        let made = self.tree.state(state);
        self.built(made)
    }

    fn unary(&mut self) -> Parsed<StateId> {
        self.nested(|parser| match parser.peek() {
            T!["("] => {
                parser.advance();
                parser.inside(T![")"], Self::state, |parser| parser.state_node(State::False))
            }
            T!["<"] => {
                let regular = parser.between(T![">"])?;
                let inner = parser.unary()?;
                parser.state_node(State::Diamond(regular, inner))
            }
            T!["["] => {
                let regular = parser.between(T!["]"])?;
                let inner = parser.unary()?;
                parser.state_node(State::Box(regular, inner))
            }
            T!["@"] => {
                parser.advance();
                if parser.peek() != T!["("] {
                    return Err(parser.unexpected("`(` and a regular formula"));
                }
                let regular = parser.between(T![")"])?;
                parser.state_node(State::Loop(regular))
            }
            kind if kind.is_any_word() => parser.state_word(),
            Kind::Label | Kind::Pattern => {
                let span = parser.here();
                let text = parser.word().to_owned();
                parser.diagnostics.push(
                    Diagnostic::error(codes::FORMULA_SYNTAX, "a label says nothing about a state")
                        .at(span, "expected a state formula")
                        .help(format!("`<{text}> true` says that it can come next")),
                );
                Err(super::Failed::Syntax)
            }
            _ => Err(parser.unexpected("a state formula")),
        })
    }

    /// A regular formula in brackets, of which the first is next.
    fn between(&mut self, close: Kind) -> Parsed<RegularId> {
        self.advance();
        self.inside(close, Self::regular, |parser| {
            let made = parser.tree.action(Action::False);
            let action = parser.built(made)?;
            let made = parser.tree.regular(Regular::Action(action));
            parser.built(made)
        })
    }

    fn state_word(&mut self) -> Parsed<StateId> {
        if self.is_mcrl2() {
            self.refuse_data()?;
            if let Some(value) = self.val()? {
                return self.state_node(if value { State::True } else { State::False });
            }
        }
        match self.peek() {
            T!["true"] => {
                self.advance();
                self.state_node(State::True)
            }
            T!["false"] => {
                self.advance();
                self.state_node(State::False)
            }
            T!["not"] => {
                self.advance();
                let inner = self.unary()?;
                self.state_node(State::Not(inner))
            }
            T!["mu"] => self.fixpoint(Fixpoint::Least),
            T!["nu"] => self.fixpoint(Fixpoint::Greatest),
            kind if kind.is_word() => Err(self.unexpected("a state formula")),
            _ => self.state_name(),
        }
    }

    fn fixpoint(&mut self, fixpoint: Fixpoint) -> Parsed<StateId> {
        let start = self.advance();
        let span = self.here();
        let name = self.name("the variable of the fixpoint")?;
        let is_mcrl2 = self.is_mcrl2();
        if is_mcrl2 {
            self.refuse_parameters()?;
        }
        if !(is_mcrl2 && self.accept(T![":"])) {
            self.expect(T!["."])?;
        }
        let variable = self.tree.variable(&name, span);
        let outer = self.frame.scope;
        self.scopes.push(Scope { variable, outer });
        self.frame.scope = Some(self.scopes.len() - 1);
        let is_bare = self.peek() != T!["("];
        // In mCRL2, the body is all that follows.
        let body = if is_mcrl2 { self.nested(Self::state) } else { self.unary() };
        self.frame.scope = outer;
        let body = body?;
        let is_joined = self.peek().is_operator();
        if is_bare && is_joined && !self.lists[self.frame.list].is_library {
            let operator = self.here();
            let word = self.word();
            self.diagnostics.push(
                Diagnostic::warning(
                    codes::FIXPOINT_SCOPE,
                    format!("the body of `{name}` ends before `{word}`"),
                )
                .at(operator, "not part of the body")
                .also(start.to(span), "this fixpoint")
                .help(format!("put the whole body in parentheses, or the fixpoint: `(… {name} . …)`")),
            );
        }
        self.state_node(State::Fix(fixpoint, variable, body))
    }

    /// A parameter, a variable or a macro.
    fn state_name(&mut self) -> Parsed<StateId> {
        let named = self.named();
        if let Named::Argument(_) = named {
            return self.expanded(named, Self::state);
        }
        if let Some(variable) = self.bound() {
            let span = self.advance();
            return self.state_node(State::Variable(variable, span));
        }
        if let Named::Macro(_) = named {
            return self.expanded(named, Self::state);
        }
        let word = self.word().to_owned();
        let span = self.here();
        let mut names = self.known_names();
        let mut scope = self.frame.scope;
        while let Some(Scope { variable, outer }) = scope.map(|at| self.scopes[at]) {
            names.push(self.tree.variable_of(variable).name.clone());
            scope = outer;
        }
        let is_call = self.peek_second() == T!["("];
        let what = if is_call { "macro" } else { "variable or macro" };
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_FORMULA_NAME, format!("`{word}` is no {what}"))
            .at_misspelt(span, &word, &names);
        let has_near = !diagnostic.fixes.is_empty();
        let in_macro = self.frame.call.is_some();
        let earlier =
            self.scopes.iter().rev().map(|s| self.tree.variable_of(s.variable)).find(|v| v.name == word);
        if in_macro {
            diagnostic =
                diagnostic.note("the body of a macro sees its parameters and its own variables only");
        } else if let Some(earlier) = earlier {
            diagnostic = diagnostic
                .also(earlier.span, "its body has ended")
                .help(format!("put the whole body in parentheses: `{word} . (…)`"));
        } else if !is_call && !has_near {
            diagnostic =
                diagnostic.help(format!("a label stands in quotes inside a modality: `<\"{word}\"> true`"));
        }
        self.diagnostics.push(diagnostic);
        self.advance();
        if is_call {
            self.advance();
            return self.inside(T![")"], |p| Err(skip(p)), |p| p.state_node(State::False));
        }
        self.state_node(State::False)
    }

    /// The variable that the next word is, if it is bound.
    fn bound(&self) -> Option<VariableId> {
        let mut scope = self.frame.scope;
        while let Some(Scope { variable, outer }) = scope.map(|at| self.scopes[at]) {
            if self.tree.variable_of(variable).name == self.word() {
                return Some(variable);
            }
            scope = outer;
        }
        None
    }
}

/// Leaves the arguments of an unknown macro unread.
fn skip(_: &mut Parser<'_>) -> super::Failed {
    super::Failed::Syntax
}
