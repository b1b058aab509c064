//! Estimates by simulation beside the numbers: the same quantities from sampled paths, by the simulator that all models share.
//!
//! Counts up to a time, and first passages, are means over paths from the start. Throughputs in the long run are ratios over cycles: of
//! what happens from one visit of a state to the next, over the time that this takes (the renewal-reward theorem). Numerator and
//! denominator come from the same cycles, each with an interval of half the error, so that the quotient of the intervals has
//! the confidence asked for whatever their correlation.

use std::sync::Arc;
use volvelle_control::Control;
use volvelle_estimate::stopping::interval_of;
use volvelle_estimate::{Estimation, EstimationTask, PathTier, PropertyStatus, Sampling, StoppingRule};
use volvelle_imc::{Chain, PassageChain, Problem, Steady, Target, middle};
use volvelle_markov::CheckError;
use volvelle_model::{Choice, Domain, Field, FieldId, Origin, Program, RewardStructure};
use volvelle_runtime::Devices;
use volvelle_simulate::measure::{Event, Measure, Target as End, Window};
use volvelle_simulate::sample::Summary;
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::table::{States, Table, resolve};
use volvelle_space::{Accuracy, Space, StateId, ValuesBuilder};
use volvelle_statistics::{Confidence, Interval};

/// The confidence of intervals.
pub const CONFIDENCE: f64 = 0.99;

/// The seed of all paths.
const SEED: u64 = 1;

/// An estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedReport {
    /// The quantity: `throughput`, `count`, `mean`, `ever` or `within`.
    pub quantity: &'static str,
    /// The action that is counted.
    pub action: Option<String>,
    /// The time, as given.
    pub time: Option<String>,
    /// The interval that holds the value with [`CONFIDENCE`]; `None` where paths give none.
    pub interval: Option<[f64; 2]>,
    /// The bounds that were computed.
    pub computed: [f64; 2],
}

/// States of which only the end of paths is told.
struct Ends(Option<usize>);

impl States for Ends {
    fn value(&self, state: usize, _: FieldId) -> i64 {
        i64::from(self.0 == Some(state))
    }
}

/// A chain whose paths are drawn.
struct Paths {
    program: Program,
    /// Where the only field, which is true at the end of paths, is read.
    at_end: volvelle_kernel::ExprId,
    table: Arc<Table>,
    paths: u64,
}

impl Paths {
    /// Paths from a state; `end`: a state that ends them.
    fn new(space: &Space, start: u32, end: Option<usize>, paths: u64) -> Result<Self, Problem> {
        let mut program = Program::new(Choice::Race);
        let domain = Domain::Bool;
        program.fields.push(Field {
            name: "end".to_owned(),
            domain,
            component: None,
            length: 1,
            origin: Origin(0),
        });
        let none = || RewardStructure { name: None, states: Vec::new(), transitions: Vec::new() };
        program.rewards = space.rewards.iter().map(|_| none()).collect();
        let at_end = program.field(FieldId(0));
        let mut space = space.clone();
        space.initial = vec![StateId(start)];
        let table = resolve(space, Box::new(Ends(end)), 1, &Resolution::Model)
            .map_err(|why| failed(&format!("{why:?}")))?;
        Ok(Paths { program, at_end, table: Arc::new(table), paths })
    }

    /// Intervals for the means of measures; `None` for one that paths do not decide.
    fn intervals(
        &self,
        measures: Vec<Measure>,
        confidence: f64,
        control: &Control<'_>,
    ) -> Result<Vec<Option<[f64; 2]>>, Problem> {
        let sampling = Sampling { samples: Some(self.paths), confidence, seed: SEED, ..Sampling::default() };
        let tasks = (0..measures.len()).map(|i| EstimationTask::new(i, StoppingRule::Fixed(self.paths)));
        let mut tasks: Vec<EstimationTask> = tasks.collect();
        let estimation = Estimation {
            program: &self.program,
            measures,
            automata: Vec::new(),
            resolution: &Resolution::Model,
            table: Some(&self.table),
            sampling: &sampling,
            tier: PathTier::Auto,
            devices: &Devices::default(),
            ranks: None,
        };
        let outcome = estimation.run(&mut tasks, control).map_err(|why| failed(&format!("{why:?}")))?;
        if let Some(stop) = outcome.stop {
            return Err(stop.into());
        }
        let confidence = Confidence::new(confidence).map_err(|why| failed(&why.to_string()))?;
        let interval = |task: EstimationTask| match task.status {
            PropertyStatus::Finished(known) => of_summary(&known.summary, confidence),
            _ => None,
        };
        Ok(tasks.into_iter().map(interval).collect())
    }
}

