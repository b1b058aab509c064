//! Rendering of diagnostics as text.
//!
//! In: [`Diagnostic`] values and the texts they point into. Out: a string: severity, code and sentence, the
//! place with carets under the text, further places, facts, ways out, and how to learn more. The drawing of
//! source excerpts is done by the `annotate-snippets` crate (the renderer of `rustc`); what is ours is the
//! choice of what to draw (module `window`) and the making harmless of texts that users control.

use std::collections::HashSet;

use annotate_snippets::renderer::{DEFAULT_TERM_WIDTH, DecorStyle};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::catalogue::explain;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Sources;
use crate::window::{Window, windows};

/// How to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenderOptions {
    /// ANSI colours and Unicode lines; plain ASCII otherwise.
    pub color: bool,
    /// Columns of the screen; 0 where unknown.
    pub width: usize,
}

/// Screens narrower than this are treated as if they had this many columns.
const NARROWEST: usize = 40;
/// Longer sentences and labels (a name of thousands of letters, say) lose their middle.
const LONGEST_SENTENCE: usize = 400;
/// An excerpt of more bytes has long lines.
const LONG_WINDOW: usize = 2_000;
/// How many bytes beyond that all excerpts have together. Each place of a line takes work for the whole line: a text of one
/// line with many mistakes would take the square of its length.
const LONG_LINES_BYTES: usize = 1 << 20;
/// Longer notes lose their middle.
const LONGEST_NOTE: usize = 4000;

impl RenderOptions {
    /// Columns for excerpts of source text.
    fn columns(self) -> usize {
        if self.width == 0 { DEFAULT_TERM_WIDTH } else { self.width.max(NARROWEST) }
    }
}

/// Draws one diagnostic, ending with a newline.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, options: RenderOptions) -> String {
    let mut room = LONG_LINES_BYTES;
    draw(diagnostic, sources, options, true, &mut room)
}

/// Draws several diagnostics, with an empty line between two and their number behind the last:
/// `2 errors, 1 warning`. The way to a code's page is shown once per code.
pub fn render_all(diagnostics: &[Diagnostic], sources: &Sources, options: RenderOptions) -> String {
    let mut out = String::new();
    let mut explained = HashSet::new();
    let mut room = LONG_LINES_BYTES;
    for diagnostic in diagnostics {
        let first = diagnostic.severity == Severity::Error && explained.insert(diagnostic.code);
        out.push_str(&draw(diagnostic, sources, options, first, &mut room));
        out.push('\n');
    }
    if !diagnostics.is_empty() {
        out.push_str(&count_line(diagnostics));
        out.push('\n');
    }
    out
}

