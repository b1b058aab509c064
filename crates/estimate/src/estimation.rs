//! Estimates all properties of a model from the same paths, until every property has enough of them or never will.
//!
//! A path that is given up undecided ends the estimation of the properties that it does not decide, and of no others: those
//! continue at the same block of paths in another round, with a kernel that no longer knows the lost measures. What paths say about
//! a property does not depend on what else is measured on them.

use crate::devices::{DeviceFailure, DevicePool};
use crate::qualitative::{self, QualitativeOracle, SinglePathRunner};
use crate::settings::{PathTier, Sampling};
use crate::stopping::{self, StoppingRule};
use crate::tiers::{self, Expected, TierUsage};
use std::sync::Arc;
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_model::Program;
use volvelle_runtime::Devices;
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::error::{Failure, Unsupported};
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, Summary, resume};
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::table::Table;
use volvelle_statistics::Confidence;

/// Time between two reports of progress.
const NEWS_INTERVAL: Duration = Duration::from_millis(100);

/// The statistics of the paths of a property.
#[derive(Clone, Debug)]
pub struct PathStatistics {
    /// Number of paths.
    pub paths: u64,
    /// Steps on all of them.
    pub steps: u64,
    /// Values of the measure.
    pub summary: Summary,
}

/// The estimation of one property.
pub struct EstimationTask {
    /// Index into the measures of the estimation.
    pub measure: usize,
    /// Decides when there are enough paths.
    pub rule: StoppingRule,
    /// Where the estimation stands.
    pub status: PropertyStatus,
}

/// The status of a property during and after an estimation.
#[derive(Clone, Debug)]
pub enum PropertyStatus {
    /// More paths are needed.
    Open,
    /// The stopping rule was satisfied.
    Finished(PathStatistics),
    /// Sampling ended before the stopping rule was satisfied.
    Interrupted(PathStatistics),
    /// The path with this number does not decide the property within the step limit.
    Undecided(u64),
    /// A path failed.
    Failed(Failure),
}

impl EstimationTask {
    /// A task that has no paths yet.
    pub fn new(measure: usize, rule: StoppingRule) -> Self {
        EstimationTask { measure, rule, status: PropertyStatus::Open }
    }

    fn is_open(&self) -> bool {
        matches!(self.status, PropertyStatus::Open)
    }
}

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
    /// The states, where the model is given by them: its choices are resolved already.
    pub table: Option<&'a Arc<Table>>,
    /// Methods, seed and limits.
    pub sampling: &'a Sampling,
    /// Code that runs paths on this machine's processors.
    pub tier: PathTier,
    /// Devices that run paths.
    pub devices: &'a Devices,
}

