//! Formulas to text, which parses to the same formula. Macros are expanded; variables of the same name get numbers.
//!
//! Recursion is as deep as the parser lets formulas nest.

use crate::tree::*;
use std::collections::BTreeSet;
use std::fmt::{Display, Formatter, Result, Write};

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let printer = Printer { formula: self, names: distinct_names(&self.variables) };
        printer.state(f, self.root, EQU)
    }
}

// How tight an operator binds.
const EQU: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNARY: u8 = 4;

// The same for regular formulas.
const CHOICE: u8 = 0;
const SEQUENCE: u8 = 1;
const REPEATED: u8 = 2;

fn distinct_names(variables: &[Variable]) -> Vec<String> {
    let mut taken: BTreeSet<String> = variables.iter().map(|v| v.name.clone()).collect();
    let mut given: BTreeSet<&str> = BTreeSet::new();
    let mut number = 1u32;
    let mut names = Vec::with_capacity(variables.len());
    for variable in variables {
        if given.insert(&variable.name) {
            names.push(variable.name.clone());
            continue;
        }
        let name = loop {
            number += 1;
            let name = format!("{}_{number}", variable.name);
            if taken.insert(name.clone()) {
                break name;
            }
        };
        names.push(name);
    }
    names
}

struct Printer<'a> {
    formula: &'a Formula,
    names: Vec<String>,
}

impl Printer<'_> {
    fn state(&self, f: &mut Formatter<'_>, id: StateId, needed: u8) -> Result {
        let state = self.formula.state(id);
        let level = match state {
            State::Equ(..) => EQU,
            State::Implies(..) => IMPLIES,
            State::Or(_) => OR,
            State::And(_) => AND,
            _ => UNARY,
        };
        let in_parentheses = level < needed;
        if in_parentheses {
            f.write_char('(')?;
        }
        match state {
            State::True => f.write_str("true")?,
            State::False => f.write_str("false")?,
            State::Not(g) => {
                f.write_str("not ")?;
                self.state(f, *g, UNARY)?;
            }
            State::And(list) => self.states(f, list, " and ", AND)?,
            State::Or(list) => self.states(f, list, " or ", OR)?,
            State::Implies(g, h) => {
                self.state(f, *g, OR)?;
                f.write_str(" implies ")?;
                self.state(f, *h, IMPLIES)?;
            }
            State::Equ(g, h) => {
                self.state(f, *g, EQU)?;
                f.write_str(" equ ")?;
                self.state(f, *h, IMPLIES)?;
            }
            State::Diamond(r, g) => {
                f.write_str("< ")?;
                self.regular(f, *r, CHOICE)?;
                f.write_str(" > ")?;
                self.state(f, *g, UNARY)?;
            }
            State::Box(r, g) => {
                f.write_str("[ ")?;
                self.regular(f, *r, CHOICE)?;
                f.write_str(" ] ")?;
                self.state(f, *g, UNARY)?;
            }
            State::Loop(r) => {
                f.write_str("@(")?;
                self.regular(f, *r, CHOICE)?;
                f.write_char(')')?;
            }
            State::Variable(variable, _) => f.write_str(&self.names[variable.index()])?,
            State::Fix(fixpoint, variable, g) => {
                let word = if *fixpoint == Fixpoint::Least { "mu" } else { "nu" };
                write!(f, "{word} {} . (", self.names[variable.index()])?;
                self.state(f, *g, EQU)?;
                f.write_char(')')?;
            }
        }
        if in_parentheses { f.write_char(')') } else { Ok(()) }
    }

    fn states(&self, f: &mut Formatter<'_>, list: &[StateId], sign: &str, level: u8) -> Result {
        for (at, &g) in list.iter().enumerate() {
            if at > 0 {
                f.write_str(sign)?;
            }
            self.state(f, g, level + 1)?;
        }
        Ok(())
    }

    fn regular(&self, f: &mut Formatter<'_>, id: RegularId, needed: u8) -> Result {
        let regular = self.formula.regular(id);
        let level = match regular {
            Regular::Choice(_) => CHOICE,
            Regular::Sequence(_) => SEQUENCE,
            _ => REPEATED,
        };
        let in_parentheses = level < needed;
        if in_parentheses {
            f.write_char('(')?;
        }
        match regular {
            Regular::Action(a) => self.action(f, *a, if needed == CHOICE { EQU } else { UNARY + 1 })?,
            Regular::Nil => f.write_str("nil")?,
            Regular::Sequence(list) => self.regulars(f, list, " . ", SEQUENCE)?,
            Regular::Choice(list) => self.regulars(f, list, " | ", CHOICE)?,
            Regular::Star(r) => {
                self.regular(f, *r, REPEATED)?;
                f.write_char('*')?;
            }
            Regular::Plus(r) => {
                self.regular(f, *r, REPEATED)?;
                f.write_char('+')?;
            }
            Regular::Optional(r) => {
                self.regular(f, *r, REPEATED)?;
                f.write_char('?')?;
            }
            Regular::Repeat(r, least, most) => {
                self.regular(f, *r, REPEATED)?;
                match most {
                    Some(most) if most == least => write!(f, "{{{least}}}")?,
                    Some(most) => write!(f, "{{{least} .. {most}}}")?,
                    None => write!(f, "{{{least} ..}}")?,
                }
            }
        }
        if in_parentheses { f.write_char(')') } else { Ok(()) }
    }

    fn regulars(&self, f: &mut Formatter<'_>, list: &[RegularId], sign: &str, level: u8) -> Result {
        for (at, &r) in list.iter().enumerate() {
            if at > 0 {
                f.write_str(sign)?;
            }
            self.regular(f, r, level + 1)?;
        }
        Ok(())
    }

    fn action(&self, f: &mut Formatter<'_>, id: ActionId, needed: u8) -> Result {
        let action = self.formula.action(id);
        let level = match action {
            Action::Equ(..) => EQU,
            Action::Implies(..) => IMPLIES,
            Action::Or(_) => OR,
            Action::And(_) => AND,
            Action::Not(_) => UNARY,
            _ => UNARY + 1,
        };
        let in_parentheses = level < needed;
        if in_parentheses {
            f.write_char('(')?;
        }
        match action {
            Action::True => f.write_str("true")?,
            Action::False => f.write_str("false")?,
            Action::Label(text, _) => write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))?,
            Action::Pattern(pattern, _) => write!(f, "'{}'", pattern.text().replace('\'', "\\'"))?,
            Action::Not(a) => {
                f.write_str("not ")?;
                self.action(f, *a, UNARY)?;
            }
            Action::And(list) => self.actions(f, list, " and ", AND)?,
            Action::Or(list) => self.actions(f, list, " or ", OR)?,
            Action::Implies(a, b) => {
                self.action(f, *a, OR)?;
                f.write_str(" implies ")?;
                self.action(f, *b, IMPLIES)?;
            }
            Action::Equ(a, b) => {
                self.action(f, *a, EQU)?;
                f.write_str(" equ ")?;
                self.action(f, *b, IMPLIES)?;
            }
        }
        if in_parentheses { f.write_char(')') } else { Ok(()) }
    }

    fn actions(&self, f: &mut Formatter<'_>, list: &[ActionId], sign: &str, level: u8) -> Result {
        for (at, &a) in list.iter().enumerate() {
            if at > 0 {
                f.write_str(sign)?;
            }
            self.action(f, a, level + 1)?;
        }
        Ok(())
    }
}
