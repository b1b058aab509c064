//! Places in a JSON text (RFC 8259): the values of arrays and objects, one after the other, without a tree.
//!
//! The text has been found right before: what is looked for here is only where values end. A number keeps its digits, an object the order
//! of its members, and every value its place. Nothing recurses.

use std::borrow::Cow;

/// The bytes of a value, without the blanks around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// A JSON text without mistakes.
#[derive(Clone, Copy)]
pub struct Json<'t>(pub &'t str);

impl<'t> Json<'t> {
    /// The value that the text is.
    pub fn root(self) -> Value {
        let start = self.blank(0);
        Value { start, end: self.value_end(start) }
    }

    /// The text of a value.
    pub fn text(self, value: Value) -> &'t str {
        &self.0[value.start..value.end]
    }

    /// What a text in quotation marks stands for; `None` where the value is no such text, or half of a surrogate pair is in it.
    pub fn string(self, value: Value) -> Option<Cow<'t, str>> {
        let text = self.text(value);
        let inner = text.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(text).ok().map(Cow::Owned)
    }

    /// The values of an array; `None` where the value is none.
    pub fn items(self, value: Value) -> Option<impl Iterator<Item = Value> + use<'t>> {
        self.text(value).starts_with('[').then(|| Parts { json: self, at: value.start + 1 })
    }

    /// Names and values of an object, in the order of the text; `None` where the value is none.
    pub fn members(self, value: Value) -> Option<impl Iterator<Item = (Value, Value)> + use<'t>> {
        let mut parts = Parts { json: self, at: value.start + 1 };
        let is_object = self.text(value).starts_with('{');
        is_object.then(|| std::iter::from_fn(move || Some((parts.next()?, parts.next()?))))
    }

    fn byte(self, at: usize) -> u8 {
        self.0.as_bytes().get(at).copied().unwrap_or(b']')
    }

    fn blank(self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\n' | b'\r' | b'\t') {
            at += 1;
        }
        at
    }

    fn value_end(self, start: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = start;
        while at < self.0.len() {
            match self.byte(at) {
                b'"' => {
                    at += 1;
                    while at < self.0.len() && self.byte(at) != b'"' {
                        at += if self.byte(at) == b'\\' { 2 } else { 1 };
                    }
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ if depth > 0 => {
                    at += 1;
                    continue;
                }
                // A number or a word.
                _ => {
                    let is_inside = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
                    return start + self.0.as_bytes()[start..].iter().take_while(|b| is_inside(**b)).count();
                }
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
        self.0.len()
    }
}

/// Values that commas or colons separate.
struct Parts<'t> {
    json: Json<'t>,
    at: usize,
}

impl Iterator for Parts<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let mut start = self.json.blank(self.at);
        if matches!(self.json.byte(start), b',' | b':') {
            start = self.json.blank(start + 1);
        }
        if matches!(self.json.byte(start), b']' | b'}') {
            return None;
        }
        self.at = self.json.value_end(start);
        Some(Value { start, end: self.at })
    }
}
