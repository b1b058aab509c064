//! `volvelle check`

use super::experiment::Wanted;
use super::scheduler;
use crate::amounts;
use crate::args::{Check, VerifyArgs, VerifyName};
use crate::files;
use crate::numeric;
use crate::output::Output;
use crate::progress::Line;
use crate::screen::{answer, facts, model, states, table};
use std::path::Path;
use std::time::Instant;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_verify::{Sampling, Verify, Verifying, csv_of_states, json};

/// Checks properties.
pub fn run(args: &Check) -> u8 {
    let start = Instant::now();
    let output = Output::new();
    if super::processes::is_one(&args.model) {
        return super::processes::check(args, start, &output);
    }
    let opened = super::settings(&args.building, &args.limits).and_then(|(mut settings, threads)| {
        settings.numeric = numeric::numeric(&args.numeric)?;
        settings.exact = args.numeric.exact;
        settings.verify = verifying(&args.verify)?;
        settings.full_space = args.full_space;
        settings.evidence = scheduler::wanted(args);
        Ok((super::open(&args.model, &args.asked.properties)?, settings, threads))
    });
    let (mut session, mut settings, threads) = match opened {
        Ok(opened) => opened,
        Err(complaints) => return super::refuse(&complaints, args.output.json, &output),
    };
    if let Err(complaints) = super::devices::let_run(&args.devices, threads, &mut session) {
        return super::refuse_in(&complaints, session.sources(), args.output.json, &output);
    }
    if let Some(complaint) = misused(args, session.is_experiment()) {
        return super::refuse(&[complaint], args.output.json, &output);
    }
    settings.all_states = args.states;
    if session.is_experiment() || (args.csv.is_some() && !args.states) {
        let wanted = Wanted {
            prop: &args.asked.prop,
            csv: args.csv.as_deref(),
            plot: args.plot.as_deref(),
            explain: args.explain,
            output: &args.output,
        };
        return super::experiment::run(&wanted, &mut session, &settings, threads, start, &output);
    }
    let progress = Line::new();
    let mut report =
        session.check(&args.asked.prop, &settings, &super::control(&settings, threads, start, &progress));
    progress.finish();
    let mut written = Vec::new();
    if let Some(path) = &args.export_scheduler {
        written = scheduler::write(path, &mut report);
    }
    let table_on_standard_output = args.csv.as_deref() == Some(Path::new("-"));
    if let Some(path) = args.csv.as_deref().filter(|_| !table_on_standard_output) {
        let table = csv_of_states(&report.results);
        files::write(path, table.as_bytes(), &mut written, &mut report.diagnostics);
    }
    if args.output.json {
        let mut document = json::Document::of_check(&report, session.sources());
        if args.explain {
            document = document.explained(report.model.as_ref(), report.results.iter());
        }
        output.print(&document.to_text());
    } else if table_on_standard_output {
        output.print(&csv_of_states(&report.results));
    } else {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        match report.results.as_slice() {
            [] => {}
            [single] => text.push_str(&answer::block(single, args.output.verbose, output.style)),
            several if args.output.verbose || args.witness => {
                let verbose = args.output.verbose;
                several.iter().for_each(|r| text.push_str(&answer::block(r, verbose, output.style)));
            }
            several => text.push_str(&table::table(several, output.style)),
        }
        if args.states {
            let results = report.results.iter();
            results.for_each(|r| text.push_str(&states::table(r, args.output.verbose, output.style)));
        }
        if args.explain {
            text.push_str(&facts::block(report.model.as_ref(), &report.results, output.style));
        }
        text.push_str(&files::written(&written));
        output.print(&text);
    }
    super::finish(&report, session.sources(), &output)
}

/// What the options of verification say.
fn verifying(args: &VerifyArgs) -> Result<Verifying, Vec<Diagnostic>> {
    let time = amounts::time(&args.verify_time).map_err(|d| vec![d])?;
    let width = amounts::width(&args.verify_width, "--verify-width 1e-2").map_err(|d| vec![d])?;
    let which = match args.verify {
        VerifyName::EarlyStop => Verify::EarlyStop,
        VerifyName::Auto => Verify::Auto,
        VerifyName::Quantitative => Verify::Quantitative,
        VerifyName::Always => Verify::Always,
        VerifyName::Never => Verify::Never,
    };
    let sampling = Sampling { seed: args.verify_seed, ..Sampling::default() };
    Ok(Verifying { which, time, width, repair: args.verify_repair, sampling })
}

/// Options that do not go together.
fn misused(args: &Check, is_experiment: bool) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.output.json && args.csv.as_deref() == Some(Path::new("-")) {
        return bad("--json and --csv - both want standard output", "give a file: --csv table.csv");
    }
    if args.states && is_experiment {
        return bad(
            "--states shows one model, but a constant takes several values",
            "give one value to each",
        );
    }
    if (args.witness || args.export_scheduler.is_some()) && is_experiment {
        return bad(
            "--witness and --export-scheduler show one model, but a constant takes several values",
            "give one value to each",
        );
    }
    if args.plot.is_some() && !is_experiment {
        return bad(
            "--plot draws values over a constant, but none takes several values",
            "give one a range: --const T=0:10:200",
        );
    }
    None
}
