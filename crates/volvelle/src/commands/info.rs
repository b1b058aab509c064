//! `volvelle info`

use crate::args::Info;
use volvelle_console::given::GivenOptions;
use volvelle_console::of_language;
use volvelle_console::opening::Opening;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::question::Ask;
use volvelle_reports::documents::outline;
use volvelle_session::json;

impl Ask for Info {
    const NAME: &'static str = "info";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Shows what a model consists of.
pub fn run(args: &Info, given: &GivenOptions, output: &Output) -> u8 {
    let limits = args.limits.all();
    let opening = Opening {
        properties: &args.properties,
        defines: &args.macros.define,
        limits: Some(&limits),
        ..Opening::default()
    };
    let mut session = match volvelle_console::opening::open(&args.model, opening) {
        Ok(session) => session,
        Err(diagnostics) => {
            return volvelle_console::refusal::refuse(&diagnostics, args.answer.output.json, output);
        }
    };
    let refusals = of_language::refusals(given, &session.model);
    if !refusals.is_empty() {
        return volvelle_console::refusal::refuse(&refusals, args.answer.output.json, output);
    }
    let (found, mut diagnostics) = session.model.outline();
    let (file, sources) = (&session.model.file, &session.model.sources);
    let document = found.as_ref().map(|found| outline::document(file, found, output.style.width));
    let shown = document.map(|document| Shown::new(&args.answer, document, file, sources));
    let written = shown.as_ref().map_or_else(Vec::new, |shown| shown.write(&[], &mut diagnostics, output));
    let json = || json::Document::of_outline(file, found.as_ref(), &diagnostics, sources).to_text();
    match &shown {
        Some(shown) => shown.print(json, &written, output),
        None if args.answer.output.json => output.print(&json()),
        None => {}
    }
    output.print_diagnostics(&diagnostics, sources);
    volvelle_console::refusal::code_of(&diagnostics)
}
