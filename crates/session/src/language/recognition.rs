//! What tells the language of a file: the ending of its name, its beginning as text, and its first word.

/// Bytes that may hold the first word, behind comments.
const BEGINNING: usize = 1 << 16;

/// The beginning of a file as text, up to the first byte that is no part of one.
pub fn beginning(bytes: &[u8]) -> &str {
    let bytes = &bytes[..bytes.len().min(BEGINNING)];
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    }
}

/// The ending of a file name, without the dot.
pub fn ending(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The first word that is in no comment (`// …`, `/* … */`, `(* … *)`), or `#`.
pub fn first_word(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let behind = if rest.starts_with("//") {
            rest.find('\n').map(|end| &rest[end..])
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else if let Some(comment) = rest.strip_prefix("(*") {
            comment.find("*)").map(|end| &comment[end + 2..])
        } else {
            break;
        };
        rest = behind.unwrap_or("").trim_start();
    }
    if rest.starts_with('#') {
        return &rest[..1];
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    &rest[..end]
}
