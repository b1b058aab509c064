//! What happens up to given times and at them, from the initial state on.

use volvelle_control::Control;
use volvelle_logic::gate::Range;
use volvelle_logic::{RewardQuery, StopReason};
use volvelle_markov::{Classes, transient_distributions};
use volvelle_space::{Space, StateId};

use crate::chain::Chain;
use crate::interval::{Bounds, add, multiply};
use crate::problem::Problem;
use crate::question::{expected, reward};

/// Whether transient analysis also counts actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrences {
    /// Nothing.
    #[default]
    NotCounted,
    /// Counts how often each action is expected up to each time. This takes one more analysis per action.
    Counted,
}

/// The chain at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The time.
    pub time: f64,
    /// The probability of each tangible state ([`Chain::tangible`]).
    pub probabilities: Vec<Bounds>,
    /// How often each measured action ([`Chain::actions`]) happens per unit of time at that time.
    pub throughputs: Vec<Bounds>,
    /// Expected count of each measured action up to that time, including those before time first passes.
    /// `None` if actions are not counted.
    pub counts: Option<Vec<Bounds>>,
}

/// The chain at several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Transient {
    /// One for each time, in the order given.
    pub moments: Vec<Moment>,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

impl Chain<'_> {
    /// The chain at these times.
    ///
    /// # Errors
    /// There are choices that matter, a time that makes no sense, or a limit.
    pub fn transient(
        &self,
        times: &[f64],
        occurrences: Occurrences,
        control: &Control,
    ) -> Result<Transient, Problem> {
        let generator = self.generator("transient behaviour")?;
        let options = &self.options.numerical;
        let n = self.structure.num_states();
        let initial = generator.initial_bounds();
        let mut space: Space = generator.space.clone();
        let classes = Classes::single(space.num_states());
        let (mut method, mut stop) = (String::new(), StopReason::Computed);
        let mut probabilities = vec![vec![[0.0; 2]; n]; times.len()];
        for &(state, share) in &initial {
            space.initial = vec![StateId(state)];
            let found = transient_distributions(&space, &classes, times, options, control)?;
            for (sums, found) in probabilities.iter_mut().zip(found) {
                for (sum, bounds) in sums.iter_mut().zip(found.bounds) {
                    *sum = add(*sum, multiply(share, bounds));
                }
                method = found.method;
                stop = stop.max(found.stop);
            }
        }
        let counts = match occurrences {
            Occurrences::NotCounted => None,
            Occurrences::Counted => Some(self.counts(times, control)?),
        };
        let ranges = generator.throughputs(self.kinds.actions.len());
        let moments = times.iter().zip(probabilities).enumerate().map(|(i, (&time, mut probabilities))| {
            // Rounding may make sums of bounds exceed one.
            probabilities.iter_mut().for_each(|[lo, hi]| (*lo, *hi) = (lo.max(0.0), hi.min(1.0)));
            let mut throughputs = vec![[0.0; 2]; self.kinds.actions.len()];
            for (state, &share) in probabilities.iter().enumerate() {
                for &(action, code) in generator.counted_in(state) {
                    let sum = &mut throughputs[action as usize];
                    *sum = add(*sum, multiply(share, generator.enclosure(code)));
                }
            }
            let ranges = ranges.iter().zip(&mut throughputs);
            ranges.for_each(|(range, bounds)| *bounds = range.admit_or_whole(*bounds));
            let counts = counts.as_ref().map(|counts| counts[i].clone());
            Moment { time, probabilities, throughputs, counts }
        });
        Ok(Transient { moments: moments.collect(), method, stop })
    }

    /// Expected counts of all actions up to each time.
    fn counts(&self, times: &[f64], control: &Control) -> Result<Vec<Vec<Bounds>>, Problem> {
        let generator = self.generator("transient behaviour")?;
        let initial = generator.initial_bounds();
        let mut counts = vec![vec![[0.0; 2]; self.kinds.actions.len()]; times.len()];
        let questions: Vec<_> =
            times.iter().map(|&time| reward(0, RewardQuery::Cumulative(time), None)).collect();
        for (action, name) in self.kinds.actions.iter().enumerate() {
            let rewards = vec![generator.rewards(action as u32, name)];
            let space = Space { rewards, ..generator.space.clone() };
            let found = expected(&space, &initial, &questions, &self.options.numerical, control)?;
            for (counts, found) in counts.iter_mut().zip(found) {
                counts[action] = Range::AMOUNT.admit_or_whole(found.bounds);
            }
        }
        for &(action, code) in &generator.at_once {
            for counts in &mut counts {
                counts[action as usize] = add(counts[action as usize], generator.enclosure(code));
            }
        }
        Ok(counts)
    }
}
