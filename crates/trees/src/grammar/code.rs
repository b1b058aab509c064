//! Rules as instructions: what the parser runs.
//!
//! Where a rule goes on in several ways, a table says by the next token which way it goes. Where several ways begin with that token, the
//! table names them, and they are tried in order ([`super::trial`]).

use super::firsts::Firsts;
use super::kinds::Kinds;
use super::model::{Model, Part, TokenKind};
use super::syntax::{Mode, Times};
use crate::classes::{ClassId, FieldId};

/// A place in the instructions.
pub(crate) type At = u32;

/// No place, no class.
pub(crate) const NOWHERE: u32 = u32::MAX;
pub(crate) const NO_CLASS: ClassId = ClassId(u16::MAX);

/// Marks the number of a trial in a table.
pub(crate) const TRIAL: u32 = 1 << 31;

/// A field, and how a value gets into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub field: FieldId,
    pub mode: Mode,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Takes a token.
    Take(TokenKind),
    /// Takes a token into a field.
    TakeInto(TokenKind, Target),
    /// Runs a rule; its node becomes that of this rule.
    Call(u16),
    /// Runs a rule; its node goes into a field.
    CallInto(u16, Target),
    /// Begins a node.
    New(ClassId),
    /// Begins a node with the one that is there in a field.
    Wrap(ClassId, Target),
    /// Chooses by the next token.
    Decide(u32),
    /// Goes into the loop whose decision is next, for the first time.
    Enter(u32),
    /// Ends a way of a decision, and goes on.
    Leave(u32, At),
    /// Ends a rule.
    Return,
    /// Ends the text.
    End,
}

/// A place where a rule goes on in several ways.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    /// Its instruction.
    pub at: At,
    /// Where its part of the table begins.
    pub table: u32,
    /// Where to go with tokens that the table does not have: NOWHERE if that is a mistake.
    pub otherwise: At,
    /// What is behind all ways.
    pub after: At,
    /// What its ways begin with.
    pub first: Kinds,
    /// What may stand behind each of them.
    pub behind: Kinds,
    /// Whether some of its ways have to be tried.
    pub has_trials: bool,
    pub is_loop: bool,
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleCode {
    /// Its first instruction, and the place behind its last one.
    pub entry: At,
    pub end: At,
    /// The class of nodes that no action begins.
    pub class: ClassId,
    /// Whether a rule that made nothing makes such a node.
    pub makes_own: bool,
    /// Whether it calls rules.
    pub calls: bool,
}

/// The instructions of a grammar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub decisions: Vec<Decision>,
    /// By decision and kind of token: a place, TRIAL with the number of a trial, or NOWHERE.
    pub table: Vec<u32>,
    /// Ways that begin with the same token, in order.
    pub trials: Vec<Vec<At>>,
    pub rules: Vec<RuleCode>,
    /// What rules begin with.
    pub firsts: Vec<Kinds>,
    pub width: u32,
    pub entry: u16,
}

impl Code {
    pub fn new(model: &Model, classes: &[ClassId], firsts: &Firsts) -> Code {
        let mut code =
            Code { width: model.tokens.len() as u32, entry: model.entry as u16, ..Code::default() };
        code.firsts = firsts.rules.iter().map(|first| first.kinds.clone()).collect();
        for (number, rule) in model.rules.iter().enumerate() {
            let entry = code.here();
            let before = code.ops.len();
            code.part(&rule.body, &firsts.follows[number], classes, firsts);
            code.ops.push(if number == model.entry { Op::End } else { Op::Return });
            let class = classes[rule.sort];
            let calls = code.ops[before..].iter().any(|op| matches!(op, Op::Call(_) | Op::CallInto(..)));
            let makes_own = !model.classes.class(class).is_abstract;
            let end = code.here();
            code.rules.push(RuleCode { entry, end, class, makes_own, calls });
        }
        // The entry may be called as well: then it ends as other rules do.
        let entry = model.entry;
        if code
            .ops
            .iter()
            .any(|op| matches!(op, Op::Call(rule) | Op::CallInto(rule, _) if usize::from(*rule) == entry))
        {
            let start = code.here();
            code.part(&model.rules[entry].body, &firsts.follows[entry], classes, firsts);
            code.ops.push(Op::Return);
            let first = code.rules[entry];
            code.rules.push(first);
            code.firsts.push(code.firsts[entry].clone());
            code.rules[entry].entry = start;
            code.rules[entry].end = code.here();
            code.entry = (code.rules.len() - 1) as u16;
        }
        code
    }

    fn here(&self) -> At {
        self.ops.len() as At
    }

