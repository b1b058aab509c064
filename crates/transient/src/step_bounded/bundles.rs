//! States of the same shape in bundles, whose steps are made side by side.
//!
//! In: the choices of the states whose values move. Out: their optimal one-step values. The shape of a state is the number of its choices
//! and of the entries of each: a model has few shapes, because each command gives the states in which it is enabled the same number of
//! entries. Loops over a bundle have lengths that hardly change from one to the next, so that the processor foresees where they end, and
//! the sums of its states do not wait for each other. Each sum adds its products in the order of the row: values have the same bits as
//! state by state.

use std::ops::Range;

use rustc_hash::FxHashMap;
use volvelle_space::Space;

/// States of a bundle.
const LANES: usize = 4;

/// Fewest steps for which states are bundled, and most entries: a bundle takes more memory than what it is made from.
const STEPS: u64 = 16;
const ENTRIES: usize = 1 << 22;

/// Fewest states whose bundles share their weights.
const SHARING: usize = 8 * LANES;

/// States in bundles, and the others.
#[derive(Default)]
pub struct Bundles {
    groups: Vec<Group>,
    /// Entries of the choices of a state, group by group.
    lengths: Vec<u32>,
    /// Weights of the entries of a state, for each group whose states share them.
    shared: Vec<f64>,
    /// States of the bundles, group by group.
    states: Vec<[u32; LANES]>,
    /// Rewards of the choices, bundle by bundle; empty where there are none.
    rewards: Vec<[f64; LANES]>,
    /// Columns of the entries of the choices, bundle by bundle.
    columns: Vec<[u32; LANES]>,
    /// Their weights, for bundles whose states do not share them.
    own: Vec<[f64; LANES]>,
    /// States of shapes too rare for a bundle.
    pub others: Vec<u32>,
}

/// Bundles of states of one shape.
struct Group {
    lengths: Range<usize>,
    bundles: Range<usize>,
    /// Weights that all of them share.
    shared: Option<Range<usize>>,
}

/// What a step did to the states in bundles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Made {
    /// Whether a value changed.
    pub changed: bool,
    /// The least positive value.
    pub least: f64,
}

impl Bundles {
    /// Bundles these states for so many steps; none is in a bundle where that would not pay.
    pub fn new(space: &Space, states: Vec<u32>, reward: Option<&[f64]>, steps: u64) -> Self {
        let mut bundles = Bundles::default();
        if steps < STEPS || space.num_transitions() > ENTRIES {
            bundles.others = states;
            return bundles;
        }
        // As a rule states of the same commands have the same weights, which need not be read for each of them.
        let mut rest = Vec::new();
        for states in alike(&states, |s, key| {
            add_lengths(space, s, key);
            let weights = entries_of(space, s).map(|at| space.values.get(at).to_bits());
            key.extend(weights.flat_map(|bits| [bits as u32, (bits >> 32) as u32]));
        }) {
            if states.len() < SHARING {
                rest.extend(states);
            } else {
                rest.extend(bundles.add_group(space, &states, reward, true));
            }
        }
        for states in alike(&rest, |s, key| add_lengths(space, s, key)) {
            let others = bundles.add_group(space, &states, reward, false);
            bundles.others.extend(others);
        }
        bundles
    }

    /// Adds states of one shape; gives back those that do not fill a bundle.
    fn add_group(&mut self, space: &Space, states: &[u32], reward: Option<&[f64]>, shares: bool) -> Vec<u32> {
        let (bundles, others) = states.as_chunks::<LANES>();
        if let [first, ..] = bundles {
            let first = first[0] as usize;
            let (lengths, shared, begin) = (self.lengths.len(), self.shared.len(), self.states.len());
            self.lengths.extend(space.choices_of(first).map(|choice| space.row(choice).len() as u32));
            if shares {
                self.shared.extend(entries_of(space, first).map(|at| space.values.get(at)));
            }
            bundles.iter().for_each(|&states| self.add(space, states, reward, shares));
            self.groups.push(Group {
                lengths: lengths..self.lengths.len(),
                bundles: begin..self.states.len(),
                shared: shares.then_some(shared..self.shared.len()),
            });
        }
        others.to_vec()
    }

    fn add(&mut self, space: &Space, states: [u32; LANES], reward: Option<&[f64]>, shares: bool) {
        self.states.push(states);
        let choices = states.map(|s| space.choices_of(s as usize));
        if let Some(reward) = reward {
            let count = choices[0].len();
            self.rewards.extend((0..count).map(|nth| choices.clone().map(|c| reward[c.start + nth])));
        }
        let entries = states.map(|s| entries_of(space, s as usize));
        for nth in 0..entries[0].len() {
            let places = entries.clone().map(|entries| entries.start + nth);
            self.columns.push(places.map(|at| space.columns[at]));
            if !shares {
                self.own.push(places.map(|at| space.values.get(at)));
            }
        }
    }

