//! Kernels that are compiled and run.

mod input;
mod kept;
pub mod worker;

use super::outputs;
use super::outputs::About;
use super::refused;
use crate::measuring::{Campaign, Device, Effort, Hooks, Predictor, Task};
use crate::options::Tune;
use input::Input;
use kept::Kept;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use volvelle_console::given::GivenOptions;
use volvelle_console::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use volvelle_console::progress::Line;
use volvelle_console::refusal::{refuse, refuse_in};
use volvelle_console::{amounts, clock, cluster, files, machine};
use volvelle_control::{Progress, ProgressEvent};
use volvelle_diagnostics::{Diagnostic, Severity, Sources, codes};
use volvelle_session::limits;
use volvelle_tune::correlation::spearman;
use volvelle_tune::formats::cache::Cache;
use volvelle_tune::formats::{Measurement, t4};
use volvelle_tune::space::{ConfigurationId, Space};
use volvelle_tune::strategy::{Outcome, Prediction};
use volvelle_tune::{Step, Value, strategy};
use worker::Worker;

/// Timed runs of a configuration.
const REPETITIONS: u32 = 7;

/// Milliseconds of timed runs after which a configuration that is slow gets no further one.
const ENOUGH_MS: f64 = 500.0;

/// How long a configuration may take, from compiling to the last run, unless the user says otherwise.
pub const LONGEST: Duration = Duration::from_secs(30);

/// Tunes a kernel.
pub fn run(args: &'static Tune, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let why = "kernels that run at the same time slow each other down, and their times mean nothing";
    if let Err(diagnostic) = cluster::refused("measuring", why) {
        return refuse(&[diagnostic], args.answer.output.json, output);
    }
    let mut sources = Sources::new();
    let mut refusals = refused::options_of_models(given);
    let why = "what is measured is the kernel itself";
    refusals.extend(given.refuse(
        &[("export_model", "--export-model")],
        "a measured kernel",
        why,
        "leave out --measure",
    ));
    if !refusals.is_empty() {
        return refuse(&refusals, args.answer.output.json, output);
    }
    let mut diagnostics = Vec::new();
    let prepared = match prepare(args, &mut sources, &mut diagnostics) {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse_in(&diagnostics, &sources, args.answer.output.json, output),
    };
    let mut written = Vec::new();
    let (campaign, method) = match measure(args, &prepared, start, &mut written, &mut diagnostics) {
        Ok(measured) => measured,
        Err(diagnostic) => return refuse_in(&[diagnostic], &sources, args.answer.output.json, output),
    };
    let Prepared { input, space, device, .. } = &prepared;
    let predicted = input.predictor.as_ref().map(|predictor| predictions(&campaign, space, predictor));
    let predicted = predicted.unwrap_or_default();
    // Units of a model do not belong beside milliseconds.
    let is_calibrated = input.predictor.as_ref().is_some_and(Predictor::is_calibrated);
    let beside = |configuration| {
        let time = *predicted.get(&configuration).filter(|_| is_calibrated)?;
        // Nanoseconds: further digits mean nothing.
        Some((time * 1e6).round() / 1e6)
    };
    let mut tuning = campaign.tuning(&input.task, space, method, beside);
    let strategy = input::strategy_name(args).unwrap_or_default();
    tuning.steps = compared(&campaign, &input.task, space, &predicted, strategy);
    remarks(&campaign, &mut diagnostics);
    if let Some(path) = args.t4.as_deref() {
        let all: Vec<Measurement> = campaign.measurements.iter().map(|(_, one)| one.clone()).collect();
        files::write(
            path,
            t4::write(&input.task.parameters, &all).as_bytes(),
            &mut written,
            &mut diagnostics,
        );
    }
    let file = args.file.display().to_string();
    let about = About { file: &file, sources: &sources, elapsed: start.elapsed(), seed: Some(args.seed) };
    written.extend(outputs::write(args, &tuning, &about, &mut diagnostics, output));
    if campaign.measurements.iter().any(|(_, one)| one.outcome.time().is_some()) {
        outputs::print(args, Some(&tuning), &about, &diagnostics, &written, output);
    } else {
        outputs::print(args, None, &about, &diagnostics, &written, output);
    }
    if args.answer.output.verbose && !args.answer.output.json {
        output.print(&format!("\n  device       {}, {}\n", device.name, device.driver));
    }
    output.print_diagnostics(&diagnostics, &sources);
    if diagnostics.iter().any(|diagnostic| limits::is_limit(diagnostic.code)) {
        return EXIT_LIMIT;
    }
    let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if is_wrong { EXIT_USAGE } else { 0 }
}

