//! A named text, and a cursor that moves through it.

use crate::finding::{Finding, Place};
use std::ops::Range;
use volvelle_decimals::{NotANumber, diagnose, digits};
use volvelle_diagnostics::{Code, codes};

/// A text and the name of its file.
#[derive(Clone, Copy)]
pub(crate) struct Script<'t> {
    /// The name that messages show.
    pub file: &'t str,
    /// The whole text.
    pub bytes: &'t [u8],
}

/// Bytes at the beginning of a large text that are checked before anything is read.
const HEAD: usize = 1 << 12;

impl<'t> Script<'t> {
    /// A text, which must be UTF-8.
    pub fn new(file: &'t str, bytes: &'t [u8]) -> Result<Self, Finding> {
        let script = Script { file, bytes };
        script.check(0..bytes.len())?;
        Ok(script)
    }

    /// A text that is read in pieces. That it is UTF-8 is checked here at its beginning only, of the rest by those who read
    /// it, with [`Script::check`]: a large text goes through the caches once.
    pub fn in_pieces(file: &'t str, bytes: &'t [u8]) -> Result<Self, Finding> {
        let script = Script { file, bytes };
        let head = bytes.len().min(HEAD);
        // The head may end within a character.
        match std::str::from_utf8(&bytes[..head]) {
            Err(error) if error.error_len().is_some() || head == bytes.len() => script.check(0..head)?,
            _ => {}
        }
        Ok(script)
    }

    /// Whether a part of the text is UTF-8; it begins and ends between lines.
    pub fn check(self, range: Range<usize>) -> Result<(), Finding> {
        let Err(error) = std::str::from_utf8(&self.bytes[range.clone()]) else { return Ok(()) };
        let at = range.start + error.valid_up_to();
        let message = format!("the file is not valid UTF-8: it contains the byte {:#04x}", self.bytes[at]);
        Err(self.refuse(codes::NOT_UTF8, at..at + 1, message))
    }

    /// A cursor over a part of the text.
    pub fn cursor(self, range: Range<usize>) -> Cursor<'t> {
        Cursor { script: self, bytes: &self.bytes[..range.end], at: range.start }
    }

    /// An error about some bytes of the text.
    pub fn refuse(self, code: Code, at: Range<usize>, message: impl Into<String>) -> Finding {
        Finding::error(code, message).at(self.place(at))
    }

    /// A warning about some bytes of the text.
    pub fn warn(self, at: Range<usize>, message: impl Into<String>) -> Finding {
        Finding::warning(codes::EXPLICIT_UNUSUAL, message).at(self.place(at))
    }

    /// Some bytes of the text, as a place.
    pub fn place(self, at: Range<usize>) -> Place {
        Place::in_text(self.file, self.bytes, at.start, at.end)
    }

    /// A piece of the text for messages, cut where it is long.
    pub fn show(self, at: Range<usize>) -> String {
        show(&self.bytes[at])
    }
}

/// Bytes for messages, in backquotes, cut where they are many.
pub(crate) fn show(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    format!("`{}{}`", text, if bytes.len() > LONGEST { "..." } else { "" })
}

/// A place in a text. Methods that find what they look for move behind it; blanks in front of it are skipped, ends of
/// lines are not.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    /// The text.
    pub script: Script<'t>,
    /// The text up to where the cursor may go.
    pub bytes: &'t [u8],
    /// Offset of the next byte.
    pub at: usize,
}

impl<'t> Cursor<'t> {
    /// The next byte.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips spaces and tabs.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Moves behind a byte, if it is next.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Moves behind `text`, if it is next.
    pub fn eat_text(&mut self, text: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(text.as_bytes());
        if found {
            self.at += text.len();
        }
        found
    }

    /// A whole number without a sign, which ends where digits end; 2^63 stands for all that are not below it.
    #[inline]
    pub fn index(&mut self) -> Option<u64> {
        self.skip_blanks();
        let start = self.at;
        let (value, end) = digits::append(0, self.bytes, start);
        self.at = end;
        match end - start {
            0 => None,
            1..=18 => Some(value),
            _ => Some(self.large_index(start)),
        }
    }