/// The interval of a mean. Where nothing varied it is the value itself.
fn of_summary(summary: &Summary, confidence: Confidence) -> Option<[f64; 2]> {
    if let Some(Interval { lo, hi }) = interval_of(summary, confidence) {
        return Some([lo, hi]);
    }
    match summary {
        Summary::Moments { infinite: 0, moments } => {
            let mean = moments.mean()?;
            (moments.variance()? == 0.0).then_some([mean; 2])
        }
        _ => None,
    }
}

fn failed(why: &str) -> Problem {
    Problem::Check(CheckError::Undefined { what: format!("simulation ({why})") })
}

/// The interval of a mean over several starts, each with its probability: every one has its part of the error.
fn over_starts(
    starts: &[(u32, f64)],
    mut of_one: impl FnMut(u32, f64) -> Result<Vec<Option<[f64; 2]>>, Problem>,
) -> Result<Vec<Option<[f64; 2]>>, Problem> {
    let confidence = 1.0 - (1.0 - CONFIDENCE) / starts.len() as f64;
    let mut sums: Vec<Option<[f64; 2]>> = Vec::new();
    for (i, &(state, share)) in starts.iter().enumerate() {
        let found = of_one(state, confidence)?;
        if i == 0 {
            sums = vec![Some([0.0; 2]); found.len()];
        }
        for (sum, one) in sums.iter_mut().zip(found) {
            *sum = sum.zip(one).map(|([a, b], [lo, hi])| [a + share * lo, b + share * hi]);
        }
    }
    Ok(sums)
}

/// Counts of actions up to times; `computed[time][action]`.
pub(super) fn counts(
    chain: &Chain<'_>,
    times: &[(String, f64)],
    computed: &[Vec<[f64; 2]>],
    paths: u64,
    control: &Control<'_>,
) -> Result<Vec<SimulatedReport>, Problem> {
    let (space, _) = chain.space()?;
    let at_once = chain.counts_at_once()?;
    let actions = chain.actions();
    let pairs = || times.iter().flat_map(|(_, time)| (0..actions.len()).map(move |action| (*time, action)));
    let found = over_starts(&chain.start()?, |state, confidence| {
        let measures = pairs().map(|(until, structure)| Measure::Cumulative { structure, until });
        Paths::new(&space, state, None, paths)?.intervals(measures.collect(), confidence, control)
    })?;
    let mut found = found.into_iter();
    let mut reports = Vec::new();
    for ((text, _), computed) in times.iter().zip(computed) {
        for ((action, &computed), more) in actions.iter().zip(computed).zip(&at_once) {
            let interval = found.next().flatten().map(|[lo, hi]| [lo + more, hi + more]);
            let (action, time) = (Some(action.clone()), Some(text.clone()));
            reports.push(SimulatedReport { quantity: "count", action, time, interval, computed });
        }
    }
    Ok(reports)
}

/// A first passage: its mean, and the probabilities that it is ever over, and within times.
pub(super) fn passage(
    chain: &Chain<'_>,
    target: &Target,
    times: &[(String, f64)],
    computed: &volvelle_imc::Passage,
    paths: u64,
    control: &Control<'_>,
) -> Result<Vec<SimulatedReport>, Problem> {
    let PassageChain { space, start } = chain.passage_chain(target, control)?;
    let end = space.labels[0].1.iter().next();
    let found = over_starts(&start, |state, confidence| {
        let mut paths = Paths::new(&space, state, end, paths)?;
        let at_end = paths.at_end;
        let anywhere = paths.program.exprs.bool(true);
        let until = |upper| Measure::Indicator {
            event: Event::Until(anywhere, at_end, Window { lower: 0.0, upper }),
            negated: false,
        };
        let mut measures: Vec<Measure> = times.iter().map(|&(_, time)| until(Some(time))).collect();
        measures.push(Measure::Reach { structure: Some(0), target: End::States(at_end) });
        measures.push(until(None));
        paths.intervals(measures, confidence, control)
    })?;
    let one = |quantity, time, place: usize, computed| SimulatedReport {
        quantity,
        action: None,
        time,
        interval: found.get(place).copied().flatten(),
        computed,
    };
    let mut reports = vec![
        one("mean", None, times.len(), computed.mean),
        one("ever", None, times.len() + 1, computed.ever),
    ];
    for (place, ((text, _), &within)) in times.iter().zip(&computed.within).enumerate() {
        reports.push(one("within", Some(text.clone()), place, within));
    }
    Ok(reports)
}

