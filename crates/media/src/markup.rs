//! HTML and SVG.

use crate::visible;

/// A text for the inside of an element or of an attribute in quotation marks. Line ends and tabs stay.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible::document(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_is_left_of_markup() {
        assert_eq!(
            escaped("<b a='1' b=\"2\">&\u{1b}]]>"),
            "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\\u{1b}]]&gt;"
        );
        assert_eq!(escaped("a\tb\n"), "a\tb\n");
    }
}
