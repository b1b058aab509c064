//! Mistakes in texts: what is said about them, and where reading goes on.
//!
//! Behind a mistake, each rule that is being read says what it could go on with: what stands further on in it, and its loops. The parser
//! skips tokens up to the first one with which one of them can, inner ones first, and leaves the rules within that one with what they
//! have. A token that was only forgotten costs no other; one too many is left out.

use super::Parser;
use super::mistakes::Resume;
use crate::grammar::code::{At, Code, Op};
use crate::grammar::kinds::Kinds;
use crate::grammar::model::{END, TokenKind};
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Mistakes that are told of one text.
pub(in crate::grammar) const MOST_TOLD: usize = 100;
/// Mistakes behind which reading goes on.
const MOST: u32 = 1_000;
/// Rules that are asked where to go on, from the innermost on; and some of the outermost.
const MOST_FRAMES: usize = 1_000;
/// Kinds of tokens that a message names.
const MOST_NAMED: usize = 8;

/// What an instruction can begin with; `None` if it takes no token.
fn wanted<'c>(code: &'c Code, op: Op, one: &'c mut Kinds) -> Option<&'c Kinds> {
    match op {
        Op::Take(kind) | Op::TakeInto(kind, _) => {
            *one = Kinds::one(kind);
            Some(one)
        }
        Op::Call(rule) | Op::CallInto(rule, _) => Some(&code.firsts[usize::from(rule)]),
        Op::Decide(number) => Some(&code.decisions[number as usize].first),
        Op::End => {
            *one = Kinds::one(END);
            Some(one)
        }
        Op::New(_) | Op::Wrap(..) | Op::Enter(_) | Op::Leave(..) | Op::Return => None,
    }
}

/// The instruction behind another one in its rule, as if that had read all that it can.
fn behind(code: &Code, at: At) -> Option<At> {
    match code.ops[at as usize] {
        Op::Return | Op::End => None,
        Op::Decide(number) => Some(code.decisions[number as usize].after),
        Op::Leave(_, to) => Some(to),
        Op::Enter(_) => Some(at + 2),
        _ => Some(at + 1),
    }
}

/// Whether a text must have something for an instruction.
fn is_required(code: &Code, op: Op) -> bool {
    match op {
        Op::Take(_) | Op::TakeInto(..) | Op::Call(_) | Op::CallInto(..) => true,
        Op::Decide(number) => code.decisions[number as usize].otherwise == crate::grammar::code::NOWHERE,
        _ => false,
    }
}

/// What is said about text that is no token.
pub(in crate::grammar) fn flaws(file: FileId, text: &str, flaws: &[(u32, u32)]) -> Vec<Diagnostic> {
    let flaws = flaws.iter().take(MOST_TOLD).map(|&(start, end)| {
        let (start, end) = (start as usize, end as usize);
        let message = format!("`{}` is no part of the language", short(&text[start..end]));
        Diagnostic::error(codes::TEXT_SYNTAX, message).at(Span::new(file, start, end), "")
    });
    flaws.collect()
}

impl Parser<'_, '_> {
    /// Reports that an instruction cannot read the next token, and gives the one to go on with.
    pub(super) fn recover(&mut self, pc: At) -> At {
        let is_stuck = self.mistakes.last == Some(self.at);
        if !is_stuck {
            self.report(pc);
            self.mistakes.count += 1;
        }
        self.mistakes.last = Some(self.at);
        let end = self.tokens.kinds.len() as u32 - 1;
        if self.mistakes.count > MOST {
            self.at = end;
        } else if is_stuck && self.at < end {
            self.at += 1;
        }
        self.find_resumes(pc);
        if !is_stuck && self.is_too_many(pc) {
            self.at += 1;
            return pc;
        }
        loop {
            let kind = self.next();
            if let Some(resume) = self.mistakes.resumes[usize::from(kind)]
                && (resume.is_likely || kind == END || self.begins_line())
            {
                self.mistakes.last = Some(self.at);
                return self.resume(pc, resume);
            }
            if kind == END {
                // The rule of the whole text always ends there.
                let at = self.last_of_entry();
                return self.resume(pc, Resume { frame: 0, at, is_likely: true });
            }
            self.at += 1;
        }
    }

    /// Whether reading goes on as if the next token were not there: nothing else waits for it, and the one behind it fits.
    fn is_too_many(&self, pc: At) -> bool {
        let code = self.tables.code;
        let kind = self.next();
        if kind == END || self.mistakes.resumes[usize::from(kind)].is_some_and(|resume| resume.is_likely) {
            return false;
        }
        let next = self.tokens.kinds[self.at as usize + 1];
        let mut one = Kinds::default();
        wanted(code, code.ops[pc as usize], &mut one).is_some_and(|kinds| kinds.contains(next))
    }

    fn begins_line(&self) -> bool {
        let at = self.at as usize;
        let before = if at == 0 { 0 } else { self.tokens.ends[at - 1] as usize };
        self.text[before..self.tokens.starts[at] as usize].contains('\n')
    }

    /// Whether text that is no token stands before the next one: it was reported, and is likely what is wrong.
    fn is_behind_flaw(&self) -> bool {
        let at = self.at as usize;
        let before = if at == 0 { 0 } else { self.tokens.ends[at - 1] };
        let next = self.tokens.flaws.partition_point(|(start, _)| *start < before);
        let until = if self.next() == END { u32::MAX } else { self.tokens.starts[at] };
        self.tokens.flaws.get(next).is_some_and(|(start, _)| *start < until)
    }

