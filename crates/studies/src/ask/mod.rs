//! `volvelle mpi`: programs on machines with coherent caches.

mod figures;

use crate::options::{AnalyseMpi, EmitKind};
use crate::{Study, Wanted, accesses_csv, configurations_csv, document as documents};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::files::ModelFolder;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, Output, exit_code};
use volvelle_console::presented::{Shown, refused as refused_page};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::refusal::{refuse, refuse_in, refused_targets};
use volvelle_console::{amounts, files, machine, plots};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_plot::{render, render_bar_chart};
use volvelle_present::document::Chart;
use volvelle_session::Settings;

impl Ask for AnalyseMpi {
    const NAME: &'static str = "mpi";
    const FILES: &'static [(&'static str, FileUse)] =
        &[("study", FileUse::Read), ("csv_accesses", FileUse::Written), ("plot_misses", FileUse::Written)];
    const NEEDS: &'static [Need] = &[Need {
        options: &[("html", "--html")],
        acts: |given| !given.has("emit"),
        why: "--emit prints a model, and answers nothing",
        help: "leave one of them out",
    }];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Runs the command.
#[expect(clippy::too_many_lines, reason = "still to come apart")]
pub fn run(args: &AnalyseMpi, output: &Output) -> u8 {
    let start = Instant::now();
    let is_json = args.output.json;
    let tables = [&args.csv, &args.csv_accesses].into_iter().flatten();
    let pictures = args.plot.iter().chain(&args.plot_misses);
    let mut refused = refused_targets(tables.chain(pictures.clone()));
    refused.extend(pictures.filter_map(|path| plots::format(path).err()));
    let on_output =
        [&args.csv, &args.csv_accesses].into_iter().flatten().find(|path| *path == Path::new("-"));
    refused.extend(refused_page(&args.page, &args.output, on_output.map(PathBuf::as_path)));
    if [&args.csv, &args.csv_accesses].into_iter().flatten().filter(|path| *path == Path::new("-")).count()
        > 1
    {
        refused.push(Diagnostic::error(codes::BAD_USAGE, "two tables are to be written to standard output"));
    }
    let mut wanted = Wanted {
        without_verification: args.no_verify,
        without_performance: args.verify_only,
        ..Wanted::default()
    };
    for (option, texts) in [("--set", &args.set), ("--sweep", &args.sweep)] {
        for text in texts {
            match parameter(option, text) {
                Ok(parameter) => wanted.parameters.push(parameter),
                Err(diagnostic) => refused.push(diagnostic),
            }
        }
    }
    if !refused.is_empty() {
        return refuse(&refused, is_json, output);
    }
    match args
        .simulate
        .as_ref()
        .map(|text| amounts::count(text, "a number of rounds", "--simulate 1e5"))
        .transpose()
    {
        Ok(rounds) => wanted.simulated_rounds = rounds,
        Err(diagnostic) => return refuse(&[diagnostic], is_json, output),
    }
    (wanted.deterministic, wanted.seed) = (args.deterministic, args.seed);
    let precision =
        args.precision.as_deref().map(|text| amounts::precision(text, "--precision 1e-6")).transpose();
    let (precision, (allowance, threads)) = match (precision, machine::limits(&args.limits)) {
        (Ok(precision), Ok(limits)) => (precision, limits),
        (Err(diagnostic), _) => return refuse(&[diagnostic], is_json, output),
        (_, Err(diagnostics)) => return refuse(&diagnostics, is_json, output),
    };
    let settings = Settings { allowance, ..Settings::default() };
    wanted.precision = precision;
    if args.study.extension().is_some_and(|ending| ending == "mpi") {
        let message = format!("`{}` is a program, and no study", args.study.display());
        let diagnostic = Diagnostic::error(codes::MPI_STUDY, message)
            .note("a study says on which machine the program runs: protocol, places, latencies")
            .help("write one, with `program = \"NAME.mpi\"` in it; examples/mpi has some");
        return refuse(&[diagnostic], is_json, output);
    }
    let text = match files::read(&args.study) {
        Ok(text) => text,
        Err(diagnostic) => return refuse(&[diagnostic], is_json, output),
    };
    let mut folder = ModelFolder::of(&args.study);
    let study = Study::open(&text.name, text.text, &wanted, &mut folder);
    // The files that the study names are read by now.
    let refused = files::refusals();
    if !refused.is_empty() {
        return refuse(&refused, is_json, output);
    }
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    if let Some(kind) = args.emit {
        return emit(&study, kind, (&settings, &control), is_json, output);
    }
    let mut report = study.run(&wanted, &settings, &control);
    progress.finish();
    let mut written = Vec::new();
    let mut on_standard_output = None;
    for (path, table) in [
        (&args.csv, configurations_csv as fn(&_) -> String),
        (&args.csv_accesses, accesses_csv as fn(&_) -> String),
    ] {
        let Some(path) = path else { continue };
        match path == Path::new("-") {
            true => on_standard_output = Some(table(&report)),
            false => {
                let text = table(&report);
                files::write(path, text.as_bytes(), &mut written, &mut report.diagnostics);
            }
        }
    }
    if !args.plot.is_empty() {
        match figures::times(&report) {
            Some(chart) => plots::write(
                &args.plot,
                |format| render(&chart, format),
                &mut written,
                &mut report.diagnostics,
            ),
            None => report.diagnostics.push(
                Diagnostic::error(codes::BAD_USAGE, "there are no times over a parameter that is a number")
                    .help("sweep one: --sweep distance=0,1,2"),
            ),
        }
    }
    if !args.plot_misses.is_empty()
        && let Some(chart) = figures::misses(&report)
    {
        let picture = |format| render_bar_chart(&chart, format);
        plots::write(&args.plot_misses, picture, &mut written, &mut report.diagnostics);
    }
    let mut document = documents::study(&report, &study.sources, args.explain);
    if args.page.html.is_some() {
        document.blocks.extend(figures::times(&report).map(|chart| Chart::Lines(chart).into()));
        document.blocks.extend(figures::misses(&report).map(|chart| Chart::Bars(chart).into()));
    }
    let shown = Shown::new(&args.page, document, report.file.clone(), &study.sources)
        .seeded(args.simulate.as_ref().map(|_| args.seed));
    let exported = written;
    let written = shown.write(&exported, &mut report.diagnostics, output);
    if is_json {
        output.print(&crate::json::of_study(&report, &exported, &study.sources).to_text());
    } else if let Some(table) = on_standard_output {
        output.print(&table);
    } else {
        shown.print(args.output.verbose, &written, output);
    }
    output.print_diagnostics(&report.diagnostics, &study.sources);
    exit_code(report.status())
}

