//! Formulas as people write them, words that repeat for ever, and the definition of when one satisfies the other.

use volvelle_automata::{Automaton, FormulaId, Formulas, TooLarge, UNBOUNDED};
use volvelle_random::Random;

/// A formula as written.
#[derive(Clone, Debug)]
pub enum Raw {
    Bool(bool),
    Is(u32),
    Not(Box<Raw>),
    And(Box<Raw>, Box<Raw>),
    Or(Box<Raw>, Box<Raw>),
    Next(Box<Raw>),
    /// With bounds.
    Until(Box<Raw>, Box<Raw>, u64, u64),
    Weak(Box<Raw>, Box<Raw>, u64, u64),
    Release(Box<Raw>, Box<Raw>, u64, u64),
    Strong(Box<Raw>, Box<Raw>),
}

use Raw::*;

/// A word `prefix` followed by `cycle` again and again; letters are sets of propositions as bits.
#[derive(Clone, Debug)]
pub struct Word {
    pub letters: Vec<u32>,
    /// Where the cycle begins.
    pub back: usize,
}

impl Word {
    fn after(&self, i: usize) -> usize {
        if i + 1 < self.letters.len() { i + 1 } else { self.back }
    }
}

/// Where in the word a formula holds, straight from the definition.
pub fn holds(raw: &Raw, word: &Word) -> Vec<bool> {
    let n = word.letters.len();
    let until = |a: &[bool], b: &[bool], lower: u64, upper: u64| -> Vec<bool> {
        let from = |mut i: usize| {
            let last = if upper == UNBOUNDED { lower + 2 * n as u64 } else { upper };
            for k in 0..=last {
                if k >= lower && b[i] {
                    return true;
                }
                if !a[i] {
                    return false;
                }
                i = word.after(i);
            }
            false
        };
        (0..n).map(from).collect()
    };
    let not = |a: Vec<bool>| -> Vec<bool> { a.into_iter().map(|x| !x).collect() };
    let zip = |a: &[bool], b: &[bool], f: fn(bool, bool) -> bool| -> Vec<bool> {
        a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
    };
    match raw {
        Bool(value) => vec![*value; n],
        Is(p) => word.letters.iter().map(|l| l >> p & 1 != 0).collect(),
        Not(a) => not(holds(a, word)),
        And(a, b) => zip(&holds(a, word), &holds(b, word), |x, y| x && y),
        Or(a, b) => zip(&holds(a, word), &holds(b, word), |x, y| x || y),
        Next(a) => {
            let a = holds(a, word);
            (0..n).map(|i| a[word.after(i)]).collect()
        }
        Until(a, b, lower, upper) => until(&holds(a, word), &holds(b, word), *lower, *upper),
        Release(a, b, lower, upper) => not(until(&not(holds(a, word)), &not(holds(b, word)), *lower, *upper)),
        Weak(a, b, lower, upper) => {
            let (a, b) = (holds(a, word), holds(b, word));
            not(until(&not(b.clone()), &zip(&a, &b, |x, y| !x && !y), *lower, *upper))
        }
        Strong(a, b) => {
            let (a, b) = (holds(a, word), holds(b, word));
            until(&b, &zip(&a, &b, |x, y| x && y), 0, UNBOUNDED)
        }
    }
}

/// Into the crate's formulas.
pub fn build(formulas: &mut Formulas, raw: &Raw) -> FormulaId {
    match raw {
        Bool(value) => formulas.constant(*value),
        Is(p) => formulas.literal(*p, true),
        Not(a) => {
            let a = build(formulas, a);
            formulas.not(a)
        }
        And(a, b) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            formulas.and(a, b)
        }
        Or(a, b) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            formulas.or(a, b)
        }
        Next(a) => {
            let a = build(formulas, a);
            formulas.next(a)
        }
        Until(a, b, lower, upper) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            formulas.until(a, b, *lower, *upper)
        }
        Release(a, b, lower, upper) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            formulas.release(a, b, *lower, *upper)
        }
        Weak(a, b, lower, upper) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            let either = formulas.or(a, b);
            formulas.release(b, either, *lower, *upper)
        }
        Strong(a, b) => {
            let (a, b) = (build(formulas, a), build(formulas, b));
            let both = formulas.and(a, b);
            formulas.until(b, both, 0, UNBOUNDED)
        }
    }
}

/// The automaton for all letters over some propositions; the number of a letter is its set of bits.
pub fn automaton(raw: &Raw, propositions: u32) -> Result<Automaton, TooLarge> {
    let mut formulas = Formulas::new();
    let root = build(&mut formulas, raw);
    let letters = (0..1u32 << propositions).map(|l| (0..propositions).map(|p| l >> p & 1 != 0).collect());
    Automaton::new(formulas, root, letters.collect())
}

