//! Terminals and keywords as one deterministic automaton over bytes.
//!
//! Each regular expression becomes states with moves over ranges of bytes (characters beyond ASCII as their UTF-8), all of them behind one
//! start; the sets of states that a text can reach are the states of the table. Of the tokens that end in such a set the one with the
//! smallest number wins: keywords come first, then terminals as they are declared.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;
use rustc_hash::FxHashMap;

/// Moves and states beyond which a grammar is refused.
const MOST_STATES: usize = 60_000;
const MOST_SETS: usize = 20_000;

/// Expressions within one another.
const DEEPEST: u32 = 80;

/// Why a regular expression cannot be used, with the range of its text.
pub(crate) struct Flaw {
    pub message: String,
    pub range: std::ops::Range<usize>,
}

/// Reads a regular expression.
pub(crate) fn read(pattern: &str) -> Result<Hir, Flaw> {
    let whole = 0..pattern.len();
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(DEEPEST).build();
    let hir = parser.parse(pattern).map_err(|error| match &error {
        regex_syntax::Error::Parse(error) => {
            Flaw { message: error.kind().to_string(), range: range(error.span()) }
        }
        regex_syntax::Error::Translate(error) => {
            Flaw { message: error.kind().to_string(), range: range(error.span()) }
        }
        _ => Flaw { message: "it cannot be read".to_owned(), range: whole.clone() },
    })?;
    let refused = |message: &str| Err(Flaw { message: message.to_owned(), range: whole.clone() });
    let properties = hir.properties();
    if !properties.look_set().is_empty() {
        return refused("anchors and borders of words are no part of a terminal");
    }
    match properties.minimum_len() {
        Some(0) => refused("it matches the empty text"),
        None => refused("it matches no text"),
        Some(_) => Ok(hir),
    }
}

fn range(span: &regex_syntax::ast::Span) -> std::ops::Range<usize> {
    span.start.offset..span.end.offset
}

/// States with moves, before they are made deterministic.
#[derive(Default)]
struct Moves {
    /// Of each state, where it goes without a byte.
    silent: Vec<Vec<u32>>,
    /// Of each state, where it goes with a byte of a range.
    bytes: Vec<Option<(u8, u8, u32)>>,
}

struct TooLarge;

impl Moves {
    fn state(&mut self) -> Result<u32, TooLarge> {
        if self.silent.len() >= MOST_STATES {
            return Err(TooLarge);
        }
        self.silent.push(Vec::new());
        self.bytes.push(None);
        Ok(self.silent.len() as u32 - 1)
    }

    /// A state from which a byte of a range leads to another one.
    fn step(&mut self, from: u32, low: u8, high: u8) -> Result<u32, TooLarge> {
        let (here, to) = (self.state()?, self.state()?);
        self.silent[from as usize].push(here);
        self.bytes[here as usize] = Some((low, high, to));
        Ok(to)
    }

    /// Reads an expression from a state on; gives the state behind it. The reader of expressions bounds their depth.
    fn add(&mut self, hir: &Hir, from: u32) -> Result<u32, TooLarge> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Ok(from),
            HirKind::Literal(literal) => {
                literal.0.iter().try_fold(from, |at, &byte| self.step(at, byte, byte))
            }
            HirKind::Class(class) => self.class(class, from),
            HirKind::Capture(capture) => self.add(&capture.sub, from),
            HirKind::Concat(parts) => parts.iter().try_fold(from, |at, part| self.add(part, at)),
            HirKind::Alternation(parts) => {
                let end = self.state()?;
                for part in parts {
                    let last = self.add(part, from)?;
                    self.silent[last as usize].push(end);
                }
                Ok(end)
            }
            HirKind::Repetition(repetition) => {
                let mut at = from;
                for _ in 0..repetition.min {
                    at = self.add(&repetition.sub, at)?;
                }
                let end = self.state()?;
                if let Some(max) = repetition.max {
                    self.silent[at as usize].push(end);
                    for _ in repetition.min..max {
                        at = self.add(&repetition.sub, at)?;
                        self.silent[at as usize].push(end);
                    }
                } else {
                    let again = self.state()?;
                    self.silent[at as usize].push(again);
                    let last = self.add(&repetition.sub, again)?;
                    self.silent[last as usize].push(again);
                    self.silent[again as usize].push(end);
                }
                Ok(end)
            }
        }
    }

    fn class(&mut self, class: &Class, from: u32) -> Result<u32, TooLarge> {
        let end = self.state()?;
        match class {
            Class::Bytes(class) => {
                for range in class.iter() {
                    let last = self.step(from, range.start(), range.end())?;
                    self.silent[last as usize].push(end);
                }
            }
            Class::Unicode(class) => {
                let sequences = class.iter().flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
                for sequence in sequences {
                    let mut at = from;
                    for bytes in sequence.as_slice() {
                        at = self.step(at, bytes.start, bytes.end)?;
                    }
                    self.silent[at as usize].push(end);
                }
            }
        }
        Ok(end)
    }

    /// A set of states with all that they reach without a byte, sorted.
    fn closure(&self, mut states: Vec<u32>, seen: &mut [bool]) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some(state) = states.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                all.push(state);
                states.extend_from_slice(&self.silent[state as usize]);
            }
        }
        for &state in &all {
            seen[state as usize] = false;
        }
        // States that only lead on without a byte do not tell sets apart; the last ones accept.
        all.retain(|&state| self.bytes[state as usize].is_some() || self.silent[state as usize].is_empty());
        all.sort_unstable();
        all
    }
}

