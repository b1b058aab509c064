//! Estimates all properties of a model from the same paths, until every property has enough of them or never will.
//!
//! A path given up undecided ends the estimation of the properties that it does not decide, but not of
//! others. Those continue at the same block of paths in another round, with a kernel without the lost
//! measures. The results of paths for a property do not depend on the other measures.

use crate::course::{Course, Known, judge};
use crate::devices::{DeviceFailure, DevicePool};
use crate::planner::Planner;
use crate::qualitative::{self, QualitativeOracle, SinglePathRunner};
use crate::ranks::{self, RankWorker, Ranks, Round};
use crate::settings::{PathTier, Sampling};
use crate::stopping;
use crate::task::{self, EstimationTask, PathStatistics, PropertyStatus};
use crate::tiers::{self, Expected, TierUsage};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_model::Program;
use volvelle_runtime::Devices;
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::engine::Remote;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, resume};
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::table::Table;
use volvelle_statistics::Confidence;

/// Time between two reports of progress.
const NEWS_INTERVAL: Duration = Duration::from_millis(100);

/// The measures to estimate, with the model, the methods and the devices.
pub struct Estimation<'a> {
    /// The model, with the conditions of the measures.
    pub program: &'a Program,
    /// Measures on paths.
    pub measures: Vec<Measure>,
    /// Automata of the measures.
    pub automata: Vec<MonitorAutomaton>,
    /// How nondeterministic choices are resolved.
    pub resolution: &'a Resolution,
    /// The states of an explicit model, whose choices are already resolved.
    pub table: Option<&'a Arc<Table>>,
    /// Methods, seed and limits.
    pub sampling: &'a Sampling,
    /// Code that runs paths on this machine's processors.
    pub tier: PathTier,
    /// Devices that run paths.
    pub devices: &'a Devices,
    /// Other processes that run paths, or the one for which this process runs paths.
    pub ranks: Option<&'a Ranks>,
}

/// The course of an estimation, for all properties together.
pub struct EstimationOutcome {
    /// The limit that ended it early.
    pub stop: Option<Stop>,
    /// Whether the course ended, not because of a limit, before the rules had enough paths.
    pub needs_more: bool,
    /// Paths that were run, or known.
    pub paths: u64,
    /// Time that they took.
    pub time: Duration,
    /// The code that ran the paths of the last round.
    pub usage: TierUsage,
    /// Devices that failed.
    pub failures: Vec<DeviceFailure>,
    /// The plan of the last round: the one in which a path failed, if one did.
    pub plan: Arc<Plan>,
}

