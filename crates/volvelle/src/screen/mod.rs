//! The layout of results: the answer first, then its guarantee, then its cost.
//!
//! Takes reports; gives text. Plain ASCII without colour when standard output is no terminal. Lines fit the columns of the
//! output ([`Style::width`]): texts go on in further lines, tables of many columns in further blocks, and only properties in
//! tables are shortened. Answers never are.

pub mod answer;
pub mod columns;
pub mod devices;
pub mod distribution;
pub mod facts;
pub mod flow;
pub mod format;
pub mod grid;
pub mod model;
pub mod mpi;
pub mod multicore;
pub mod nbody;
pub mod outline;
pub mod path;
pub mod performance;
pub mod pipeline;
pub mod processes;
pub mod states;
pub mod systems;
pub mod table;
#[cfg(test)]
mod tests;
pub mod threshold;
pub mod trace;
pub mod tuning;
pub mod weighted;
mod witness;

use crate::terminal::{self, Mark};

/// The capabilities of the output stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Colours and weights.
    pub color: bool,
    /// Characters beyond ASCII.
    pub unicode: bool,
    /// Columns; 0 where unknown or unlimited.
    pub width: usize,
}

impl Style {
    fn paint(self, mark: Mark, text: &str) -> String {
        if self.color { format!("{}{text}{}", mark.text(), Mark::Plain.text()) } else { text.to_owned() }
    }

    /// The style of the most important text.
    pub fn bold(self, text: &str) -> String {
        self.paint(Mark::Bold, text)
    }

    /// The style of text that can be skipped.
    pub fn dim(self, text: &str) -> String {
        self.paint(Mark::Dim, text)
    }

    /// True.
    pub fn good(self, text: &str) -> String {
        self.paint(Mark::Good, text)
    }

    /// False, or not computed.
    pub fn bad(self, text: &str) -> String {
        self.paint(Mark::Bad, text)
    }

    /// Not to be trusted.
    pub fn doubtful(self, text: &str) -> String {
        self.paint(Mark::Doubtful, text)
    }

    /// `±`
    pub fn plus_minus(self) -> &'static str {
        if self.unicode { "±" } else { "+/-" }
    }

    /// Between items of a line.
    pub fn separator(self) -> &'static str {
        if self.unicode { " · " } else { ", " }
    }

    /// In place of a value that does not exist.
    pub fn nothing(self) -> &'static str {
        if self.unicode { "—" } else { "-" }
    }

    /// Shortens a text to a number of columns.
    pub fn fit(self, text: &str, columns: usize) -> String {
        let ellipsis = if self.unicode { "…" } else { "..." };
        let room = columns.max(8);
        if text.chars().count() <= room {
            return text.to_owned();
        }
        let kept: String = text.chars().take(room - ellipsis.chars().count()).collect();
        format!("{}{ellipsis}", kept.trim_end())
    }
}

/// Adds a line: whatever names are in it, they begin no other.
fn push_line(out: &mut String, line: &str) {
    out.push_str(&terminal::line(line));
    out.push('\n');
}

/// The line that lists the written files, behind an empty line; nothing if there are none.
pub fn written(names: &[String], style: Style) -> String {
    if names.is_empty() { String::new() } else { format!("\n{}", written_line(names, "", style)) }
}

/// The line that lists the written files, and what there is to say about them.
pub fn written_line(names: &[String], about: &str, style: Style) -> String {
    let last = names.len().saturating_sub(1);
    let comma = |i: usize| if i < last { "," } else { "" };
    let mut items: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("{name}{}", comma(i))).collect();
    if !about.is_empty() {
        items.push(format!(" {about}"));
    }
    flow::items("  written: ", &items, " ", 11, style)
}
