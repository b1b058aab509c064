//! `volvelle multicore`: programs on multicores that execute tasks ahead.

mod asked;
mod choice;
mod effects;
mod emit;
mod executed;
mod figures;
mod gain;
mod goal;
mod json;
mod meter;
pub mod options;
mod outputs;
mod page;
mod pages;
mod passes;
mod precise;
mod record;
mod report;
mod screen;
mod search;
mod source;
mod streams;
mod windows;
mod world;

use crate::options::{MulticorePart, SimulateMulticore};
use asked::{Asked, Case};
use choice::{Candidate, Choice};
use emit::{Model, PROPERTY as MODEL_PROPERTY};
use executed::{CLASSES, Executed};
use gain::Gain;
use meter::Meter;
use report::{Mean, Report, Row};
use source::{Content, Source};
use std::path::{Path, PathBuf};
use std::time::Instant;
use streams::{AccessRow, OutcomeRow};
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, Output, exit_code};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::{code_of, refuse, refuse_in, refused_targets};
use volvelle_console::{amounts, files, machine, plots};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Distinct, Sources, codes, has_errors};
use volvelle_multicore::Form;
use volvelle_session::limits;
use volvelle_session::limits::Allowance;
use volvelle_session::report::Status;

/// Answers, as they are told.
enum Found {
    Rows(Report),
    Executed(Vec<(String, Executed)>),
    Outcomes(Vec<OutcomeRow>),
    Accesses(Vec<AccessRow>),
    Recorded(record::Recorded),
}

/// What was found, and what there is to say about it.
struct Told {
    found: Option<Found>,
    diagnostics: Vec<Diagnostic>,
    stop: Option<Stop>,
    written: Vec<String>,
}

/// Lists that rows have.
struct Lists {
    timeline: usize,
    branches: usize,
}

impl Ask for SimulateMulticore {
    const NAME: &'static str = "multicore";
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("source", FileUse::Read),
        ("csv_branches", FileUse::Written),
        ("plot_stack", FileUse::Written),
        ("record", FileUse::Written),
        ("export_model", FileUse::Written),
    ];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Runs the command.
pub fn run(args: &SimulateMulticore, output: &Output) -> u8 {
    let start = Instant::now();
    let is_json = args.answer.output.json;
    let pictures = args.plot.iter().chain(&args.plot_stack);
    let files =
        [&args.answer.csv, &args.csv_branches, &args.record, &args.answer.page.html, &args.export_model]
            .into_iter()
            .flatten();
    let mut refused = refused_targets(files.chain(pictures.clone()));
    refused.extend(pictures.filter_map(|path| plots::format(path).err()));
    let on_output = [&args.answer.csv, &args.csv_branches, &args.answer.page.html, &args.export_model];
    let on_output = on_output.into_iter().filter(|path| is_output(path)).count();
    if on_output + usize::from(is_json) > 1 {
        let message = "two results are to be written to standard output";
        let found = Diagnostic::error(codes::BAD_USAGE, message);
        refused.push(found.help("write one of them to a file: --csv table.csv, --html page.html"));
    }
    let number = |text: &Option<String>, what: &str, example: &str| {
        text.as_deref().map_or(Ok(0), |text| amounts::count(text, what, example))
    };
    let timeline = number(&args.timeline, "a number of instructions", "--timeline 40");
    let branches = number(&args.branches, "a number of branches", "--branches 10");
    let lists = match (timeline, branches) {
        (Ok(timeline), Ok(branches)) => Lists { timeline: timeline as usize, branches: branches as usize },
        (timeline, branches) => {
            refused.extend([timeline.err(), branches.err()].into_iter().flatten());
            Lists { timeline: 0, branches: 0 }
        }
    };
    let (allowance, threads) = match machine::limits(&args.limits) {
        Ok(limits) if refused.is_empty() => limits,
        Ok(_) => return refuse(&refused, is_json, output),
        Err(found) => return refuse(&[refused, found].concat(), is_json, output),
    };
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let mut sources = Sources::new();
    let source = match Source::open(&args.source, &mut sources, &control) {
        Ok(source) => source,
        Err(found) => return refuse_in(&[found], &sources, is_json, output),
    };
    let mut asked = match asked::read(args, source, &mut sources, &control) {
        Ok(asked) => asked,
        Err(found) => return refuse_in(&found, &sources, is_json, output),
    };
    let refusals = [files::refusals(), unfit(args, &asked)].concat();
    if !refusals.is_empty() {
        return refuse_in(&refusals, &sources, is_json, output);
    }
    let mut told = answer(args, &lists, &mut asked, &control, &allowance);
    progress.finish();
    outputs::write(args, &asked, &sources, &mut told);
    outputs::show(args, &asked, &told, &sources, output);
    output.print_diagnostics(&told.diagnostics, &sources);
    let is_none_chosen = |found: &Found| matches!(found, Found::Rows(report) if report.is_none_chosen());
    match told.stop {
        Some(_) => EXIT_LIMIT,
        // As `tune` does where no configuration reaches the goal.
        None if told.found.as_ref().is_some_and(is_none_chosen) && !has_errors(&told.diagnostics) => {
            exit_code(Status::False)
        }
        None => code_of(&told.diagnostics),
    }
}

