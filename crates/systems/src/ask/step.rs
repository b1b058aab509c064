//! `volvelle step` for labelled transition systems, and for models that have one.

use crate::options::StepSystem;
use crate::stepping::SystemWalk;
use crate::{document, json};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::opening::{control, settings};
use volvelle_console::options::InterpreterArgs;
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_control::Silent;
use volvelle_session::language::Offers;
use volvelle_stepping::Walk;
use volvelle_stepping::dialogue::{Ending, Setting, closing, finish, lead, without_input};

impl Member for StepSystem {
    const WHAT: &'static str = "a walk through a labelled transition system";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |_| true;
    const WHY: &'static str = "its steps have labels";
    const HELP: &'static str = "leave it out";
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Read)];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "a walk step by step: choose, go back, run until something happens";
        let command = format!("step {}", subject.model());
        Suggestion::only_if(subject.is_system(), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Leads a walk.
fn run(args: &StepSystem, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    without_input(&args.model.model)?;
    let limit = args.step.limit()?;
    let (settings, threads) = settings(&InterpreterArgs::default(), &args.limits)?;
    let mut session = asked.session()?;
    let control = control(&settings.allowance, threads, asked.start, &Silent);
    let (seed, trail) = (args.seed.seed, args.step.trail.as_deref());
    let allowance = &settings.allowance;
    let setting = Setting { output, answer: &args.answer, control: &control, allowance, seed, limit, trail };
    let (walk, said) = SystemWalk::new(&mut session, settings, &control);
    let Some(mut walk) = walk else { return Err(Refused::in_texts(said, &session.model.sources)) };
    let led = lead(&mut walk, &setting, &said)?;
    let end = walk.end();
    let transitions = walk.transitions();
    let reason = end.as_ref().map_or("more steps are possible", |end| &end.message).to_owned();
    let closing = closing(led.steps, end.as_ref().map(|end| end.message.as_str()));
    let (file, sources) = (walk.file(), walk.sources());
    let document = document::walk(file, walk.state_at_first(), &transitions, &reason);
    let ending = Ending {
        end,
        fault_code: EXIT_USAGE,
        said,
        closing: vec![closing],
        shown: Shown::new(&args.answer, document, file, sources).seeded(Some(seed)),
        sources,
    };
    Ok(finish(led, ending, &setting, |diagnostics| {
        json::of_walk(file, &transitions, &reason, diagnostics, sources).to_text()
    }))
}
