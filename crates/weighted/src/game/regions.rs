//! Least and greatest weights of paths to a set of states. Each path stays in a region, and in its first
//! state's valuation.

use crate::game::classes::Rows;
use crate::paths::RadixHeap;
use volvelle_space::{Components, WeightedStructure, components_by};

/// As least weight: no path. As greatest weight: no limit.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// A structure, prepared for the searches.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    pub structure: &'a WeightedStructure,
    /// By state: the sources and indices of the steps into it.
    pub back: Rows<(u32, u32)>,
    /// The components of the region of all states.
    all: Parts,
}

/// Strongly connected components of a region, by steps between states of the same valuation.
#[derive(Debug)]
struct Parts {
    components: Components,
    component_of: Vec<u32>,
    /// By component: whether a step inside it has positive weight.
    grows: Vec<bool>,
}

impl Parts {
    fn new(structure: &WeightedStructure, inside: impl Fn(u32) -> bool) -> Self {
        let states = structure.num_states();
        let alike = |v: usize, step: usize| {
            // Steps that leave the region or the valuation become loops, which do not affect components.
            let target = structure.outgoing(v as u32).get(step)?.target;
            let same = structure.valuation_of(target) == structure.valuation_of(v as u32);
            Some(if same && inside(target) { target } else { v as u32 })
        };
        let components = components_by(states, alike, |v| inside(v as u32));
        let component_of = components.component_of(states);
        let mut grows = vec![false; components.len()];
        for state in (0..states as u32).filter(|&state| inside(state)) {
            let component = component_of[state as usize];
            let inner =
                structure.outgoing(state).iter().filter(|s| component_of[s.target as usize] == component);
            grows[component as usize] |= inner.clone().any(|step| step.weight > 0);
        }
        Parts { components, component_of, grows }
    }
}

/// Least weights; for each, the first step and the number of steps of a path that has it.
#[derive(Debug)]
pub(super) struct Least {
    pub weights: Vec<u64>,
    /// `u32::MAX` for states of the goal, and if there is no path.
    pub step: Vec<u32>,
    pub hops: Vec<u32>,
}

/// The paths by which the attacker wins, see [`super::trails`].
#[derive(Debug)]
pub(super) struct Trails {
    pub least: Least,
    pub greatest: Option<Heaviest>,
}

/// Greatest weights; for each, the first step and the number of steps of a path that has it.
#[derive(Debug)]
pub(super) struct Heaviest {
    /// As in [`Regions::greatest`], for the first and for the second state of a pair.
    pub asked: Vec<u64>,
    pub has: Vec<u64>,
    pub step: Vec<u32>,
    pub hops: Vec<u32>,
}

impl<'a> Regions<'a> {
    pub fn new(structure: &'a WeightedStructure) -> Self {
        let states = structure.num_states();
        let sources = (0..states as u32).flat_map(|source| {
            structure.range(source).map(move |step| (structure.steps()[step].target, (source, step as u32)))
        });
        let back = Rows::sorted(states, sources);
        Regions { structure, back, all: Parts::new(structure, |_| true) }
    }

    pub fn bytes(&self) -> u64 {
        (12 * self.structure.num_steps() + 20 * self.structure.num_states()) as u64
    }

    pub fn same(&self, s: u32, t: u32) -> bool {
        self.structure.valuation_of(s) == self.structure.valuation_of(t)
    }

    /// The least weights of paths through a region into the goal; [`UNBOUNDED`] if there is none. Sums
    /// saturate below that. Without a region, paths may pass all states.
    pub fn least(&self, goal: &[bool], region: Option<&[bool]>) -> Least {
        let states = self.structure.num_states();
        let mut found =
            Least { weights: vec![UNBOUNDED; states], step: vec![u32::MAX; states], hops: vec![0; states] };
        let mut heap = RadixHeap::new();
        for state in (0..states as u32).filter(|&state| goal[state as usize]) {
            found.weights[state as usize] = 0;
            heap.push(0, state);
        }
        while let Some((weight, state)) = heap.pop() {
            if weight > found.weights[state as usize] {
                continue;
            }
            let step = found.step[state as usize];
            if step != u32::MAX {
                let next = self.structure.steps()[step as usize].target;
                found.hops[state as usize] = found.hops[next as usize] + 1;
            }
            let is_goal = goal[state as usize];
            let inside = |state: u32| region.is_none_or(|region| region[state as usize]);
            for &(source, step) in self.back.row(state) {
                let onwards = is_goal || (self.same(source, state) && inside(state));
                if !(onwards && inside(source)) {
                    continue;
                }
                let sum =
                    weight.saturating_add(self.structure.steps()[step as usize].weight).min(UNBOUNDED - 1);
                if sum < found.weights[source as usize] {
                    found.weights[source as usize] = sum;
                    found.step[source as usize] = step;
                    heap.push(sum, source);
                }
            }
        }
        found
    }

    /// One more than the greatest weights of paths through a region into the goal; 0 if there is none. Sums
    /// saturate, which means infinity.
    pub fn greatest(&self, goal: &[bool], region: Option<&[bool]>) -> Vec<u64> {
        let part = region.map(|region| Parts::new(self.structure, |state| region[state as usize]));
        let Parts { components, component_of, grows } = part.as_ref().unwrap_or(&self.all);
        // Outside of the region, paths have no steps.
        let mut values: Vec<u64> = goal.iter().map(|&is| u64::from(is)).collect();
        for (number, members) in components.iter().enumerate() {
            let mut best = 0u64;
            for &state in members {
                if goal[state as usize] {
                    best = best.max(1);
                }
                for step in self.structure.outgoing(state) {
                    let target = step.target as usize;
                    if goal[target] {
                        best = best.max(step.weight.saturating_add(1));
                    }
                    let onwards = self.same(state, step.target) && component_of[target] != u32::MAX;
                    if onwards && component_of[target] != number as u32 && values[target] > 0 {
                        best = best.max(step.weight.saturating_add(values[target]));
                    }
                }
            }
            if best > 0 && grows[number] {
                best = UNBOUNDED;
            }
            members.iter().for_each(|&state| values[state as usize] = best);
        }
        values
    }

    /// Like [`Self::least`] and [`Self::greatest`], for paths of at most one step from any state.
    pub fn single(&self, goal: &[bool], least: bool) -> Vec<u64> {
        let value = |state: usize| {
            let stays = goal[state].then_some(u64::from(!least));
            let steps =
                self.structure.outgoing(state as u32).iter().filter(|step| goal[step.target as usize]);
            let weights = steps.map(|step| if least { step.weight } else { step.weight.saturating_add(1) });
            let all = stays.into_iter().chain(weights);
            if least { all.min().unwrap_or(UNBOUNDED) } else { all.max().unwrap_or(0) }
        };
        (0..goal.len()).map(value).collect()
    }
}
