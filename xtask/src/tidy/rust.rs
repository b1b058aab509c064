//! Telling code from comments and literals in Rust text, without parsing it.

/// The text with the insides of comments, strings and character literals turned into spaces; line breaks stay, so
/// that line numbers hold.
pub fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if text[at..].starts_with("//") => line_end(bytes, at),
            b'/' if text[at..].starts_with("/*") => block_comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'r' if !is_word(bytes, at) => match raw_string_end(text, at) {
                Some(end) => end,
                None => at,
            },
            b'\'' => char_end(text, at),
            _ => at,
        };
        if end == at {
            let c = text[at..].chars().next().expect("a character starts here");
            out.push(c);
            at += c.len_utf8();
        } else {
            out.extend(text[at..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Whether the byte before `at` belongs to a word, so that an `r` here starts no raw string (`br"` is one, but then
/// its quotation marks are found as those of a plain string).
fn is_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n)
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i < bytes.len() {
        match &bytes[i..bytes.len().min(i + 2)] {
            b"/*" => (depth, i) = (depth + 1, i + 2),
            b"*/" => {
                (depth, i) = (depth - 1, i + 2);
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

fn raw_string_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    if !rest[hashes..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let body = at + 1 + hashes + 1;
    Some(text[body..].find(&close).map_or(text.len(), |n| body + n + close.len()))
}

/// The end of a character literal, or `at` for a lifetime.
fn char_end(text: &str, at: usize) -> usize {
    let mut chars = text[at + 1..].char_indices();
    match chars.next() {
        Some((_, '\\')) => {
            let from = at + 3;
            text.get(from..).and_then(|rest| rest.find('\'')).map_or(at, |n| from + n + 1)
        }
        Some(_) => match chars.next() {
            Some((i, '\'')) => at + 1 + i + 1,
            _ => at,
        },
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::code_only;

    #[test]
    fn comments_and_literals_vanish() {
        assert_eq!(code_only("a // b\nc"), "a     \nc");
        assert_eq!(code_only("a /* b /* c */ d */ e"), format!("a {} e", " ".repeat(17)));
        assert_eq!(code_only(r#"f("un\"safe") + 1"#), format!("f({}) + 1", " ".repeat(10)));
        assert_eq!(code_only("g(r#\"a\"b\"#);"), format!("g({});", " ".repeat(8)));
        assert_eq!(code_only("'\"' x '\\'' y"), "    x      y");
        assert_eq!(code_only("for<'a> &'a str"), "for<'a> &'a str");
        assert_eq!(code_only("'\\u{1F600}' z"), format!("{} z", " ".repeat(11)));
    }

    #[test]
    fn lines_stay_where_they_are_and_nothing_panics() {
        let text = "\"two\nlines\" 'é' r\"\n\" /*\n*/ é 'x";
        assert_eq!(code_only(text).lines().count(), text.lines().count());
        for end in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
            code_only(&text[..end]);
        }
        code_only("\"\\");
        code_only("'\\");
        code_only("r#");
    }
}
