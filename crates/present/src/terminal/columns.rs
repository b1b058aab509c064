//! Tables of any number of columns, in as many blocks as the screen needs.
//!
//! Every block repeats the key columns, which say what a row is about, and has as many of the others as fit. No cell is cut there; texts
//! of one column may be shortened instead, so that a row is a line.

use super::flow::{self, Lines};
use super::style::Style;
pub use crate::document::Keys;

/// Between columns.
const GAP: &str = "   ";

/// Between the number of a row and its shortened text.
const NUMBERED: &str = "  ";

/// Room that the last key column gets at least where its texts can be broken.
const LEAST_KEY: usize = 24;

/// Widest columns before the last one of a list: a longer text moves what is behind it.
const WIDEST_LISTED: usize = 40;

/// Room that a column of shortened texts gets at least beside others.
const LEAST_FITTED: usize = 20;

/// A table.
pub struct Columns {
    /// Heads of the columns.
    pub head: Vec<String>,
    /// Cells without colours.
    pub rows: Vec<Vec<String>>,
    /// What a row is about.
    pub keys: Keys,
    /// How many of the other columns belong together.
    pub group: usize,
}

impl Columns {
    /// Draws the table; `paint` colours the lines of a row, given by its number.
    pub fn draw(&self, indent: usize, style: Style, paint: impl Fn(usize, &str) -> String) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for (number, block) in self.blocks(&widths, indent, style).into_iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            out.push_str(&painted(&line(&self.head, &block, &widths, indent, style), |text| style.dim(text)));
            for (i, row) in self.rows.iter().enumerate() {
                out.push_str(&painted(&line(row, &block, &widths, indent, style), |text| paint(i, text)));
            }
        }
        out
    }

    /// Draws rows without heads; the texts of the last column go on in further lines.
    pub fn list(
        &self,
        gap: &str,
        indent: usize,
        style: Style,
        paint: impl Fn(usize, &str) -> String,
    ) -> String {
        let last = self.head.len().saturating_sub(1);
        let mut widths = self.widths_of(&self.rows.iter().collect::<Vec<_>>());
        widths[..last].iter_mut().for_each(|width| *width = (*width).min(WIDEST_LISTED));
        let start = " ".repeat(indent);
        let row = |(i, row): (usize, &Vec<String>)| {
            let mut lines = Lines::new(&start, indent + 2, style);
            for (cell, &width) in row[..last].iter().zip(&widths).filter(|(_, width)| **width > 0) {
                lines.item(gap, &padded(cell, width));
            }
            lines.column(gap, LEAST_KEY);
            lines.words(gap, &row[last]);
            painted(&lines.finish(), |text| paint(i, text))
        };
        self.rows.iter().enumerate().map(row).collect()
    }

    /// Draws rows as lines, with the texts of a column shortened to the room that there is. With little room, they stand above the
    /// other cells. Cells of some columns stand on the right of them.
    pub fn fitted(
        &self,
        column: usize,
        is_right: &[bool],
        indent: usize,
        style: Style,
        paint: impl Fn(usize, &str) -> String,
    ) -> String {
        let mut widths = self.widths();
        let others: usize = widths.iter().map(|width| width + GAP.len()).sum::<usize>() - widths[column];
        let others = others - if column > 0 { GAP.len() - NUMBERED.len() } else { 0 };
        let room = (indent + others).saturating_sub(GAP.len());
        let room = if style.width == 0 { usize::MAX } else { style.width.saturating_sub(room) };
        let is_stacked = room < widths[column].min(LEAST_FITTED);
        widths[column] = widths[column].min(room);
        let row = |cells: &Vec<String>| {
            let mut lines = Lines::new(&" ".repeat(indent), indent + 2, style);
            for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let gap = if i == column { NUMBERED } else { GAP };
                match (i == column, is_stacked) {
                    (true, true) => {
                        lines.indent_here(gap);
                        lines.words(gap, cell);
                        lines.new_line();
                    }
                    (true, false) => lines.item(gap, &padded(&style.fit(cell, room), width)),
                    (false, _) if is_right[i] => {
                        let padding = " ".repeat(width.saturating_sub(flow::columns(cell)));
                        lines.item(gap, &(padding + cell));
                    }
                    (false, _) => lines.item(gap, &padded(cell, width)),
                }
            }
            lines.finish()
        };
        let head = painted(&row(&self.head), |text| style.dim(text));
        let rows = self.rows.iter().enumerate();
        head + &rows.map(|(i, cells)| painted(&row(cells), |text| paint(i, text))).collect::<String>()
    }

    fn widths(&self) -> Vec<usize> {
        self.widths_of(&self.rows.iter().chain([&self.head]).collect::<Vec<_>>())
    }

    fn widths_of(&self, rows: &[&Vec<String>]) -> Vec<usize> {
        let width = |i: usize| rows.iter().map(|row| flow::columns(&row[i])).max().unwrap_or(0);
        (0..self.head.len()).map(width).collect()
    }

    /// The columns of each block.
    fn blocks(&self, widths: &[usize], indent: usize, style: Style) -> Vec<Vec<usize>> {
        let all = widths.len();
        let (keys, others): (Vec<usize>, Vec<usize>) = match self.keys {
            Keys::Before(n) => ((0..n.min(all)).collect(), (n.min(all)..all).collect()),
            Keys::Behind(n) => ((all.saturating_sub(n)..all).collect(), (0..all.saturating_sub(n)).collect()),
        };
        let assembled = |others: &[usize]| match self.keys {
            Keys::Before(_) => [&keys[..], others].concat(),
            Keys::Behind(_) => [others, &keys[..]].concat(),
        };
        let width_of = |i: usize| match self.keys {
            // Texts of states go on in further lines.
            Keys::Behind(_) if i + 1 == all => widths[i].min(LEAST_KEY),
            _ => widths[i],
        };
        let width = |columns: &[usize]| {
            let cells: usize = columns.iter().map(|&i| width_of(i)).sum();
            indent + cells + GAP.len() * columns.len().saturating_sub(1)
        };
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut block: Vec<usize> = Vec::new();
        for group in others.chunks(self.group.max(1)) {
            let longer = [&block[..], group].concat();
            if style.width > 0 && !block.is_empty() && width(&assembled(&longer)) > style.width {
                blocks.push(assembled(&block));
                block = group.to_vec();
            } else {
                block = longer;
            }
        }
        blocks.push(assembled(&block));
        blocks
    }
}

