//! Random texts: those of a grammar are read and printed as what they are; no text makes the parser fail.

use crate::common::{drawn, example, parse, same};
use proptest::prelude::*;
use volvelle_trees::grammar::printer::print;
use volvelle_trees::grammar::sentences::sentence;

/// Numbers, one after the other, as a source of choices.
fn chosen(numbers: &[u16]) -> impl FnMut(usize) -> usize + '_ {
    let mut next = numbers.iter().cycle();
    let mut round = 0usize;
    move |below| {
        round = round.wrapping_mul(31).wrapping_add(usize::from(next.next().copied().unwrap_or(0)));
        (round >> 3) % below
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sentences_are_read_and_printed(
        name in prop::sample::select(vec!["lambda", "fj", "coerce"]),
        numbers in prop::collection::vec(any::<u16>(), 1..200),
        tokens in 0usize..300,
    ) {
        let grammar = example(name);
        let text = sentence(&grammar, tokens, chosen(&numbers));
        let parsed = parse(&grammar, &text);
        prop_assert!(parsed.found.is_empty(), "{}", drawn(&text, &parsed.found));
        let printed = print(&grammar, &parsed.tree, &parsed.symbols, parsed.root);
        let printed = printed.unwrap_or_else(|| panic!("not printed: {text}"));
        let again = parse(&grammar, &printed);
        prop_assert!(again.found.is_empty(), "{}", drawn(&printed, &again.found));
        prop_assert_eq!(same(&parsed, &again), Ok(()), "{}\n{}", text, printed);
    }

    /// Tokens are taken out of a text, put in and swapped: it is still read to its end, and where it changed something is said.
    #[test]
    fn mistakes_are_survived(
        name in prop::sample::select(vec!["lambda", "fj", "coerce"]),
        numbers in prop::collection::vec(any::<u16>(), 1..200),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, any::<prop::sample::Index>()), 1..8),
    ) {
        let grammar = example(name);
        let text = sentence(&grammar, 100, chosen(&numbers));
        let mut words: Vec<&str> = text.split(' ').collect();
        for (place, edit, other) in edits {
            let (place, other) = (place.index(words.len()), other.index(words.len()));
            match edit {
                0 if words.len() > 1 => { words.remove(place); }
                1 => words.insert(place, words[other]),
                _ => words.swap(place, other),
            }
        }
        let broken = words.join(" ");
        let parsed = parse(&grammar, &broken);
        prop_assert!(parsed.found.len() <= 100);
        for diagnostic in &parsed.found {
            let span = diagnostic.primary.as_ref().expect("a place").span;
            prop_assert!(span.end as usize <= broken.len());
        }
    }

    #[test]
    fn no_text_is_too_strange(
        name in prop::sample::select(vec!["lambda", "fj", "coerce"]),
        text in "(\\PC|[\\x00-\\x20]|class |let |in |\\(|\\)|\\\\|\"|;|\\.|\\+|=|[{}]|x|1|, |//|--){0,80}",
    ) {
        parse(&example(name), &text);
    }

    /// Any text is a grammar with mistakes, or without.
    #[test]
    fn no_grammar_is_too_strange(
        text in "(grammar |terminal |hidden |entry |class |operators over |infix left |prefix |returns |A|B|C|ID|=|\\+=|\\?=|:|;|\\||\\(|\\)|[{}]|\\[|\\]|\\*|\\+|\\?|\"x\"|\"y\"|/[a-z]+/|/\\(/|->|,|\\.| |current|\\PC){0,60}",
    ) {
        let mut found = Vec::new();
        let read = volvelle_trees::grammar::Grammar::read(crate::common::FILE, &text, &mut found);
        if let Some(grammar) = read {
            parse(&grammar, "x y aa x x y");
            parse(&grammar, "");
        }
    }
}