/// The course of an estimation, for all properties together.
pub struct EstimationOutcome {
    /// The limit that ended it early.
    pub stop: Option<Stop>,
    /// Paths that were run.
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
    /// Runs paths until no task is open.
    ///
    /// # Errors
    /// The model is not simulated.
    pub fn run(
        &self,
        tasks: &mut [EstimationTask],
        control: &Control<'_>,
    ) -> Result<EstimationOutcome, Unsupported> {
        let most = tasks.iter().map(|t| t.rule.most()).max_by_key(|most| most.unwrap_or(u64::MAX)).flatten();
        let expected = most.filter(|_| tasks.iter().all(|task| task.rule.is_fixed()));
        // Indices of the measures of the round among all.
        let mut wanted: Vec<usize> = (0..self.measures.len()).collect();
        let indicators: Vec<bool> = self.measures.iter().map(Measure::is_indicator).collect();
        let mut all = Sampled::nothing(&indicators);
        let mut oracle: Option<QualitativeOracle> = None;
        let mut clock = None;
        let mut begun = None;
        let mut long = None;
        let mut failures = Vec::new();
        loop {
            let plan = Arc::new(self.plan(&wanted, &mut clock)?);
            let expected = match expected {
                Some(paths) => Expected::Paths(paths.saturating_sub(all.end)),
                None => Expected::Unknown,
            };
            let selection = tiers::start(&plan, self.tier, expected, control)?;
            let pool = DevicePool::new(self.devices, &plan, control);
            let remotes = pool.remotes();
            let begun = *begun.get_or_insert_with(Instant::now);
            let is_first_round = long.is_none();
            let long = *long.get_or_insert_with(|| qualitative::are_long(&selection, self.sampling));
            if is_first_round && long {
                oracle = QualitativeOracle::for_long_paths(&plan, control);
            }
            let has_oracle = oracle.is_some();
            let single_path = SinglePathRunner::new(&plan);
            let early_termination = single_path.early_termination(oracle.as_ref());
            let request = Request {
                seed: self.sampling.seed,
                first: all.end,
                paths: most.unwrap_or(u64::MAX) - all.end,
                max_steps: self.sampling.max_steps,
                monitors: &plan.monitors,
                early_termination: early_termination.as_ref(),
                single_path: if long || has_oracle { Some(&single_path) } else { None },
                remotes: &remotes,
                threads_too: pool.with_threads(),
            };
            // Index of each measure in the round.
            let mut places: Vec<Option<usize>> = vec![None; self.measures.len()];
            wanted.iter().enumerate().for_each(|(place, &measure)| places[measure] = Some(place));
            let mut reported = begun;
            let (sampled, ended) = resume(&selection, &request, control, all, |all, news| {
                if reported.elapsed() >= NEWS_INTERVAL {
                    reported = Instant::now();
                    control.progress.report(self.progress(all, &wanted, tasks, most, begun));
                }
                let mut open = false;
                for task in tasks.iter_mut().filter(|task| task.is_open()) {
                    let Some(place) = places[task.measure] else { continue };
                    if task.rule.enough(all.paths, &all.summaries[place], &news.summaries[place]) {
                        task.status = PropertyStatus::Finished(statistics(all, place));
                    } else {
                        open = true;
                    }
                }
                !open
            });
            all = sampled;
            failures.extend(pool.failures());
            let mut stop = None;
            match &ended {
                Some(Ended::Undecided(undecided)) => {
                    if !has_oracle {
                        oracle = QualitativeOracle::for_measures(&plan, &undecided.measures, control);
                    }
                    let retry = !has_oracle && oracle.is_some();
                    for task in tasks.iter_mut().filter(|task| task.is_open() && !retry) {
                        if undecided.measures.iter().any(|&place| wanted[place] == task.measure) {
                            task.status = PropertyStatus::Undecided(undecided.path);
                        }
                    }
                }
                Some(Ended::Failed(failure)) => {
                    for task in tasks.iter_mut().filter(|task| task.is_open()) {
                        task.status = PropertyStatus::Failed(*failure);
                    }
                }
                Some(Ended::Stopped(why)) => stop = Some(*why),
                None => {}
            }
            // Where sampling came to its end, tasks that are still open have all paths that there are.
            if !matches!(ended, Some(Ended::Undecided(_))) {
                for task in tasks.iter_mut().filter(|task| task.is_open()) {
                    let Some(place) = places[task.measure] else { continue };
                    task.status = PropertyStatus::Interrupted(statistics(&all, place));
                }
            }
            let mut is_open = vec![false; self.measures.len()];
            tasks.iter().filter(|task| task.is_open()).for_each(|task| is_open[task.measure] = true);
            let places: Vec<usize> = (0..wanted.len()).filter(|&place| is_open[wanted[place]]).collect();
            if places.is_empty() {
                let usage = pool.usage(selection.usage());
                let (paths, time) = (all.paths, begun.elapsed());
                return Ok(EstimationOutcome { stop, paths, time, usage, failures, plan: Arc::clone(&plan) });
            }
            all = all.only(&places);
            oracle = oracle.map(|oracle| oracle.only(&places));
            wanted = places.iter().map(|&place| wanted[place]).collect();
        }
    }

    /// The plan for some of the measures. `clock` says whether the first plan drew times; then all others do as well.
    fn plan(&self, wanted: &[usize], clock: &mut Option<bool>) -> Result<Plan, Unsupported> {
        let measures = wanted.iter().map(|&measure| self.measures[measure]).collect();
        let (program, automata) = (self.program.clone(), self.automata.clone());
        let generator = self.sampling.generator;
        let mut plan = match self.table {
            Some(table) => Plan::tabled(program, Arc::clone(table), measures, automata, generator)?,
            None => Plan::resolved(program, measures, automata, generator, self.resolution)?,
        };
        plan.clock = *clock.get_or_insert(plan.clock);
        Ok(plan)
    }

    /// How far the estimation is.
    fn progress(
        &self,
        all: &Sampled,
        wanted: &[usize],
        tasks: &[EstimationTask],
        most: Option<u64>,
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
            total: most.unwrap_or(0),
            steps_per_second: all.steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
            interval,
        }
    }
}

/// The statistics of the measure with an index.
fn statistics(all: &Sampled, place: usize) -> PathStatistics {
    PathStatistics { paths: all.paths, steps: all.steps, summary: all.summaries[place].clone() }
}
