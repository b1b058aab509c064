//! Where brackets, macros and the bodies of fixpoints end.

use crate::pieces::Class;
use crate::words::{Word, shown};
use rustc_hash::FxHashMap;

/// Numbers of tokens at which parts of a text end.
pub(super) struct Bodies {
    /// By the number of an opening bracket, that of the closing one.
    closing: FxHashMap<usize, usize>,
    /// By the number of `macro`, that of the last token of the definition.
    macros: FxHashMap<usize, usize>,
    /// By the number of `mu` or `nu`, that of the token behind the body.
    fixpoints: FxHashMap<usize, usize>,
}

impl Bodies {
    pub fn of(words: &[Word<'_>]) -> Self {
        let mut bodies = Bodies {
            closing: FxHashMap::default(),
            macros: FxHashMap::default(),
            fixpoints: FxHashMap::default(),
        };
        let mut open: Vec<(usize, &str)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let opening = match word.shown {
                "(" | "[" | "<" | "{" => {
                    open.push((at, word.shown));
                    continue;
                }
                ")" => "(",
                "]" => "[",
                ">" => "<",
                "}" => "{",
                // No bracket goes beyond a macro.
                "macro" | "end_macro" => {
                    open.clear();
                    continue;
                }
                _ => continue,
            };
            // Brackets inside that are not closed are no brackets.
            if let Some(place) =
                open.iter().rposition(|(_, text)| *text == opening).filter(|_| open.len() < 300)
            {
                bodies.closing.insert(open[place].0, at);
                open.truncate(place);
            }
        }
        let mut end = words.len().saturating_sub(1);
        for (at, word) in words.iter().enumerate().rev() {
            match word.shown {
                "end_macro" => end = at,
                "macro" => {
                    bodies.macros.insert(at, end);
                    end = at.saturating_sub(1);
                }
                _ => {}
            }
        }
        bodies
    }

    /// The bracket that closes one; that one itself, if none does.
    pub fn closing(&self, open: usize) -> usize {
        self.closing.get(&open).copied().unwrap_or(open)
    }

    /// The last token of the definition that begins here.
    pub fn end_of_macro(&self, at: usize) -> usize {
        self.macros.get(&at).copied().unwrap_or(at)
    }

    /// The token behind the body of the fixpoint that begins here: a formula without operators. Fixpoints of which one is the body of the
    /// other end together.
    pub fn end_of_fixpoint(&mut self, words: &[Word<'_>], first: usize) -> usize {
        if let Some(&end) = self.fixpoints.get(&first) {
            return end;
        }
        let (mut chain, mut at) = (vec![first], first + 3);
        let end = loop {
            match shown(words, at) {
                "not" | "!" | "@" => at += 1,
                "[" | "<" => at = self.closing(at) + 1,
                "mu" | "nu" => {
                    chain.push(at);
                    at += 3;
                }
                "(" => break self.closing(at) + 1,
                ")" | "]" | ">" | "}" | "," | "" | "macro" | "end_macro" => break at,
                _ => {
                    let is_call = words[at].class == Class::Name && shown(words, at + 1) == "(";
                    break if is_call { self.closing(at + 1) + 1 } else { at + 1 };
                }
            }
        };
        self.fixpoints.extend(chain.into_iter().map(|at| (at, end)));
        end
    }
}
