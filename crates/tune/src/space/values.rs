//! Lists of values as texts: `[1, 2, 4]`, `1, 2, 4`, `range(1, 9)`, `['a', 'b']`, `[True, False]`; `1..8` by steps of one and
//! `1..64:*2` by doubling.

use super::lexer::{Kind, Mistake, T, place, whole, words};
use crate::Value;
use volvelle_syntax::{Cursor, Spelt, one_of};

/// Limit of values in a list: they are numbered with 16 bits.
const MOST: usize = 1 << 16;

/// Reads a list of values.
///
/// # Errors
/// The first mistake.
pub fn values(text: &str) -> Result<Vec<Value>, Mistake> {
    if let Some((first, last)) = text.split_once("..") {
        return span(text, first, last);
    }
    let mut words = words(text)?;
    // `list(range(…))` is what other tools write as a text of Python.
    let is_list = words.take_word("list");
    if is_list {
        expect(&mut words, T!["("])?;
    }
    let found = if words.take_word("range") { range(&mut words)? } else { list(&mut words)? };
    if is_list {
        expect(&mut words, T![")"])?;
    }
    if !words.at_end() {
        return Err(Mistake::new("the list of values ends before this", place(words.token())));
    }
    check(found, text)
}

fn check(found: Vec<Value>, text: &str) -> Result<Vec<Value>, Mistake> {
    if found.is_empty() {
        return Err(Mistake::new("there are no values", 0..text.len()));
    }
    if found.len() > MOST {
        return Err(Mistake::new(format!("these are more than {MOST} values"), 0..text.len()));
    }
    Ok(found)
}

/// `first..last`, `first..last:step`, `first..last:*factor`.
fn span(text: &str, first: &str, last: &str) -> Result<Vec<Value>, Mistake> {
    let (last, step) = last.split_once(':').unwrap_or((last, "1"));
    let number = |word: &str| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        word.trim()
            .parse::<i64>()
            .map_err(|_| Mistake::new("a whole number was expected here", at..at + word.len()))
    };
    let (first, last) = (number(first)?, number(last)?);
    let factor = step.trim().strip_prefix('*');
    let by = if step == "1" { 1 } else { number(factor.unwrap_or(step))? };
    let advances = if factor.is_some() { by > 1 && first > 0 } else { by > 0 };
    if !advances {
        return Err(Mistake::new("these steps do not lead from the first value to the last", 0..text.len()));
    }
    let mut found = Vec::new();
    let mut next = Some(first);
    while let Some(value) = next.filter(|value| *value <= last) {
        found.push(Value::Int(value));
        if found.len() > MOST {
            break;
        }
        next = if factor.is_some() { value.checked_mul(by) } else { value.checked_add(by) };
    }
    check(found, text)
}

type Words<'t> = Cursor<'t, Kind>;

fn expect(words: &mut Words, kind: Kind) -> Result<(), Mistake> {
    let place = place(words.token());
    let was_expected = || Mistake::new(format!("{} was expected here", one_of(&[kind])), place);
    if words.take(kind) { Ok(()) } else { Err(was_expected()) }
}

fn list(words: &mut Words) -> Result<Vec<Value>, Mistake> {
    let close = match words.peek() {
        T!["["] => T!["]"],
        T!["("] => T![")"],
        _ => Kind::End,
    };
    if close != Kind::End {
        words.advance();
    }
    let mut found = Vec::new();
    while !words.take(close) {
        found.push(value(words)?);
        if !words.take(T![","]) {
            if close != Kind::End {
                expect(words, close)?;
            }
            break;
        }
    }
    Ok(found)
}

fn value(words: &mut Words) -> Result<Value, Mistake> {
    let is_negative = words.take(T!["-"]);
    let (token, word) = (words.token(), words.word());
    let wrong = |wanted| Mistake::new(format!("{wanted} was expected here"), place(token));
    let value = match token.kind {
        Kind::Int => {
            let value = whole(word).ok_or_else(|| wrong("a number"))?;
            Value::Int(if is_negative { -value } else { value })
        }
        Kind::Float => {
            let value: f64 = word.parse().map_err(|_| wrong("a number"))?;
            Value::Float(if is_negative { -value } else { value })
        }
        _ if is_negative => return Err(wrong("a number")),
        Kind::Text => Value::Text(word[1..word.len() - 1].to_owned()),
        Kind::Name if matches!(word, "True" | "true") => Value::Bool(true),
        Kind::Name if matches!(word, "False" | "false") => Value::Bool(false),
        kind if kind == Kind::Name || kind.is_word() => Value::Text(word.to_owned()),
        _ => return Err(wrong("a value")),
    };
    words.advance();
    Ok(value)
}

fn range(words: &mut Words) -> Result<Vec<Value>, Mistake> {
    let start = words.token().start as usize;
    expect(words, T!["("])?;
    let mut numbers = Vec::new();
    loop {
        let place = place(words.token());
        match value(words)? {
            Value::Int(value) => numbers.push(value),
            _ => return Err(Mistake::new("a whole number was expected here", place)),
        }
        if !words.take(T![","]) {
            break;
        }
    }
    expect(words, T![")"])?;
    let (first, end, step) = match *numbers.as_slice() {
        [end] => (0, end, 1),
        [first, end] => (first, end, 1),
        [first, end, step] if step != 0 => (first, end, step),
        _ => {
            let place = start..words.token().start as usize;
            return Err(Mistake::new("a range has a first value, an end and a step other than 0", place));
        }
    };
    let mut found = Vec::new();
    let mut next = Some(first);
    while let Some(value) = next.filter(|value| if step > 0 { *value < end } else { *value > end }) {
        found.push(Value::Int(value));
        if found.len() > MOST {
            break;
        }
        next = value.checked_add(step);
    }
    Ok(found)
}
