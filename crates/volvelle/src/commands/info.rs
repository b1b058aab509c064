//! `volvelle info`

use crate::args::Info;
use crate::output::{EXIT_USAGE, Output};
use crate::screen::outline;
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_verify::{Outline, json};

/// Shows what a model consists of.
pub fn run(args: &Info) -> u8 {
    let output = Output::new();
    if super::processes::is_one(&args.model) {
        return of_processes(args, &output);
    }
    let mut session = match super::open(&args.model, &args.properties) {
        Ok(session) => session,
        Err(complaints) => return super::refuse(&complaints, args.output.json, &output),
    };
    let (found, diagnostics) = session.outline();
    show(args, &output, session.file(), (found, diagnostics), session.sources())
}

/// The same for a model of processes.
fn of_processes(args: &Info, output: &Output) -> u8 {
    match super::processes::open(&args.model, &args.define) {
        Ok(mut session) => {
            let found = session.outline();
            show(args, output, session.file(), found, session.sources())
        }
        Err(complaints) => super::refuse(&complaints, args.output.json, output),
    }
}

fn show(
    args: &Info,
    output: &Output,
    file: &str,
    (found, diagnostics): (Option<Outline>, Vec<Diagnostic>),
    sources: &Sources,
) -> u8 {
    if args.output.json {
        let document = json::Document::of_outline(file, found.as_ref(), &diagnostics, sources);
        output.print(&document.to_text());
    } else if let Some(found) = &found {
        output.print(&outline::outline(file, found, output.style));
    }
    output.complain(&diagnostics, sources);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) { EXIT_USAGE } else { 0 }
}