impl Estimation<'_> {
    fn planner(&self) -> Planner<'_> {
        Planner {
            program: self.program,
            measures: &self.measures,
            automata: &self.automata,
            resolution: self.resolution,
            table: self.table,
            sampling: self.sampling,
            tier: self.tier,
            devices: self.devices,
        }
    }

    /// Runs paths until no task is open.
    ///
    /// # Errors
    /// The model is not simulated.
    pub fn run(
        &self,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        self.take(Course::All, tasks, control)
    }

    /// Follows a course: paths are run or read until no task is open, or the course ends.
    ///
    /// # Errors
    /// The model is not simulated.
    pub fn take(
        &self,
        course: Course<'_>,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        let Some(ranks) = self.ranks else { return self.lead(course, tasks, control) };
        if !ranks.leads() {
            return self.serve(ranks, tasks, control);
        }
        let outcome = self.lead(course, tasks, control);
        ranks.finish();
        outcome
    }

    /// Follows a course, possibly with other ranks.
    fn lead(
        &self,
        mut course: Course<'_>,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        let most = task::most(tasks);
        let range = course.range(most);
        let by_rule = course.is_by_rule();
        let is_fixed = !by_rule || (most.is_some() && tasks.iter().all(|task| task.rule.is_fixed()));
        let mut known = Known::nothing(&self.measures, range.start);
        if let Some(record) = course.record() {
            known.replay(record, &range, by_rule, tasks);
        }
        let mut clock = None;
        let mut plan = Arc::new(self.planner().plan(&known.wanted, &mut clock)?);
        let mut usage = TierUsage::default();
        let mut oracle: Option<QualitativeOracle> = None;
        let mut begun = None;
        let mut long = None;
        let mut failures = Vec::new();
        let mut stop = None;
        // The measures for which an oracle was looked for after the last round.
        let mut asked = None;
        while tasks.iter().any(EstimationTask::is_open) && course.left(known.all.end, &range) > 0 {
            let left = course.left(known.all.end, &range);
            if begun.is_some() {
                plan = Arc::new(self.planner().plan(&known.wanted, &mut clock)?);
            }
            let expected = if is_fixed { Expected::Paths(left) } else { Expected::Unknown };
            let selection = tiers::start(&plan, self.tier, expected, control)?;
            let pool = DevicePool::new(self.devices, &plan, control);
            let mut remotes = pool.remotes();
            let begun = *begun.get_or_insert_with(Instant::now);
            let is_first_round = long.is_none();
            let long = *long.get_or_insert_with(|| qualitative::are_long(&selection, self.sampling));
            if is_first_round && long {
                oracle = QualitativeOracle::for_long_paths(&plan, control);
            }
            let has_oracle = oracle.is_some();
            let single_path = SinglePathRunner::new(&plan);
            let early_termination = single_path.early_termination(oracle.as_ref());
            let others = self.ranks.map_or_else(Vec::new, |ranks| {
                let expected = is_fixed.then(|| left / ranks.network().size() as u64);
                let (wanted, undecided) = (known.wanted.clone(), asked.take());
                ranks.begin(Round { wanted, undecided, has_oracle, expected }, control)
            });
            remotes.extend(others.iter().map(|other| other as &dyn Remote));
            let request = Request {
                seed: self.sampling.seed,
                first: known.all.end,
                paths: left,
                max_steps: self.sampling.max_steps,
                monitors: &plan.monitors,
                early_termination: early_termination.as_ref(),
                single_path: if long || has_oracle { Some(&single_path) } else { None },
                remotes: &remotes,
                threads_too: pool.with_threads(),
            };
            let places = known.places(self.measures.len());
            let Known { wanted, all } = known;
            let mut reported = begun;
            let (all, ended) = resume(&selection, &request, control, all, |all, news| {
                course.push(news, &wanted, all.end == range.end);
                if reported.elapsed() >= NEWS_INTERVAL {
                    reported = Instant::now();
                    control.progress.report(self.progress(all, &wanted, tasks, &range, begun));
                    course.tell();
                }
                by_rule && judge(tasks, &places, all, news)
            });
            known = Known { wanted, all };
            failures.extend(pool.failures());
            let failed = others.iter().filter_map(RankWorker::failure);
            failures.extend(failed.map(|(device, error)| DeviceFailure { device, error }));
            match &ended {
                Some(Ended::Undecided(undecided)) => {
                    if !has_oracle {
                        oracle = QualitativeOracle::for_measures(&plan, &undecided.measures, control);
                        asked = Some(undecided.measures.clone());
                    }
                    let retry = !has_oracle && oracle.is_some();
                    for &place in undecided.measures.iter().filter(|_| !retry) {
                        course.leave_undecided(known.wanted[place], undecided.path, tasks);
                    }
                }
                Some(Ended::Failed(failure)) => course.fail(*failure, tasks),
                Some(Ended::Stopped(why)) => stop = Some(*why),
                None => {}
            }
            usage = pool.usage(selection.usage());
            if !matches!(ended, Some(Ended::Undecided(_))) {
                break;
            }
            let before = known.wanted.len();
            let kept = known.keep_open(tasks);
            if kept.len() < before {
                oracle = oracle.map(|oracle| oracle.only(&kept));
            }
        }
        course.tell();
        // At the end of the course, open tasks have all available paths.
        let needs_more = known.interrupt(self.measures.len(), tasks) && stop.is_none();
        let time = begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        Ok(EstimationOutcome { stop, needs_more, paths: known.all.paths, time, usage, failures, plan })
    }

    /// Runs paths for the leader of the ranks. Only the leader knows their results.
    fn serve(
        &self,
        ranks: &Ranks,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        if let Err(error) = ranks::serve(&self.planner(), ranks, control) {
            ranks.abandon(&error);
        }
        let indicators: Vec<bool> = self.measures.iter().map(Measure::is_indicator).collect();
        let nothing = Sampled::nothing(&indicators);
        for task in tasks.iter_mut().filter(|task| task.is_open()) {
            task.status = PropertyStatus::Interrupted(PathStatistics::of(&nothing, task.measure));
        }
        Ok(EstimationOutcome {
            stop: None,
            needs_more: false,
            paths: 0,
            time: Duration::ZERO,
            usage: TierUsage::default(),
            failures: Vec::new(),
            plan: Arc::new(self.planner().plan(&[], &mut None)?),
        })
    }

    /// The progress of the estimation.
    fn progress(
        &self,
        all: &Sampled,
        wanted: &[usize],
        tasks: &[EstimationTask],
        range: &Range<u64>,
        begun: Instant,
    ) -> ProgressEvent {
        let interval = match tasks {
            [one] => wanted.iter().position(|&m| m == one.measure).and_then(|place| {
                let confidence = Confidence::new(self.sampling.confidence).ok()?;
                stopping::interval_of(&all.summaries[place], confidence).map(|i| [i.lo, i.hi])
            }),
            _ => None,
        };
        ProgressEvent::Sampling {
            paths: all.paths,
            total: if range.end == u64::MAX { 0 } else { range.end - range.start },
            steps_per_second: all.steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
            interval,
        }
    }
}
