//! Counterexamples in files, and runs that follow them.
//!
//! A file names the model and a hash of its text, and has for each step the choice that was made and what that was in
//! words: a replay makes the same choices and compares the words, so it is exact or says where it is not.

use super::Simulation;
use crate::listing::{LISTED, LONGEST};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_lts::{ProcessStep, positions};
use volvelle_model::{LocationId, NetworkLayout, kernels};
use volvelle_search::liveness::STUTTER;
use volvelle_search::{Gap, TRANSIENT, Trail};
use volvelle_session::Model;
use volvelle_session::language::{ProcessDocument, ShowSteps};
use volvelle_session::trace::{Change, Counterexample, Omitted, Standing, TraceStep};

/// Version of the shape.
const VERSION: u32 = 1;

/// A counterexample, ready for a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTrail {
    /// Version of the shape.
    pub trail: u32,
    /// Name of the model's file.
    pub model: String,
    /// Tells whether the model is the same.
    pub hash: String,
    /// The property that is false.
    pub property: String,
    /// The error at the end.
    pub reason: String,
    /// The step with which the cycle begins, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
    /// Step by step.
    pub steps: Vec<SavedStep>,
}

/// A step of a saved counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// Which of the steps of the state, from 0. Without one nothing happens any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<usize>,
    /// The process that moves, with its partner: `P(1)`, or `P(1) > Q(2)`.
    pub process: String,
    /// The line of the statement.
    pub line: usize,
    /// The statement.
    pub statement: String,
}

impl SavedStep {
    /// The step with which nothing happens any more.
    pub(super) fn nothing() -> Self {
        SavedStep::of(&TraceStep::stutter(), None)
    }

    pub(crate) fn of(step: &TraceStep, choice: Option<usize>) -> Self {
        let Some(actor) = &step.actor else {
            return SavedStep { choice, process: String::new(), line: 0, statement: String::new() };
        };
        let mut process = format!("{}({})", actor.name, actor.process);
        if let Some(partner) = &step.partner {
            process.push_str(&format!(" > {}({})", partner.name, partner.process));
        }
        SavedStep { choice, process, line: actor.at.line, statement: actor.at.text.clone() }
    }
}

/// A trail that does not fit, or is none.
pub(crate) fn mismatch(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::TRAIL_MISMATCH, message)
}

