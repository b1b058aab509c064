//! A scene as a PDF of one page that is as large as the picture: lines are lines, texts are texts in the embedded font, of
//! which the file has only those letters that occur.
//!
//! ISO 32000-1:2008. Publishers refuse files that rely on fonts of the reader, also on the fourteen standard ones; there is
//! none of them here. Nothing in the file depends on when it was written.

mod drawing;
mod file;
mod letters;
mod subset;

use crate::font;
use crate::scene::{OPACITY, POINTS, Scene, WIDTH};
use drawing::{FONT, TRANSLUCENT};
use file::{File, Object, operands, text_string};
use letters::Letters;
use subset::Subset;

/// The file.
pub fn file(scene: &Scene) -> Vec<u8> {
    let letters = Letters::of(scene);
    let mut file = File::new();
    let font = embed(&mut file, &letters);
    let translucent = file.dictionary(&format!("/Type /ExtGState /ca {OPACITY}"));
    let content = file.stream("", drawing::content(scene, &letters).as_bytes());
    // A page refers to the list of pages, and the list to the page: the list is the object after the page.
    let size = operands([0.0, 0.0, WIDTH * POINTS, scene.height * POINTS]);
    let page = file.dictionary(&format!(
        "/Type /Page /Parent {} /MediaBox [{size}] /Contents {content} \
         /Resources << /Font << {FONT} {font} >> /ExtGState << {TRANSLUCENT} {translucent} >> >>",
        content.after(2)
    ));
    let pages = file.dictionary(&format!("/Type /Pages /Kids [{page}] /Count 1"));
    let catalog = file
        .dictionary(&format!("/Type /Catalog /Pages {pages} /ViewerPreferences << /DisplayDocTitle true >>"));
    let info = file.dictionary(&format!("/Title {} /Creator (Volvelle)", text_string(&scene.title)));
    file.finish(catalog, info)
}

/// The font with the letters that occur.
fn embed(file: &mut File, letters: &Letters) -> Object {
    let subset = Subset::of(letters.glyphs());
    let outlines = file.stream(&format!("/Length1 {} ", subset.file.len()), &subset.file);
    // Subsets have a tag of six capitals before their names.
    let name = format!("/{}+{}", letters.tag(), font::NAME.replace(' ', ""));
    let face = font::face();
    let scaled = |v: i16| f64::from(v) * 1000.0 / font::units();
    let bounds = face.global_bounding_box();
    let descriptor = file.dictionary(&format!(
        "/Type /FontDescriptor /FontName {name} /Flags 32 /ItalicAngle 0 /StemV 80 /FontBBox [{}] /Ascent {} \
         /Descent {} /CapHeight {} /FontFile2 {outlines}",
        operands([bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scaled)),
        scaled(face.ascender()),
        scaled(face.descender()),
        scaled(face.capital_height().unwrap_or(714)),
    ));
    let numbers = std::iter::once(0).chain(letters.glyphs().map(|glyph| subset.number(glyph)));
    let glyph_of_letter = file.stream("", &numbers.flat_map(u16::to_be_bytes).collect::<Vec<u8>>());
    let widths: Vec<String> = letters.widths().map(|width| width.to_string()).collect();
    let descendant = file.dictionary(&format!(
        "/Type /Font /Subtype /CIDFontType2 /BaseFont {name} /FontDescriptor {descriptor} /DW 0 /W [1 [{}]] \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap {glyph_of_letter}",
        widths.join(" ")
    ));
    let unicode = file.stream("", letters.unicode().as_bytes());
    file.dictionary(&format!(
        "/Type /Font /Subtype /Type0 /BaseFont {name} /Encoding /Identity-H /DescendantFonts [{descendant}] \
         /ToUnicode {unicode}"
    ))
}
