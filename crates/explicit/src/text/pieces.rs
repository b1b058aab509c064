//! Reading a text in pieces, by several threads.
//!
//! Pieces are given out in the order of the text and their results are returned in that order. Of several errors the
//! first in the text is reported, as if one thread had read it all.

use super::arithmetic::Arithmetic;
use crate::allowance::{Allowance, stopped};
use crate::finding::Finding;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use volvelle_control::{Control, Stop};

/// Why reading ended before the end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The file is refused.
    Refused(Box<Finding>),
    /// A fraction was met while numbers were read as doubles: they are to be read exactly.
    Fraction,
}

impl From<Finding> for Halt {
    fn from(finding: Finding) -> Self {
        Halt::Refused(Box::new(finding))
    }
}

/// Reads a text, and once more with exact numbers if a fraction is among those that were to be doubles.
pub(crate) fn exact_if_needed<T>(
    arithmetic: Arithmetic,
    read: impl Fn(Arithmetic) -> Result<T, Halt>,
) -> Result<T, Finding> {
    let refused = |halt| match halt {
        Halt::Refused(finding) => *finding,
        Halt::Fraction => unreachable!("fractions are read exactly"),
    };
    match read(arithmetic) {
        Err(Halt::Fraction) => read(Arithmetic::Exact).map_err(refused),
        found => found.map_err(refused),
    }
}

/// Bytes of a piece: many pieces even in a file of medium size, many lines in each.
const PIECE_BYTES: usize = 1 << 20;

/// Cuts a range of a text into pieces of about a mebibyte. Every piece but the first begins at a line that `may_begin`
/// accepts; it is given the text from that line on.
pub(crate) fn cut(bytes: &[u8], range: Range<usize>, may_begin: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    cut_at(bytes, range, PIECE_BYTES, may_begin)
}

fn cut_at(
    bytes: &[u8],
    range: Range<usize>,
    size: usize,
    may_begin: impl Fn(&[u8]) -> bool,
) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let mut end = start + size;
        loop {
            if end >= range.end {
                end = range.end;
                break;
            }
            match bytes[end..range.end].iter().position(|&b| b == b'\n') {
                None => end = range.end,
                Some(newline) => end += newline + 1,
            }
            if end >= range.end || may_begin(&bytes[end..range.end]) {
                break;
            }
        }
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// Reads every piece; the results in the order of the pieces. `bytes_of` tells what a result holds, for the allowance,
/// which has taken them when this returns.
pub(crate) fn each<P: Send>(
    pieces: &[Range<usize>],
    allowance: &Allowance<'_>,
    bytes_of: impl Fn(&P) -> u64 + Sync,
    read: impl Fn(Range<usize>) -> Result<P, Halt> + Sync,
) -> Result<Vec<P>, Halt> {
    let job = Job {
        pieces,
        control: *allowance.control(),
        limit: allowance.left_bytes(),
        held: AtomicU64::new(0),
        next: AtomicUsize::new(0),
        failed: AtomicUsize::new(usize::MAX),
        failure: Mutex::new(None),
        read: |range| read(range).map(|result| (bytes_of(&result), result)),
    };
    let threads = allowance.control().threads.clamp(1, pieces.len().max(1));
    let mut found: Vec<Option<P>> = (0..pieces.len()).map(|_| None).collect();
    let mut place = |results: Vec<(usize, P)>| {
        for (piece, result) in results {
            found[piece] = Some(result);
        }
    };
    if threads == 1 {
        place(job.work());
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| job.work())).collect();
            place(job.work());
            for worker in workers {
                match worker.join() {
                    Ok(results) => place(results),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }
    let failure = job.failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, halt)) = failure {
        return Err(halt);
    }
    allowance.take(job.held.into_inner())?;
    Ok(found.into_iter().flatten().collect())
}

