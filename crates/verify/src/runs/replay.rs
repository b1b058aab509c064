//! Counterexamples in files, and runs that follow them.
//!
//! A file names the model and a hash of its text, and has for each step the choice that was made and what that was in
//! words: a replay makes the same choices and compares the words, so it is exact or says where it is not.

use super::{Session, Simulation};
use crate::language::{ProcessDocument, ShowSteps};
use crate::trace::{Counterexample, Omitted, Standing, TraceStep};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_lts::{ProcessStep, positions};
use volvelle_model::{LocationId, NetworkLayout, kernels};
use volvelle_search::liveness::STUTTER;
use volvelle_search::{Gap, TRANSIENT, Trail};

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

    pub(super) fn of(step: &TraceStep, choice: Option<usize>) -> Self {
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
pub(super) fn mismatch(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::TRAIL_MISMATCH, message)
}

impl SavedTrail {
    /// As the text of a file.
    pub fn to_text(&self) -> String {
        // Nothing in the shape can fail: there are only texts and numbers.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// A run of a model that a trail of another tool describes.
    pub(super) fn of_run(session: &Session, steps: Vec<SavedStep>, cycle_start: Option<usize>) -> Self {
        SavedTrail {
            trail: VERSION,
            model: session.file.clone(),
            hash: session.hash(),
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

impl Session {
    /// A hash of the model's texts and of the macros from outside. It tells edits, it is no seal.
    fn hash(&self) -> String {
        // FNV-1a.
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        let is_formula = |file| self.processes().is_some_and(|document| document.is_formula(file));
        let texts = (0..).map(FileId).map_while(|file| Some((file, self.sources.get(file)?)));
        for (_, source) in texts.filter(|&(file, _)| !is_formula(file)) {
            add(source.text.as_bytes());
            add(&[0]);
        }
        format!("{hash:016x}")
    }

    /// A counterexample for a file; `None` if its run could not be followed.
    pub fn save(&self, property: &str, example: &Counterexample) -> Option<SavedTrail> {
        (example.choices.len() == example.steps.len()).then(|| SavedTrail {
            trail: VERSION,
            model: self.file.clone(),
            hash: self.hash(),
            property: property.to_owned(),
            reason: example.reason.clone(),
            cycle_start: example.cycle_start,
            steps: example.steps.iter().zip(&example.choices).map(|(s, &c)| SavedStep::of(s, c)).collect(),
        })
    }

    /// Whether a saved trail is one of this model.
    pub fn fits(&self, trail: &SavedTrail) -> Result<(), Diagnostic> {
        if trail.hash == self.hash() {
            return Ok(());
        }
        Err(mismatch(format!("the trail was saved from a different version of `{}`", trail.model))
            .note("a replay would not show the original run")
            .help("check the model again with --trail, and use the same -D macros"))
    }
}

/// A trail in the terms of the text, with what it takes to find it again in the model as it was written.
struct Narrated {
    /// Step by step.
    pub steps: Vec<TraceStep>,
    /// The number of each (which transition, of which process), or [`STUTTER`].
    pub numbers: Vec<u32>,
    /// Where the processes are behind each.
    pub locations: Vec<Vec<LocationId>>,
    /// The step with which the cycle begins.
    pub cycle_start: Option<usize>,
    /// Where each process is at the end.
    pub end: Vec<Standing>,
    /// Steps that the trail does not list.
    pub omitted: Option<Omitted>,
}

/// Puts a trail of the search into the terms of the text.
fn narrate(
    document: &dyn ProcessDocument,
    steps: &dyn ShowSteps,
    layout: &NetworkLayout,
    trail: &Trail,
    cycle: Option<usize>,
) -> Narrated {
    let positions =
        |state: &[u64]| document.program().map_or(Vec::new(), |program| positions(program, layout, state));
    let mut narrated = Narrated {
        steps: Vec::new(),
        numbers: Vec::new(),
        locations: Vec::new(),
        cycle_start: None,
        omitted: None,
        end: trail.states.last().map_or(Vec::new(), |state| steps.standings(state)),
    };
    for (i, &number) in trail.steps.iter().enumerate() {
        if cycle == Some(i) {
            narrated.cycle_start = Some(narrated.steps.len());
        }
        let after = &trail.states[i + 1];
        if let Some(gap) = trail.gap.filter(|gap| gap.at == i) {
            narrated.omitted = Some(Omitted { after: narrated.steps.len(), steps: gap.steps });
            continue;
        }
        let shown = match number {
            STUTTER => Some(TraceStep::stutter()),
            _ if number & 0xffff == kernels::RELEASE => None,
            _ => steps.step(ProcessStep::of_number(number), &trail.states[i], after),
        };
        if let Some(step) = shown {
            narrated.steps.push(step);
            narrated.numbers.push(if number == STUTTER { number } else { number & !TRANSIENT });
            narrated.locations.push(positions(after));
        }
    }
    if cycle == Some(trail.steps.len()) {
        narrated.cycle_start = Some(narrated.steps.len());
    }
    narrated
}

/// Steps of a trail that is listed as a whole, unless that is wanted of longer ones.
pub(crate) const LONGEST: usize = 1000;

/// Steps at the beginning and at the end of a longer one that are listed.
pub(crate) const LISTED: usize = 150;

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
pub(crate) fn show(
    session: &Session,
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
    let Some(steps) = document.steps(&session.sources, layout) else {
        return Counterexample { reason, ..Counterexample::default() };
    };
    let narrated = narrate(document, &*steps, layout, trail, cycle);
    let (cycle_start, omitted) = (narrated.cycle_start, narrated.omitted);
    let replayed = retell(session, &narrated);
    let Narrated { steps, end, .. } = narrated;
    let untold = Counterexample { reason, cycle_start, omitted, ..Counterexample::default() };
    match (replayed, omitted) {
        (Some(Replayed { steps, choices, end }), None) => Counterexample { steps, choices, end, ..untold },
        // What follows the missing steps is told by the search.
        (Some(Replayed { steps: mut replayed, .. }), Some(omitted)) => {
            replayed.extend(steps.into_iter().skip(omitted.after));
            Counterexample { steps: replayed, end, ..untold }
        }
        (None, _) => Counterexample { steps, end, ..untold },
    }
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

/// Takes the steps of a trail again, up to those that are missing. `None` if there is no such run: then the search went another way than the model.
fn retell(session: &Session, told: &Narrated) -> Option<Replayed> {
    let runnable = session.runnable_again();
    let mut run = session.simulate(&runnable, None)?.ok()?;
    let mut steps = Vec::with_capacity(told.steps.len());
    let mut choices = Vec::with_capacity(told.steps.len());
    let listed = told.omitted.map_or(told.steps.len(), |omitted| omitted.after);
    let all = told.steps.iter().zip(&told.numbers).zip(&told.locations);
    let slot = |number: u32| ProcessStep::of_number(number).slot;
    for (at, ((step, &number), locations)) in all.take(listed).enumerate() {
        // A choice is a place among all steps, which are not found where a run is listed in part: its choices are not kept.
        let next = told.numbers.get(at + 1).filter(|&&next| told.omitted.is_some() && next != STUTTER);
        run.mover = next.map(|&next| slot(next));
        if number == STUTTER {
            (run.choices() == 0).then_some(())?;
            steps.push(step.clone());
            choices.push(None);
            continue;
        }
        let moves = |&choice: &usize| run.number(choice) == number && run.locations(choice) == *locations;
        // Several receivers may take the same offer and stay where they are.
        let likeness = |&choice: &usize| {
            let found = run.look(choice);
            let same_partner = found.as_ref().is_some_and(|found| found.partner == step.partner);
            let changes = found.map_or(0, |f| f.changes.iter().filter(|c| step.changes.contains(c)).count());
            (same_partner, changes, std::cmp::Reverse(choice))
        };
        let choice = (0..run.choices()).filter(moves).max_by_key(likeness)?;
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
            let there = crate::limits::counted(self.choices() as u64, "step");
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
