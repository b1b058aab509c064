//! Ways of a decision that begin with the same token are tried in order: the first one that the text has from its beginning to its end is
//! taken, and if there is none, the one that gets furthest. What stands behind a way must be something that may follow it.
//!
//! What a rule reads at a place is remembered (Ford 2002, packrat parsing), so that each rule reads each place once.

use super::code::{At, Code, NOWHERE, Op, TRIAL};
use super::kinds::Kinds;
use super::model::{END, TokenKind};
use rustc_hash::FxHashMap;

/// Tokens by which ways are told apart before they are read to their end.
const NEAR: u32 = 3;

/// A rule does not read the text at a place.
const FAILS: u32 = u32::MAX;

#[derive(Clone, Copy)]
enum Entry {
    Return {
        to: At,
        rule: u16,
        start: u32,
    },
    /// Other ways of a decision from number `next` on; none where the trial is NOWHERE.
    Choice {
        decision: u32,
        trial: u32,
        next: u32,
        start: u32,
    },
}

/// Reads ahead.
pub(crate) struct Trials<'c> {
    code: &'c Code,
    /// Where each rule ends that began at a place.
    memo: FxHashMap<(u32, u16), u32>,
    stack: Vec<Entry>,
    /// How far the present trial got.
    reached: u32,
    /// How far all of them got, and what they would have read there.
    pub furthest: u32,
    pub expected: Kinds,
}

impl<'c> Trials<'c> {
    pub fn new(code: &'c Code) -> Self {
        Trials {
            code,
            memo: FxHashMap::default(),
            stack: Vec::new(),
            reached: 0,
            furthest: 0,
            expected: Kinds::default(),
        }
    }

    /// The way to take at a decision.
    pub fn choose(&mut self, decision: u32, trial: u32, kinds: &[TokenKind], at: u32) -> At {
        let ways = &self.code.trials[trial as usize];
        let after = self.code.decisions[decision as usize].after;
        // The next tokens often leave one way only.
        let (mut best, mut fitting) = ((ways[0], 0), Vec::new());
        for &way in ways {
            self.reached = at;
            if way == after || self.reads(way, kinds, at, at + NEAR) {
                fitting.push(way);
            } else if self.reached > best.1 {
                best = (way, self.reached);
            }
        }
        let fitting = match &fitting[..] {
            [] => return best.0,
            [way] => return *way,
            _ => fitting,
        };
        let mut best = (fitting[0], 0);
        for (number, &way) in fitting.iter().enumerate() {
            // The last way need not be read to its end: it is the one that is left.
            let enough = if number + 1 == fitting.len() { best.1 } else { u32::MAX };
            self.reached = at;
            if way == after || self.reads(way, kinds, at, enough) {
                return way;
            }
            if self.reached > best.1 {
                best = (way, self.reached);
            }
        }
        best.0
    }

    fn expect(&mut self, at: u32, add: impl FnOnce(&mut Kinds)) {
        self.reached = self.reached.max(at);
        if at > self.furthest {
            self.furthest = at;
            self.expected.clear();
        }
        if at == self.furthest {
            add(&mut self.expected);
        }
    }

    /// Whether the text has a way from its beginning to its end, or gets beyond a place that is enough.
    fn reads(&mut self, way: At, kinds: &[TokenKind], mut at: u32, enough: u32) -> bool {
        let code = self.code;
        self.stack.clear();
        let mut pc = way;
        loop {
            let is_read = match code.ops[pc as usize] {
                Op::Take(kind) | Op::TakeInto(kind, _) => {
                    if kinds[at as usize] == kind {
                        at += 1;
                        pc += 1;
                        true
                    } else {
                        self.expect(at, |expected| expected.insert(kind));
                        false
                    }
                }
                Op::Call(rule) | Op::CallInto(rule, _) => match self.memo.get(&(at, rule)) {
                    Some(&FAILS) => false,
                    Some(&end) => {
                        at = end;
                        pc += 1;
                        true
                    }
                    None => {
                        self.stack.push(Entry::Return { to: pc + 1, rule, start: at });
                        pc = code.rules[usize::from(rule)].entry;
                        true
                    }
                },
                Op::New(_) | Op::Wrap(..) => {
                    pc += 1;
                    true
                }
                Op::Enter(decision) => {
                    self.enter(decision, NOWHERE, at);
                    pc += 2;
                    true
                }
                Op::Decide(number) => {
                    let decision = &code.decisions[number as usize];
                    let to = code.table[decision.table as usize + usize::from(kinds[at as usize])];
                    if to == NOWHERE {
                        self.expect(at, |expected| {
                            expected.add(&decision.first);
                        });
                        false
                    } else if to & TRIAL != 0 {
                        pc = code.trials[(to & !TRIAL) as usize][0];
                        self.enter(number, to & !TRIAL, at);
                        true
                    } else {
                        pc = to;
                        if to != decision.after {
                            self.enter(number, NOWHERE, at);
                        }
                        true
                    }
                }
                Op::Leave(decision, to) => {
                    let decision = &code.decisions[decision as usize];
                    pc = to;
                    if !decision.has_trials || self.stack.pop().is_some() {
                        true
                    } else if decision.behind.contains(kinds[at as usize]) {
                        return true;
                    } else {
                        self.expect(at, |expected| {
                            expected.add(&decision.behind);
                        });
                        false
                    }
                }
                Op::Return => {
                    let Some(Entry::Return { to, rule, start }) = self.stack.pop() else { return true };
                    if code.rules[usize::from(rule)].calls {
                        self.memo.insert((start, rule), at);
                    }
                    pc = to;
                    true
                }
                Op::End => kinds[at as usize] == END,
            };
            if at > enough {
                self.reached = at;
                return true;
            }
            if !is_read {
                let Some((to, start)) = self.other() else { return false };
                (pc, at) = (to, start);
            }
        }
    }

    fn enter(&mut self, decision: u32, trial: u32, start: u32) {
        if self.code.decisions[decision as usize].has_trials {
            self.stack.push(Entry::Choice { decision, trial, next: 1, start });
        }
    }

    /// Gives up what was begun last, up to a decision that has another way.
    fn other(&mut self) -> Option<(At, u32)> {
        loop {
            match self.stack.pop()? {
                Entry::Return { rule, start, .. } => {
                    if self.code.rules[usize::from(rule)].calls {
                        self.memo.insert((start, rule), FAILS);
                    }
                }
                Entry::Choice { trial: NOWHERE, .. } => {}
                Entry::Choice { decision, trial, next, start } => {
                    let ways = &self.code.trials[trial as usize];
                    let Some(&way) = ways.get(next as usize) else { continue };
                    if way != self.code.decisions[decision as usize].after {
                        self.stack.push(Entry::Choice { decision, trial, next: next + 1, start });
                    }
                    return Some((way, start));
                }
            }
        }
    }
}
