//! All states, as a structure.

use super::{TooLarge, Unfolding};
use volvelle_space::{WeightedBuilder, WeightedStructure};

/// States between two questions whether to go on.
const STATES_BETWEEN_CHECKS: usize = 1024;

/// Why there is no structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStructure {
    /// The caller did not want to go on.
    Stopped,
    /// A state cannot be represented, or there are more than 2^32 steps.
    TooLarge(TooLarge),
}

impl From<TooLarge> for NoStructure {
    fn from(reason: TooLarge) -> Self {
        NoStructure::TooLarge(reason)
    }
}

impl Unfolding {
    /// The structure of all states that can be reached; states have the same numbers. `goes_on` is asked now and then, with the number of
    /// states that are known and the bytes that are held.
    ///
    /// # Errors
    /// The caller does not want to go on, or the system is too large.
    pub fn explore(
        &mut self,
        goes_on: &mut dyn FnMut(usize, u64) -> bool,
    ) -> Result<WeightedStructure, NoStructure> {
        let mut builder = WeightedBuilder::new();
        let mut steps = Vec::new();
        let mut state = 0;
        while state < self.num_states() {
            if state.is_multiple_of(STATES_BETWEEN_CHECKS) {
                let built = 8 * builder.num_states() + 16 * builder.num_steps();
                if !goes_on(self.num_states(), self.bytes() + built as u64) {
                    return Err(NoStructure::Stopped);
                }
            }
            steps.clear();
            self.steps(state as u32, &mut steps)?;
            if builder.num_steps() + steps.len() > u32::MAX as usize {
                return Err(TooLarge::States.into());
            }
            let valuation = self.valuation(state as u32).iter();
            let valuation = valuation.map(|&(proposition, times)| (proposition, i64::from(times)));
            builder.state(valuation, steps.iter().copied());
            state += 1;
        }
        let system = self.system();
        Ok(builder.finish(0, system.unit.clone(), system.propositions.clone()))
    }
}
