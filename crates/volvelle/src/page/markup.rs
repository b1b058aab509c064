//! Text, tables and lists inside HTML and SVG.

pub use volvelle_media::markup::escaped;

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
