//! Texts of messages as JSON.

use serde_json::{Error, Value};
use std::borrow::Cow;

/// Reads a text. Halves of pairs of surrogates are mended.
///
/// # Errors
/// It is no JSON.
pub fn read(bytes: &[u8]) -> Result<Value, Error> {
    let read = serde_json::from_slice(bytes);
    read.or_else(|error| serde_json::from_slice(&paired(bytes)).map_err(|_| error))
}

/// The same JSON with U+FFFD for each half of a pair of surrogates without the other: no text contains it, but editors that count in
/// units of 16 bits may cut a pair. The number of these units stays the same.
fn paired(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Cow<'_, [u8]> = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| byte == b'\\')) {
        at += found;
        match unit(bytes, at) {
            None => at += 2,
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                mended.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            Some(_) => at += 6,
        }
    }
    mended
}

/// The unit of an escape such as `\ud83d`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u16::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs() {
        let text = |json: &str| match read(format!(r#"["{json}"]"#).as_bytes()) {
            Ok(value) => value[0].as_str().expect("a text").to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(r"\ud834\udd1e"), "𝄞");
        assert_eq!(text(r"\ud834"), "\u{fffd}");
        assert_eq!(text(r"\udd1e\ud834"), "\u{fffd}\u{fffd}");
        assert_eq!(text(r"\ud834\ud834\udd1e"), "\u{fffd}𝄞");
        assert_eq!(text(r"\\ud834 \uDD1E."), "\\ud834 \u{fffd}.");
        assert!(read(br#"["\ud83"]"#).is_err());
    }
}
