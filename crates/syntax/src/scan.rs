//! Ends of things: how far digits, numbers and texts in quotes go.

/// Behind the digits from a place on.
#[inline]
pub fn digits(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Behind digits, a point before digits, and an exponent: `7`, `.5`, `2.5E+7`. A point without digits and an `e` without an exponent
/// are no part of it.
pub fn decimal(bytes: &[u8], at: usize) -> usize {
    let mut end = digits(bytes, at);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(bytes, end + 1);
    }
    exponent(bytes, end)
}

/// Behind an exponent that begins at a place; that place if there is none.
pub fn exponent(bytes: &[u8], at: usize) -> usize {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return at;
    }
    let first = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    if bytes.get(first).is_some_and(u8::is_ascii_digit) { digits(bytes, first) } else { at }
}

/// Behind ASCII letters, digits and `_`.
pub fn word(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// Behind the character at a place; one byte further where there is none.
pub fn character(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// Up to the end of the line.
#[inline]
pub fn line(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| **byte != b'\n').count()
}
