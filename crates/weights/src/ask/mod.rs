//! Questions about weighted systems: formulas, relations, distances.

mod check;
mod compare;
mod distance;
mod explore;
mod pairs;
mod reduce;
mod step;
mod written;

use crate::{Assumed, SelectedState, WeightedModel};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, control, two_inputs};
use volvelle_console::options::{AnswerArgs, LimitArgs, ModelArgs, RelationArg, WeightingArgs};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse};
use volvelle_console::suggestions::Subject;
use volvelle_console::{machine, of_language};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_present::document::Document;
use volvelle_session::limits::Allowance;
use volvelle_session::report::Report;
use volvelle_session::{Model, Session, Settings, json};

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

/// How models are opened.
#[derive(Clone, Copy)]
struct Way<'a> {
    model: &'a ModelArgs,
    weighting: &'a WeightingArgs,
    defines: &'a [String],
    limits: &'a LimitArgs,
}

/// Opens the model behind a path, the first one or another one in the same way.
fn open(path: &Path, way: Way<'_>, is_first: bool) -> Result<(Session, SelectedState), Vec<Diagnostic>> {
    let (model, selected) = selected(path);
    let language = if is_first { way.model.language.clone() } else { None };
    let args = ModelArgs { language, ..way.model.other(model) };
    let opening = Opening { limits: Some(way.limits), defines: way.defines, ..Opening::default() };
    let mut session = volvelle_console::opening::open(&args, opening)?;
    session.run.weighting = way.weighting.weighting();
    Ok((session, selected))
}

/// Opens two models, as a whole or with a state, and makes their structures.
fn open_pair(
    way: Way<'_>,
    other: &Path,
    given: &GivenOptions,
) -> Result<[(Session, SelectedState); 2], Vec<Diagnostic>> {
    two_inputs(&way.model.model, other)?;
    let first = open(&way.model.model, way, true)?;
    let second = open(other, way, false)?;
    // An option applies if it does to one of them.
    let option = |diagnostic: &Diagnostic| diagnostic.message.split(' ').next().map(str::to_owned);
    let of_second = refusals_of(given, &second.0.model);
    let mut refusals = refusals_of(given, &first.0.model);
    refusals.retain(|first| of_second.iter().any(|second| option(first) == option(second)));
    if refusals.is_empty() { Ok([first, second]) } else { Err(refusals) }
}

/// Why a model is asked nothing about weights.
const WHY: &str = "weights belong to steps, and its steps have none";
/// What has weights.
const HELP: &str =
    "give a weighted Kripke structure (.wks), terms of weighted CCS (.wccs), or a PRISM or Promela model";

/// How questions about relations of weighted systems are asked.
const OF_RELATIONS: &str = "ask for a relation of weighted systems: --relation wbb; divergence-preserving branching bisimulation of \
     transition systems is --relation divbranching";

/// Whether a relation of weighted systems was asked for.
fn is_related(given: &GivenOptions) -> bool {
    given.value("relation").is_some_and(RelationArg::is_weighted_name)
}

/// Why a model is no weighted structure, if it is none, and options that its language does not know.
fn refusals_of(given: &GivenOptions, model: &Model) -> Vec<Diagnostic> {
    match model.offers().filter(|offers| !offers.has_weights()) {
        Some(offers) => {
            let message = format!("questions about weights do not apply to {}", offers.models());
            vec![Diagnostic::error(codes::BAD_USAGE, message).note(WHY).help(HELP)]
        }
        None => of_language::refusals(given, model),
    }
}

/// A question about the states of two models.
struct Question<'a> {
    way: Way<'a>,
    other: &'a Path,
    answer: &'a AnswerArgs,
}

/// The models of a question, with what an answer needs besides.
struct Pair<'a> {
    models: &'a [WeightedModel; 2],
    /// The states as they were named.
    names: [String; 2],
    allowance: &'a Allowance,
    control: &'a Control<'a>,
}

impl Pair<'_> {
    /// Remarks on the values of parameters.
    fn assumed(&self) -> Vec<Diagnostic> {
        Assumed::remarks_on(self.models.each_ref().map(|model| &model.assumed))
    }
}

/// Answers a question: opens the models, shows them, and prints what `answer` finds, as `json` or as a `document`. Gives the exit code; that of an
/// answer without errors is `code`.
fn answer<T>(
    question: &Question<'_>,
    given: &GivenOptions,
    output: &Output,
    answer: impl FnOnce(Pair<'_>) -> Result<(T, Vec<Diagnostic>), (Diagnostic, Option<Stop>)>,
    json: impl for<'d> Fn(&'d Report, Option<&'d T>, &'d Sources) -> json::Document<'d>,
    document: impl FnOnce(&T) -> Document,
    code: impl FnOnce(&T) -> u8,
) -> u8 {
    let start = Instant::now();
    let prepared = machine::limits(question.way.limits).and_then(|(allowance, threads)| {
        let pair = open_pair(question.way, question.other, given)?;
        Ok((pair, Settings { allowance, ..Settings::default() }, threads))
    });
    let (mut pair, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, question.answer.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut spaces, mut models) = (Vec::new(), Vec::new());
    for (session, selected) in &mut pair {
        let (mut report, model) = crate::weighted_model_of_pair(session, selected, &settings, &control);
        let Some(model) = model else {
            progress.finish();
            if question.answer.output.json {
                output.print(&json::Document::of_report(&report, &session.model.sources).to_text());
            }
            return finish(&report, &session.model.sources, output);
        };
        spaces.extend(report.model);
        output.print_diagnostics(&std::mem::take(&mut report.diagnostics), &session.model.sources);
        models.push(model);
    }
    let Ok(models) = <[WeightedModel; 2]>::try_from(models) else { unreachable!("there are two") };
    let refusals = Assumed::refusals_on(models.each_ref().map(|model| &model.assumed));
    if !refusals.is_empty() {
        progress.finish();
        return refuse(&refusals, question.answer.output.json, output);
    }
    let names = [question.way.model.model.as_path(), question.other].map(|path| path.display().to_string());
    let found = answer(Pair { models: &models, names, allowance: &settings.allowance, control: &control });
    progress.finish();
    let mut report = Report::default();
    let found = report.take(found).map(|(found, diagnostics)| {
        report.diagnostics.extend(diagnostics);
        found
    });
    let sources = &pair[0].0.model.sources;
    let document = found.as_ref().map(document).unwrap_or_default();
    let shown =
        Shown::new(question.answer, document, question.way.model.model.display().to_string(), sources)
            .about(&spaces)
            .and_of(&pair[1].0.model.sources);
    let written = shown.write(&[], &mut report.diagnostics, output);
    shown.print(|| json(&report, found.as_ref(), sources).to_text(), &written, output);
    match (finish(&report, sources, output), found) {
        (0, Some(found)) => code(&found),
        (failed, _) => failed,
    }
}

/// Whether somebody asks about a weighted system.
fn is_weighted(subject: &Subject<'_>) -> bool {
    subject.offers.is_some_and(|offers| offers.is_weighted())
}
