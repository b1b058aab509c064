//! Alternatives that read the same text: the one that is tried first has it, so that the other one has fewer texts than it seems, or none.
//!
//! Looks at the words of up to [`LENGTH`] tokens with which each alternative begins. What differs further behind is not compared, and
//! alternatives with too many such words are left alone: what is reported is so, but not everything is reported.

use super::firsts::Firsts;
use super::kinds::Kinds;
use super::model::{Model, Part, TokenKind};
use super::syntax::Times;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// Tokens that are compared.
const LENGTH: usize = 4;
/// Words of an alternative beyond which it is left alone.
const MOST_WORDS: usize = 256;
/// Rules that call one another before a token.
const DEEPEST: u32 = 100;

/// The beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Beginning {
    tokens: Vec<TokenKind>,
    /// Whether it is the whole text.
    is_whole: bool,
}

type Beginnings = Vec<Beginning>;

struct Words<'m> {
    model: &'m Model,
    firsts: &'m Firsts,
    rules: FxHashMap<(usize, usize), Option<Beginnings>>,
    depth: u32,
}

/// Reports it.
pub(crate) fn check(model: &Model, firsts: &Firsts, found: &mut Vec<Diagnostic>) {
    let mut words = Words { model, firsts, rules: FxHashMap::default(), depth: 0 };
    for (rule, follow) in model.rules.iter().zip(&firsts.follows) {
        words.walk(&rule.body, follow, found);
    }
}

