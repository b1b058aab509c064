//! `volvelle nbody`: particle systems under their own gravity.

mod course;
mod opened;
mod outputs;
mod places;

use crate::options::MoveBodies;
use crate::screen;
use course::Course;
use outputs::Outputs;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::options::LimitArgs;
use volvelle_console::output::{EXIT_LIMIT, EXIT_USAGE, Output};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::refusal::{refuse, refuse_in};
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_console::{cluster, machine};

impl Ask for MoveBodies {
    const NAME: &'static str = "nbody";
    const READS: fn(&Head) -> Option<&'static str> =
        |head| head.has_table(&["initial", "physics"]).then_some("bodies under forces");
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let file = &subject.head.word;
        let all = [
            ("where they go, and whether energy is kept", ""),
            ("the same, with a picture of the end", " --plot end.png"),
        ];
        if subject.offers.is_some() {
            return Vec::new();
        }
        all.map(|(about, more)| Suggestion::new(about, format!("nbody {file}{more}"))).into()
    };
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("configuration", FileUse::Read),
        ("restart", FileUse::Read),
        ("plot_energy", FileUse::Picture),
        ("movie", FileUse::Folder),
        ("folder", FileUse::Folder),
    ];
    const NEEDS: &'static [Need] = &[Need {
        options: &[("plane", "--plane"), ("half_width", "--half-width")],
        acts: |given| ["plot", "movie", "html"].iter().any(|picture| given.has(picture)),
        why: "it is about pictures of the bodies, and none is drawn",
        help: "draw one: --plot end.png, or --movie FOLDER",
    }];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Runs the command.
pub fn run(args: &MoveBodies, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    if let Err(diagnostic) = cluster::join() {
        return refuse(&[diagnostic], args.answer.output.json, output);
    }
    let limits = LimitArgs { threads: args.threads.clone(), ..args.limits.all() };
    let (allowance, threads) = match machine::limits(&limits) {
        Ok(limits) => limits,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let opened = match opened::open(args, given, threads) {
        Ok(opened) => opened,
        Err((diagnostics, sources)) => {
            return refuse_in(&diagnostics, &sources, args.answer.output.json, output);
        }
    };
    let outputs = match Outputs::new(args, &opened) {
        Ok(outputs) => outputs,
        Err(diagnostics) => return refuse_in(&diagnostics, &opened.sources, args.answer.output.json, output),
    };
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    let is_shown = !args.answer.is_on_standard_output();
    let mut course = Course::new(&opened, outputs, is_shown.then_some(output), &progress);
    if let Err(trouble) = course.run(&opened, &control) {
        course.diagnostics.push(course::failed(&trouble));
    }
    progress.finish();
    course.report.elapsed = start.elapsed();
    course.write_answer(args, &opened, output);
    let has_failed = course.has_failed();
    let Course { report, outputs, diagnostics, .. } = course;
    if args.answer.output.json {
        output.print(
            &crate::json::of_nbody(&report, &outputs.written, &diagnostics, &opened.sources).to_text(),
        );
    } else if args.answer.is_table_printed() {
        output.print(&report.csv());
    } else if is_shown && !report.totals.is_empty() {
        output.print(&screen::foot(&report, &outputs.written, output.style));
    }
    output.print_diagnostics(&diagnostics, &opened.sources);
    match report.stopped {
        Some(_) => EXIT_LIMIT,
        None if report.is_complete && !has_failed => 0,
        None => EXIT_USAGE,
    }
}