/// What is measured, and on what.
struct Prepared {
    input: Input,
    space: Space,
    device: Device,
    worker: std::cell::RefCell<Worker>,
}

fn prepare(
    args: &Tune,
    sources: &mut Sources,
    remarks: &mut Vec<Diagnostic>,
) -> Result<Prepared, Vec<Diagnostic>> {
    input::strategy_name(args).map_err(|diagnostic| vec![diagnostic])?;
    let mut input = input::read(args, sources, remarks)?;
    let number = device_number(args.measure.device.as_deref()).map_err(|diagnostic| vec![diagnostic])?;
    let longest = args.measure.kernel_timeout.as_deref();
    let longest = longest.map_or(Ok(LONGEST), |text| amounts::time(text, "--kernel-timeout 10"));
    let longest = longest.map_err(|diagnostic| vec![diagnostic])?;
    let (worker, device) = Worker::start(number, longest).map_err(|why| {
        let help = "`volvelle devices` lists the devices of this machine";
        vec![Diagnostic::error(codes::NO_DEVICE, why).help(help)]
    })?;
    let (_, threads) = machine::limits(&args.limits)?;
    let space = input.space(&device, threads, sources).map_err(|diagnostic| vec![diagnostic])?;
    Ok(Prepared { input, space, device, worker: worker.into() })
}

/// The number in `opencl:0`.
pub fn device_number(name: Option<&str>) -> Result<usize, Diagnostic> {
    let name = name.unwrap_or("opencl:0");
    let number =
        if name == "opencl" { Some(0) } else { name.strip_prefix("opencl:").and_then(|n| n.parse().ok()) };
    number.ok_or_else(|| {
        Diagnostic::error(codes::NO_DEVICE, format!("kernels cannot be measured on `{name}`"))
            .help("name a device of OpenCL: --device opencl:0")
            .help("`volvelle devices` lists the devices of this machine")
    })
}

fn measure(
    args: &Tune,
    prepared: &Prepared,
    start: Instant,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Campaign, String), Diagnostic> {
    let Prepared { input, space, device, worker } = prepared;
    let task = &input.task;
    let (mut kept, known) = match args.measure.measurements.as_deref() {
        Some(path) => {
            let empty = Cache {
                device: device.name.clone(),
                kernel: task.kernel.clone(),
                size: input::problem_size(task),
                parameters: task.parameters.clone(),
                entries: Vec::new(),
            };
            let (kept, known) = Kept::open(path, &empty)?;
            (Some(kept), known)
        }
        None => (None, Vec::new()),
    };
    let name = input::strategy_name(args)?;
    let prediction = input.predictor.as_ref().map(|predictor| prediction(predictor, space));
    let mut strategy = strategy::by_name(name, space, args.seed, prediction).expect("the name was checked");
    let budget = args.measure.evaluations.or(input.budget);
    let effort =
        Effort { budget, repetitions: args.measure.repetitions.unwrap_or(REPETITIONS), enough_ms: ENOUGH_MS };
    let (allowance, threads) = machine::limits(&args.limits).map_err(|mut all| all.remove(0))?;
    let progress = Line::new();
    let control = volvelle_console::opening::control(&allowance, threads, start, &progress);
    let total = budget.map_or(space.len(), |budget| budget.min(space.len()));
    let mut worker = worker.borrow_mut();
    let campaign = Campaign::run(
        task,
        space,
        strategy.as_mut(),
        &effort,
        known,
        &control,
        &mut Hooks {
            measure: &mut |job| worker.measure(job),
            record: &mut |measurement, done| {
                if let Some(kept) = &mut kept {
                    kept.add(measurement);
                }
                progress.report(ProgressEvent::Points { done: done as u64, total });
            },
            now: &now,
        },
    );
    progress.finish();
    if let Some(kept) = kept {
        kept.close(written, diagnostics);
    }
    if let Some(stop) = campaign.stop {
        let mut diagnostic = limits::stopped(stop, &allowance);
        diagnostic = diagnostic.note(format!(
            "{} of {} configurations are measured",
            campaign.measurements.len(),
            space.len()
        ));
        diagnostics.push(diagnostic);
    }
    let fresh = campaign.measurements.len() - campaign.known;
    let mut method = format!("{name}: {fresh} configurations measured on {}", device.name);
    if campaign.known > 0 {
        method.push_str(&format!(", {} known from the cache", campaign.known));
    }
    Ok((campaign, method))
}

