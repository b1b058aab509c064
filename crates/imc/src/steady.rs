//! The steady state: probabilities of states, throughputs of actions, and the components in which runs end.

use volvelle_control::Control;
use volvelle_logic::gate::Range;
use volvelle_logic::{RewardQuery, StopReason};
use volvelle_markov::{CheckError, Classes, long_run_distribution, long_run_weights};
use volvelle_space::{Space, components};

use crate::chain::{Amount, Chain};
use crate::interval::{Bounds, add, middle, multiply, point};
use crate::problem::Problem;
use crate::question::{expected, reward};

/// In larger components, probabilities of states are computed only on request.
const LARGEST_DIRECT: usize = 2_500;

/// In larger components, states are not eliminated even if iteration fails.
const LARGEST_ELIMINATED: usize = 60_000;

/// The wanted results of the steady state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Throughputs, and probabilities of states if they cost little.
    #[default]
    Throughputs,
    /// Throughputs from one distribution over all states, with the bounds that this gives.
    Distribution,
    /// Probabilities of states as well, whatever the cost.
    States,
}

/// A set of states that is never left and whose states are visited infinitely often.
#[derive(Clone, Debug, PartialEq)]
pub struct BottomComponent {
    /// Its states, as indices of [`Chain::tangible`], in increasing order.
    pub members: Vec<u32>,
    /// Probability that a run ends there; 0 to 1 if unknown.
    pub probability: Bounds,
}

/// The long run.
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    /// The bottom components, by their least members.
    pub components: Vec<BottomComponent>,
    /// The share of time spent in each tangible state ([`Chain::tangible`]); `None` if not computed.
    pub probabilities: Option<Vec<Bounds>>,
    /// How often each measured action ([`Chain::actions`]) happens per unit of time.
    pub throughputs: Vec<Amount>,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

impl Chain<'_> {
    /// The steady state from the initial state.
    ///
    /// # Errors
    /// There are choices that matter, or a limit.
    pub fn steady(&self, wanted: Wanted, control: &Control) -> Result<Steady, Problem> {
        let generator = self.generator("the steady state")?;
        let space = &generator.space;
        let mut components = bottom_components(space);
        let largest = components.iter().map(|component| component.members.len()).max().unwrap_or(0);
        let n = self.structure.num_states();
        let mut distribution = None;
        let numerical = &self.options.numerical;
        // One distribution serves all actions.
        let directly =
            || long_run_distribution(space, &Classes::single(space.num_states()), numerical, control);
        let found = match wanted == Wanted::States || largest <= LARGEST_DIRECT {
            true => directly(),
            false => match long_run_weights(space, numerical, control) {
                // Elimination is slow, but also handles very improbable states.
                Err(CheckError::TooLarge { .. })
                    if wanted == Wanted::Distribution && largest <= LARGEST_ELIMINATED =>
                {
                    directly()
                }
                found => found,
            },
        };
        match found {
            Ok(found) => distribution = Some(found),
            Err(CheckError::TooLarge { .. }) if wanted == Wanted::Throughputs => {}
            Err(error) => return Err(error.into()),
        }
        let (mut method, mut stop) = (String::new(), StopReason::Computed);
        let mut throughputs = Vec::new();
        if let Some(found) = &distribution {
            method.clone_from(&found.method);
            stop = found.stop;
            let mut sums = vec![[0.0; 2]; self.kinds.actions.len()];
            for (state, &share) in found.bounds.iter().enumerate() {
                for &(action, code) in generator.counted_in(state) {
                    let sum = &mut sums[action as usize];
                    *sum = add(*sum, multiply(share, generator.enclosure(code)));
                }
            }
            throughputs = sums;
        }
        let is_only = components.len() == 1;
        for component in &mut components {
            component.probability = match &distribution {
                _ if is_only => point(1.0),
                None => [0.0, 1.0],
                Some(found) => {
                    let shares = component.members.iter().map(|&s| found.bounds[s as usize]);
                    Range::PROBABILITY.admit_or_whole(shares.fold([0.0; 2], add))
                }
            };
        }
        let wide = |bounds: &Bounds| !self.options.numerical.accepts(bounds[0], bounds[1]);
        let is_enough = wanted == Wanted::Distribution && distribution.is_some();
        if !is_enough && (distribution.is_none() || throughputs.iter().any(wide)) {
            let known = std::mem::take(&mut throughputs);
            for (action, name) in self.kinds.actions.iter().enumerate() {
                let before = known.get(action).copied();
                if let Some(bounds) = before.filter(|bounds| !wide(bounds)) {
                    throughputs.push(bounds);
                    continue;
                }
                let rewards = vec![generator.rewards(action as u32, name)];
                let space = Space { rewards, ..space.clone() };
                let initial = [(space.initial[0].0, point(1.0))];
                let question = reward(0, RewardQuery::LongRun, None);
                let found = expected(&space, &initial, &[question], &self.options.numerical, control)?;
                let Some(found) = found.into_iter().next() else { continue };
                let bounds = found.bounds;
                throughputs.push(before.map_or(bounds, |before| crate::interval::meet(bounds, before)));
                method = found.method;
                stop = stop.max(found.stop);
            }
        }
        let ranges = generator.throughputs(self.kinds.actions.len());
        let amounts = self.kinds.actions.iter().zip(throughputs).zip(ranges);
        let amount = |((action, bounds), range): ((&String, Bounds), Range)| Amount {
            action: action.clone(),
            bounds: range.admit_or_whole(bounds),
        };
        let throughputs = amounts.map(amount).collect();
        let with_states = wanted == Wanted::States || largest <= LARGEST_DIRECT;
        let probabilities = distribution.filter(|_| with_states).map(|found| found.bounds[..n].to_vec());
        Ok(Steady { components, probabilities, throughputs, method, stop })
    }
}

impl Steady {
    /// Bounds of the throughput of an action.
    pub fn throughput(&self, action: &str) -> Option<Bounds> {
        self.throughputs.iter().find(|amount| amount.action == action).map(|amount| amount.bounds)
    }

    /// The approximate throughput of an action.
    pub fn throughput_about(&self, action: &str) -> Option<f64> {
        self.throughput(action).map(middle)
    }
}

/// The bottom components of a chain, before their probabilities are known.
pub(crate) fn bottom_components(space: &Space) -> Vec<BottomComponent> {
    let n = space.num_states();
    let found = components(n, |s| space.successors(s), |_| true);
    let of = found.component_of(n);
    let mut bottom = Vec::new();
    for (c, members) in found.iter().enumerate() {
        let stays = |&s: &u32| space.successors(s as usize).iter().all(|&t| of[t as usize] == c as u32);
        if members.iter().all(stays) {
            let mut members = members.to_vec();
            members.sort_unstable();
            bottom.push(BottomComponent { members, probability: [0.0, 1.0] });
        }
    }
    bottom.sort_by_key(|component| component.members[0]);
    bottom
}
