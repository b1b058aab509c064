//! LaTeX.

/// A text for the argument of a command such as `\textit`, in which it can be nothing but itself. Lines become one.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => out.extend(['\\', c]),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\char34{}"),
            // Two of them would become one sign.
            '-' | '`' | '\'' | ',' | '?' | '!' => out.extend([c, '{', '}']),
            '\n' | '\t' | ' ' => out.push(' '),
            c if c.is_ascii_graphic() => out.push(c),
            // Fonts may lack it, and terminals obey some.
            c => out.push_str(&format!("[U+{:04X}]", u32::from(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_is_left_of_commands() {
        assert_eq!(
            escaped("\\input{x} $a_1^2$ 50% #1 & ~"),
            "\\textbackslash{}input\\{x\\} \\$a\\_1\\textasciicircum{}2\\$ 50\\% \\#1 \\& \\textasciitilde{}"
        );
        assert_eq!(escaped("a--b\n\u{1b}é"), "a-{}-{}b [U+001B][U+00E9]");
    }
}
