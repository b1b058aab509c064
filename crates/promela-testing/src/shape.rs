//! The shape of a tree: without places and numbers of expressions.

use std::fmt::Write;
use volvelle_promela::ast::{ExprId, Model};

/// A text that is equal for equal trees, and for no others: the trees as Rust shows them, with expressions in place of
/// their numbers.
pub fn shape(model: &Model) -> String {
    let mut out = String::new();
    for unit in &model.units {
        // Pieces of text still to be written, the next one last.
        let mut waiting = vec![format!("{unit:?}\n")];
        while let Some(text) = waiting.pop() {
            let (before, behind) = match text.split_once("ExprId(") {
                Some((before, behind)) => (before, Some(behind)),
                None => (text.as_str(), None),
            };
            push_without_places(before, &mut out);
            let Some((digits, rest)) = behind.and_then(|behind| behind.split_once(')')) else { continue };
            let kind =
                digits.parse().ok().and_then(|index| model.exprs.0.get(ExprId(index))).map(|e| &e.kind);
            waiting.push(rest.to_owned());
            waiting.push(format!("<{kind:?}>"));
        }
    }
    out
}

fn push_without_places(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("Place(") {
        // Writing to a string does not fail.
        let _ = write!(out, "{before}_");
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
}
