//! Ready states: sets of states that answer everything that whole classes of states can ask, found without a
//! game.
//!
//! The states that the attacker can reach are grouped into classes with equal valuations. A class asks what
//! its members ask: a weight, and the class of the target. For each class `c`, the greatest set `G(c)` of
//! states with the valuation of `c` is computed that answers every step from `c` to `c'` by a path through
//! `G(c)` with its last state in `G(c')`. Then all pairs `(s, t)` with `t` in `G(class of s)` form a
//! simulation, and no single pair needs to be examined. If nearly all states of one valuation are related,
//! these are nearly all pairs, which a game would have to meet.
//!
//! Coarse classes give small sets, fine ones give many. Classes of valuations are tried first, then their
//! refinements by single steps.

use super::answer::Arena;
use super::bound::{Bound, Kind, Ratio, deviation};
use super::classes::{Dominance, sign};
use super::rule::Rule;
use crate::Failure;
use crate::paths::{Walks, least_weights, within};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use volvelle_control::Control;
use volvelle_space::{BitSet, WeightedStructure};

const NONE: u32 = u32::MAX;
/// Limit of classes.
const CLASSES: usize = 64;
/// Limit of work, as a multiple of the structure's size.
const PATIENCE: u64 = 120;
/// Largest weight of answers for which exact weights are computed.
const EXACT: u64 = 64;

/// A demand of a class: a step to another class. The largest number in the window means no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Demand {
    from: u32,
    to: u32,
    weight: u64,
    window: (u64, u64),
}

/// Related pairs, by the class of the first state.
#[derive(Debug)]
pub(crate) struct Ready {
    /// By state; `NONE` if the attacker cannot reach it.
    class_of: Vec<u32>,
    sets: Vec<BitSet>,
    /// Number of pairs with equal valuations.
    all: usize,
    /// Largest deviation of answers, in a game of distances.
    deviation: Ratio,
}

impl Ready {
    /// Sets for a game that begins with a pair: those of the coarsest classes that relate it, else those that
    /// relate most pairs.
    pub fn new(
        arena: &Arena<'_>,
        rule: &Rule<'_>,
        (s, t): (u32, u32),
        control: &Control<'_>,
    ) -> Result<Option<Self>, Failure> {
        let structure = arena.structure;
        if arena.relaxed.is_some() {
            return Ok(None);
        }
        let (asking, answering) = (reachable(structure, s), reachable(structure, t));
        let mut class_of = vec![NONE; structure.num_states()];
        asking.iter().for_each(|state| class_of[state] = structure.valuation_of(state as u32));
        let mut best: Option<Ready> = None;
        for _ in 0..2 {
            let Some(classes) = numbered(&mut class_of) else { break };
            if let Some(found) = Self::of(arena, rule, &class_of, classes, &answering, control)? {
                let is_done = found.contains(s, t);
                if is_done || best.as_ref().is_none_or(|best| best.size() < found.size()) {
                    best = Some(found);
                }
                // A game on the remaining pairs is short.
                if is_done || best.as_ref().is_some_and(|best| 2 * best.size() >= best.all) {
                    break;
                }
            }
            class_of = refined(structure, rule, &class_of);
        }
        Ok(best)
    }

    /// Whether a pair is certainly related.
    #[inline]
    pub fn contains(&self, s: u32, t: u32) -> bool {
        let class = self.class_of[s as usize];
        class != NONE && self.sets[class as usize].contains(t as usize)
    }

    /// The largest deviation of answers of these pairs, in a game of distances.
    pub fn deviation(&self) -> Ratio {
        self.deviation
    }

    pub fn bytes(&self) -> u64 {
        4 * self.class_of.len() as u64 + self.sets.iter().map(BitSet::bytes).sum::<u64>()
    }

    fn size(&self) -> usize {
        num_pairs(&self.class_of, &self.sets)
    }

