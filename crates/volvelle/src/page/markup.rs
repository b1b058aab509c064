//! Text, tables and lists inside HTML and SVG.

/// Escapes a text for the inside of an element or an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in documents.
            c if c.is_control() && c != '\n' && c != '\t' || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            c => out.push(c),
        }
    }
    out
}

/// A table with a line for each row. Cells are markup.
pub fn table(class: &str, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut out = format!("<div class=\"scroll\"><table class=\"{class}\">\n<thead><tr>");
    for head in heads {
        out.push_str(&format!("<th scope=\"col\">{}</th>", escaped(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out.push_str(&format!("<td>{cell}</td>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// A list of names with values, as markup; what has no value is left out.
pub fn facts(facts: &[(&str, String)]) -> String {
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    let lines: String =
        facts.map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n")).collect();
    if lines.is_empty() { lines } else { format!("<dl>\n{lines}</dl>\n") }
}

/// What differs from run to run: times, and the code that was fastest.
pub fn cost(text: &str) -> String {
    format!("<span class=\"cost\">{}</span>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_is_left_of_markup() {
        assert_eq!(
            escaped("<b a='1' b=\"2\">&\u{1b}"),
            "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\u{fffd}"
        );
        assert_eq!(escaped("a\tb\n"), "a\tb\n");
    }
}
