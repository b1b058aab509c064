//! Commands on weighted systems.

pub mod check;
pub mod compare;
pub mod distance;
pub mod explore;

use super::{Opening, control};
use crate::applicable::{GivenOptions, Task};
use crate::args::{LimitArgs, ModelArgs, PartArgs};
use crate::progress::Line;
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_verify::weighted::{SelectedState, WeightedModel};
use volvelle_verify::{Report, Session, Settings};

/// A file and the state behind it: `FILE`, `FILE:STATE`, `FILE:STRUCTURE:STATE`. A file with such a name comes first.
fn selected(path: &Path) -> (PathBuf, SelectedState) {
    let text = path.to_string_lossy();
    if path.exists() {
        return (path.to_owned(), Vec::new());
    }
    for (at, _) in text.match_indices(':').collect::<Vec<_>>().into_iter().rev() {
        let file = Path::new(&text[..at]);
        if at > 0 && (file.exists() || file == Path::new("-")) {
            return (file.to_owned(), text[at + 1..].split(':').map(str::to_owned).collect());
        }
    }
    (path.to_owned(), Vec::new())
}

/// Opens the model behind a path, in the same way as another one.
fn open(
    path: &Path,
    like: &ModelArgs,
    is_first: bool,
    limits: &LimitArgs,
) -> Result<(Session, SelectedState), Vec<Diagnostic>> {
    let (model, selected) = selected(path);
    let args = ModelArgs {
        model,
        language: if is_first { like.language.clone() } else { None },
        constants: like.constants.clone(),
        read_as: like.read_as,
        no_probability_check: like.no_probability_check,
        parts: PartArgs::default(),
    };
    let opening = Opening { limits: Some(limits), ..Opening::default() };
    Ok((super::open(&args, opening)?, selected))
}

/// Two models, whose initial states are compared.
struct Pair {
    sessions: [Session; 2],
    selected: [SelectedState; 2],
    /// The states as they were named.
    names: [String; 2],
}

/// Opens both models.
fn open_pair(
    model: &ModelArgs,
    other: &Path,
    limits: &LimitArgs,
    given: &GivenOptions,
) -> Result<Pair, Vec<Diagnostic>> {
    if other == Path::new("-") && model.model == Path::new("-") {
        let message = "both models would be read from standard input";
        return Err(vec![Diagnostic::error(codes::BAD_USAGE, message).help("give a file for one of them")]);
    }
    let (first, of_first) = open(&model.model, model, true, limits)?;
    let (second, of_second) = open(other, model, false, limits)?;
    let refusals = given.refusals(Task::Weighted, &first);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let names = [model.model.display().to_string(), other.display().to_string()];
    Ok(Pair { sessions: [first, second], selected: [of_first, of_second], names })
}

/// The structures of both; reports of those that were made come first.
fn models(
    pair: &mut Pair,
    settings: &Settings,
    threads: usize,
    start: Instant,
    progress: &Line,
) -> (Vec<Report>, Option<[WeightedModel; 2]>) {
    let control = control(&settings.allowance, threads, start, progress);
    let (mut reports, mut models) = (Vec::new(), Vec::new());
    for (session, selected) in pair.sessions.iter_mut().zip(&pair.selected) {
        let (report, model) = session.weighted_model(selected, settings, &control);
        reports.push(report);
        match model {
            Some(model) => models.push(model),
            None => return (reports, None),
        }
    }
    (reports, models.try_into().ok())
}
