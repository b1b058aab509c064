//! What an output stream can show, and how the parts of a text are set off.

use super::marks::Mark;

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
