//! How the attacker wins from pairs that [`Invariants`] exclude.
//!
//! The attacker follows a path with the extreme weight of the first feature that excludes the pair. The
//! defender's answer passes a state of another valuation; or it ends where the rest of the attacker's path
//! exceeds what the second state still has; or it misses the goal, which an earlier feature refutes. With
//! every step, the attacker gets closer to the end of the path. If there is no greatest weight, the attacker
//! follows a closed walk, and the finite weight that the defender has left decreases.

use super::invariants::{Extreme, Invariants, Sets};
use super::regions::{Heaviest, Trails, UNBOUNDED};
use std::collections::VecDeque;
use std::rc::Rc;

/// The order of refutations: feature, kind of play, weight that the defender has left, steps to the end of
/// the path. Each refutation rests on smaller ones. Pairs refuted in the game come last, in the order of
/// refutation.
pub(crate) type Rank = (u32, u32, u64, u32);

impl Invariants<'_> {
    /// The rank of an excluded pair, and the attacker's step.
    pub fn refutation(&self, s: u32, t: u32) -> Option<(Rank, u32)> {
        let feature = self.excluding(s, t)?;
        let trails = self.trails(feature);
        let (number, s) = (feature as u32, s as usize);
        let shortest = ((number, 0, 0, trails.least.hops[s]), trails.least.step[s]);
        Some(match &trails.greatest {
            Some(greatest) if greatest.has[t as usize] > 0 => {
                let left = if greatest.asked[s] == UNBOUNDED { greatest.has[t as usize] } else { 0 };
                ((number, 1, left, greatest.hops[s]), greatest.step[s])
            }
            // There is no path for t at all.
            _ => shortest,
        })
    }

    fn trails(&self, feature: usize) -> Rc<Trails> {
        let mut all = self.trails.borrow_mut();
        if all.len() < self.features.len() {
            all.resize(self.features.len(), None);
        }
        all[feature].get_or_insert_with(|| Rc::new(self.follow(feature))).clone()
    }

    fn follow(&self, number: usize) -> Trails {
        let feature = &self.features[number];
        let [from, to] = self.sets(feature);
        let least = self.regions.least(&from.goal, from.region.as_deref());
        let greatest = (feature.extreme == Extreme::Greatest).then(|| {
            let asked = self.regions.greatest(&from.goal, from.region.as_deref());
            let has = self.regions.greatest(&to.goal, to.region.as_deref());
            self.heaviest(&from, asked, has)
        });
        Trails { least, greatest }
    }

    /// Steps along paths with greatest weights. Without a greatest weight, steps to the nearest step of
    /// positive weight on a cycle.
    fn heaviest(&self, Sets { goal, region }: &Sets, asked: Vec<u64>, has: Vec<u64>) -> Heaviest {
        let structure = self.regions.structure;
        let states = structure.num_states();
        let (mut step, mut hops) = (vec![u32::MAX; states], vec![u32::MAX; states]);
        let inside = |state: u32| region.as_ref().is_none_or(|region| region[state as usize]);
        let mut queue = VecDeque::new();
        for state in 0..states {
            let value = asked[state];
            let last = structure.range(state as u32).find(|&place| {
                let next = structure.steps()[place];
                if !inside(state as u32) {
                    false
                } else if value == UNBOUNDED {
                    let onwards = inside(next.target) && self.regions.same(state as u32, next.target);
                    next.weight > 0 && onwards && asked[next.target as usize] == UNBOUNDED
                } else {
                    value > 0 && goal[next.target as usize] && next.weight == value - 1
                }
            });
            if let Some(last) = last {
                (step[state], hops[state]) = (last as u32, 0);
                queue.push_back(state as u32);
            } else if value == 1 && goal[state] {
                hops[state] = 0;
                queue.push_back(state as u32);
            }
        }
        while let Some(state) = queue.pop_front() {
            for &(source, place) in self.regions.back.row(state) {
                let (value, weight) = (asked[source as usize], structure.steps()[place as usize].weight);
                let is_on_the_way = hops[source as usize] == u32::MAX
                    && self.regions.same(source, state)
                    && inside(source)
                    && inside(state)
                    && (value == UNBOUNDED) == (asked[state as usize] == UNBOUNDED)
                    && (value == UNBOUNDED || value == asked[state as usize] + weight);
                if is_on_the_way {
                    (step[source as usize], hops[source as usize]) = (place, hops[state as usize] + 1);
                    queue.push_back(source);
                }
            }
        }
        Heaviest { asked, has, step, hops }
    }
}
