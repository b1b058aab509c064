//! Invariants: numbers that distinguish most pairs of states before the game meets them.
//!
//! Suppose that the relation maps a set G of states with one valuation into a set H: if `x` is in G and
//! `(x, y)` is related, then `y` is in H. Let `(s, t)` be related, and let `s` have a path of weight W into G
//! through states of its own valuation (or through a subset of these that is also mapped into some set). The
//! answers to its steps form a path of `t` into H, through states of the same kind, whose weight is in the
//! window of W. So the least weight for `t` is at most the upper end of the window of the least weight for
//! `s`; and the greatest weight for `t` is at least the lower end of the window of the greatest one for `s`.
//! Such a number is a [`Feature`].
//!
//! Example: `s` reaches a state with `goal` at weight 5, and answers may weigh at most as much; if `t` needs
//! weight 7, the pair is excluded.
//!
//! States whose number is beyond a threshold again form a set that is mapped into another one, so features
//! build on features; valuations are the first. A feature is kept if it distinguishes many of some pairs
//! drawn at random.
//!
//! If the defender may answer by at most one step, or stay, the same holds for paths of at most one step:
//! [`Paths::Single`]. These features are about a different relation, which is contained in the intended one.
//!
//! A pair that is refuted in this way can be explained by a play: see [`super::trails`].

use super::regions::{Regions, Trails, UNBOUNDED};
use super::rule::Rule;
use crate::Failure;
use std::cell::RefCell;
use std::rc::Rc;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// Limit of numbers, which are stored in 32 bits; larger ones exclude nothing.
pub(super) const CAP: u64 = u32::MAX as u64;
/// Limit of features; `ALWAYS` is allowed whatever the size of the structure.
const MOST: usize = 128;
const ALWAYS: usize = 8;
/// Limit of numbers in all rows.
const ROOM: usize = 1 << 26;
/// Number of pairs to distinguish; `DRAWN` is the number of attempts to draw them.
const SAMPLE: usize = 2048;
const DRAWN: usize = 1 << 18;
/// Number of useless features in a row after which the search ends.
const PATIENCE: usize = 20;
/// When one pair is asked for, features concern states within fewer steps than this.
const WALK: usize = 9;
/// Limit of valuations that are tried one by one.
const VALUATIONS: usize = 16;

/// The length of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// At most one step.
    Single,
    All,
}

/// The weights that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Least,
    Greatest,
}

/// States whose numbers of some features are at most given thresholds; optionally of one valuation only.
#[derive(Clone, Debug, Default)]
pub(super) struct Upwards {
    pub valuation: Option<u32>,
    pub conditions: Vec<(u32, u32)>,
}

#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub extreme: Extreme,
    pub goal: Upwards,
    pub region: Upwards,
}

/// The goal of a feature, and its region if that is not all states.
pub(super) struct Sets {
    pub goal: Vec<bool>,
    pub region: Option<Vec<bool>>,
}

/// The features of all states. In both rows, smaller numbers are better for the defender.
#[derive(Debug)]
pub(crate) struct Invariants<'a> {
    pub(super) regions: Regions<'a>,
    pub(super) features: Vec<Feature>,
    paths: Paths,
    /// Length of a row.
    width: usize,
    /// By state `s`: the greatest numbers that a state may have which answers `s`.
    ask: Vec<u32>,
    /// By state: its own numbers; empty if they equal `ask`.
    have: Vec<u32>,
    pub(super) trails: RefCell<Vec<Option<Rc<Trails>>>>,
}

impl<'a> Invariants<'a> {
    /// Chooses features for a rule. Pairs within one of `classes` are related anyway. If the pair `only` is
    /// given, the choice ends as soon as it is excluded.
    pub fn new(
        structure: &'a WeightedStructure,
        rule: &Rule,
        paths: Paths,
        classes: Option<&[u32]>,
        only: Option<(u32, u32)>,
        control: &Control,
    ) -> Result<Self, Failure> {
        let states = structure.num_states();
        let width = (ROOM / states.max(1)).clamp(ALWAYS, MOST);
        control.check_memory((states * (width * 8 + 100) + structure.num_steps() * 12) as u64)?;
        let invariants = Invariants {
            regions: Regions::new(structure),
            features: Vec::new(),
            paths,
            width,
            ask: vec![0; states * width],
            have: vec![0; if rule.is_exact() { 0 } else { states * width }],
            trails: RefCell::default(),
        };
        let mut choice =
            Choice { invariants, rule, classes, only, random: Draw(1), sample: Vec::new(), control };
        choice.run()?;
        Ok(choice.invariants)
    }

    pub fn bytes(&self) -> u64 {
        4 * (self.ask.len() + self.have.len()) as u64 + self.regions.bytes()
    }

    #[inline]
    fn has(&self) -> &[u32] {
        if self.have.is_empty() { &self.ask } else { &self.have }
    }