    fn part(&mut self, part: &Part, behind: &Kinds, classes: &[ClassId], firsts: &Firsts) {
        let target = |field: &(FieldId, Mode)| Target { field: field.0, mode: field.1 };
        match part {
            Part::Sequence(parts) => {
                let mut follows = vec![behind.clone()];
                for part in parts.iter().skip(1).rev() {
                    follows.push(firsts.with(part, &follows[follows.len() - 1]));
                }
                for (part, behind) in parts.iter().zip(follows.iter().rev()) {
                    self.part(part, behind, classes, firsts);
                }
            }
            Part::Token { kind, field, .. } => self.ops.push(match field {
                None => Op::Take(*kind),
                Some(field) => Op::TakeInto(*kind, target(field)),
            }),
            Part::Call { rule, field, .. } => self.ops.push(match field {
                None => Op::Call(*rule as u16),
                Some(field) => Op::CallInto(*rule as u16, target(field)),
            }),
            Part::New { sort, .. } => self.ops.push(Op::New(classes[*sort])),
            Part::Wrap { sort, field, mode, .. } => {
                self.ops.push(Op::Wrap(classes[*sort], Target { field: *field, mode: *mode }));
            }
            Part::Choice(parts, _) => self.choice(parts, behind, classes, firsts),
            Part::Repeat { inner, times, .. } => self.repeat(inner, *times, behind, classes, firsts),
        }
    }

    fn decide(&mut self, is_loop: bool) -> usize {
        let number = self.decisions.len();
        let at = self.here();
        self.ops.push(Op::Decide(number as u32));
        let table = self.table.len() as u32;
        self.table.extend(std::iter::repeat_n(NOWHERE, self.width as usize));
        self.decisions.push(Decision {
            at,
            table,
            otherwise: NOWHERE,
            after: NOWHERE,
            first: Kinds::default(),
            behind: Kinds::default(),
            has_trials: false,
            is_loop,
        });
        number
    }

    fn choice(&mut self, parts: &[Part], behind: &Kinds, classes: &[ClassId], firsts: &Firsts) {
        let number = self.decide(false);
        let mut leaves = Vec::new();
        let mut ways: Vec<(At, Kinds)> = Vec::new();
        for part in parts {
            let first = firsts.of(part);
            let entry = self.here();
            if first.is_nullable && self.decisions[number].otherwise == NOWHERE {
                self.decisions[number].otherwise = entry;
            }
            self.decisions[number].first.add(&first.kinds);
            ways.push((entry, firsts.with(part, behind)));
            self.part(part, behind, classes, firsts);
            leaves.push(self.ops.len());
            self.ops.push(Op::Leave(number as u32, NOWHERE));
        }
        let after = self.here();
        for leave in leaves {
            self.ops[leave] = Op::Leave(number as u32, after);
        }
        self.decisions[number].after = after;
        self.decisions[number].behind = behind.clone();
        self.fill(number, &ways);
    }

    fn repeat(&mut self, inner: &Part, times: Times, behind: &Kinds, classes: &[ClassId], firsts: &Firsts) {
        let first = firsts.of(inner).kinds;
        let mut inside = behind.clone();
        if times != Times::Optional {
            inside.add(&first);
        }
        if times == Times::Some {
            let number = self.decisions.len() as u32;
            self.ops.push(Op::Enter(number));
        }
        let head = self.here();
        let number = self.decide(times != Times::Optional);
        let entry = self.here();
        self.part(inner, &inside, classes, firsts);
        let leave = self.ops.len();
        self.ops.push(Op::Leave(number as u32, head));
        let after = self.here();
        if times == Times::Optional {
            self.ops[leave] = Op::Leave(number as u32, after);
        }
        let decision = &mut self.decisions[number];
        decision.after = after;
        decision.otherwise = after;
        decision.first = first.clone();
        decision.behind = inside;
        self.fill(number, &[(entry, first), (after, behind.clone())]);
    }

    /// The table of a decision, by what its ways begin with.
    fn fill(&mut self, number: usize, ways: &[(At, Kinds)]) {
        let table = self.decisions[number].table as usize;
        let otherwise = self.decisions[number].otherwise;
        for kind in 0..self.width as TokenKind {
            let mut fitting = ways.iter().filter(|(_, first)| first.contains(kind)).map(|(entry, _)| *entry);
            let Some(first) = fitting.next() else { continue };
            let others: Vec<At> = fitting.collect();
            self.table[table + usize::from(kind)] = if others.is_empty() {
                first
            } else {
                let all: Vec<At> = std::iter::once(first).chain(others).collect();
                self.decisions[number].has_trials = true;
                let known = self.trials.iter().position(|trial| *trial == all);
                let trial = known.unwrap_or_else(|| {
                    self.trials.push(all);
                    self.trials.len() - 1
                });
                TRIAL | trial as u32
            };
        }
        for entry in &mut self.table[table..table + self.width as usize] {
            if *entry == NOWHERE {
                *entry = otherwise;
            }
        }
    }
}
