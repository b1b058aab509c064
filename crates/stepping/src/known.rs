//! Runs that something else has found: a search, or a solver. Their steps are looked for among those of a walk, which proves that the model has
//! them, and makes trails of them.

use crate::trail::mismatch;
use crate::{Effect, Enabled, SavedStep, Trail, Walk};
use volvelle_diagnostics::{Diagnostic, Span};
use volvelle_session::trace::Change;

/// A run that begins in the initial state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownRun {
    /// Step by step.
    pub steps: Vec<KnownStep>,
    /// The step, from 0, to whose beginning the last one leads back.
    pub cycle_start: Option<usize>,
}

/// What is known of a step: where it leads, and perhaps how it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownStep {
    /// All variables that it changes.
    pub changes: Vec<Change>,
    /// The name of its action; empty if it is silent. `None`: unknown.
    pub action: Option<String>,
    /// Texts in which it is written, one for each that moves.
    pub places: Vec<Span>,
    /// Lines on which these begin, where only those are known.
    pub lines: Vec<usize>,
}

impl KnownStep {
    /// How well a step of the walk that leads to the same state is this one.
    fn likeness(&self, step: &Enabled) -> usize {
        let within = |inner: &Span, outer: &Span| {
            inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
        };
        let is_written = |place: &&Span| step.what.places.iter().any(|inner| within(inner, place));
        let is_listed = |line: &&usize| step.what.lines.contains(line);
        let has_action = self.action.as_ref().is_some_and(|action| *action == step.what.action);
        self.places.iter().filter(is_written).count()
            + self.lines.iter().filter(is_listed).count()
            + usize::from(has_action)
    }

    /// Whether a step of the walk leads to the same state.
    fn leads_there(&self, step: &Enabled) -> bool {
        let Effect::Changes(changes) = &step.effect else { return false };
        changes.len() == self.changes.len() && self.changes.iter().all(|change| changes.contains(change))
    }
}

impl KnownRun {
    /// The trail of this run, along which the walk goes once. It has to be in its initial state, and is there again.
    ///
    /// # Errors
    /// The walk has no such step, or it fails.
    pub fn trail(&self, walk: &mut dyn Walk, seed: u64) -> Result<Trail, Diagnostic> {
        let followed = self.followed(walk);
        walk.back_to(0)?;
        Ok(Trail { cycle_start: self.cycle_start, ..Trail::new(walk.file(), seed, followed?) })
    }

    fn followed(&self, walk: &mut dyn Walk) -> Result<Vec<SavedStep>, Diagnostic> {
        let mut saved = Vec::with_capacity(self.steps.len());
        for (number, known) in (1..).zip(&self.steps) {
            let enabled = walk.enabled()?;
            let mut best: Option<(usize, usize)> = None;
            for (choice, step) in enabled.iter().enumerate().filter(|(_, step)| known.leads_there(step)) {
                let likeness = known.likeness(step);
                // Of steps that are alike, the first.
                if best.is_none_or(|(most, _)| likeness > most) {
                    best = Some((likeness, choice));
                }
            }
            let Some((_, choice)) = best else { return Err(lost(number, known, &enabled)) };
            saved.push(SavedStep::of(choice, &enabled[choice].what));
            walk.take(choice)?;
        }
        Ok(saved)
    }
}

/// A step that is not there.
fn lost(number: usize, known: &KnownStep, enabled: &[Enabled]) -> Diagnostic {
    let changes = known.changes.iter();
    let changes = changes.map(|change| format!("{}: {} -> {}", change.name, change.before, change.after));
    let changes: Vec<String> = changes.collect();
    let what = if changes.is_empty() { "it changes nothing".to_owned() } else { changes.join(", ") };
    let diagnostic = mismatch(format!("step {number} of the run cannot be followed")).note(what);
    match enabled.iter().any(|step| step.effect == Effect::Random) {
        true => diagnostic
            .note("the state has so many outcomes that only choices are listed, and outcomes are drawn"),
        false => diagnostic,
    }
}
