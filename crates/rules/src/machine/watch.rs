//! What is noted while rules are applied: which were, and what a judgment gave for nodes. Nothing where nobody asks.

use super::Machine;
use super::derivation::Steps;
use crate::ir::{JudgmentId, RoutineId};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_trees::NodeId;

/// What is to be noted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// Which rules and alternatives are applied.
    pub applied: bool,
    /// What a judgment of one input and one output gives for nodes.
    pub types: Option<JudgmentId>,
    /// How a question that is asked came to hold.
    pub derivation: bool,
}

/// Rules, bodies and checks that were applied, and alternatives of `or` that were tried, by their first instructions.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    pub(crate) routines: FxHashSet<RoutineId>,
    pub(crate) alternatives: FxHashSet<(RoutineId, u32)>,
}

impl Applied {
    /// Adds those of another run.
    pub fn join(&mut self, other: &Applied) {
        self.routines.extend(&other.routines);
        self.alternatives.extend(&other.alternatives);
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    pub(crate) applied: Option<Applied>,
    types: Option<JudgmentId>,
    pub(crate) steps: Option<Steps>,
    /// The first result for each node: whether results are kept makes no difference to it.
    pub(crate) noted: FxHashMap<NodeId, Value>,
}

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
