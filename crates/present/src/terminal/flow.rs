//! Lines that fit the screen: lists are broken between their items, texts between their words.
//!
//! Nothing is left out: what does not fit goes on in the next line. Only an item that is longer than a whole line is broken
//! inside, and a word only if it is longer than a line itself. Marks of styles take no room, and a style that is
//! open at the end of a line is closed there and opened again, so that a pager shows each line by itself. A line end inside an item
//! or a text is shown as `\n`: what a model names does not begin a line.

use super::marks::{self, Mark};
use super::style::Style;

/// Least room for what stands behind an indentation: with less, lines begin further to the left.
const LEAST_ROOM: usize = 16;

/// Left end of lines whose indentation would leave too little room.
const LEFT: usize = 4;

/// Columns that a text takes on the screen.
pub fn columns(text: &str) -> usize {
    let mut columns = 0;
    let mut rest = text;
    while let Some((piece, after)) = first(rest) {
        columns += usize::from(!is_mark(piece));
        rest = after;
    }
    columns
}

/// `start`, then the items with `gap` between them. Further lines begin in column `indent`. Ends with a newline.
pub fn items(start: &str, items: &[String], gap: &str, indent: usize, style: Style) -> String {
    let mut lines = Lines::new(start, indent, style);
    items.iter().for_each(|item| lines.item(gap, item));
    lines.finish()
}

/// `start`, then a text whose further lines begin in column `indent`. Ends with a newline.
pub fn text(start: &str, text: &str, indent: usize, style: Style) -> String {
    let mut lines = Lines::new(start, indent, style);
    lines.words("", text);
    lines.finish()
}

/// A character or a mark, and the rest of the text.
fn first(text: &str) -> Option<(&str, &str)> {
    let character = text.chars().next()?;
    let length = match Mark::first(text) {
        Some((_, rest)) => text.len() - rest.len(),
        None => character.len_utf8(),
    };
    Some(text.split_at(length))
}

fn is_mark(piece: &str) -> bool {
    Mark::first(piece).is_some()
}

/// Lines in the making.
pub struct Lines {
    out: String,
    /// Columns used in the last line.
    used: usize,
    /// Whether nothing stands in the last line but its beginning.
    is_fresh: bool,
    indent: usize,
    /// The smallest indentation: for what would have to be broken further to the right.
    base: usize,
    width: usize,
    /// Marks of the styles that are open.
    open: String,
}

impl Lines {
    /// A line that begins with `start`; further ones begin in column `indent`.
    pub fn new(start: &str, indent: usize, style: Style) -> Self {
        let width = if style.width == 0 { usize::MAX } else { style.width };
        let mut lines = Lines {
            out: String::new(),
            used: 0,
            is_fresh: false,
            indent: 0,
            base: 0,
            width,
            open: String::new(),
        };
        lines.indent_by(indent);
        lines.base = lines.indent;
        let start = &*marks::line(start);
        if columns(start) <= width {
            lines.add(start);
        } else {
            lines.words("", start);
        }
        lines.is_fresh = true;
        lines
    }

    /// Lines from here on begin in this column, if there is room behind it.
    pub fn indent_by(&mut self, indent: usize) {
        let has_room = self.width.saturating_sub(indent) >= LEAST_ROOM;
        self.indent = if has_room { indent } else { LEFT.min(indent) };
    }

    /// Lines from here on begin where the next item of this line will, if there is room behind it.
    pub fn indent_here(&mut self, gap: &str) {
        let at = self.used + if self.is_fresh { 0 } else { gap.len() };
        if self.width.saturating_sub(at) >= LEAST_ROOM {
            self.indent = at;
        }
    }

    /// The same where so many columns are left; else in a new line.
    pub fn column(&mut self, gap: &str, least: usize) {
        if self.width.saturating_sub(self.used + gap.len()) >= least {
            self.indent_here(gap);
        } else {
            self.new_line();
        }
    }

    /// Adds an item.
    pub fn item(&mut self, gap: &str, item: &str) {
        let item = &*marks::line(item);
        if self.has_room_for(columns(item)) { self.whole(gap, item) } else { self.words(gap, item) }
    }

    /// Adds a text.
    pub fn words(&mut self, gap: &str, text: &str) {
        let mut gap = gap.to_owned();
        let text = &*marks::line(text);
        for word in text.split(' ') {
            if word.is_empty() {
                gap.push(' ');
                continue;
            }
            if self.has_room_for(columns(word)) {
                self.whole(&gap, word);
            } else {
                self.letters(&gap, word);
            }
            gap = " ".to_owned();
        }
    }

