//! `volvelle run`: pipelines.

mod answers;
mod cache;
mod kept;
mod run;
mod systems;

use crate::options::RunPipeline;
use crate::{Made, Pipeline, PointReport, StepReport, document as documents, read, table};
use cache::{Cache, KEPT};
use kept::Kept;
use run::Run;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::{refuse, refuse_in};
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_console::{files, machine};
use volvelle_diagnostics::{Severity, Sources};
use volvelle_session::{Settings, limits};

impl Ask for RunPipeline {
    const NAME: &'static str = "run";
    const READS: fn(&Head) -> Option<&'static str> = |head| head.has_table(&["step"]).then_some("pipeline");
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| match subject.offers {
        None => vec![Suggestion::new("its systems and its answers", format!("run {}", subject.head.word))],
        Some(_) => Vec::new(),
    };
    const FILES: &'static [(&'static str, FileUse)] =
        &[("pipeline", FileUse::Read), ("cache", FileUse::Folder)];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Runs a pipeline.
pub fn run(args: &RunPipeline, output: &Output) -> u8 {
    let start = Instant::now();
    let (allowance, threads) = match machine::limits(&args.limits) {
        Ok(limits) => limits,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let text = match files::read(&args.pipeline) {
        Ok(text) => text,
        Err(diagnostic) => return refuse(&[diagnostic], args.answer.output.json, output),
    };
    let mut sources = Sources::new();
    let file = sources.add(text.name, text.text.clone());
    let (pipeline, mut diagnostics) = read(file, &text.text);
    let Some(pipeline) = pipeline else {
        return refuse_in(&diagnostics, &sources, args.answer.output.json, output);
    };
    let base = args.pipeline.parent().map(Path::to_path_buf).unwrap_or_default();
    // Everything that can be refused is refused before the first step begins.
    let mut formulas = Vec::new();
    for at in 0..pipeline.steps.len() {
        formulas.push(answers::formula(&pipeline, at, &base, &mut sources, &mut diagnostics));
    }
    diagnostics.extend(systems::unreadable(&pipeline, &base));
    if !args.list {
        diagnostics.extend(systems::unwritable(&pipeline, &base, args));
    }
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return refuse_in(&diagnostics, &sources, args.answer.output.json, output);
    }
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let folder = args.cache.clone().unwrap_or_else(|| base.join(KEPT));
    let mut run = Run {
        args,
        pipeline: &pipeline,
        cache: Cache::new(folder, base.clone()),
        base,
        settings: Settings { allowance, ..Settings::default() },
        control: &control,
        kept: pipeline.steps.iter().map(|_| Vec::new()).collect(),
        formulas,
        found: vec![(diagnostics, sources.clone())],
        written: Vec::new(),
        stop: None,
        used: vec![false; pipeline.constants.len()],
    };
    let mut reports = Vec::new();
    let last_uses = last_uses(&pipeline);
    for (number, &at) in pipeline.order.iter().enumerate() {
        if std::io::stderr().is_terminal() && !args.answer.output.json && !args.answer.output.quiet {
            let name = &pipeline.steps[at].name;
            volvelle_console::output::say(&format!("[{} of {}] {name}", number + 1, pipeline.order.len()));
        }
        reports.push(run.step(at));
        progress.finish();
        for &done in &last_uses[number] {
            run.kept[done].iter_mut().for_each(Kept::forget);
        }
    }
    if let Some(remark) = run.cache.remark() {
        run.note(vec![remark], &Sources::new());
    }
    if !args.list && run.found.iter().all(|(found, _)| found.is_empty()) {
        let unused = answers::unused(&pipeline, &run.used);
        run.found.push((unused, sources.clone()));
    }
    let document = documents::run(&reports, &args.pipeline.display().to_string(), args.answer.output.verbose);
    let shown = Shown::new(&args.answer, document, args.pipeline.display().to_string(), &sources)
        .with_table(|| table::of_run(&reports).csv());
    let mut not_written = Vec::new();
    shown.write_table(&mut run.written, &mut not_written);
    let written = shown.write_page(&run.written, &mut not_written, output);
    run.note(not_written, &Sources::new());
    let json = || crate::json::of_pipeline(&reports, &run.written, &run.found).to_text();
    shown.print(json, &written, output);
    for (found, sources) in &run.found {
        output.print_diagnostics(found, sources);
    }
    let mut errors = run
        .found
        .iter()
        .flat_map(|(found, _)| found)
        .filter(|found| found.severity == Severity::Error)
        .peekable();
    let is_stopped = run.stop.is_some()
        || errors.peek().is_some() && errors.clone().all(|found| limits::is_limit(found.code));
    if reports.iter().any(|report| report.unexpected().next().is_some()) {
        1
    } else if is_stopped {
        EXIT_LIMIT
    } else if errors.next().is_some() {
        EXIT_USAGE
    } else {
        0
    }
}

impl Run<'_> {
    /// Makes the systems of a step, and answers its question.
    fn step(&mut self, at: usize) -> StepReport {
        let start = Instant::now();
        let mut report = StepReport::new(self.pipeline, at);
        for point in self.pipeline.points_of(at) {
            let kept = self.system(at, &point);
            let answer = match (&kept.made, self.args.list) {
                (Made::Built | Made::UpToDate, false) => self.answer(at, &point, &kept),
                _ => None,
            };
            report.points.push(PointReport {
                constants: self.pipeline.constants_at(at, &point),
                made: kept.made,
                size: kept.size(),
                answer,
            });
            self.kept[at].push(kept);
        }
        self.write_table(at, &report);
        report.time = start.elapsed();
        report
    }
}

/// For each place in the order of a pipeline, the steps whose systems no later step needs.
fn last_uses(pipeline: &Pipeline) -> Vec<Vec<usize>> {
    let mut last = vec![0; pipeline.steps.len()];
    for (number, &at) in pipeline.order.iter().enumerate() {
        last[at] = number;
        pipeline.steps[at].needs().for_each(|needed| last[needed] = number);
    }
    let mut ends = vec![Vec::new(); pipeline.order.len()];
    for &at in &pipeline.order {
        ends[last[at]].push(at);
    }
    ends
}
