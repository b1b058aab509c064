//! All measurements of a task: a strategy proposes, a bench measures, results are recorded.

use super::{Answer, Job, Results, Task};
use std::time::Instant;
use volvelle_control::{Control, Stop};
use volvelle_tune::formats::Measurement;
use volvelle_tune::space::{ConfigurationId, Space};
use volvelle_tune::strategy::{Failure, Outcome, Strategy};
use volvelle_tune::{Evidence, Proof, Row, Tuning, Value};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Configurations that are measured anew, at most.
    pub budget: Option<u64>,
    /// Timed runs of each.
    pub repetitions: u32,
    /// Milliseconds of timed runs of one configuration after which no further one begins.
    pub enough_ms: f64,
}

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Campaign {
    /// Configurations in the order in which their results came, those known before first.
    pub measurements: Vec<(ConfigurationId, Measurement)>,
    /// How many of them were known before.
    pub known: usize,
    /// Why results are not compared with a reference, if they are not.
    pub unchecked: Option<String>,
    /// Why it ended before the strategy did.
    pub stop: Option<Stop>,
    /// Whether the budget ended it.
    pub is_budget_spent: bool,
}

/// The people around a campaign: what measures, and what hears of results.
pub struct Hooks<'a> {
    /// Measures a job.
    pub measure: &'a mut dyn FnMut(&Job) -> Answer,
    /// Is told of every new measurement, with the number of those so far.
    pub record: &'a mut dyn FnMut(&Measurement, usize),
    /// The time of day as a text, for files.
    pub now: &'a dyn Fn() -> String,
}

impl Campaign {
    /// Measures what a strategy proposes. `known` are results from elsewhere.
    pub fn run(
        task: &Task,
        space: &Space,
        strategy: &mut dyn Strategy,
        effort: &Effort,
        known: Vec<Measurement>,
        control: &Control<'_>,
        hooks: &mut Hooks<'_>,
    ) -> Campaign {
        let mut campaign = Campaign::default();
        for measurement in known {
            // What does not belong to the space, such as a value that is not asked for, is passed over.
            let Some(configuration) = space.find_values(&measurement.values) else { continue };
            if campaign.measurements.iter().any(|(other, _)| *other == configuration) {
                continue;
            }
            strategy.tell(space, configuration, &measurement.outcome);
            campaign.measurements.push((configuration, measurement));
        }
        campaign.known = campaign.measurements.len();
        let mut reference_is_kept = false;
        let mut done = 0;
        loop {
            if let Err(stop) = control.check() {
                campaign.stop = Some(stop);
                return campaign;
            }
            if effort.budget.is_some_and(|budget| done >= budget) {
                campaign.is_budget_spent = (campaign.measurements.len() as u64) < space.len();
                return campaign;
            }
            let started = Instant::now();
            let Some(configuration) = strategy.next(space) else { return campaign };
            let strategy_ms = started.elapsed().as_secs_f64() * 1e3;
            if !reference_is_kept && campaign.unchecked.is_none() {
                campaign.unchecked = keep_reference(task, hooks).err();
                reference_is_kept = campaign.unchecked.is_none();
            }
            let results = if reference_is_kept { Results::Compare } else { Results::Ignore };
            let values = Task::values(space, configuration);
            let answer = match task.job(&values, effort.repetitions, effort.enough_ms, results) {
                Ok(job) => (hooks.measure)(&job),
                Err(why) => Answer::failed(Failure::Constraint, why),
            };
            if answer.failure.is_some()
                && let Err(stop) = control.check()
            {
                // The signal that stops this run may have ended the process that measured.
                campaign.stop = Some(stop);
                return campaign;
            }
            let measurement =
                Measurement { strategy_ms, timestamp: (hooks.now)(), ..measured(values, answer) };
            strategy.tell(space, configuration, &measurement.outcome);
            campaign.measurements.push((configuration, measurement));
            done += 1;
            let (_, last) = &campaign.measurements[campaign.measurements.len() - 1];
            (hooks.record)(last, campaign.measurements.len());
        }
    }

    /// The table of the measured configurations, in milliseconds, beside what is `predicted` for them.
    pub fn tuning(
        &self,
        task: &Task,
        space: &Space,
        method: String,
        predicted: impl Fn(ConfigurationId) -> Option<f64>,
    ) -> Tuning {
        let row = |(configuration, measurement): &(ConfigurationId, Measurement)| {
            let (time, evidence) = match &measurement.outcome {
                Outcome::Time(time) => (*time, Evidence::Measured),
                Outcome::Failed(failure) => (f64::INFINITY, Evidence::Invalid(failure.name().to_owned())),
            };
            Row {
                values: measurement.values.clone(),
                lo: time,
                hi: time,
                greatest: None,
                all_alike: None,
                states: 0,
                evidence,
                predicted: predicted(*configuration),
            }
        };
        let rows: Vec<Row> = self.measurements.iter().map(row).collect();
        let is_whole = rows.len() as u64 == space.len();
        let why = if is_whole {
            "all configurations were measured; times of a device are no proof"
        } else {
            "measured times, of some configurations"
        };
        let mut tuning = Tuning {
            parameters: task.parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            objective: "time".to_owned(),
            unit: "ms".to_owned(),
            goal: String::new(),
            rows,
            configurations: Some(space.len()),
            proof: Proof::Unproven(why.to_owned()),
            method,
            steps: Vec::new(),
            states: 0,
            transitions: 0,
        };
        tuning.sort();
        tuning
    }
}

fn keep_reference(task: &Task, hooks: &mut Hooks<'_>) -> Result<(), String> {
    let values = task.reference.as_ref();
    let values = values.ok_or("the description names no reference")?;
    let job =
        task.job(values, 1, 0.0, Results::Keep).map_err(|why| format!("the reference cannot run: {why}"))?;
    let answer = (hooks.measure)(&job);
    match answer.failure {
        None => Ok(()),
        Some(failure) => {
            let first = answer.detail.lines().next().unwrap_or_default().to_owned();
            Err(format!("the reference does not run: {failure}: {first}"))
        }
    }
}

/// The record of an answer.
fn measured(values: Vec<Value>, answer: Answer) -> Measurement {
    let outcome = match (answer.failure(), answer.median()) {
        (Some(failure), _) => Outcome::Failed(failure),
        (None, Some(time)) => Outcome::Time(time),
        (None, None) => Outcome::Failed(Failure::Launch),
    };
    let mut measurement = Measurement::new(values, outcome);
    measurement.times = answer.times;
    measurement.compile_ms = answer.compile_ms;
    measurement.benchmark_ms = answer.benchmark_ms;
    measurement.verification_ms = answer.verification_ms;
    measurement.detail = answer.detail;
    measurement
}