    fn of(
        arena: &Arena<'_>,
        rule: &Rule<'_>,
        class_of: &[u32],
        classes: usize,
        answering: &BitSet,
        control: &Control<'_>,
    ) -> Result<Option<Self>, Failure> {
        let structure = arena.structure;
        let Some(demands) = demands(arena, rule, class_of)? else { return Ok(None) };
        let mut valuations = vec![NONE; classes];
        for (state, &class) in class_of.iter().enumerate().filter(|(_, class)| **class != NONE) {
            valuations[class as usize] = structure.valuation_of(state as u32);
        }
        let mut sets: Vec<BitSet> = valuations
            .iter()
            .map(|&valuation| {
                let alike = answering.iter().filter(|&t| structure.valuation_of(t as u32) == valuation);
                BitSet::of(structure.num_states(), alike)
            })
            .collect();
        let all = num_pairs(class_of, &sets);
        let mut queue: VecDeque<usize> = (0..demands.len()).collect();
        let mut queued = vec![true; demands.len()];
        let size = (structure.num_states() + structure.num_steps()) as u64;
        let mut work = 0;
        while let Some(number) = queue.pop_front() {
            queued[number] = false;
            control.check()?;
            work += size;
            if work > PATIENCE * size {
                return Ok(None);
            }
            let demand = demands[number];
            let (from, to) = (demand.from as usize, demand.to as usize);
            let (low, high) = demand.window;
            let high = (high != u64::MAX).then_some(high);
            let kept = within(structure, &sets[from], &sets[to], low, high, control)?;
            if kept.iter().count() == sets[from].iter().count() {
                continue;
            }
            sets[from] = kept;
            for (other, demand) in demands.iter().enumerate() {
                let is_weaker = demand.from as usize == from || demand.to as usize == from;
                if is_weaker && !std::mem::replace(&mut queued[other], true) {
                    queue.push_back(other);
                }
            }
        }
        let mut ready = Ready { class_of: class_of.to_vec(), sets, all, deviation: Ratio::ZERO };
        if let Rule::Distance(kind, _) = rule {
            ready.deviation = ready.largest_deviation(structure, *kind, &demands, control)?;
        }
        Ok(Some(ready))
    }

    fn largest_deviation(
        &self,
        structure: &WeightedStructure,
        kind: Kind,
        demands: &[Demand],
        control: &Control<'_>,
    ) -> Result<Ratio, Failure> {
        let mut largest = Ratio::ZERO;
        for demand in demands {
            let (low, high) = demand.window;
            let weights = if low == 0 {
                // The lightest answers suffice.
                let [region, goal] = [demand.from, demand.to].map(|class| &self.sets[class as usize]);
                least_weights(&Walks::of(structure, region, goal), control)?
            } else {
                vec![low, high]
            };
            let apart = weights.iter().filter_map(|&weight| deviation(kind, demand.weight, weight));
            largest = apart.fold(largest, Ratio::max);
        }
        Ok(largest)
    }
}

/// Number of pairs of a state and a member of its class's set.
fn num_pairs(class_of: &[u32], sets: &[BitSet]) -> usize {
    let mut members = vec![0usize; sets.len()];
    class_of.iter().filter(|&&class| class != NONE).for_each(|&class| members[class as usize] += 1);
    members.iter().zip(sets).map(|(members, set)| members * set.iter().count()).sum()
}

/// The states that can be reached from one.
fn reachable(structure: &WeightedStructure, from: u32) -> BitSet {
    let mut seen = BitSet::new(structure.num_states());
    seen.insert(from as usize);
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for step in structure.outgoing(state) {
            if seen.insert(step.target as usize) {
                open.push(step.target);
            }
        }
    }
    seen
}

/// Numbers classes from 0 on; `None` if there are too many.
fn numbered(class_of: &mut [u32]) -> Option<usize> {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    for class in class_of.iter_mut().filter(|class| **class != NONE) {
        let next = numbers.len() as u32;
        *class = *numbers.entry(*class).or_insert(next);
    }
    (numbers.len() <= CLASSES).then_some(numbers.len())
}

/// Refined classes: their states have steps to the same classes with the same relevant weights.
fn refined(structure: &WeightedStructure, rule: &Rule<'_>, class_of: &[u32]) -> Vec<u32> {
    let dominance = match (rule.has_lower_bound(), rule.has_upper_bound()) {
        (false, _) => Dominance::Least,
        (true, false) => Dominance::Largest,
        (true, true) => Dominance::All,
    };
    let mut numbers: FxHashMap<(u32, Vec<(u32, u64)>), u32> = FxHashMap::default();
    let mut refined = vec![NONE; class_of.len()];
    let mut signature = Vec::new();
    for (state, &class) in class_of.iter().enumerate().filter(|(_, class)| **class != NONE) {
        sign(structure, dominance, class_of, state as u32, &mut signature);
        let next = numbers.len() as u32;
        refined[state] = *numbers.entry((class, signature.clone())).or_insert(next);
    }
    refined
}

