//! Forces: direct sums.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod direct;
mod law;
mod opencl;

pub use law::Law;

use crate::physics::{Arithmetic, Force, Physics};
use crate::simulation::expect_done;
use crate::state::State;
use crate::trouble::Trouble;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Layout};
use volvelle_runtime::{Argument, Function, Kernel};

/// The function that computes accelerations, with what single technologies have of their own.
fn accelerating(physics: &Physics) -> Function {
    let softened = physics.softening > 0.0;
    let mut function = Function::of(direct::acceleration(softened));
    if physics.arithmetic == Arithmetic::Fastest {
        function.texts.insert("opencl".to_owned(), opencl::acceleration(softened));
        #[cfg(target_arch = "x86_64")]
        if let Some(closure) = avx512::closure(softened) {
            function.closure = Some(Arc::new(closure));
        }
    }
    function
}

/// The kernels that compute forces, on all devices.
pub(crate) struct Gravity {
    acceleration: Kernel,
    potential: Kernel,
    potentials: Arc<Array>,
}

impl Gravity {
    pub(crate) fn new(state: &State, physics: &Physics) -> Result<Self, Trouble> {
        let potentials = Arc::new(Array::new(&state.context, Layout::of(Type::F64), state.len() as u64)?);
        let kernel = |function: Function| -> Result<Kernel, Trouble> {
            let mut kernel = Kernel::new(&state.context, function)?;
            kernel.set("first", Argument::First)?;
            kernel.set("bodies", Argument::Units)?;
            kernel.set("softening", physics.softening)?;
            kernel.set("position", state.position.clone())?;
            Ok(kernel)
        };
        let numbered = |kernel_of: &dyn Fn(&Law) -> &volvelle_kernel::Kernel, law: &Law| {
            let ir = kernel_of(law);
            let mut made = kernel(Function::of(ir.clone()))?;
            law.numbers_of(ir).try_for_each(|(name, value)| made.set(name, value))?;
            Ok::<Kernel, Trouble>(made)
        };
        let (mut acceleration, mut potential) = match &physics.force {
            Force::Newton => {
                (kernel(accelerating(physics))?, kernel(Function::of(direct::potential()))?)
            }
            Force::Law(law) => {
                (numbered(&|law| &law.acceleration, law)?, numbered(&|law| &law.potential, law)?)
            }
        };
        acceleration.set("acceleration", state.acceleration.clone())?;
        potential.set("potential", potentials.clone())?;
        Ok(Gravity { acceleration, potential, potentials })
    }

    /// Computes the accelerations of all bodies.
    pub(crate) fn accelerate(&self, state: &State) -> Result<(), Trouble> {
        let exit = self.acceleration.start(state.len() as u64, None)?;
        expect_done(&self.acceleration, exit)
    }

    /// The potentials of all bodies, on every rank.
    pub(crate) fn potentials(&self, state: &State) -> Result<Vec<f64>, Trouble> {
        let exit = self.potential.start(state.len() as u64, None)?;
        expect_done(&self.potential, exit)?;
        Ok(self.potentials.values()?)
    }
}
