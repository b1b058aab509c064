//! From a launch to a walk.

use crate::counterexample;
use crate::found::{Found, FoundRun};
use crate::launch::{Launch, Source};
use crate::reading::{Refusal, TrailText, session_of};
use volvelle_console::opening::choices;
use volvelle_console::options::SchedulerArgs;
use volvelle_console::{files, machine};
use volvelle_control::{Cancel, Control, Limits, Silent};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_paths::stepping::PathWalk;
use volvelle_paths::{Tracing, plan_path};
use volvelle_searches::stepping::RunWalk;
use volvelle_searches::{FollowedClaims, add_claims, runnable};
use volvelle_session::language::{Analysis, LanguageOption, Offers};
use volvelle_session::limits::Allowance;
use volvelle_session::{Model, Session, Settings};
use volvelle_stepping::Walk;
use volvelle_systems::stepping::SystemWalk;
use volvelle_weights::stepping::{Walkable, WeightedWalk};

/// What comes with a walk that begins.
pub struct Begun<'a> {
    /// What there is to say about the model.
    pub said: Vec<Diagnostic>,
    /// The trail.
    pub trail: Option<TrailText>,
    /// When to stop.
    pub control: &'a Control<'a>,
}

/// What a walk is used for.
type Use<'u, T> = Box<dyn FnOnce(&mut dyn Walk, Begun<'_>) -> T + 'u>;

/// What all kinds of models are opened with.
struct Way<'a> {
    launch: &'a Launch,
    control: &'a Control<'a>,
    allowance: Allowance,
    trail: Option<TrailText>,
    /// A run to go along, of which the walk makes a trail.
    run: Option<FoundRun>,
}

/// Opens what is launched, and has the walk used.
///
/// # Errors
/// What is wrong with the files or the launch.
pub fn with_walk<T>(launch: &Launch, cancel: &'static Cancel, used: Use<'_, T>) -> Result<T, Refusal> {
    let (allowance, threads) = machine::limits(&Launch::limits())?;
    // A walk has no deadline.
    let memory_bytes = allowance.memory_bytes.map(|limit| limit.saturating_sub(allowance.held_at_start));
    let limits = Limits { memory_bytes, states: allowance.states, deadline: None };
    let control = Control { limits, cancel, progress: &Silent, threads, sharing: None };
    let session = session_of(launch, true)?;
    let offers = session.model.offers();
    if let Some(diagnostic) = offers.and_then(|offers| misfit(launch, &session.model, &offers)) {
        return Err(diagnostic.into());
    }
    let (trail, run) = match launch.source() {
        Source::Trail(path) => {
            let text = files::read(&path)?;
            (Some(TrailText { name: text.name, text: text.text, reason: None }), None)
        }
        Source::Claim(claim) => match counterexample::search(launch, &claim, &allowance, &control)? {
            Found::Trail(trail) => (Some(trail), None),
            Found::Run(run) => (None, Some(run)),
        },
        Source::Random | Source::User => (None, None),
    };
    let way = Way { launch, control: &control, allowance, trail, run };
    let allows = |analysis| offers.is_none_or(|offers| offers.allows(analysis));
    if allows(Analysis::Sampling) {
        paths(session, way, used)
    } else if allows(Analysis::Run) {
        runs(session, way, used)
    } else if offers.is_some_and(|offers| offers.is_weighted()) {
        weighted(session, way, used)
    } else {
        systems(session, way, used)
    }
}

/// A field of the launch that does not apply to the model.
fn misfit(launch: &Launch, model: &Model, offers: &Offers) -> Option<Diagnostic> {
    let (is_sampled, is_run) = (offers.allows(Analysis::Sampling), offers.allows(Analysis::Run));
    let applies = |field: &str| match field {
        "claim" => is_run || is_sampled,
        "ltl" => is_run && !is_sampled,
        "defines" => offers.knows(LanguageOption::Macros),
        "path" | "properties" | "scheduler" => is_sampled,
        _ => is_sampled || is_run,
    };
    let field = launch.special().find(|field| !applies(field))?;
    let message = format!("`{field}` does not apply to {}", offers.models());
    let note = format!("`{}` is one of them", model.file);
    Some(Diagnostic::error(codes::BAD_USAGE, message).note(note).help("leave it out"))
}

