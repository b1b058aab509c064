//! State spaces that were read from files rather than explored.
//!
//! The program of such a space has fields and observations but no groups. The same kernels evaluate observations of loaded
//! and of explored states.

use crate::accuracy::{Errors, RowOperations, of_numbers};
use crate::error::{ExploreError, Reached};
use crate::explorer::{Explored, Rationals};
use crate::observe::Observing;
use crate::store::StateTable;
use volvelle_control::Control;
use volvelle_kernel::Compiler;
use volvelle_model::kernels::Selection;
use volvelle_model::rounding::Plan;
use volvelle_model::{Layout, Program};
use volvelle_space::{ExactSpace, Space};

/// A state space that was read.
pub struct LoadedSpace {
    /// Matrix, labels and rewards. Reward structure `i` is that of the program; observations replace labels.
    pub space: Space,
    /// The same numbers as rationals, if the file has them.
    pub exact: Option<ExactSpace>,
    /// The values of the program's fields in each state, packed by [`Layout::new`] of the program.
    pub states: StateTable,
}

/// Observes the states of a space that was read.
pub fn observe_loaded(
    program: &Program,
    loaded: LoadedSpace,
    compiler: &dyn Compiler,
    selection: &Selection,
    control: &Control<'_>,
) -> Result<Explored, ExploreError> {
    let LoadedSpace { mut space, exact, states } = loaded;
    let layout = Layout::new(program);
    let (n, transitions) = (space.num_states() as u64, space.num_transitions() as u64);
    let bytes = states.bytes() + space.bytes();
    let reached = Reached { states: n, expanded: n, transitions, bytes };
    let selection = Selection { rewards: Vec::new(), ..selection.clone() };
    let plan = Plan::new(program, &selection);
    let with_twins = plan.program.as_ref().unwrap_or(program);
    let observing = Observing {
        program: with_twins,
        layout: &layout,
        states: &states,
        structures: &[],
        reached,
        code: None,
    };
    let observed = observing.all(Vec::new(), compiler, &plan.observe, control)?;
    let mut numbers = observed.numbers;
    let errors = Errors::of_read(&space.values, of_numbers(&plan, &mut numbers)).with_shares();
    space.labels = observed.labels;
    Ok(Explored {
        space,
        numbers,
        replaced: observed.replaced,
        states,
        index: "none",
        unexpanded: None,
        layout,
        slots: None,
        orbits: Vec::new(),
        compiled: observed.compiled,
        errors,
        operations: RowOperations::default(),
        rationals: exact.map_or(Rationals::Missing, Rationals::Read),
    })
}
