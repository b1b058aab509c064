//! Ground terms, each stored once: equal terms have equal numbers.

use super::{Data, OperationId, SortId, SortKind};
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::hash::Hasher;

/// Number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// A term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term<'t> {
    /// A number.
    Number(i64),
    /// A constructor with operands.
    Apply(OperationId, &'t [TermId]),
}

/// A stored term: the constructor, with where its operands begin and how many there are; or a number.
#[derive(Clone, Copy, Debug)]
struct Head {
    operation: u32,
    count: u32,
    at: i64,
}

/// Instead of a constructor: a number.
const NUMBER: u32 = u32::MAX;

/// No term.
const NONE: u32 = u32::MAX;

/// The terms: a hash table of numbers of terms, open with linear probing.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    heads: Vec<Head>,
    operands: Vec<TermId>,
    /// A power of two, at least twice as many as there are terms.
    places: Vec<u32>,
    /// FALSE and TRUE, once there are any.
    truth: Option<[TermId; 2]>,
}

impl Terms {
    /// The number of a term.
    pub fn add(&mut self, term: Term<'_>) -> TermId {
        if 2 * (self.heads.len() + 1) > self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut place = hash(term) as usize & mask;
        while self.places[place] != NONE {
            let id = TermId(self.places[place]);
            if self.get(id) == term {
                return id;
            }
            place = (place + 1) & mask;
        }
        let id = TermId(self.heads.len() as u32);
        self.places[place] = id.0;
        let head = match term {
            Term::Number(number) => Head { operation: NUMBER, count: 0, at: number },
            Term::Apply(operation, operands) => {
                let at = self.operands.len() as i64;
                self.operands.extend_from_slice(operands);
                Head { operation: operation as u32, count: operands.len() as u32, at }
            }
        };
        self.heads.push(head);
        id
    }

    fn grow(&mut self) {
        let size = (4 * (self.heads.len() + 1)).next_power_of_two();
        let mut places = vec![NONE; size];
        for number in 0..self.heads.len() as u32 {
            let mut place = hash(self.get(TermId(number))) as usize & (size - 1);
            while places[place] != NONE {
                place = (place + 1) & (size - 1);
            }
            places[place] = number;
        }
        self.places = places;
    }

    /// The term of a number.
    pub fn get(&self, id: TermId) -> Term<'_> {
        let head = self.heads[id.0 as usize];
        match head.operation {
            NUMBER => Term::Number(head.at),
            operation => {
                let first = head.at as usize;
                Term::Apply(operation as OperationId, &self.operands[first..first + head.count as usize])
            }
        }
    }

    /// The operand of a term with operands.
    pub(super) fn operand(&self, id: TermId, k: usize) -> TermId {
        self.operands[self.heads[id.0 as usize].at as usize + k]
    }

    /// A truth value.
    pub fn truth(&mut self, data: &Data, holds: bool) -> TermId {
        let known = match self.truth {
            Some(known) => known,
            None => {
                let constructors = &data.sorts[super::BOOL].constructors;
                let both = [0, 1].map(|k| self.add(Term::Apply(constructors[k], &[])));
                self.truth = Some(both);
                both
            }
        };
        known[usize::from(holds)]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
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
                        let operation = &data.operations[operation];
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
                (Term::Number(a), Term::Number(b)) => a.cmp(&b),
                (Term::Apply(f, first), Term::Apply(g, second)) => {
                    todo.extend(first.iter().copied().zip(second.iter().copied()).rev());
                    f.cmp(&g)
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
        match (&data.sorts[sort].kind, self.get(id)) {
            (SortKind::Recursive, _) => None,
            (_, Term::Number(number)) => Some(number),
            (_, Term::Apply(operation, operands)) => {
                let mut code: i64 = 0;
                for (&operand, &sort) in operands.iter().zip(&data.operations[operation].arguments) {
                    let (lo, hi) = data.bounds(sort)?;
                    code = code * (hi - lo + 1) + (self.code(data, sort, operand)? - lo);
                }
                Some(data.values_before(operation)? + code)
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
        let (constructors, firsts) = (&data.sorts[sort].constructors, &data.sorts[sort].firsts);
        // The last one that begins at or before the number makes it.
        let place = firsts.partition_point(|&first| first <= code).saturating_sub(1);
        let mut left = code - firsts.get(place).copied().unwrap_or(0);
        for &constructor in constructors.get(place..).unwrap_or_default() {
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
            return Some(self.add(Term::Apply(constructor, &operands)));
        }
        None
    }
}

fn hash(term: Term<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    match term {
        Term::Number(number) => hasher.write_i64(number),
        Term::Apply(operation, operands) => {
            hasher.write_u32(!(operation as u32));
            operands.iter().for_each(|operand| hasher.write_u32(operand.0));
        }
    }
    // The low bits choose the place.
    let hash = hasher.finish();
    hash ^ (hash >> 32)
}
