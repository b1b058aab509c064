//! Single states again: their successors, and a shortest way to them.

use crate::batch::Batch;
use crate::explorer::CompiledStep;
use crate::store::{UNKNOWN};
use crate::workers::Frontier;
use volvelle_model::{ActionId, GroupId, Program};
use volvelle_space::StateId;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// State before.
    pub from: StateId,
    /// Group that moved.
    pub group: GroupId,
    /// Action it showed.
    pub action: ActionId,
    /// State after.
    pub to: StateId,
}

/// One successor of a state, as the program gives it: nothing merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// Number of the choice within the state.
    pub choice: usize,
    /// Group that moves; unknown for a kernel without choices.
    pub group: Option<GroupId>,
    /// Probability or rate.
    pub weight: f64,
    /// Packed target.
    pub packed: Vec<u64>,
}

/// The successors of one packed state, in the order of the program.
pub fn successors(step: &CompiledStep, packed: &[u64]) -> Vec<Successor> {
    let mut batch = Batch::new(&step.kernel);
    batch.expand(&*step.code, packed);
    let words = step.kernel.words;
    let mut choice = 0;
    let mut all = Vec::with_capacity(batch.weights.len());
    for (i, (&weight, packed)) in batch.weights.iter().zip(batch.successors.chunks_exact(words)).enumerate() {
        while batch.choice_ends.get(choice).is_some_and(|&end| end as usize <= i) {
            choice += 1;
        }
        let group = batch.choice_groups.get(choice).map(|&g| GroupId(g));
        all.push(Successor { choice, group, weight, packed: packed.to_vec() });
    }
    all
}

/// A shortest path from an initial state to `state`, by the rows that are known. Numbers are given in breadth-first
/// order, so the first row that mentions a state is its parent on a shortest path.
pub(crate) fn path(frontier: &Frontier, step: &CompiledStep, program: &Program, state: usize) -> Vec<Step> {
    let matrix = &frontier.matrix;
    let mut parent = vec![UNKNOWN; frontier.states.len()];
    for row_state in 0..matrix.states {
        let rows = match program.kind {
            volvelle_model::Kind::Mdp => {
                matrix.choice_start[row_state] as usize..matrix.choice_start[row_state + 1] as usize
            }
            _ => row_state..row_state + 1,
        };
        let transitions = matrix.row_start[rows.start] as usize..matrix.row_start[rows.end] as usize;
        for &to in &matrix.columns[transitions] {
            if parent[to as usize] == UNKNOWN && to as usize > row_state {
                parent[to as usize] = row_state as u32;
            }
        }
    }
    let mut path = Vec::new();
    let mut at = state;
    while parent[at] != UNKNOWN {
        let from = parent[at] as usize;
        let target = frontier.states.get(at);
        let moved = successors(step, frontier.states.get(from)).into_iter().find(|s| s.packed == target);
        let group = moved.and_then(|s| s.group).unwrap_or(GroupId(0));
        let action = program.groups.get(group.index()).map_or(ActionId::SILENT, |g| g.action);
        path.push(Step { from: StateId(from as u32), group, action, to: StateId(at as u32) });
        at = from;
    }
    path.reverse();
    path
}