/// The lines of a row.
fn line(cells: &[String], block: &[usize], widths: &[usize], indent: usize, style: Style) -> String {
    let mut lines = Lines::new(&" ".repeat(indent), indent + 2, style);
    for (place, &i) in block.iter().enumerate() {
        if place + 1 == block.len() {
            lines.indent_here(GAP);
            lines.item(GAP, &cells[i]);
        } else {
            lines.item(GAP, &padded(&cells[i], widths[i]));
        }
    }
    lines.finish()
}

fn padded(cell: &str, width: usize) -> String {
    format!("{cell}{}", " ".repeat(width.saturating_sub(flow::columns(cell))))
}

/// Lines in a style, each by itself.
fn painted(lines: &str, paint: impl Fn(&str) -> String) -> String {
    lines.lines().map(|line| format!("{}\n", paint(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Columns, Keys};
    use crate::terminal::Style;

    fn table(keys: Keys) -> Columns {
        let cells = |texts: [&str; 4]| texts.map(str::to_owned).to_vec();
        Columns {
            head: cells(["N", "first value", "second value", "third"]),
            rows: vec![cells(["10", "0.25", "0.5", "a=1 b=2"])],
            keys,
            group: 1,
        }
    }

    fn drawn(keys: Keys, width: usize) -> String {
        table(keys).draw(2, Style { width, ..Style::default() }, |_, text| text.to_owned())
    }

    #[test]
    fn what_fits_is_one_block() {
        let all = "  N    first value   second value   third\n  10   0.25          0.5            a=1 b=2\n";
        assert_eq!(drawn(Keys::Before(1), 0), all);
        assert_eq!(drawn(Keys::Before(1), 80), all);
    }

    #[test]
    fn blocks_repeat_their_keys() {
        let out = drawn(Keys::Before(1), 24);
        assert_eq!(
            out,
            "  N    first value\n  10   0.25\n\n  N    second value\n  10   0.5\n\n  N    third\n  10   a=1 b=2\n"
        );
        let out = drawn(Keys::Behind(1), 30);
        assert_eq!(
            out,
            "  N    first value   third\n  10   0.25          a=1 b=2\n\n  second value   third\n  0.5            a=1 b=2\n"
        );
    }
}
