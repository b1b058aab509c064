//! Multi-actions as texts, as mCRL2 prints them: `a(1)|b(true)`, and `tau` for the empty one.

use super::terms::{TermId, Terms};
use std::fmt::Write;

/// Where there is no time.
const UNTIMED: &str = "@undefined_real";

/// A piece of a text that is still to be written.
enum Piece {
    Text(&'static str),
    Term(TermId),
}

/// The text of a multi-action, given by its actions and its time; `None` where it has another form, or a time.
pub fn text(terms: &Terms<'_>, actions: TermId, time: TermId) -> Option<String> {
    if terms.of(time).first().map(|&name| terms.name(name)) != Some(UNTIMED) {
        return None;
    }
    let mut text = String::new();
    for action in list(terms, actions)? {
        let &[label, arguments] = terms.of(action) else { return None };
        let &name = terms.of(label).first()?;
        if !text.is_empty() {
            text.push('|');
        }
        text.push_str(terms.name(name));
        let arguments = list(terms, arguments)?;
        if !arguments.is_empty() {
            let mut waiting = Vec::new();
            enclose(["(", ")"], &arguments, &mut waiting);
            write(terms, waiting, &mut text);
        }
    }
    if text.is_empty() {
        text.push_str("tau");
    }
    Some(text)
}

/// The members of a list.
fn list(terms: &Terms<'_>, mut list: TermId) -> Option<Vec<TermId>> {
    let mut members = Vec::new();
    loop {
        match (terms.name(list), terms.of(list)) {
            ("<empty_list>", []) => return Some(members),
            ("<list_constructor>", &[first, rest]) => {
                members.push(first);
                list = rest;
            }
            _ => return None,
        }
    }
}

/// Puts values in brackets on a stack; what is on top comes first.
fn enclose([open, close]: [&'static str; 2], values: &[TermId], waiting: &mut Vec<Piece>) {
    waiting.push(Piece::Text(close));
    for (place, &value) in values.iter().enumerate().rev() {
        waiting.push(Piece::Term(value));
        if place > 0 {
            waiting.push(Piece::Text(", "));
        }
    }
    waiting.push(Piece::Text(open));
}

fn write(terms: &Terms<'_>, mut waiting: Vec<Piece>, text: &mut String) {
    while let Some(piece) = waiting.pop() {
        let value = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Term(value) => value,
        };
        if let Some(number) = number(terms, value) {
            let _ = write!(text, "{number}");
        } else if let Some((brackets, members)) = collection(terms, value) {
            enclose(brackets, &members, &mut waiting);
        } else {
            match (terms.name(value), terms.of(value)) {
                ("DataAppl", &[head, ref arguments @ ..]) => {
                    enclose(["(", ")"], arguments, &mut waiting);
                    waiting.push(Piece::Term(head));
                }
                ("OpId" | "OpIdNoIndex" | "DataVarId" | "DataVarIdNoIndex", &[name, ..]) => {
                    text.push_str(terms.name(name));
                }
                (name, arguments) => {
                    match terms.number(value) {
                        Some(number) => _ = write!(text, "{number}"),
                        None => text.push_str(name),
                    }
                    if !arguments.is_empty() {
                        enclose(["(", ")"], arguments, &mut waiting);
                    }
                }
            }
        }
    }
}

/// The function that is applied, and its arguments.
fn application<'t>(terms: &'t Terms<'_>, value: TermId) -> (&'t str, &'t [TermId]) {
    let name = |symbol: TermId| match (terms.name(symbol), terms.of(symbol)) {
        ("OpId" | "OpIdNoIndex", &[name, ..]) => terms.name(name),
        _ => "",
    };
    match (terms.name(value), terms.of(value)) {
        ("DataAppl", &[head, ref arguments @ ..]) => (name(head), arguments),
        _ => (name(value), &[]),
    }
}

/// A number, of positive numbers in binary digits: `@c1`, `@cDub(digit, rest)`.
fn number(terms: &Terms<'_>, value: TermId) -> Option<i128> {
    match application(terms, value) {
        // A number whose denominator is 1.
        ("@cReal", &[inner, one]) if positive(terms, one) == Some(1) => integer(terms, inner),
        _ => integer(terms, value),
    }
}

/// A whole number. Coercions stand within one another at most twice: Int of Nat of a positive number.
fn integer(terms: &Terms<'_>, mut value: TermId) -> Option<i128> {
    let mut sign = 1;
    for _ in 0..3 {
        value = match application(terms, value) {
            ("@c0", []) => return Some(0),
            ("@cNat" | "@cInt", &[inner]) => inner,
            ("@cNeg", &[inner]) => {
                sign = -sign;
                inner
            }
            _ => return positive(terms, value).map(|number| sign * number),
        };
    }
    None
}

fn positive(terms: &Terms<'_>, mut value: TermId) -> Option<i128> {
    let (mut sum, mut place) = (0, 1_i128);
    loop {
        match application(terms, value) {
            ("@c1", []) => return Some(sum + place),
            ("@cDub", &[digit, rest]) => {
                match application(terms, digit) {
                    ("true", []) => sum += place,
                    ("false", []) => {}
                    _ => return None,
                }
                // Larger numbers are shown as terms.
                place = place.checked_mul(2).filter(|&place| place < 1 << 120)?;
                value = rest;
            }
            _ => return None,
        }
    }
}

/// The members of a list or of a finite set, with brackets.
fn collection(terms: &Terms<'_>, value: TermId) -> Option<([&'static str; 2], Vec<TermId>)> {
    let (brackets, cons, nil) = match application(terms, value) {
        ("|>", [_, _]) => (["[", "]"], "|>", "[]"),
        ("@fset_cons", [_, _]) => (["{", "}"], "@fset_cons", "{}"),
        ("@set", &[function, members]) if application(terms, function).0 == "@false_" => {
            return match application(terms, members).0 {
                "@fset_cons" => collection(terms, members),
                "{}" => Some((["{", "}"], Vec::new())),
                _ => None,
            };
        }
        _ => return None,
    };
    let mut members = Vec::new();
    let mut rest = value;
    loop {
        match application(terms, rest) {
            (name, &[first, next]) if name == cons => {
                members.push(first);
                rest = next;
            }
            (name, []) if name == nil => return Some((brackets, members)),
            _ => return None,
        }
    }
}
