//! Second opinions for tests of Markov models: state spaces from text, random models with dyadic numbers, and slow exact
//! algorithms over rationals.
//!
//! *Architecture Invariant:* it uses none of the crates that it judges, and computes in the most obvious way: by dense matrices,
//! by passes until nothing changes, policy by policy.
//!
//! Random numbers are multiples of powers of two, so that rows sum to one exactly and rational algebra on them
//! is the truth, not an approximation of it.

pub mod devices;
mod exponential;
mod forever;
pub mod signed;

use dashu_ratio::RBig;
use volvelle_logic::{
    Formula, FormulaId, Formulas, LabelId, Optimum, Property, Query, RewardId, RewardQuery, StopReason,
    TimeBound,
};
use volvelle_space::{
    Accuracy, BitSet, Choices, ExactRewards, ExactSpace, Kind, RewardVectors, Space, StateId,
};

pub use exponential::{assert_close, exponential, generator, random_ctmc};
pub use forever::{exact_long_run, exact_total};
pub use volvelle_random::Random;

/// Rows of (target, value) per choice, choices per state.
pub type Rows = Vec<Vec<Vec<(usize, f64)>>>;

/// A space out of rows; the first state is initial, there are no labels or rewards.
pub fn space(kind: Kind, rows: &Rows) -> Space {
    let n = rows.len();
    let mut space = Space {
        kind,
        choices: None,
        row_start: vec![0],
        columns: vec![],
        values: vec![].into(),
        initial: vec![StateId(0)],
        deadlocks: BitSet::new(n),
        labels: vec![],
        rewards: vec![],
        actions: vec![String::new()],
    };
    let mut choices = Choices::new(vec![0], vec![]);
    let mut values: Vec<f64> = vec![];
    for state in rows {
        for row in state {
            let mut row = row.clone();
            row.sort_by_key(|e| e.0);
            for (t, v) in row {
                let begin = *space.row_start.last().unwrap() as usize;
                if space.columns.len() > begin && *space.columns.last().unwrap() == t as u32 {
                    *values.last_mut().unwrap() += v;
                } else {
                    space.columns.push(t as u32);
                    values.push(v);
                }
            }
            space.row_start.push(space.columns.len() as u32);
            choices.action.push(0);
        }
        choices.start.push(choices.action.len() as u32);
    }
    space.values = values.into();
    if kind == Kind::Mdp {
        space.choices = Some(choices);
    } else {
        assert!(rows.iter().all(|s| s.len() == 1));
    }
    space
}

/// A space from lines `state: value:target value:target`, one line per choice, states in order.
pub fn parse(kind: Kind, text: &str) -> Space {
    let mut rows: Rows = vec![];
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (state, row) = line.split_once(':').unwrap();
        let state: usize = state.trim().parse().unwrap();
        rows.resize(rows.len().max(state + 1), vec![]);
        rows[state].push(
            row.split_whitespace()
                .map(|e| {
                    let (value, target) = e.split_once(':').unwrap();
                    (target.parse().unwrap(), value.parse().unwrap())
                })
                .collect(),
        );
    }
    space(kind, &rows)
}

/// A random distribution over up to `most` of the given targets, in multiples of 2^-44, some of them tiny.
fn distribution(random: &mut Random, targets: &[usize], most: usize) -> Vec<(usize, f64)> {
    let count = 1 + random.below(most);
    let mut row: Vec<(usize, f64)> = vec![];
    let unit = 2f64.powi(-44);
    let mut left = 1u64 << 44;
    for k in 0..count {
        let share = if k + 1 == count {
            left
        } else if random.one_in(4) {
            1 + random.below(1 << 16) as u64
        } else {
            (left >> (1 + random.below(3))).max(1)
        };
        row.push((targets[random.below(targets.len())], share as f64 * unit));
        left -= share;
    }
    row
}

/// Random rows with loops, absorbing states and unreachable parts.
pub fn random_rows(random: &mut Random, states: usize, choices: usize) -> Rows {
    (0..states)
        .map(|s| {
            let count = 1 + random.below(choices);
            (0..count)
                .map(|_| {
                    if random.one_in(8) {
                        return vec![(s, 1.0)];
                    }
                    let near: Vec<usize> = match random.below(3) {
                        0 => (0..states).collect(),
                        1 => (s.saturating_sub(2)..(s + 3).min(states)).collect(),
                        _ => (0..=s).collect(),
                    };
                    distribution(random, &near, 4)
                })
                .collect()
        })
        .collect()
}

/// A random set, one in `n` states.
pub fn random_set(random: &mut Random, len: usize, n: usize) -> BitSet {
    let mut set = BitSet::new(len);
    for s in 0..len {
        if random.one_in(n) {
            set.insert(s);
        }
    }
    set
}

/// A double as a rational, exactly.
pub fn exact(value: f64) -> RBig {
    RBig::try_from(value).unwrap()
}

