//! `.sta` and `.obs`: the values of variables for every state or observation.
//!
//! ```text
//! (x,done)
//! 0:(3,false)
//! ```

use super::labels::skip_comments;
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Column, Entity, Integers, Valuations, Variable};
use crate::text::{Cursor, Script, show};
use std::ops::Range;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Values of a variable; the first one tells the type.
enum Values {
    Unknown,
    Bool(Vec<u64>, usize),
    Int(Integers),
}

/// Reads a section with the values of `count` states or observations.
pub(super) fn read(
    script: Script<'_>,
    range: Range<usize>,
    on: Entity,
    count: usize,
    allowance: &Allowance<'_>,
) -> Result<Valuations, Finding> {
    let mut cursor = script.cursor(range);
    skip_comments(&mut cursor);
    let names = names(&mut cursor)?;
    let mut columns: Vec<Values> = names.iter().map(|_| Values::Unknown).collect();
    for place in 0..count {
        if place.is_multiple_of(1 << 16) {
            allowance.check()?;
        }
        skip_comments(&mut cursor);
        if cursor.is_done() {
            let message = format!("the model has {count} {}, but the file has {place}", on.name());
            return Err(script.refuse(codes::EXPLICIT_COUNT, cursor.at..cursor.at, message));
        }
        let start = cursor.at;
        let Some(number) = cursor.index() else {
            return Err(cursor.expected(&format!("the number of a {}", on.singular())));
        };
        if number != place as u64 {
            return Err(out_of_order(script, on, number, place, start..cursor.at));
        }
        if !(cursor.eat(b':') && cursor.eat(b'(')) {
            return Err(cursor.expected("`:(` and the values of the variables"));
        }
        for (i, column) in columns.iter_mut().enumerate() {
            if i > 0 && !cursor.eat(b',') {
                return Err(cursor.expected(&format!("`,` and the value of `{}`", names[i])));
            }
            column.read(&mut cursor, &names[i])?;
        }
        if !cursor.eat(b')') {
            return Err(cursor.expected("`)` after the last value"));
        }
        if !cursor.end_line() {
            return Err(cursor.expected("the end of the line"));
        }
    }
    skip_comments(&mut cursor);
    if !cursor.is_done() {
        let message = format!("the model has {count} {}, but the file has more", on.name());
        return Err(script.refuse(codes::EXPLICIT_COUNT, cursor.here(), message));
    }
    let variables: Vec<Variable> = (names.into_iter().zip(columns))
        .map(|(name, column)| {
            let values = column.finish();
            let bounds = if let Column::Int(values) = &values { values.bounds() } else { None };
            Variable { name, values, present: None, bounds }
        })
        .collect();
    allowance.take(variables.iter().map(|variable| variable.values.bytes()).sum())?;
    Ok(Valuations { on, unique: true, variables })
}

#[cold]
fn out_of_order(script: Script<'_>, on: Entity, number: u64, place: usize, at: Range<usize>) -> Finding {
    let thing = on.singular();
    let message = if number < place as u64 {
        format!("{thing} {number} is repeated or out of order: expected {thing} {place}")
    } else {
        format!("{thing} {place} is missing before {thing} {number}")
    };
    script.refuse(codes::EXPLICIT_STRUCTURE, at, message)
}

/// `(x,done)`
fn names(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Finding> {
    let script = cursor.script;
    if !cursor.eat(b'(') {
        return Err(cursor.expected("the names of the variables in parentheses"));
    }
    let line = cursor.rest_of_line();
    let Some((b')', inside)) = cursor.bytes[line.clone()].split_last() else {
        return Err(script.refuse(
            codes::EXPLICIT_SYNTAX,
            line.end..line.end,
            "expected `)` at the end of the line",
        ));
    };
    cursor.next_line();
    let mut names: Vec<String> = Vec::new();
    if inside.trim_ascii().is_empty() {
        return Ok(names);
    }
    let mut at = line.start;
    for name in inside.split(|&b| b == b',') {
        let range = at..at + name.len();
        at = range.end + 1;
        let name = String::from_utf8_lossy(name.trim_ascii()).into_owned();
        if name.is_empty() || names.contains(&name) {
            let message = if name.is_empty() {
                "a variable without a name".to_owned()
            } else {
                format!("two variables are named {}", show(name.as_bytes()))
            };
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, range, message));
        }
        names.push(name);
    }
    Ok(names)
}

impl Values {
    fn read(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Result<(), Finding> {
        cursor.skip_blanks();
        let start = cursor.at;
        let truth = match cursor.peek() {
            Some(b't') if cursor.eat_text("true") => Some(true),
            Some(b'f') if cursor.eat_text("false") => Some(false),
            _ => None,
        };
        if let Values::Unknown = self {
            *self = match truth {
                Some(_) => Values::Bool(Vec::new(), 0),
                None => Values::Int(Integers::default()),
            };
        }
        match (self, truth) {
            (Values::Bool(words, count), Some(truth)) => {
                if count.is_multiple_of(64) {
                    words.push(0);
                }
                if let Some(word) = words.last_mut() {
                    *word |= u64::from(truth) << (*count % 64);
                }
                *count += 1;
                Ok(())
            }
            (Values::Int(values), None) => {
                let negative = cursor.eat(b'-');
                let magnitude = cursor.index().and_then(|value| i64::try_from(value).ok());
                let value = magnitude.map(|value| if negative { -value } else { value });
                let Some(value) = value.filter(|&value| i32::try_from(value).is_ok()) else {
                    cursor.at = start;
                    return Err(cursor.expected(&format!("the value of `{name}`: a 32-bit integer")));
                };
                values.push(value);
                Ok(())
            }
            (known, _) => {
                cursor.at = start;
                let is_bool = matches!(known, Values::Bool(..));
                let expected = if is_bool { "`true` or `false`" } else { "an integer" };
                Err(cursor.expected(&format!("{expected}, like the value of `{name}` in state 0")))
            }
        }
    }

    fn finish(self) -> Column {
        match self {
            Values::Unknown => Column::Int(Integers::default()),
            Values::Bool(words, count) => Column::Bool(BitSet::from_words(words, count)),
            Values::Int(values) => Column::Int(values),
        }
    }
}