    /// A whole number of many digits, which may be leading zeros.
    #[cold]
    fn large_index(&self, start: usize) -> u64 {
        let digits = std::str::from_utf8(&self.bytes[start..self.at]).expect("digits");
        digits.parse().map_or(1 << 63, |number: u64| number.min(1 << 63))
    }

    /// Letters up to a blank or the end of the line; empty if there are none.
    #[inline]
    pub fn word(&mut self) -> Range<usize> {
        self.skip_blanks();
        let start = self.at;
        // A carriage return alone is part of a word.
        while !self.is_separated() || (self.peek() == Some(b'\r') && !self.is_line_end()) {
            self.at += 1;
        }
        start..self.at
    }

    /// Whether a word has ended here: a blank, the end of the line or of the text is next.
    #[inline]
    pub fn is_separated(&self) -> bool {
        matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// Whether nothing but blanks is left in the line.
    #[inline]
    pub fn is_line_end(&mut self) -> bool {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(self.bytes.get(self.at + 1), None | Some(b'\n')),
            _ => false,
        }
    }

    /// Moves to the start of the next line.
    #[inline]
    pub fn next_line(&mut self) {
        self.at = self.line_end_at() + 1;
        self.at = self.at.min(self.bytes.len());
    }

    /// Moves to the start of the next line, if nothing is left in this one.
    #[inline]
    pub fn end_line(&mut self) -> bool {
        // The usual ends first.
        if self.peek() == Some(b'\n') {
            self.at += 1;
            return true;
        }
        let ends = self.is_line_end();
        if ends {
            self.next_line();
        }
        ends
    }

    /// Whether the text has ended.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn line_end_at(&self) -> usize {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())
    }

    /// The rest of the line, without the blanks around it.
    pub fn rest_of_line(&mut self) -> Range<usize> {
        self.skip_blanks();
        let text = &self.bytes[self.at..self.line_end_at()];
        self.at..self.at + text.trim_ascii_end().len()
    }

    /// The word that begins here, for a message: at least one byte where the line goes on.
    pub fn here(&self) -> Range<usize> {
        let mut ahead = self.clone();
        let word = ahead.word();
        word.start..word.end
    }

    /// An error about the word that begins here: `expected WHAT`.
    #[cold]
    pub fn expected(&self, what: &str) -> Finding {
        let at = self.here();
        let message = if at.is_empty() {
            let end = if self.bytes.len() <= at.start { "the file" } else { "the line" };
            format!("expected {what}, but {end} ends here")
        } else {
            format!("expected {what}, found {}", self.script.show(at.clone()))
        };
        self.script.refuse(codes::EXPLICIT_SYNTAX, at, message)
    }

    /// An error about the text from here on that should be a finite number.
    #[cold]
    pub fn not_a_number(&mut self, what: &str) -> Finding {
        self.skip_blanks();
        let word = self.here();
        let stop = |b: &u8| matches!(b, b',' | b']' | b')' | b'"');
        let length = self.bytes[word.clone()].iter().position(stop).unwrap_or(word.len());
        let at = word.start..word.start + length;
        let shown = self.script.show(at.clone());
        match diagnose(&self.bytes[at.clone()]) {
            NotANumber::Syntax => self.expected(what),
            NotANumber::NotFinite => {
                self.script.refuse(codes::EXPLICIT_NUMBER, at, format!("{shown} is not a finite number"))
            }
            NotANumber::ZeroDenominator => {
                self.script.refuse(codes::EXPLICIT_NUMBER, at, format!("the denominator of {shown} is 0"))
            }
            NotANumber::TooLong => {
                self.script.refuse(codes::EXPLICIT_NUMBER, at, format!("{shown} has too many digits"))
            }
        }
    }
}