/// The doubles of a space taken at their word.
pub fn numbers_of(space: &Space) -> ExactSpace {
    let rewards = space.rewards.iter().map(|r| ExactRewards {
        state: r.state.as_ref().map(|v| v.iter().map(exact).collect()),
        choice: r.choice.as_ref().map(|v| v.iter().map(exact).collect()),
    });
    ExactSpace {
        values: space.values.iter().map(exact).collect(),
        rewards: rewards.collect(),
        numbers: vec![],
    }
}

/// Solves `A x = b` over rationals; `None` where singular.
pub fn solve_exactly(mut a: Vec<Vec<RBig>>, mut b: Vec<RBig>) -> Option<Vec<RBig>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).find(|&i| a[i][k] != RBig::ZERO)?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in 0..n {
            if i == k || a[i][k] == RBig::ZERO {
                continue;
            }
            let factor = &a[i][k] / &a[k][k];
            let row = a[k].clone();
            for (entry, pivot) in a[i].iter_mut().zip(&row).skip(k) {
                *entry = &*entry - &factor * pivot;
            }
            b[i] = &b[i] - &factor * &b[k];
        }
    }
    Some((0..n).map(|i| &b[i] / &a[i][i]).collect())
}

/// One row per state (a policy applied).
pub type Chain = Vec<Vec<(usize, f64)>>;

/// States that can reach `target` through `via`, by repeated passes.
pub fn can_reach(chain: &Chain, via: &BitSet, target: &BitSet) -> BitSet {
    let mut set = target.clone();
    loop {
        let mut changed = false;
        for (s, row) in chain.iter().enumerate() {
            if !set.contains(s) && via.contains(s) && row.iter().any(|&(t, v)| v > 0.0 && set.contains(t)) {
                set.insert(s);
                changed = true;
            }
        }
        if !changed {
            return set;
        }
    }
}

/// Exact probabilities of `left U right` on a chain.
pub fn exact_until(chain: &Chain, left: &BitSet, right: &BitSet) -> Vec<RBig> {
    let n = chain.len();
    let mut via = left.clone();
    via.subtract(right);
    let positive = can_reach(chain, &via, right);
    let mut a = vec![vec![RBig::ZERO; n]; n];
    let mut b = vec![RBig::ZERO; n];
    for s in 0..n {
        a[s][s] = RBig::ONE;
        if right.contains(s) {
            b[s] = RBig::ONE;
        } else if positive.contains(s) {
            for &(t, v) in &chain[s] {
                a[s][t] = &a[s][t] - exact(v);
            }
        }
    }
    solve_exactly(a, b).unwrap()
}

/// Exact expected rewards until `target`; `None` is infinite. `reward` per state of the chain.
pub fn exact_reward(chain: &Chain, reward: &[f64], target: &BitSet) -> Vec<Option<RBig>> {
    let n = chain.len();
    let sure = exact_until(chain, &BitSet::full(n), target);
    let mut a = vec![vec![RBig::ZERO; n]; n];
    let mut b = vec![RBig::ZERO; n];
    for s in 0..n {
        a[s][s] = RBig::ONE;
        if !target.contains(s) && sure[s] == RBig::ONE {
            b[s] = exact(reward[s]);
            for &(t, v) in &chain[s] {
                a[s][t] = &a[s][t] - exact(v);
            }
        }
    }
    let x = solve_exactly(a, b).unwrap();
    x.into_iter().zip(sure).map(|(x, p)| (p == RBig::ONE).then_some(x)).collect()
}

/// All memoryless deterministic policies of an MDP: a chain and the choices taken.
pub fn policies(space: &Space) -> impl Iterator<Item = (Chain, Vec<usize>)> + '_ {
    let n = space.num_states();
    let counts: Vec<usize> = (0..n).map(|s| space.choices_of(s).len()).collect();
    let total: usize = counts.iter().product();
    assert!(total <= 100_000);
    (0..total).map(move |mut k| {
        let mut taken = vec![];
        let chain = (0..n)
            .map(|s| {
                let choice = space.choices_of(s).start + k % counts[s];
                k /= counts[s];
                taken.push(choice);
                space.transitions(choice).collect()
            })
            .collect();
        (chain, taken)
    })
}

/// The better of two, `None` being infinite.
pub fn pick(optimum: Optimum, a: Option<RBig>, b: Option<RBig>) -> Option<RBig> {
    match (optimum, a, b) {
        (Optimum::Min, Some(a), Some(b)) => Some(a.min(b)),
        (Optimum::Min, a, b) => a.or(b),
        (Optimum::Max, Some(a), Some(b)) => Some(a.max(b)),
        (Optimum::Max, _, _) => None,
    }
}

/// Asserts `lo <= exact <= hi`, and unless the solver says that it stopped early, that the interval is as
/// narrow as requested.
pub fn assert_encloses([lo, hi]: [f64; 2], truth: &Option<RBig>, width: f64, stop: StopReason, what: &str) {
    let early = stop == StopReason::IterationLimit;
    let bound = |v: f64| if v.is_finite() { Some(exact(v)) } else { None };
    let Some(truth) = truth else {
        assert!(hi == f64::INFINITY && (early || lo == hi), "{what}: [{lo}, {hi}] but infinite");
        return;
    };
    let value = truth.to_f64().value();
    assert!(bound(lo).is_some_and(|lo| lo <= *truth), "{what}: [{lo:e}, {hi:e}] misses {value:e}");
    assert!(bound(hi).is_none_or(|hi| hi >= *truth), "{what}: [{lo:e}, {hi:e}] misses {value:e}");
    assert!(early || hi - lo <= width * hi.abs() + 1e-280, "{what}: [{lo:e}, {hi:e}] is wide");
}

