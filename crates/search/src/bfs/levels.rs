//! Which numbers belong to which level.

use std::ops::Range;

/// The levels of a search, as runs of numbers.
#[derive(Debug, Default)]
pub struct Levels {
    runs: Vec<Range<u32>>,
    /// Runs up to the end of each level.
    ends: Vec<usize>,
}

impl Levels {
    /// Number of levels.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a level.
    pub fn push(&mut self, runs: &[Range<u32>]) {
        self.runs.extend_from_slice(runs);
        self.ends.push(self.runs.len());
    }

    /// The runs of a level.
    pub fn runs(&self, level: usize) -> &[Range<u32>] {
        let start = if level == 0 { 0 } else { self.ends[level - 1] };
        &self.runs[start..self.ends[level]]
    }
}

/// The part of some runs that lies between two positions in them all, run by run.
pub fn slice(runs: &[Range<u32>], positions: Range<u64>) -> impl Iterator<Item = Range<u32>> + '_ {
    let mut before = 0u64;
    runs.iter().filter_map(move |run| {
        let first = before;
        before += run.len() as u64;
        let start = positions.start.max(first);
        let end = positions.end.min(before);
        (start < end).then(|| run.start + (start - first) as u32..run.start + (end - first) as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cross_runs() {
        let runs = [3..5, 10..14, 20..21];
        let part = |positions| slice(&runs, positions).collect::<Vec<_>>();
        assert_eq!(part(0..7), [3..5, 10..14, 20..21]);
        assert_eq!(part(1..3), [4..5, 10..11]);
        assert_eq!(part(2..6), vec![10..14]);
        assert_eq!(part(6..9), vec![20..21]);
        assert!(part(7..9).is_empty());
    }

    #[test]
    fn levels_keep_their_runs() {
        let mut levels = Levels::default();
        levels.push(&[0..1, 30..31]);
        levels.push(&[1..4, 8..9]);
        assert_eq!(levels.len(), 2);
        assert_eq!(levels.runs(0), [0..1, 30..31]);
        assert_eq!(levels.runs(1), [1..4, 8..9]);
    }
}
