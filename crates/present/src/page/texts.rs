//! The texts that a run read, with numbered lines.

use super::markup::escaped;
use crate::format::count;
use volvelle_diagnostics::{FileId, Source, Sources};

/// Lines of a text that are shown.
const MOST_LINES: usize = 3_000;
/// Bytes of a text that are shown.
const MOST_BYTES: usize = 200_000;
/// Lines up to which the text of a single file is open at first.
const FEW_LINES: usize = 40;

/// The texts, each in a block that can be opened; a short model is open at first.
pub fn texts(sources: &Sources) -> String {
    let all = (0..).map_while(|number| sources.get(FileId(number)));
    // Texts of options are in the command line, and models that are no text have none.
    let files = all.filter(|source| !source.name.starts_with("--") && !source.text.is_empty());
    files.enumerate().map(|(i, source)| block(source, i == 0)).collect()
}

fn block(text: &Source, is_model: bool) -> String {
    let lines = text.text.lines().count();
    let mut bytes = 0;
    let shown: Vec<&str> = (text.text.lines())
        .take(MOST_LINES)
        .take_while(|line| {
            bytes += line.len() + 1;
            bytes <= MOST_BYTES
        })
        .collect();
    let open = if is_model && lines <= FEW_LINES { " open=\"open\"" } else { "" };
    let numbered: String = shown.iter().map(|line| format!("<span>{}\n</span>", escaped(line))).collect();
    let cut = match lines - shown.len() {
        0 => String::new(),
        more => format!("<p class=\"doubt\">{} more lines are not shown.</p>\n", count(more as u64)),
    };
    format!(
        "<details{open}>\n<summary><code>{}</code>, {} {}</summary>\n<pre class=\"source\">{numbered}</pre>\n{cut}</details>\n",
        escaped(&text.name),
        count(lines as u64),
        if lines == 1 { "line" } else { "lines" },
    )
}
