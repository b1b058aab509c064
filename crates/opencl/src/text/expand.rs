//! Macros that are more than numbers: their text takes the place of their uses.
//!
//! A macro whose text is an expression over whole numbers stays a name and is looked up at each use. All
//! others (statements, accesses to memory, keywords and types, calls, empty texts) are expanded as the
//! preprocessor of C does it (ISO C 6.10.3). [`Origins`] maps each place of the new text to the original.

use super::Macro;
use crate::expression::{Names, parse_c};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Limit of nested macros.
const NESTING_LIMIT: usize = 64;

/// Limit of bytes of the expanded text.
const TEXT_LIMIT: usize = 1 << 20;

/// From places of an expanded text to those of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    /// Begin of each piece in the new text, and the range of the original that it stands for; empty if
    /// nothing was expanded.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Origins {
    /// The place of the original from which a place comes.
    pub fn of(&self, at: usize) -> usize {
        self.piece(at).map_or(at, |(start, original)| (original.start + (at - start)).min(original.end))
    }

    /// The range of the original from which a range comes. If a part of it comes from a use of a macro, all
    /// of that use belongs to it.
    pub fn of_range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.piece(range.start);
        let start = start.map_or(range.start, |(start, original)| match self.is_copy(start) {
            true => original.start + (range.start - start),
            false => original.start,
        });
        let last = range.end.saturating_sub(1).max(range.start);
        let end = self.piece(last).map_or(range.end, |(start, original)| match self.is_copy(start) {
            true => (original.start + (range.end - start)).min(original.end),
            false => original.end,
        });
        start..end.max(start)
    }

    fn piece(&self, at: usize) -> Option<(usize, &Range<usize>)> {
        let after = self.pieces.partition_point(|(start, _)| *start <= at);
        self.pieces.get(after.checked_sub(1)?).map(|(start, original)| (*start, original))
    }

    /// Whether the piece that begins here was copied. Copied and expanded pieces alternate, and the first is
    /// a copy.
    fn is_copy(&self, start: usize) -> bool {
        self.pieces.partition_point(|(other, _)| *other < start).is_multiple_of(2)
    }
}

/// The text with macros expanded, or the place of the use that makes it too large.
pub(super) fn expand(text: &str, macros: &HashMap<String, Macro>) -> Result<(String, Origins), usize> {
    let expandable = expandable(macros);
    let mut origins = Origins::default();
    if expandable.is_empty() {
        return Ok((text.to_owned(), origins));
    }
    let expansion = Expansion { macros, expandable: &expandable };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    // Where the part that is copied next begins.
    let mut copied = 0;
    while let Some(word) = next_word(text, at) {
        at = word.end;
        let Some((end, replaced)) = expansion.replaced(text, &word, &mut Vec::new()) else { continue };
        if out.len() + replaced.len() > TEXT_LIMIT {
            return Err(word.start);
        }
        // The blanks around an expansion make places in the new text unique even if it is empty.
        origins.pieces.push((out.len(), copied..word.start));
        out.push_str(&text[copied..word.start]);
        out.push(' ');
        origins.pieces.push((out.len(), word.start..end));
        out.push_str(&replaced);
        out.push(' ');
        (copied, at) = (end, end);
    }
    if origins.pieces.is_empty() {
        return Ok((text.to_owned(), origins));
    }
    origins.pieces.push((out.len(), copied..text.len()));
    out.push_str(&text[copied..]);
    Ok((out, origins))
}

/// Whether a word is one of the language, or a type, and so no number.
fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 34] = [
        "inline",
        "static",
        "extern",
        "const",
        "volatile",
        "restrict",
        "unsigned",
        "signed",
        "void",
        "bool",
        "half",
        "size_t",
        "ptrdiff_t",
        "struct",
        "typedef",
        "return",
        "break",
        "continue",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "kernel",
        "global",
        "constant",
        "local",
        "private",
        "image2d_t",
        "sampler_t",
        "goto",
    ];
    let plain = word.trim_start_matches("__").trim_end_matches("__");
    WORDS.contains(&plain) || crate::launch::Element::of_vector(word).is_some()
}