/// What a model predicts for a configuration.
fn prediction(predictor: &Predictor, space: &Space) -> Prediction {
    let (predictor, space) = (predictor.clone(), space.clone());
    Rc::new(move |configuration| predictor.predict(&named(&space, configuration)))
}

fn named(space: &Space, configuration: ConfigurationId) -> Vec<(String, Value)> {
    let names = space.parameters().iter().map(|parameter| parameter.name.clone());
    names.zip(Task::values(space, configuration)).collect()
}

/// What is predicted for the configurations that were measured.
type Predictions = HashMap<ConfigurationId, f64>;

fn predictions(campaign: &Campaign, space: &Space, predictor: &Predictor) -> Predictions {
    let all = campaign.measurements.iter().map(|(configuration, _)| *configuration);
    all.filter_map(|one| Some((one, predictor.predict(&named(space, one))?))).collect()
}

/// How predictions compare with the measurements.
fn compared(
    campaign: &Campaign,
    task: &Task,
    space: &Space,
    predicted: &Predictions,
    strategy: &str,
) -> Vec<Step> {
    let pairs = campaign.measurements.iter().filter_map(|(configuration, measurement)| {
        let measured = measurement.outcome.time()?;
        Some((*configuration, *predicted.get(configuration)?, measured))
    });
    let pairs: Vec<(ConfigurationId, f64, f64)> = pairs.collect();
    let column = |of: fn(&(ConfigurationId, f64, f64)) -> f64| pairs.iter().map(of).collect::<Vec<f64>>();
    let mut steps = Vec::new();
    let mut step = |text: &str, outcome: String| {
        steps.push(Step { text: text.to_owned(), outcome, states: 0 });
    };
    // What a strategy picked because it looked fast says nothing about the order of the whole space.
    let is_sample = pairs.len() as u64 == space.len() || matches!(strategy, "exhaustive" | "random");
    if let Some(correlation) = spearman(&column(|pair| pair.1), &column(|pair| pair.2)).filter(|_| is_sample)
    {
        let outcome = format!("Spearman {correlation:.3} over {} configurations", pairs.len());
        step("prediction and measurement", outcome);
    }
    let favourite = pairs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let best = pairs.iter().map(|pair| pair.2).fold(f64::INFINITY, f64::min);
    if let Some((configuration, _, measured)) = favourite {
        let values = task.parameters.iter().zip(Task::values(space, *configuration));
        let values: Vec<String> =
            values.map(|(parameter, value)| format!("{}={value}", parameter.name)).collect();
        step(
            "best by prediction",
            format!("{}: {:.2} x the best measured time", values.join(" "), measured / best),
        );
    }
    steps
}

/// What the user should know about failures.
fn remarks(campaign: &Campaign, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(why) = &campaign.unchecked {
        let diagnostic =
            Diagnostic::warning(codes::RESULTS_UNCHECKED, format!("results are not checked: {why}"));
        diagnostics.push(diagnostic.help(
            "name a configuration whose results are right: // volvelle: reference WG = 1; reference TS = 1",
        ));
    }
    let failed = |(_, one): &&(_, Measurement)| matches!(one.outcome, Outcome::Failed(_));
    let failures: Vec<&Measurement> =
        campaign.measurements.iter().filter(failed).map(|(_, one)| one).collect();
    let Some(first) = failures.first() else { return };
    let (all, count) = (campaign.measurements.len(), failures.len());
    let mut diagnostic = if count == all {
        Diagnostic::error(codes::NOTHING_MEASURED, "no configuration could be measured")
    } else {
        Diagnostic::warning(codes::CONFIGURATIONS_FAILED, format!("{count} of {all} configurations failed"))
    };
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for failure in &failures {
        let Outcome::Failed(kind) = failure.outcome else { continue };
        match kinds.iter_mut().find(|(name, _)| *name == kind.name()) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind.name(), 1)),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    diagnostic = diagnostic.note(kinds.join(", "));
    let values: Vec<String> = first.values.iter().map(ToString::to_string).collect();
    let detail = first.detail.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason is known");
    diagnostics.push(diagnostic.note(format!("the first, ({}): {detail}", values.join(", "))));
}

/// The time of day as Kernel Tuner writes it.
fn now() -> String {
    clock::now() + "+00:00"
}
