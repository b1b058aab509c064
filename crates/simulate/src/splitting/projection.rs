//! The distance to the target in a projection of the model.
//!
//! The state space is projected onto some fields; of the others only the domains are known. The projection is
//! explored forwards from the initial state. If it contains all relevant fields, it is the model itself;
//! otherwise it has at least the model's transitions. Module `fields` chooses the fields.
//!
//! The length of a transition is `-log2` of its probability among those that leave the projected state, if
//! known, else of an upper bound. The distance of a state is that of its shortest path, so it stands for the
//! probability of the likeliest path. Projections are compared by these distances. The importance is based on
//! the probability of all paths together (module `values`). Levels at equal distances are then about equally
//! hard to reach.
//!
//! Since the projection has all transitions of the model, a target that is unreachable in the projection is
//! unreachable in the model: the entry of such states is zero, and paths end there.

use super::bounds::{Evaluator, Values};
use super::values::{self, Horizon, State};
use crate::importance::Table;
use crate::path::Plan;
use crate::weights::Weights;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use volvelle_kernel::ExprId;
use volvelle_model::interval::Interval;

/// Limit of projected states.
const MOST_STATES: usize = 1 << 14;
/// Transitions between them.
const MOST_EDGES: usize = 1 << 19;
/// Successors of a projected state by one combination.
const MOST_SUCCESSORS: usize = 1 << 10;
/// Entries of importance for a bit of distance.
const STEPS_PER_BIT: f64 = 64.0;

/// The projection has too many states or transitions.
#[derive(Debug)]
pub struct TooLarge {
    /// Number of states examined.
    pub states: usize,
}

/// A projection, explored.
pub struct Projection {
    fields: Vec<(usize, i64, u32)>,
    entries: usize,
    /// Index of each state found.
    states: Vec<u32>,
    /// Transitions out of each.
    ways: Vec<State>,
    /// States where the target may hold.
    targets: Vec<u32>,
}

/// A projection while it is explored.
struct Exploration<'p> {
    plan: &'p Plan,
    fields: Vec<(usize, i64, u32)>,
    evaluator: Evaluator,
    known: Vec<Interval>,
    /// For each combination whether it writes a field of the projection.
    seen: Vec<bool>,
}

impl Projection {
    /// Explores the projection onto some fields.
    ///
    /// # Errors
    /// It is too large.
    pub fn new(
        plan: &Plan,
        chosen: &[usize],
        left: ExprId,
        right: ExprId,
        most_states: usize,
    ) -> Result<Self, TooLarge> {
        let mut entries = 1u64;
        let mut fields = Vec::with_capacity(chosen.len());
        for &field in chosen {
            fields.push((
                field,
                plan.domain(field).lo,
                u32::try_from(entries).map_err(|_| TooLarge { states: 0 })?,
            ));
            entries = entries.saturating_mul(plan.domain_size(field).ok_or(TooLarge { states: 0 })?);
        }
        let mut roots = vec![left, right];
        for (i, combination) in plan.combinations.iter().enumerate() {
            roots.extend(&combination.guards);
            roots.extend(combination.stages.iter().flatten().flat_map(|b| &b.assignments).map(|a| a.value));
            roots.extend(plan.stage_weights[i].iter().flatten().flat_map(|w| &w.values));
        }
        roots.extend(&plan.weights.values);
        let known = (0..plan.program.fields.len()).map(|field| plan.domain(field)).collect();
        let evaluator = Evaluator::new(&plan.program.exprs, &roots);
        let writes = |combination: &crate::combinations::Combination| {
            let mut written =
                combination.stages.iter().flatten().flat_map(|b| &b.assignments).map(|a| a.field.index());
            written.any(|field| chosen.contains(&field))
        };
        let seen = plan.combinations.iter().map(writes).collect();
        let mut exploration = Exploration { plan, fields: fields.clone(), evaluator, known, seen };
        let initial: Vec<i64> = fields.iter().map(|&(field, ..)| plan.initial[field]).collect();
        let mut result = Projection {
            fields,
            entries: entries as usize,
            states: Vec::new(),
            ways: Vec::new(),
            targets: Vec::new(),
        };
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut waiting: VecDeque<(u32, Vec<i64>)> = VecDeque::new();
        let mut edges = 0;
        let mut number = |result: &mut Self, waiting: &mut VecDeque<(u32, Vec<i64>)>, values: Vec<i64>| {
            let index = result.index(&values);
            *numbers.entry(index).or_insert_with(|| {
                let new = result.states.len() as u32;
                result.states.push(index);
                result.ways.push(State::default());
                waiting.push_back((new, values));
                new
            })
        };
        number(&mut result, &mut waiting, initial);
        while let Some((from, values)) = waiting.pop_front() {
            exploration.look(&values);
            let (at_target, goes_on) =
                (exploration.evaluator.value(right), exploration.evaluator.value(left));
            if at_target.may_hold() {
                result.targets.push(from);
            }
            if at_target.holds() || !goes_on.may_hold() {
                continue;
            }
            let successors = exploration.successors(&values);
            let (mut successors, rate) =
                successors.map_err(|TooMany| TooLarge { states: result.states.len() })?;
            let all: f64 = successors.values().sum();
            let same = successors.remove(&values).unwrap_or(0.0);
            edges += successors.len();
            let mut outgoing = Vec::with_capacity(successors.len());
            for (to, probability) in successors {
                outgoing.push((number(&mut result, &mut waiting, to), probability));
            }
            let is_exact = all <= 1.0 + 1e-9;
            result.ways[from as usize] = State { outgoing, same: same.min(1.0), rate, is_exact };
            if result.states.len() > MOST_STATES.min(most_states) || edges > MOST_EDGES {
                return Err(TooLarge { states: result.states.len() });
            }
        }
        Ok(result)
    }

