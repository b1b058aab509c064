//! `volvelle explore` for Promela models.

use crate::options::ExploreProcesses;
use std::mem::take;
use std::path::{Path, PathBuf};
use volvelle_console::explored::show;
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::formats::{self, Target};
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explicit::Format;
use volvelle_lts::{LabelledStates, write_dot};
use volvelle_reports::screen;
use volvelle_searches::SearchSettings;
use volvelle_session::language::{Formalism, Offers};
use volvelle_session::limits;
use volvelle_session::state_graph::graph_of_lts;

/// Maximum number of states of a picture.
const MOST_DRAWN: u32 = 2_000;

impl Member for ExploreProcesses {
    const WHAT: &'static str = "the state space of processes";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.formalism == Formalism::Processes;
    const WHY: &'static str = "only processes have atomic sequences";
    const HELP: &'static str = "leave it out";
    const REFUSED: &'static [(&'static str, &'static str, &'static str)] = &[(
        "symmetry",
        "states that differ by a permutation of processes are merged in searches only",
        "use a search: volvelle check MODEL --symmetry",
    )];

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Counts the states of a model and writes files.
fn run(args: &ExploreProcesses, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let targets = targets(&args.export.export)?;
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let mut session = asked.session()?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let search =
        SearchSettings { allowance: settings.allowance, tier: settings.tier, ..SearchSettings::default() };
    let (mut report, lts) =
        crate::explore_processes(&mut session.model, !targets.is_empty(), &search, &control);
    let mut export = Export::new(&settings, &control);
    if let Some(lts) = &lts {
        write_files(lts, &targets, &mut export);
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { answer: &args.answer, model: &args.model, seed: None };
    let graph = page.has_graph(&report).then(|| match &lts {
        Some(lts) => Some(graph_of_lts(lts)),
        // The states were only counted.
        None => {
            crate::explore_processes(&mut session.model, true, &search, &control).1.as_ref().map(graph_of_lts)
        }
    });
    let written =
        page.write_exploration(&mut session.model, &mut report, graph.flatten().as_ref(), &exported, output);
    let behind = || {
        let mut text = String::new();
        if let Some(lts) = lts.as_ref().filter(|_| !exported.is_empty()) {
            let inner = report.model.as_ref().map_or(0, |m| u64::from(lts.states).saturating_sub(m.states));
            let inside = match inner {
                0 => String::new(),
                n => format!(", including {} inside atomic sequences", limits::count(n)),
            };
            let counts = format!(
                "({} and {}{inside})",
                limits::counted(u64::from(lts.states), "state"),
                limits::counted(lts.edges.len() as u64, "transition"),
            );
            text.push_str(&screen::written_line(&exported, &counts, output.style));
        }
        text.push_str(&screen::written(&written[exported.len()..], output.style));
        text
    };
    Ok(show(&args.answer, &session.model, &report, &exported, behind, output))
}

/// Writes the files. The model that formats with probabilities need is another one; each is made once.
fn write_files(lts: &LabelledStates, targets: &[(PathBuf, Option<Target>)], export: &mut Export<'_>) {
    let (mut as_system, mut as_mdp) = (None, None);
    for (path, target) in targets {
        if export.stop.is_some() {
            return;
        }
        let Some(target) = *target else {
            draw(lts, path, export);
            continue;
        };
        let model = if has_transition_systems(target) {
            as_system.get_or_insert_with(|| lts.to_explicit(false))
        } else {
            as_mdp.get_or_insert_with(|| lts.to_explicit(true))
        };
        let files = [(path.clone(), target)];
        if matches!(target, Target::Model(Format::Aut, _)) {
            // A format that has actions only needs no warning that labels and valuations are not written.
            let (labels, valuations) = (take(&mut model.labels), take(&mut model.valuations));
            formats::export(model, &files, export);
            (model.labels, model.valuations) = (labels, valuations);
        } else {
            formats::export(model, &files, export);
        }
    }
}

/// Whether a format has transition systems without probabilities.
fn has_transition_systems(target: Target) -> bool {
    matches!(target, Target::Model(Format::Umb | Format::Aut, _))
}

/// The files to write, and what each of them is to have; `None` for a picture.
fn targets(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Option<Target>)>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut targets = Vec::new();
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match Target::of(path) {
            Some(Target::Part(part)) if part.is_numbered() => {
                let message = format!("`{}` is not written: Promela models have no rewards", path.display());
                let diagnostic = Diagnostic::error(codes::UNKNOWN_EXPORT, message);
                diagnostics.push(diagnostic.help("leave it out"));
            }
            None if extension != "dot" => diagnostics.push(formats::unknown_format(path, extension)),
            target => targets.push((path.clone(), target)),
        }
    }
    if diagnostics.is_empty() { Ok(targets) } else { Err(diagnostics) }
}

/// Writes a picture.
fn draw(lts: &LabelledStates, path: &Path, export: &mut Export<'_>) {
    if lts.states > MOST_DRAWN {
        let message = format!(
            "`{}` is not written: a picture of {} would not be readable",
            path.display(),
            limits::counted(u64::from(lts.states), "state")
        );
        let diagnostic = Diagnostic::error(codes::FILE_NOT_WRITTEN, message);
        export.refuse(diagnostic.help(format!("write {}", path.with_extension("aut").display())));
        return;
    }
    let control = export.control;
    export.write(path, |out| write_dot(lts, out, control).map(|()| Vec::new()));
}
