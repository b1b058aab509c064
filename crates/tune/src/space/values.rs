//! Lists of values as texts: `[1, 2, 4]`, `1, 2, 4`, `range(1, 9)`, `['a', 'b']`, `[True, False]`; `1..8` by steps of one and
//! `1..64:*2` by doubling.

use super::lexer::{Kind, Mistake, Token, tokens};
use crate::Value;

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
    let mut words = Words { tokens: tokens(text)?, at: 0 };
    // `list(range(…))` is what other tools write as a text of Python.
    let is_list = words.takes_name("list");
    if is_list {
        words.expect("(")?;
    }
    let found = if words.takes_name("range") { words.range()? } else { words.list()? };
    if is_list {
        words.expect(")")?;
    }
    match words.tokens[words.at].kind {
        Kind::End => {}
        _ => {
            return Err(Mistake::new(
                "the list of values ends before this",
                words.tokens[words.at].place.clone(),
            ));
        }
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

struct Words {
    tokens: Vec<Token>,
    at: usize,
}

impl Words {
    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(&self.tokens[self.at].kind, Kind::Sign(found) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let found = matches!(&self.tokens[self.at].kind, Kind::Name(found) if found == name);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        let place = self.tokens[self.at].place.clone();
        if self.takes(sign) {
            Ok(())
        } else {
            Err(Mistake::new(format!("`{sign}` was expected here"), place))
        }
    }

    fn list(&mut self) -> Result<Vec<Value>, Mistake> {
        let close = if self.takes("[") {
            Some("]")
        } else if self.takes("(") {
            Some(")")
        } else {
            None
        };
        let mut found = Vec::new();
        loop {
            if close.is_some_and(|close| self.takes(close)) {
                return Ok(found);
            }
            if close.is_none() && matches!(self.tokens[self.at].kind, Kind::End) {
                return Ok(found);
            }
            found.push(self.value()?);
            if !self.takes(",") {
                if let Some(close) = close {
                    self.expect(close)?;
                }
                return Ok(found);
            }
        }
    }

    fn value(&mut self) -> Result<Value, Mistake> {
        let is_negative = self.takes("-");
        let token = self.tokens[self.at].clone();
        let value = match token.kind {
            Kind::Int(value) => Value::Int(if is_negative { -value } else { value }),
            Kind::Float(value) => Value::Float(if is_negative { -value } else { value }),
            _ if is_negative => return Err(Mistake::new("a number was expected here", token.place)),
            Kind::Text(text) => Value::Text(text),
            Kind::Name(name) => match name.as_str() {
                "True" | "true" => Value::Bool(true),
                "False" | "false" => Value::Bool(false),
                name => Value::Text(name.to_owned()),
            },
            _ => return Err(Mistake::new("a value was expected here", token.place)),
        };
        self.at += 1;
        Ok(value)
    }

    fn range(&mut self) -> Result<Vec<Value>, Mistake> {
        let start = self.tokens[self.at].place.start;
        self.expect("(")?;
        let mut numbers = Vec::new();
        loop {
            let place = self.tokens[self.at].place.clone();
            match self.value()? {
                Value::Int(value) => numbers.push(value),
                _ => return Err(Mistake::new("a whole number was expected here", place)),
            }
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        let (first, end, step) = match *numbers.as_slice() {
            [end] => (0, end, 1),
            [first, end] => (first, end, 1),
            [first, end, step] if step != 0 => (first, end, step),
            _ => {
                let place = start..self.tokens[self.at].place.start;
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
}