/// The MDP with which of the first two labels were seen (bits 0 and 1), as far as it can be reached, and its states as
/// pairs of a state of the space and bits. `may_give_up`: before the second is seen there is a choice to give up (bit 2).
pub fn unfolded(model: &Space, may_give_up: bool) -> (Space, Vec<(usize, usize)>) {
    let bits_of = |s: usize| {
        usize::from(model.labels[0].1.contains(s)) | usize::from(model.labels[1].1.contains(s)) << 1
    };
    let mut states = vec![(0usize, bits_of(0))];
    let mut rows: Rows = vec![];
    while let Some(&(s, bits)) = states.get(rows.len()) {
        let mut number = |target: (usize, usize)| {
            states.iter().position(|&known| known == target).unwrap_or_else(|| {
                states.push(target);
                states.len() - 1
            })
        };
        let mut choices: Vec<Vec<(usize, f64)>> = model
            .choices_of(s)
            .map(|c| model.transitions(c).map(|(t, v)| (number((t, bits | bits_of(t))), v)).collect())
            .collect();
        if may_give_up && bits & 4 == 0 && bits & 2 == 0 {
            choices.push(vec![(number((s, bits | 4)), 1.0)]);
        }
        rows.push(choices);
    }
    (space(Kind::Mdp, &rows), states)
}

/// Adds a label.
pub fn label(space: &mut Space, name: &str, set: BitSet) -> LabelId {
    space.labels.push((name.to_string(), set));
    LabelId(space.labels.len() as u32 - 1)
}

/// Adds a reward structure of state rewards.
pub fn rewards(space: &mut Space, state: Vec<f64>) -> RewardId {
    space.rewards.push(RewardVectors {
        name: "r".to_string(),
        state: Some(state.into()),
        choice: None,
        accuracy: Accuracy::Exact,
        mixed: false,
    });
    RewardId(space.rewards.len() as u32 - 1)
}

/// A property under construction.
#[derive(Default)]
pub struct Builder(pub Formulas);

impl Builder {
    /// How many kinds [`Self::kind_of_value`] has.
    pub const KINDS_OF_VALUES: usize = 6;

    /// One question of each kind: a probability, rewards until a state, time until it, rewards by way of an automaton, whether there is
    /// a path, and the least probability of an MDP or the long run of a chain.
    pub fn kind_of_value(
        &mut self,
        which: usize,
        kind: Kind,
        [left, right]: [LabelId; 2],
        reward: RewardId,
    ) -> FormulaId {
        let right = self.label(right);
        let path = self.finally(right, TimeBound::NONE);
        let optimum = Some(Optimum::Max);
        match which {
            0 => self.probability(path, optimum),
            1 => self.reward(reward, RewardQuery::Reach(path), optimum),
            2 => self.add(Formula::Time { optimum, query: Query::Value, path }),
            3 => {
                // One after the other, by way of an automaton.
                let left = self.label(left);
                let then = self.finally(left, TimeBound::NONE);
                let first = self.add(Formula::And(right, then));
                let path = self.finally(first, TimeBound::NONE);
                self.reward(reward, RewardQuery::Reach(path), optimum)
            }
            4 => self.add(Formula::Exists(path)),
            _ if kind == Kind::Mdp => self.probability(path, Some(Optimum::Min)),
            _ => self.add(Formula::Steady { optimum, query: Query::Value, states: right }),
        }
    }

    /// Adds a formula.
    pub fn add(&mut self, formula: Formula) -> FormulaId {
        self.0.add(formula)
    }

    /// The states with a label.
    pub fn label(&mut self, label: LabelId) -> FormulaId {
        self.add(Formula::Label(label))
    }

    /// `F target` within a bound.
    pub fn finally(&mut self, target: FormulaId, bound: TimeBound) -> FormulaId {
        let all = self.add(Formula::Bool(true));
        self.add(Formula::Until(all, target, bound))
    }

    /// `P=? [ path ]`.
    pub fn probability(&mut self, path: FormulaId, optimum: Option<Optimum>) -> FormulaId {
        self.add(Formula::Prob { optimum, query: Query::Value, path })
    }

    /// `R=? [ what ]`.
    pub fn reward(&mut self, rewards: RewardId, what: RewardQuery, optimum: Option<Optimum>) -> FormulaId {
        self.add(Formula::Reward { rewards, optimum, query: Query::Value, what })
    }

    /// The property with this formula at its root.
    pub fn property(self, root: FormulaId) -> Property {
        Property { name: None, text: String::new(), constants: vec![], formulas: self.0, root }
    }
}

/// The time bound `lower..=upper`.
pub fn within(lower: f64, upper: Option<f64>) -> TimeBound {
    TimeBound { lower, upper, ..TimeBound::NONE }
}
