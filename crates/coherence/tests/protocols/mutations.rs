//! Every row of every protocol that is there, changed once in every way: the check finds the change, or it is harmless.
//!
//! `harmless.txt` lists the latter; `BLESS=1` writes it again.

use crate::oracle::{by_name, confirm, least_error, protocol};
use std::fmt::Write;
use volvelle_coherence::{Protocol, SHIPPED, Verdict, check};

/// A row with one other word in one of the columns behind the arrow.
struct Mutation {
    row: usize,
    text: String,
}

/// What may stand in each column behind the arrow.
fn words(protocol: &Protocol) -> [Vec<String>; 3] {
    let states = || protocol.states.clone();
    let or_same = |mut words: Vec<String>| {
        words.push("=".to_owned());
        words
    };
    let transfers = protocol.transfers.iter().map(|transfer| transfer.name.clone()).collect();
    [or_same(states()), or_same(states()), transfers]
}

fn mutations(protocol: &Protocol) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for row in 0..protocol.row_count() {
        let old: Vec<&str> = protocol.row_text(row).split(' ').collect();
        for (column, words) in words(protocol).iter().enumerate() {
            for word in words.iter().filter(|word| *word != old[4 + column]) {
                let mut new = old.clone();
                new[4 + column] = word;
                mutations.push(Mutation { row, text: new.join(" ") });
            }
        }
    }
    mutations
}

/// The protocol with another row.
fn mutated(name: &str, original: &Protocol, mutation: &Mutation) -> Protocol {
    let (head, _) = SHIPPED.iter().find(|(known, _)| *known == name).unwrap().1.split_once("rows =").unwrap();
    let mut text = format!("{head}rows = [\n");
    for row in 0..original.row_count() {
        let row = if row == mutation.row { &mutation.text } else { original.row_text(row) };
        writeln!(text, "    \"{row}\",").unwrap();
    }
    protocol(&(text + "]\n"))
}

/// Mutations that the check does not find, by protocol.
fn harmless(name: &str) -> Vec<String> {
    let original = by_name(name);
    let mut harmless = Vec::new();
    let mut found = vec![0; original.row_count()];
    for mutation in mutations(&original) {
        let mutant = mutated(name, &original, &mutation);
        let least = least_error(&mutant, 5);
        match check(&mutant).verdict {
            Verdict::Failed(run) => {
                confirm(&mutant, &run);
                assert_eq!(least, Some((run.caches, run.steps.len())), "{name}: {}", mutation.text);
                found[mutation.row] += 1;
            }
            Verdict::Proved { .. } => {
                assert_eq!(least, None, "{name}: {}", mutation.text);
                harmless.push(format!("{} => {}", original.row_text(mutation.row), mutation.text));
            }
            verdict @ Verdict::Bounded { .. } => panic!("{name}: {}: {verdict:?}", mutation.text),
        }
    }
    for (row, &found) in found.iter().enumerate() {
        assert!(found > 0, "{name}: no change of `{}` is found", original.row_text(row));
    }
    harmless
}

#[test]
fn changes_are_found_or_harmless() {
    let mut text = String::new();
    for (name, _) in SHIPPED.iter().filter(|(name, _)| *name != "Blit") {
        let harmless = harmless(name);
        let all = mutations(&by_name(name)).len();
        writeln!(text, "{name}: {} of {all} changes are found; harmless are", all - harmless.len()).unwrap();
        for change in harmless {
            writeln!(text, "  {change}").unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protocols/harmless.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    assert!(expected == text, "harmless.txt is not up to date: BLESS=1 writes it again\n{text}");
}