/// No move leads on.
pub(crate) const DEAD: u32 = 0;

/// The automaton.
#[derive(Clone, Debug)]
pub(crate) struct Scanner {
    /// Bytes that no state tells apart have one class.
    pub classes: [u8; 256],
    /// By state and class. States are multiples of the number of classes.
    pub table: Vec<u32>,
    /// Of each state, the token that ends there, counted from 1.
    pub accepts: Vec<u16>,
    pub width: u32,
    pub start: u32,
}

impl Scanner {
    /// The automaton of some expressions, each with the number of its token from 1. Of two that match the same text the earlier one wins.
    /// `None`: it is too large.
    pub fn new(expressions: &[(Hir, u16)]) -> Option<Scanner> {
        let mut moves = Moves::default();
        let start = moves.state().ok()?;
        let mut accepting: FxHashMap<u32, (usize, u16)> = FxHashMap::default();
        for (rank, (hir, token)) in expressions.iter().enumerate() {
            let last = moves.add(hir, start).ok()?;
            // A state of its own, which leads nowhere.
            let end = moves.state().ok()?;
            moves.silent[last as usize].push(end);
            accepting.insert(end, (rank, *token));
        }
        let (classes, width) = classes(&moves);
        let mut first_of = vec![0u8; width];
        for byte in (0..=255u8).rev() {
            first_of[usize::from(classes[usize::from(byte)])] = byte;
        }
        let mut scanner = Scanner {
            classes,
            table: vec![DEAD; width],
            accepts: vec![0],
            width: width as u32,
            start: width as u32,
        };
        let mut seen = vec![false; moves.silent.len()];
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let initial = moves.closure(vec![start], &mut seen);
        numbers.insert(initial.clone(), 1);
        sets.push(initial);
        let mut next = 0;
        while next < sets.len() {
            let set = sets[next].clone();
            next += 1;
            let token = set.iter().filter_map(|state| accepting.get(state)).min();
            scanner.accepts.push(token.map_or(0, |(_, token)| *token));
            for &byte in &first_of {
                let targets = set.iter().filter_map(|&state| moves.bytes[state as usize]);
                let targets =
                    targets.filter(|&(low, high, _)| (low..=high).contains(&byte)).map(|(_, _, to)| to);
                let targets: Vec<u32> = targets.collect();
                if targets.is_empty() {
                    scanner.table.push(DEAD);
                    continue;
                }
                let reached = moves.closure(targets, &mut seen);
                let number = *numbers.entry(reached).or_insert_with_key(|reached| {
                    sets.push(reached.clone());
                    sets.len() as u32
                });
                scanner.table.push(number * scanner.width);
            }
            if sets.len() > MOST_SETS {
                return None;
            }
        }
        Some(scanner)
    }

    /// The state that a byte leads to.
    #[inline]
    pub fn next(&self, state: u32, byte: u8) -> u32 {
        self.table[(state + u32::from(self.classes[usize::from(byte)])) as usize]
    }

    /// The token that ends in a state; 0: none.
    #[inline]
    pub fn accepted(&self, state: u32) -> u16 {
        self.accepts[(state / self.width) as usize]
    }
}

/// Bytes that no move tells apart have the same class.
fn classes(moves: &Moves) -> ([u8; 256], usize) {
    let mut begins = [false; 257];
    for (low, high, _) in moves.bytes.iter().flatten() {
        begins[usize::from(*low)] = true;
        begins[usize::from(*high) + 1] = true;
    }
    let mut classes = [0; 256];
    let mut class = 0;
    for byte in 1..256 {
        class += u8::from(begins[byte]);
        classes[byte] = class;
    }
    (classes, usize::from(class) + 1)
}
