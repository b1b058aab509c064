//! What names and quoted texts mean: their escapes.

/// The character of an escape of a name behind its `\`, and how many bytes it has.
pub(crate) fn escape_of_name(bytes: &[u8]) -> Option<(char, usize)> {
    let behind = bytes.strip_prefix(b"u")?;
    let (digits, length) = match behind.strip_prefix(b"{") {
        Some(inner) => {
            let end = inner.iter().take(9).position(|&byte| byte == b'}')?;
            (&inner[..end], end + 3)
        }
        None => (behind.get(..4)?, 5),
    };
    Some((char::from_u32(hexadecimal(digits)?)?, length))
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits
        .iter()
        .try_fold(0u32, |value, &digit| Some(value.checked_mul(16)? + char::from(digit).to_digit(16)?))
}

/// A name without its escapes.
pub(crate) fn name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        rest = match escape_of_name(behind.as_bytes()) {
            Some((character, length)) => {
                name.push(character);
                &behind[length..]
            }
            None => behind,
        };
    }
    name.push_str(rest);
    name
}

/// A quoted text without quotes and escapes, and whether it has octal ones. A part of a text that has no closing quote is read too.
pub(crate) fn quoted(text: &str) -> (String, bool) {
    let quote = &text[..1];
    let inner = &text[1..];
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let (mut value, mut has_octal) = (String::with_capacity(inner.len()), false);
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else { break };
        let mut length = first.len_utf8();
        match first {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            'b' => value.push('\u{8}'),
            'f' => value.push('\u{c}'),
            'v' => value.push('\u{b}'),
            '\r' if rest[1..].starts_with('\n') => length = 2,
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {}
            'x' => match rest.as_bytes().get(1..3).and_then(hexadecimal).and_then(char::from_u32) {
                Some(character) => {
                    value.push(character);
                    length = 3;
                }
                None => value.push('x'),
            },
            'u' => match escape_of_name(rest.as_bytes()) {
                Some((character, bytes)) => {
                    value.push(character);
                    length = bytes;
                }
                None => value.push('u'),
            },
            '0'..='7' => {
                let most = if first <= '3' { 3 } else { 2 };
                let digits = rest.bytes().take(most).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let code = rest.bytes().take(digits).fold(0, |code, byte| code * 8 + u32::from(byte - b'0'));
                value.extend(char::from_u32(code));
                let is_nul = first == '0' && digits == 1 && !rest[1..].starts_with(['8', '9']);
                has_octal |= !is_nul;
                length = digits;
            }
            other => {
                has_octal |= matches!(other, '8' | '9');
                value.push(other);
            }
        }
        rest = &rest[length..];
    }
    value.push_str(rest);
    (value, has_octal)
}