    /// Whether a pair of states with equal valuations cannot be related.
    #[inline]
    pub fn exclude(&self, s: u32, t: u32) -> bool {
        let used = self.features.len();
        let ask = &self.ask[s as usize * self.width..][..used];
        let have = &self.has()[t as usize * self.width..][..used];
        ask.chunks(16)
            .zip(have.chunks(16))
            .any(|(ask, have)| ask.iter().zip(have).fold(false, |any, (ask, have)| any | (have > ask)))
    }

    /// The first feature by which a pair is excluded.
    pub(super) fn excluding(&self, s: u32, t: u32) -> Option<usize> {
        (0..self.features.len()).find(|&feature| {
            self.has()[t as usize * self.width + feature] > self.ask[s as usize * self.width + feature]
        })
    }

    /// The mean difference of the numbers of two states.
    pub fn difference(&self, s: u32, t: u32) -> u64 {
        let used = self.features.len();
        if used == 0 {
            return 0;
        }
        let own = &self.has()[s as usize * self.width..][..used];
        let other = &self.has()[t as usize * self.width..][..used];
        // Numbers that stand for infinity count like a large difference.
        let sum = own
            .iter()
            .zip(other)
            .map(|(own, &other)| u64::from(own.abs_diff(other).min(1 << 20)))
            .sum::<u64>();
        4 * sum / used as u64
    }

    /// The sets of a feature, for the first and the second state of a pair.
    pub(super) fn sets(&self, feature: &Feature) -> [Sets; 2] {
        [&self.ask, self.has()].map(|rows| Sets {
            goal: self.members(&feature.goal, rows),
            region: (!feature.region.conditions.is_empty()).then(|| self.members(&feature.region, rows)),
        })
    }

    fn members(&self, set: &Upwards, rows: &[u32]) -> Vec<bool> {
        let states = self.regions.structure.num_states() as u32;
        let member = |state: u32| {
            let number = |feature: u32| rows[state as usize * self.width + feature as usize];
            set.valuation.is_none_or(|valuation| self.regions.structure.valuation_of(state) == valuation)
                && set.conditions.iter().all(|&(feature, most)| number(feature) <= most)
        };
        (0..states).map(member).collect()
    }

    fn values(&self, Sets { goal, region }: &Sets, least: bool) -> Vec<u64> {
        match (self.paths, least) {
            (Paths::Single, _) => self.regions.single(goal, least),
            (Paths::All, true) => self.regions.least(goal, region.as_deref()).weights,
            (Paths::All, false) => self.regions.greatest(goal, region.as_deref()),
        }
    }

    /// Computes the numbers of the next feature. They count once it is pushed to the features.
    fn fill(&mut self, feature: &Feature, rule: &Rule) -> Result<(), Failure> {
        let (place, width) = (self.features.len(), self.width);
        let cap = |number: u64| number.min(CAP) as u32;
        let [from, to] = self.sets(feature);
        let to = (!rule.is_exact()).then_some(to);
        match feature.extreme {
            Extreme::Least => {
                let least = self.values(&from, true);
                let other = to.map(|to| self.values(&to, true));
                let other = other.as_ref().unwrap_or(&least);
                for (state, (&asked, &has)) in least.iter().zip(other).enumerate() {
                    let asked =
                        if asked >= UNBOUNDED - 1 { CAP } else { rule.window(asked).map_or(CAP, |w| w.1) };
                    self.ask[state * width + place] = cap(asked);
                    if let Some(own) = self.have.get_mut(state * width + place) {
                        *own = cap(has);
                    }
                }
            }
            Extreme::Greatest => {
                // Whether the answer to an unboundedly heavy path must be unboundedly heavy.
                let is_bounded = rule.window(1 << 40)?.0 > 0;
                let greatest = self.values(&from, false);
                let other = to.map(|to| self.values(&to, false));
                let other = other.as_ref().unwrap_or(&greatest);
                for (state, (&asked, &has)) in greatest.iter().zip(other).enumerate() {
                    let asked = match asked {
                        0 => 0,
                        UNBOUNDED if is_bounded => CAP,
                        UNBOUNDED => 1,
                        // A bound that does not fit is above the cap.
                        more => rule.window(more - 1).map_or(CAP, |window| window.0.saturating_add(1)),
                    };
                    self.ask[state * width + place] = cap(CAP - asked.min(CAP));
                    if let Some(own) = self.have.get_mut(state * width + place) {
                        *own = cap(CAP - has.min(CAP));
                    }
                }
            }
        }
        Ok(())
    }
}

/// A fixed sequence of pseudo-random numbers (xorshift; G. Marsaglia, *Xorshift RNGs*, J. Stat. Softw. 8(14),
/// 2003).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % bound
    }
}

struct Choice<'a, 'b> {
    invariants: Invariants<'a>,
    rule: &'b Rule<'b>,
    classes: Option<&'b [u32]>,
    only: Option<(u32, u32)>,
    random: Draw,
    /// Pairs that are not yet distinguished.
    sample: Vec<(u32, u32)>,
    control: &'b Control<'b>,
}

