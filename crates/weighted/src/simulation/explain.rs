//! The strategies of both players, from a game that has ended.

use super::strategy::{Attack, Defence, Defended, Reason, Refuted};
use crate::Failure;
use crate::bisimulation::Options;
use crate::game::answer::Searcher;
use crate::game::classes::Dominance;
use crate::game::play::{Game, STAYS};
use crate::paths::{PathPart, WeightedPath};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::Control;
use volvelle_space::{WeightedStep, WeightedStructure};

/// Approximate size of a pair in a strategy, in bytes.
const PAIR_BYTES: u64 = 160;

/// Pairs in the order in which they are met.
struct Order {
    pairs: Vec<(u32, u32)>,
    place: FxHashMap<(u32, u32), usize>,
}

impl Order {
    fn new(root: (u32, u32)) -> Self {
        Order { pairs: vec![root], place: FxHashMap::from_iter([(root, 0)]) }
    }

    fn add(&mut self, pair: (u32, u32)) -> usize {
        *self.place.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.pairs.len() - 1
        })
    }
}

/// The answers of all pairs on which the answers of the first one rely.
pub(super) fn defence(
    game: &Game<'_>,
    dominance: Dominance,
    classes: &[u32],
    root: (u32, u32),
    control: &Control<'_>,
) -> Result<Defence, Failure> {
    let structure = game.arena.structure;
    let mut order = Order::new(root);
    let mut pairs: Vec<Defended> = Vec::new();
    let mut searcher = Searcher::new(structure.num_states());
    while let Some(&(s, t)) = order.pairs.get(pairs.len()) {
        if pairs.len().is_multiple_of(256) {
            control.check()?;
            control.check_memory(PAIR_BYTES * order.pairs.len() as u64)?;
        }
        let number = (!game.is_trivial(s, t)).then(|| game.number(s, t)).flatten();
        let mut answers = Vec::with_capacity(structure.outgoing(s).len());
        match number {
            Some(number) => {
                for (place, (_, answer)) in game.answers_of(number).enumerate() {
                    answers.push(compact(structure, t, game.path(answer), game.repeats_of(number, place)));
                }
            }
            // Pairs known to be related have no answers yet. States of one class imitate each other.
            None if !game.is_alike(s, t) => {
                for step in structure.range(s) {
                    game.ready_answer((s, t), step, &mut searcher, control)?
                        .expect("pairs that are related have answers");
                    answers.push(compact(structure, t, &searcher.path, &searcher.repeats));
                }
            }
            None => {
                let answer = |step: &WeightedStep| imitated(structure, dominance, classes, step, (s, t));
                answers.extend(structure.outgoing(s).iter().map(answer));
            }
        }
        for (step, path) in structure.outgoing(s).iter().zip(&answers) {
            let mut at = t;
            for next in path.parts.iter().flat_map(|part| &part.steps) {
                if s != at {
                    order.add((s, at));
                }
                at = next.target;
            }
            if step.target != at {
                order.add((step.target, at));
            }
        }
        pairs.push(Defended { s, t, answers });
    }
    Ok(Defence { pairs })
}

/// The answer to a step between states of the same classes: staying, or one step.
fn imitated(
    structure: &WeightedStructure,
    dominance: Dominance,
    classes: &[u32],
    step: &WeightedStep,
    (s, t): (u32, u32),
) -> WeightedPath {
    let class = |state: u32| classes[state as usize];
    let inert = class(step.target) == class(s)
        && match dominance {
            Dominance::Least => true,
            Dominance::Largest | Dominance::All => step.weight == 0,
            Dominance::Strong | Dominance::Shape => false,
        };
    if inert {
        return WeightedPath { start: t, parts: Vec::new() };
    }
    let same = structure.outgoing(t).iter().filter(|next| class(next.target) == class(step.target));
    let answer = match dominance {
        Dominance::Least => same.min_by_key(|next| next.weight),
        Dominance::Largest => same.max_by_key(|next| next.weight),
        Dominance::All | Dominance::Strong | Dominance::Shape => {
            same.clone().find(|next| next.weight == step.weight)
        }
    };
    let answer = *answer.expect("states of a class have steps to the same classes");
    WeightedPath { start: t, parts: vec![PathPart { steps: vec![answer], times: 1 }] }
}

