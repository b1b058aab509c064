//! Paths of branches, and how they begin.

use crate::contested::Contested;
use crate::machine::Notes;
use crate::path::{Asked, Path, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use volvelle_model::FieldId;

/// Number of branching states that are kept to recognise them again. Twice as many may await their turn.
pub(super) const KEPT: usize = 8_000;

/// Limit of branching states without a `timeout` in between, in models that have one.
pub(super) const MOST_BETWEEN: usize = 4_000;

/// How the paths from some point on end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What holds where the goal is reached.
    pub reached: Option<Reached>,
    /// The observations at the end, where the goal is not reached.
    pub observed: Option<Vec<i64>>,
    /// The locations of the processes at the end.
    pub locations: Vec<u32>,
}

/// What is to be followed, and within which limits.
#[derive(Clone, Copy)]
pub struct Paths<'a, 'p> {
    pub compiled: &'a Compiled<'p>,
    pub asked: &'a Asked,
    pub goal_fields: &'a [FieldId],
    /// By field: whether something depends on it.
    pub needed: &'a [bool],
    /// Limit of steps.
    pub most: u64,
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why paths are not followed further.
pub(super) enum Stop {
    Refused(Refusal),
    /// More resources turned out to be contested: start again.
    Contested,
}

/// Takes uncontested steps of single processes until none is left. Decisions beyond `choices` take the first
/// option.
pub(super) fn begin(path: &mut Path<'_, '_>, choices: &[u32], contested: &Contested) -> Result<(), Stop> {
    let mut current = 0;
    let (mut moves, mut notes) = (Vec::new(), Notes::default());
    while path.next(current, &mut moves, &mut notes)?.is_some() {
        let slot = moves[0].slot;
        let is_alone = moves.iter().all(|step| step.partner.is_none());
        if !is_alone || contested.concerns(&mut path.machine, slot)?.0 {
            break;
        }
        if path.executed >= MOST_FIRST {
            return Err(Stop::Refused(Refusal::Limit));
        }
        let mut chosen = 0;
        if moves.len() > 1 {
            chosen = choices.get(path.decisions.len()).copied().unwrap_or(0);
            path.decisions.push((moves.len() as u32, chosen));
        }
        let step = moves[(chosen as usize).min(moves.len() - 1)];
        let mut event = path.perform(step, std::mem::take(&mut notes), None)?;
        path.executed += 1;
        path.look_for_goal(&mut event)?;
        path.push(event);
        current = slot;
    }
    Ok(())
}

/// Limit of steps before paths branch.
const MOST_FIRST: u64 = 20_000;
