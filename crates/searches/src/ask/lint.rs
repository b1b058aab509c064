//! `volvelle lint`

use crate::SearchSettings;
use crate::options::Lint;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::of_language;
use volvelle_console::opening::Opening;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::question::Ask;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_diagnostics::{Diagnostic, Severity, Sources, codes};
use volvelle_present::document::{Document, Items, name, strong};
use volvelle_session::csv::line;
use volvelle_session::language::Analysis;
use volvelle_session::limits;

impl Ask for Lint {
    const NAME: &'static str = "lint";
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let is_one = subject.offers.is_some_and(|offers| offers.allows(Analysis::Coverage));
        let about = "statements that no run executes, and other suspicious parts";
        Suggestion::only_if(is_one, about, format!("lint {}", subject.model()))
    };

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Reports dead statements, and values that do not fit.
pub fn run(args: &Lint, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let opening = Opening {
        defines: &args.macros.define,
        limits: Some(&args.limits),
        with_input: true,
        ..Opening::default()
    };
    let prepared =
        volvelle_console::opening::settings(&args.code, &args.limits).and_then(|(settings, threads)| {
            Ok((volvelle_console::opening::open(&args.model, opening)?, settings, threads))
        });
    let (mut session, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => {
            return volvelle_console::refusal::refuse(&diagnostics, args.answer.output.json, output);
        }
    };
    if !session.model.allows(Analysis::Coverage) {
        let message = "`lint` applies to Promela models only";
        let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help("`volvelle info` and `volvelle explore` check the text of other models");
        return volvelle_console::refusal::refuse(&[diagnostic], args.answer.output.json, output);
    }
    let refusals = of_language::refusals(given, &session.model);
    if !refusals.is_empty() {
        return volvelle_console::refusal::refuse(&refusals, args.answer.output.json, output);
    }
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let search =
        SearchSettings { allowance: settings.allowance, tier: settings.tier, ..SearchSettings::default() };
    let mut lint = crate::lint(&mut session.model, &search, &control);
    progress.finish();
    let file = args.model.model.display().to_string();
    let shown = lint.executed.map(|executed| {
        Shown::new(&args.answer, document(&file, executed), &session.model.file, &session.model.sources)
            .with_table(|| table(&lint.diagnostics, &session.model.sources))
    });
    let written =
        shown.as_ref().map_or_else(Vec::new, |shown| shown.write(&[], &mut lint.diagnostics, output));
    let json = || crate::json::of_lint(&session.model.file, &lint, &session.model.sources).to_text();
    match &shown {
        Some(shown) => shown.print(json, &written, output),
        None if args.answer.output.json => output.print(&json()),
        None => {}
    }
    output.print_diagnostics(&lint.diagnostics, &session.model.sources);
    let errors: Vec<_> = lint.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => u8::from(!lint.diagnostics.is_empty()),
        all if all.iter().all(|d| limits::is_limit(d.code)) => 3,
        _ => EXIT_USAGE,
    }
}

/// A line for each finding: where it is, and what.
fn table(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    line(&mut out, &["file", "line", "column", "code", "message"]);
    for found in diagnostics {
        let place = found.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
        let at =
            place.map(|label| (sources.file(label.span.file).name.clone(), sources.line_column(label.span)));
        let [file, row, column] =
            at.map_or_else(Default::default, |(file, at)| [file, at.line.to_string(), at.column.to_string()]);
        line(&mut out, &[file, row, column, found.code.to_string(), found.message.clone()]);
    }
    out
}

/// How many statements some run executes.
fn document(file: &str, (executed, all): (usize, usize)) -> Document {
    let verb = if all == 1 { "is" } else { "are" };
    let counts =
        format!("{executed} of {} {verb} executed by some run", limits::counted(all as u64, "statement"));
    let mut document = Document::new(format!("Parts of {file} that no run needs"));
    document.push(Items { items: vec![strong(name(file)), counts.into()], indent: 0 });
    document
}
