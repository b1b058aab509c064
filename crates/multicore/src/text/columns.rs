//! Lines, their columns, and the places of these.

use super::Form;
use std::ops::Range;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// Limit of diagnostics: a text of another form has a mistake in every line.
const MOST_DIAGNOSTICS: usize = 20;

/// A column: its text, and the bytes that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'t> {
    pub text: &'t str,
    start: usize,
}

impl Column<'_> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len().max(1)
    }
}

/// Goes through the lines of a text and reports what is wrong.
pub(super) struct Lines<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    pub found: Vec<Diagnostic>,
}

impl<'t> Lines<'t> {
    /// Starts after the first line, if that names the columns of `form`.
    pub fn of(file: FileId, text: &'t str, form: Form) -> Result<Self, Diagnostic> {
        if u32::try_from(text.len()).is_err() {
            return Err(Diagnostic::error(codes::STREAM_FORM, "the text is larger than 4 GiB"));
        }
        if Form::of(text) != Some(form) {
            return Err(super::unknown_form(file, text));
        }
        let at = text.find('\n').map_or(text.len(), |end| end + 1);
        Ok(Lines { file, text, at, found: Vec::new() })
    }

    /// Continues at a place where reading stopped before.
    pub fn resumed(file: FileId, text: &'t str, at: usize) -> Self {
        Lines { file, text, at, found: Vec::new() }
    }

    /// The start of the next line.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The columns of the next line, at least `N`. Lines with fewer columns are reported and skipped. `None`
    /// at the end.
    pub fn next<const N: usize>(&mut self, form: Form) -> Option<[Column<'t>; N]> {
        while self.at < self.text.len() && self.found.len() < MOST_DIAGNOSTICS {
            let start = self.at;
            let rest = &self.text[start..];
            let (line, next) = rest
                .split_once('\n')
                .map_or((rest, self.text.len()), |(line, _)| (line, start + line.len() + 1));
            self.at = next;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut columns = [Column { text: "", start }; N];
            let mut count = 0;
            let mut offset = start;
            for text in line.split('\t').take(N) {
                columns[count] = Column { text, start: offset };
                offset += text.len() + 1;
                count += 1;
            }
            if count == N {
                return Some(columns);
            }
            let message = format!("expected {N} columns, found {count}");
            let whole = Column { text: line, start };
            self.report(whole, message, &format!("the columns are `{}`", form.columns().join("`, `")));
        }
        None
    }

    /// Reports that a column is wrong.
    pub fn report(&mut self, column: Column<'t>, message: impl Into<String>, help: &str) {
        let span = Span::within(self.file, self.text, column.range());
        self.found.push(Diagnostic::error(codes::STREAM_COLUMN, message).at(span, "").help(help));
    }

    /// A hexadecimal number.
    pub fn address(&mut self, column: Column<'t>) -> Option<u64> {
        let digits = column.text.strip_prefix("0x").unwrap_or(column.text);
        let number = u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
        if number.is_none() {
            let help = "write a hexadecimal number of at most 64 bits, such as `1a0c`";
            self.report(column, format!("`{}` is no address", column.text.escape_debug()), help);
        }
        number
    }

    /// A decimal number within a range.
    pub fn whole(
        &mut self,
        column: Column<'t>,
        what: &str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let number = column.text.parse().ok().filter(|number| range.contains(number));
        if number.is_none() {
            let help = format!("write a whole number from {} to {}", range.start(), range.end());
            self.report(column, format!("`{}` is no {what}", column.text.escape_debug()), &help);
        }
        number
    }

    /// Whether a transfer was taken.
    pub fn taken(&mut self, column: Column<'t>) -> Option<bool> {
        match column.text {
            "1" => Some(true),
            "0" => Some(false),
            other => {
                let help = "write 1 for taken and 0 for not taken";
                self.report(column, format!("`{}` is no outcome", other.escape_debug()), help);
                None
            }
        }
    }
}
