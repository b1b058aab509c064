//! `volvelle step` for weighted systems, and for models that are given weights.

use super::{Way, is_weighted, open, selected};
use crate::options::StepWeighted;
use crate::stepping::{Walkable, WeightedWalk};
use crate::{document, json};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::machine;
use volvelle_console::opening::control;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_control::Silent;
use volvelle_session::Settings;
use volvelle_session::language::Offers;
use volvelle_stepping::Walk;
use volvelle_stepping::dialogue::{Ending, Setting, closing, finish, lead, without_input};

impl Member for StepWeighted {
    const WHAT: &'static str = "a walk through a weighted system";
    const CHOSEN: Chosen = Chosen::ByPathOrModel(&["weights", "observe"], names_state, Offers::is_weighted);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = "leave it out, or give a weighted system";
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Read)];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "a walk step by step: choose, go back, run until a formula holds";
        let command = format!("step {}", subject.model());
        Suggestion::only_if(is_weighted(subject), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Whether a state is named behind a file.
fn names_state(path: &str) -> bool {
    !selected(path.as_ref()).1.is_empty()
}

/// Leads a walk.
fn run(args: &StepWeighted, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    without_input(&args.model.model)?;
    let limit = args.step.limit()?;
    let (allowance, threads) = machine::limits(&args.limits)?;
    let settings = Settings { allowance, ..Settings::default() };
    let (mut session, state) = match selected(&args.model.model) {
        (_, state) if state.is_empty() => (asked.session()?, state),
        _ => {
            let way = Way {
                model: &args.model,
                weighting: &args.weighting,
                defines: &args.macros.define,
                limits: &args.limits,
            };
            let opened = open(&args.model.model, way, true)?;
            asked.check(&opened.0.model)?;
            opened
        }
    };
    session.run.weighting = args.weighting.weighting();
    let control = control(&settings.allowance, threads, asked.start, &Silent);
    let (seed, trail) = (args.seed.seed, args.step.trail.as_deref());
    let allowance = &settings.allowance;
    let setting = Setting { output, answer: &args.answer, control: &control, allowance, seed, limit, trail };
    let walkable = Walkable::of(&mut session, &state, &settings, &control);
    let (walk, said) = WeightedWalk::new(&session, walkable, &settings, &control);
    let Some(mut walk) = walk else { return Err(Refused::in_texts(said, &session.model.sources)) };
    let led = lead(&mut walk, &setting, &said)?;
    let end = walk.end();
    let reason = end.as_ref().map_or("more steps are possible", |end| &end.message).to_owned();
    let way =
        document::Way { first: walk.first(), steps: walk.steps(), total: walk.total(led.steps), reason };
    let closing = closing(led.steps, end.as_ref().map(|end| end.message.as_str()));
    let (file, sources) = (walk.file(), walk.sources());
    let ending = Ending {
        end,
        fault_code: EXIT_USAGE,
        said,
        closing: vec![closing, document::total(&way)],
        shown: Shown::new(&args.answer, document::walk(file, &way), file, sources).seeded(Some(seed)),
        sources,
    };
    Ok(finish(led, ending, &setting, |diagnostics| json::of_walk(file, &way, diagnostics, sources).to_text()))
}
