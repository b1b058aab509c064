//! The embedded font: outlines, and the widths by which every format lays its texts out.
//!
//! `font/README.md` says what the font is made of, and its licence. Letters that it does not have are an empty box where
//! the embedded font draws (PNG, PDF), and are drawn by a font of the reader elsewhere; for both, a width is assumed that is
//! large enough for common letters of the script.

use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

/// The file of the font.
pub const DATA: &[u8] = include_bytes!("../font/chart.ttf");

/// Name of the font, for readers that have it.
pub const NAME: &str = "Noto Sans";

/// From the base line to the top of letters such as `d`, for size 1; signs and accents on capitals may be higher.
pub const ASCENT: f64 = 0.77;

/// From the base line to the bottom of letters such as `g`, for size 1.
pub const DESCENT: f64 = 0.24;

/// Widths of letters that the font does not have, for size 1.
const WIDE: f64 = 1.0;
const UNKNOWN: f64 = 0.65;

/// The font; that it can be read is tested below.
static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(DATA, 0).expect("the embedded font is a font"));

/// A letter of a text, with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glyph {
    /// The letter.
    pub letter: char,
    /// Its outline in the font; 0, an empty box, where the font does not have the letter.
    pub id: u16,
    /// Where it starts, for size 1.
    pub start: f64,
    /// Its own width, for size 1.
    pub advance: f64,
}

/// The font as a data structure.
pub fn face() -> &'static Face<'static> {
    &FACE
}

/// Units of outlines for size 1.
pub fn units() -> f64 {
    f64::from(FACE.units_per_em())
}

/// The letters of a line of text, with their places.
pub fn glyphs(text: &str) -> Vec<Glyph> {
    let mut all: Vec<Glyph> = Vec::with_capacity(text.len());
    let mut end = 0.0;
    for letter in text.chars() {
        let id = FACE.glyph_index(letter).unwrap_or_default();
        let kern = all.last().map_or(0.0, |before| kerning(GlyphId(before.id), id));
        let glyph = Glyph { letter, id: id.0, start: end + kern, advance: advance(letter, id) };
        end = glyph.start + glyph.advance;
        all.push(glyph);
    }
    all
}

fn advance(letter: char, id: GlyphId) -> f64 {
    match letter {
        _ if id.0 != 0 => f64::from(FACE.glyph_hor_advance(id).unwrap_or(0)) / units(),
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{1f000}'..='\u{10ffff}' => WIDE,
        _ => UNKNOWN,
    }
}

/// The correction of the distance between two letters, for size 1.
fn kerning(left: GlyphId, right: GlyphId) -> f64 {
    let Some(table) = FACE.tables().kern else { return 0.0 };
    let found = table.subtables.into_iter().find_map(|t| t.glyphs_kerning(left, right));
    found.map_or(0.0, |units_of_font| f64::from(units_of_font) / units())
}

/// The width of a line of text.
pub fn width(text: &str, size: f64) -> f64 {
    glyphs(text).last().map_or(0.0, |g| (g.start + g.advance) * size)
}

/// A line of text in which every character has a place of its own: no line breaks, no marks of direction.
pub fn clean(text: &str) -> String {
    let is_invisible = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| !is_invisible(c)) {
        match c {
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_whitespace() || c.is_control() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

/// The start of a text that fits into a width, with dots where something is missing.
pub fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let kept = glyphs(text).into_iter().take_while(|g| (g.start + g.advance) * size <= room);
    let kept: String = kept.map(|g| g.letter).collect();
    format!("{}…", kept.trim_end())
}

/// A text in lines that fit into a width, broken at spaces; what has no room in `most` lines is left out.
pub fn wrapped(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if lines.len() + 1 >= most || width(rest, size) <= room {
            lines.push(fitted(rest, size, room));
            break;
        }
        let end = line_end(rest, size, room);
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines
}

/// The byte at which a line that is too long is broken: behind the last space that fits, or else in a word.
fn line_end(text: &str, size: f64, room: f64) -> usize {
    let mut at = 0;
    let (mut space, mut letter) = (None, None);
    for glyph in glyphs(text) {
        if (glyph.start + glyph.advance) * size > room {
            break;
        }
        at += glyph.letter.len_utf8();
        letter = Some(at);
        if glyph.letter == ' ' {
            space = Some(at);
        }
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    space.or(letter).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::{FACE, clean, fitted, glyphs, width, wrapped};

    #[test]
    fn the_font_has_the_letters_of_models() {
        assert_eq!(FACE.units_per_em(), 1000);
        let letters =
            "azAZ09 äßéčłő αβλμτΩ Жд ⁰¹²³⁴⁵⁶⁷⁸⁹⁻ −×·±…–— ≤≥≠≈≡ →←↔⇒⇔↦ ∀∃∧∨¬□◇ ∞∈∉∅ℕℝ ∑∏√∂∫∆ ⌈⌉⌊⌋⟨⟩ ⊤⊥∪∩⊆";
        let missing: Vec<char> = glyphs(letters).iter().filter(|g| g.id == 0).map(|g| g.letter).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn letters_are_kerned() {
        let apart = width("A", 1.0) + width("V", 1.0);
        assert!(width("AV", 1.0) < apart - 0.02);
        // Digits are equally wide, so that numbers can be compared.
        let digits: Vec<f64> = ('0'..='9').map(|d| width(&d.to_string(), 1.0)).collect();
        assert!(digits.windows(2).all(|pair| pair[0] == pair[1]), "{digits:?}");
    }

    #[test]
    fn long_texts_are_cut() {
        let text = "P=? [ F<=T \"the queue is full\" ]";
        assert_eq!(fitted(text, 12.0, 1000.0), text);
        for room in 0..200 {
            let cut = fitted(text, 12.0, f64::from(room));
            assert!(width(&cut, 12.0) <= f64::from(room).max(width("…", 12.0)), "{room}: {cut}");
        }
    }

    #[test]
    fn long_texts_are_broken() {
        let text = "Pmax=? [ F<=T \"the queue is full\" & long_name_of_a_variable_without_any_space=1 ]";
        for room in 14..300 {
            for most in 1..5 {
                let lines = wrapped(text, 12.0, f64::from(room), most);
                assert!(!lines.is_empty() && lines.len() <= most);
                assert!(lines.iter().all(|l| width(l, 12.0) <= f64::from(room).max(width("…", 12.0))));
            }
        }
        assert_eq!(wrapped("a b", 12.0, 300.0, 3), ["a b"]);
        assert_eq!(wrapped("aaa bbb", 12.0, 30.0, 3), ["aaa", "bbb"]);
        assert_eq!(wrapped("", 12.0, 30.0, 3), Vec::<String>::new());
    }

    #[test]
    fn lines_are_clean() {
        assert_eq!(clean(" a\r\n\tb\u{202e}c\u{0}d\u{ffff} "), "a bc d\u{fffd}");
    }
}
