//! Forces: direct sums, sums using a tree, and user-defined laws.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod direct;
mod tiles;
mod tree;

pub(crate) use direct::{COINCIDENT, pull_on};

use crate::law::Law;
use crate::physics::{Arithmetic, Force, Physics, Solver};
use crate::ranks::Outcome;
use crate::state::State;
use crate::trouble::Trouble;
use std::sync::Arc;
use tree::TreeSolver;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Layout};
use volvelle_runtime::{Argument, Function, Kernel};

/// The function that computes accelerations, with variants for single technologies.
fn accelerating(physics: &Physics) -> Function {
    let softened = physics.softening > 0.0;
    let mut function = Function::of(direct::acceleration(softened));
    if physics.arithmetic == Arithmetic::Fastest {
        let texts = tiles::accelerations(softened);
        function.texts.extend(texts.map(|(technology, text)| (technology.to_owned(), text)));
        #[cfg(target_arch = "x86_64")]
        {
            function.closure = avx512::closure(softened);
        }
    }
    function
}

/// The kernels that compute forces, on all devices.
pub(crate) struct Gravity {
    solver: Summation,
    potential: Kernel,
    potentials: Arc<Array>,
}

/// How accelerations are summed.
enum Summation {
    Direct(Box<Kernel>),
    Tree(Box<TreeSolver>),
}

impl Gravity {
    pub(crate) fn new(state: &State, physics: &Physics) -> Result<Self, Trouble> {
        let potentials = Arc::new(Array::new(&state.context, Layout::of(Type::F64), state.len() as u64)?);
        let made = |function: Function| made(state, physics.softening, function);
        let numbered = |ir: &volvelle_kernel::Kernel, law: &Law| {
            let mut kernel = made(Function::of(ir.clone()))?;
            law.numbers_of(ir).try_for_each(|(name, value)| kernel.set(name, value))?;
            Ok::<Kernel, Trouble>(kernel)
        };
        let (acceleration, mut potential) = match &physics.force {
            Force::Newton => (None, made(Function::of(direct::potential()))?),
            Force::Law(law) => (Some(numbered(&law.acceleration, law)?), numbered(&law.potential, law)?),
        };
        potential.set("potential", potentials.clone())?;
        let solver = match (acceleration, physics.solver) {
            (None, Solver::Tree { opening_angle, quadrupole }) => {
                let solver = TreeSolver::new(state, physics.softening, opening_angle, quadrupole)?;
                Summation::Tree(Box::new(solver))
            }
            (own, _) => {
                let mut kernel = own.map_or_else(|| made(accelerating(physics)), Ok)?;
                kernel.set("acceleration", state.acceleration.clone())?;
                Summation::Direct(Box::new(kernel))
            }
        };
        Ok(Gravity { solver, potential, potentials })
    }

    /// The kernel that computes the accelerations at the current positions, ready to start.
    pub(crate) fn prepared(&mut self, state: &State) -> Result<&Kernel, Trouble> {
        match &mut self.solver {
            Summation::Direct(kernel) => Ok(kernel),
            Summation::Tree(solver) => solver.prepared(state),
        }
    }

    /// The same if it needs no preparation by the host, so that it may start before the positions are known.
    pub(crate) fn always_prepared(&self) -> Option<&Kernel> {
        match &self.solver {
            Summation::Direct(kernel) => Some(kernel),
            Summation::Tree(_) => None,
        }
    }

    /// The error that the kernel of accelerations reported.
    pub(crate) fn trouble(&self, outcome: Outcome) -> Option<Trouble> {
        match &self.solver {
            Summation::Direct(kernel) => outcome.trouble(kernel),
            Summation::Tree(solver) => outcome.trouble(solver.kernel()),
        }
    }

    /// The potentials of all bodies, on every rank.
    pub(crate) fn potentials(&self, state: &State) -> Result<Vec<f64>, Trouble> {
        let outcome = Outcome::of(self.potential.start(state.len() as u64, None))?.agreed(&state.context)?;
        outcome.trouble(&self.potential).map_or(Ok(()), Err)?;
        Ok(self.potentials.values()?)
    }
}

/// A kernel with the arguments that all kernels of forces have.
fn made(state: &State, softening: f64, function: Function) -> Result<Kernel, Trouble> {
    let mut kernel = Kernel::new(&state.context, function)?;
    kernel.set("first", Argument::First)?;
    kernel.set("bodies", Argument::Units)?;
    kernel.set("softening", softening)?;
    kernel.set("position", state.position.clone())?;
    Ok(kernel)
}
