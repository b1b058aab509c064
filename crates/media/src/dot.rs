//! Texts in the language of Graphviz.

use crate::visible;

/// A text within the quotation marks of a label: its line ends break the label's lines.
///
/// Labels of circles and boxes have no fields and no markup; what is left to escape are the quotation mark, the backslash, and `&`
/// where Graphviz would read the name of a character.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push_str("\\n");
        }
        let line = visible::line(line);
        for (at, c) in line.char_indices() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '&' if is_entity(&line[at + 1..]) => out.push_str("&amp;"),
                c => out.push(c),
            }
        }
    }
    out
}

/// Whether the name or the number of a character stands here, up to its semicolon.
fn is_entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let length = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    length > 0 && name[length..].starts_with(';')
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn labels_stay_labels() {
        assert_eq!(escaped("a\"; b \\l <b> {x|y}"), "a\\\"; b \\\\l <b> {x|y}");
        assert_eq!(escaped("a\nb\r\u{1b}"), "a\\nb\\\\r\\\\u{1b}");
        assert_eq!(escaped("x && y; &lt; &#60; &;"), "x && y; &amp;lt; &amp;#60; &;");
    }
}
