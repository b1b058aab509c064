//! What is to be noted while rules are applied, and what was.

use crate::ir::{JudgmentId, RoutineId};
use crate::steps::Steps;
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
    pub(crate) types: Option<JudgmentId>,
    pub(crate) steps: Option<Steps>,
    /// The first result for each node: whether results are kept makes no difference to it.
    pub(crate) noted: FxHashMap<NodeId, Value>,
}