/// Options that do not fit what the file holds, or each other.
fn unfit(args: &SimulateMulticore, asked: &Asked) -> Vec<Diagnostic> {
    let wrong = |message: String, help: &str| Diagnostic::error(codes::BAD_USAGE, message).help(help);
    let mut found = Vec::new();
    let forms: Vec<(&str, Option<Form>)> =
        asked.runs.iter().map(|run| (run.source.kind(), form(run))).collect();
    let is_alone = forms.len() == 1;
    for (kind, form) in forms {
        match (form, args.only) {
            (Some(Form::Accesses), None | Some(MulticorePart::Caches)) if is_alone => {}
            (Some(Form::Accesses), _) => {
                found.push(wrong(
                    format!("{kind} say nothing of tasks"),
                    "leave `--only` out: caches are counted",
                ));
            }
            (Some(Form::Outcomes), None | Some(MulticorePart::Predictors)) if is_alone => {}
            (Some(Form::Outcomes), _) => {
                found.push(wrong(format!("{kind} are for predictors only"), "take `--only predictors`"));
            }
            (_, Some(MulticorePart::Caches)) => {
                let help = "leave `--only caches` out, and take a machine whose caches are real: --const caches=real";
                found.push(wrong(format!("caches alone have no use for a {kind}"), help));
            }
            _ => {}
        }
    }
    let is_program = |run: &asked::Run| matches!(run.source.content, Content::Program(_));
    if !args.arguments.is_empty() && !asked.runs.iter().any(is_program) {
        found.push(wrong("only programs have arguments".to_owned(), "leave out what is behind `--`"));
    }
    if args.record.is_some() && !is_alone {
        found.push(wrong("a study has several executions to record".to_owned(), "record one program"));
    }
    if let Some(path) = &args.record {
        found.extend(record::RecordForm::of(path).err());
    }
    found.extend(effects::without_effect(args, asked.runs.first().and_then(form)));
    let has_readings = asked.cases.iter().any(|case| case.reading.is_some());
    if args.goal.strategy.is_some() && has_readings {
        let help = "leave `--strategy` out: all are computed, and the choice is made without readings";
        found.push(wrong("a strategy knows nothing of readings".to_owned(), help));
    }
    // What is about cycles, and what is about tasks.
    let cycles = [
        ("--plot", !args.plot.is_empty()),
        ("--plot-stack", !args.plot_stack.is_empty()),
        ("--timeline", args.timeline.is_some()),
        ("--export-model", args.export_model.is_some()),
        (windows::option(args).unwrap_or("--windows"), windows::option(args).is_some()),
        (goal_option(args), asked.goal.is_some()),
    ];
    let tasks = [("--csv-branches", args.csv_branches.is_some()), ("--branches", args.branches.is_some())];
    let has_tasks = matches!(args.only, None | Some(MulticorePart::Predictors)) && !forms_without_rows(asked);
    let without_effect = cycles.iter().filter(|_| !has_tasks || args.only.is_some());
    for (option, _) in without_effect.chain(tasks.iter().filter(|_| !has_tasks)).filter(|option| option.1) {
        found.push(match has_tasks {
            true => wrong(
                format!("{option} has no effect beside --only predictors"),
                "it is about cycles: leave one of them out",
            ),
            false => {
                wrong(format!("{option} has no effect here"), "it is about tasks and cycles: leave it out")
            }
        });
    }
    if found.is_empty() {
        found.extend(emit::unfit(args, asked));
    }
    found
}

/// The option that asks for a choice.
fn goal_option(args: &SimulateMulticore) -> &'static str {
    let goal = &args.goal;
    let all = [
        ("--minimize", goal.minimize.is_some()),
        ("--maximize", goal.maximize.is_some()),
        ("--strategy", goal.strategy.is_some()),
    ];
    all.into_iter().find(|(_, is_given)| *is_given).map_or("--constraint", |(name, _)| name)
}

fn form(run: &asked::Run) -> Option<Form> {
    match &run.source.content {
        Content::Text(form, ..) => *form,
        _ => None,
    }
}

