//! Performance of labelled transition systems with rates: the long run, the course of time, and first passages.
//!
//! Everything starts from a [`Lts`], whatever it was made from. One structure serves all values of the names of rates.

pub mod ask;
mod csv;
pub mod document;
pub mod json;
pub mod options;
mod problems;
mod simulated;

pub use csv::{csv_of_course, csv_of_long_run, rows_of_course, rows_of_long_run};
pub use simulated::{CONFIDENCE, SimulatedReport};

pub use problems::diagnostic as problem_of_chain;
use problems::diagnostic;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_imc::{
    Chain, Choices, Measured, Occurrences, Options, Parameter, PassageExtremes, Problem, Steady, Target,
    ThroughputExtremes, Transient, Values, Wanted,
};
use volvelle_logic::{Constant, StopReason};
use volvelle_session::constants::{self, Swept};
use volvelle_session::limits::Allowance;
use volvelle_session::report::Status;
use volvelle_session::settings::Settings;
pub use volvelle_space::Lts;

/// Points of a sweep beyond which it is refused.
const MOST_POINTS: usize = 100_000;

/// What both commands need to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Performance<'a> {
    /// Values of the names of rates, as `--const` takes them.
    pub constants: &'a [String],
    /// The actions to measure; all where there are none.
    pub actions: &'a [String],
    /// The least and the greatest values over all ways to resolve choices, in place of one value.
    pub bounds: bool,
    /// Paths from which the same quantities are estimated.
    pub simulated_paths: Option<u64>,
}

/// What is asked about the long run.
#[derive(Clone, Copy, Debug, Default)]
pub struct LongRun {
    /// The probability of each state, however long it takes.
    pub states: bool,
    /// Derivatives with respect to rates.
    pub sensitivity: bool,
}

/// What is asked about the course of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Course<'a> {
    /// Times, as `--const` takes values.
    pub times: Option<&'a str>,
    /// Expected counts of actions up to each time.
    pub counts: bool,
    /// Actions whose first occurrence ends the passage that is asked for.
    pub until: &'a [String],
    /// Derivatives of the mean time with respect to rates.
    pub sensitivity: bool,
}

/// The system that was analysed.
#[derive(Clone, Debug)]
pub struct SystemReport {
    /// Its file.
    pub file: String,
    /// Its states.
    pub states: u64,
    /// Its transitions.
    pub transitions: u64,
    /// The states in which time passes and that are reached: numbers of the system's states.
    pub tangible: Vec<u32>,
}

/// The derivative of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeReport {
    /// What changes: an action, or `time`.
    pub of: String,
    /// With respect to this: a label, or the name of rates.
    pub with_respect_to: String,
    /// Bounds.
    pub bounds: [f64; 2],
}

/// What was found for one choice of values of names.
#[derive(Clone, Debug)]
pub struct Point<T> {
    /// The values of names.
    pub constants: Vec<Constant>,
    /// The result.
    pub found: T,
    /// Derivatives.
    pub derivatives: Vec<DerivativeReport>,
    /// Estimates by simulation.
    pub simulated: Vec<SimulatedReport>,
    /// What it took.
    pub took: Duration,
}

/// The long run of a chain, or what schedulers can make of it.
#[derive(Clone, Debug)]
pub enum LongRunFound {
    /// A steady state.
    Steady(Steady),
    /// Throughputs over all schedulers.
    Extremes(ThroughputExtremes),
}

/// A chain over time.
#[derive(Clone, Debug, Default)]
pub struct CourseFound {
    /// Distributions and throughputs.
    pub transient: Option<Transient>,
    /// The first passage.
    pub passage: Option<volvelle_imc::Passage>,
    /// The same over all schedulers.
    pub passage_extremes: Option<PassageExtremes>,
}

/// The answer to a command.
#[derive(Clone, Debug)]
pub struct PerformanceReport<T> {
    /// The system; `None` where it could not be read.
    pub system: Option<SystemReport>,
    /// Names of constants with several values.
    pub axes: Vec<String>,
    /// Measured actions.
    pub actions: Vec<String>,
    /// The times, with the texts that show them.
    pub times: Vec<(String, f64)>,
    /// Results, in the order of the values; the last constant changes fastest.
    pub points: Vec<Point<T>>,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The limit that was reached.
    pub stop: Option<Stop>,
}

impl<T> PerformanceReport<T> {
    fn new() -> Self {
        PerformanceReport {
            system: None,
            axes: Vec::new(),
            actions: Vec::new(),
            times: Vec::new(),
            points: Vec::new(),
            diagnostics: Vec::new(),
            stop: None,
        }
    }

    /// How the run ended.
    pub fn status(&self) -> Status {
        Status::of(std::iter::empty(), &self.diagnostics, self.stop)
    }

