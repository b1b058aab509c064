//! Kernels whose time is predicted from a platform.

use super::outputs;
use super::outputs::About;
use super::refused;
use crate::options::Tune;
use std::path::Path;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::output::Output;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{code_of, refuse, refuse_in};
use volvelle_console::{cluster, files, machine};
use volvelle_control::{Control, TaskSharing};
use volvelle_diagnostics::{Diagnostic, Severity, Sources, codes};
use volvelle_estimate::Ranks;
use volvelle_opencl::shape::Obstacle;
use volvelle_opencl::{Model, Platform, Problem, Question, emit, problem, table};
use volvelle_session::limits;
use volvelle_tune::{Evidence, Proof, Row, Tuning, Value};

/// Tunes a kernel.
pub fn run(args: &'static Tune, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    if let Err(diagnostic) = cluster::join() {
        return refuse(&[diagnostic], args.answer.output.json, output);
    }
    let mut refusals = refused::options_of_models(given);
    refusals.extend(refused::options_of_measuring(given));
    if !refusals.is_empty() {
        return refuse(&refusals, args.answer.output.json, output);
    }
    let mut sources = Sources::new();
    let (problem, mut diagnostics) = match read(args, &mut sources) {
        Ok(read) => read,
        Err(diagnostics) => return refuse_in(&diagnostics, &sources, args.answer.output.json, output),
    };
    let platform = match platform(args, &mut sources) {
        Ok((platform, remarks)) => {
            diagnostics.extend(remarks);
            platform
        }
        Err(more) => {
            diagnostics.extend(more);
            return refuse_in(&diagnostics, &sources, args.answer.output.json, output);
        }
    };
    let model = match Model::new(&problem.kernel, &platform) {
        Ok(model) => model,
        Err(more) => {
            diagnostics.extend(more);
            return refuse_in(&diagnostics, &sources, args.answer.output.json, output);
        }
    };
    let (rows, remarks) = match rows(args, given, &model, &problem, start) {
        Ok(found) => found,
        Err(more) => return refuse_in(&more, &sources, args.answer.output.json, output),
    };
    if cluster::is_follower() {
        return 0;
    }
    diagnostics.extend(remarks);
    let too_long = too_long(&rows);
    let tuning = tune(&model, &problem, rows, &mut diagnostics);
    let elapsed = start.elapsed();
    let name = args.file.display().to_string();
    let about = About { file: &name, sources: &sources, elapsed, seed: None };
    let mut written = outputs::write(args, &tuning, &about, &mut diagnostics, output);
    outputs::write_t4(args, &tuning, &mut written, &mut diagnostics);
    if let Some(path) = args.kernel.export_model.as_deref() {
        diagnostics.extend(too_long);
        emit(path, &model, &problem, &about, &mut written, &mut diagnostics, output);
    }
    // What goes to standard output is alone there.
    if args.kernel.export_model.as_deref() != Some(Path::new("-")) || args.answer.output.json {
        outputs::print(args, Some(&tuning), &about, &diagnostics, &written, output);
    }
    output.print_diagnostics(&diagnostics, &sources);
    code_of(&diagnostics)
}

/// Reads the kernel that the options name, with its configurations.
pub fn read(args: &Tune, sources: &mut Sources) -> Result<(Problem, Vec<Diagnostic>), Vec<Diagnostic>> {
    let text = files::read(&args.file).map_err(|diagnostic| vec![diagnostic])?;
    let file = sources.add(text.name, text.text.clone());
    let question = Question {
        kernel: args.kernel.kernel.clone(),
        parameters: args.parameters.clone(),
        defines: args.define.clone(),
        size: args.kernel.size.clone(),
        constraints: args.kernel.constraint.clone(),
    };
    let (problem, diagnostics) = problem(sources, file, &text.text, &question);
    match problem {
        Some(problem) => Ok((problem, diagnostics)),
        None => Err(diagnostics),
    }
}

