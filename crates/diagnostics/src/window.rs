//! Which lines of which file a diagnostic shows, and where in them its marks lie.
//!
//! In: labels with byte spans of any kind: empty, reversed, beyond the end, across line ends, inside a
//! character, in a file that does not exist. Out: [`Window`]s: a few whole lines of one file with marks that
//! are valid for the drawing library (ordered, on character boundaries, never inside a line terminator),
//! narrow enough to be drawn on about `width` columns (a tab or a wide character counts as one here).
//! Line terminators `\n` and `\r\n` become `\n`, and each character that would control the terminal becomes one that
//! shows it; nothing else of the text changes, so columns stay those of the file.

use std::ops::Range;

use crate::diagnostic::Label;
use crate::source::{FileId, Sources};

/// Consecutive lines of one file, with the places to underline.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Number of the first line, from 1.
    pub first_line: usize,
    /// The lines, each ended by `\n`.
    pub text: String,
    /// The places, as byte ranges of `text`.
    pub marks: Vec<Mark<'a>>,
}

/// One underlined place.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    pub range: Range<usize>,
    pub primary: bool,
    pub label: &'a str,
}

/// The windows that show `primary` and `secondary`, the one with `primary` first.
///
/// Labels of one file share a window unless they lie too far apart on long lines. Labels whose file is not
/// in `sources` are left out.
pub(crate) fn windows<'a>(
    primary: Option<&'a Label>,
    secondary: &'a [Label],
    sources: &'a Sources,
    width: usize,
) -> Vec<Window<'a>> {
    let labels = primary.into_iter().map(|l| (l, true)).chain(secondary.iter().map(|l| (l, false)));
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (label, is_primary) in labels {
        let Some(source) = sources.get(label.span.file) else {
            continue;
        };
        let place = Place::of(&source.text, label, width).named(is_primary, &label.text);
        match groups.iter_mut().find(|g| g.file == label.span.file && g.has_room_for(&place, width)) {
            Some(group) => group.places.push(place),
            None => groups.push(Group {
                file: label.span.file,
                name: &source.name,
                text: &source.text,
                first_line: source.first_line,
                places: vec![place],
            }),
        }
    }
    groups.into_iter().map(|group| group.window(sources)).collect()
}

/// Places of one file that are drawn together.
struct Group<'a> {
    file: FileId,
    name: &'a str,
    text: &'a str,
    /// Number of the first line of `text`.
    first_line: usize,
    places: Vec<Place<'a>>,
}

impl<'a> Group<'a> {
    /// Whether `place` can be drawn beside the others without making the drawing wider than the screen.
    fn has_room_for(&self, place: &Place<'_>, width: usize) -> bool {
        let columns = self.places.iter().chain([place]).map(|p| p.columns.clone());
        let (left, right) = columns.fold((usize::MAX, 0), |(l, r), c| (l.min(c.start), r.max(c.end)));
        right <= width || right - left <= room(width)
    }

    fn window(self, sources: &Sources) -> Window<'a> {
        let start = self.places.iter().map(|p| p.start).min().unwrap_or(0);
        let end = self.places.iter().map(|p| p.end).max().unwrap_or(start);
        let begin = line_start(self.text, start);
        let lines = &self.text[begin..line_end(self.text, end)];
        let marks = self.places.iter().map(|p| Mark {
            range: shown(&lines[..p.start - begin]).len()..shown(&lines[..p.end - begin]).len(),
            primary: p.primary,
            label: p.label,
        });
        Window {
            name: self.name,
            first_line: sources.line(self.file, begin) + self.first_line,
            marks: marks.collect(),
            text: shown(lines) + "\n",
        }
    }
}

/// Lines as they are drawn: with `\n` for `\r\n`, and pictures of characters that control a terminal.
fn shown(lines: &str) -> String {
    let picture = |c: char| if matches!(c, '\n' | '\t') { c } else { volvelle_media::pictured(c) };
    lines.replace("\r\n", "\n").chars().map(picture).collect()
}

/// How many columns an underlined place may take on a line that is wider than the screen.
fn room(width: usize) -> usize {
    width / 2
}

/// A label's span made valid: `start <= end`, character boundaries, not inside a line terminator.
struct Place<'a> {
    start: usize,
    end: usize,
    /// The columns it touches, in characters.
    columns: Range<usize>,
    primary: bool,
    label: &'a str,
}

impl<'a> Place<'a> {
    fn of(text: &str, label: &Label, width: usize) -> Self {
        let start = text.floor_char_boundary(label.span.start as usize);
        let end = text.ceil_char_boundary(label.span.end as usize).max(start);
        let start = start.min(line_end(text, start));
        let mut end = end.max(start);
        // A span that ends in or right behind a line terminator ends with the line's text.
        let last = line_start(text, end);
        end = end.min(line_end(text, end));
        if end == last && last > start {
            end = line_end(text, last - 1).max(start);
        }
        let mut place = Place { start, end, columns: 0..0, primary: false, label: "" };
        place.columns = place.measure(text);
        place.narrow(text, width);
        place
    }

    fn named(self, primary: bool, label: &'a str) -> Self {
        Place { primary, label, ..self }
    }

    fn measure(&self, text: &str) -> Range<usize> {
        let column = |at: usize| text[line_start(text, at)..at].chars().count();
        let (a, b) = (column(self.start), column(self.end));
        a.min(b)..a.max(b)
    }

    /// On lines wider than the screen, underlines only the beginning of a long place.
    fn narrow(&mut self, text: &str, width: usize) {
        let fits = |p: &Self| p.columns.end <= width || p.columns.len() <= room(width);
        if fits(self) {
            return;
        }
        self.end = self.end.min(line_end(text, self.start));
        self.columns = self.measure(text);
        if !fits(self) {
            let rest = &text[self.start..self.end];
            let kept = rest.char_indices().nth(room(width)).map_or(rest.len(), |(i, _)| i);
            self.end = self.start + kept;
            self.columns = self.measure(text);
        }
    }
}

/// Where the line that contains `at` begins.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

/// Where the line that contains `at` ends, before its terminator.
fn line_end(text: &str, at: usize) -> usize {
    let Some(length) = text[at..].find('\n') else {
        return text.len();
    };
    let newline = at + length;
    if text[..newline].ends_with('\r') { newline - 1 } else { newline }
}
