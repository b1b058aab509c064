//! What formulas of mCRL2 have besides those of MCL: names of actions without quotes, sections, `val`; and what is refused by name.
//!
//! Follows the language reference of mCRL2 ("mu-calculus"), without data and time.

use super::regular::Term;
use super::{Failed, Parsed, Parser};
use crate::token::{Dialect, Kind, T};
use crate::tree::Action;
use volvelle_diagnostics::{Diagnostic, codes};

/// Words of formulas that are about data or time, with what they are.
const REFUSED: &[(&str, &str)] = &[
    ("forall", "quantifiers range over data"),
    ("exists", "quantifiers range over data"),
    ("inf", "quantifiers range over data"),
    ("sup", "quantifiers range over data"),
    ("sum", "quantifiers range over data"),
    ("delay", "`delay` is about time"),
    ("yaled", "`yaled` is about time"),
];

/// Sections of a file before `form`.
const SECTIONS: &[&str] = &["sort", "cons", "map", "var", "eqn", "glob", "proc"];

impl Parser<'_> {
    /// Whether the next tokens are in the notation of mCRL2.
    pub(super) fn is_mcrl2(&self) -> bool {
        self.dialect == Dialect::Mcrl2 && !self.lists[self.frame.list].is_library
    }

    /// What may stand before the formula: `act a, b; form`.
    pub(super) fn sections(&mut self) {
        while self.peek().is_any_word() {
            let word = self.word();
            if word == "act" {
                // Names of actions need no declaration here.
                while !self.at_end() && !self.accept(T![";"]) && !self.is_word("form") {
                    self.advance();
                }
            } else if SECTIONS.contains(&word) {
                let word = word.to_owned();
                self.refuse(&format!("a section `{word}` declares data"));
                while !self.at_end() && !self.is_word("form") {
                    self.advance();
                }
            } else {
                if self.is_word("form") {
                    self.advance();
                }
                return;
            }
        }
    }

    /// Reports what is refused.
    fn refuse(&mut self, why: &str) -> Failed {
        let span = self.here();
        let message = format!("formulas with data or time are not read: {why}");
        self.diagnostics.push(
            Diagnostic::error(codes::FORMULA_SYNTAX, message)
                .at(span, "")
                .help("labels are texts here: write one formula for each value, or a pattern in MCL: `<'PUT !.*'> true`"),
        );
        Failed::Syntax
    }

    /// An error if the next word is about data or time.
    pub(super) fn refuse_data(&mut self) -> Parsed<()> {
        match REFUSED.iter().find(|(word, _)| self.is_word(word)) {
            Some((_, why)) => Err(self.refuse(why)),
            None => Ok(()),
        }
    }

    /// `val(true)` or `val(false)`, if that is next.
    pub(super) fn val(&mut self) -> Parsed<Option<bool>> {
        if !self.is_word("val") || self.peek_second() != T!["("] {
            return Ok(None);
        }
        self.advance();
        self.advance();
        let value = match self.peek() {
            T!["true"] => true,
            T!["false"] => false,
            _ => return Err(self.refuse("`val` has an expression")),
        };
        self.advance();
        self.expect(T![")"])?;
        Ok(Some(value))
    }

    /// The parameters that a variable of a fixpoint does not have.
    pub(super) fn refuse_parameters(&mut self) -> Parsed<()> {
        match self.peek() == T!["("] {
            true => Err(self.refuse("the variable of a fixpoint has parameters")),
            false => Ok(()),
        }
    }

    /// An action, of which the name is next: `a`, `a(1,true)`, or several that happen at once, `a|b`.
    pub(super) fn action_by_name(&mut self) -> Parsed<Term> {
        let start = self.here();
        let mut names = vec![self.one_action()?];
        while self.peek() == T!["|"] && self.peek_second().is_any_word() {
            self.advance();
            names.push(self.one_action()?);
        }
        // As labels of transitions are written: actions by name, without blanks.
        names.sort_unstable();
        let text = names.join("|");
        if text != "tau" {
            return self.leaf(Action::Label(text, start));
        }
        let made = self.tree.action(Action::Label("i".to_owned(), start));
        let internal = self.built(made)?;
        let made = self.tree.action(Action::Label(text, start));
        let tau = self.built(made)?;
        self.leaf(Action::Or(vec![internal, tau]))
    }

    fn one_action(&mut self) -> Parsed<String> {
        let mut text = self.word().to_owned();
        self.advance();
        if self.peek() != T!["("] {
            return Ok(text);
        }
        let mut depth = 0;
        loop {
            match self.peek() {
                Kind::End => return Err(self.unexpected("`)`")),
                T!["("] => depth += 1,
                T![")"] => depth -= 1,
                _ => {}
            }
            text.push_str(self.text_at(self.frame.list, self.frame.at));
            self.advance();
            if depth == 0 {
                return Ok(text);
            }
        }
    }
}