    fn index(&self, values: &[i64]) -> u32 {
        self.fields
            .iter()
            .zip(values)
            .map(|(&(_, least, stride), value)| (value - least) as u32 * stride)
            .sum()
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of the projection of a state.
    pub fn number(&self, state: &[i64]) -> Option<u32> {
        let values: Vec<i64> = self.fields.iter().map(|&(field, ..)| state[field]).collect();
        let index = self.index(&values);
        self.states.iter().position(|&known| known == index).map(|number| number as u32)
    }

    /// Whether there is a transition.
    pub fn leads(&self, from: u32, to: u32) -> bool {
        self.ways[from as usize].outgoing.iter().any(|&(next, _)| next == to)
    }

    /// Whether the target may hold.
    pub fn is_target(&self, state: u32) -> bool {
        self.targets.contains(&state)
    }

    /// The distance of each state from the target, by Dijkstra's algorithm; the initial state is the first.
    pub(super) fn distances(&self) -> Vec<f64> {
        let mut back: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.states.len()];
        for (from, state) in self.ways.iter().enumerate() {
            // If everything is known: the probability among transitions that change something; else an upper
            // bound.
            let total = if state.is_exact { 1.0 - state.same } else { 1.0 };
            for &(to, probability) in &state.outgoing {
                let length = -(probability / total).min(1.0).log2();
                back[to as usize].push((from as u32, if length.is_finite() { length.max(0.0) } else { 0.0 }));
            }
        }
        let mut distances = vec![f64::INFINITY; self.states.len()];
        // Finite floats that are not negative are ordered as their bits.
        let mut queue: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        for &target in &self.targets {
            distances[target as usize] = 0.0;
            queue.push(Reverse((0, target)));
        }
        while let Some(Reverse((bits, state))) = queue.pop() {
            let distance = f64::from_bits(bits);
            if distance > distances[state as usize] {
                continue;
            }
            for &(before, length) in &back[state as usize] {
                let through = distance + length;
                if through < distances[before as usize] {
                    distances[before as usize] = through;
                    queue.push(Reverse((through.to_bits(), before)));
                }
            }
        }
        distances
    }

    /// Importance, given the distances: by the probability of reaching the target in time.
    pub(super) fn into_table(self, distances: &[f64], horizon: Horizon) -> Table {
        let mut nearness: Vec<u32> =
            (0..self.states.len() as u32).filter(|&state| distances[state as usize].is_finite()).collect();
        nearness.sort_by(|&a, &b| distances[a as usize].total_cmp(&distances[b as usize]));
        let mut values = values::distances(&self.ways, &self.targets, &nearness, horizon);
        let farthest = values.iter().copied().filter(|d| d.is_finite()).fold(0.0, f64::max);
        for &state in &nearness {
            // A state whose value is too small for a float, or not yet found, is far away, but not out of
            // reach.
            let value = &mut values[state as usize];
            *value = value.min(farthest).max(0.0);
        }
        let distances = values;
        let steps_per_bit = STEPS_PER_BIT.min(f64::from(u16::MAX - 1) / farthest.max(1.0));
        let mut entries = vec![0u16; self.entries];
        for (&index, &distance) in self.states.iter().zip(&distances) {
            if distance.is_finite() {
                entries[index as usize] = 1 + ((farthest - distance).max(0.0) * steps_per_bit).round() as u16;
            }
        }
        Table { fields: self.fields, entries, explored: self.states.len() }
    }
}

/// A state has too many successors.
struct TooMany;

