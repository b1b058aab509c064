//! `volvelle explore`

use super::suggested;
use crate::options::ExploreStates;
use std::path::{Path, PathBuf};
use volvelle_console::explored;
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::formats::{self, Target};
use volvelle_console::opening::{building_settings, control};
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_diagnostics::Diagnostic;
use volvelle_export::{Format, Model};
use volvelle_session::language::{Formalism, Offers};

impl Member for ExploreStates {
    const WHAT: &'static str = "a state space";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| {
        !offers.is_labelled && !matches!(offers.formalism, Formalism::Processes | Formalism::Weighted)
    };
    const WHY: &'static str = "other models have state spaces of their own";
    const HELP: &'static str = "leave it out";
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = suggested::states;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Builds the state space and writes files.
fn run(args: &ExploreStates, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let (mut settings, threads) = building_settings(&args.building, &args.limits)?;
    let mut session = asked.session()?;
    settings.symmetry = args.symmetry.symmetry;
    let targets = targets(&args.export.export, &args.model.model, session.model.explicit().is_some())?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, explored) = session.model.explore(&settings, &control);
    let mut export = Export::new(&settings, &control);
    if let Some(model) = session.model.explicit().filter(|_| report.model.is_some()) {
        formats::export(model, &targets.explicit, &mut export);
    }
    if let (Some(explored), Some(program)) = (&explored, session.model.program()) {
        let model = Model { program, explored };
        write_explored(model, &targets.explored, &mut export);
        if !targets.explicit.is_empty() && export.stop.is_none() {
            let model = volvelle_session::conversion::as_explicit(&session.model, explored);
            formats::export(&model, &targets.explicit, &mut export);
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { answer: &args.answer, model: &args.model, seed: None };
    let graph = match &explored {
        _ if !page.has_graph(&report) => None,
        Some(explored) => volvelle_session::state_graph::state_graph(&session.model, explored),
        None => volvelle_session::state_graph::explicit_graph(&session.model, &control),
    };
    let written = page.write_exploration(&mut session.model, &mut report, graph.as_ref(), &exported, output);

    let behind = || explored::written_line(&written, output);
    Ok(explored::show(&args.answer, &session.model, &report, &exported, behind, output))
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
                diagnostics.push(formats::no_picture(path, model));
            }
            (None, None) => diagnostics.push(formats::unknown_format(path, extension)),
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
