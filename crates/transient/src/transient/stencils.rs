//! Runs of rows with the same stencil, which are multiplied without looking up columns.
//!
//! In: a sparse matrix by rows. Out: its rows in runs whose entries lie at the same distances from the diagonal, with the same
//! numbers or with numbers in columns of their own. Populations, queues and grids give long runs in the order in which states are
//! found: one entry of the stencil is then a multiplication of two contiguous ranges, which the processor does several at a time
//! (storage by diagonals: Y. Saad, *Iterative Methods for Sparse Linear Systems*, 2003, section 3.4; here by parts of
//! diagonals). Each row adds its entries in the order of the matrix, so that results have the same bits either way.

use std::ops::Range;

/// Rows that a run has at least.
const SHORTEST: usize = 8;

/// Runs are used where they have this part of all rows.
const WORTH_IT: f64 = 0.5;

/// Entries of a matrix up to which runs may have numbers of their own: these take more memory than codes and columns, and beyond
/// the caches memory is what counts.
const MOST_VARYING: usize = 1 << 22;

/// Rows of a run that are multiplied at once: entries stay in the nearest cache between the numbers of a stencil.
const BLOCK: usize = 128;

/// A sparse matrix by rows.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// Where rows begin among the entries, and where the last one ends.
    pub row_start: &'a [u32],
    /// Columns of the entries.
    pub columns: &'a [u32],
    /// The diagonal, where it is not among the entries; it comes first in each sum.
    pub stay: &'a [f64],
}

/// Rows that are multiplied in the same way.
#[derive(Debug)]
struct Run {
    rows: Range<u32>,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// Row by row.
    Sparse,
    /// The same numbers in all rows, from here on among `terms`.
    Constant { first: u32, count: u32 },
    /// The same distances, from here on among `terms`; the numbers of each are contiguous, from `numbers` on.
    Varying { first: u32, count: u32, numbers: usize },
}

/// An entry of a stencil: its distance from the diagonal, and its number where all rows have the same.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    distance: i64,
    number: f64,
}

/// The rows of a matrix in runs.
#[derive(Debug)]
pub struct Stencils {
    runs: Vec<Run>,
    terms: Vec<Term>,
    numbers: Vec<f64>,
    /// Whether the diagonal comes first.
    has_diagonal: bool,
}

impl Stencils {
    /// The runs of a matrix whose entries `number` gives; `None` where most rows are in none.
    pub fn new(matrix: Matrix<'_>, number: impl Fn(usize) -> f64) -> Option<Self> {
        let n = matrix.rows();
        let mut found = Stencils {
            runs: Vec::new(),
            terms: Vec::new(),
            numbers: Vec::new(),
            has_diagonal: !matrix.stay.is_empty(),
        };
        let (mut begin, mut covered) = (0, 0);
        while begin < n {
            let mut end = begin + 1;
            while end < n && matrix.have_same_distances(end - 1, end) {
                end += 1;
            }
            if end - begin >= SHORTEST && found.push(matrix, &number, begin..end) {
                covered += end - begin;
            } else {
                found.push_sparse(begin as u32..end as u32);
            }
            begin = end;
        }
        (covered as f64 >= WORTH_IT * n as f64).then_some(found)
    }

    fn push_sparse(&mut self, rows: Range<u32>) {
        match self.runs.last_mut() {
            Some(Run { rows: last, shape: Shape::Sparse }) => last.end = rows.end,
            _ => self.runs.push(Run { rows, shape: Shape::Sparse }),
        }
    }

    /// Adds a run, if it is worth its memory.
    fn push(&mut self, matrix: Matrix<'_>, number: &impl Fn(usize) -> f64, rows: Range<usize>) -> bool {
        let first = self.terms.len() as u32;
        let entries = |row: usize| matrix.entries(row);
        let (top, width) = (entries(rows.start), entries(rows.start).len());
        let diagonal = matrix.stay.get(rows.start).map(|&number| Term { distance: 0, number });
        self.terms.extend(diagonal);
        self.terms.extend(top.clone().map(|at| Term {
            distance: i64::from(matrix.columns[at]) - rows.start as i64,
            number: number(at),
        }));
        let count = self.terms.len() as u32 - first;
        let is_constant = rows.clone().all(|row| {
            matrix.stay.get(row) == matrix.stay.get(rows.start)
                && entries(row).zip(top.clone()).all(|(at, above)| number(at) == number(above))
        });
        if !is_constant && matrix.columns.len() > MOST_VARYING {
            self.terms.truncate(first as usize);
            return false;
        }
        let shape = if is_constant {
            Shape::Constant { first, count }
        } else {
            let numbers = self.numbers.len();
            if self.has_diagonal {
                self.numbers.extend_from_slice(&matrix.stay[rows.clone()]);
            }
            for k in 0..width {
                self.numbers.extend(rows.clone().map(|row| number(entries(row).start + k)));
            }
            Shape::Varying { first, count, numbers }
        };
        self.runs.push(Run { rows: rows.start as u32..rows.end as u32, shape });
        true
    }

