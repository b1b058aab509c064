//! The embedded font with some of its glyphs alone, as a TrueType file for PDF.
//!
//! Glyphs get new numbers without gaps. Of the tables there are those that ISO 32000-1, 9.9 asks for in a file of outlines:
//! letters are found by the numbers of the PDF, not by a table of the font. The font has no instructions for hinting, hence no tables
//! for them.

use crate::font;
use ttf_parser::{GlyphId, Tag};

/// Flags of a part of a composite glyph (OpenType 1.9, `glyf`).
const WIDE_ARGUMENTS: u16 = 0x0001;
const SCALE: u16 = 0x0008;
const MORE_PARTS: u16 = 0x0020;
const TWO_SCALES: u16 = 0x0040;
const MATRIX: u16 = 0x0080;

/// A font with few glyphs.
pub struct Subset {
    /// The old number of each glyph, by its new one; the first one is the empty box.
    glyphs: Vec<u16>,
    /// The file.
    pub file: Vec<u8>,
}

impl Subset {
    /// The new number of a glyph; that of the empty box for one that is not there.
    pub fn number(&self, glyph: u16) -> u16 {
        self.glyphs.iter().position(|&g| g == glyph).and_then(|at| u16::try_from(at).ok()).unwrap_or(0)
    }

    /// The font with these glyphs and the parts that they are composed of; the whole font, were it damaged.
    pub fn of(wanted: impl Iterator<Item = u16>) -> Self {
        let mut glyphs = vec![0];
        for glyph in wanted {
            add(&mut glyphs, glyph);
        }
        match file(&mut glyphs) {
            Some(file) => Subset { glyphs, file },
            None => {
                Subset { glyphs: (0..font::face().number_of_glyphs()).collect(), file: font::DATA.to_vec() }
            }
        }
    }
}

/// The place of a glyph among others, where it may not have been yet.
fn add(glyphs: &mut Vec<u16>, glyph: u16) -> usize {
    glyphs.iter().position(|&g| g == glyph).unwrap_or_else(|| {
        glyphs.push(glyph);
        glyphs.len() - 1
    })
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

fn put_u16(data: &mut [u8], at: usize, value: u16) -> Option<()> {
    data.get_mut(at..at + 2)?.copy_from_slice(&value.to_be_bytes());
    Some(())
}

fn table(name: &[u8; 4]) -> Option<&'static [u8]> {
    font::face().raw_face().table(Tag::from_bytes(name))
}

/// The outline of a glyph; empty for a space.
fn outline(glyph: u16) -> Option<&'static [u8]> {
    let (head, places, outlines) = (table(b"head")?, table(b"loca")?, table(b"glyf")?);
    let at = |k: usize| match u16_at(head, 50)? {
        0 => Some(2 * usize::from(u16_at(places, 2 * k)?)),
        _ => Some(u32::from_be_bytes(places.get(4 * k..4 * k + 4)?.try_into().ok()?) as usize),
    };
    outlines.get(at(usize::from(glyph))?..at(usize::from(glyph) + 1)?)
}

/// An outline in which parts have their new numbers; parts that are not there yet are added.
fn renumbered(outline: &[u8], glyphs: &mut Vec<u16>) -> Option<Vec<u8>> {
    let mut outline = outline.to_vec();
    if outline.is_empty() || u16_at(&outline, 0)? < 0x8000 {
        return Some(outline);
    }
    let mut at = 10;
    loop {
        let flags = u16_at(&outline, at)?;
        let part = u16_at(&outline, at + 2)?;
        let number = u16::try_from(add(glyphs, part)).ok()?;
        put_u16(&mut outline, at + 2, number)?;
        at += if flags & WIDE_ARGUMENTS != 0 { 8 } else { 6 };
        at += match flags {
            _ if flags & SCALE != 0 => 2,
            _ if flags & TWO_SCALES != 0 => 4,
            _ if flags & MATRIX != 0 => 8,
            _ => 0,
        };
        if flags & MORE_PARTS == 0 {
            return Some(outline);
        }
    }
}

