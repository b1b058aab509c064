//! Random texts of a grammar, for tests.

use super::Grammar;
use super::code::{At, Op};
use super::model::TokenKind;
use super::printer::layout::Layout;
use super::printer::ways;
use super::terminals::DEAD;

/// A text that the grammar has, unless a way that is tried first reads it in another way. `choose` gives a number below another one, which
/// is not 0; behind about so many tokens the text comes to its end.
pub fn sentence(grammar: &Grammar, tokens: usize, mut choose: impl FnMut(usize) -> usize) -> String {
    let code = &grammar.code;
    let shortest = shortest(grammar);
    let mut layout = Layout::new(grammar);
    let mut returns: Vec<At> = Vec::new();
    let mut at = code.rules[usize::from(code.entry)].entry;
    let mut count = 0;
    loop {
        match code.ops[at as usize] {
            Op::Take(kind) | Op::TakeInto(kind, _) => {
                layout.add(&word(grammar, kind, &mut choose));
                count += 1;
                at += 1;
            }
            Op::Call(rule) | Op::CallInto(rule, _) => {
                returns.push(at + 1);
                at = code.rules[usize::from(rule)].entry;
            }
            Op::New(_) | Op::Wrap(..) => at += 1,
            Op::Enter(_) => at += 2,
            Op::Leave(_, to) => at = to,
            Op::Decide(number) => {
                let ways = ways(grammar, number);
                let least = ways.iter().copied().min_by_key(|way| shortest[*way as usize]).unwrap_or(at);
                at = if count >= tokens { least } else { ways[choose(ways.len())] };
            }
            Op::Return | Op::End => match returns.pop() {
                Some(to) => at = to,
                None => return layout.text(),
            },
        }
    }
}

/// Of each instruction, the fewest tokens up to the end of its rule.
fn shortest(grammar: &Grammar) -> Vec<u32> {
    let code = &grammar.code;
    let mut shortest = vec![u32::MAX; code.ops.len()];
    loop {
        let mut is_changed = false;
        for at in (0..code.ops.len()).rev() {
            let rule = |rule: u16| shortest[code.rules[usize::from(rule)].entry as usize];
            let next = || shortest[at + 1];
            let tokens = match code.ops[at] {
                Op::Take(_) | Op::TakeInto(..) => next().saturating_add(1),
                // A rule counts more than its tokens, so that the way down is a short one, too.
                Op::Call(to) | Op::CallInto(to, _) => next().saturating_add(rule(to)).saturating_add(1),
                Op::New(_) | Op::Wrap(..) => next(),
                Op::Enter(_) => shortest[at + 2],
                Op::Leave(_, to) => shortest[to as usize],
                Op::Decide(number) => {
                    ways(grammar, number).iter().map(|way| shortest[*way as usize]).min().unwrap_or(u32::MAX)
                }
                Op::Return | Op::End => 0,
            };
            if tokens < shortest[at] {
                shortest[at] = tokens;
                is_changed = true;
            }
        }
        if !is_changed {
            return shortest;
        }
    }
}

/// A random word of a kind: a walk through the automaton, up to a state that accepts it.
fn word(grammar: &Grammar, kind: TokenKind, choose: &mut impl FnMut(usize) -> usize) -> String {
    const TRIES: usize = 200;
    const LONGEST: usize = 12;
    let token = &grammar.model.tokens[usize::from(kind)];
    if token.is_keyword {
        return token.text.clone();
    }
    let scanner = &grammar.scanner;
    for _ in 0..TRIES {
        let mut word = String::new();
        let mut state = scanner.start;
        while word.len() < LONGEST {
            // Letters that can be read; others stay in the tables.
            let bytes: Vec<u8> = (b' '..=b'~').filter(|byte| scanner.next(state, *byte) != DEAD).collect();
            if bytes.is_empty() {
                break;
            }
            let byte = bytes[choose(bytes.len())];
            word.push(char::from(byte));
            state = scanner.next(state, byte);
            if scanner.accepted(state) == kind && choose(3) == 0 {
                break;
            }
        }
        if grammar.reads_as(&word, kind) {
            return word;
        }
    }
    shortest_word(grammar, kind)
}

/// A shortest word of a kind, if it has one of ASCII; its name otherwise.
fn shortest_word(grammar: &Grammar, kind: TokenKind) -> String {
    let scanner = &grammar.scanner;
    let mut seen = vec![false; scanner.accepts.len()];
    let mut next = std::collections::VecDeque::from([(scanner.start, String::new())]);
    while let Some((state, word)) = next.pop_front() {
        if scanner.accepted(state) == kind {
            return word;
        }
        for byte in 0..128 {
            let to = scanner.next(state, byte);
            if to != DEAD && !std::mem::replace(&mut seen[(to / scanner.width) as usize], true) {
                next.push_back((to, format!("{word}{}", char::from(byte))));
            }
        }
    }
    grammar.model.tokens[usize::from(kind)].text.clone()
}
