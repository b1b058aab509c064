//! Ground terms, each stored once: equal terms have equal numbers.

use super::{Data, OperationId, SortId, SortKind};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// A term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number.
    Number(i64),
    /// A constructor with operands.
    Apply(OperationId, Box<[TermId]>),
}

/// The terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    all: Vec<Term>,
    numbers: FxHashMap<Term, TermId>,
}

impl Terms {
    /// The number of a term.
    pub fn add(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.numbers.get(&term) {
            return id;
        }
        let id = TermId(self.all.len() as u32);
        self.all.push(term.clone());
        self.numbers.insert(term, id);
        id
    }

    /// The term of a number.
    pub fn get(&self, id: TermId) -> &Term {
        &self.all[id.0 as usize]
    }

    /// A term as labels show it: `PUSH (A1, EMPTY)`.
    pub fn text(&self, data: &Data, id: TermId) -> String {
        enum Part {
            Term(TermId),
            Text(&'static str),
        }
        let (mut text, mut todo) = (String::new(), vec![Part::Term(id)]);
        while let Some(part) = todo.pop() {
            match part {
                Part::Text(sign) => text.push_str(sign),
                Part::Term(id) => match self.get(id) {
                    Term::Number(number) => text.push_str(&number.to_string()),
                    Term::Apply(operation, operands) => {
                        let operation = &data.operations[*operation];
                        text.push_str(operation.shown.as_ref().unwrap_or(&operation.name));
                        let Some((last, front)) = operands.split_last() else { continue };
                        text.push_str(" (");
                        todo.push(Part::Text(")"));
                        todo.push(Part::Term(*last));
                        for operand in front.iter().rev() {
                            todo.push(Part::Text(", "));
                            todo.push(Part::Term(*operand));
                        }
                    }
                },
            }
        }
        text
    }

    /// The order of values of one sort: numbers by size, others by their constructors, then by their operands from the first on.
    pub fn order(&self, a: TermId, b: TermId) -> Ordering {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            if a == b {
                continue;
            }
            let order = match (self.get(a), self.get(b)) {
                (Term::Number(a), Term::Number(b)) => a.cmp(b),
                (Term::Apply(f, first), Term::Apply(g, second)) => {
                    todo.extend(first.iter().copied().zip(second.iter().copied()).rev());
                    f.cmp(g)
                }
                (Term::Number(_), Term::Apply(..)) => Ordering::Less,
                (Term::Apply(..), Term::Number(_)) => Ordering::Greater,
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// The number that stands for a value of a sort in states and labels; `None` for recursive sorts. Recursion is as deep
    /// as finite sorts nest.
    pub fn code(&self, data: &Data, sort: SortId, id: TermId) -> Option<i64> {
        let constructors = &data.sorts[sort].constructors;
        match (&data.sorts[sort].kind, self.get(id)) {
            (SortKind::Recursive, _) => None,
            (_, Term::Number(number)) => Some(*number),
            (_, Term::Apply(operation, operands)) => {
                let before = constructors.iter().take_while(|&other| other != operation);
                let mut code: i64 = 0;
                for (&operand, &sort) in operands.iter().zip(&data.operations[*operation].arguments) {
                    let (lo, hi) = data.bounds(sort)?;
                    code = code * (hi - lo + 1) + (self.code(data, sort, operand)? - lo);
                }
                Some(before.map(|&other| data.constructor_count(other)).sum::<Option<i64>>()? + code)
            }
        }
    }

    /// The value behind a number; `None` where there is none.
    pub fn decode(&mut self, data: &Data, sort: SortId, code: i64) -> Option<TermId> {
        let (lo, hi) = data.bounds(sort)?;
        if code < lo || code > hi {
            return None;
        }
        if data.is_number(sort) {
            return Some(self.add(Term::Number(code)));
        }
        let mut left = code;
        for &constructor in &data.sorts[sort].constructors {
            let count = data.constructor_count(constructor)?;
            if left >= count {
                left -= count;
                continue;
            }
            let sorts = &data.operations[constructor].arguments;
            let mut operands = vec![TermId(0); sorts.len()];
            for (operand, &sort) in operands.iter_mut().zip(sorts).rev() {
                let (lo, hi) = data.bounds(sort)?;
                let size = hi - lo + 1;
                *operand = self.decode(data, sort, lo + left % size)?;
                left /= size;
            }
            return Some(self.add(Term::Apply(constructor, operands.into())));
        }
        None
    }
}
