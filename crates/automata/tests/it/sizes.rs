//! Sizes of automata for formulas of the literature: states that are found with all letters, without the one from
//! which everything is rejected, and pairs. The numbers are kept so that a change for the worse is noticed:
//! `cargo test -p volvelle-automata --test it sizes:: -- --nocapture` prints them.

#![allow(clippy::print_stdout, reason = "a table for people who ask for it")]

use crate::words::*;
use std::collections::BTreeSet;
use volvelle_automata::Verdict;

/// States and pairs.
fn size(text: &str) -> (usize, usize) {
    let raw = parse(text);
    let propositions = text.chars().filter(char::is_ascii_lowercase).max().map_or(1, |c| c as u32 - 96);
    let mut automaton = automaton(&raw, propositions).unwrap();
    let mut work = vec![automaton.initial()];
    let mut seen = BTreeSet::from([automaton.initial()]);
    while let Some(state) = work.pop() {
        for letter in 0..1 << propositions {
            let next = automaton.step(state, letter).unwrap().next;
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    let states = seen.iter().filter(|&&s| automaton.verdict(s) != Verdict::Rejects).count();
    (states, automaton.pairs().len())
}

fn check(title: &str, formulas: &[(&str, usize, usize)]) {
    let mut worse = Vec::new();
    println!("{title}");
    for &(text, states, pairs) in formulas {
        let found = size(text);
        println!("    (\"{text}\", {}, {}),", found.0, found.1);
        if found != (states, pairs) {
            worse.push(format!("{text}: {found:?}, was {:?}", (states, pairs)));
        }
    }
    assert!(worse.is_empty(), "{title}: {worse:#?}");
}

#[test]
fn etessami_and_holzmann() {
    check(
        "K. Etessami, G. Holzmann, Optimizing Büchi Automata, CONCUR 2000",
        &[
            ("a U (b & Gc)", 3, 1),
            ("a U (b & X(c U d))", 4, 1),
            ("a U (b & X(c & F(d & XF(e & XF(f & XFg)))))", 12, 1),
            ("F(a & XGb)", 2, 1),
            ("F(a & X(b & XFc))", 5, 1),
            ("F(a & X(b U c))", 3, 1),
            ("FGa | GFb", 1, 2),
            ("G(!a | (b U c))", 2, 2),
            ("G(a & XF(b & XF(c & XFd)))", 7, 4),
            ("GFa & GFb & GFc & GFd & GFe", 1, 1),
            ("(a U (b U c)) | (b U (c U a)) | (c U (a U b))", 2, 1),
            ("G(!a | (b U (Gc | Gd)))", 12, 3),
        ],
    );
}

#[test]
fn somenzi_and_bloem() {
    check(
        "F. Somenzi, R. Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000",
        &[
            ("a U b", 2, 1),
            ("a U (b U c)", 3, 1),
            ("!a R (!b R !c)", 3, 1),
            ("GFa | FG!b", 1, 2),
            ("Fa U Gb", 5, 1),
            ("Ga U b", 4, 1),
            ("(Fa & G!b) | (Fb & G!a)", 3, 2),
            ("GFa & FG!b", 1, 1),
            ("(GFa & FG!b) | (GFb & FG!a)", 1, 2),
            ("a R (a | b)", 2, 1),
            ("(Xa U Xb) | X(!a R !b)", 3, 2),
            ("(Xa U b) | X(!a R (!a | !b))", 3, 2),
            ("((Xa U b) | X(!a R (!a | !b))) & G(!a | Fb)", 7, 4),
            ("((Xa U Xb) | X(!a R !b)) & G(!a | Fb)", 7, 4),
            ("G(!a | Fb)", 2, 2),
            ("F(a & X(!b U !c))", 3, 1),
            ("GF!a & GF!b", 1, 1),
            ("G(Fa & Fb)", 1, 1),
            ("Fa & F!a", 4, 1),
            ("(a & Xb) R X(((c U d) R a) U (c R a))", 8, 6),
            ("Ga | Gb | (G(a | GFc) & G(b | GF!c))", 4, 5),
            ("Ga | Gb | (G(a | FGc) & G(b | FG!c))", 4, 5),
            ("F!a & F!b & (F(!a & FG!c) | F(!b & FGc))", 4, 2),
            ("F!a & F!b & (F(!a & GF!c) | F(!b & GFc))", 4, 2),
            ("G(a | XGb) & G(c | XG!b)", 4, 1),
            ("G(a | (Xb & X!b))", 1, 1),
            ("a | (b U a)", 2, 1),
        ],
    );
}

#[test]
fn dwyer_avrunin_and_corbett() {
    check(
        "M. Dwyer, G. Avrunin, J. Corbett, Property Specification Patterns, FMSP 1998",
        &[
            ("G!a", 1, 1),
            ("!(Fc) | ((!a U c))", 3, 2),
            ("G(!(b) | (G!a))", 2, 1),
            ("G(!((b & !c & Fc)) | ((!a U c)))", 3, 2),
            ("G(!(b & !c) | ((!a W c)))", 2, 1),
            ("Fa", 2, 1),
            ("!c W (a & !c)", 2, 1),
            ("G!b | F(b & Fa)", 3, 2),
            ("G(!(b & !c) | ((!c W (a & !c))))", 2, 1),
            ("G(!(b & !c) | ((!c U (a & !c))))", 2, 2),
            ("!a W d", 2, 1),
            ("!(Fc) | ((!a U (d | c)))", 3, 2),
            ("G!b | F(b & (!a W d))", 4, 2),
            ("G(!((b & !c & Fc)) | ((!a U (d | c))))", 4, 2),
            ("G(!(b & !c) | ((!a W (d | c))))", 2, 1),
            ("G(!(a) | (Fd))", 2, 2),
            ("!(Fc) | ((!(a) | ((!c U (d & !c)))) U c)", 3, 2),
            ("G(!(b) | (G(!(a) | (Fd))))", 3, 2),
            ("G(!((b & !c & Fc)) | ((!(a) | ((!c U (d & !c)))) U c))", 4, 4),
            ("G(!(b & !c) | (((!(a) | ((!c U (d & !c)))) W c)))", 3, 2),
            ("!(Fa) | ((!a U (d & !a & X(!a U e))))", 3, 2),
            ("G(!(d & XFe) | (X(F(e & Fa))))", 6, 4),
            ("G(!(a) | (F(d & XFe)))", 6, 4),
        ],
    );
}

#[test]
fn fairness() {
    check(
        "fairness and its likes",
        &[
            ("(GFa & GFb & GFc) & !(GFd)", 1, 1),
            ("FGa | FGb | GFc | FGd", 1, 4),
            ("(!(GFa & GFb & GFc) | GFd)", 1, 4),
            ("G(!a | Fb) & G(!c | Fd)", 4, 4),
            ("!(G(!a | Fb) & G(!c | Fd))", 4, 2),
            ("GF(a & Xb)", 2, 1),
            ("FG(a | XXb)", 4, 1),
            ("GF(a U (b & X(c U d)))", 2, 1),
            ("G(a | F(b & G(c | Fd)))", 4, 4),
            ("(GFa | FGb) & (GFc | FGd)", 1, 4),
            ("F(a & GFb & X(c W d))", 3, 1),
        ],
    );
}

/// The first number is that of the tool Owl for the same theorem, as its repository keeps it (owl-toolkit/owl,
/// `data/formulas/sizes/dgra.symmetric.json`, commit 0132130): states, without one that rejects everything.
#[test]
fn published() {
    let formulas = [
        ("Fa & F!a", 4, 4, 1),
        ("Fa & Gb", 2, 2, 1),
        ("Fa & Xb", 5, 5, 1),
        ("Ga & Xb", 3, 3, 1),
        ("Fa | Gb", 3, 3, 2),
        ("Fa | Xb", 4, 4, 1),
        ("Ga | G!a", 3, 3, 1),
        ("Ga | Xb", 5, 5, 1),
        ("(b U a) | G!a", 3, 3, 2),
        ("(a R b) | (c W d)", 4, 4, 1),
        ("XFa", 3, 3, 1),
        ("a R (b R c)", 3, 3, 1),
        ("Ga R Fb", 2, 3, 2),
        ("(a R b) R c", 4, 4, 1),
        ("a U (b U c)", 3, 3, 1),
        ("Fa U Gb", 2, 5, 1),
        ("(a U b) U c", 4, 4, 1),
        ("a & (Fb | Ga)", 4, 4, 2),
        ("GFa & (F!a | FGb)", 3, 2, 2),
        ("GFa & (FGb | FGc)", 3, 1, 2),
        ("(FGa | FG!b) & (FG!a | GFb)", 2, 1, 4),
        ("G(a | Xb) & G(c | Xd)", 4, 4, 1),
        ("(Ga | Gb | Gc) & (FG!d | GFe | GF!f) & (FGf | GFd | GFe)", 7, 7, 9),
        ("GFa & GFb & (FGc | FGd)", 3, 1, 2),
        ("G(a | Fb) & G(c | Fd) & G(e | Ff) & G(g | Fh)", 16, 16, 16),
        ("Fa | G(b | Xc)", 4, 4, 2),
        ("Ga | XXXb", 9, 9, 1),
        ("Ga | (Fb W (b & Xb))", 5, 6, 3),
        ("G!a | F(a & (b W c))", 4, 4, 2),
        ("(a U b) | G(c | Xa)", 5, 5, 2),
        ("(Xa U b) | X(!a R (!a | !b))", 3, 3, 2),
        ("Xa | (!b & Gc & ((d U b) R X!a))", 14, 12, 3),
        ("(!a | (b U Xa)) & (Fc | (b R X!a))", 9, 13, 2),
        ("GFa & (a | GFb) & (c | GFd) & (FGa | GFc)", 5, 5, 8),
    ];
    let ours: Vec<(&str, usize, usize)> = formulas.iter().map(|f| (f.0, f.2, f.3)).collect();
    check("published for the same theorem", &ours);
    let sum = |states: fn(&(&str, usize, usize, usize)) -> usize| formulas.iter().map(states).sum::<usize>();
    println!("states in all: {}, published {}", sum(|f| f.2), sum(|f| f.1));
}
