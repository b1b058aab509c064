//! What is noted while rules are applied: which were, and what a judgment gave for nodes. Nothing where nobody asks.

use super::Machine;
use crate::ir::{JudgmentId, RoutineId};
use crate::steps::Steps;
use crate::value::Value;
use crate::watch::{Applied, Watch, Watched};
use rustc_hash::FxHashMap;

impl Machine<'_> {
    /// Begins to note.
    pub(crate) fn watch(&mut self, watch: Watch) {
        if watch.applied || watch.types.is_some() || watch.derivation {
            let applied = watch.applied.then(Applied::default);
            let steps = watch.derivation.then(Steps::default);
            let noted = FxHashMap::default();
            self.watched = Some(Box::new(Watched { applied, types: watch.types, steps, noted }));
        }
    }

    /// How many bytes what is noted takes, about.
    pub(super) fn noted_bytes(&self) -> usize {
        self.watched.as_ref().and_then(|watched| watched.steps.as_ref()).map_or(0, Steps::bytes)
    }

    pub(super) fn note_routine(&mut self, routine: RoutineId) {
        if let Some(applied) = self.watched.as_mut().and_then(|watched| watched.applied.as_mut()) {
            applied.routines.insert(routine);
        }
    }

    pub(super) fn note_alternative(&mut self, routine: RoutineId, pc: u32) {
        if let Some(applied) = self.watched.as_mut().and_then(|watched| watched.applied.as_mut()) {
            applied.alternatives.insert((routine, pc));
        }
    }

    /// A rule of a judgment has a result in a register; its input is in another one.
    pub(super) fn note_result(&mut self, judgment: JudgmentId, input: usize, result: usize) {
        if let Some(watched) = &mut self.watched
            && watched.types == Some(judgment)
            && let (Some(&Value::Node(node)), Some(&value)) = (self.regs.get(input), self.regs.get(result))
        {
            watched.noted.entry(node).or_insert(value);
        }
    }
}
