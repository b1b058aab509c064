//! A scene as a PDF of one page that is as large as the picture: lines are lines, texts are texts in the embedded font, of
//! which the file has only those letters that occur.
//!
//! ISO 32000-1:2008. Publishers refuse files that rely on fonts of the reader, also on the fourteen standard ones; there is
//! none of them here. Nothing in the file depends on when it was written.

mod drawing;
mod letters;

use crate::font;
use crate::scene::{OPACITY, POINTS, Scene, WIDTH};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use letters::Letters;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use std::io::Write;

/// Names of resources of the page.
const FONT: Name<'static> = Name(b"F1");
const TRANSLUCENT: Name<'static> = Name(b"G1");

/// Letters are those of Unicode, by numbers of this file.
const ADOBE_IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Numbers of the objects of the file.
struct Objects {
    catalog: Ref,
    pages: Ref,
    page: Ref,
    content: Ref,
    info: Ref,
    translucent: Ref,
    font: Ref,
    letters: Ref,
    descriptor: Ref,
    outlines: Ref,
    outline_of_letter: Ref,
    unicode: Ref,
}

impl Objects {
    fn new() -> Self {
        let mut last = 0;
        let mut next = || {
            last += 1;
            Ref::new(last)
        };
        Objects {
            catalog: next(),
            pages: next(),
            page: next(),
            content: next(),
            info: next(),
            translucent: next(),
            font: next(),
            letters: next(),
            descriptor: next(),
            outlines: next(),
            outline_of_letter: next(),
            unicode: next(),
        }
    }
}

/// The file.
pub fn file(scene: &Scene) -> Vec<u8> {
    let letters = Letters::of(scene);
    let objects = Objects::new();
    let mut pdf = Pdf::new();
    pdf.catalog(objects.catalog).pages(objects.pages).viewer_preferences().display_doc_title(true);
    pdf.document_info(objects.info).title(TextStr(&scene.title)).creator(TextStr("Volvelle"));
    pdf.pages(objects.pages).kids([objects.page]).count(1);
    let mut page = pdf.page(objects.page);
    page.media_box(Rect::new(0.0, 0.0, (WIDTH * POINTS) as f32, (scene.height * POINTS) as f32));
    page.parent(objects.pages).contents(objects.content);
    let mut resources = page.resources();
    resources.fonts().pair(FONT, objects.font);
    resources.ext_g_states().pair(TRANSLUCENT, objects.translucent);
    resources.finish();
    page.finish();
    pdf.ext_graphics(objects.translucent).non_stroking_alpha(OPACITY as f32);
    stream(&mut pdf, objects.content, &drawing::content(scene, &letters));
    embed(&mut pdf, &objects, &letters);
    pdf.finish()
}

/// The font with the letters that occur.
fn embed(pdf: &mut Pdf, objects: &Objects, letters: &Letters) {
    let subset = letters.subset();
    // Subsets have a tag of six capitals before their names.
    let name = format!("{}+{}", letters.tag(), font::NAME.replace(' ', ""));
    let name = Name(name.as_bytes());
    let mut composite = pdf.type0_font(objects.font);
    composite.base_font(name).encoding_predefined(Name(b"Identity-H"));
    composite.descendant_font(objects.letters).to_unicode(objects.unicode);
    composite.finish();
    let mut simple = pdf.cid_font(objects.letters);
    simple.subtype(CidFontType::Type2).base_font(name).system_info(ADOBE_IDENTITY);
    simple.font_descriptor(objects.descriptor).default_width(0.0);
    simple.cid_to_gid_map_stream(objects.outline_of_letter);
    simple.widths().consecutive(1, letters.widths());
    simple.finish();

    let face = font::face();
    let scaled = |v: i16| (f64::from(v) * 1000.0 / font::units()) as f32;
    let bounds = face.global_bounding_box();
    let mut descriptor = pdf.font_descriptor(objects.descriptor);
    descriptor.name(name).flags(FontFlags::NON_SYMBOLIC).italic_angle(0.0).stem_v(80.0);
    descriptor.bbox(Rect::new(
        scaled(bounds.x_min),
        scaled(bounds.y_min),
        scaled(bounds.x_max),
        scaled(bounds.y_max),
    ));
    descriptor.ascent(scaled(face.ascender())).descent(scaled(face.descender()));
    descriptor.cap_height(scaled(face.capital_height().unwrap_or(714))).font_file2(objects.outlines);
    descriptor.finish();

    let packed = deflated(&subset.file);
    let mut outlines = pdf.stream(objects.outlines, &packed);
    outlines.filter(Filter::FlateDecode);
    outlines.pair(Name(b"Length1"), i32::try_from(subset.file.len()).unwrap_or(i32::MAX));
    outlines.finish();
    stream(pdf, objects.outline_of_letter, &subset.outline_of_letter);
    let mut unicode: UnicodeCmap<u16> = UnicodeCmap::new(Name(b"Letters"), ADOBE_IDENTITY);
    letters.numbered().for_each(|(number, letter)| unicode.pair(number, letter));
    stream(pdf, objects.unicode, &unicode.finish());
}

fn stream(pdf: &mut Pdf, object: Ref, data: &[u8]) {
    pdf.stream(object, &deflated(data)).filter(Filter::FlateDecode);
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(data);
    encoder.finish().unwrap_or_default()
}