fn file(glyphs: &mut Vec<u16>) -> Option<Vec<u8>> {
    let (mut outlines, mut places) = (Vec::new(), vec![0_u32]);
    let mut next = 0;
    // The list grows by the parts of composite glyphs.
    while let Some(&glyph) = glyphs.get(next) {
        outlines.extend(renumbered(outline(glyph)?, glyphs)?);
        outlines.resize(outlines.len().next_multiple_of(4), 0);
        places.push(u32::try_from(outlines.len()).ok()?);
        next += 1;
    }
    let count = u16::try_from(glyphs.len()).ok()?;
    let metrics = |&glyph: &u16| {
        let id = GlyphId(glyph);
        let advance = font::face().glyph_hor_advance(id).unwrap_or(0).to_be_bytes();
        let bearing = font::face().glyph_hor_side_bearing(id).unwrap_or(0).to_be_bytes();
        [advance, bearing].concat()
    };
    let mut head = table(b"head")?.to_vec();
    // No sum over the file; places of outlines have four bytes.
    head.get_mut(8..12)?.fill(0);
    put_u16(&mut head, 50, 1)?;
    let mut hhea = table(b"hhea")?.to_vec();
    put_u16(&mut hhea, 34, count)?;
    let mut maxp = table(b"maxp")?.to_vec();
    put_u16(&mut maxp, 4, count)?;
    // In the order of their names.
    Some(assembled(&[
        (b"glyf", outlines),
        (b"head", head),
        (b"hhea", hhea),
        (b"hmtx", glyphs.iter().flat_map(metrics).collect()),
        (b"loca", places.into_iter().flat_map(u32::to_be_bytes).collect()),
        (b"maxp", maxp),
    ]))
}

/// A font file of tables.
fn assembled(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = tables.len() as u16;
    let largest = count.ilog2();
    let range = 16 << largest;
    let mut file = vec![0, 1, 0, 0];
    for number in [count, range, largest as u16, 16 * count - range] {
        file.extend(number.to_be_bytes());
    }
    let mut offset = 12 + 16 * tables.len();
    for (name, data) in tables {
        file.extend_from_slice(*name);
        for number in [sum(data), offset as u32, data.len() as u32] {
            file.extend(number.to_be_bytes());
        }
        offset += data.len().next_multiple_of(4);
    }
    for (_, data) in tables {
        file.extend_from_slice(data);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}

/// The checksum of a table.
fn sum(data: &[u8]) -> u32 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_be_bytes(word)
    };
    data.chunks(4).map(word).fold(0, u32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::Subset;
    use crate::font;
    use ttf_parser::{Face, GlyphId, OutlineBuilder};

    #[derive(Default, Debug, PartialEq)]
    struct Drawn(Vec<[f32; 4]>);

    impl OutlineBuilder for Drawn {
        fn move_to(&mut self, x: f32, y: f32) {
            self.0.push([x, y, 0.0, 0.0]);
        }
        fn line_to(&mut self, x: f32, y: f32) {
            self.0.push([x, y, 1.0, 0.0]);
        }
        fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
            self.0.push([x1, y1, x, y]);
        }
        fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
        fn close(&mut self) {}
    }

    /// Outlines, also those composed of others, are those of the font.
    #[test]
    fn letters_look_alike() {
        let text = " Aäöüßéčłź→≤∀◇λЖ10⁻⁴";
        let glyphs: Vec<u16> = font::glyphs(text).iter().map(|g| g.id).collect();
        let subset = Subset::of(glyphs.iter().copied());
        let face = Face::parse(&subset.file, 0).expect("a font");
        assert!(subset.file.len() < 6_000, "{}", subset.file.len());
        for glyph in glyphs {
            let number = GlyphId(subset.number(glyph));
            let (mut old, mut new) = (Drawn::default(), Drawn::default());
            font::face().outline_glyph(GlyphId(glyph), &mut old);
            face.outline_glyph(number, &mut new);
            assert_eq!(old, new);
            assert_eq!(face.glyph_hor_advance(number), font::face().glyph_hor_advance(GlyphId(glyph)));
        }
    }
}
