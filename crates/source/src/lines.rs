//! Lines of text, indented, and broken where they are too long.

/// Longest line, unless there is no place to break it.
const WIDTH: usize = 110;

/// Text under construction.
#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) text: String,
    /// Blocks around.
    pub(crate) depth: usize,
}

impl Lines {
    /// Adds a line of C.
    pub(crate) fn line(&mut self, line: &str) {
        let mut rest = line;
        let mut depth = self.depth;
        loop {
            let width = WIDTH.saturating_sub(4 * depth).max(WIDTH / 3);
            let at = if rest.contains("//") { None } else { place_to_break(rest, width) };
            let (head, tail) = at.map_or((rest, ""), |at| (&rest[..at], rest[at..].trim_start()));
            if !head.is_empty() {
                self.text.extend(std::iter::repeat_n("    ", depth));
                self.text.push_str(head);
            }
            self.text.push('\n');
            if tail.is_empty() {
                return;
            }
            rest = tail;
            depth = self.depth + 1;
        }
    }
}

/// The space at which a line is best broken: between the fewest brackets, and as far behind as possible.
fn place_to_break(line: &str, width: usize) -> Option<usize> {
    if line.len() <= width {
        return None;
    }
    let bytes = line.as_bytes();
    let mut brackets = 0i32;
    let mut best = None;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets -= 1,
            b' ' if at > width && best.is_some() => break,
            b' ' if at > width / 3
                && is_in_front_of_operator(&bytes[at + 1..])
                && best.is_none_or(|(least, _)| brackets <= least) =>
            {
                best = Some((brackets, at));
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at)
}

/// Operators begin a line; a sign without a space after it is not an operator.
fn is_in_front_of_operator(rest: &[u8]) -> bool {
    let length = rest.iter().position(|&byte| byte == b' ').unwrap_or(0);
    matches!(
        &rest[..length],
        b"+" | b"-" | b"*" | b"/" | b"%" | b"&" | b"|" | b"^" | b"<<" | b">>" | b"&&" | b"||" | b"?" | b":"
    )
}

/// A note of any text as the rest of a line.
pub(crate) fn comment(note: &str) -> String {
    // A backslash at the end would make a comment of the next line.
    note.chars().map(|c| if c == ' ' || (c.is_ascii_graphic() && c != '\\') { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_operators() {
        let mut lines = Lines { depth: 1, ..Lines::default() };
        let term = "(aaaaaaaaaa * bbbbbbbbbb + cccccccccc)";
        lines.line(&format!("x = {};", [term; 4].join(" - ")));
        lines.line("");
        let first = format!("    x = {term} - {term}\n");
        let second = format!("        - {term} - {term};\n");
        assert_eq!(lines.text, format!("{first}{second}\n"));
    }
}