/// Reads the platform that the options name.
pub fn platform(args: &Tune, sources: &mut Sources) -> Result<(Platform, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Some(path) = args.kernel.platform.as_deref() else {
        let message = "`--platform` is missing: what the kernel runs on";
        let help = "for example: --platform platforms/p104-100.toml, or --measure to run the kernel";
        return Err(vec![Diagnostic::error(codes::BAD_USAGE, message).help(help)]);
    };
    let text = files::read(path).map_err(|diagnostic| vec![diagnostic])?;
    let file = sources.add(text.name, text.text.clone());
    let (platform, found) = Platform::read(file, &text.text);
    if found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(found);
    }
    let platform = if args.kernel.no_warps { platform.without_warps() } else { platform };
    Ok((platform, found))
}

/// The times of configurations, computed by all processes that were started together, and remarks about those that are gone and about the
/// limit that left some out.
fn rows(
    args: &Tune,
    given: &GivenOptions,
    model: &Model,
    problem: &Problem,
    start: Instant,
) -> Result<(Vec<table::Row>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (allowance, threads) = machine::limits(&args.limits)?;
    let ranks = cluster::agree(given).map_err(|diagnostic| vec![diagnostic])?.map(Ranks::new);
    let progress = Line::new();
    let control = volvelle_console::opening::control(&allowance, threads, start, &progress);
    let sharing = ranks.as_ref().map(|ranks| ranks as &dyn TaskSharing);
    let rows = table::rows(model, &problem.names, &problem.configurations, &Control { sharing, ..control });
    progress.finish();
    let (rows, stop) = rows.map_err(|stop| vec![limits::stopped(stop, &allowance)])?;
    let mut remarks =
        ranks.map(|ranks| volvelle_session::cluster::lost(&ranks, "configurations")).unwrap_or_default();
    remarks.extend(stop.map(|stop| {
        let all = limits::counted(problem.configurations.len() as u64, "configuration");
        limits::stopped(stop, &allowance)
            .note(format!("{} of {all} are computed", limits::count(rows.len() as u64)))
    }));
    Ok((rows, remarks))
}

