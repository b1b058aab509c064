//! Source files and places in them.

use serde::{Deserialize, Serialize};

/// Index of a file in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A half-open range of byte offsets in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file the offsets refer to.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The part of a text that a parser of another crate points to: wherever that is, the span begins and ends between characters inside
    /// the text.
    pub fn within(file: FileId, text: &str, range: std::ops::Range<usize>) -> Self {
        let inside = |at: usize| {
            let at = at.min(text.len());
            (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
        };
        let start = inside(range.start);
        Span::new(file, start, inside(range.end).max(start))
    }

    /// The smallest span that covers both; `self` wins where the files differ.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position for display: line and column count from 1; columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

/// One text with the name it is known by.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name as the user gave it, or a description such as `--prop`.
    pub name: String,
    /// The whole text, or an excerpt of a file that is too large to keep.
    pub text: String,
    /// Number of the first line of `text` in the file, from 1.
    pub first_line: usize,
}

/// All texts of a run. Append-only, so that a [`Span`] stays valid.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// Offsets at which the lines of each text begin, but for the first.
    lines: Vec<Vec<u32>>,
}

impl Sources {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Files are limited to 4 GiB by the 32-bit offsets of [`Span`].
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add_excerpt(name, text, 1)
    }

    /// Adds lines of a file that is too large to keep; `first_line` is the number of the first of them, from 1. Offsets
    /// of spans count within the excerpt.
    pub fn add_excerpt(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        first_line: usize,
    ) -> FileId {
        let text = text.into();
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        self.lines.push(ends.map(|(at, _)| at as u32 + 1).collect());
        self.files.push(Source { name: name.into(), text, first_line });
        FileId((self.files.len() - 1) as u32)
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file behind an id that this collection gave out.
    pub fn file(&self, id: FileId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The file behind an id, or `None` if this collection has no such file.
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// The text under a span; empty if the span does not lie in the text.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of the first byte of a span.
    pub fn line_column(&self, span: Span) -> LineColumn {
        let Source { text, first_line, .. } = self.file(span.file);
        let mut at = (span.start as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.line(span.file, at);
        let starts = &self.lines[span.file.0 as usize];
        let line_start = line.checked_sub(1).map_or(0, |line| starts[line] as usize);
        LineColumn { line: line + first_line, column: text[line_start..at].chars().count() + 1 }
    }

    /// The number of the line of a text that a byte is in, from 0.
    pub(crate) fn line(&self, file: FileId, at: usize) -> usize {
        self.lines[file.0 as usize].partition_point(|&start| start as usize <= at)
    }
}
