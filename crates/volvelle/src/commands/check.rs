//! `volvelle check`

use super::scheduler;
use crate::args::Check;
use crate::numeric;
use crate::output::{Output, exit_code};
use crate::progress::Line;
use crate::screen::{answer, model, table};
use std::time::Instant;
use volvelle_verify::json;

/// Checks properties.
pub fn run(args: &Check) -> u8 {
    let start = Instant::now();
    let output = Output::new();
    let opened = super::settings(&args.building, &args.limits).and_then(|(mut settings, threads)| {
        settings.numeric = numeric::numeric(&args.numeric)?;
        settings.evidence = scheduler::wanted(args);
        Ok((super::open(&args.model, &args.properties)?, settings, threads))
    });
    let (mut session, settings, threads) = match opened {
        Ok(opened) => opened,
        Err(complaints) => return super::refuse(&complaints, args.output.json, &output),
    };
    let progress = Line::new();
    let mut report =
        session.check(&args.prop, &settings, &super::control(&settings, threads, start, &progress));
    progress.finish();
    let written = args.export_scheduler.as_ref().map(|path| scheduler::write(path, &mut report));

    if args.output.json {
        output.print(&json::Document::of_check(&report, session.sources()).to_text());
    } else {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::line(space, output.style));
            if args.output.verbose {
                text.push_str(&model::details(space, output.style));
            }
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
        if let Some(written) = written.filter(|w| !w.is_empty()) {
            text.push_str(&format!("\n  written: {}\n", written.join(", ")));
        }
        output.print(&text);
    }
    let complaints: Vec<_> = report.all_diagnostics().into_iter().cloned().collect();
    output.complain(&complaints, session.sources());
    exit_code(report.status())
}
