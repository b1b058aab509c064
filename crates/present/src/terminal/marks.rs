//! Texts on their way to a terminal: what is shown is shown, and only styles of this program act.
//!
//! A text may contain names of a model, of files, of properties: anything. So a style is no escape sequence inside the text but a
//! [`Mark`], which contains a number that is drawn when the process starts, and which no input can therefore contain. The last step
//! before a stream ([`written`]) turns marks into escape sequences, or drops them, and makes every other character harmless. That
//! step belongs to what opens the streams, so no text comes past it.

use anstyle::{AnsiColor, Style};
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use volvelle_media as media;

/// Begins a mark.
const BEGIN: char = '\u{fdd0}';

/// Hexadecimal digits of the number of this process.
const DIGITS: usize = 16;

/// Bytes of a mark.
const LENGTH: usize = BEGIN.len_utf8() + DIGITS + 1;

static KEY: LazyLock<String> =
    LazyLock::new(|| format!("{BEGIN}{:0DIGITS$x}", RandomState::new().build_hasher().finish()));

/// The beginning or the end of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The most important text.
    Bold,
    /// Text that can be skipped.
    Dim,
    /// Text that is true.
    Good,
    /// Text that is false.
    Bad,
    /// Text that is not to be trusted.
    Doubtful,
    /// The end of all styles.
    Plain,
}

impl Mark {
    const ALL: [(Mark, char); 6] = [
        (Mark::Bold, 'b'),
        (Mark::Dim, 'd'),
        (Mark::Good, 'g'),
        (Mark::Bad, 'r'),
        (Mark::Doubtful, 'y'),
        (Mark::Plain, '0'),
    ];

    /// As a part of a text.
    pub fn text(self) -> String {
        let letter = Mark::ALL.iter().find(|(mark, _)| *mark == self).map_or('0', |(_, letter)| *letter);
        format!("{}{letter}", *KEY)
    }

    /// The mark with which a text begins, and the rest.
    pub fn first(text: &str) -> Option<(Mark, &str)> {
        let rest = text.strip_prefix(BEGIN).and_then(|_| text.strip_prefix(KEY.as_str()))?;
        let letter = rest.chars().next()?;
        let (mark, _) = Mark::ALL.iter().find(|(_, known)| *known == letter)?;
        Some((*mark, &rest[letter.len_utf8()..]))
    }

    fn sequence(self) -> String {
        let style = match self {
            Mark::Bold => Style::new().bold(),
            Mark::Dim => Style::new().dimmed(),
            Mark::Good => AnsiColor::Green.on_default().bold(),
            Mark::Bad => AnsiColor::Red.on_default().bold(),
            Mark::Doubtful => AnsiColor::Yellow.on_default().bold(),
            Mark::Plain => return anstyle::Reset.to_string(),
        };
        style.to_string()
    }
}

/// A part of a line, with its styles: line ends and tabs are shown as `\n` and `\t` as well.
pub fn line(text: &str) -> Cow<'_, str> {
    between_marks(text, media::line, |mark| mark.text())
}

/// A text as a stream gets it: besides what is shown, only line ends and styles act.
pub fn written(text: &str, is_colored: bool) -> Cow<'_, str> {
    between_marks(text, media::lines, |mark| if is_colored { mark.sequence() } else { String::new() })
}

/// A line that a model prints: its tabs become spaces up to the next column of a multiple of eight.
pub fn untabbed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let spaces = 8 - column % 8;
        match c {
            '\t' => out.push_str(&" ".repeat(spaces)),
            c => out.push(c),
        }
        column += if c == '\t' { spaces } else { 1 };
    }
    out
}

fn between_marks<'t>(
    text: &'t str,
    harmless: impl Fn(&str) -> Cow<'_, str>,
    of_mark: impl Fn(Mark) -> String,
) -> Cow<'t, str> {
    if !text.contains(media::is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut begin = 0;
    while let Some(found) =
        text[begin..].match_indices(BEGIN).find(|(at, _)| Mark::first(&text[begin + at..]).is_some())
    {
        let at = begin + found.0;
        out.push_str(&harmless(&text[begin..at]));
        out.extend(Mark::first(&text[at..]).map(|(mark, _)| of_mark(mark)));
        begin = at + LENGTH;
    }
    out.push_str(&harmless(&text[begin..]));
    Cow::Owned(out)
}

/// A text that a library has drawn from harmless pieces, as a stream gets it: its own styles act, and nothing else does.
pub fn drawn(text: &str, is_colored: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&media::lines(&rest[..at]));
        let inside = &rest[at + 2..];
        let end = inside.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(inside.len());
        if inside[end..].starts_with('m') {
            if is_colored {
                out.push_str(&rest[at..at + 2 + end + 1]);
            }
            rest = &inside[end + 1..];
        } else {
            out.push_str(&media::lines("\u{1b}["));
            rest = inside;
        }
    }
    out.push_str(&media::lines(rest));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_become_sequences() {
        let text = format!("{}a{}\u{1b}[31m\u{9b}31m\rb\n", Mark::Bold.text(), Mark::Plain.text());
        assert_eq!(written(&text, true), "\u{1b}[1ma\u{1b}[0m\\u{1b}[31m\\u{9b}31m\\rb\n");
        assert_eq!(written(&text, false), "a\\u{1b}[31m\\u{9b}31m\\rb\n");
        assert_eq!(line("a\nb"), "a\\nb");
        assert_eq!(written("a\tb\n", false), "a\\tb\n");
        // A text that looks like a mark of another process.
        let forged = format!("{BEGIN}{}b", "0123456789abcdef");
        assert_eq!(written(&forged, true), "\\u{fdd0}0123456789abcdefb");
        // A mark of this process cannot be told by what it prints.
        assert!(!written(&Mark::Dim.text(), true).contains(&KEY[BEGIN.len_utf8()..]));
    }

    #[test]
    fn drawings_keep_styles_only() {
        assert_eq!(
            drawn("\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m\u{1b}[2J\u{7}", true),
            "\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m\\u{1b}[2J\\u{7}"
        );
        assert_eq!(drawn("\u{1b}[1merror\u{1b}[0m", false), "error");
    }
}