/// Pieces that are being read.
struct Job<'a, R> {
    pieces: &'a [Range<usize>],
    control: Control<'a>,
    /// Bytes that results may hold.
    limit: u64,
    /// Bytes that results hold.
    held: AtomicU64,
    /// The next piece to read.
    next: AtomicUsize,
    /// The first piece that is known to fail.
    failed: AtomicUsize,
    failure: Mutex<Option<(usize, Halt)>>,
    /// Reads a piece: the bytes that the result holds, and the result.
    read: R,
}

impl<R> Job<'_, R> {
    /// Reads pieces until none is left, or only pieces behind one that failed.
    fn work<P>(&self) -> Vec<(usize, P)>
    where
        R: Fn(Range<usize>) -> Result<(u64, P), Halt>,
    {
        let mut results = Vec::new();
        loop {
            let piece = self.next.fetch_add(1, Ordering::Relaxed);
            if piece >= self.pieces.len() || piece > self.failed.load(Ordering::Relaxed) {
                return results;
            }
            match self.read_one(piece) {
                Ok(result) => results.push((piece, result)),
                Err(halt) => self.fail(piece, halt),
            }
        }
    }

    fn read_one<P>(&self, piece: usize) -> Result<P, Halt>
    where
        R: Fn(Range<usize>) -> Result<(u64, P), Halt>,
    {
        self.control.check().map_err(stopped)?;
        let (bytes, result) = (self.read)(self.pieces[piece].clone())?;
        if self.held.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > self.limit {
            return Err(stopped(Stop::Memory).into());
        }
        Ok(result)
    }

    fn fail(&self, piece: usize, halt: Halt) {
        self.failed.fetch_min(piece, Ordering::Relaxed);
        let mut failure = self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if failure.as_ref().is_none_or(|&(first, _)| piece < first) {
            *failure = Some((piece, halt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_control::Limits;
    use volvelle_diagnostics::codes;

    fn lines(count: usize) -> String {
        (0..count).map(|i| format!("{}{i}\n", if i % 3 == 0 { "x" } else { " " })).collect()
    }

    #[test]
    fn pieces_begin_where_they_may() {
        let text = lines(1000);
        let bytes = text.as_bytes();
        for size in [1, 2, 7, 100, 10_000] {
            let pieces = cut_at(bytes, 0..bytes.len(), size, |line| line.starts_with(b"x"));
            assert!(pieces.iter().all(|piece| bytes[piece.start] == b'x'));
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!((pieces[0].start, pieces.last().unwrap().end), (0, bytes.len()));
        }
        assert_eq!(cut_at(b"no newline\nat all", 0..17, 3, |_| true), [0..11, 11..17]);
        assert!(cut_at(b"", 0..0, 3, |_| true).is_empty());
    }

    #[test]
    fn results_are_in_order_and_the_first_error_counts() {
        let text = lines(10_000);
        let pieces = cut_at(text.as_bytes(), 0..text.len(), 50, |_| true);
        for threads in [1, 2, 5] {
            let control = Control { threads, ..Control::unlimited() };
            let read = |piece: Range<usize>| Ok(piece.start);
            let starts = each(&pieces, &Allowance::new(&control), |_| 0, read).unwrap();
            assert!(starts.iter().eq(pieces.iter().map(|piece| &piece.start)));
            let fails = |piece: Range<usize>| match piece.start > 700 {
                true => Err(Finding::error(codes::EXPLICIT_SYNTAX, format!("{}", piece.start)).into()),
                false => Ok(()),
            };
            let first = pieces.iter().find(|piece| piece.start > 700).unwrap().start.to_string();
            match each(&pieces, &Allowance::new(&control), |_| 0, fails) {
                Err(Halt::Refused(finding)) => assert_eq!(finding.message, first),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn memory_has_an_end() {
        let text = lines(1000);
        let pieces = cut_at(text.as_bytes(), 0..text.len(), 50, |_| true);
        let limits = Limits { memory_bytes: Some(99), ..Limits::default() };
        let control = Control { limits, ..Control::unlimited() };
        match each(&pieces, &Allowance::new(&control), |_| 10, |_| Ok(())) {
            Err(Halt::Refused(finding)) => assert_eq!(finding.code, codes::MEMORY_LIMIT),
            other => panic!("{other:?}"),
        }
    }
}
