//! Positions as editors count them: lines and characters from 0, and what a character is by agreement.
//!
//! In: byte offsets, as spans have them. Out: positions of the Language Server Protocol (3.17, *Position* and *Position encoding*), and
//! the way back. Lines end with `\n`, `\r\n` or `\r`, as in the protocol; [`Sources::line_column`](crate::Sources::line_column) knows
//! the first two only, since no language of Volvelle ends a line with a lone `\r`.

/// What is counted within a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: two for characters beyond U+FFFF.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl PositionEncoding {
    /// How many units a character takes.
    pub fn units_of(self, character: char) -> usize {
        match self {
            PositionEncoding::Utf8 => character.len_utf8(),
            PositionEncoding::Utf16 => character.len_utf16(),
            PositionEncoding::Utf32 => 1,
        }
    }
}

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// Line, from 0.
    pub line: u32,
    /// Units before it in its line.
    pub character: u32,
}

/// Where a position leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// To this offset.
    At(usize),
    /// Into the middle of a character, which begins at this offset: half of a pair of surrogates, or a byte inside.
    Within(usize),
    /// Behind the last line. The text ends at this offset.
    Beyond(usize),
}

impl Located {
    /// The offset, or the nearest before the position.
    pub fn nearest(self) -> usize {
        let (Located::At(offset) | Located::Within(offset) | Located::Beyond(offset)) = self;
        offset
    }
}

/// The lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Offsets at which lines begin.
    starts: Vec<u32>,
    /// The characters of more than one byte: positions of others are differences of offsets, however long the line is.
    wide: Vec<Wide>,
}

/// A character of more than one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
    /// The offset behind it.
    end: u32,
    /// How many bytes there are up to here beyond the units of 16 bits.
    beyond_utf16: u32,
    /// The same beyond the characters.
    beyond_utf32: u32,
}

impl Lines {
    /// Those of a text of at most 4 GiB.
    pub fn of(text: &str) -> Self {
        let mut starts = vec![0];
        let mut wide: Vec<Wide> = Vec::new();
        let bytes = text.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => {}
                b'\n' | b'\r' => starts.push(at as u32 + 1),
                // The first byte of a character says how many there are.
                0xC0.. => {
                    let (length, units) = match byte {
                        0xF0.. => (4, 2),
                        0xE0.. => (3, 1),
                        _ => (2, 1),
                    };
                    let before = wide.last().map_or((0, 0), |last| (last.beyond_utf16, last.beyond_utf32));
                    wide.push(Wide {
                        end: at as u32 + length,
                        beyond_utf16: before.0 + length - units,
                        beyond_utf32: before.1 + length - 1,
                    });
                }
                _ => {}
            }
        }
        Lines { starts, wide }
    }

    /// How many there are: at least one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The text of a line, from 0, without what ends it; empty if there is no such line.
    pub fn line<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let Some(&start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).map_or(text.len(), |&end| end as usize);
        let whole = text.get(start as usize..end).unwrap_or("");
        let ended = whole.strip_suffix("\r\n").or_else(|| whole.strip_suffix(['\n', '\r']));
        ended.unwrap_or(whole)
    }

    /// The position behind the last character of a line.
    pub fn end(&self, text: &str, line: usize, encoding: PositionEncoding) -> TextPosition {
        let start = self.starts.get(line).map_or(text.len(), |&start| start as usize);
        self.position(text, start + self.line(text, line).len(), encoding)
    }

    /// The position of an offset. One beyond the text is its end, one inside a character is the beginning of the character, and one
    /// between `\r` and `\n` is before both.
    pub fn position(&self, text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
        let offset = text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let offset = offset.min(start + self.line(text, line).len());
        let beyond = self.beyond(offset, encoding) - self.beyond(start, encoding);
        TextPosition { line: line as u32, character: (offset - start) as u32 - beyond }
    }

    /// How many bytes there are before an offset beyond the units of an encoding.
    fn beyond(&self, offset: usize, encoding: PositionEncoding) -> u32 {
        let behind = self.wide.partition_point(|wide| wide.end as usize <= offset);
        let last = behind.checked_sub(1).map(|last| self.wide[last]);
        match encoding {
            PositionEncoding::Utf8 => 0,
            PositionEncoding::Utf16 => last.map_or(0, |last| last.beyond_utf16),
            PositionEncoding::Utf32 => last.map_or(0, |last| last.beyond_utf32),
        }
    }

    /// The offset of a position. A character beyond the end of its line is the end of the line, as the protocol says; a line behind the
    /// last one is told.
    pub fn offset(&self, text: &str, position: TextPosition, encoding: PositionEncoding) -> Located {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return Located::Beyond(text.len()) };
        let (start, content) = (start as usize, self.line(text, line));
        let mut left = position.character as usize;
        for (at, character) in content.char_indices() {
            if left == 0 {
                return Located::At(start + at);
            }
            let units = encoding.units_of(character);
            if left < units {
                return Located::Within(start + at);
            }
            left -= units;
        }
        Located::At(start + content.len())
    }
}
