//! The letters of a scene, numbered from 1: texts of the file consist of these numbers.
//!
//! Each letter has its own number, also where several share an outline (letters that the font does not have are all an
//! empty box), so that text that is copied from a reader is the text that was written.

use crate::font;
use crate::scene::Scene;
use std::collections::BTreeMap;
use subsetter::GlyphRemapper;

/// Letters with their glyphs.
pub struct Letters(BTreeMap<char, Known>);

struct Known {
    number: u16,
    glyph: u16,
    /// For size 1.
    width: f64,
}

/// The part of a font that is embedded.
pub struct Subset {
    /// A font file.
    pub file: Vec<u8>,
    /// Two bytes for each number, from 0: the glyph in that file.
    pub outline_of_letter: Vec<u8>,
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

    /// Widths in the order of the numbers, for size 1000.
    pub fn widths(&self) -> impl Iterator<Item = f32> {
        self.0.values().map(|known| (known.width * 1000.0) as f32)
    }

    /// Six capitals that differ between most sets of letters.
    pub fn tag(&self) -> String {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for &letter in self.0.keys() {
            hash = (hash ^ u64::from(letter)).wrapping_mul(0x100_0000_01b3);
        }
        (0..6).map(|i| char::from(b'A' + (hash >> (8 * i + 8)) as u8 % 26)).collect()
    }

    /// The font with their outlines alone; the whole font, should that fail.
    pub fn subset(&self) -> Subset {
        let mut glyphs = GlyphRemapper::new();
        self.0.values().for_each(|known| {
            glyphs.remap(known.glyph);
        });
        let made = subsetter::subset(font::DATA, 0, &glyphs);
        let is_whole = made.is_err();
        let outline = |known: &Known| match is_whole {
            true => known.glyph,
            false => glyphs.get(known.glyph).unwrap_or(0),
        };
        let outlines = std::iter::once(0).chain(self.0.values().map(outline));
        Subset {
            outline_of_letter: outlines.flat_map(u16::to_be_bytes).collect(),
            file: made.unwrap_or_else(|_| font::DATA.to_vec()),
        }
    }
}
