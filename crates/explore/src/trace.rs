//! Single states again: their successors, and a shortest way to them.

use crate::batch::Batch;
use crate::error::ExploreError;
use crate::step::Step;
use crate::store::UNKNOWN;
use crate::workers::Frontier;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Code, Compiler};
use volvelle_model::kernels::{self, StepKernel, StepOptions, label_values};
use volvelle_model::{GroupId, LabelValue, Layout, Program};
use volvelle_space::StateId;

/// One successor of a state, as the program gives it: nothing merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// Number of the choice within the state.
    pub choice: usize,
    /// Group that moves.
    pub group: GroupId,
    /// The values in its label.
    pub values: Vec<LabelValue>,
    /// Probability or rate.
    pub weight: f64,
    /// Packed target.
    pub packed: Vec<u64>,
}

/// Looks at single states: a step kernel that reports choices, whatever the kind of the program.
pub struct Stepper {
    kernel: StepKernel,
    code: Box<dyn Code>,
}

impl Stepper {
    /// For states in this layout. The interpreter will do as compiler, for a few states.
    pub fn new(program: &Program, layout: &Layout, compiler: &dyn Compiler) -> Result<Self, ExploreError> {
        let options = StepOptions { choices: true, ..StepOptions::default() };
        Self::with(kernels::step(program, layout, &options)?, compiler)
    }

    /// With a kernel that was made with choices.
    pub fn with(kernel: StepKernel, compiler: &dyn Compiler) -> Result<Self, ExploreError> {
        let code = compiler.compile(&kernel.kernel)?;
        Ok(Stepper { kernel, code })
    }

    /// The successors of a packed state, in the order of the program; none where evaluating it fails.
    pub fn successors(&self, packed: &[u64]) -> Vec<Successor> {
        let mut batch = Batch::new(&self.kernel);
        batch.expand(&*self.code, packed);
        let mut choice = 0;
        let mut all = Vec::with_capacity(batch.weights.len());
        let targets = batch.successors.chunks_exact(self.kernel.words);
        for (i, (&weight, packed)) in batch.weights.iter().zip(targets).enumerate() {
            while batch.choice_ends[choice] as usize <= i {
                choice += 1;
            }
            let group = batch.group(choice);
            let values = label_values(batch.label(choice));
            all.push(Successor { choice, group, values, weight, packed: packed.to_vec() });
        }
        all
    }
}

/// A shortest path from an initial state to `state`, by the rows that are known. Numbers are given in breadth-first
/// order, so the first row that mentions a state is its parent on a shortest path.
///
/// Empty where the program cannot be stepped through one state at a time.
pub(crate) fn path(frontier: &Frontier, program: &Program, layout: &Layout, state: usize) -> Vec<Step> {
    let Ok(stepper) = Stepper::new(program, layout, &Interpreter) else {
        return Vec::new();
    };
    let matrix = &frontier.matrix;
    let mut parent = vec![UNKNOWN; frontier.states.len()];
    let kind = program.kind();
    for row_state in 0..matrix.states {
        let rows = match kind {
            kind if kind.is_nondeterministic() => {
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
        let moved = stepper.successors(frontier.states.get(from)).into_iter().find(|s| s.packed == target);
        let Some(Successor { group, .. }) = moved else {
            break;
        };
        let action = program.groups[group.index()].action;
        path.push(Step { from: StateId(from as u32), group, action, to: StateId(at as u32) });
        at = from;
    }
    path.reverse();
    path
}
