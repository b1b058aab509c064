//! Single states revisited: their successors, and shortest paths to them.

use crate::batch::Batch;
use crate::canonical::Canonicalizer;
use crate::error::ExploreError;
use crate::step::Step;
use crate::store::UNKNOWN;
use crate::workers::Frontier;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Code, Compiler, Exit, Site};
use volvelle_model::kernels::{self, StepKernel, StepOptions, label_values};
use volvelle_model::tables::Table;
use volvelle_model::{GroupId, Kind, LabelValue, Layout, Program};
use volvelle_space::StateId;

/// One successor of a state, as in the program: nothing is merged.
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

/// Examines single states, by a step kernel that reports choices for any kind of program.
pub struct Stepper {
    kernel: StepKernel,
    code: Box<dyn Code>,
    /// Of functions that the front end evaluates.
    tables: Vec<Table>,
}

impl Stepper {
    /// For states in this layout. For a few states, the interpreter suffices as compiler.
    pub fn new(program: &Program, layout: &Layout, compiler: &dyn Compiler) -> Result<Self, ExploreError> {
        let options = StepOptions { choices: true, ..StepOptions::default() };
        Self::with(kernels::step(program, layout, &options)?, compiler)
    }

    /// For states with known successors, in a program with functions, given their tables.
    pub(crate) fn with_tables(
        program: &Program,
        layout: &Layout,
        tables: &[Table],
    ) -> Result<Self, ExploreError> {
        let options = StepOptions { choices: true, functions: true, ..StepOptions::default() };
        let stepper = Self::with(kernels::step(program, layout, &options)?, &Interpreter)?;
        Ok(Stepper { tables: tables.to_vec(), ..stepper })
    }

    /// With a kernel that was made with choices.
    pub fn with(kernel: StepKernel, compiler: &dyn Compiler) -> Result<Self, ExploreError> {
        let code = compiler.compile(&kernel.kernel)?;
        Ok(Stepper { kernel, code, tables: Vec::new() })
    }

    /// The site that fails when a packed state is expanded.
    pub(crate) fn failure(&self, packed: &[u64]) -> Option<Site> {
        match Batch::new(&self.kernel).expand_with(&*self.code, packed, &self.tables) {
            Exit::Failed(site) => Some(site),
            _ => None,
        }
    }

    /// The successors of a packed state, in the order of the program; none if evaluation fails.
    pub fn successors(&self, packed: &[u64]) -> Vec<Successor> {
        let mut batch = Batch::new(&self.kernel);
        if batch.expand_with(&*self.code, packed, &self.tables) != Exit::Done {
            return Vec::new();
        }
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

/// A path by which exploration reaches a state.
pub(crate) struct Arrival {
    /// A shortest path from an initial state, by the known rows. Empty if the program cannot be stepped one
    /// state at a time.
    pub path: Vec<Step>,
    /// The packed state at its end: the requested one, or one that it stands for.
    pub state: Vec<u64>,
    /// The site that fails there, if this is not the requested state.
    pub site: Option<Site>,
}

/// The path to `state`. Numbers are breadth-first, so the first row that mentions a state is its parent on a
/// shortest path. With symmetry, the result is still a path of the program: it goes through states that the
/// known ones stand for.
pub(crate) fn arrival(
    frontier: &Frontier,
    program: &Program,
    layout: &Layout,
    tables: &[Table],
    mut canonicalizer: Option<Canonicalizer>,
    state: usize,
) -> Arrival {
    let Ok(stepper) = Stepper::with_tables(program, layout, tables) else {
        return Arrival { path: Vec::new(), state: frontier.states.get(state).to_vec(), site: None };
    };
    let mut numbers = vec![state];
    let parents = parents(frontier, program.kind());
    while let Some(&parent) = numbers.last().map(|&at| &parents[at]).filter(|&&parent| parent != UNKNOWN) {
        numbers.push(parent as usize);
    }
    numbers.reverse();
    let mut path = Vec::new();
    let mut at = frontier.states.get(numbers[0]).to_vec();
    for pair in numbers.windows(2) {
        let target = frontier.states.get(pair[1]);
        let leads_there = |successor: &Successor| match &mut canonicalizer {
            None => successor.packed == target,
            Some(canonicalizer) => {
                let mut canonical = successor.packed.clone();
                canonicalizer.canonicalize(&mut canonical);
                canonical == target
            }
        };
        let Some(Successor { group, packed, .. }) = stepper.successors(&at).into_iter().find(leads_there)
        else {
            return Arrival { path: Vec::new(), state: frontier.states.get(state).to_vec(), site: None };
        };
        let action = program.groups[group.index()].action;
        path.push(Step { from: StateId(pair[0] as u32), group, action, to: StateId(pair[1] as u32) });
        at = packed;
    }
    let site = if at == frontier.states.get(state) { None } else { stepper.failure(&at) };
    Arrival { path, state: at, site }
}

/// By state: the first state whose row mentions it.
fn parents(frontier: &Frontier, kind: Kind) -> Vec<u32> {
    let matrix = &frontier.matrix;
    let mut parents = vec![UNKNOWN; frontier.states.len()];
    for row_state in 0..matrix.states {
        let rows = match kind {
            kind if kind.is_nondeterministic() => {
                matrix.choice_start[row_state] as usize..matrix.choice_start[row_state + 1] as usize
            }
            _ => row_state..row_state + 1,
        };
        let transitions = matrix.row_start[rows.start] as usize..matrix.row_start[rows.end] as usize;
        for &to in &matrix.columns[transitions] {
            if parents[to as usize] == UNKNOWN && to as usize > row_state {
                parents[to as usize] = row_state as u32;
            }
        }
    }
    parents
}