/// `2 errors, 1 warning`; empty for no diagnostics.
pub fn count_line(diagnostics: &[Diagnostic]) -> String {
    let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counted = kinds.into_iter().filter_map(|(severity, name)| {
        let n = diagnostics.iter().filter(|d| d.severity == severity).count();
        (n > 0).then(|| format!("{n} {name}{}", if n == 1 { "" } else { "s" }))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// `room` is how much may still be drawn of long lines: without it a place is given by its numbers alone.
fn draw(
    diagnostic: &Diagnostic,
    sources: &Sources,
    options: RenderOptions,
    with_page: bool,
    room: &mut usize,
) -> String {
    let width = options.columns();
    let is_full = *room == 0;
    let windows = match is_full {
        true => Vec::new(),
        false => windows(diagnostic.primary.as_ref(), &diagnostic.secondary, sources, width),
    };
    *room = room.saturating_sub(windows.iter().map(|w| w.text.len().saturating_sub(LONG_WINDOW)).sum());
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group: Group<'_> = level
        .primary_title(sentence(&diagnostic.message))
        .id(diagnostic.code.to_string())
        .elements(windows.iter().map(snippet));
    if is_full
        && let Some(label) = &diagnostic.primary
        && let Some(source) = sources.get(label.span.file)
    {
        let place = sources.line_column(label.span);
        let origin = Origin::path(sentence(&source.name)).line(place.line).char_column(place.column);
        group = group.element(origin);
    }
    for (level, text) in footnotes(diagnostic, sources, with_page) {
        // In front of the text stand the margin for line numbers, ` = ` and the level's name.
        let indent = if level == Footnote::Fact { 6 } else { 15 };
        let text = wrap(&note(&text), options.width.saturating_sub(indent));
        group = group.element(level.level().message(text));
    }
    let renderer = if options.color {
        Renderer::styled().decor_style(DecorStyle::Unicode)
    } else {
        Renderer::plain().decor_style(DecorStyle::Ascii)
    };
    let mut out = renderer.term_width(width).render(&[group]);
    out.push('\n');
    out
}

/// The kind of a line under the excerpt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Footnote {
    Fact,
    Help,
    Page,
}

impl Footnote {
    fn level(self) -> Level<'static> {
        match self {
            Footnote::Fact => Level::NOTE.no_name(),
            Footnote::Help => Level::HELP,
            Footnote::Page => Level::NOTE.with_name("explain"),
        }
    }
}

fn footnotes(diagnostic: &Diagnostic, sources: &Sources, with_page: bool) -> Vec<(Footnote, String)> {
    let mut out = Vec::new();
    // A label without its file is still informative.
    for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
        if sources.get(label.span.file).is_none() && !label.text.is_empty() {
            out.push((Footnote::Fact, label.text.clone()));
        }
    }
    out.extend(diagnostic.notes.iter().map(|n| (Footnote::Fact, n.clone())));
    out.extend(diagnostic.helps.iter().map(|h| (Footnote::Help, h.clone())));
    if with_page && diagnostic.severity == Severity::Error && explain(diagnostic.code).is_some() {
        out.push((Footnote::Page, format!("volvelle explain {}", diagnostic.code)));
    }
    out
}

fn snippet<'a>(window: &'a Window<'_>) -> Element<'a> {
    let marks = window.marks.iter().map(|mark| {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = (!mark.label.is_empty()).then(|| sentence(mark.label));
        kind.span(mark.range.clone()).label(label)
    });
    Snippet::source(&window.text)
        .line_start(window.first_line)
        .path(sentence(window.name))
        .annotations(marks)
        .into()
}

/// One harmless line.
fn sentence(text: &str) -> String {
    shorten(&harmless(text).replace('\n', " "), LONGEST_SENTENCE)
}

/// Harmless lines.
fn note(text: &str) -> String {
    shorten(&harmless(text), LONGEST_NOTE)
}

/// Without characters that would control the terminal or reorder the text; keeps `\n`.
fn harmless(text: &str) -> String {
    volvelle_media::document(text).replace('\t', " ")
}

/// Cuts out the middle of a text of more than `limit` characters.
fn shorten(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let offset = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(i, _)| i);
    let (head, tail) = (limit * 2 / 3, limit / 3);
    format!("{} ... {}", &text[..offset(head)], &text[offset(length - tail)..])
}

/// Breaks lines of more than `width` characters at spaces; 0 means never. Words are not broken.
fn wrap(text: &str, width: usize) -> String {
    if width == 0 {
        return text.to_owned();
    }
    let mut lines = Vec::new();
    for mut line in text.split('\n') {
        while let Some((limit, _)) = line.char_indices().nth(width) {
            let indent = line.len() - line.trim_start().len();
            let head = &line[indent..];
            let space = |i: usize| (i > 0).then_some(indent + i);
            let before = line.get(indent..=limit).and_then(|h| h.rfind(' ')).and_then(space);
            let Some(at) = before.or_else(|| head.find(' ').and_then(space)) else {
                break;
            };
            lines.push(line[..at].trim_end());
            line = line[at..].trim_start();
        }
        lines.push(line);
    }
    lines.join("\n")
}
