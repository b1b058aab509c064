//! Statistical validation of a numerical value: which confidence intervals of its paths contain it.
//!
//! After M. Copik, A. Rataj and B. Woźna-Szcześniak, *A GPGPU-based simulator for PRISM: statistical
//! verification of results of PMC*, CS&P 2016 (CEUR-WS 1698). A value is sampled for a limited time. Beyond
//! the paper, paths are drawn in two halves. If the first half puts a value outside of the 99 % interval, the
//! second half alone decides, with another seed: so a correct value is rejected once in ten thousand cases
//! instead of once in a hundred.

use crate::devices::{DeviceFailure, DevicePool};
use crate::qualitative::{self, QualitativeOracle, SinglePathRunner};
use crate::settings::{PathTier, Sampling};
use crate::tiers::{self, Expected, TierSelection};
use std::sync::Arc;
use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_model::Program;
use volvelle_runtime::Devices;
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::early_termination::EarlyTermination;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, SinglePath, Summary, sample};
use volvelle_simulate::table::Table;
use volvelle_statistics::Interval;
use volvelle_statistics::verdict::{self, NoVerdict, Place, Verdict};

/// A value to be validated, and the means.
pub struct Validation<'a> {
    /// Interval of the value: its error bounds, or the value twice.
    pub value: Interval,
    /// Seed, generator and limits of the paths.
    pub sampling: &'a Sampling,
    /// Time for the paths.
    pub time: Duration,
    /// Limit of paths in both halves together, which may end them before the time does.
    pub samples: Option<u64>,
    /// Code that runs paths on this machine's processors.
    pub tier: PathTier,
    /// Devices that run paths.
    pub devices: &'a Devices,
    /// The states of an explicit model.
    pub table: Option<&'a Arc<Table>>,
}

/// The result of a validation.
pub struct Validated {
    /// Estimate, intervals and the place of the value.
    pub verdict: Result<Verdict, Unvalidated>,
    /// Whether a first half of the paths rejected the value, so that a second one with another seed decided.
    pub redrawn: bool,
    /// Paths of the verdict.
    pub samples: u64,
    /// Steps on them.
    pub steps: u64,
    /// Their seed.
    pub seed: u64,
    /// The code that ran most of them.
    pub tier: String,
    /// Devices that failed.
    pub failures: Vec<DeviceFailure>,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Unvalidated {
    /// The model or the property is not simulated.
    Unsupported(Unsupported),
    /// A path failed.
    PathFails,
    /// A path does not decide the property within the step limit.
    PathTooLong,
    /// No path ended in time.
    NoPath,
    /// The mean of the paths is infinite, as the value is or is not.
    InfiniteMean {
        /// Whether the value is infinite, too.
        as_expected: bool,
    },
    /// Another reason for not deciding by the samples.
    NoVerdict(NoVerdict),
}

impl Validation<'_> {
    /// Runs the paths of a measure. The time counts from `begin`.
    pub fn run(
        &self,
        program: Program,
        measure: Measure,
        automata: Vec<MonitorAutomaton>,
        begin: Instant,
        control: &Control<'_>,
    ) -> Validated {
        let mut validated = Validated {
            verdict: Err(Unvalidated::NoPath),
            redrawn: false,
            samples: 0,
            steps: 0,
            seed: self.sampling.seed,
            tier: String::new(),
            failures: Vec::new(),
        };
        let (measures, generator) = (vec![measure], self.sampling.generator);
        let plan = match self.table {
            Some(table) => Plan::tabled(program, Arc::clone(table), measures, automata, generator),
            None => Plan::new(program, measures, automata, generator),
        };
        let compiled = plan.and_then(|plan| {
            let plan = Arc::new(plan);
            let selection = tiers::start(&plan, self.tier, Expected::Until(begin + self.time), control)?;
            Ok((plan, selection))
        });
        let (plan, selection) = match compiled {
            Ok(compiled) => compiled,
            Err(why) => {
                validated.verdict = Err(Unvalidated::Unsupported(why));
                return validated;
            }
        };
        let half = self.time / 2;
        let long = qualitative::are_long(&selection, self.sampling);
        let single_path = SinglePathRunner::new(&plan);
        let oracle = if long { QualitativeOracle::for_long_paths(&plan, control) } else { None };
        let early_termination = single_path.early_termination(oracle.as_ref());
        let early_termination = early_termination.as_ref();
        let single_path: Option<&dyn SinglePath> = if long { Some(&single_path) } else { None };
        let pool = DevicePool::new(self.devices, &plan, control);
        // The time is for paths: device compilers may take longer than that while nothing else runs.
        let start = match early_termination {
            None if !pool.with_threads() => pool.prepare(control),
            _ => begin,
        };
        let max_steps = self.sampling.max_steps;
        let sampler = Sampler {
            plan: &plan,
            selection: &selection,
            pool: &pool,
            early_termination,
            single_path,
            max_steps,
            // At least two in each half, for a deviation.
            samples: self.samples.map_or(u64::MAX / 4, |samples| (samples / 2).max(2)),
            control,
        };
        let seed = self.sampling.seed;
        let outcome = sampler.sample(seed, 0, start + half).and_then(|first| {
            let judged = judge(&first.summaries[0], self.value)?;
            if judged.place == Place::Outside99 {
                validated.redrawn = true;
                validated.seed = second_seed(seed);
                // If paths are long, the first half may have used all the time.
                let until = (start + self.time).max(Instant::now() + half / 2);
                return sampler.sample(validated.seed, 0, until);
            }
            let mut all = first;
            let more = sampler.sample(seed, all.end, start + self.time)?;
            all.merge(&more);
            if judge(&all.summaries[0], self.value)?.place != Place::Outside99 {
                return Ok(all);
            }
            // Rare: another half of the time before the value is rejected.
            validated.redrawn = true;
            validated.seed = second_seed(seed);
            sampler.sample(validated.seed, 0, Instant::now() + half)
        });
        validated.verdict = outcome.and_then(|sampled| {
            validated.samples = sampled.paths;
            validated.steps = sampled.steps;
            judge(&sampled.summaries[0], self.value)
        });
        validated.failures = pool.failures();
        validated.tier = pool.usage(selection.usage()).tier;
        validated
    }
}