    fn fail(&mut self, problem: &Problem, lts: &Lts, allowance: &Allowance) {
        if let Problem::Check(volvelle_markov::CheckError::Limit(stop)) = problem {
            self.stop = Some(*stop);
        }
        self.diagnostics.push(diagnostic(problem, lts, allowance));
    }
}

/// The long run of a system.
pub fn long_run(
    file: &str,
    lts: &Lts,
    performance: &Performance<'_>,
    wanted: LongRun,
    settings: &Settings,
    control: &Control<'_>,
) -> PerformanceReport<LongRunFound> {
    let mut report = PerformanceReport::new();
    for_all_values(&mut report, file, lts, performance, settings, control, |chain, _| {
        let found = match performance.bounds {
            true => LongRunFound::Extremes(chain.throughput_extremes(control)?),
            false => {
                let states = if wanted.states { Wanted::States } else { Wanted::Throughputs };
                LongRunFound::Steady(chain.steady(states, control)?)
            }
        };
        let stop = match &found {
            LongRunFound::Steady(steady) => steady.stop,
            LongRunFound::Extremes(extremes) => extremes.stop,
        };
        let mut beside = Beside::stopped_by(stop);
        if let (LongRunFound::Steady(steady), Some(paths)) = (&found, performance.simulated_paths) {
            beside.simulated = simulated::throughputs(chain, steady, paths, control)?;
        }
        let derivatives = &mut beside.derivatives;
        if wanted.sensitivity {
            for sensitivity in chain.sensitivities(control)? {
                let all = sensitivity.derivatives.iter();
                derivatives.extend(all.map(|one| derivative(chain, &sensitivity.action, one)));
            }
        }
        Ok((found, beside))
    });
    report
}

/// A system over time.
pub fn course(
    file: &str,
    lts: &Lts,
    performance: &Performance<'_>,
    wanted: &Course<'_>,
    settings: &Settings,
    control: &Control<'_>,
) -> PerformanceReport<CourseFound> {
    let mut report = PerformanceReport::new();
    match volvelle_session::times::times_of(wanted.times, "--times") {
        Ok(times) => report.times = times.into_iter().map(|(text, time)| (text.to_string(), time)).collect(),
        Err(diagnostic) => report.diagnostics.push(diagnostic),
    }
    if report.times.is_empty() && wanted.until.is_empty() && report.diagnostics.is_empty() {
        let message = "neither times nor the end of a passage are given";
        report.diagnostics.push(
            Diagnostic::error(codes::BAD_USAGE, message)
                .help("give times: --times 2.5, --times 1,2,5, --times 0:0.5:10")
                .help("or an action whose first occurrence is awaited: --first-passage GATE"),
        );
    }
    if performance.bounds && wanted.until.is_empty() && report.diagnostics.is_empty() {
        let message = "over all schedulers, only first passages have bounds";
        report.diagnostics.push(
            Diagnostic::error(codes::BAD_USAGE, message)
                .note(
                    "a scheduler that is best at a time looks at the clock: such schedulers are not analysed",
                )
                .help("give the action whose first occurrence is awaited: --first-passage GATE")
                .help("or bound long-run throughputs: volvelle steady --bounds"),
        );
    }
    if has_errors(&report.diagnostics) {
        return report;
    }
    let named_times = report.times.clone();
    let times: Vec<f64> = named_times.iter().map(|time| time.1).collect();
    let target = Target { actions: wanted.until.to_vec(), states: Vec::new() };
    for_all_values(&mut report, file, lts, performance, settings, control, |chain, _| {
        let mut found = CourseFound::default();
        let mut beside;
        if performance.bounds {
            let extremes = chain.passage_extremes(&target, &times, control)?;
            beside = Beside::stopped_by(extremes.stop);
            found.passage_extremes = Some(extremes);
        } else if !wanted.until.is_empty() {
            let passage = chain.first_passage(&target, &times, control)?;
            beside = Beside::stopped_by(passage.stop);
            if let Some(paths) = performance.simulated_paths {
                let named = &named_times;
                beside.simulated = simulated::passage(chain, &target, named, &passage, paths, control)?;
            }
            found.passage = Some(passage);
            if wanted.sensitivity {
                let all = chain.passage_sensitivities(&target, control)?;
                beside.derivatives.extend(all.iter().map(|one| derivative(chain, "time", one)));
            }
        } else {
            let is_counted = wanted.counts || performance.simulated_paths.is_some();
            let occurrences = if is_counted { Occurrences::Counted } else { Occurrences::NotCounted };
            let transient = chain.transient(&times, occurrences, control)?;
            beside = Beside::stopped_by(transient.stop);
            if let Some(paths) = performance.simulated_paths {
                let computed =
                    transient.moments.iter().map(|moment| moment.counts.clone().unwrap_or_default());
                let computed: Vec<_> = computed.collect();
                beside.simulated = simulated::counts(chain, &named_times, &computed, paths, control)?;
            }
            found.transient = Some(transient);
        }
        Ok((found, beside))
    });
    report
}

