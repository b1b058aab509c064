//! The letters of a scene, numbered from 1: texts of the file consist of these numbers.
//!
//! Each letter has its own number, also where several share an outline (letters that the font does not have are all an
//! empty box), so that text that is copied from a reader is the text that was written.

use crate::font;
use crate::scene::Scene;
use std::collections::BTreeMap;

/// Letters with their glyphs.
pub struct Letters(BTreeMap<char, Known>);

struct Known {
    number: u16,
    glyph: u16,
    /// For size 1.
    width: f64,
}

impl Letters {
    /// The letters of all texts.
    pub fn of(scene: &Scene) -> Self {
        let mut all = BTreeMap::new();
        for text in scene.texts() {
            for glyph in font::glyphs(&text.text) {
                all.insert(glyph.letter, Known { number: 0, glyph: glyph.id, width: glyph.advance });
            }
        }
        for (number, known) in (1..=u16::MAX).zip(all.values_mut()) {
            known.number = number;
        }
        Letters(all)
    }

    /// The number of a letter; 0, which shows nothing, for one that is not in the scene.
    pub fn number(&self, letter: char) -> u16 {
        self.0.get(&letter).map_or(0, |known| known.number)
    }

    /// All letters with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u16, char)> {
        self.0.iter().map(|(&letter, known)| (known.number, letter)).filter(|(number, _)| *number > 0)
    }

    /// Their glyphs, in the order of the numbers.
    pub fn glyphs(&self) -> impl Iterator<Item = u16> {
        self.0.values().map(|known| known.glyph)
    }

    /// Widths in the order of the numbers, for size 1000.
    pub fn widths(&self) -> impl Iterator<Item = f64> {
        self.0.values().map(|known| (known.width * 1000.0).round())
    }

    /// Six capitals that differ between most sets of letters.
    pub fn tag(&self) -> String {
        // The hash of Fowler, Noll and Vo (FNV-1a).
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for &letter in self.0.keys() {
            hash = (hash ^ u64::from(letter)).wrapping_mul(0x100_0000_01b3);
        }
        (0..6).map(|i| char::from(b'A' + (hash >> (8 * i + 8)) as u8 % 26)).collect()
    }

    /// The table by which readers find the letters of numbers.
    pub fn unicode(&self) -> String {
        let all: Vec<String> = self
            .numbered()
            .map(|(number, letter)| {
                let units: String =
                    letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04X}")).collect();
                format!("<{number:04X}> <{units}>\n")
            })
            .collect();
        let mut map = String::from(
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
             /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
             /CMapName /Letters def\n/CMapType 2 def\n\
             1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
        );
        // At most a hundred in a block.
        for block in all.chunks(100) {
            map.push_str(&format!("{} beginbfchar\n{}endbfchar\n", block.len(), block.concat()));
        }
        map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
        map
    }
}
