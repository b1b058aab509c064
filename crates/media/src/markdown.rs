//! Markdown, as editors draw it: a text that users control is text, and no link, image, emphasis or element.

/// Characters with a meaning somewhere in a line (CommonMark 0.31, section 2.4: each may stand behind a backslash).
const SPECIAL: &str = "\\`*_{}[]<>()#+-.!|~&$:";

/// A text, whose lines stay lines.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_at_start = true;
    for character in text.chars() {
        // White space at the beginning of a line would make code of it.
        if is_at_start && character != '\n' && character.is_whitespace() {
            continue;
        }
        is_at_start = character == '\n';
        if SPECIAL.contains(character) {
            out.push('\\');
        }
        out.push(match character {
            '\n' => '\n',
            '\t' => ' ',
            other => crate::pictured(other),
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn names_are_text() {
        assert_eq!(text("queue 2 ä"), "queue 2 ä");
        assert_eq!(text("[x](http://y)"), r"\[x\]\(http\://y\)");
        assert_eq!(text("<b> `c` *d* _e_ &amp;"), r"\<b\> \`c\` \*d\* \_e\_ \&amp;");
        assert_eq!(text("    code\n\t# title\n- item\n1. one"), "code\n\\# title\n\\- item\n1\\. one");
        assert!(!text("\u{1b}[31m\u{202e}").contains(['\u{1b}', '\u{202e}']));
    }
}