/// The table of all configurations.
fn tune(
    model: &Model,
    problem: &Problem,
    rows: Vec<table::Row>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Tuning {
    let is_calibrated = model.platform.is_calibrated();
    let evidence = match is_calibrated {
        true => Evidence::Predicted,
        false => Evidence::Composed("work-group by work-group".to_owned()),
    };
    let (mut valid, mut invalid) = (Vec::new(), Vec::new());
    for row in rows {
        let values = row.values.iter().map(|value| Value::Int(*value)).collect();
        match &row.time {
            Ok(time) => {
                // Of a prediction, further digits than picoseconds mean nothing.
                let predicted = || row.nanoseconds.map_or(f64::INFINITY, |time| (time * 1e3).round() / 1e3);
                let time = if is_calibrated { predicted() } else { *time as f64 };
                valid.push(Row {
                    values,
                    lo: time,
                    hi: time,
                    greatest: (!is_calibrated).then_some(time),
                    all_alike: (!is_calibrated).then_some(true),
                    states: 0,
                    evidence: evidence.clone(),
                    predicted: None,
                });
            }
            Err(obstacle) => invalid.push((values, obstacle.clone())),
        }
    }
    let nothing_runs = valid.is_empty() && !invalid.is_empty();
    report(&invalid, problem, model, nothing_runs, diagnostics);
    let count = valid.len() as u64;
    let is_whole = valid.len() + invalid.len() == problem.configurations.len();
    let proof = match (valid.is_empty(), is_calibrated) {
        _ if !is_whole => Proof::Unproven("a limit was reached before all configurations were computed".to_owned()),
        (true, _) => Proof::Unproven("no configuration can run on the platform".to_owned()),
        (_, true) => Proof::Unproven(
            "a prediction from measured coefficients; without `[nanoseconds]` and `[processor]` the platform gives proven model time"
                .to_owned(),
        ),
        _ => Proof::Proven(format!(
            "the exact model time of {}, composed of the time of a work-group and the schedule of groups over units",
            if count == 1 { "the configuration".to_owned() } else { format!("all {count} configurations") }
        )),
    };
    let mut rows = valid;
    rows.extend(invalid.into_iter().map(|(values, obstacle)| Row {
        values,
        lo: 0.0,
        hi: f64::INFINITY,
        greatest: None,
        all_alike: None,
        states: 0,
        evidence: Evidence::Invalid(obstacle.to_string()),
        predicted: None,
    }));
    let mut tuning = Tuning {
        parameters: problem.parameters().into_iter().map(str::to_owned).collect(),
        objective: "time".to_owned(),
        unit: if is_calibrated { "ns".to_owned() } else { String::new() },
        goal: String::new(),
        rows,
        configurations: Some(count),
        proof,
        method: format!("kernel `{}` on the platform `{}`", model.name, model.platform.name),
        steps: Vec::new(),
        states: 0,
        transitions: 0,
    };
    tuning.sort();
    tuning
}

/// Tells why configurations cannot run: one message for each kind of reason.
fn report(
    invalid: &[(Vec<Value>, Obstacle)],
    problem: &Problem,
    model: &Model,
    nothing_runs: bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    type IsKind = fn(&Obstacle) -> bool;
    let kinds: [(IsKind, _, &str); 4] = [
        (
            |obstacle| matches!(obstacle, Obstacle::LocalMemory { .. }),
            codes::KERNEL_LOCAL_MEMORY,
            "need more local memory than the device has",
        ),
        (
            |obstacle| matches!(obstacle, Obstacle::GroupTooLarge { .. }),
            codes::KERNEL_LOCAL_MEMORY,
            "have larger work-groups than the device allows",
        ),
        (|obstacle| matches!(obstacle, Obstacle::Constraint(_)), codes::KERNEL_SPACE, "violate constraints"),
        (
            |obstacle| matches!(obstacle, Obstacle::Fault(_) | Obstacle::TooLong),
            codes::KERNEL_SPACE,
            "have no time that can be computed",
        ),
    ];
    for (is_kind, code, what) in kinds {
        let mut all = invalid.iter().filter(|(_, obstacle)| is_kind(obstacle));
        let Some((values, obstacle)) = all.next() else { continue };
        let count = 1 + all.count();
        let pairs = problem.parameters().into_iter().zip(values);
        let example: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
        let message = format!("{count} of {} configurations {what}", problem.configurations.len());
        let diagnostic = match nothing_runs {
            true => Diagnostic::error(code, message),
            false => Diagnostic::note_only(code, message),
        };
        let note = format!("for example, {} {obstacle}", example.join(" "));
        diagnostics.push(diagnostic.at(model.span, "").note(note));
    }
}

/// A warning where the Promela model cannot count some times.
fn too_long(rows: &[table::Row]) -> Option<Diagnostic> {
    let exceeds = |row: &table::Row| row.time.as_ref().is_ok_and(|&time| time > i32::MAX as u64);
    rows.iter().any(exceeds).then(|| {
        let message = "some times of the model exceed the integers of Promela";
        let help = "write the model for a smaller size: `--size 64`";
        Diagnostic::warning(codes::KERNEL_SPACE, message).help(help)
    })
}

/// Writes the Promela model.
fn emit(
    path: &Path,
    model: &Model,
    problem: &Problem,
    about: &About<'_>,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
    output: &Output,
) {
    let file = Path::new(about.file).file_name().and_then(|name| name.to_str()).unwrap_or(about.file);
    let text = emit::promela(model, file, &problem.names, &problem.choices, &problem.configurations);
    match path == Path::new("-") {
        true => output.print_document(&text),
        false => files::write_as(true, path, text.as_bytes(), written, diagnostics),
    }
}
