//! The game for one pair of states, played over the pairs that it can reach, with a strategy of the winner.
//!
//! The attacker moves `s -w-> s'`, the defender answers with a path from t. Pairs count as related until they are refuted. An open pair
//! looks for a path for every step through pairs that are not refuted; the pairs on these paths are opened in turn, and where one is refuted
//! the pairs that rely on it look again. What remains in the end is a simulation. A pair is refuted by a step when no path avoids the
//! pairs that were refuted before, which is the attacker's strategy: its pairs become older with every move, so that it ends.

use super::window::Window;
use crate::Failure;
use crate::paths::{WeightedPath, path_within};
use rustc_hash::FxHashMap;
use volvelle_control::Control;
use volvelle_space::{BitSet, WeightedStep, WeightedStructure};

/// Who wins from a pair of states, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The pair is in the largest simulation.
    Related(Defence),
    /// It is not.
    Unrelated(Attack),
}

/// A simulation with the answers of all its pairs; pairs of a state with itself are left out, as every step answers itself there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defence {
    /// The pair in question first, if its states are different.
    pub pairs: Vec<Defended>,
}

/// A pair of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defended {
    /// The state that moves.
    pub s: u32,
    /// The state that answers.
    pub t: u32,
    /// The answers to the steps of `s`, in their order.
    pub answers: Vec<WeightedPath>,
}

/// How the attacker wins: pairs, each of which is refuted by pairs behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The pair in question first.
    pub pairs: Vec<Refuted>,
}

/// A pair that is not in the largest simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// The state that moves.
    pub s: u32,
    /// The state that answers.
    pub t: u32,
    /// Why.
    pub reason: Reason,
}

/// Why a pair is refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The valuations are different.
    Valuations,
    /// A step has no answer: each path from `t` whose weight is in the window of the step passes a state or ends in a state that has
    /// another valuation, or is refuted.
    Step {
        /// The attacker's step.
        step: WeightedStep,
        /// Indices of refuted pairs `(s, x)`: paths may not pass `x`.
        passing: Vec<usize>,
        /// Indices of refuted pairs `(s', x)`: paths may not end in `x`.
        ending: Vec<usize>,
    },
}

/// Decides whether `(s, t)` is in the largest simulation, without computing all of it.
///
/// # Errors
/// A limit was reached, or a weight or a bound does not fit into 64 bits.
pub fn related(
    structure: &WeightedStructure,
    (s, t): (u32, u32),
    window: &Window,
    control: &Control<'_>,
) -> Result<Verdict, Failure> {
    if structure.valuation_of(s) != structure.valuation_of(t) {
        return Ok(Verdict::Unrelated(Attack { pairs: vec![Refuted { s, t, reason: Reason::Valuations }] }));
    }
    let mut game = Game {
        structure,
        window,
        control,
        alike: FxHashMap::default(),
        refuted: FxHashMap::default(),
        number: FxHashMap::default(),
        pairs: Vec::new(),
        pending: Vec::new(),
        refutations: 0,
    };
    game.open(s, t);
    while let Some(pair) = game.pending.pop() {
        game.pairs[pair].is_pending = false;
        game.look(pair)?;
        if game.pairs.first().is_some_and(|root| root.refuted.is_some()) {
            return Ok(Verdict::Unrelated(game.attack()?));
        }
    }
    Ok(Verdict::Related(game.defence()))
}

struct Game<'a> {
    structure: &'a WeightedStructure,
    window: &'a Window,
    control: &'a Control<'a>,
    /// States by valuation.
    alike: FxHashMap<u32, BitSet>,
    /// By first state: the second states of refuted pairs.
    refuted: FxHashMap<u32, Vec<u32>>,
    number: FxHashMap<(u32, u32), usize>,
    pairs: Vec<Pair>,
    pending: Vec<usize>,
    refutations: u64,
}

struct Pair {
    s: u32,
    t: u32,
    /// By step of `s`: the path, and the pairs on which it relies.
    answers: Vec<Option<(WeightedPath, Vec<usize>)>>,
    /// Pairs that rely on this one, some perhaps no longer.
    users: Vec<usize>,
    /// When it was refuted, and by which step.
    refuted: Option<(u64, WeightedStep)>,
    is_pending: bool,
}