impl SavedTrail {
    /// As the text of a file.
    pub fn to_text(&self) -> String {
        // Nothing in the shape can fail: there are only texts and numbers.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A run of a model that a trail of another tool describes.
    pub(crate) fn of_run(model: &Model, steps: Vec<SavedStep>, cycle_start: Option<usize>) -> Self {
        SavedTrail {
            trail: VERSION,
            model: model.file.clone(),
            hash: hash(model),
            property: String::new(),
            reason: String::new(),
            cycle_start,
            steps,
        }
    }

    /// Reads the text of a file.
    pub fn read(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let bad = |why: String| {
            mismatch(format!("`{name}` is not a trail: {why}"))
                .help("`volvelle check model.pml --trail t.json` writes one")
        };
        let found: SavedTrail = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        match found.trail {
            VERSION => Ok(found),
            other => Err(bad(format!("its version is {other}, but only version {VERSION} is supported"))),
        }
    }
}

/// A hash of the model's texts and of the macros from outside. It tells edits, it is no seal.
fn hash(model: &Model) -> String {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let is_formula = |file| model.processes().is_some_and(|document| document.is_formula(file));
    let texts = (0..).map(FileId).map_while(|file| Some((file, model.sources.get(file)?)));
    for (_, source) in texts.filter(|&(file, _)| !is_formula(file)) {
        add(source.text.as_bytes());
        add(&[0]);
    }
    format!("{hash:016x}")
}

/// A counterexample for a file; `None` if its run could not be followed.
pub fn save_trail(model: &Model, property: &str, example: &Counterexample) -> Option<SavedTrail> {
    (example.choices.len() == example.steps.len()).then(|| SavedTrail {
        trail: VERSION,
        model: model.file.clone(),
        hash: hash(model),
        property: property.to_owned(),
        reason: example.reason.clone(),
        cycle_start: example.cycle_start,
        steps: example.steps.iter().zip(&example.choices).map(|(s, &c)| SavedStep::of(s, c)).collect(),
    })
}

/// Whether a saved trail is one of this model.
pub fn fits_model(model: &Model, trail: &SavedTrail) -> Result<(), Diagnostic> {
    if trail.hash == hash(model) {
        return Ok(());
    }
    Err(mismatch(format!("the trail was saved from a different version of `{}`", trail.model))
        .note("a replay would not show the original run")
        .help("check the model again with --trail, and use the same -D macros"))
}

/// The steps of a trail that belong to statements, by which they are found again in the model as it was written.
struct Statements {
    /// The step of the trail that each is.
    indices: Vec<usize>,
    /// The step with which the cycle begins.
    cycle_start: Option<usize>,
    /// Steps that the trail does not list.
    omitted: Option<Omitted>,
}

/// Finds the steps of a trail that belong to statements.
fn statements(steps: &dyn ShowSteps, trail: &Trail, cycle: Option<usize>) -> Statements {
    let mut found = Statements { indices: Vec::new(), cycle_start: None, omitted: None };
    for (i, &number) in trail.steps.iter().enumerate() {
        if cycle == Some(i) {
            found.cycle_start = Some(found.indices.len());
        }
        if let Some(gap) = trail.gap.filter(|gap| gap.at == i) {
            found.omitted = Some(Omitted { after: found.indices.len(), steps: gap.steps });
            continue;
        }
        let is_statement = number == STUTTER
            || number & 0xffff != kernels::RELEASE && steps.is_statement(ProcessStep::of_number(number));
        if is_statement {
            found.indices.push(i);
        }
    }
    if cycle == Some(trail.steps.len()) {
        found.cycle_start = Some(found.indices.len());
    }
    found
}

/// A step of a trail in the terms of the text.
fn told(steps: &dyn ShowSteps, trail: &Trail, at: usize) -> Option<TraceStep> {
    match trail.steps[at] {
        STUTTER => Some(TraceStep::stutter()),
        number => steps.step(ProcessStep::of_number(number), &trail.states[at], &trail.states[at + 1]),
    }
}

/// The beginning and the end of a trail, and its cycle: if that begins between them, it is said to begin there.
fn cut(trail: &Trail, cycle: Option<usize>) -> (Cow<'_, Trail>, Option<usize>) {
    let steps = trail.steps.len();
    if trail.gap.is_some() || steps <= 2 * LISTED {
        return (Cow::Borrowed(trail), cycle);
    }
    let tail = steps - LISTED;
    let listed = Trail {
        states: [&trail.states[..=LISTED], &trail.states[tail..]].concat(),
        steps: [&trail.steps[..LISTED], &[0], &trail.steps[tail..]].concat(),
        gap: Some(Gap { at: LISTED, steps: (tail - LISTED) as u64 }),
    };
    let cycle = cycle
        .map(|at| if at <= LISTED { at } else { (LISTED + 1).max((at + LISTED + 1).saturating_sub(tail)) });
    (Cow::Owned(listed), cycle)
}

/// Shows a trail. The search may reset variables that no statement reads any more, so the run is taken once more in the
/// model as it was written; that shows it as it is, and that it is one.
pub fn show(
    model: &Model,
    document: &dyn ProcessDocument,
    layout: &NetworkLayout,
    trail: &Trail,
    reason: String,
    cycle: Option<usize>,
    is_whole: bool,
) -> Counterexample {
    let (trail, cycle) = match is_whole || trail.steps.len() <= LONGEST {
        true => (Cow::Borrowed(trail), cycle),
        false => cut(trail, cycle),
    };
    let trail = &*trail;
    let Some(steps) = document.steps(&model.sources, layout) else {
        return Counterexample { reason, ..Counterexample::default() };
    };
    let found = statements(&*steps, trail, cycle);
    let Statements { ref indices, cycle_start, omitted } = found;
    let listed = omitted.map_or(indices.len(), |omitted| omitted.after);
    let locations =
        |state: &[u64]| document.program().map_or(Vec::new(), |program| positions(program, layout, state));
    let listed_steps = &indices[..listed];
    let replayed = retell(model, &locations, &*steps, trail, listed_steps, omitted.is_some());
    let (mut shown, choices, end) = match replayed {
        Some(Replayed { steps, choices, end }) => (steps, choices, end),
        None => {
            let shown = listed_steps.iter().filter_map(|&at| told(&*steps, trail, at)).collect();
            (shown, Vec::new(), Vec::new())
        }
    };
    let is_followed = !choices.is_empty() || listed == 0;
    // What follows the missing steps is told by the search.
    shown.extend(indices[listed..].iter().filter_map(|&at| told(&*steps, trail, at)));
    let is_to_the_end = is_followed && omitted.is_none();
    let end = match trail.states.last() {
        Some(state) if !is_to_the_end => steps.standings(state),
        _ => end,
    };
    let choices = if is_to_the_end { choices } else { Vec::new() };
    Counterexample { reason, cycle_start, omitted, steps: shown, choices, end, ..Counterexample::default() }
}

/// A trail of the search, taken again.
struct Replayed {
    /// Step by step.
    pub steps: Vec<TraceStep>,
    /// Which of the steps of its state each is.
    pub choices: Vec<Option<usize>>,
    /// Where each process is at the end.
    pub end: Vec<Standing>,
}

/// Takes the steps of a trail again, up to those that are missing. `None` if there is no such run: then the search went
/// another way than the model.
fn retell(
    model: &Model,
    locations: &dyn Fn(&[u64]) -> Vec<LocationId>,
    shown: &dyn ShowSteps,
    trail: &Trail,
    indices: &[usize],
    is_cut: bool,
) -> Option<Replayed> {
    let runnable = super::runnable_again(model);
    let mut run = super::simulate(model, &runnable, None)?.ok()?;
    let mut steps = Vec::with_capacity(indices.len());
    let mut choices = Vec::with_capacity(indices.len());
    for (turn, &at) in indices.iter().enumerate() {
        let number = trail.steps[at];
        // A choice is a place among all steps, which are not found where a run is listed in part: its choices are not kept.
        let next = indices.get(turn + 1).map(|&next| trail.steps[next]);
        let next = next.filter(|&next| is_cut && next != STUTTER);
        run.mover = next.map(|next| ProcessStep::of_number(next).slot);
        if number == STUTTER {
            (run.choices() == 0).then_some(())?;
            steps.push(TraceStep::stutter());
            choices.push(None);
            continue;
        }
        let behind = locations(&trail.states[at + 1]);
        let moves =
            |&choice: &usize| run.number(choice) == number & !TRANSIENT && run.locations(choice) == behind;
        let mut all = (0..run.choices()).filter(moves);
        let (first, second) = (all.next()?, all.next());
        let choice = match second {
            None => first,
            // Several receivers may take the same offer and stay where they are.
            Some(second) => {
                let step = told(shown, trail, at)?;
                let likeness = |&choice: &usize| {
                    let found = run.look(choice);
                    let same_partner = found.as_ref().is_some_and(|found| found.partner == step.partner);
                    let is_same = |change: &&Change| step.changes.contains(change);
                    let changes = found.map_or(0, |found| found.changes.iter().filter(is_same).count());
                    (same_partner, changes, std::cmp::Reverse(choice))
                };
                [first, second].into_iter().chain(all).max_by_key(likeness)?
            }
        };
        steps.push(run.take(choice)?.ok()?.step);
        choices.push(Some(choice));
    }
    let end = run.standings();
    Some(Replayed { steps, choices, end })
}

impl Simulation<'_> {
    /// The choice that a saved step made here, or why there is none. `number` counts from 1.
    pub fn follow(&self, number: usize, saved: &SavedStep) -> Result<Option<usize>, Diagnostic> {
        let Some(choice) = saved.choice else {
            return match self.choices() {
                0 => Ok(None),
                _ => Err(mismatch(format!(
                    "step {number}: no process can move in the trail, but one can move here"
                ))),
            };
        };
        let told = format!("{}, line {}: {}", saved.process, saved.line, saved.statement);
        let Some(found) = self.look(choice) else {
            let there = volvelle_session::limits::counted(self.choices() as u64, "step");
            return Err(mismatch(format!(
                "step {number}: the trail takes choice {}, but there are {there} here",
                choice + 1
            ))
            .note(format!("the trail has {told}")));
        };
        let here = SavedStep::of(&found, Some(choice));
        if here == *saved {
            return Ok(Some(choice));
        }
        Err(mismatch(format!("step {number} is a different one here"))
            .note(format!("the trail has {told}"))
            .note(format!("here it is {}, line {}: {}", here.process, here.line, here.statement)))
    }
}
