//! Comments, and what they are about.

use volvelle_diagnostics::Span;

/// A comment.
#[derive(Clone, Copy, Debug)]
struct Comment {
    start: usize,
    end: usize,
    line: usize,
    /// Whether nothing stands before it in its line.
    is_alone: bool,
}

/// The comments of a text, in order.
pub(crate) struct Comments<'t> {
    text: &'t str,
    all: Vec<Comment>,
    /// Where lines start.
    lines: Vec<usize>,
}

impl<'t> Comments<'t> {
    /// The comments between tokens: `gaps` are the places between these, in order.
    pub(crate) fn new(text: &'t str, gaps: impl Iterator<Item = (usize, usize)>) -> Self {
        let lines: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut comments = Comments { text, all: Vec::new(), lines };
        for (from, to) in gaps {
            let mut at = from;
            while let Some(found) = text.get(at..to).and_then(|gap| gap.find("//")) {
                let start = at + found;
                let rest = &text[start..to];
                let end = start + rest.find('\n').unwrap_or(rest.len());
                let end = start + text[start..end].trim_end().len();
                let line = comments.line(start);
                let is_alone = text[comments.lines[line]..start].trim().is_empty();
                comments.all.push(Comment { start, end, line, is_alone });
                at = end;
            }
        }
        comments
    }

    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset) - 1
    }

    /// What is said about something: in the lines right above it, within it up to an offset, and behind that in its line.
    pub(crate) fn about(&self, span: Span, up_to: u32) -> Vec<(&'t str, Span)> {
        let (start, end) = (span.start as usize, up_to as usize);
        let first = self.all.partition_point(|comment| comment.start < start);
        let mut from = first;
        let mut line = self.line(start);
        while from > 0 && self.all[from - 1].is_alone && self.all[from - 1].line + 1 == line {
            from -= 1;
            line -= 1;
        }
        let mut to = self.all.partition_point(|comment| comment.start < end);
        if let Some(next) = self.all.get(to)
            && next.line == self.line(end)
            && self.text[end..next.start].trim().is_empty()
        {
            to += 1;
        }
        let place = |one: &Comment| Span { start: one.start as u32, end: one.end as u32, ..span };
        self.all[from..to.max(from)].iter().map(|one| (&self.text[one.start..one.end], place(one))).collect()
    }
}