    fn last_of_entry(&self) -> At {
        let code = self.tables.code;
        let mut at = code.rules[usize::from(code.entry)].entry;
        while let Some(next) = behind(code, at) {
            at = next;
        }
        at
    }

    /// Finds where to go on with each kind of token.
    fn find_resumes(&mut self, pc: At) {
        self.mistakes.resumes.fill(None);
        let code = self.tables.code;
        let count = self.frames.len();
        let mut skipped = 0;
        for number in (0..count).rev() {
            if number + MOST_FRAMES < count && number > MOST_FRAMES {
                continue;
            }
            let is_inner = number + 1 == count;
            let first = if is_inner { pc } else { self.frames[number + 1].call + 1 };
            // At the end of everything, loops of the whole text may go on.
            let first = if matches!(code.ops[first as usize], Op::End) {
                code.rules[usize::from(code.entry)].entry
            } else {
                first
            };
            let loops_only = matches!(code.ops[pc as usize], Op::End);
            self.ask(first, number as u32, is_inner, loops_only, &mut skipped);
            if is_inner {
                self.ask_passed(number as u32);
            }
        }
    }

    /// Asks the loops of a rule that ended before the mistake.
    fn ask_passed(&mut self, frame: u32) {
        let code = self.tables.code;
        let rule = code.rules[usize::from(self.frames[frame as usize].rule)];
        for &number in &self.passed {
            let decision = &code.decisions[number as usize];
            if !decision.is_loop || !(rule.entry..rule.end).contains(&decision.at) {
                continue;
            }
            for kind in decision.first.iter() {
                let resume = &mut self.mistakes.resumes[usize::from(kind)];
                if resume.is_none_or(|known| !known.is_likely) {
                    *resume = Some(Resume { frame, at: decision.at, is_likely: true });
                }
            }
        }
    }

    /// Asks a rule with what it could go on from an instruction on.
    fn ask(&mut self, first: At, frame: u32, is_inner: bool, loops_only: bool, skipped: &mut u32) {
        let code = self.tables.code;
        let mut one = Kinds::default();
        let mut next = Some(first);
        while let Some(at) = next {
            let op = code.ops[at as usize];
            let is_loop = matches!(op, Op::Decide(number) if code.decisions[number as usize].is_loop);
            if !loops_only || is_loop || matches!(op, Op::End) {
                let kinds = wanted(code, op, &mut one);
                for kind in kinds.into_iter().flat_map(Kinds::iter) {
                    let is_keyword = self.tables.kinds[usize::from(kind)].is_keyword;
                    let is_likely = is_inner || is_keyword || *skipped <= 1;
                    let resume = &mut self.mistakes.resumes[usize::from(kind)];
                    if resume.is_none_or(|known| !known.is_likely && is_likely) {
                        *resume = Some(Resume { frame, at, is_likely });
                    }
                }
            }
            *skipped += u32::from(is_required(code, op));
            next = behind(code, at);
        }
    }

    /// Goes on in a rule.
    fn resume(&mut self, pc: At, resume: Resume) -> At {
        let mut from = pc;
        while self.frames.len() > resume.frame as usize + 1 {
            from = self.leave(false);
        }
        let code = self.tables.code;
        let mut at = from;
        while at != resume.at {
            self.silently(code.ops[at as usize]);
            let Some(next) = behind(code, at) else { break };
            at = next;
        }
        resume.at
    }

    fn report(&mut self, pc: At) {
        if self.mistakes.found.len() >= MOST_TOLD || self.is_behind_flaw() {
            return;
        }
        let code = self.tables.code;
        let (mut expected, mut one) = (Kinds::default(), Kinds::default());
        let wanted = wanted(code, code.ops[pc as usize], &mut one);
        wanted.into_iter().for_each(|kinds| {
            expected.add(kinds);
        });
        self.also_expected(&mut expected);
        let at = self.at as usize;
        let (start, end) = (self.tokens.starts[at] as usize, self.tokens.ends[at] as usize);
        let found = match self.next() {
            END => "the end of the text".to_owned(),
            _ => format!("`{}`", short(&self.text[start..end])),
        };
        let message = format!("expected {}, found {found}", self.words(&expected, wanted));
        let span = Span::new(self.file, start, end);
        self.mistakes.found.push(Diagnostic::error(codes::TEXT_SYNTAX, message).at(span, ""));
    }

    /// "`a`, `b` or NAME": what the rule wants first, then signs, then words and terminals.
    fn words(&self, kinds: &Kinds, wanted: Option<&Kinds>) -> String {
        let rank = |kind: TokenKind| {
            let token = &self.tables.kinds[usize::from(kind)];
            let is_sign = token.is_keyword && !token.text.starts_with(char::is_alphabetic);
            (kind == END, !wanted.is_some_and(|wanted| wanted.contains(kind)), !is_sign, token.is_keyword)
        };
        let mut kinds: Vec<TokenKind> = kinds.iter().collect();
        kinds.sort_by_key(|kind| rank(*kind));
        let shown = |kind: &TokenKind| self.tables.kinds[usize::from(*kind)].shown();
        let mut names: Vec<String> = kinds.iter().map(shown).collect();
        if names.len() > MOST_NAMED {
            names.truncate(MOST_NAMED - 2);
            return format!("one of {}, …", names.join(", "));
        }
        match names.split_last() {
            None => "something else".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}

/// A text as a message shows it: its beginning, if it is long.
pub(in crate::grammar) fn short(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() { shown.extend(c.escape_debug()) } else { shown.push(c) }
    }
    if text.chars().nth(LONGEST).is_some() { format!("{shown}…") } else { shown }
}