impl Choice<'_, '_> {
    fn run(&mut self) -> Result<(), Failure> {
        let structure = self.invariants.regions.structure;
        let states = structure.num_states();
        let mut extremes = Vec::new();
        extremes.extend(self.rule.has_upper_bound().then_some(Extreme::Least));
        // Sums that do not fit would count as infinite.
        let fits =
            structure.largest_weight().checked_mul(states as u64 + 1).is_some_and(|most| most < 1 << 62);
        extremes.extend((fits && self.rule.has_lower_bound()).then_some(Extreme::Greatest));
        if states == 0 || extremes.is_empty() {
            return Ok(());
        }
        let mut sizes = vec![0u32; structure.valuations().len()];
        (0..states as u32).for_each(|state| sizes[structure.valuation_of(state) as usize] += 1);
        let mut by_valuation: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
        (0..states as u32).for_each(|state| by_valuation[structure.valuation_of(state) as usize].push(state));
        self.draw(&by_valuation);
        let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
        order.sort_by_key(|&valuation| std::cmp::Reverse(sizes[valuation as usize]));
        for &valuation in order.iter().take(VALUATIONS) {
            for &extreme in &extremes {
                let goal = Upwards { valuation: Some(valuation), conditions: Vec::new() };
                self.attempt(Feature { extreme, goal, region: Upwards::default() })?;
            }
        }
        let mut useless = 0;
        while !self.is_done() && useless < PATIENCE && self.invariants.features.len() < self.invariants.width
        {
            if self.sample.len() < 16 && !self.draw(&by_valuation) {
                break;
            }
            let state = self.pick();
            let goal = Upwards {
                valuation: Some(structure.valuation_of(state as u32)),
                conditions: self.conditions(state, 4),
            };
            let state = self.pick();
            let few = if self.invariants.paths == Paths::Single { 1 } else { 3 };
            let region = Upwards { valuation: None, conditions: self.conditions(state, few) };
            let extreme = extremes[self.random.below(extremes.len())];
            let kept = self.attempt(Feature { extreme, goal, region })?;
            useless = if kept { 0 } else { useless + 1 };
        }
        Ok(())
    }

    /// Whether the requested pair is excluded.
    fn is_done(&self) -> bool {
        self.only.is_some_and(|(s, t)| self.invariants.exclude(s, t))
    }

    /// A random state; if one pair is asked for, one that its first state reaches in a few steps.
    fn pick(&mut self) -> usize {
        let structure = self.invariants.regions.structure;
        let Some((mut state, _)) = self.only else { return self.random.below(structure.num_states()) };
        for _ in 0..self.random.below(WALK) {
            let steps = structure.outgoing(state);
            if steps.is_empty() {
                break;
            }
            state = steps[self.random.below(steps.len())].target;
        }
        state as usize
    }

    /// Random thresholds that this state meets: its own numbers of some features.
    fn conditions(&mut self, state: usize, below: usize) -> Vec<(u32, u32)> {
        let used = self.invariants.features.len();
        let count = if used == 0 { 0 } else { self.random.below(below) };
        let condition = |_| {
            let feature = self.random.below(used);
            (feature as u32, self.invariants.ask[state * self.invariants.width + feature])
        };
        (0..count).map(condition).collect()
    }

    fn is_open(&self, (s, t): (u32, u32)) -> bool {
        s != t
            && self.classes.is_none_or(|of| of[s as usize] != of[t as usize])
            && !self.invariants.exclude(s, t)
    }

    /// Keeps a feature if it excludes enough of the remaining pairs, or the requested one.
    fn attempt(&mut self, feature: Feature) -> Result<bool, Failure> {
        self.control.check()?;
        if self.is_done() || self.invariants.features.len() == self.invariants.width {
            return Ok(false);
        }
        self.invariants.fill(&feature, self.rule)?;
        self.invariants.features.push(feature);
        let before = self.sample.len();
        let invariants = &self.invariants;
        let left: Vec<(u32, u32)> =
            self.sample.iter().copied().filter(|&(s, t)| !invariants.exclude(s, t)).collect();
        if before - left.len() <= before / 200 && !self.is_done() {
            self.invariants.features.pop();
            return Ok(false);
        }
        self.sample = left;
        Ok(true)
    }

    /// Draws pairs that are not yet distinguished. Returns whether there are enough.
    fn draw(&mut self, by_valuation: &[Vec<u32>]) -> bool {
        let structure = self.invariants.regions.structure;
        for _ in 0..DRAWN {
            let s = self.random.below(structure.num_states()) as u32;
            let alike = &by_valuation[structure.valuation_of(s) as usize];
            let pair = (s, alike[self.random.below(alike.len())]);
            if self.is_open(pair) {
                self.sample.push(pair);
                if self.sample.len() == SAMPLE {
                    break;
                }
            }
        }
        self.sample.len() >= 16
    }
}
