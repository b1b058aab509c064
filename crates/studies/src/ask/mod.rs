//! `volvelle mpi`: programs on machines with coherent caches.

mod figures;

use crate::options::{AnalyseMpi, EmitKind, VerifyProgram};
use crate::{Study, StudyReport, Wanted, accesses_csv, configurations_csv, document as documents};
use std::path::Path;
use std::time::Instant;
use volvelle_console::files::ModelFolder;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_LIMIT, Output, exit_code};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::refusal::{refuse, refuse_in};
use volvelle_console::suggestions::{Head, Subject, Suggestion};
use volvelle_console::{amounts, files, machine, plots};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_plot::{render, render_bar_chart};
use volvelle_present::document::Chart;
use volvelle_session::Settings;
use volvelle_session::constants::{self, Swept};

impl Ask for AnalyseMpi {
    const NAME: &'static str = "mpi";
    const READS: fn(&Head) -> Option<&'static str> =
        |head| (head.ending == "mpi").then_some("program of message-passing primitives");
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let file = &subject.head.word;
        match subject.head.ending.as_str() {
            // A program needs a machine.
            "mpi" => vec![Suggestion::new(
                "a study says on which machine it runs: `program = \"...\"`",
                "mpi STUDY.toml",
            )],
            "toml" if subject.head.has_key(&["program"]) => [
                ("what is true of it, how long a message takes, and where the misses are", ""),
                ("the same, line by line, and what would help most", " --profile"),
            ]
            .map(|(about, more)| Suggestion::new(about, format!("mpi {file}{more}")).first())
            .into(),
            _ => Vec::new(),
        }
    };
    const FILES: &'static [(&'static str, FileUse)] =
        &[("study", FileUse::Read), ("csv_accesses", FileUse::Written), ("plot_misses", FileUse::Picture)];
    const NEEDS: &'static [Need] = &[
        Need {
            options: &[("html", "--html")],
            acts: |given| !given.has("print_model"),
            why: "--print-model prints a model, and answers nothing",
            help: "leave one of them out",
        },
        Need {
            options: &[
                ("profile", "--profile"),
                ("csv", "--csv"),
                ("csv_accesses", "--csv-accesses"),
                ("plot", "--plot"),
                ("plot_misses", "--plot-misses"),
                ("simulate", "--simulate"),
            ],
            acts: |given| given.value("verify") != Some("only"),
            why: "it is about times and misses, which --verify only leaves out",
            help: "leave --verify out",
        },
    ];

    fn ask(&'static self, _given: &GivenOptions, output: &Output) -> u8 {
        run(self, output)
    }
}

/// Runs the command.
pub fn run(args: &AnalyseMpi, output: &Output) -> u8 {
    let start = Instant::now();
    let is_json = args.answer.output.json;
    let asked = wanted(args).and_then(|wanted| Ok((wanted, machine::limits(&args.limits)?)));
    let (wanted, (allowance, threads)) = match asked {
        Ok(asked) => asked,
        Err(diagnostics) => return refuse(&diagnostics, is_json, output),
    };
    let study = match open(args, &wanted) {
        Ok(study) => study,
        Err(diagnostics) => return refuse(&diagnostics, is_json, output),
    };
    let settings = Settings { allowance, ..Settings::default() };
    let progress = Line::new();
    let control = control(&allowance, threads, start, &progress);
    if let Some(kind) = args.print_model {
        return emit(&study, kind, (&settings, &control), is_json, output);
    }
    let report = study.run(&wanted, &settings, &control);
    progress.finish();
    show(args, &study, report, output)
}

/// What is wanted, unless options contradict each other or have no meaning.
fn wanted(args: &AnalyseMpi) -> Result<Wanted, Vec<Diagnostic>> {
    let (parameters, found) = constants::parse_parameters(&args.constants);
    if !found.is_empty() {
        return Err(found);
    }
    let rounds = |text| amounts::count(text, "a number of rounds", "--simulate 1e5");
    let precision = |text| amounts::precision(text, "--precision 1e-6");
    Ok(Wanted {
        parameters: parameters.into_iter().map(parameter).collect(),
        without_verification: args.verify == VerifyProgram::Never,
        without_performance: args.verify == VerifyProgram::Only,
        simulated_rounds: args.simulate.as_deref().map(rounds).transpose().map_err(|found| vec![found])?,
        deterministic: args.deterministic,
        seed: args.seed,
        precision: args.precision.as_deref().map(precision).transpose().map_err(|found| vec![found])?,
        ..Wanted::default()
    })
}

