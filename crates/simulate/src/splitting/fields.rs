//! The choice of fields that a projection keeps.
//!
//! First come the fields that the target reads. Then come those on which their changes depend (guards and
//! weights of combinations that write them, assigned values), then those on which these depend, and so on,
//! small ones first, while the table has room. Omitting fields shortens distances. So of two projections, the
//! better one has the initial state farther from the target: the largest fields are omitted in turn, and
//! replaced by fields that did not fit, as long as this helps.

use super::projection::{Projection, TooLarge};
use super::values::Horizon;
use crate::importance::Table;
use crate::path::Plan;
use volvelle_kernel::ExprId;
use volvelle_model::Kind;

/// Combinations of values that a table has room for.
const MOST_ENTRIES: u64 = 1 << 24;
/// Maximum number of projected states of all attempts together.
const BUDGET: usize = 1 << 16;
/// Number of largest fields that are omitted in turn.
const MOST_LARGE: usize = 3;
/// The cost of an attempt beyond its states.
const ATTEMPT: usize = 1 << 8;
/// Relative tolerance for comparing distances, above rounding.
const LONGER: f64 = 1e-6;

/// The importance of states for `left U right`; `None` if no projection is small enough. If the target is
/// unreachable, no state has an importance.
pub fn table(plan: &Plan, left: ExprId, right: ExprId, upper: Option<f64>) -> Option<Table> {
    let (order, needed) = relevant(plan, left, right);
    let mut search = Search { plan, left, right, needed, budget: BUDGET };
    let mut best = search.attempt(order.clone());
    // Without the largest fields there is room for many small ones.
    let mut large = order[needed..].to_vec();
    large.sort_by_key(|&field| std::cmp::Reverse(plan.domain_size(field).unwrap_or(u64::MAX)));
    for count in 1..=large.len().min(MOST_LARGE) {
        if best.as_ref().is_some_and(|best| best.fields.len() == order.len()) {
            break;
        }
        let small = order.iter().copied().filter(|field| !large[..count].contains(field));
        let found = search.attempt(small.collect());
        let farther = |found: &Explored| match &best {
            Some(best) => found.distances[0] > best.distances[0] + LONGER,
            None => true,
        };
        if found.as_ref().is_some_and(farther) {
            best = found;
        }
    }
    let mut best = best?;
    while let Some(better) = search.improve(&best, &order) {
        best = better;
    }
    let horizon = Horizon { timed: plan.program.kind() == Kind::Ctmc, upper };
    Some(best.projection.into_table(&best.distances, horizon))
}

/// The fields on which the target depends, nearest first, and how many of them it reads itself.
fn relevant(plan: &Plan, left: ExprId, right: ExprId) -> (Vec<usize>, usize) {
    let reads = |expr: ExprId| plan.program.reads(expr).into_iter().map(|f| f.index());
    // For each combination: the fields of its guard and weights, the fields it writes, and the fields of the
    // values.
    type Written = (usize, Vec<usize>);
    let mut combinations: Vec<(Vec<usize>, Vec<Written>)> = Vec::with_capacity(plan.combinations.len());
    for (i, combination) in plan.combinations.iter().enumerate() {
        let mut taken: Vec<usize> = combination.guards.iter().flat_map(|&guard| reads(guard)).collect();
        taken.extend(plan.weights.values.get(i).into_iter().flat_map(|&weight| reads(weight)));
        let stages = plan.stage_weights[i].iter().flatten().flat_map(|w| &w.values);
        taken.extend(stages.flat_map(|&weight| reads(weight)));
        taken.sort_unstable();
        taken.dedup();
        let assignments = combination.stages.iter().flatten().flat_map(|branch| &branch.assignments);
        combinations
            .push((taken, assignments.map(|a| (a.field.index(), reads(a.value).collect())).collect()));
    }
    let mut seen = vec![false; plan.program.fields.len()];
    let mut layer: Vec<usize> = reads(right).chain(reads(left)).collect();
    let mut order: Vec<usize> = Vec::new();
    let mut needed = 0;
    loop {
        layer.sort_by_key(|&field| (plan.domain_size(field).unwrap_or(u64::MAX), field));
        layer.dedup();
        if layer.is_empty() {
            return (order, needed);
        }
        for &field in &layer {
            seen[field] = true;
        }
        order.extend(&layer);
        if needed == 0 {
            needed = layer.len();
        }
        let mut next: Vec<usize> = Vec::new();
        for (taken, writes) in &combinations {
            let written = || writes.iter().filter(|(field, _)| layer.contains(field));
            if written().next().is_some() {
                next.extend(taken);
                next.extend(written().flat_map(|(_, reads)| reads));
            }
        }
        next.retain(|&field| !seen[field]);
        layer = next;
    }
}

/// A projection that was explored.
struct Explored {
    fields: Vec<usize>,
    projection: Projection,
    distances: Vec<f64>,
}

/// The search for a good projection.
struct Search<'p> {
    plan: &'p Plan,
    left: ExprId,
    right: ExprId,
    /// Number of fields of the target, which are kept.
    needed: usize,
    budget: usize,
}

impl Search<'_> {
    /// Explores the projection onto as many of these fields as there is room for.
    fn attempt(&mut self, order: Vec<usize>) -> Option<Explored> {
        let mut fields: Vec<usize> = Vec::with_capacity(order.len());
        let mut entries = 1u64;
        for (i, field) in order.into_iter().enumerate() {
            let more = self.plan.domain_size(field).and_then(|size| entries.checked_mul(size));
            match more.filter(|&more| more <= MOST_ENTRIES) {
                Some(more) => {
                    entries = more;
                    fields.push(field);
                }
                None if i < self.needed => return None,
                None => {}
            }
        }
        while !fields.is_empty() && self.budget > 0 {
            match Projection::new(self.plan, &fields, self.left, self.right, self.budget) {
                Ok(projection) => {
                    self.budget = self.budget.saturating_sub(projection.len() + ATTEMPT);
                    let distances = projection.distances();
                    return Some(Explored { fields, projection, distances });
                }
                Err(TooLarge { states }) => {
                    self.budget = self.budget.saturating_sub(states + ATTEMPT);
                    // The last fields matter least; another attempt is worthwhile if it frees at least half
                    // of the entries.
                    let mut gone = 1u64;
                    while gone < 4 {
                        if fields.len() <= self.needed {
                            return None;
                        }
                        gone = gone.saturating_mul(self.plan.domain_size(fields.pop()?)?);
                    }
                }
            }
        }
        None
    }

    /// A better projection, with a field that is not in this one.
    fn improve(&mut self, best: &Explored, order: &[usize]) -> Option<Explored> {
        let mut kept: Vec<usize> = best.fields[self.needed..].to_vec();
        kept.sort_by_key(|&field| (self.plan.domain_size(field).unwrap_or(u64::MAX), field));
        for &field in order.iter().filter(|field| !best.fields.contains(field)) {
            let mut fields = best.fields[..self.needed].to_vec();
            fields.push(field);
            fields.extend(&kept);
            let found = self.attempt(fields);
            if let Some(found) = found
                && found.distances[0] > best.distances[0] + LONGER
            {
                return Some(found);
            }
            if self.budget == 0 {
                return None;
            }
        }
        None
    }
}
