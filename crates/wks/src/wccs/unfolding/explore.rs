//! All states, as a structure.

use super::{State, TooLarge, Unfolding};
use volvelle_space::{WeightedBuilder, WeightedStructure};

/// States between two questions whether to go on.
const STATES_BETWEEN_CHECKS: usize = 1024;

/// States whose targets are looked up together.
const BATCH: usize = 16;

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
        let (mut steps, mut ends) = (Vec::new(), Vec::new());
        let (mut first, mut checked) = (0, 0);
        while first < self.num_states() {
            if first >= checked {
                checked = first + STATES_BETWEEN_CHECKS;
                if !goes_on(self.num_states(), self.bytes() + builder.bytes()) {
                    return Err(NoStructure::Stopped);
                }
            }
            let last = self.num_states().min(first + BATCH);
            for state in first..last {
                self.prepare(self.states[state].term)?;
            }
            self.begin();
            ends.clear();
            for state in first..last {
                let State { term, context, .. } = self.states[state];
                self.append(term, context)?;
                ends.push(self.found.len());
            }
            self.number_targets()?;
            let mut start = 0;
            for (state, &end) in (first..last).zip(&ends) {
                let State { context, valuation, .. } = self.states[state];
                steps.clear();
                self.take(context, start..end, &mut steps)?;
                if builder.num_steps() + steps.len() > u32::MAX as usize {
                    return Err(TooLarge::States.into());
                }
                let valuation = self.valuations.get(valuation).iter();
                let valuation = valuation.map(|&(proposition, times)| (proposition, i64::from(times)));
                builder.state(valuation, steps.iter().copied());
                start = end;
            }
            first = last;
        }
        let system = self.system();
        Ok(builder.finish(0, system.unit.clone(), system.propositions.clone()))
    }
}
