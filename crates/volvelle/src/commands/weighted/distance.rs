//! `volvelle distance`

use super::super::{control, finish, refuse};
use super::{models, open_pair};
use crate::applicable::GivenOptions;
use crate::args::Distance;
use crate::machine;
use crate::output::Output;
use crate::progress::Line;
use crate::screen::{model, weighted};
use std::time::Instant;
use volvelle_verify::weighted::weighted_distance;
use volvelle_verify::{Report, Settings, json};

/// Computes the distance between the initial states of two weighted systems, or between states that are named.
pub fn run(args: &Distance, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let settings = Settings { allowance, ..Settings::default() };
        Ok((open_pair(&args.model, &args.other, &args.limits, given)?, settings, threads))
    });
    let (mut pair, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let (mut reports, made) = models(&mut pair, &settings, threads, start, &progress);
    let Some(made) = made else {
        progress.finish();
        let failed = reports.len() - 1;
        if args.output.json {
            let document = json::Document::of_report(&reports[failed], pair.sessions[failed].sources());
            output.print(&document.to_text());
        }
        return finish(&reports[failed], pair.sessions[failed].sources(), output);
    };
    let mut text = String::new();
    for (report, session) in reports.iter_mut().zip(&pair.sessions) {
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        output.print_diagnostics(&std::mem::take(&mut report.diagnostics), session.sources());
    }
    let control = control(&settings.allowance, threads, start, &progress);
    let found = weighted_distance(&made, pair.names.clone(), args.kind.kind(), &settings.allowance, &control);
    progress.finish();
    let mut report = Report::default();
    let found = match found {
        Ok(found) => Some(found),
        Err((diagnostic, stop)) => {
            report.diagnostics.push(diagnostic);
            report.stop = stop;
            None
        }
    };
    let sources = pair.sessions[0].sources();
    if args.output.json {
        output.print(&json::Document::of_distance(&report, found.as_ref(), sources).to_text());
    } else {
        if let Some(found) = &found {
            text.push_str(&weighted::distance(found, args.log, output.style));
        }
        output.print(&text);
    }
    finish(&report, sources, output)
}