impl Exploration<'_> {
    /// Evaluates everything in a projected state.
    fn look(&mut self, values: &[i64]) {
        for (&(field, ..), &value) in self.fields.iter().zip(values) {
            self.known[field] = Interval { lo: value, hi: value };
        }
        self.evaluator.evaluate(&self.known);
    }

    /// Projected successors with their probabilities, as far as known, in their order; and the least rate of
    /// leaving.
    fn successors(&self, values: &[i64]) -> Result<(BTreeMap<Vec<i64>, f64>, f64), TooMany> {
        let mut all: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
        let plan = self.plan;
        let guards: Vec<Values> = plan
            .combinations
            .iter()
            .map(|combination| {
                let guards = combination.guards.iter().map(|&guard| self.evaluator.value(guard));
                let (mut may, mut must) = (true, true);
                for guard in guards {
                    may &= guard.may_hold();
                    must &= guard.holds();
                }
                Values::Bool { no: !must, yes: may }
            })
            .collect();
        let (chances, rate) = self.chances(&plan.weights, Some(&guards));
        for (i, combination) in plan.combinations.iter().enumerate() {
            if !self.seen[i] || !guards[i].may_hold() || chances[i] <= 0.0 {
                continue;
            }
            let mut partial = vec![(values.to_vec(), chances[i])];
            for (stage, weights) in combination.stages.iter().zip(&plan.stage_weights[i]) {
                let chances = weights.as_ref().map(|weights| self.chances(weights, None).0);
                let mut next = Vec::new();
                for (state, chance) in &partial {
                    for (b, branch) in stage.iter().enumerate() {
                        let of_branch = chances.as_ref().map_or(1.0, |chances| chances[b]);
                        if of_branch <= 0.0 {
                            continue;
                        }
                        let chance = (chance * of_branch).max(f64::MIN_POSITIVE);
                        next.extend(self.assigned(state, branch)?.into_iter().map(|state| (state, chance)));
                        if next.len() > MOST_SUCCESSORS {
                            return Err(TooMany);
                        }
                    }
                }
                partial = next;
            }
            for (state, chance) in partial {
                *all.entry(state).or_default() += chance;
            }
        }
        Ok((all, rate * plan.weights.unit))
    }

    /// The greatest probability of each choice, given what is known of weights and guards; and the least sum
    /// of weights.
    fn chances(&self, weights: &Weights, guards: Option<&[Values]>) -> (Vec<f64>, f64) {
        let ranges: Vec<(f64, f64)> = weights
            .values
            .iter()
            .enumerate()
            .map(|(i, &weight)| {
                let (lo, hi) = self.evaluator.value(weight).range();
                let guard = guards.map_or(Values::Bool { no: false, yes: true }, |guards| guards[i]);
                // A combination that writes no field of the projection does not leave the projected state, so
                // it does not compete.
                let competes = guards.is_none() || self.seen[i];
                let lo = if guard.holds() && competes { lo.max(0.0) } else { 0.0 };
                (lo, if guard.may_hold() { hi.max(0.0) } else { 0.0 })
            })
            .collect();
        let least: f64 = ranges.iter().map(|(lo, _)| lo).sum();
        let chance = |&(lo, hi): &(f64, f64)| {
            if hi <= 0.0 {
                return 0.0;
            }
            let chance = hi / (hi + (least - lo).max(0.0));
            // Never zero: what may happen is a transition, however improbable.
            if chance.is_finite() { chance.max(f64::MIN_POSITIVE) } else { 1.0 }
        };
        (ranges.iter().map(chance).collect(), least)
    }

    /// The projected states that a branch may lead to.
    fn assigned(&self, from: &[i64], branch: &crate::combinations::Branch) -> Result<Vec<Vec<i64>>, TooMany> {
        let mut states = vec![from.to_vec()];
        for assignment in &branch.assignments {
            let field = assignment.field.index();
            let Some(place) = self.fields.iter().position(|&(f, ..)| f == field) else { continue };
            let domain = self.plan.domain(field);
            let value = self.evaluator.value(assignment.value).integers().unwrap_or(domain);
            let (lo, hi) = (value.lo.max(domain.lo), value.hi.min(domain.hi));
            let count =
                usize::try_from(hi.saturating_sub(lo).saturating_add(1).max(0)).map_err(|_| TooMany)?;
            if states.len().saturating_mul(count) > MOST_SUCCESSORS {
                return Err(TooMany);
            }
            states = states
                .iter()
                .flat_map(|state| {
                    (lo..=hi).map(move |value| {
                        let mut state = state.clone();
                        state[place] = value;
                        state
                    })
                })
                .collect();
        }
        Ok(states)
    }
}
