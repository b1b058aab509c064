//! Paths of a run that are computed in parts: which of them this process runs, and which it knows.
//!
//! A run makes estimations one after the other: one for its properties, or one for each group of points of a grid. Each has a
//! [`Section`] in a part; they are told apart by their order, which the model and the options determine.

use super::Saver;
use std::ops::Range;
use std::time::{Duration, Instant};
use volvelle_campaign::{Body, Round, Section, Shard};
use volvelle_control::Control;
use volvelle_estimate::course::Growing;
use volvelle_estimate::task::most;
use volvelle_estimate::{Course, Estimation, EstimationOutcome, EstimationTask};
use volvelle_simulate::blocks::BlockRecord;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::summary::BLOCK;

/// Paths of the first round of a campaign whose stopping rules look at all samples.
const FIRST_ROUND: u64 = 1 << 18;
/// The next round has at most this many times the paths so far.
const MOST_GROWTH: u64 = 3;

/// Which paths are run, and which are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PathWork {
    /// All paths are run.
    #[default]
    All,
    /// All paths are run but those that are known.
    Continued(Vec<Section>),
    /// Those of a share are run but for those that are known. Without a round it is the first.
    Share(Shard, Option<Round>, Vec<Section>),
    /// None is run.
    Joined(Vec<Section>),
}

/// The work of a run on paths, and how far it is.
#[derive(Default)]
pub struct PathCampaign {
    work: PathWork,
    /// Sections that are finished, in their order.
    sections: Vec<Section>,
    /// Estimations that need more paths than are known: how many, for each section.
    wanted: Vec<Option<u64>>,
    saver: Option<Box<dyn Saver>>,
}

impl PathCampaign {
    /// The paths to be run, and who is told of them.
    pub fn new(work: PathWork, saver: Option<Box<dyn Saver>>) -> Self {
        PathCampaign { work, saver, ..PathCampaign::default() }
    }

    /// The sections so far.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// What the next round has to run; `None` if there are enough paths for everything.
    pub fn next_round(&self) -> Option<Vec<[u64; 2]>> {
        let next = |(section, wanted): (&Section, &Option<u64>)| match wanted {
            Some(wanted) => [section.record.paths().end, *wanted],
            None => [0, 0],
        };
        let is_over = self.wanted.iter().all(Option::is_none);
        (!is_over).then(|| self.sections.iter().zip(&self.wanted).map(next).collect())
    }

    /// Runs or replays the paths of the next estimation.
    pub fn take(
        &mut self,
        estimation: &Estimation<'_>,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        let number = self.sections.len();
        let fresh = |start: u64| {
            let indicators: Vec<bool> = estimation.measures.iter().map(Measure::is_indicator).collect();
            BlockRecord::new(start / BLOCK, &indicators)
        };
        // Of a run that is not cut into shards, the end is not known before it is there.
        let open = 0..u64::MAX;
        let (round, share, known) = match &self.work {
            PathWork::All => return estimation.run(tasks, control),
            PathWork::Continued(known) | PathWork::Joined(known) => (open.clone(), open, known.get(number)),
            PathWork::Share(shard, round, known) => {
                let first = || first_round(tasks);
                let paths =
                    round.as_ref().map_or_else(first, |round| round.of_section(number).unwrap_or(0..0));
                let share = Section::share_of(*shard, &paths);
                (paths, share, known.get(number))
            }
        };
        let known = known.filter(|known| fits(known, estimation));
        let (mut record, before, tier) = match known {
            Some(known) => (known.record.clone(), known.time, known.tier.clone()),
            None => (fresh(share.start), Duration::ZERO, String::new()),
        };
        let section = Section { round, share, record: record.clone(), tier, time: before };
        let mut outcome = if let PathWork::Joined(_) = self.work {
            self.sections.push(section);
            estimation.take(Course::Recorded(&record), tasks, control)?
        } else {
            let share = section.share.clone();
            self.sections.push(section);
            let begun = Instant::now();
            let (sections, saver) = (&mut self.sections, &mut self.saver);
            let mut grown = |record: &BlockRecord| {
                if let (Some(saver), Some(section)) = (saver.as_mut(), sections.last_mut())
                    && saver.is_due()
                {
                    section.record.clone_from(record);
                    section.time = before + begun.elapsed();
                    saver.save(Body::Paths(sections.clone()));
                }
            };
            let growing = Growing { record: &mut record, grown: &mut grown };
            let course = match &self.work {
                PathWork::Share(..) => Course::Share(share, growing),
                _ => Course::Continued(growing),
            };
            estimation.take(course, tasks, control)?
        };
        // Paths that were run elsewhere, or before, took their time there.
        outcome.time += before;
        self.wanted.push(outcome.needs_more.then(|| forecast(tasks, record.paths().end)));
        if let Some(section) = self.sections.last_mut() {
            match outcome.usage.tier.is_empty() {
                true => outcome.usage.tier.clone_from(&section.tier),
                false => section.tier.clone_from(&outcome.usage.tier),
            }
            section.time = outcome.time;
            section.record = record;
            if matches!(self.work, PathWork::Continued(_)) && outcome.stop.is_none() {
                section.round = section.record.paths();
                section.share = section.record.paths();
            }
        }
        if let Some(saver) = &mut self.saver
            && saver.is_due()
        {
            saver.save(Body::Paths(self.sections.clone()));
        }
        Ok(outcome)
    }
}

/// Whether a section has the measures of an estimation.
fn fits(section: &Section, estimation: &Estimation<'_>) -> bool {
    let columns = section.record.columns();
    columns.len() == estimation.measures.len()
        && columns.iter().zip(&estimation.measures).all(|(c, m)| c.values.is_indicator() == m.is_indicator())
}

/// The paths of the first round: all, where their number is known beforehand.
fn first_round(tasks: &[EstimationTask]) -> Range<u64> {
    let most = most(tasks).unwrap_or(u64::MAX);
    let is_fixed = tasks.iter().all(|task| task.rule.is_fixed());
    0..if is_fixed { most } else { most.min(FIRST_ROUND) }
}

/// The path before which the next round ends: as many paths as rules are expected to need, if that is known.
fn forecast(tasks: &[EstimationTask], paths: u64) -> u64 {
    let most = most(tasks).unwrap_or(u64::MAX);
    let expected = tasks.iter().filter_map(EstimationTask::forecast).max();
    // A little more than expected, lest the last round be a very small one.
    let wanted = expected.unwrap_or(2 * paths).saturating_add(paths / 8);
    let wanted = wanted.clamp(paths + paths / 4, (1 + MOST_GROWTH) * paths).max(paths + BLOCK);
    wanted.next_multiple_of(BLOCK).min(most)
}