/// A path with parts that are repeated.
fn compact(
    structure: &WeightedStructure,
    start: u32,
    path: &[u32],
    repeats: &[(u32, u32, u64)],
) -> WeightedPath {
    let steps = |range: std::ops::Range<usize>| -> Vec<WeightedStep> {
        path[range].iter().map(|&step| structure.steps()[step as usize]).collect()
    };
    let (mut parts, mut at) = (Vec::new(), 0);
    let mut part = |range: std::ops::Range<usize>, times: u64| {
        if !range.is_empty() {
            parts.push(PathPart { steps: steps(range), times });
        }
    };
    for &(begin, length, times) in repeats {
        let (begin, end) = (begin as usize, (begin + length) as usize);
        part(at..begin, 1);
        part(begin..end, times);
        at = end;
    }
    part(at..path.len(), 1);
    WeightedPath { start, parts }
}

/// The refutation of the first pair, with the pairs that it needs.
pub(super) fn attack(
    game: &Game<'_>,
    options: Options,
    root: (u32, u32),
    control: &Control<'_>,
) -> Result<Attack, Failure> {
    let structure = game.arena.structure;
    let same = |s: u32, t: u32| structure.valuation_of(s) == structure.valuation_of(t);
    let mut order = Order::new(root);
    let mut pairs: Vec<Refuted> = Vec::new();
    let mut least: FxHashMap<u32, u64> = FxHashMap::default();
    while let Some(&(s, t)) = order.pairs.get(pairs.len()) {
        control.check()?;
        control.check_memory(PAIR_BYTES * order.pairs.len() as u64)?;
        let refuted = game.refutation(s, t).expect("refutations rest on refuted pairs");
        let older = |s: u32, t: u32| game.refutation(s, t).is_some_and(|other| other.rank < refuted.rank);
        if refuted.step == STAYS {
            let lasso = game.lasso(s, t).expect("it was noted");
            let mut successors: Vec<u32> = structure.outgoing(t).iter().map(|step| step.target).collect();
            if successors.is_empty() && options.blocking_diverges {
                successors.push(t);
            }
            let mut following: Vec<usize> = Vec::new();
            for &x in &lasso.states {
                following.extend(successors.iter().filter(|&&y| same(x, y)).map(|&y| order.add((x, y))));
            }
            following.sort_unstable();
            following.dedup();
            let reason = Reason::Stays { path: lasso.states.clone(), back_to: lasso.back_to, following };
            pairs.push(Refuted { s, t, reason });
            continue;
        }
        let step = structure.steps()[refuted.step as usize];
        let most = game.arena.window(&game.rule, refuted.step as usize)?.1;
        // Only these states matter: those that paths reach before they pass a refuted pair, or weigh too
        // much.
        let (mut passing, mut ending) = (Vec::new(), Vec::new());
        least.clear();
        least.insert(t, 0);
        let mut pending = BinaryHeap::from([(Reverse(0u64), t)]);
        while let Some((Reverse(weight), x)) = pending.pop() {
            if weight > least[&x] {
                continue;
            }
            if same(step.target, x) && older(step.target, x) {
                ending.push(order.add((step.target, x)));
            }
            if !same(s, x) {
                continue;
            }
            if older(s, x) {
                passing.push(order.add((s, x)));
                continue;
            }
            for next in structure.outgoing(x) {
                let sum = weight.saturating_add(next.weight);
                let known = least.entry(next.target).or_insert(u64::MAX);
                if sum <= most && sum < *known {
                    *known = sum;
                    pending.push((Reverse(sum), next.target));
                }
            }
        }
        pairs.push(Refuted { s, t, reason: Reason::Step { step, passing, ending } });
    }
    Ok(Attack { pairs })
}