impl Words<'_> {
    fn walk(&mut self, part: &Part, behind: &Kinds, found: &mut Vec<Diagnostic>) {
        match part {
            Part::Sequence(parts) => {
                let mut behind = behind.clone();
                for part in parts.iter().rev() {
                    self.walk(part, &behind, found);
                    behind = self.firsts.with(part, &behind);
                }
            }
            Part::Repeat { inner, times, .. } => {
                let mut behind = behind.clone();
                if *times != Times::Optional {
                    behind.add(&self.firsts.of(inner).kinds);
                }
                self.walk(inner, &behind, found);
            }
            Part::Choice(parts, span) => {
                for part in parts {
                    self.walk(part, behind, found);
                }
                self.choice(parts, behind, *span, found);
            }
            Part::Token { .. } | Part::Call { .. } | Part::New { .. } | Part::Wrap { .. } => {}
        }
    }

    fn choice(&mut self, parts: &[Part], behind: &Kinds, whole: Span, found: &mut Vec<Diagnostic>) {
        let place = |part: &Part| part.span().unwrap_or(whole);
        for (at, part) in parts.iter().enumerate().skip(1) {
            let first = self.firsts.of(part);
            let meet = |other: &&Part| {
                let other = self.firsts.of(other);
                other.is_nullable && first.is_nullable
                    || other.kinds.iter().any(|kind| first.kinds.contains(kind))
            };
            let earlier: Vec<&Part> = parts[..at].iter().filter(meet).collect();
            if earlier.is_empty() {
                continue;
            }
            let Some(own) = self.of(part, LENGTH) else { continue };
            let mut others: Vec<(&Part, Beginnings)> = Vec::new();
            for other in earlier {
                others.extend(self.of(other, LENGTH).map(|words| (other, words)));
            }
            let is_taken = |word: &Beginning| others.iter().find(|(_, words)| takes(words, word, behind));
            let is_same = |word: &Beginning| {
                word.is_whole.then(|| others.iter().find(|(_, words)| words.contains(word))).flatten()
            };
            if let Some((other, _)) = own.first().and_then(is_taken)
                && own.iter().all(|word| is_taken(word).is_some())
            {
                let message = format!(
                    "this alternative is never chosen: the one before it takes {}",
                    self.shown(&own[0])
                );
                let diagnostic =
                    Diagnostic::warning(codes::GRAMMAR_NEVER_CHOSEN, message).at(place(part), "");
                found.push(
                    diagnostic
                        .also(place(other), "this one is tried first")
                        .help("write the longer alternative first"),
                );
            } else if let Some((word, (other, _))) = own.iter().find_map(|word| Some((word, is_same(word)?)))
            {
                let message = format!("two alternatives read {}: the first one is chosen", self.shown(word));
                let diagnostic = Diagnostic::warning(codes::GRAMMAR_AMBIGUOUS, message).at(place(part), "");
                found.push(
                    diagnostic.also(place(other), "this one is chosen").help("let only one of them read it"),
                );
            }
        }
    }

    fn shown(&self, word: &Beginning) -> String {
        let mut tokens: Vec<String> =
            word.tokens.iter().map(|kind| self.model.tokens[usize::from(*kind)].shown()).collect();
        if tokens.is_empty() {
            return "the empty text".to_owned();
        }
        if !word.is_whole {
            tokens.push("…".to_owned());
        }
        tokens.join(" ")
    }

    /// The beginnings of the texts of a part, sorted. `None`: there are too many.
    fn of(&mut self, part: &Part, length: usize) -> Option<Beginnings> {
        match part {
            Part::Sequence(parts) => {
                let mut words = empty();
                for part in parts {
                    words = self.behind(words, part, length)?;
                }
                Some(words)
            }
            Part::Choice(parts, _) => {
                let mut words = Vec::new();
                for part in parts {
                    words.extend(self.of(part, length)?);
                }
                sorted(words)
            }
            Part::Repeat { inner, times, .. } => {
                let mut words = empty();
                let mut all = if *times == Times::Some { Vec::new() } else { empty() };
                let most = if *times == Times::Optional { 1 } else { length + 1 };
                for _ in 0..most {
                    words = self.behind(words, inner, length)?;
                    all.extend(words.iter().cloned());
                    all = sorted(all)?;
                }
                Some(all)
            }
            Part::Token { kind, .. } => Some(match length {
                0 => vec![Beginning { tokens: Vec::new(), is_whole: false }],
                _ => vec![Beginning { tokens: vec![*kind], is_whole: true }],
            }),
            Part::Call { rule, .. } => {
                if let Some(words) = self.rules.get(&(*rule, length)) {
                    return words.clone();
                }
                if self.depth > DEEPEST {
                    return None;
                }
                self.depth += 1;
                let model = self.model;
                let words = self.of(&model.rules[*rule].body, length);
                self.depth -= 1;
                self.rules.insert((*rule, length), words.clone());
                words
            }
            Part::New { .. } | Part::Wrap { .. } => Some(empty()),
        }
    }

    /// Beginnings with what a part adds to them.
    fn behind(&mut self, words: Beginnings, part: &Part, length: usize) -> Option<Beginnings> {
        let mut all = Vec::new();
        let mut added: Vec<Option<Beginnings>> = vec![None; length + 1];
        for word in words {
            if !word.is_whole {
                all.push(word);
                continue;
            }
            let rest = length - word.tokens.len();
            if added[rest].is_none() {
                added[rest] = Some(self.of(part, rest)?);
            }
            for more in added[rest].iter().flatten() {
                let tokens = word.tokens.iter().chain(&more.tokens).copied().collect();
                all.push(Beginning { tokens, is_whole: more.is_whole });
            }
            if all.len() > 4 * MOST_WORDS {
                return None;
            }
        }
        sorted(all)
    }
}

/// Whether an alternative with such beginnings takes a text that begins in a way: it reads all of it, or a part behind which something
/// stands that may follow.
fn takes(words: &[Beginning], text: &Beginning, behind: &Kinds) -> bool {
    words
        .iter()
        .filter(|word| word.is_whole && text.tokens.starts_with(&word.tokens))
        .any(|word| text.tokens.get(word.tokens.len()).map_or(text.is_whole, |next| behind.contains(*next)))
}

fn empty() -> Beginnings {
    vec![Beginning { tokens: Vec::new(), is_whole: true }]
}

fn sorted(mut words: Beginnings) -> Option<Beginnings> {
    words.sort_unstable();
    words.dedup();
    (words.len() <= MOST_WORDS).then_some(words)
}
