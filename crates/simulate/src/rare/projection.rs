//! The distance to the target in a projection of the model.
//!
//! The state space is projected onto some fields: first those that the target reads, then those on which their changes
//! depend (guards of the slots that write them, values assigned, and so on), as long as a table has room. Of the other
//! fields nothing is known but their domains. The projection is explored forwards from the initial state; where all fields
//! that matter are in it, it is the model itself, else it has at least its transitions.
//!
//! The length of a transition is `-log2` of its probability among those that leave the projected state, as far as that is
//! known, else of an upper bound; the distance of a state is that of the shortest way, so that it stands for the probability of the likeliest
//! one. Levels that are as far apart are then about as hard to climb.
//!
//! Since the projection has all transitions of the model, the target cannot be reached from states from which it cannot be
//! reached in the projection: their entry is zero, and paths end there.

use super::bounds::{Evaluator, Values};
use super::importance::Table;
use crate::path::Plan;
use crate::weights::Weights;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use volvelle_kernel::ExprId;
use volvelle_model::interval::Interval;

/// Combinations of values that a table has room for.
const MOST_ENTRIES: u64 = 1 << 21;
/// Projected states that are looked at.
const MOST_STATES: usize = 1 << 15;
/// Transitions between them.
const MOST_EDGES: usize = 1 << 19;
/// Successors of a projected state by one slot.
const MOST_SUCCESSORS: usize = 1 << 10;
/// Entries of importance for a bit of distance.
const STEPS_PER_BIT: f64 = 64.0;

/// The importance of states for `left U right`; nothing where no projection is small enough.
pub fn table(plan: &Plan, left: ExprId, right: ExprId) -> Option<Table> {
    let (mut fields, needed) = chosen(plan, left, right)?;
    loop {
        match Projection::new(plan, &fields, left, right).and_then(Projection::into_table) {
            Ok(table) => return table,
            Err(TooLarge) => {
                // The last ones matter least; a quarter of the entries at most is worth another attempt.
                let mut gone = 1u64;
                while gone < 4 {
                    if fields.len() <= needed {
                        return None;
                    }
                    gone = gone.saturating_mul(size(plan, fields.pop()?)?);
                }
            }
        }
    }
}

/// Number of values of a field.
fn size(plan: &Plan, field: usize) -> Option<u64> {
    let domain = plan.domain(field);
    u64::try_from(domain.hi.checked_sub(domain.lo)?).ok()?.checked_add(1)
}

/// Fields for the projection, and how many of them are those of the target; nothing where these are too many.
fn chosen(plan: &Plan, left: ExprId, right: ExprId) -> Option<(Vec<usize>, usize)> {
    let reads = |expr: ExprId| plan.program.reads(expr).into_iter().map(|f| f.index());
    // For each slot what it writes, what its being taken depends on, and what values depend on.
    struct Touched {
        guards: Vec<usize>,
        writes: Vec<(usize, Vec<usize>)>,
    }
    let mut slots = Vec::with_capacity(plan.slots.len());
    for (i, slot) in plan.slots.iter().enumerate() {
        let mut guards: Vec<usize> = slot.guards.iter().flat_map(|&guard| reads(guard)).collect();
        guards.extend(plan.weights.values.get(i).into_iter().flat_map(|&weight| reads(weight)));
        let stages = plan.stage_weights[i].iter().flatten().flat_map(|w| &w.values);
        guards.extend(stages.flat_map(|&weight| reads(weight)));
        guards.sort_unstable();
        guards.dedup();
        let assignments = slot.stages.iter().flatten().flat_map(|branch| &branch.assignments);
        let writes = assignments.map(|a| (a.field.index(), reads(a.value).collect())).collect();
        slots.push(Touched { guards, writes });
    }
    let count = plan.program.fields.len();
    let mut seen = vec![false; count];
    let mut layer: Vec<usize> = reads(right).chain(reads(left)).collect();
    layer.sort_unstable();
    layer.dedup();
    let mut fields: Vec<usize> = Vec::new();
    let mut entries = 1u64;
    let mut needed = 0;
    while !layer.is_empty() {
        for &field in &layer {
            seen[field] = true;
        }
        layer.sort_by_key(|&field| (size(plan, field).unwrap_or(u64::MAX), field));
        for &field in &layer {
            let more =
                size(plan, field).and_then(|size| entries.checked_mul(size)).filter(|&n| n <= MOST_ENTRIES);
            match more {
                Some(more) => {
                    entries = more;
                    fields.push(field);
                }
                None if needed == 0 => return None,
                None => {}
            }
        }
        if needed == 0 {
            needed = fields.len();
        }
        let mut next: Vec<usize> = Vec::new();
        for slot in slots.iter().filter(|slot| slot.writes.iter().any(|(f, _)| layer.contains(f))) {
            next.extend(&slot.guards);
            next.extend(slot.writes.iter().filter(|(f, _)| layer.contains(f)).flat_map(|(_, reads)| reads));
        }
        next.retain(|&field| !seen[field]);
        next.sort_unstable();
        next.dedup();
        layer = next;
    }
    (!fields.is_empty()).then_some((fields, needed))
}