/// A parameter with its values, of an option.
fn parameter(option: &str, text: &str) -> Result<(String, Vec<String>), Diagnostic> {
    let values =
        |values: &str| -> Vec<String> { values.split(',').map(|value| value.trim().to_owned()).collect() };
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            let values = if option == "--set" { vec![value.trim().to_owned()] } else { values(value) };
            Ok((name.trim().to_owned(), values))
        }
        _ => {
            let message = format!("`{option} {text}` is no parameter with a value");
            let example = if option == "--set" { "--set protocol=B" } else { "--sweep distance=0,1,2" };
            Err(Diagnostic::error(codes::BAD_USAGE, message).help(format!("write {example}")))
        }
    }
}

/// Writes the first configuration as a model.
fn emit(
    study: &Study,
    kind: EmitKind,
    (settings, control): (&Settings, &Control<'_>),
    is_json: bool,
    output: &Output,
) -> u8 {
    let system = match kind {
        EmitKind::Lotos => {
            return match study.lotos() {
                Ok(text) => {
                    output.print_document(&text);
                    0
                }
                Err(diagnostics) => refuse_in(&diagnostics, &study.sources, is_json, output),
            };
        }
        EmitKind::Aut => study.system(settings, control),
        EmitKind::Imc => study.chain(settings, control),
    };
    match system {
        Ok(lts) => {
            output.print(&crate::aut(&lts));
            0
        }
        Err((diagnostics, stop)) => {
            let code = refuse_in(&diagnostics, &study.sources, is_json, output);
            if stop.is_some() { EXIT_LIMIT } else { code }
        }
    }
}