/// Whether the source is a stream of outcomes or accesses.
fn forms_without_rows(asked: &Asked) -> bool {
    asked.runs.iter().any(|run| matches!(form(run), Some(Form::Accesses | Form::Outcomes)))
}

/// Computes what is asked.
fn answer(
    args: &SimulateMulticore,
    lists: &Lists,
    asked: &mut Asked,
    control: &Control<'_>,
    allowance: &Allowance,
) -> Told {
    let mut told = Told { found: None, diagnostics: Vec::new(), stop: None, written: Vec::new() };
    let mut of_programs: Vec<(String, Vec<u8>)> = Vec::new();
    if let (Some(path), Some(run)) = (&args.record, asked.runs.first()) {
        match record::record(run, path, args.write, control) {
            Ok(recorded) => {
                of_programs.extend(recorded.files.iter().cloned());
                told.diagnostics.extend(recorded.warnings.iter().cloned());
                told.written.push(path.display().to_string());
                told.found = Some(Found::Recorded(recorded));
            }
            Err((found, stop)) => (told.diagnostics, told.stop) = (found, stop),
        }
    } else if args.only == Some(MulticorePart::Program) {
        let mut all = Vec::new();
        let meter = Meter::new("instructions", asked.runs.iter().map(|run| run.source.length()), control);
        for run in &asked.runs {
            let (mut executed, found, stop) = executed::execute(run, args.write, (&meter, control));
            told.diagnostics.extend(found);
            told.stop = told.stop.or(stop);
            of_programs.append(&mut executed.written);
            all.push((run.name.clone(), executed));
        }
        told.found = Some(Found::Executed(all));
    } else if let (Some(form), [run]) = (asked.runs.first().and_then(form), &asked.runs[..])
        && form != Form::Instructions
    {
        let found = match form {
            Form::Accesses => streams::accesses(run, asked, control).map(Found::Accesses),
            _ => streams::outcomes(run, asked, control).map(Found::Outcomes),
        };
        match found {
            Ok(found) => told.found = Some(found),
            Err((found, stop)) => (told.diagnostics, told.stop) = (found, stop),
        }
    } else {
        for case in &mut asked.cases {
            let configuration = &mut case.configuration;
            configuration.is_timed = args.only != Some(MulticorePart::Predictors);
            configuration.has_branches = lists.branches > 0 || args.csv_branches.is_some();
            configuration.has_shared_blocks = lists.branches > 0;
            configuration.timeline = lists.timeline;
            configuration.sampling = asked.windows.map(|windows| windows.sampling);
        }
        // All are looked at before the first one takes time.
        let wrong = asked.cases.iter().filter_map(|case| case.configuration.check().err());
        let mut distinct = Distinct::default();
        wrong.for_each(|found| distinct.push(found));
        told.diagnostics = distinct.take();
        if !told.diagnostics.is_empty() {
            return told;
        }
        let compute = |asked: &Asked, cases: &[Case]| {
            precise::all(&asked.runs, cases, asked.windows, args.write, control)
        };
        let (mut answers, found, stop) = match asked.goal.clone().filter(|goal| goal.strategy.is_some()) {
            Some(goal) => search::search(asked, &goal, control, compute),
            None => compute(asked, &asked.cases),
        };
        (told.diagnostics, told.stop) = (found, stop);
        for of in &mut answers {
            of_programs.append(&mut of.written);
        }
        for answer in answers.iter_mut().flat_map(|of| of.all.iter_mut().flatten()) {
            answer.shared_blocks.truncate(lists.branches);
        }
        let mut report = Report::new(asked, answers);
        report.branches = lists.branches;
        if let (Some(path), Some(row), Some(case)) =
            (&args.export_model, report.rows.first(), asked.cases.first())
        {
            let machine = &case.configuration.machine;
            match emit::model(&row.program, &row.answer, machine, path, allowance, control) {
                Ok((model, stop)) => {
                    report.model = Some(Box::new(model));
                    told.stop = told.stop.or(stop);
                }
                Err(found) => told.diagnostics.extend(found),
            }
        }
        told.found = Some(Found::Rows(report));
    }
    if let Some(stop) = told.stop {
        told.diagnostics.push(limits::stopped(stop, allowance));
    }
    // What programs wrote appears when they have come to their ends.
    if told.stop.is_none() {
        for (path, bytes) in of_programs {
            files::write(Path::new(&path), &bytes, &mut told.written, &mut told.diagnostics);
        }
    }
    told
}

/// Whether a result goes to standard output.
fn is_output(path: &Option<PathBuf>) -> bool {
    path.as_deref() == Some(Path::new("-"))
}
