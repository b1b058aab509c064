//! Characters that act on a terminal instead of being shown.

use std::borrow::Cow;

/// Whether a character acts instead of being shown: the controls of C0, C1 and DEL, those that reorder lines of text or end them,
/// and code points that are no characters.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff9}'..='\u{fffb}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// A text on one line: line ends and tabs are written as `\n`, `\r` and `\t`, other harmful characters as `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// A text of several lines.
pub fn lines(text: &str) -> Cow<'_, str> {
    shown(text, |c| c == '\n')
}

/// A document of several lines in which tabs are white space.
pub fn document(text: &str) -> Cow<'_, str> {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

fn shown(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_replaced = |c: char| is_harmful(c) && !is_kept(c);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !is_replaced(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

/// The character that stands for a harmful one where each must take one column: the picture of a control of C0 (`␛`), else `�`.
pub fn pictured(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ if is_harmful(c) => '\u{fffd}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts() {
        assert_eq!(line("a\u{1b}[2J\u{7}\r\n\tb"), "a\\u{1b}[2J\\u{7}\\r\\n\\tb");
        assert_eq!(document("a\u{9b}2J\r\n\tb"), "a\\u{9b}2J\\r\n\tb");
        assert_eq!(line("ä → 中 \u{202e}x\u{2069}"), "ä → 中 \\u{202e}x\\u{2069}");
        assert!(matches!(line("P=? [ F x=1 ]"), Cow::Borrowed(_)));
        let all: String = (0..=char::MAX as u32).filter_map(char::from_u32).collect();
        assert!(!line(&all).contains(is_harmful));
        assert!(!all.chars().map(pictured).any(is_harmful));
    }
}
