//! The course of an estimation: which paths are run, and which are read from a record of blocks.

use crate::task::{EstimationTask, PathStatistics, PropertyStatus};
use std::ops::Range;
use volvelle_simulate::blocks::BlockRecord;
use volvelle_simulate::error::Failure;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::sample::{BLOCK, Sampled};

/// Which paths are run, and which are known.
#[derive(Default)]
pub enum Course<'a> {
    /// All paths that the stopping rules ask for are run.
    #[default]
    All,
    /// As `All`, after the paths of a record, which begins with path 0 and grows with the new ones.
    Continued(Growing<'a>),
    /// The paths of a share are run whatever the rules say, after those in its record.
    Share(Range<u64>, Growing<'a>),
    /// Only those of a record, which begins with path 0.
    Recorded(&'a BlockRecord),
}

/// A record that grows.
pub struct Growing<'a> {
    /// The record.
    pub record: &'a mut BlockRecord,
    /// Called with the record now and then, for example to save it.
    pub grown: &'a mut dyn FnMut(&BlockRecord),
}

impl Course<'_> {
    /// The record so far.
    pub(crate) fn record(&self) -> Option<&BlockRecord> {
        match self {
            Course::All => None,
            Course::Continued(growing) | Course::Share(_, growing) => Some(growing.record),
            Course::Recorded(record) => Some(record),
        }
    }

    pub(crate) fn record_mut(&mut self) -> Option<&mut BlockRecord> {
        match self {
            Course::Continued(growing) | Course::Share(_, growing) => Some(growing.record),
            Course::All | Course::Recorded(_) => None,
        }
    }

    /// Adds paths of some measures to the record. A block that a limit cut short is run again when the course is continued,
    /// unless it is the last one.
    pub(crate) fn push(&mut self, news: &Sampled, wanted: &[usize], is_last: bool) {
        if (news.paths == BLOCK || is_last)
            && let Some(record) = self.record_mut()
        {
            record.push(news, wanted);
        }
    }

    /// Ends the open tasks of a measure that a path does not decide.
    pub(crate) fn leave_undecided(&mut self, measure: usize, path: u64, tasks: &mut [EstimationTask]) {
        if let Some(record) = self.record_mut() {
            record.leave_undecided(measure, path);
        }
        for task in tasks.iter_mut().filter(|task| task.is_open() && task.measure == measure) {
            task.status = PropertyStatus::Undecided(path);
        }
    }

    /// Ends all open tasks, since a path failed.
    pub(crate) fn fail(&mut self, failure: Failure, tasks: &mut [EstimationTask]) {
        if let Some(record) = self.record_mut() {
            record.fail();
        }
        for task in tasks.iter_mut().filter(|task| task.is_open()) {
            task.status = PropertyStatus::Failed(failure);
        }
    }

    /// Calls `grown` with the present record.
    pub(crate) fn tell(&mut self) {
        if let Course::Continued(Growing { record, grown }) | Course::Share(_, Growing { record, grown }) =
            self
        {
            grown(record);
        }
    }

    /// Whether stopping rules end it.
    pub(crate) fn is_by_rule(&self) -> bool {
        !matches!(self, Course::Share(..))
    }

    /// The paths to run at most, if rules ask for `most`.
    pub(crate) fn range(&self, most: Option<u64>) -> Range<u64> {
        match self {
            Course::Share(range, _) => range.clone(),
            _ => 0..most.unwrap_or(u64::MAX),
        }
    }

    /// The number of paths to run after the known ones, up to path `end` or the position of a recorded
    /// failure.
    pub(crate) fn left(&self, end: u64, range: &Range<u64>) -> u64 {
        let left = range.end.saturating_sub(end);
        match self {
            Course::Recorded(record) if record.has_failed() && record.paths().end == end => left.min(BLOCK),
            Course::Recorded(_) => 0,
            _ => left,
        }
    }
}

/// The measures of a round, and their summaries so far.
pub(crate) struct Known {
    /// Indices of the measures among all.
    pub wanted: Vec<usize>,
    /// Paths so far.
    pub all: Sampled,
}

impl Known {
    /// No paths, of which the first is to be `start`, for all measures.
    pub fn nothing(measures: &[Measure], start: u64) -> Self {
        let indicators: Vec<bool> = measures.iter().map(Measure::is_indicator).collect();
        let all = Sampled { end: start, ..Sampled::nothing(&indicators) };
        Known { wanted: (0..measures.len()).collect(), all }
    }

    /// Goes through the blocks of a record, as if they were run.
    pub fn replay(
        &mut self,
        record: &BlockRecord,
        range: &Range<u64>,
        by_rule: bool,
        tasks: &mut [EstimationTask],
    ) {
        let measures = record.columns().len();
        let mut places = self.places(measures);
        let mut is_over = false;
        while !is_over {
            let undecided = |&measure: &usize| record.undecided_in(self.all.end, measure).is_some();
            if self.wanted.iter().any(undecided) {
                for task in tasks.iter_mut().filter(|task| task.is_open()) {
                    if let Some(path) = record.undecided_in(self.all.end, task.measure) {
                        task.status = PropertyStatus::Undecided(path);
                    }
                }
                self.keep_open(tasks);
                places = self.places(measures);
            }
            if self.all.end >= range.end || self.wanted.is_empty() {
                return;
            }
            let Some(news) = record.block(self.all.end, &self.wanted) else { return };
            self.all.merge(&news);
            is_over = by_rule && judge(tasks, &places, &self.all, &news);
        }
    }

    /// For each measure, its index among those of the round.
    pub fn places(&self, measures: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; measures];
        self.wanted.iter().enumerate().for_each(|(place, &measure)| places[measure] = Some(place));
        places
    }

    /// Gives open tasks all paths that there are; whether there are such tasks.
    pub fn interrupt(&self, measures: usize, tasks: &mut [EstimationTask]) -> bool {
        let places = self.places(measures);
        let mut is_any = false;
        for task in tasks.iter_mut().filter(|task| task.is_open()) {
            let Some(place) = places[task.measure] else { continue };
            is_any = true;
            task.status = PropertyStatus::Interrupted(PathStatistics::of(&self.all, place));
        }
        is_any
    }

    /// Leaves only the measures of open tasks; gives their places before.
    pub fn keep_open(&mut self, tasks: &[EstimationTask]) -> Vec<usize> {
        let measures = tasks.iter().map(|task| task.measure).chain(self.wanted.iter().copied());
        let mut is_open = vec![false; measures.max().map_or(0, |most| most + 1)];
        tasks.iter().filter(|task| task.is_open()).for_each(|task| is_open[task.measure] = true);
        let places: Vec<usize> =
            (0..self.wanted.len()).filter(|&place| is_open[self.wanted[place]]).collect();
        self.all = self.all.only(&places);
        self.wanted = places.iter().map(|&place| self.wanted[place]).collect();
        places
    }
}

/// After each block, asks the rules of open tasks whether there are enough paths. Returns whether no task is
/// open any more. `places` has the index of each measure among those of the round.
pub(crate) fn judge(
    tasks: &mut [EstimationTask],
    places: &[Option<usize>],
    all: &Sampled,
    news: &Sampled,
) -> bool {
    let mut open = false;
    for task in tasks.iter_mut().filter(|task| task.is_open()) {
        let Some(place) = places[task.measure] else { continue };
        if task.rule.enough(all.paths, &all.summaries[place], &news.summaries[place]) {
            task.status = PropertyStatus::Finished(PathStatistics::of(all, place));
        } else {
            open = true;
        }
    }
    !open
}
