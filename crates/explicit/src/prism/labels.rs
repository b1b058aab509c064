//! `.lab`: the labels that hold in every state.
//!
//! ```text
//! 0="init" 1="deadlock" 2="done"
//! 0: 0
//! 7: 1 2
//! ```

use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::text::{Cursor, Script, bit_set, show};
use std::collections::HashMap;
use std::ops::Range;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Reads a section with labels: their sets of states, in the order of the declaration.
pub(super) fn read(
    script: Script<'_>,
    range: Range<usize>,
    states: usize,
    allowance: &Allowance<'_>,
) -> Result<Vec<(String, BitSet)>, Finding> {
    let mut cursor = script.cursor(range);
    skip_comments(&mut cursor);
    let (names, places) = declaration(&mut cursor)?;
    let mut labels = Vec::new();
    for name in names {
        labels.push((name, bit_set(states, allowance)?));
    }
    let mut seen = bit_set(states, allowance)?;
    let mut lines = 0usize;
    loop {
        skip_comments(&mut cursor);
        if cursor.is_done() {
            return Ok(labels);
        }
        if lines.is_multiple_of(1 << 16) {
            allowance.check()?;
        }
        lines += 1;
        let start = cursor.at;
        let Some(state) = cursor.index() else { return Err(cursor.expected("the number of a state")) };
        let at = start..cursor.at;
        if state >= states as u64 {
            let message = format!(
                "there is no state {}: the model has {states} states",
                show(&script.bytes[at.clone()])
            );
            return Err(script.refuse(codes::EXPLICIT_RANGE, at, message));
        }
        if !cursor.eat(b':') {
            return Err(cursor.expected("`:` after the number of the state"));
        }
        if !seen.insert(state as usize) {
            let message = format!("state {state} already has labels on an earlier line");
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, at, message));
        }
        while !cursor.end_line() {
            cursor.skip_blanks();
            let start = cursor.at;
            let Some(number) = cursor.index().filter(|_| cursor.is_separated()) else {
                cursor.at = start;
                return Err(cursor.expected("the number of a label"));
            };
            let Some(&place) = places.get(&number) else {
                let at = start..cursor.at;
                let message = format!("there is no label {}", show(&script.bytes[at.clone()]));
                let finding = script.refuse(codes::EXPLICIT_RANGE, at, message);
                return Err(finding.note("the first line declares the labels with their numbers"));
            };
            labels[place].1.insert(state as usize);
        }
    }
}

/// `0="init" 1="deadlock"`: names, and the place of a label by its number.
fn declaration(cursor: &mut Cursor<'_>) -> Result<(Vec<String>, HashMap<u64, usize>), Finding> {
    let script = cursor.script;
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<&[u8], ()> = HashMap::new();
    let mut places = HashMap::new();
    while !cursor.end_line() {
        cursor.skip_blanks();
        let start = cursor.at;
        let Some(number) = cursor.index() else {
            return Err(cursor.expected("a label, such as `0=\"init\"`"));
        };
        let at = start..cursor.at;
        if !(cursor.eat(b'=') && cursor.eat(b'"')) {
            return Err(cursor.expected("`=` and a name in quotes"));
        }
        let from = cursor.at;
        let rest = &cursor.bytes[from..];
        let end = rest.iter().position(|&b| b == b'"' || b == b'\n');
        let Some(length) = end.filter(|&end| rest[end] == b'"') else {
            let message = "the quotation mark is not closed on this line";
            return Err(script.refuse(codes::EXPLICIT_SYNTAX, from - 1..from, message));
        };
        cursor.at = from + length + 1;
        let name = &rest[..length];
        if places.insert(number, names.len()).is_some() {
            return Err(script.refuse(
                codes::EXPLICIT_STRUCTURE,
                at,
                format!("two labels have the number {number}"),
            ));
        }
        if known.insert(name, ()).is_some() {
            let message = format!("two labels are named {}", show(name));
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, from..from + length, message));
        }
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    Ok((names, places))
}

/// Moves to the next line that has text and is no comment.
pub(super) fn skip_comments(cursor: &mut Cursor<'_>) {
    while !cursor.is_done() {
        cursor.skip_blanks();
        match cursor.peek() {
            Some(b'#') => cursor.next_line(),
            _ if cursor.is_line_end() => cursor.next_line(),
            _ => break,
        }
    }
}
