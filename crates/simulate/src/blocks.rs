//! Records of blocks: the summaries of consecutive blocks of paths, one by one.
//!
//! The result of sampling depends only on the summaries of blocks in their order: after every block, moments
//! are merged and stopping rules are evaluated. So the summaries give the result bit for bit, wherever and
//! whenever the paths were run. Shards of a campaign and checkpoints store such a record, and sampling may
//! begin with one instead of running its blocks again.
//!
//! A block takes the bytes of its number of steps, and for each measure 2 bytes for a probability and 42 for
//! a reward.

use crate::summary::{BLOCK, Sampled, Summary};
use std::ops::Range;
use volvelle_statistics::{Moments, Tally};

/// Summaries of consecutive blocks of paths, for a list of measures.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRecord {
    first: u64,
    /// Steps of each block.
    steps: Vec<u64>,
    /// Number of paths of the last block; the others have [`BLOCK`].
    last: u64,
    columns: Vec<Column>,
    /// Whether a path of the block after the last failed.
    failed: bool,
}

/// The values of a measure, up to the first path that does not decide it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// One for each block.
    pub values: Values,
    /// The path that does not decide the measure; the values end before its block.
    pub undecided: Option<u64>,
}

/// Values of a measure on blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// How often it was one.
    Successes(Vec<u16>),
    /// The moments of its finite values, and the number of infinite ones.
    Moments(Vec<(Moments, u16)>),
}

impl Values {
    fn nothing(indicator: bool) -> Self {
        if indicator { Values::Successes(Vec::new()) } else { Values::Moments(Vec::new()) }
    }