    /// `to = M from` on some rows; `to` holds these rows only. `sparse` multiplies rows that are in no run, and `finish` gets all
    /// new entries while they are near, with the place of the first: what they get is where the rows lie in `to`.
    #[inline(always)]
    pub fn multiply(
        &self,
        rows: Range<usize>,
        from: &[f64],
        to: &mut [f64],
        sparse: impl Fn(Range<usize>, &mut [f64]),
        mut finish: impl FnMut(usize, &mut [f64]),
    ) {
        let mut at = self.runs.partition_point(|run| run.rows.end as usize <= rows.start);
        let mut begin = rows.start;
        while begin < rows.end {
            let run = &self.runs[at];
            let end = rows.end.min(run.rows.end as usize);
            let skipped = begin - run.rows.start as usize;
            let to = &mut to[begin - rows.start..end - rows.start];
            for (k, to) in to.chunks_mut(BLOCK).enumerate() {
                let first_row = begin + k * BLOCK;
                match run.shape {
                    Shape::Sparse => sparse(first_row..first_row + to.len(), to),
                    Shape::Constant { first, count } => {
                        constant(self.terms(first, count), first_row, from, to);
                    }
                    Shape::Varying { first, count, numbers } => {
                        let numbers = &self.numbers[numbers + skipped + k * BLOCK..];
                        varying(self.terms(first, count), numbers, run.rows.len(), first_row, from, to);
                    }
                }
                finish(first_row - rows.start, to);
            }
            begin = end;
            at += 1;
        }
    }

    fn terms(&self, first: u32, count: u32) -> &[Term] {
        &self.terms[first as usize..(first + count) as usize]
    }
}

/// Rows from `begin` on, which have the same numbers.
#[inline(always)]
fn constant(terms: &[Term], begin: usize, from: &[f64], to: &mut [f64]) {
    let mut done = 0;
    constant_by::<16>(terms, begin, from, to, &mut done);
    constant_by::<4>(terms, begin, from, to, &mut done);
    constant_by::<1>(terms, begin, from, to, &mut done);
}

/// As many of these rows as go in blocks of N, whose entries stay in registers.
#[inline(always)]
fn constant_by<const N: usize>(terms: &[Term], begin: usize, from: &[f64], to: &mut [f64], done: &mut usize) {
    for to in to[*done..].as_chunks_mut::<N>().0 {
        let mut sums = [0.0; N];
        for term in terms {
            let first = ((begin + *done) as i64 + term.distance) as usize;
            let source = &from[first..first + N];
            sums.iter_mut().zip(source).for_each(|(sum, &x)| *sum += term.number * x);
        }
        *to = sums;
        *done += N;
    }
}

/// Rows from `begin` on, whose numbers lie in columns of `length`.
#[inline(always)]
fn varying(terms: &[Term], numbers: &[f64], length: usize, begin: usize, from: &[f64], to: &mut [f64]) {
    let mut done = 0;
    varying_by::<16>(terms, numbers, length, begin, from, to, &mut done);
    varying_by::<4>(terms, numbers, length, begin, from, to, &mut done);
    varying_by::<1>(terms, numbers, length, begin, from, to, &mut done);
}

/// As many of these rows as go in blocks of N.
#[inline(always)]
fn varying_by<const N: usize>(
    terms: &[Term],
    numbers: &[f64],
    length: usize,
    begin: usize,
    from: &[f64],
    to: &mut [f64],
    done: &mut usize,
) {
    for to in to[*done..].as_chunks_mut::<N>().0 {
        let mut sums = [0.0; N];
        for (k, term) in terms.iter().enumerate() {
            let first = ((begin + *done) as i64 + term.distance) as usize;
            let source = &from[first..first + N];
            let numbers = &numbers[k * length + *done..][..N];
            for ((sum, &x), &number) in sums.iter_mut().zip(source).zip(numbers) {
                *sum += number * x;
            }
        }
        *to = sums;
        *done += N;
    }
}

impl Matrix<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_start.len() - 1
    }

    /// The entries of a row.
    pub fn entries(&self, row: usize) -> Range<usize> {
        self.row_start[row] as usize..self.row_start[row + 1] as usize
    }

    /// Whether two rows that follow each other have their entries at the same distances from the diagonal, in the same order.
    fn have_same_distances(&self, row: usize, next: usize) -> bool {
        let (above, below) = (&self.columns[self.entries(row)], &self.columns[self.entries(next)]);
        above.len() == below.len() && above.iter().zip(below).all(|(&a, &b)| a + 1 == b)
    }
}
