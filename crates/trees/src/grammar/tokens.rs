//! Texts to tokens, by the automaton of a grammar.

use super::model::{END, TokenClass, TokenKind};
use super::terminals::{DEAD, Scanner};

/// The tokens of a text that rules see, in flat arrays; the last one is the end of the text.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub kinds: Vec<TokenKind>,
    pub starts: Vec<u32>,
    pub ends: Vec<u32>,
    /// Text that is no token, and stands between them: neighbours are one.
    pub flaws: Vec<(u32, u32)>,
}

/// Bytes that were read behind a token without finding a longer one, from which on they are remembered.
const FAR: usize = 256;
/// One state in so many is remembered.
const STEP: usize = 64;

/// States in which a search for a longer token met bytes, in vain: a later search that meets one of these bytes in the same state need not
/// go on. Without it, a text of a million beginnings of comments without an end would be read a million times.
#[derive(Default)]
struct Vain {
    from: usize,
    states: Vec<u32>,
}

impl Vain {
    fn knows(&self, at: usize, state: u32) -> bool {
        at.is_multiple_of(STEP) && at >= self.from && self.states.get((at - self.from) / STEP) == Some(&state)
    }
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str, scanner: &Scanner, classes: &[TokenClass]) -> Tokens {
    let bytes = text.as_bytes();
    let mut tokens = Tokens::default();
    let mut vain = Vain::default();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < bytes.len() {
        let (kind, end) = longest(bytes, at, scanner, &mut vain);
        if kind == END {
            let mut end = end.max(at + 1);
            while !text.is_char_boundary(end) {
                end += 1;
            }
            match tokens.flaws.last_mut() {
                Some(last) if last.1 as usize == at => last.1 = end as u32,
                _ => tokens.flaws.push((at as u32, end as u32)),
            }
            at = end;
            continue;
        }
        if !classes[usize::from(kind)].is_hidden {
            tokens.kinds.push(kind);
            tokens.starts.push(at as u32);
            tokens.ends.push(end as u32);
        }
        at = end;
    }
    let end = tokens.ends.last().copied().unwrap_or(0);
    tokens.kinds.push(END);
    tokens.starts.push(end);
    tokens.ends.push(end);
    tokens
}

/// The longest token at a place. Where there is none, END, and how far one was looked for.
fn longest(bytes: &[u8], start: usize, scanner: &Scanner, vain: &mut Vain) -> (TokenKind, usize) {
    let (mut kind, mut end) = (END, start);
    let (mut state, mut at) = (scanner.start, start);
    while let Some(&byte) = bytes.get(at) {
        state = scanner.next(state, byte);
        if state == DEAD {
            break;
        }
        at += 1;
        let accepted = scanner.accepted(state);
        if accepted != 0 {
            (kind, end) = (accepted, at);
        } else if vain.knows(at, state) {
            break;
        }
    }
    if kind == END {
        return (END, at);
    }
    if at - end > FAR {
        remember(bytes, start, end, at, scanner, vain);
    }
    (kind, end)
}

/// Remembers the states of a search from `end` to `to`.
fn remember(bytes: &[u8], start: usize, end: usize, to: usize, scanner: &Scanner, vain: &mut Vain) {
    // The rest of what was known already still holds: this search met it.
    let (mut state, mut at) = (scanner.start, start);
    let first = (end + 1).next_multiple_of(STEP);
    if vain.from <= first && vain.from + vain.states.len() * STEP >= to {
        return;
    }
    vain.from = first;
    vain.states.clear();
    while at < to {
        state = scanner.next(state, bytes[at]);
        at += 1;
        if at >= first && at.is_multiple_of(STEP) {
            vain.states.push(state);
        }
    }
}