/// The projection has too many states or transitions.
pub(super) struct TooLarge;

/// A projection, explored.
pub(super) struct Projection {
    fields: Vec<(usize, i64, u32)>,
    entries: usize,
    /// Index of each state found.
    states: Vec<u32>,
    /// For each state those that lead there, and how long that is.
    back: Vec<Vec<(u32, f64)>>,
    /// Where the target may hold.
    targets: Vec<u32>,
}

/// What is being explored.
struct Exploration<'p> {
    plan: &'p Plan,
    fields: Vec<(usize, i64, u32)>,
    evaluator: Evaluator,
    known: Vec<Interval>,
    /// For each slot whether it writes a field of the projection.
    seen: Vec<bool>,
}

#[cfg(test)]
impl Projection {
    /// The number of the projection of a state.
    pub(super) fn number(&self, state: &[i64]) -> Option<u32> {
        let values: Vec<i64> = self.fields.iter().map(|&(field, ..)| state[field]).collect();
        let index = self.index(&values);
        self.states.iter().position(|&known| known == index).map(|number| number as u32)
    }

    /// Whether there is a transition.
    pub(super) fn leads(&self, from: u32, to: u32) -> bool {
        self.back[to as usize].iter().any(|&(before, _)| before == from)
    }

    /// Whether the target may hold.
    pub(super) fn is_target(&self, state: u32) -> bool {
        self.targets.contains(&state)
    }
}

