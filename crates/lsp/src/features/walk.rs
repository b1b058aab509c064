//! Positions of offsets that come one behind the other: each is found from the one before, in a time that grows with what is between them.

use crate::protocol::types::Position;
use volvelle_diagnostics::PositionEncoding;

/// A walk through a text.
pub struct Walk<'t> {
    text: &'t str,
    encoding: PositionEncoding,
    at: usize,
    position: Position,
}

impl<'t> Walk<'t> {
    /// At the beginning.
    pub fn new(text: &'t str, encoding: PositionEncoding) -> Self {
        Walk { text, encoding, at: 0, position: Position::default() }
    }

    /// The position of an offset, which is not before the last one: as [`volvelle_diagnostics::Lines::position`] has it.
    pub fn to(&mut self, offset: usize) -> Position {
        let bytes = self.text.as_bytes();
        let offset = self.text.floor_char_boundary(offset);
        while self.at < offset {
            let byte = bytes[self.at];
            match byte {
                b'\n' => self.next_line(),
                // Between it and what belongs to it is before both.
                b'\r' if bytes.get(self.at + 1) == Some(&b'\n') => {}
                b'\r' => self.next_line(),
                _ => self.position.character += units(byte, self.encoding),
            }
            self.at += 1;
        }
        self.position
    }

    fn next_line(&mut self) {
        self.position = Position { line: self.position.line + 1, character: 0 };
    }
}

/// The units that a character has, counted at its first byte; at each of its bytes if these are the units.
fn units(byte: u8, encoding: PositionEncoding) -> u32 {
    match (byte, encoding) {
        (..0x80, _) | (_, PositionEncoding::Utf8) | (0xC0..0xF0, _) => 1,
        (0x80..0xC0, _) => 0,
        (0xF0.., PositionEncoding::Utf16) => 2,
        (0xF0.., PositionEncoding::Utf32) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volvelle_diagnostics::Lines;

    proptest! {
        /// Offsets in order have the positions that they have one by one.
        #[test]
        fn offsets_in_order(text in "[aé€𝄞\r\n]{0,16}", mut offsets in prop::collection::vec(0usize..70, 0..8)) {
            offsets.sort_unstable();
            let lines = Lines::of(&text);
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                let mut walk = Walk::new(&text, encoding);
                for &offset in &offsets {
                    let expected = lines.position(&text, offset, encoding);
                    let found = walk.to(offset);
                    prop_assert_eq!((found.line, found.character), (expected.line, expected.character));
                }
            }
        }
    }
}