/// The demands of classes. `None` if answers need exact weights that are large. Of two demands, one of which
/// is always harder, only the harder one is kept.
fn demands(arena: &Arena<'_>, rule: &Rule<'_>, class_of: &[u32]) -> Result<Option<Vec<Demand>>, Failure> {
    let structure = arena.structure;
    let mut hardest: FxHashMap<(u32, u32), Vec<Demand>> = FxHashMap::default();
    for (state, &from) in class_of.iter().enumerate().filter(|(_, class)| **class != NONE) {
        for place in structure.range(state as u32) {
            let step = structure.steps()[place];
            let to = class_of[step.target as usize];
            let window = arena.window(rule, place)?;
            if window.0 > 0 && window.1 != u64::MAX && window.1 > EXACT {
                return Ok(None);
            }
            let demand = Demand { from, to, weight: step.weight, window };
            let known = hardest.entry((from, to)).or_default();
            let is_within = |inner: (u64, u64), outer: (u64, u64)| outer.0 <= inner.0 && inner.1 <= outer.1;
            if known.iter().any(|other| is_within(other.window, window) && !asks_more(rule, &demand, other)) {
                continue;
            }
            known.retain(|other| !is_within(window, other.window) || asks_more(rule, other, &demand));
            known.push(demand);
        }
    }
    let mut demands: Vec<Demand> = hardest.into_values().flatten().collect();
    demands.sort_unstable_by_key(|demand| (demand.from, demand.to, demand.weight));
    Ok(Some(demands))
}

/// Whether the deviation from a demand may exceed that from another one with a window inside its own.
fn asks_more(rule: &Rule<'_>, demand: &Demand, other: &Demand) -> bool {
    match rule {
        // The same answer to a heavier step deviates less upwards.
        Rule::Distance(Kind::Ebd, _) => demand.weight < other.weight,
        Rule::Distance(Kind::Wbd, Bound::Finite | Bound::AtMost(_) | Bound::Below(_)) => {
            demand.weight != other.weight
        }
        Rule::Window(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisimulation::Options;
    use crate::{Window, simulation};
    use volvelle_random::{Random, attack_cases};
    use volvelle_space::{WeightedBuilder, WeightedStep};

    /// All pairs of these sets are in the largest simulation, which is computed pair by pair.
    #[test]
    fn attack_ready_states_are_related() {
        let control = Control::unlimited();
        let e = |text: &str| text.parse().expect("a fraction");
        let windows = [
            Window::AtMost,
            Window::AtLeast,
            Window::Around(e("1/2")),
            Window::Around(e("2")),
            Window::AtMostWidened(e("1/2")),
        ];
        let (mut pairs, mut others) = ([0u32; 5], [0u32; 5]);
        for case in attack_cases(100) {
            let mut random = Random(case ^ 0x4ead);
            let states = 4 + random.below(20);
            let (valuations, weights, degree) =
                (1 + random.below(2), 1 + random.below(4), 1 + random.below(4));
            let mut builder = WeightedBuilder::new();
            for _ in 0..states {
                let steps: Vec<WeightedStep> = (0..random.below(degree) + 1)
                    .map(|_| WeightedStep {
                        weight: random.below(weights) as u64,
                        target: random.below(states) as u32,
                    })
                    .collect();
                builder.state([(random.below(valuations) as u32, 1)], steps);
            }
            let names = (0..valuations).map(|p| format!("p{p}")).collect();
            let structure = builder.finish(0, dashu_ratio::RBig::ONE, names);
            let arena = Arena::new(&structure);
            let root = (random.below(states) as u32, random.below(states) as u32);
            for (place, window) in windows.iter().enumerate() {
                let expected =
                    simulation(&structure, window, Options::default(), &control).expect("no limits");
                let Some(ready) =
                    Ready::new(&arena, &Rule::Window(window), root, &control).expect("no limits")
                else {
                    continue;
                };
                for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                    assert!(
                        !ready.contains(s, t) || expected.contains(s, t),
                        "{window:?} {s} {t} {structure:?}"
                    );
                    pairs[place] += u32::from(s != t && ready.contains(s, t));
                    others[place] += u32::from(expected.contains(s, t) && !ready.contains(s, t));
                }
            }
        }
        let is_usual = attack_cases(100).count() >= 100;
        assert!(!is_usual || pairs.iter().chain(&others).all(|&count| count > 100), "{pairs:?} {others:?}");
    }
}