    /// Blocks.
    pub fn len(&self) -> usize {
        match self {
            Values::Successes(all) => all.len(),
            Values::Moments(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these are values of a measure that is 0 or 1.
    pub fn is_indicator(&self) -> bool {
        matches!(self, Values::Successes(_))
    }

    fn summary(&self, block: usize, paths: u64) -> Option<Summary> {
        Some(match self {
            Values::Successes(all) => Summary::Tally(Tally::new((*all.get(block)?).into(), paths).ok()?),
            Values::Moments(all) => {
                let (moments, infinite) = *all.get(block)?;
                Summary::Moments { moments, infinite: infinite.into() }
            }
        })
    }

    fn push(&mut self, summary: &Summary) {
        match (self, summary) {
            (Values::Successes(all), Summary::Tally(tally)) => all.push(tally.successes() as u16),
            (Values::Moments(all), Summary::Moments { moments, infinite }) => {
                all.push((*moments, *infinite as u16));
            }
            _ => unreachable!("summaries of the same measures"),
        }
    }

    fn is_same(&self, block: usize, other: &Values, at: usize) -> bool {
        match (self, other) {
            (Values::Successes(a), Values::Successes(b)) => a[block] == b[at],
            (Values::Moments(a), Values::Moments(b)) => {
                let bits = |(moments, infinite): &(Moments, u16)| {
                    (moments.count(), moments.parts().map(f64::to_bits), *infinite)
                };
                bits(&a[block]) == bits(&b[at])
            }
            _ => false,
        }
    }

    /// Appends values after skipping some of them; there may be fewer than that.
    fn append(&mut self, next: &Values, skipped: usize) {
        match (self, next) {
            (Values::Successes(all), Values::Successes(next)) => all.extend(next.iter().skip(skipped)),
            (Values::Moments(all), Values::Moments(next)) => all.extend(next.iter().skip(skipped)),
            _ => unreachable!("values of the same measures"),
        }
    }
}

/// The data are damaged, or not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inconsistent;

impl BlockRecord {
    /// An empty record that begins at a block; `indicators` says for each measure whether its values are 0 or
    /// 1.
    pub fn new(first: u64, indicators: &[bool]) -> Self {
        let column = |&indicator: &bool| Column { values: Values::nothing(indicator), undecided: None };
        let columns = indicators.iter().map(column).collect();
        BlockRecord { first, steps: Vec::new(), last: BLOCK, columns, failed: false }
    }

    /// A record from given parts.
    ///
    /// # Errors
    /// The parts are inconsistent.
    pub fn of_parts(
        first: u64,
        steps: Vec<u64>,
        last: u64,
        columns: Vec<Column>,
        failed: bool,
    ) -> Result<Self, Inconsistent> {
        let record = BlockRecord { first, steps, last, columns, failed };
        let blocks = record.steps.len();
        let end = first.checked_add(blocks as u64 + 1).and_then(|end| end.checked_mul(BLOCK));
        if end.is_none() || last == 0 || last > BLOCK {
            return Err(Inconsistent);
        }
        for column in &record.columns {
            let fits = match column.undecided {
                None => column.values.len() == blocks,
                Some(path) => record.block_of(path) == Some(column.values.len() as u64),
            };
            let is_small = |block: usize, count: u16| u64::from(count) <= record.paths_of(block);
            let counts_fit = match &column.values {
                Values::Successes(all) => {
                    all.iter().enumerate().all(|(block, &count)| is_small(block, count))
                }
                Values::Moments(all) => all.iter().enumerate().all(|(block, (moments, infinite))| {
                    moments.count().checked_add((*infinite).into()) == Some(record.paths_of(block))
                }),
            };
            if !fits || !counts_fit || column.values.len() > blocks {
                return Err(Inconsistent);
            }
        }
        Ok(record)
    }

    /// The index of a path's block in the record, or the one after the last; `None` for other paths.
    fn block_of(&self, path: u64) -> Option<u64> {
        let block = (path / BLOCK).checked_sub(self.first)?;
        (block <= self.steps.len() as u64).then_some(block)
    }

    /// Number of the first block.
    pub fn first_block(&self) -> u64 {
        self.first
    }

    /// Steps of each block.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Paths of the last block.
    pub fn last_paths(&self) -> u64 {
        self.last
    }

    /// The values of the measures.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether a path of the block after the last failed.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    fn paths_of(&self, block: usize) -> u64 {
        if block + 1 == self.steps.len() { self.last } else { BLOCK }
    }

    /// The paths in the record.
    pub fn paths(&self) -> Range<u64> {
        let start = self.first * BLOCK;
        match self.steps.len() as u64 {
            0 => start..start,
            blocks => start..start + (blocks - 1) * BLOCK + self.last,
        }
    }

    /// Whether measuring has ended: for each measure, some path did not decide it; or a path failed.
    pub fn is_closed(&self) -> bool {
        self.failed || (!self.columns.is_empty() && self.columns.iter().all(|c| c.undecided.is_some()))
    }

    /// The summary, for some measures, of the block that begins with a path; `None` if it is not in the
    /// record.
    pub fn block(&self, path: u64, measures: &[usize]) -> Option<Sampled> {
        let block = usize::try_from((path / BLOCK).checked_sub(self.first)?).ok()?;
        let steps = *self.steps.get(block)?;
        let paths = self.paths_of(block);
        let summary = |&measure: &usize| self.columns[measure].values.summary(block, paths);
        let summaries: Option<Vec<Summary>> = measures.iter().map(summary).collect();
        Some(Sampled { paths, end: path + paths, steps, summaries: summaries? })
    }

    /// The path that does not decide a measure, in the block that begins with a path.
    pub fn undecided_in(&self, path: u64, measure: usize) -> Option<u64> {
        self.columns[measure].undecided.filter(|undecided| undecided / BLOCK == path / BLOCK)
    }

    /// Appends the next block, with summaries of some measures; the others are undecided.
    pub fn push(&mut self, block: &Sampled, measures: &[usize]) {
        debug_assert_eq!(self.last, BLOCK, "only the last block is short");
        self.steps.push(block.steps);
        self.last = block.paths;
        for (&measure, summary) in measures.iter().zip(&block.summaries) {
            self.columns[measure].values.push(summary);
        }
    }

    /// Records that a path of the next block does not decide a measure.
    pub fn leave_undecided(&mut self, measure: usize, path: u64) {
        self.columns[measure].undecided.get_or_insert(path);
    }

    /// Records that a path of the next block failed.
    pub fn fail(&mut self) {
        self.failed = true;
    }

    /// Appends a record that begins where this one ends or earlier; both must agree on the blocks that they
    /// share.
    ///
    /// # Errors
    /// It has other measures, leaves a gap, or disagrees.
    pub fn append(&mut self, next: &BlockRecord) -> Result<(), Inconsistent> {
        let same = |(a, b): (&Column, &Column)| a.values.is_indicator() == b.values.is_indicator();
        let fits =
            self.columns.len() == next.columns.len() && self.columns.iter().zip(&next.columns).all(same);
        let known = self.steps.len();
        let skipped = next.first.checked_sub(self.first).and_then(|ahead| known.checked_sub(ahead as usize));
        let Some(skipped) = skipped.filter(|_| fits) else { return Err(Inconsistent) };
        let shared = skipped.min(next.steps.len());
        self.agrees(next, known - skipped, shared)?;
        if shared < next.steps.len() {
            if self.failed || self.last != BLOCK {
                return Err(Inconsistent);
            }
            self.steps.extend_from_slice(&next.steps[shared..]);
            self.last = next.last;
        } else if next.failed && shared < skipped {
            return Err(Inconsistent);
        }
        self.failed |= next.failed;
        for (column, next) in self.columns.iter_mut().zip(&next.columns) {
            if column.undecided.is_none() {
                column.values.append(&next.values, shared);
                column.undecided = next.undecided;
            }
        }
        Ok(())
    }

    /// Whether the blocks from one on equal those with which another record begins.
    fn agrees(&self, next: &BlockRecord, from: usize, shared: usize) -> Result<(), Inconsistent> {
        let same_paths = (0..shared).all(|block| self.paths_of(from + block) == next.paths_of(block));
        let same_steps = self.steps[from..from + shared] == next.steps[..shared];
        let is_same = |(a, b): (&Column, &Column)| {
            let both = a.values.len().saturating_sub(from).min(b.values.len()).min(shared);
            // If one leaves a measure undecided, the other must not decide it.
            let decided = b.undecided.is_some() && a.values.len() > from + b.values.len();
            !decided && (0..both).all(|block| a.values.is_same(from + block, &b.values, block))
        };
        let same_values = self.columns.iter().zip(&next.columns).all(is_same);
        if same_paths && same_steps && same_values { Ok(()) } else { Err(Inconsistent) }
    }
}