/// Whether an automaton accepts a word: its run is repeated until it repeats itself.
pub fn accepts(automaton: &mut Automaton, word: &Word) -> Result<bool, TooLarge> {
    let mut state = automaton.initial();
    for &letter in &word.letters[..word.back] {
        state = automaton.step(state, letter)?.next;
    }
    let mut at_start = Vec::new();
    let mut rounds: Vec<Vec<u32>> = Vec::new();
    loop {
        if let Some(first) = at_start.iter().position(|&s| s == state) {
            let met: Vec<u32> = rounds[first..].iter().flatten().copied().collect();
            let some = |mark: u32| met.iter().any(|&m| automaton.has_mark(m, mark));
            return Ok(automaton
                .pairs()
                .iter()
                .any(|pair| !some(pair.avoid) && pair.meet.iter().all(|&m| some(m))));
        }
        at_start.push(state);
        let mut round = Vec::new();
        for &letter in &word.letters[word.back..] {
            let step = automaton.step(state, letter)?;
            round.push(step.marks);
            state = step.next;
        }
        rounds.push(round);
    }
}

/// Random words and formulas.
pub trait Draw {
    /// An ultimately periodic word.
    fn word(&mut self, propositions: u32) -> Word;

    /// A formula with about `size` operators.
    fn formula(&mut self, size: usize, propositions: u32, bounded: bool) -> Raw;
}

impl Draw for Random {
    fn word(&mut self, propositions: u32) -> Word {
        let (prefix, cycle) = (self.below(5), 1 + self.below(5));
        let letters = (0..prefix + cycle).map(|_| self.below(1 << propositions) as u32).collect();
        Word { letters, back: prefix }
    }

    fn formula(&mut self, size: usize, propositions: u32, bounded: bool) -> Raw {
        if size == 0 {
            return match self.below(12) {
                0 => Bool(self.below(2) == 0),
                _ => Is(self.below(propositions as usize) as u32),
            };
        }
        let left = self.below(size);
        let one = |r: &mut Self| Box::new(r.formula(size - 1, propositions, bounded));
        let two = |r: &mut Self| {
            let a = Box::new(r.formula(left, propositions, bounded));
            (a, Box::new(r.formula(size - 1 - left, propositions, bounded)))
        };
        let (mut lower, mut upper) = (0, UNBOUNDED);
        if bounded && self.below(3) == 0 {
            lower = self.below(4) as u64;
            upper = match self.below(5) {
                0 => UNBOUNDED,
                1 if lower > 0 => lower - 1,
                _ => lower + self.below(4) as u64,
            };
        }
        match self.below(11) {
            0 => Not(one(self)),
            1 => {
                let (a, b) = two(self);
                And(a, b)
            }
            2 => {
                let (a, b) = two(self);
                Or(a, b)
            }
            3 => Next(one(self)),
            4 | 5 => Until(Box::new(Bool(true)), one(self), lower, upper),
            6 | 7 => Release(Box::new(Bool(false)), one(self), lower, upper),
            k => {
                let (a, b) = two(self);
                match k {
                    8 => Until(a, b, lower, upper),
                    9 => match self.below(2) {
                        0 => Weak(a, b, lower, upper),
                        _ => Strong(a, b),
                    },
                    _ => Release(a, b, lower, upper),
                }
            }
        }
    }
}

/// Reads a formula: `F G X !` bind strongest, then `U R W M` (from the right), `&`, `|`; propositions are letters.
pub fn parse(text: &str) -> Raw {
    let tokens: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut at = 0;
    let raw = parse_or(&tokens, &mut at);
    assert_eq!(at, tokens.len(), "{text}");
    raw
}

fn parse_or(tokens: &[char], at: &mut usize) -> Raw {
    let mut left = parse_and(tokens, at);
    while tokens.get(*at) == Some(&'|') {
        *at += 1;
        left = Or(Box::new(left), Box::new(parse_and(tokens, at)));
    }
    left
}

fn parse_and(tokens: &[char], at: &mut usize) -> Raw {
    let mut left = parse_until(tokens, at);
    while tokens.get(*at) == Some(&'&') {
        *at += 1;
        left = And(Box::new(left), Box::new(parse_until(tokens, at)));
    }
    left
}

fn parse_until(tokens: &[char], at: &mut usize) -> Raw {
    let left = parse_unary(tokens, at);
    let Some(&op @ ('U' | 'R' | 'W' | 'M')) = tokens.get(*at) else { return left };
    *at += 1;
    let (left, right) = (Box::new(left), Box::new(parse_until(tokens, at)));
    match op {
        'U' => Until(left, right, 0, UNBOUNDED),
        'R' => Release(left, right, 0, UNBOUNDED),
        'W' => Weak(left, right, 0, UNBOUNDED),
        _ => Strong(left, right),
    }
}

fn parse_unary(tokens: &[char], at: &mut usize) -> Raw {
    let token = tokens[*at];
    *at += 1;
    match token {
        '(' => {
            let inner = parse_or(tokens, at);
            assert_eq!(tokens[*at], ')');
            *at += 1;
            inner
        }
        '!' => Not(Box::new(parse_unary(tokens, at))),
        'X' => Next(Box::new(parse_unary(tokens, at))),
        'F' => Until(Box::new(Bool(true)), Box::new(parse_unary(tokens, at)), 0, UNBOUNDED),
        'G' => Release(Box::new(Bool(false)), Box::new(parse_unary(tokens, at)), 0, UNBOUNDED),
        letter => Is(letter as u32 - 'a' as u32),
    }
}