impl Projection {
    /// Explores the projection onto some fields.
    pub(super) fn new(plan: &Plan, chosen: &[usize], left: ExprId, right: ExprId) -> Result<Self, TooLarge> {
        let mut entries = 1u64;
        let mut fields = Vec::with_capacity(chosen.len());
        for &field in chosen {
            fields.push((field, plan.domain(field).lo, u32::try_from(entries).map_err(|_| TooLarge)?));
            entries = entries.saturating_mul(size(plan, field).ok_or(TooLarge)?);
        }
        let mut roots = vec![left, right];
        for (i, slot) in plan.slots.iter().enumerate() {
            roots.extend(&slot.guards);
            roots.extend(slot.stages.iter().flatten().flat_map(|b| &b.assignments).map(|a| a.value));
            roots.extend(plan.stage_weights[i].iter().flatten().flat_map(|w| &w.values));
        }
        roots.extend(&plan.weights.values);
        let known = (0..plan.program.fields.len()).map(|field| plan.domain(field)).collect();
        let evaluator = Evaluator::new(&plan.program.exprs, &roots);
        let writes = |slot: &crate::slots::Slot| {
            let mut written =
                slot.stages.iter().flatten().flat_map(|b| &b.assignments).map(|a| a.field.index());
            written.any(|field| chosen.contains(&field))
        };
        let seen = plan.slots.iter().map(writes).collect();
        let mut exploration = Exploration { plan, fields: fields.clone(), evaluator, known, seen };
        let initial: Vec<i64> = fields.iter().map(|&(field, ..)| plan.initial[field]).collect();
        let mut result = Projection {
            fields,
            entries: entries as usize,
            states: Vec::new(),
            back: Vec::new(),
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
                result.back.push(Vec::new());
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
            let mut successors = exploration.successors(&values)?;
            // Where nothing is left open, how probable each is among those that change something; else at most.
            let all: f64 = successors.values().sum();
            let same = successors.remove(&values).unwrap_or(0.0);
            let total = if all <= 1.0 + 1e-9 { (all - same).min(1.0) } else { 1.0 };
            edges += successors.len();
            for (to, probability) in successors {
                let to = number(&mut result, &mut waiting, to);
                let length = -(probability / total).min(1.0).log2();
                result.back[to as usize].push((from, if length.is_finite() { length.max(0.0) } else { 0.0 }));
            }
            if result.states.len() > MOST_STATES || edges > MOST_EDGES {
                return Err(TooLarge);
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

    /// Distances, by Dijkstra's algorithm, as importance; nothing where the target is out of reach.
    fn into_table(self) -> Result<Option<Table>, TooLarge> {
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
            for &(before, length) in &self.back[state as usize] {
                let through = distance + length;
                if through < distances[before as usize] {
                    distances[before as usize] = through;
                    queue.push(Reverse((through.to_bits(), before)));
                }
            }
        }
        let farthest = distances.iter().copied().filter(|d| d.is_finite()).fold(0.0, f64::max);
        if self.targets.is_empty() {
            return Ok(None);
        }
        let steps_per_bit = STEPS_PER_BIT.min(f64::from(u16::MAX - 1) / farthest.max(1.0));
        let mut entries = vec![0u16; self.entries];
        for (&index, &distance) in self.states.iter().zip(&distances) {
            if distance.is_finite() {
                entries[index as usize] = 1 + ((farthest - distance).max(0.0) * steps_per_bit).round() as u16;
            }
        }
        Ok(Some(Table { fields: self.fields, entries, explored: self.states.len() }))
    }
}

impl Exploration<'_> {
    /// Evaluates everything in a projected state.
    fn look(&mut self, values: &[i64]) {
        for (&(field, ..), &value) in self.fields.iter().zip(values) {
            self.known[field] = Interval { lo: value, hi: value };
        }
        self.evaluator.evaluate(&self.known);
    }

    /// Projected successors with their probabilities, as far as they are known, in their order.
    fn successors(&self, values: &[i64]) -> Result<BTreeMap<Vec<i64>, f64>, TooLarge> {
        let mut all: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
        let plan = self.plan;
        let guards: Vec<Values> = plan
            .slots
            .iter()
            .map(|slot| {
                let guards = slot.guards.iter().map(|&guard| self.evaluator.value(guard));
                let (mut may, mut must) = (true, true);
                for guard in guards {
                    may &= guard.may_hold();
                    must &= guard.holds();
                }
                Values::Bool { no: !must, yes: may }
            })
            .collect();
        let chances = self.chances(&plan.weights, Some(&guards));
        for (i, slot) in plan.slots.iter().enumerate() {
            if !self.seen[i] || !guards[i].may_hold() || chances[i] <= 0.0 {
                continue;
            }
            let mut partial = vec![(values.to_vec(), chances[i])];
            for (stage, weights) in slot.stages.iter().zip(&plan.stage_weights[i]) {
                let chances = weights.as_ref().map(|weights| self.chances(weights, None));
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
                            return Err(TooLarge);
                        }
                    }
                }
                partial = next;
            }
            for (state, chance) in partial {
                *all.entry(state).or_default() += chance;
            }
        }
        Ok(all)
    }

    /// The greatest probability of each choice, given what is known of their weights and guards.
    fn chances(&self, weights: &Weights, guards: Option<&[Values]>) -> Vec<f64> {
        let ranges: Vec<(f64, f64)> = weights
            .values
            .iter()
            .enumerate()
            .map(|(i, &weight)| {
                let (lo, hi) = self.evaluator.value(weight).range();
                let guard = guards.map_or(Values::Bool { no: false, yes: true }, |guards| guards[i]);
                // What changes nothing that is seen is waited for.
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
        ranges.iter().map(chance).collect()
    }

    /// The projected states that a branch may lead to.
    fn assigned(&self, from: &[i64], branch: &crate::slots::Branch) -> Result<Vec<Vec<i64>>, TooLarge> {
        let mut states = vec![from.to_vec()];
        for assignment in &branch.assignments {
            let field = assignment.field.index();
            let Some(place) = self.fields.iter().position(|&(f, ..)| f == field) else { continue };
            let domain = self.plan.domain(field);
            let value = self.evaluator.value(assignment.value).integers().unwrap_or(domain);
            let (lo, hi) = (value.lo.max(domain.lo), value.hi.min(domain.hi));
            let count =
                usize::try_from(hi.saturating_sub(lo).saturating_add(1).max(0)).map_err(|_| TooLarge)?;
            if states.len().saturating_mul(count) > MOST_SUCCESSORS {
                return Err(TooLarge);
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