/// A condition of a directive with all macros in it expanded, as the preprocessor does.
pub(super) fn condition(text: &str, macros: &HashMap<String, Macro>) -> String {
    let expandable = macros.keys().map(String::as_str).collect();
    Expansion { macros, expandable: &expandable }.rescanned(text, &mut Vec::new())
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let word = next_word(text, at)?;
        at = word.end;
        Some(word)
    })
}

/// A text with a word replaced.
pub(super) fn with_word(text: &str, word: &str, by: &str) -> String {
    substituted(text, &[word.to_owned()], &[by.to_owned()])
}

/// Names of macros that are not numbers, and of those whose text contains such a macro.
fn expandable(macros: &HashMap<String, Macro>) -> HashSet<&str> {
    let is_number = |text: &str| {
        let mut names = Names::default();
        parse_c(text, &mut names).is_ok() && !names.iter().any(is_reserved)
    };
    let mut found: HashSet<&str> =
        macros.iter().filter(|(_, known)| !is_number(&known.body)).map(|(name, _)| name.as_str()).collect();
    loop {
        let uses_one = |known: &Macro| {
            let mut at = 0;
            std::iter::from_fn(|| {
                let word = next_word(&known.body, at)?;
                at = word.end;
                Some(word)
            })
            .any(|word| found.contains(&known.body[word]))
        };
        let more: Vec<&str> = macros
            .iter()
            .filter(|(name, known)| !found.contains(name.as_str()) && uses_one(known))
            .map(|(name, _)| name.as_str())
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

struct Expansion<'m> {
    macros: &'m HashMap<String, Macro>,
    expandable: &'m HashSet<&'m str>,
}

impl Expansion<'_> {
    /// The replacement of a word and the end of the use of the macro; `None` if the word is no macro. Macros
    /// in `active` are being expanded, and stay.
    fn replaced(&self, text: &str, word: &Range<usize>, active: &mut Vec<String>) -> Option<(usize, String)> {
        let name = &text[word.clone()];
        if !self.expandable.contains(name)
            || active.iter().any(|other| other == name)
            || active.len() >= NESTING_LIMIT
        {
            return None;
        }
        let known = self.macros.get(name)?;
        let (end, body) = match &known.arguments {
            None => (word.end, known.body.clone()),
            Some(parameters) => {
                let (end, arguments) = arguments(text, word.end)?;
                // Macros in arguments come first.
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.rescanned(argument, active)).collect();
                (end, substituted(&known.body, parameters, &arguments))
            }
        };
        active.push(name.to_owned());
        let all = self.rescanned(&body, active);
        active.pop();
        Some((end, all))
    }

    fn rescanned(&self, text: &str, active: &mut Vec<String>) -> String {
        let (mut out, mut at, mut copied) = (String::new(), 0, 0);
        while let Some(word) = next_word(text, at) {
            at = word.end;
            if out.len() > TEXT_LIMIT {
                break;
            }
            let Some((end, replaced)) = self.replaced(text, &word, active) else { continue };
            out.push_str(&text[copied..word.start]);
            out.push(' ');
            out.push_str(&replaced);
            out.push(' ');
            (copied, at) = (end, end);
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// Arguments in parentheses, and where these end.
fn arguments(text: &str, from: usize) -> Option<(usize, Vec<String>)> {
    let open = from + text[from..].find(|c: char| !c.is_whitespace())?;
    if !text[open..].starts_with('(') {
        return None;
    }
    let (mut depth, mut start, mut found) = (0_usize, open + 1, Vec::new());
    let mut quote = None;
    let bytes = text.as_bytes();
    let mut at = open;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(end), byte) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(text[start..at].trim().to_owned());
                    return Some((at + 1, found));
                }
            }
            (None, b',') if depth == 1 => {
                found.push(text[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A text with arguments in the place of parameters, and words joined at `##`.
fn substituted(body: &str, parameters: &[String], arguments: &[String]) -> String {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(word) = next_word(body, at) {
        at = word.end;
        let name = &body[word.clone()];
        let variadic = parameters.iter().position(|parameter| parameter.starts_with("..."));
        let rest = variadic
            .filter(|_| name == "__VA_ARGS__")
            .map(|at| arguments.get(at..).unwrap_or(&[]).join(", "));
        let number = parameters.iter().position(|parameter| *parameter == name);
        let argument = number.map(|number| arguments.get(number).cloned().unwrap_or_default());
        let Some(argument) = rest.or(argument) else { continue };
        out.push_str(&body[copied..word.start]);
        out.push_str(&argument);
        copied = word.end;
    }
    out.push_str(&body[copied..]);
    if !out.contains("##") {
        return out;
    }
    // Blanks around the sign go, those at the ends stay.
    let pieces: Vec<&str> = out.split("##").collect();
    let last = pieces.len() - 1;
    let joined = |(at, piece): (usize, &&str)| {
        let piece = if at > 0 { piece.trim_start() } else { piece };
        (if at < last { piece.trim_end() } else { piece }).to_owned()
    };
    pieces.iter().enumerate().map(joined).collect()
}

/// The next identifier at or after a place, outside strings. Numbers such as `0xE` and `1e5` are skipped.
fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            byte if is_letter(byte) => {
                let end = (at..bytes.len()).find(|&end| !is_letter(bytes[end])).unwrap_or(bytes.len());
                if !byte.is_ascii_digit() {
                    return Some(at..end);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn macros(all: &[(&str, Option<&[&str]>, &str)]) -> HashMap<String, Macro> {
        let one = |(name, arguments, body): &(&str, Option<&[&str]>, &str)| {
            let arguments = arguments.map(|list| list.iter().map(|&name| name.to_owned()).collect());
            ((*name).to_owned(), Macro { arguments, body: (*body).to_owned() })
        };
        all.iter().map(one).collect()
    }

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn uses_are_replaced_as_in_c() {
        let known = macros(&[
            ("N", None, "4 * 2"),
            ("SYNC", None, "barrier(CLK_LOCAL_MEM_FENCE)"),
            ("AGAIN", None, "SYNC"),
            ("AT", Some(&["i", "j"]), "a[(i) * N + (j)]"),
            ("ADD", Some(&["c", "x"]), "(c += AT(x, 0))"),
            ("LOOP", None, "LOOP[1]"),
            ("JOIN", Some(&["x"]), "v ## x[0]"),
        ]);
        let expanded = |text: &str| words(&expand(text, &known).unwrap().0);
        assert_eq!(expanded("AGAIN; N"), "barrier(CLK_LOCAL_MEM_FENCE) ; N");
        assert_eq!(expanded("x = AT(f(1, 2), b[3, 4]);"), "x = a[(f(1, 2)) * N + (b[3, 4])] ;");
        assert_eq!(expanded("ADD(s, AT(1, 2));"), "(s += a[(a[(1) * N + (2)]) * N + (0)] ) ;");
        // A macro in its own text stays, and so does one with arguments that has none.
        assert_eq!(expanded("LOOP AT \"SYNC\" 'SYNC' 0xAT 1AT"), "LOOP[1] AT \"SYNC\" 'SYNC' 0xAT 1AT");
        assert_eq!(expanded("JOIN(3)"), "v3[0]");
        assert_eq!(expanded("AT(1"), "AT(1");
    }

    #[test]
    fn places_of_the_original() {
        let known = macros(&[("SYNC", None, "barrier(0)"), ("EMPTY", None, "\u{22}\u{22}")]);
        let text = "a; SYNC; bb; EMPTY c";
        let (new, origins) = expand(text, &known).unwrap();
        let place = |word: &str| {
            let at = new.find(word).unwrap();
            &text[origins.of_range(&(at..at + word.len()))]
        };
        assert_eq!(
            [place("a;"), place("barrier"), place("(0)"), place("bb"), place("c")],
            ["a;", "SYNC", "SYNC", "bb", "c"]
        );
        let all = new.find("a;").unwrap()..new.find("bb").unwrap() + 2;
        assert_eq!(&text[origins.of_range(&all)], "a; SYNC; bb");
        assert_eq!(origins.of(new.find("bb").unwrap()), text.find("bb").unwrap());
    }

    /// Texts that double with each macro end.
    #[test]
    fn texts_do_not_grow_for_ever() {
        let names: Vec<String> = (0..60).map(|n| format!("M{n}")).collect();
        let mut known = macros(&[("M60", None, "a[0];")]);
        for (n, name) in names.iter().enumerate() {
            let body = format!("M{} M{}", n + 1, n + 1);
            known.insert(name.clone(), Macro { arguments: None, body });
        }
        assert_eq!(expand("x M0", &known), Err(2));
    }
}