/// Draws paths for one value.
struct Sampler<'a> {
    plan: &'a Plan,
    selection: &'a TierSelection,
    pool: &'a DevicePool,
    early_termination: Option<&'a EarlyTermination<'a>>,
    single_path: Option<&'a dyn SinglePath>,
    max_steps: u32,
    /// Most paths of one half.
    samples: u64,
    control: &'a Control<'a>,
}

impl Sampler<'_> {
    /// Paths from number `first` on, until a time.
    fn sample(&self, seed: u64, first: u64, until: Instant) -> Result<Sampled, Unvalidated> {
        let (early_termination, single_path) = (self.early_termination, self.single_path);
        let request = Request::new(seed, first, self.samples, self.max_steps, &self.plan.monitors);
        let remotes = self.pool.remotes();
        let threads_too = self.pool.with_threads();
        let request = Request { early_termination, single_path, remotes: &remotes, threads_too, ..request };
        let mut control = *self.control;
        control.limits.deadline = Some(control.limits.deadline.map_or(until, |d| d.min(until)));
        self.pool.set_deadline(control.limits.deadline);
        let (sampled, ended) = sample(self.selection, &request, &control, |_, _| false);
        match ended {
            Some(Ended::Failed(_)) => Err(Unvalidated::PathFails),
            Some(Ended::Undecided(_)) => Err(Unvalidated::PathTooLong),
            _ if sampled.paths == 0 => Err(Unvalidated::NoPath),
            _ => Ok(sampled),
        }
    }
}

/// The verdict of some paths on a value with bounds.
fn judge(summary: &Summary, value: Interval) -> Result<Verdict, Unvalidated> {
    let verdict = match summary {
        Summary::Tally(tally) => verdict::of_proportion(*tally, value),
        Summary::Moments { infinite, .. } if *infinite > 0 => {
            return Err(Unvalidated::InfiniteMean { as_expected: value.hi == f64::INFINITY });
        }
        Summary::Moments { moments, .. } => verdict::of_mean(moments, None, value),
    };
    verdict.map_err(Unvalidated::NoVerdict)
}

/// The seed of the second half: far from the first one, and from numbers that people choose.
fn second_seed(seed: u64) -> u64 {
    seed ^ 0x9e37_79b9_7f4a_7c15
}