fn derivative(chain: &Chain<'_>, of: &str, one: &volvelle_imc::Derivative) -> DerivativeReport {
    let with_respect_to = match &one.parameter {
        Parameter::Label(label) => chain.label(*label).to_owned(),
        Parameter::Name(name) => name.clone(),
    };
    DerivativeReport { of: of.to_owned(), with_respect_to, bounds: one.bounds }
}

/// What is found beside the results.
#[derive(Default)]
struct Beside {
    derivatives: Vec<DerivativeReport>,
    simulated: Vec<SimulatedReport>,
    /// A limit was reached: the bounds are as far as they got.
    is_interrupted: bool,
}

impl Beside {
    /// Nothing, beside results that ended like this.
    fn stopped_by(stop: StopReason) -> Self {
        Beside { is_interrupted: stop == StopReason::Interrupted, ..Beside::default() }
    }
}

/// Analyses the chain for all combinations of values of names, until something goes wrong.
fn for_all_values<T>(
    report: &mut PerformanceReport<T>,
    file: &str,
    lts: &Lts,
    performance: &Performance<'_>,
    settings: &Settings,
    control: &Control<'_>,
    mut analyse: impl FnMut(&Chain<'_>, &[Constant]) -> Result<(T, Beside), Problem>,
) {
    let (swept, diagnostics) = constants::parse(performance.constants);
    report.diagnostics.extend(diagnostics);
    let points = combinations(&swept).and_then(|points| {
        points.into_iter().map(|point| values(&point).map(|values| (point, values))).collect()
    });
    let points: Vec<(Vec<Constant>, Values)> = match points {
        Ok(points) => points,
        Err(diagnostic) => {
            report.diagnostics.push(diagnostic);
            return;
        }
    };
    if has_errors(&report.diagnostics) {
        return;
    }
    report.axes = swept.iter().filter(|s| s.values.len() > 1).map(|s| s.name.clone()).collect();
    let actions = performance.actions;
    let measured = if actions.is_empty() { Measured::All } else { Measured::Only(actions.to_vec()) };
    let options = Options {
        values: points.first().map(|point| point.1.clone()).unwrap_or_default(),
        measured,
        choices: if performance.bounds { Choices::Keep } else { Choices::Refuse },
        numerical: settings.numeric,
    };
    let mut started = Instant::now();
    let mut chain = match Chain::from_lts(lts, &options, control) {
        Ok(chain) => chain,
        Err(problem) => return report.fail(&problem, lts, &settings.allowance),
    };
    report.system = Some(SystemReport {
        file: file.to_owned(),
        states: lts.num_states() as u64,
        transitions: lts.num_transitions() as u64,
        tangible: chain.tangible().to_vec(),
    });
    report.actions = chain.actions().to_vec();
    for (constants, values) in points {
        let result = chain.set_values(&values).and_then(|()| analyse(&chain, &constants));
        match result {
            Ok((found, Beside { derivatives, simulated, is_interrupted })) => {
                let took = started.elapsed();
                report.points.push(Point { constants, found, derivatives, simulated, took });
                if let (true, Err(stop)) = (is_interrupted, control.check()) {
                    return report.fail(&stop.into(), lts, &settings.allowance);
                }
            }
            Err(problem) => return report.fail(&problem, lts, &settings.allowance),
        }
        started = Instant::now();
    }
}

/// All combinations of values; the last constant changes fastest.
fn combinations(swept: &[Swept]) -> Result<Vec<Vec<Constant>>, Diagnostic> {
    let count = swept.iter().try_fold(1usize, |count, swept| count.checked_mul(swept.values.len()));
    if count.is_none_or(|count| count > MOST_POINTS) {
        let message = format!("the values combine to more than {MOST_POINTS} points");
        return Err(Diagnostic::error(codes::BAD_CONST_OPTION, message).help("give fewer values"));
    }
    let mut points = vec![Vec::new()];
    for constant in swept {
        let extended = points.iter().flat_map(|point: &Vec<Constant>| {
            constant.values.iter().map(move |value| {
                let mut point = point.clone();
                point.push(Constant { name: constant.name.clone(), value: value.clone() });
                point
            })
        });
        points = extended.collect();
    }
    Ok(points)
}

/// The exact numbers of constants.
fn values(constants: &[Constant]) -> Result<Values, Diagnostic> {
    let value = |constant: &Constant| {
        let number = volvelle_logic::rational(constant.value.text());
        let number = number.map(|number| (constant.name.clone(), number));
        number.ok_or_else(|| {
            let message = format!("`{constant}` is not a number");
            Diagnostic::error(codes::BAD_CONST_OPTION, message)
                .help("a rate is a positive number: --const LAMBDA=2.5, --const LAMBDA=1/3")
        })
    };
    constants.iter().map(value).collect()
}
