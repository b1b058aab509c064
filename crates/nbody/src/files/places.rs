//! Diagnostics that show the line of a file.

use std::ops::Range;
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};

/// Mistakes after which a file is read no further.
const MOST: usize = 20;

/// Limit of bytes shown of a line, so that a file without ends of lines is not copied for each mistake.
const SHOWN: usize = 2000;

/// Mistakes in a text. Only lines with mistakes are kept: files may be larger than a text of [`Sources`].
pub struct Mistakes<'a> {
    name: &'a str,
    bytes: &'a [u8],
    sources: &'a mut Sources,
    found: Vec<Diagnostic>,
    /// A place and the number of its line, from which lines are counted on.
    counted: (usize, usize),
}

impl<'a> Mistakes<'a> {
    pub fn new(name: &'a str, bytes: &'a [u8], sources: &'a mut Sources) -> Self {
        Mistakes { name, bytes, sources, found: Vec::new(), counted: (0, 1) }
    }

    /// Whether there are so many mistakes that reading stops.
    pub fn enough(&self) -> bool {
        self.found.len() >= MOST
    }

    pub fn found(self) -> Vec<Diagnostic> {
        self.found
    }

    pub fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// A mistake without a place.
    pub fn general(&mut self, why: String) {
        self.found.push(self.error(None).note(why));
    }

    /// A mistake at a range of bytes, which is in one line, of a particle.
    pub fn at(&mut self, range: Range<usize>, particle: Option<usize>, why: &str) {
        let (span, cut) = self.span(range);
        let mut error = self.error(particle).at(span, why);
        if cut > 0 {
            error = error.note(format!("the line is shown from its byte {} on", cut + 1));
        }
        self.found.push(error);
    }

    /// A mistake about two places, such as an id that occurs twice; `earlier` is the first of them.
    pub fn twice(&mut self, range: Range<usize>, particle: Option<usize>, why: &str, earlier: Range<usize>) {
        let (span, _) = self.span(range);
        let (earlier, _) = self.span(earlier);
        self.found.push(self.error(particle).at(span, why).also(earlier, "here first"));
    }

    fn error(&self, particle: Option<usize>) -> Diagnostic {
        let of = particle.map_or(String::new(), |particle| format!(" at particle {particle}"));
        Diagnostic::error(codes::SNAPSHOT, format!("the snapshot `{}` cannot be understood{of}", self.name))
    }

    /// Keeps the line of a range. Also returns how many bytes at its beginning were left out because the line
    /// is long.
    fn span(&mut self, range: Range<usize>) -> (Span, usize) {
        let begin = range.start.min(self.bytes.len());
        let end = range.end.clamp(begin, self.bytes.len());
        let before = &self.bytes[..begin];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let after = &self.bytes[begin..];
        let line_end = begin + after.iter().position(|&byte| byte == b'\n').unwrap_or(after.len());
        // Lines are counted from the last place, since files can be long.
        if self.counted.0 > line_start {
            self.counted = (0, 1);
        }
        let newlines = self.bytes[self.counted.0..line_start].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (line_start, self.counted.1 + newlines);
        // Of a long line, only the surroundings of the place are kept.
        let from = if begin - line_start > SHOWN { begin - SHOWN / 2 } else { line_start };
        let to = line_end.min(begin + SHOWN);
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        let (before, marked) = (text(&self.bytes[from..begin]), text(&self.bytes[begin..end.min(to)]));
        let line = format!("{before}{marked}{}", text(&self.bytes[end.min(to)..to]));
        let file = self.sources.add_excerpt(self.name, line.trim_end_matches('\r'), self.counted.1);
        (Span::new(file, before.len(), before.len() + marked.len()), from - line_start)
    }
}

/// A diagnostic about a whole file.
pub fn trouble(path: &Path, what: &str, why: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error(codes::SNAPSHOT, format!("the snapshot `{}` {what}", path.display()))
        .note(why.to_string())
}

/// HDF5 is not there.
#[cfg(not(feature = "hdf5"))]
pub fn no_hdf5(path: &Path) -> Diagnostic {
    let why = "this program was built without the feature `hdf5` of `volvelle-nbody`";
    trouble(path, "is in HDF5", &why)
        .help("use a file that ends in `.csv`, or build with `--features hdf5`, which needs the HDF5 library")
}
