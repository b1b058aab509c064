//! Levels of a breadth-first search, as runs of numbers.

use std::collections::BTreeMap;
use std::ops::Range;

/// The levels of a search, as ranges of state numbers.
///
/// Besides levels of new states, there are levels of states that are expanded again, in full. New states
/// found from such a level form the level that follows it.
#[derive(Debug, Default)]
pub struct Levels {
    runs: Vec<Range<u32>>,
    levels: Vec<Level>,
    /// The ranges of new states, by first number: the end, and the level.
    new: BTreeMap<u32, (u32, usize)>,
}

#[derive(Debug)]
struct Level {
    /// Runs up to its end.
    end: usize,
    /// The least number of stored states on a path to a state of the level, as far as known.
    depth: u64,
    /// Whether its states belong to earlier levels and are expanded again.
    is_again: bool,
}

impl Levels {
    /// Number of levels.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Adds a level of states that are new.
    pub fn push(&mut self, runs: &[Range<u32>]) {
        let depth = self.levels.last().map_or(0, |level| level.depth + 1);
        self.new.extend(runs.iter().map(|run| (run.start, (run.end, self.levels.len()))));
        self.add(runs, depth, false);
    }

    /// Adds a level of known states, each as a separate run.
    pub fn push_again(&mut self, runs: &[Range<u32>]) {
        let depths = runs.iter().filter_map(|run| self.levels.get(self.level_of(run.start)?));
        let depth = depths.map(|level| level.depth).min().unwrap_or(0);
        self.add(runs, depth, true);
    }

    fn add(&mut self, runs: &[Range<u32>], depth: u64, is_again: bool) {
        self.runs.extend_from_slice(runs);
        self.levels.push(Level { end: self.runs.len(), depth, is_again });
    }

    /// The runs of a level.
    pub fn runs(&self, level: usize) -> &[Range<u32>] {
        let start = if level == 0 { 0 } else { self.levels[level - 1].end };
        &self.runs[start..self.levels[level].end]
    }

    /// The depth of a level.
    pub fn depth(&self, level: usize) -> u64 {
        self.levels[level].depth
    }

    /// The depth of the deepest level.
    pub fn deepest(&self) -> u64 {
        self.levels.iter().map(|level| level.depth).max().unwrap_or(0)
    }

    /// Whether a level expands states of earlier levels again.
    pub fn is_again(&self, level: usize) -> bool {
        self.levels[level].is_again
    }

    /// The level in which a number was new.
    pub fn level_of(&self, number: u32) -> Option<usize> {
        let (_, &(end, level)) = self.new.range(..=number).next_back()?;
        (number < end).then_some(level)
    }
}

/// The part between two positions of some concatenated ranges.
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
        assert_eq!((levels.depth(1), levels.level_of(2), levels.level_of(7)), (1, Some(1), None));
    }

    #[test]
    fn states_that_are_expanded_again_keep_their_depth() {
        let mut levels = Levels::default();
        for run in [0..1, 1..4, 4..9] {
            levels.push(std::slice::from_ref(&run));
        }
        levels.push_again(&[2..3, 5..6]);
        levels.push(std::slice::from_ref(&(9..10)));
        assert!(levels.is_again(3) && !levels.is_again(4));
        assert_eq!((levels.level_of(2), levels.level_of(5), levels.level_of(9)), (Some(1), Some(2), Some(4)));
        assert_eq!((levels.depth(3), levels.depth(4), levels.deepest()), (1, 2, 2));
    }
}