fn paths<T>(mut session: Session, way: Way<'_>, used: Use<'_, T>) -> Result<T, Refusal> {
    let Way { launch, control, trail, run, .. } = way;
    session.run.choices = choices(&SchedulerArgs { scheduler: launch.scheduler() })?;
    let path = launch.path().unwrap_or_default();
    let (seed, until) = (launch.seed(), Some("deadlock".to_owned()));
    let tracing = Tracing { seed, path, until, is_chosen: true, ..Tracing::default() };
    let property = run.as_ref().and_then(|run| run.property.clone());
    let followed: Vec<String> = launch.prop().iter().cloned().chain(property).collect();
    let (mut plan, mut said) = plan_path(&mut session, &followed, tracing.clone());
    if run.is_some() && launch.prop().is_empty() && (plan.is_none() || has_errors(&said)) {
        // A path cannot decide the property, or another one of the files: nothing is followed.
        session = session_of(&launch.without_properties(), true)?;
        session.run.choices = choices(&SchedulerArgs { scheduler: launch.scheduler() })?;
        (plan, said) = plan_path(&mut session, &[], tracing);
    } else if followed.len() > launch.prop().len() && (plan.is_none() || has_errors(&said)) {
        (plan, said) = plan_path(&mut session, launch.prop(), tracing);
    }
    let Some(plan) = plan.filter(|_| !has_errors(&said)) else {
        return Err(Refusal::of(said, &session.model.sources));
    };
    let walk = match launch.source() {
        Source::Random => PathWalk::sampled(&mut session.model, &plan),
        _ => PathWalk::new(&mut session.model, &plan),
    };
    let Some(mut walk) = walk else { return Err(said.into()) };
    let made = run.map(|found| {
        let trail = found.run.trail(&mut walk, launch.seed())?;
        Ok(TrailText { name: found.name, text: trail.to_text(), reason: Some(found.reason) })
    });
    let made =
        made.transpose().map_err(|diagnostic: Diagnostic| Refusal::of(vec![diagnostic], walk.sources()))?;
    Ok(used(&mut walk, Begun { said, trail: trail.or(made), control }))
}

fn runs<T>(mut session: Session, way: Way<'_>, used: Use<'_, T>) -> Result<T, Refusal> {
    let Way { launch, control, trail, .. } = way;
    let mut wanted: Vec<String> = launch.ltl().iter().chain(launch.prop()).cloned().collect();
    if let Source::Claim(crate::launch::Claim::Of(claim)) = launch.source() {
        wanted.push(claim);
    }
    let mut said = add_claims(&mut session.model, &wanted);
    let mut prepared = runnable(&mut session.model);
    said.append(&mut prepared.diagnostics);
    let refused = |said| Refusal::of(said, &session.model.sources);
    if has_errors(&said) {
        return Err(refused(said));
    }
    let (claims, found) = FollowedClaims::of(&session.model, &prepared, &wanted);
    said.extend(found);
    if has_errors(&said) {
        return Err(refused(said));
    }
    let walk = RunWalk::new(&session.model, &prepared, claims);
    let mut walk = walk.map_err(|diagnostic| refused(vec![diagnostic]))?;
    if walk.reads() {
        let message = "the model reads `STDIN`, and messages of the editor are read from it";
        let help = format!("run it with an input: volvelle simulate {} < FILE", session.model.file);
        return Err(Diagnostic::error(codes::BAD_USAGE, message).help(help).into());
    }
    Ok(used(&mut walk, Begun { said, trail, control }))
}

fn weighted<T>(mut session: Session, way: Way<'_>, used: Use<'_, T>) -> Result<T, Refusal> {
    let Way { control, trail, allowance, .. } = way;
    let settings = Settings { allowance, ..Settings::default() };
    let walkable = Walkable::of(&mut session, &Vec::new(), &settings, control);
    let (walk, said) = WeightedWalk::new(&session, walkable, &settings, control);
    match walk {
        Some(mut walk) => Ok(used(&mut walk, Begun { said, trail, control })),
        None => Err(Refusal::of(said, &session.model.sources)),
    }
}

fn systems<T>(mut session: Session, way: Way<'_>, used: Use<'_, T>) -> Result<T, Refusal> {
    let Way { control, trail, allowance, .. } = way;
    let settings = Settings { allowance, ..Settings::default() };
    let (walk, said) = SystemWalk::new(&mut session, settings, control);
    match walk {
        Some(mut walk) => Ok(used(&mut walk, Begun { said, trail, control })),
        None => Err(Refusal::of(said, &session.model.sources)),
    }
}
