//! `volvelle explore`

use super::explicit::Target;
use super::{explicit, found};
use crate::args::Explore;
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::applicable;
use volvelle_console::applicable::Task;
use volvelle_console::export::Export;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::Opening;
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::question::Ask;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_export::{Format, Model};
use volvelle_session::language::Formalism;

impl Ask for Explore {
    const NAME: &'static str = "explore";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Builds the state space and writes files.
pub fn run(args: &Explore, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let opened = volvelle_console::opening::settings(&args.building, &args.limits).and_then(
        |(mut settings, threads)| {
            settings.symmetry = args.symmetry;
            let opening = Opening {
                defines: &args.define,
                limits: Some(&args.limits),
                with_input: true,
                ..Opening::default()
            };
            let session = volvelle_console::opening::open(&args.model, opening)?;
            Ok((session, settings, threads))
        },
    );
    let (mut session, settings, threads) = match opened {
        Ok(opened) => opened,
        Err(diagnostics) => return volvelle_console::refusal::refuse(&diagnostics, args.output.json, output),
    };
    let task = if args.weighting.weights.is_some() { Task::Weighted } else { Task::Explore };
    let refusals = applicable::refusals(given, task, &session);
    if !refusals.is_empty() {
        return volvelle_console::refusal::refuse(&refusals, args.output.json, output);
    }
    let mut conflicts = volvelle_console::refusal::refused_targets(args.export.iter().chain(&args.page.html));
    conflicts.extend(volvelle_console::presented::misused(&args.page, &args.output, None));
    if !conflicts.is_empty() {
        return volvelle_console::refusal::refuse(&conflicts, args.output.json, output);
    }
    let weighting = args.weighting.weighting();
    if session.formalism() == Some(Formalism::Weighted) || !weighting.is_default() {
        session.set_weighting(weighting);
        return super::weighted::explore::run(args, session, &settings, threads, start, output);
    }
    if session.is_labelled() {
        return super::systems::explore::run(args, session, &settings, threads, start, output);
    }
    if session.formalism() == Some(Formalism::Processes) {
        if args.symmetry {
            let message = "--symmetry does not apply to the state space of a Promela model";
            let refusal = Diagnostic::error(codes::BAD_USAGE, message)
                .note("states that differ by a permutation of processes are merged in searches only")
                .help("use a search: volvelle check MODEL --symmetry");
            return volvelle_console::refusal::refuse(&[refusal], args.output.json, output);
        }
        return super::lts::run(args, session, &settings, threads, start, output);
    }
    let targets = match targets(&args.export, &args.model.model, session.explicit().is_some()) {
        Ok(targets) => targets,
        Err(diagnostics) => return volvelle_console::refusal::refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let (mut report, exploration) = session.explore(&settings, &control);
    let mut export = Export::new(&settings, &control);
    if let Some(model) = session.explicit().filter(|_| report.model.is_some()) {
        explicit::export(model, &targets.explicit, &mut export);
    }
    if let (Some(exploration), Some(program)) = (&exploration, session.program()) {
        let model = Model { program, explored: &exploration.explored };
        write_explored(model, &targets.explored, &mut export);
        if !targets.explicit.is_empty() && export.stop.is_none() {
            let model = volvelle_session::conversion::as_explicit(&session, exploration);
            explicit::export(&model, &targets.explicit, &mut export);
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { args: &args.page, model: &args.model, seed: None };
    let graph = match &exploration {
        _ if !page.has_graph(&report) => None,
        Some(exploration) => volvelle_session::state_graph::state_graph(&session, exploration),
        None => volvelle_session::state_graph::explicit_graph(&session, &control),
    };
    let written = page.write_exploration(&mut session, &mut report, graph.as_ref(), &exported, output);

    found::show(args, &session, &report, &exported, || found::written_line(&written, output), output)
}

/// The files to write, in the formats that their extensions select.
#[derive(Default)]
struct Targets {
    /// Files made from what was explored.
    explored: Vec<(PathBuf, Format)>,
    /// Files made from an explicit model.
    explicit: Vec<(PathBuf, Target)>,
}

/// The formats that file names select.
fn targets(paths: &[PathBuf], model: &Path, is_explicit: bool) -> Result<Targets, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut targets = Targets::default();
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let explored = Format::of_extension(extension).filter(|_| !is_explicit);
        match (explored, Target::of(path)) {
            (Some(format), _) => targets.explored.push((path.clone(), format)),
            (None, Some(target)) => targets.explicit.push((path.clone(), target)),
            (None, None) if extension.eq_ignore_ascii_case("dot") => {
                diagnostics.push(explicit::no_picture(path, model));
            }
            (None, None) => diagnostics.push(explicit::unknown_format(path, extension)),
        }
    }
    if diagnostics.is_empty() { Ok(targets) } else { Err(diagnostics) }
}

/// Writes the files of what was explored.
fn write_explored(model: Model<'_>, targets: &[(PathBuf, Format)], export: &mut Export<'_>) {
    let structures = model.program.rewards.len();
    for (path, format) in targets {
        for (path, structure) in export.files(path, format.is_per_reward_structure(), structures) {
            let control = export.control;
            export.write(&path, |out| {
                volvelle_export::write(model, *format, structure, out, control).map(|()| Vec::new())
            });
            if export.stop.is_some() {
                return;
            }
        }
    }
}
