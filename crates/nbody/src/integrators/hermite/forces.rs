//! Forces on some bodies, summed by the devices.

use super::kernel::{Order, RESULT, WIDTH, pulls};
use super::motion::{Pull, Vector};
use crate::ranks::Outcome;
use crate::state::State;
use crate::trouble::Trouble;
use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_runtime::contents::{Array, Layout, Replica};
use volvelle_runtime::{Argument, Context, Function, Kernel};

/// The kernels and their buffers.
pub(super) struct Forces {
    context: Arc<Context>,
    /// All bodies at the time of the step.
    predicted: Arc<Replica>,
    /// The bodies that forces are summed for.
    active: Arc<Replica>,
    /// By the number of lanes.
    results: BTreeMap<u64, Arc<Array>>,
    /// The jerks of all bodies, for the crackle.
    jerks: Arc<Replica>,
    /// By order.
    kernels: [Kernel; 3],
}

impl Forces {
    pub(super) fn new(state: &State, softening: f64) -> Result<Self, Trouble> {
        let context = state.context.clone();
        let predicted = Arc::new(Replica::new(&context, Layout::several(Type::F64, WIDTH))?);
        let active = Arc::new(Replica::new(&context, Layout::of(Type::U32))?);
        let jerks = Arc::new(Replica::new(&context, Layout::several(Type::F64, 3))?);
        let kernel = |order: Order| -> Result<Kernel, Trouble> {
            let mut kernel = Kernel::new(&context, Function::of(pulls(softening > 0.0, order)))?;
            kernel.set("first", Argument::First)?;
            kernel.set("bodies", state.len() as u64)?;
            kernel.set("softening", softening)?;
            kernel.set("active", active.clone())?;
            kernel.set("predicted", predicted.clone())?;
            if order == Order::Crackle {
                kernel.set("jerks", jerks.clone())?;
            }
            Ok(kernel)
        };
        let kernels = [kernel(Order::Jerk)?, kernel(Order::Snap)?, kernel(Order::Crackle)?];
        Ok(Forces { context, predicted, active, results: BTreeMap::new(), jerks, kernels })
    }

    /// Gives the devices the jerks of all bodies, which the crackle needs.
    pub(super) fn set_jerks(&self, jerks: &[Vector]) -> Result<(), Trouble> {
        Ok(self.jerks.set(jerks.as_flattened())?)
    }

    /// The forces of all predicted bodies on some of them. All ranks call it with the same arguments.
    pub(super) fn on(
        &mut self,
        active: &[u32],
        predicted: &[[f64; WIDTH]],
        order: Order,
    ) -> Result<Vec<Pull>, Trouble> {
        let Some(&last) = active.last() else { return Ok(Vec::new()) };
        let lanes = lanes(active.len() as u64);
        // The lanes that are too many repeat the last body.
        let mut padded = active.to_vec();
        padded.resize(lanes as usize, last);
        self.active.set(&padded)?;
        self.predicted.set(predicted.as_flattened())?;
        let result = match self.results.get(&lanes) {
            Some(result) => result.clone(),
            None => {
                let made = Arc::new(Array::new(&self.context, Layout::several(Type::F64, RESULT), lanes)?);
                self.results.insert(lanes, made.clone());
                made
            }
        };
        let kernel = &mut self.kernels[order as usize];
        kernel.set("result", result.clone())?;
        let outcome = Outcome::of(kernel.start(lanes, None))?.agreed(&self.context)?;
        outcome.trouble(kernel).map_or(Ok(()), Err)?;
        let values: Vec<f64> = result.values()?;
        let (rows, _) = values.as_chunks::<RESULT>();
        let pull = |&[a, b, c, d, e, f, g, h, i, strength, slope]: &[f64; RESULT]| Pull {
            derivatives: [[a, b, c], [d, e, f], [g, h, i]],
            strength,
            slope,
        };
        Ok(rows[..active.len()].iter().map(pull).collect())
    }
}

/// Number of lanes for some bodies: rounded up by at most a quarter, so that few different numbers occur.
fn lanes(count: u64) -> u64 {
    let mut lanes = 16;
    while lanes < count {
        lanes = (lanes * 5 / 4).next_multiple_of(16);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn few_numbers_of_lanes() {
        let all: std::collections::BTreeSet<u64> = (1..100_000).map(lanes).collect();
        assert!(all.len() < 50);
        assert!(
            (1..100_000).all(|count| lanes(count) >= count && lanes(count) <= 16.max(count * 5 / 4 + 16))
        );
    }
}
