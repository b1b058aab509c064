//! `volvelle reduce`

use crate::args::Reduce;
use std::path::Path;
use std::time::Instant;
use volvelle_console::applicable;
use volvelle_console::applicable::Task;
use volvelle_console::export::Export;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::{Shown, refused};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse};
use volvelle_console::refusal::refuse;
use volvelle_systems::{Relabelling, document, reduce_system};

impl Ask for Reduce {
    const NAME: &'static str = "reduce";
    const FILES: &'static [(&'static str, FileUse)] = &[("file", FileUse::Written)];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Reduces a system and writes it.
pub fn run(args: &Reduce, given: &GivenOptions, output: &Output) -> u8 {
    let relation = match args.relation.relation.relation() {
        Ok(relation) => relation,
        Err(relation) => return super::super::weighted::reduce::run(args, relation, given, output),
    };
    let start = Instant::now();
    let prepared = settings(&args.building, &args.limits).and_then(|(settings, threads)| {
        let mut refusals = super::refused(&args.file);
        refusals.extend(refused(&args.page, &args.output, args.file.as_deref()));
        let relation = super::options(relation, &args.relation).map_err(|more| refusals.extend(more)).ok();
        let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref());
        let relabelling = relabelling.map_err(|more| refusals.extend(more)).ok();
        let (Some(relation), Some(relabelling), []) = (relation, relabelling, &refusals[..]) else {
            return Err(refusals);
        };
        let opening = Opening {
            defines: &args.define,
            limits: Some(&args.limits),
            with_input: true,
            ..Opening::default()
        };
        let session = super::open(&args.model, opening)?;
        let refusals = applicable::refusals(given, Task::System, &session);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok((session, settings, threads, relation, relabelling))
    });
    let (mut session, settings, threads, relation, relabelling) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, lts) = super::system(&mut session, &settings, &control);
    let mut reduced = None;
    if let Some(lts) = lts {
        let (lts, warnings) = relabelling.apply(lts);
        report.diagnostics.extend(warnings);
        reduced = report.take(reduce_system(lts, relation, &settings.allowance, &control));
        report.diagnostics.extend(reduced.iter().flat_map(|found| found.diagnostics.iter().cloned()));
    }
    let mut export = Export::new(&settings, &control);
    let is_on_standard_output = args.file.as_deref() == Some(Path::new("-"));
    if let (Some(found), Some(path)) = (&reduced, &args.file)
        && let Ok(format) = volvelle_systems::written::format(path)
    {
        output.print(&volvelle_systems::written::write(&found.lts, path, format, &mut export));
    }
    let written = export.finish(&mut report);
    progress.finish();
    let shown = Shown::new(
        &args.page,
        reduced.as_ref().map(document::reduced).unwrap_or_default(),
        session.file(),
        session.sources(),
    )
    .about(&report.model);
    let all = shown.write(&written, &mut report.diagnostics, output);
    if args.output.json && !is_on_standard_output {
        let document =
            volvelle_systems::json::of_reduction(&report, reduced.as_ref(), &written, session.sources());
        output.print(&document.to_text());
    } else if !is_on_standard_output {
        shown.print(args.output.verbose, &all, output);
    }
    volvelle_console::refusal::finish(&report, session.sources(), output)
}