/// Whether the table of accesses is the answer on standard output.
fn prints_accesses(args: &AnalyseMpi) -> bool {
    args.csv_accesses.as_deref() == Some(Path::new("-"))
}

/// A parameter with its values, as texts.
fn parameter(given: Swept) -> (String, Vec<String>) {
    (given.name, given.values.iter().map(|value| value.text().to_owned()).collect())
}

/// Reads the study, with all files that it names.
fn open(args: &AnalyseMpi, wanted: &Wanted) -> Result<Study, Vec<Diagnostic>> {
    if args.study.extension().is_some_and(|ending| ending == "mpi") {
        let message = format!("`{}` is a program, and no study", args.study.display());
        let diagnostic = Diagnostic::error(codes::MPI_STUDY, message)
            .note("a study says on which machine the program runs: protocol, places, latencies")
            .help("write one, with `program = \"NAME.mpi\"` in it; examples/mpi has some");
        return Err(vec![diagnostic]);
    }
    let text = files::read(&args.study).map_err(|found| vec![found])?;
    let study = Study::open(&text.name, text.text, wanted, &mut ModelFolder::of(&args.study));
    // The files that the study names are read by now.
    let refused = files::refusals();
    if refused.is_empty() { Ok(study) } else { Err(refused) }
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
            output.print_document(&crate::aut(&lts));
            0
        }
        Err((diagnostics, stop)) => {
            let code = refuse_in(&diagnostics, &study.sources, is_json, output);
            if stop.is_some() { EXIT_LIMIT } else { code }
        }
    }
}

/// Writes the files that are asked for, and prints the answer.
fn show(args: &AnalyseMpi, study: &Study, mut report: StudyReport, output: &Output) -> u8 {
    let mut document = documents::study(&report, &study.sources, args.profile);
    if args.answer.page.html.is_some() {
        document.blocks.extend(figures::times(&report).map(|chart| Chart::Lines(chart).into()));
        document.blocks.extend(figures::misses(&report).map(|chart| Chart::Bars(chart).into()));
    }
    let shown = Shown::new(&args.answer, document, report.file.clone(), &study.sources)
        .with_table(|| configurations_csv(&report))
        .seeded(args.simulate.as_ref().map(|_| args.seed));
    let mut exported = Vec::new();
    shown.write_table(&mut exported, &mut report.diagnostics);
    if let Some(path) = args.csv_accesses.as_deref().filter(|_| !prints_accesses(args)) {
        files::write(path, accesses_csv(&report).as_bytes(), &mut exported, &mut report.diagnostics);
    }
    write_figures(args, &mut report, &mut exported);
    let written = shown.write_page(&exported, &mut report.diagnostics, output);
    if prints_accesses(args) && !args.answer.output.json {
        output.print(&accesses_csv(&report));
    } else {
        let json = || crate::json::of_study(&report, &exported, &study.sources).to_text();
        shown.print(json, &written, output);
    }
    output.print_diagnostics(&report.diagnostics, &study.sources);
    exit_code(report.status())
}

/// Writes the figures that are asked for; `written` gets the names of their files.
fn write_figures(args: &AnalyseMpi, report: &mut StudyReport, written: &mut Vec<String>) {
    if !args.plot.is_empty() {
        match figures::times(report) {
            Some(chart) => {
                let picture = |format| render(&chart, format);
                plots::write(&args.plot, picture, written, &mut report.diagnostics);
            }
            None => report.diagnostics.push(
                Diagnostic::error(codes::BAD_USAGE, "there are no times over a parameter that is a number")
                    .help("give one a range: --const distance=0:2"),
            ),
        }
    }
    if !args.plot_misses.is_empty()
        && let Some(chart) = figures::misses(report)
    {
        let picture = |format| render_bar_chart(&chart, format);
        plots::write(&args.plot_misses, picture, written, &mut report.diagnostics);
    }
}