/// Throughputs in the long run. Runs that may end in several components give no intervals.
pub(super) fn throughputs(
    chain: &Chain<'_>,
    steady: &Steady,
    paths: u64,
    control: &Control<'_>,
) -> Result<Vec<SimulatedReport>, Problem> {
    let (space, _) = chain.space()?;
    let report = |action: &str, interval, computed| SimulatedReport {
        quantity: "throughput",
        action: Some(action.to_owned()),
        time: None,
        interval,
        computed,
    };
    let all = steady.throughputs.iter();
    let [component] = steady.components.as_slice() else {
        return Ok(all.map(|amount| report(&amount.action, None, amount.bounds)).collect());
    };
    let (space, copy, home) = cycle(&space, component.members[0], &component.members, steady);
    // Half of the error for the numerators, each, and half for the denominator.
    let confidence = 0.5 + 0.5 * CONFIDENCE;
    let paths = Paths::new(&space, copy, Some(home as usize), paths)?;
    let target = End::States(paths.at_end);
    let structures = (0..chain.actions().len()).map(Some).chain([None]);
    let measures = structures.map(|structure| Measure::Reach {
        structure: Some(structure.unwrap_or(chain.actions().len())),
        target,
    });
    let found = paths.intervals(measures.collect(), confidence, control)?;
    let time = found.last().copied().flatten();
    let ratio = |amount: Option<[f64; 2]>| {
        let ([lo, hi], [least, most]) = (amount?, time?);
        (least > 0.0).then(|| [(lo / most).max(0.0), hi / least])
    };
    Ok(all.zip(&found).map(|(amount, found)| report(&amount.action, ratio(*found), amount.bounds)).collect())
}

/// The chain with a copy of a state that is visited often, from which cycles start that end in that state; and with time as
/// one more reward.
fn cycle(space: &Space, first: u32, members: &[u32], steady: &Steady) -> (Space, u32, u32) {
    let probable = steady.probabilities.as_ref().and_then(|all| {
        let by_share = |a: &&u32, b: &&u32| {
            let share = |s: u32| middle(all[s as usize]);
            share(**a).total_cmp(&share(**b)).then(b.cmp(a))
        };
        members.iter().max_by(by_share).copied()
    });
    let home = probable.unwrap_or(first);
    let mut space = space.clone();
    let copy = space.num_states() as u32;
    let row = space.row(home as usize);
    let numbers: Vec<f64> = space.values.iter().chain(space.values.range(row.clone())).collect();
    space.columns.extend_from_within(row);
    let mut values = ValuesBuilder::new();
    numbers.into_iter().for_each(|number| values.push(number));
    space.values = values.finish();
    space.row_start.push(space.columns.len() as u32);
    space.deadlocks = volvelle_space::BitSet::of(copy as usize + 1, space.deadlocks.iter());
    for reward in &mut space.rewards {
        if let Some(choice) = &reward.choice {
            let again = choice.get(home as usize);
            let mut values = ValuesBuilder::new();
            choice.iter().chain([again]).for_each(|number| values.push(number));
            reward.choice = Some(values.finish());
        }
    }
    space.rewards.push(volvelle_space::RewardVectors {
        name: "time".to_owned(),
        state: Some(std::iter::repeat_n(1.0, copy as usize + 1).collect()),
        choice: None,
        mixed: false,
        accuracy: Accuracy::Exact,
    });
    (space, copy, home)
}
