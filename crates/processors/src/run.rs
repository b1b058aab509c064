//! The command, from its options to its exit code.

use super::answer::{Lists, answer};
use super::asked;
use super::found::Found;
use super::outputs::{self};
use super::source::Source;
use super::unfit::unfit;
use crate::options::SimulateMulticore;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, Output, exit_code};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::{code_of, refuse, refuse_in};
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_console::{amounts, files, machine};
use volvelle_diagnostics::{Sources, has_errors};
use volvelle_riscv::Program;
use volvelle_session::report::Status;

impl Ask for SimulateMulticore {
    const NAME: &'static str = "multicore";
    const READS: fn(&Head) -> Option<&'static str> = |head| match Program::is_likely(&head.bytes) {
        true if Program::is_readable(&head.bytes) => Some("program for RISC-V"),
        true => Some("program for another processor than RISC-V, or not linked"),
        false => head.has_key(&["machines", "predictors"]).then_some("study of processors"),
    };
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let file = &subject.head.word;
        match (subject.offers, subject.head.ending == "toml") {
            (Some(_), _) => Vec::new(),
            (None, true) => vec![Suggestion::new(
                "its table of programs, machines and predictors",
                format!("multicore {file}"),
            )],
            (None, false) if !Program::is_readable(&subject.head.bytes) => Vec::new(),
            (None, false) => vec![
                Suggestion::new("how many cycles it takes, and where they go", format!("multicore {file}")),
                Suggestion::new(
                    "which predictor of tasks is best for it",
                    format!("multicore {file} --predictor gag-14,perceptron-8,tage"),
                ),
            ],
        }
    };
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("source", FileUse::Read),
        ("csv_branches", FileUse::Written),
        ("plot_stack", FileUse::Picture),
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
    let mut refused = Vec::new();
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