    /// Computes the values of the bundled states in `to` from those `from` which a step starts.
    #[inline(always)]
    pub fn step<const MINIMUM: bool, const REWARDS: bool>(&self, from: &[f64], to: &mut [f64]) -> Made {
        let mut run = Run {
            from,
            to,
            columns: &self.columns,
            rewards: &self.rewards,
            differs: [0; LANES],
            least: [f64::INFINITY; LANES],
        };
        let mut own = &self.own[..];
        for group in &self.groups {
            let lengths = &self.lengths[group.lengths.clone()];
            let states = &self.states[group.bundles.clone()];
            match &group.shared {
                Some(shared) => {
                    let all = &self.shared[shared.clone()];
                    for states in states {
                        let mut weights = all;
                        run.bundle::<MINIMUM, REWARDS, _>(states, lengths, &mut weights, |&w| [w; LANES]);
                    }
                }
                None => {
                    for states in states {
                        run.bundle::<MINIMUM, REWARDS, _>(states, lengths, &mut own, |&w| w);
                    }
                }
            }
        }
        Made {
            changed: run.differs != [0; LANES],
            least: run.least.into_iter().fold(f64::INFINITY, f64::min),
        }
    }
}

/// A step over bundles under way.
struct Run<'a> {
    from: &'a [f64],
    to: &'a mut [f64],
    /// What is still to be read.
    columns: &'a [[u32; LANES]],
    rewards: &'a [[f64; LANES]],
    /// Bits in which values differ from those before.
    differs: [u64; LANES],
    least: [f64; LANES],
}

impl Run<'_> {
    /// Computes the values of a bundle. Its weights are taken off `weights`.
    #[inline(always)]
    fn bundle<const MINIMUM: bool, const REWARDS: bool, W>(
        &mut self,
        states: &[u32; LANES],
        lengths: &[u32],
        weights: &mut &[W],
        weight: impl Fn(&W) -> [f64; LANES],
    ) {
        let mut best = [if MINIMUM { f64::INFINITY } else { f64::NEG_INFINITY }; LANES];
        for &length in lengths {
            let (row, columns) = self.columns.split_at(length as usize);
            let (numbers, others) = weights.split_at(length as usize);
            (self.columns, *weights) = (columns, others);
            let mut sum = [0.0; LANES];
            for (columns, numbers) in row.iter().zip(numbers) {
                let weights = weight(numbers);
                for lane in 0..LANES {
                    sum[lane] += weights[lane] * self.from[columns[lane] as usize];
                }
            }
            if REWARDS && let [reward, rewards @ ..] = self.rewards {
                (0..LANES).for_each(|lane| sum[lane] += reward[lane]);
                self.rewards = rewards;
            }
            for lane in 0..LANES {
                let is_better = if MINIMUM { sum[lane] < best[lane] } else { sum[lane] > best[lane] };
                best[lane] = if is_better { sum[lane] } else { best[lane] };
            }
        }
        let old = states.map(|state| self.from[state as usize]);
        // Without branches, so that the lanes stay together.
        let new = best.map(|best| if best.abs() < f64::INFINITY { best } else { 0.0 });
        for lane in 0..LANES {
            self.differs[lane] |= new[lane].to_bits() ^ old[lane].to_bits();
            let positive = if new[lane] > 0.0 { new[lane] } else { f64::INFINITY };
            self.least[lane] = if positive < self.least[lane] { positive } else { self.least[lane] };
        }
        for (&state, new) in states.iter().zip(new) {
            self.to[state as usize] = new;
        }
    }
}

/// The entries of all choices of a state.
fn entries_of(space: &Space, state: usize) -> Range<usize> {
    let choices = space.choices_of(state);
    space.row_start[choices.start] as usize..space.row_start[choices.end] as usize
}

/// Adds the shape of a state.
fn add_lengths(space: &Space, state: usize, key: &mut Vec<u32>) {
    let choices = space.choices_of(state);
    key.push(choices.len() as u32);
    key.extend(choices.map(|choice| space.row(choice).len() as u32));
}

/// The states in sets with the same key, which `add` writes; in the order in which keys occur.
fn alike(states: &[u32], add: impl Fn(usize, &mut Vec<u32>)) -> Vec<Vec<u32>> {
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let mut places: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut key = Vec::new();
    for &state in states {
        key.clear();
        add(state as usize, &mut key);
        let place = match places.get(&key) {
            Some(&place) => place,
            None => {
                places.insert(key.clone(), sets.len());
                sets.push(Vec::new());
                sets.len() - 1
            }
        };
        sets[place].push(state);
    }
    sets
}