impl Game<'_> {
    /// The number of a pair; `None` for a state with itself, which is related in every case.
    fn open(&mut self, s: u32, t: u32) -> Option<usize> {
        if s == t {
            return None;
        }
        let next = self.pairs.len();
        let number = *self.number.entry((s, t)).or_insert(next);
        if number == next {
            let answers = vec![None; self.structure.outgoing(s).len()];
            self.pairs.push(Pair { s, t, answers, users: Vec::new(), refuted: None, is_pending: true });
            self.pending.push(number);
        }
        Some(number)
    }

    /// The states with the valuation of `s` that are not refuted.
    fn candidates(&mut self, s: u32) -> BitSet {
        let structure = self.structure;
        let valuation = structure.valuation_of(s);
        let alike = self.alike.entry(valuation).or_insert_with(|| {
            let states = 0..structure.num_states();
            let alike = states.clone().filter(|&state| structure.valuation_of(state as u32) == valuation);
            BitSet::of(states.len(), alike)
        });
        let mut candidates = alike.clone();
        for &refuted in self.refuted.get(&s).into_iter().flatten() {
            candidates.remove(refuted as usize);
        }
        candidates
    }

    /// Looks for the answers that a pair lacks.
    fn look(&mut self, pair: usize) -> Result<(), Failure> {
        let Pair { s, t, refuted, .. } = self.pairs[pair];
        if refuted.is_some() {
            return Ok(());
        }
        for (place, &step) in self.structure.outgoing(s).iter().enumerate() {
            self.control.check()?;
            let relies = self.pairs[pair].answers[place].as_ref().map(|answer| &answer.1);
            if relies.is_some_and(|pairs| pairs.iter().all(|&other| self.pairs[other].refuted.is_none())) {
                continue;
            }
            let (region, goal) = (self.candidates(s), self.candidates(step.target));
            let (lo, hi) = self.window.bounds(step.weight)?;
            let Some(path) = path_within(self.structure, &region, &goal, t, lo, hi, self.control)? else {
                self.refute(pair, step);
                return Ok(());
            };
            let mut relies = Vec::new();
            let mut at = t;
            for next in path.parts.iter().flat_map(|part| &part.steps) {
                relies.extend(self.open(s, at));
                at = next.target;
            }
            relies.extend(self.open(step.target, at));
            relies.sort_unstable();
            relies.dedup();
            relies.iter().for_each(|&other| self.pairs[other].users.push(pair));
            self.pairs[pair].answers[place] = Some((path, relies));
        }
        Ok(())
    }

    fn refute(&mut self, pair: usize, step: WeightedStep) {
        let Pair { s, t, .. } = self.pairs[pair];
        self.pairs[pair].refuted = Some((self.refutations, step));
        self.refutations += 1;
        self.refuted.entry(s).or_default().push(t);
        for user in std::mem::take(&mut self.pairs[pair].users) {
            if !std::mem::replace(&mut self.pairs[user].is_pending, true) {
                self.pending.push(user);
            }
        }
    }

    fn defence(self) -> Defence {
        let holds = self.pairs.into_iter().filter(|pair| pair.refuted.is_none());
        let pair = |pair: Pair| {
            let answers = pair.answers.into_iter().map(|answer| answer.expect("nothing is pending").0);
            Defended { s: pair.s, t: pair.t, answers: answers.collect() }
        };
        Defence { pairs: holds.map(pair).collect() }
    }

    /// The refutation of the first pair, with the pairs that it needs.
    fn attack(&self) -> Result<Attack, Failure> {
        let mut order = vec![0usize];
        let mut index: FxHashMap<usize, usize> = FxHashMap::from_iter([(0, 0)]);
        let mut pairs: Vec<Refuted> = Vec::new();
        while let Some(&number) = order.get(pairs.len()) {
            self.control.check()?;
            let Pair { s, t, refuted, .. } = self.pairs[number];
            let (when, step) = refuted.expect("refutations rest on refuted pairs");
            let mut add = |pair: usize| {
                *index.entry(pair).or_insert_with(|| {
                    order.push(pair);
                    order.len() - 1
                })
            };
            let older = |s: u32, t: u32| {
                let pair = *self.number.get(&(s, t))?;
                self.pairs[pair].refuted.is_some_and(|other| other.0 < when).then_some(pair)
            };
            // The states that paths reach before they pass a refuted pair: only these matter.
            let (mut passing, mut ending) = (Vec::new(), Vec::new());
            let mut seen = BitSet::of(self.structure.num_states(), [t as usize]);
            let mut pending = vec![t];
            while let Some(x) = pending.pop() {
                ending.extend(older(step.target, x).map(&mut add));
                if self.structure.valuation_of(x) != self.structure.valuation_of(s) {
                    continue;
                }
                if let Some(pair) = older(s, x) {
                    passing.push(add(pair));
                    continue;
                }
                for next in self.structure.outgoing(x) {
                    if seen.insert(next.target as usize) {
                        pending.push(next.target);
                    }
                }
            }
            pairs.push(Refuted { s, t, reason: Reason::Step { step, passing, ending } });
        }
        Ok(Attack { pairs })
    }
}