    /// Whether so many columns fit on a line; one that begins further to the left, if need be.
    fn has_room_for(&mut self, length: usize) -> bool {
        if length > self.width.saturating_sub(self.indent) && length <= self.width.saturating_sub(self.base) {
            self.indent = self.base;
        }
        length <= self.width.saturating_sub(self.indent)
    }

    /// The lines.
    pub fn finish(mut self) -> String {
        self.end_line();
        self.out
    }

    /// Adds what fits on a line.
    fn whole(&mut self, gap: &str, text: &str) {
        if !self.begin_item(gap, columns(text)) {
            self.new_line();
        }
        self.add(text);
        self.is_fresh = false;
    }

    /// Adds a word that is longer than a line.
    fn letters(&mut self, gap: &str, word: &str) {
        if !self.begin_item(gap, LEAST_ROOM / 2) {
            self.new_line();
        }
        let mut rest = word;
        while let Some((piece, after)) = first(rest) {
            if self.used >= self.width && !is_mark(piece) {
                self.new_line();
            }
            self.add(piece);
            rest = after;
        }
        self.is_fresh = false;
    }

    /// Adds the gap if what follows fits behind it; says whether it does.
    fn begin_item(&mut self, gap: &str, length: usize) -> bool {
        let gap = if self.is_fresh { "" } else { gap };
        if self.used.saturating_add(gap.len()).saturating_add(length) > self.width {
            return false;
        }
        self.add(gap);
        true
    }

    /// Ends the line, unless nothing stands in it.
    pub fn new_line(&mut self) {
        if self.used <= self.indent && (self.is_fresh || self.out.is_empty()) {
            return;
        }
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.out.push_str(&Mark::Plain.text());
        }
        self.end_line();
        self.out.push_str(&" ".repeat(self.indent));
        self.out.push_str(&open);
        self.open = open;
        (self.used, self.is_fresh) = (self.indent, true);
    }

    fn end_line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        self.out.push('\n');
    }

    fn add(&mut self, text: &str) {
        let mut rest = text;
        while let Some((piece, after)) = first(rest) {
            match Mark::first(piece) {
                None => self.used += 1,
                Some((Mark::Plain, _)) => self.open.clear(),
                Some(_) => self.open.push_str(piece),
            }
            rest = after;
        }
        self.out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::Style;
    use super::{Lines, columns, items, text};

    fn wide(width: usize) -> Style {
        Style { width, ..Style::default() }
    }

    #[test]
    fn without_a_width_nothing_is_broken() {
        assert_eq!(text("  a   ", "b  c", 6, wide(0)), "  a   b  c\n");
        assert_eq!(items("  ", &["a".to_owned(), "b".to_owned()], "   ", 2, wide(0)), "  a   b\n");
    }

    #[test]
    fn lines_end_between_words() {
        let out = text("  name  ", "one two  three four five six", 8, wide(24));
        assert_eq!(out, "  name  one two  three\n        four five six\n");
        // Too little room behind the indentation.
        let out = text("              x  ", "one two three four", 17, wide(20));
        assert_eq!(out, "              x  one\n    two three four\n");
        assert_eq!(text("", &"x".repeat(50), 2, wide(20)).lines().count(), 3);
    }

    #[test]
    fn items_stay_whole_where_they_can() {
        let all = ["first item", "second item", "third"].map(str::to_owned);
        assert_eq!(items("", &all, "  ", 2, wide(24)), "first item  second item\n  third\n");
        assert_eq!(items("", &all, "  ", 2, wide(18)), "first item\n  second item\n  third\n");
    }

    #[test]
    fn styles_take_no_room_and_end_with_their_line() {
        let style = Style { color: true, ..wide(20) };
        let dim = style.dim("one two three four five");
        assert_eq!(columns(&dim), 23);
        let out = text("", &dim, 2, style);
        let out = super::super::marks::written(&out, true);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines, ["\u{1b}[2mone two three four\u{1b}[0m", "  \u{1b}[2mfive\u{1b}[0m"]);
    }

    #[test]
    fn names_begin_no_line() {
        let out = text("  a\nb  ", "c\nd \u{1b}[2mmm", 4, wide(0));
        assert_eq!(out, "  a\\nb  c\\nd \\u{1b}[2mmm\n");
    }

    #[test]
    fn further_lines_begin_where_the_last_column_does() {
        let mut lines = Lines::new("  ", 4, wide(30));
        lines.item("  ", "key");
        lines.indent_here("  ");
        lines.words("  ", "a text that is too long for it");
        assert_eq!(lines.finish(), "  key  a text that is too long\n       for it\n");
    }
}
