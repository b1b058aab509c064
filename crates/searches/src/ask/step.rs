//! `volvelle step` for Promela models.

use super::search::not_a_claim;
use crate::json::of_claims;
use crate::options::StepProcesses;
use crate::stepping::RunWalk;
use crate::{ClaimStanding, FollowedClaims};
use std::iter::once;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::machine;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_control::Silent;
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_present::document::{Block, Note, bad, doubtful, name};
use volvelle_reports::documents::runs;
use volvelle_reports::page;
use volvelle_session::json;
use volvelle_session::language::{Analysis, Offers};
use volvelle_session::trace::Counterexample;
use volvelle_stepping::dialogue::{Ending, Setting, closing, finish, lead, without_input};
use volvelle_stepping::{End, Walk};

impl Member for StepProcesses {
    const WHAT: &'static str = "a walk through the runs of a Promela model";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Run);
    const WHY: &'static str = "processes run step by step";
    const HELP: &'static str = "leave it out";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Run);
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Read)];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "a run step by step: choose, go back, run until something holds";
        let command = format!("step {}", subject.model());
        vec![Suggestion::new(about, command)]
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Leads a walk.
fn run(args: &StepProcesses, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    without_input(&args.model.model)?;
    let limit = args.step.limit()?;
    let (allowance, threads) = machine::limits(&args.limits)?;
    let mut session = asked.session()?;
    let wanted: Vec<String> = args.followed.ltl.iter().chain(&args.selected.prop).cloned().collect();
    if let Some(diagnostic) = args.selected.prop.iter().find_map(|text| not_a_claim(text)) {
        return Err(diagnostic.into());
    }
    let mut said = crate::search::add_claims(&mut session.model, &wanted);
    let mut runnable = crate::runnable(&mut session.model);
    said.append(&mut runnable.diagnostics);
    let (model, sources) = (&session.model, &session.model.sources);
    if has_errors(&said) {
        return Err(Refused::in_texts(said, sources));
    }
    let (claims, found) = FollowedClaims::of(model, &runnable, &wanted);
    said.extend(found);
    if has_errors(&said) {
        return Err(Refused::in_texts(said, sources));
    }
    let walk = RunWalk::new(model, &runnable, claims);
    let mut walk = walk.map_err(|diagnostic| Refused::in_texts(vec![diagnostic], sources))?;
    if walk.reads() {
        let message = "the model reads `STDIN`, and commands are read from it";
        return Err(Diagnostic::error(codes::BAD_USAGE, message)
            .help(format!("run it with an input: volvelle simulate {} < FILE", model.file))
            .into());
    }
    let control = control(&allowance, threads, asked.start, &Silent);
    let (seed, trail) = (args.seed.seed, args.step.trail.as_deref());
    let setting = Setting {
        output,
        answer: &args.answer,
        control: &control,
        allowance: &allowance,
        seed,
        limit,
        trail,
    };
    let led = lead(&mut walk, &setting, &said)?;
    let end = walk.end();
    let run = recorded(&walk, end.as_ref());
    let why = |end: &'_ End| if end.faults.is_empty() { end.message.clone() } else { "an error".to_owned() };
    let closing = closing(led.steps, end.as_ref().map(why).as_deref());
    let claims = walk.claims();
    let standings = (!run.end.is_empty()).then(|| runs::standings(&run.end, 4));
    let mut document = runs::document(&run, page::name(&model.file));
    document.blocks.extend(claims.iter().map(|claim| known(claim, 0)));
    let ending = Ending {
        end,
        fault_code: 1,
        said,
        closing: once(closing).chain(claims.iter().map(|claim| known(claim, 2))).chain(standings).collect(),
        shown: Shown::new(&args.answer, document, &model.file, sources).seeded(Some(seed)),
        sources,
    };
    Ok(finish(led, ending, &setting, |diagnostics| {
        let document = json::Document::of_run(&model.file, &run, diagnostics, sources);
        document.with_some("claims", of_claims(&claims)).to_text()
    }))
}

/// What is known of a claim.
fn known(claim: &ClaimStanding, indent: usize) -> Block {
    let text = name(format!("{}: {}", claim.title, claim.text));
    let text = match claim.verdict {
        Some(true) => text,
        Some(false) => bad(text),
        None => doubtful(text),
    };
    Note { text, indent, further: indent + 2 }.into()
}

/// The walk as a run.
fn recorded(walk: &RunWalk<'_>, end: Option<&End>) -> Counterexample {
    let reason = end.map_or("more steps are possible", |end| &end.message).to_owned();
    let steps = walk.steps().to_vec();
    Counterexample { reason, steps, end: walk.standings(), ..Counterexample::default() }
}
