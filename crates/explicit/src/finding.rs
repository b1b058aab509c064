//! An error or warning about a file, with its place; becomes a [`Diagnostic`] that a user interface can draw.
//!
//! Files are large and are not kept in memory, so a finding carries the line that it is about.

use volvelle_diagnostics::{Code, Diagnostic, Fix, Severity, Sources, Span, nearest};

/// Something that is wrong with a file, or odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Finding {
    /// Identity of the diagnostic.
    pub code: Code,
    /// An error refuses the file.
    pub severity: Severity,
    /// One sentence without a full stop; names in backquotes.
    pub message: String,
    /// Where it is.
    pub place: Option<Place>,
    /// Facts.
    pub notes: Vec<String>,
    /// Ways out.
    pub helps: Vec<String>,
    /// The word that was meant, where one is misspelt.
    pub misspelt: Option<Box<Misspelt>>,
}

/// A misspelt word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelt {
    /// The word as it is written.
    pub word: String,
    /// The one that was meant.
    pub meant: String,
    /// Whether nothing else comes into question.
    pub is_certain: bool,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a text.
    Text {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Offset of the first byte within the line.
        start: usize,
        /// Offset behind the last byte within the line.
        end: usize,
        /// Offset of the first byte within the text.
        at: usize,
        /// The line, cut where it is very long.
        excerpt: String,
    },
    /// In a member of an archive.
    Member {
        /// Name of the archive.
        file: String,
        /// Name of the member.
        member: String,
        /// Number of the entry, from 0, where it is about one.
        entry: Option<u64>,
    },
    /// In the file as a whole.
    File(String),
}

/// Longest text in bytes that is kept as a whole.
const KEPT: usize = 1 << 23;

/// Longest excerpt in bytes.
const LONGEST: usize = 160;

impl Place {
    /// The bytes `start..end` of a text. Offsets beyond the text stand for its end.
    pub fn in_text(file: &str, text: &[u8], start: usize, end: usize) -> Self {
        let start = start.min(text.len());
        let at = start;
        let end = end.clamp(start, text.len());
        let line_start = text[..start].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line_end =
            text[line_start..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| line_start + i);
        let line_end = if text[line_start..line_end].ends_with(b"\r") { line_end - 1 } else { line_end };
        let line = text[..line_start].iter().filter(|&&b| b == b'\n').count() + 1;
        // Of a long line the part around the place.
        let mut from = line_start.max(start.saturating_sub(LONGEST / 2));
        while from > line_start && text[from] & 0xc0 == 0x80 {
            from -= 1;
        }
        let to = line_end.min(from + LONGEST).max(from);
        // Replacing what is not UTF-8 changes lengths: count in the replaced text.
        let lossy = |range: std::ops::Range<usize>| String::from_utf8_lossy(&text[range]).into_owned();
        let (start, end) = (start.clamp(from, to), end.clamp(from, to).max(start.clamp(from, to)));
        let excerpt = lossy(from..to);
        let start_in = lossy(from..start).len().min(excerpt.len());
        let end_in = lossy(from..end).len().clamp(start_in, excerpt.len());
        Place::Text { file: file.to_owned(), line, start: start_in, end: end_in, at, excerpt }
    }

    /// A member of an archive, or one of its entries.
    pub fn in_member(file: &str, member: &str, entry: Option<u64>) -> Self {
        Place::Member { file: file.to_owned(), member: member.to_owned(), entry }
    }
}

impl Finding {
    /// Refuses the file; add the place with [`Finding::at`].
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Reads the file, but says that it is probably not what was meant.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Reads the file, and says something worth knowing.
    pub fn remark(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Finding {
            code,
            severity,
            message: message.into(),
            place: None,
            notes: Vec::new(),
            helps: Vec::new(),
            misspelt: None,
        }
    }

    /// Says where.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// The place is that of a word. If a known one is near to it, that is a way out; otherwise this is, unless it is empty.
    pub fn misspelt<'k>(
        mut self,
        word: &str,
        known: impl IntoIterator<Item = &'k str>,
        otherwise: &str,
    ) -> Self {
        match nearest(word, known) {
            Some(near) => {
                self.helps.push(format!("did you mean `{}`?", near.name));
                let (word, meant) = (word.to_owned(), near.name.to_owned());
                self.misspelt = Some(Box::new(Misspelt { word, meant, is_certain: near.is_certain }));
            }
            None if otherwise.is_empty() => {}
            None => self.helps.push(otherwise.to_owned()),
        }
        self
    }

    /// The diagnostic; `sources` receives the line that it is about.
    pub fn to_diagnostic(&self, sources: &mut Sources) -> Diagnostic {
        self.to_diagnostic_in(sources, &[])
    }

    /// The same where texts of files are known by their names: `sources` receives such a text as a whole, if it is not large.
    pub fn to_diagnostic_in(&self, sources: &mut Sources, texts: &[(&str, &[u8])]) -> Diagnostic {
        let mut diagnostic = match self.severity {
            Severity::Error => Diagnostic::error(self.code, &self.message),
            Severity::Warning => Diagnostic::warning(self.code, &self.message),
            Severity::Note => Diagnostic::note_only(self.code, &self.message),
        };
        match &self.place {
            Some(Place::Text { file, line, start, end, at, excerpt }) => {
                let length = end - start;
                let is_there = |text: &&str| {
                    text.len() <= KEPT && text.get(*at..at + length) == excerpt.get(*start..*end)
                };
                let named = texts.iter().find(|(name, _)| name == file);
                let whole = named.and_then(|(_, text)| std::str::from_utf8(text).ok()).filter(is_there);
                let span = match whole {
                    Some(text) => Span::new(sources.add(file, text), *at, at + length),
                    None => Span::new(sources.add_excerpt(file, excerpt, *line), *start, *end),
                };
                diagnostic = diagnostic.at(span, "");
                if let Some(misspelt) = &self.misspelt {
                    let fix = Fix::instead(span, &misspelt.word, &misspelt.meant);
                    diagnostic = diagnostic.fix(fix.certain_if(misspelt.is_certain));
                }
            }
            Some(Place::Member { file, member, entry }) => {
                let entry = entry.map_or_else(String::new, |entry| format!(", entry {entry}"));
                diagnostic = diagnostic.note(format!("in `{member}` of {file}{entry}"));
            }
            Some(Place::File(file)) => diagnostic = diagnostic.note(format!("in {file}")),
            None => {}
        }
        diagnostic.notes.extend(self.notes.iter().cloned());
        diagnostic.helps.extend(self.helps.iter().cloned());
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &[u8], start: usize, end: usize) -> (usize, usize, usize, String) {
        match Place::in_text("f", text, start, end) {
            Place::Text { line, start, end, excerpt, .. } => (line, start, end, excerpt),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_and_columns() {
        assert_eq!(place(b"ab\ncd\r\nef", 4, 5), (2, 1, 2, "cd".to_owned()));
        assert_eq!(place(b"ab\ncd", 99, 120), (2, 2, 2, "cd".to_owned()));
        assert_eq!(place(b"", 0, 1), (1, 0, 0, String::new()));
        assert_eq!(place(b"a\xffb\n", 2, 3).3, "a\u{fffd}b");
        let long = [b'x'; 1000];
        let (line, start, end, excerpt) = place(&long, 500, 501);
        assert_eq!((line, start, end, excerpt.len()), (1, LONGEST / 2, LONGEST / 2 + 1, LONGEST));
    }
}
