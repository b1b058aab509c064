//! Control fields: fields whose values are known at every control location, because the program assigns them
//! only values that depend on them.
//!
//! A field qualifies if its domain is small, and all values assigned to it, in all branches, are constants or
//! read only control fields. The number of reachable valuations limits the choice, since each gets its own
//! piece of code. Fields are chosen greedily; those that most guards read come first.

use super::plan::Plan;
use super::reads::Reads;
use crate::measure::{Event, Measure, Target};
use rustc_hash::FxHashSet;
use volvelle_kernel::interp;
use volvelle_kernel::{Const, ExprId, Node};
use volvelle_model::Weight;

/// Limit of evaluated nodes per location while fields are chosen: some 10 ms for a thousand locations.
const BUDGET: u64 = 2 << 10;
/// The control fields of a plan, in increasing order, with at most `most` reachable valuations by estimate;
/// and that estimate. `None` if no fields are useful.
pub(super) fn choose(plan: &Plan, reads: &Reads, most: usize) -> Option<(Vec<usize>, usize)> {
    let count = plan.program.fields.len();
    let needs = needs(plan, reads, most);
    let uses = uses(plan, reads);
    let mut budget = BUDGET * most as u64;
    let mut chosen: Vec<bool> = vec![false; count];
    let mut valuations = 1;
    // Fields that are never assigned cost nothing.
    for (field, needs) in needs.iter().enumerate() {
        chosen[field] = needs.as_ref().is_some_and(|n| !n.assigned);
    }
    let mut order: Vec<usize> = (0..count).filter(|&f| !chosen[f] && needs[f].is_some()).collect();
    let size = |f: usize| plan.domain(f).hi - plan.domain(f).lo;
    order.sort_by_key(|&f| (std::cmp::Reverse(uses[f]), size(f), f));
    for field in order {
        if chosen[field] {
            continue;
        }
        let Some(wanted) = with_needed(&needs, &chosen, field) else { continue };
        // A field that no condition reads is only useful if it adds no valuations.
        let limit = if uses[field] == 0 { valuations } else { most };
        if let Some(n) = Valuations::new(plan, &wanted).count(limit, &mut budget) {
            (chosen, valuations) = (wanted, n);
        }
        if budget == 0 {
            break;
        }
    }
    let fields: Vec<usize> = (0..count).filter(|&f| chosen[f]).collect();
    (valuations > 1 && fields.iter().any(|&f| uses[f] > 0)).then_some((fields, valuations))
}

/// The fields that have to be known for a field to be known.
struct Needs {
    /// Whether anything assigns it.
    assigned: bool,
    /// Fields that the assigned values read.
    reads: Vec<usize>,
}

/// For each field, the fields that it depends on; `None` if it is not a control field.
fn needs(plan: &Plan, reads: &Reads, most: usize) -> Vec<Option<Needs>> {
    let mut needs: Vec<Option<Needs>> = (0..plan.program.fields.len())
        .map(|field| {
            let values = plan.domain(field);
            let small = values.hi.saturating_sub(values.lo) < most as i64;
            small.then(|| Needs { assigned: false, reads: Vec::new() })
        })
        .collect();
    for combination in &plan.combinations {
        for stage in &combination.stages {
            // With participants drawing one after the other, there are too many joint outcomes for a location
            // each.
            let alone = combination.stages.len() == 1 || stage.len() == 1;
            for assignment in stage.iter().flat_map(|branch| &branch.assignments) {
                let field = assignment.field.index();
                if !alone {
                    needs[field] = None;
                }
                if let Some(needs) = &mut needs[field] {
                    needs.assigned = true;
                    needs.reads.extend(reads.fields(assignment.value));
                }
            }
        }
    }
    for needs in needs.iter_mut().flatten() {
        needs.reads.sort_unstable();
        needs.reads.dedup();
    }
    needs
}

/// `chosen` with a field and all that it needs.
fn with_needed(needs: &[Option<Needs>], chosen: &[bool], field: usize) -> Option<Vec<bool>> {
    let mut chosen = chosen.to_vec();
    let mut stack = vec![field];
    while let Some(field) = stack.pop() {
        if !std::mem::replace(&mut chosen[field], true) {
            stack.extend(&needs[field].as_ref()?.reads);
        }
    }
    Some(chosen)
}

/// For each field, the number of conditions evaluated in steps that read it.
fn uses(plan: &Plan, reads: &Reads) -> Vec<usize> {
    let mut uses = vec![0; plan.program.fields.len()];
    let mut of = |expr: ExprId, times: usize| reads.fields(expr).for_each(|field| uses[field] += times);
    let weight = |w: &Weight| match w {
        Weight::Constant { .. } => None,
        Weight::Expr { expr, .. } => Some(*expr),
    };
    for combination in &plan.combinations {
        combination.guards.iter().for_each(|&guard| of(guard, 1));
        combination.rate.iter().filter_map(weight).for_each(|w| of(w, 1));
        let branches = combination.stages.iter().filter(|stage| stage.len() > 1).flatten();
        branches.flat_map(|b| &b.weight).filter_map(weight).for_each(|w| of(w, 1));
    }
    for measure in plan.monitors.all().iter().map(|monitor| monitor.measure) {
        match measure {
            Measure::Indicator { event: Event::Now(_) | Event::Next(..), .. } => {}
            Measure::Indicator {
                event: Event::Until(left, right, _) | Event::Spending(left, right, _),
                ..
            } => {
                of(left, 1);
                of(right, 1);
            }
            Measure::Indicator { event: Event::Automaton(automaton), .. }
            | Measure::Reach { target: Target::Automaton(automaton), .. } => {
                plan.automata[automaton].conditions.iter().for_each(|&condition| of(condition, 1));
            }
            Measure::Reach { target: Target::States(target), .. } => of(target, 1),
            Measure::Cumulative { .. } | Measure::Instantaneous { .. } | Measure::Within { .. } => {}
        }
        for structure in measure.structures() {
            plan.program.rewards[structure].states.iter().for_each(|item| of(item.guard, 1));
        }
    }
    uses
}

/// The reachable valuations of some fields, if other fields may have any value.
struct Valuations<'p> {
    plan: &'p Plan,
    /// The fields, in increasing order.
    fields: Vec<usize>,
    is_known: &'p [bool],
    /// Expressions that matter, operands first.
    nodes: Vec<ExprId>,
    values: Vec<Option<Const>>,
}

impl<'p> Valuations<'p> {
    fn new(plan: &'p Plan, is_known: &'p [bool]) -> Self {
        let exprs = &plan.program.exprs;
        let guards = plan.combinations.iter().flat_map(|combination| combination.guards.iter().copied());
        let assignments = plan
            .combinations
            .iter()
            .flat_map(|combination| combination.stages.iter().flatten())
            .flat_map(|b| &b.assignments);
        let known = assignments.filter(|a| is_known[a.field.index()]).map(|a| a.value);
        let needed = exprs.reachable(guards.chain(known));
        Valuations {
            plan,
            fields: (0..is_known.len()).filter(|&f| is_known[f]).collect(),
            is_known,
            nodes: exprs.ids().filter(|id| needed[id.index()]).collect(),
            values: vec![None; exprs.len()],
        }
    }

    /// Number of reachable valuations; `None` if there are more than `most`, or the budget of nodes does not
    /// suffice.
    fn count(mut self, most: usize, budget: &mut u64) -> Option<usize> {
        let initial: Vec<i64> = self.plan.initial.clone();
        let mut seen: FxHashSet<Vec<i64>> = FxHashSet::default();
        let of = |state: &[i64], fields: &[usize]| fields.iter().map(|&f| state[f]).collect::<Vec<i64>>();
        seen.insert(of(&initial, &self.fields));
        let mut open = vec![initial];
        while let Some(state) = open.pop() {
            let cost = self.nodes.len() as u64 + 16;
            if *budget < cost {
                *budget = 0;
                return None;
            }
            *budget -= cost;
            self.evaluate(&state);
            for combination in &self.plan.combinations {
                if combination.guards.iter().any(|g| self.truth(*g) == Some(false)) {
                    continue;
                }
                // Stages of several branches assign no known field, unless there is only one stage.
                let mut certain = state.clone();
                for stage in combination.stages.iter().filter(|stage| stage.len() == 1) {
                    self.assign(&stage[0].assignments, &mut certain);
                }
                let mut add = |next: Vec<i64>, seen: &mut FxHashSet<Vec<i64>>| {
                    if seen.insert(of(&next, &self.fields)) {
                        open.push(next);
                    }
                };
                match combination.stages.as_slice() {
                    [branches] if branches.len() > 1 => {
                        for branch in branches {
                            let mut next = state.clone();
                            self.assign(&branch.assignments, &mut next);
                            add(next, &mut seen);
                        }
                    }
                    _ => add(certain, &mut seen),
                }
                if seen.len() > most {
                    return None;
                }
            }
        }
        Some(seen.len())
    }

    fn assign(&self, assignments: &[volvelle_model::Assignment], state: &mut [i64]) {
        for assignment in assignments.iter().filter(|a| self.is_known[a.field.index()]) {
            let field = assignment.field.index();
            let domain = self.plan.domain(field);
            let value = self.values[assignment.value.index()];
            let value = value.and_then(|v| v.as_bool().map(i64::from).or(v.as_i64()));
            // Steps that fail lead nowhere; staying is as good as that.
            if let Some(value) = value.filter(|v| (domain.lo..=domain.hi).contains(v)) {
                state[field] = value;
            }
        }
    }

    fn truth(&self, condition: ExprId) -> Option<bool> {
        self.values[condition.index()].and_then(Const::as_bool)
    }

    /// Evaluates everything relevant, as far as it is known.
    fn evaluate(&mut self, state: &[i64]) {
        for i in 0..self.nodes.len() {
            let id = self.nodes[i];
            self.values[id.index()] = self.node(id, state);
        }
    }

    fn node(&self, id: ExprId, state: &[i64]) -> Option<Const> {
        let of = |id: ExprId| self.values[id.index()];
        Some(match self.plan.program.exprs.node(id) {
            Node::Const(c) => c,
            Node::Local(local, _) if !self.is_known[local.index()] => return None,
            Node::Local(local, ty) => match ty {
                volvelle_kernel::Type::Bool => Const::bool(state[local.index()] != 0),
                ty => Const::int(ty, state[local.index()]),
            },
            Node::Unary { op, arg } => interp::unary(op, of(arg)?),
            Node::Binary { op, lhs, rhs } => interp::binary(op, of(lhs)?, of(rhs)?),
            Node::Checked { op, lhs, rhs, .. } => interp::checked(op, of(lhs)?, of(rhs)?)?,
            Node::Convert { to, arg } => interp::convert(to, of(arg)?),
            Node::CheckedConvert { to, arg, .. } => interp::checked_convert(to, of(arg)?)?,
            Node::Range { arg, lo, hi, .. } => of(arg).filter(|&c| interp::in_range(c, lo, hi))?,
            Node::Select { cond, yes, no } => of(if of(cond)?.as_bool()? { yes } else { no })?,
            Node::And { lhs, rhs } => decided(of(lhs), of(rhs), false)?,
            Node::Or { lhs, rhs } => decided(of(lhs), of(rhs), true)?,
            Node::Math { f, args } => interp::math(f, of(args[0])?, of(args[1])?),
            Node::MulAdd { args: [x, y, z] } => interp::mul_add(of(x)?, of(y)?, of(z)?),
            Node::Load { .. } | Node::Len(_) | Node::Reinterpret { .. } => return None,
        })
    }
}

/// A conjunction (disjunction) of known operands, where `deciding` is the value of an operand that decides
/// it.
fn decided(lhs: Option<Const>, rhs: Option<Const>, deciding: bool) -> Option<Const> {
    let (lhs, rhs) = (lhs.and_then(Const::as_bool), rhs.and_then(Const::as_bool));
    if lhs == Some(deciding) || rhs == Some(deciding) {
        return Some(Const::bool(deciding));
    }
    lhs.and(rhs).map(Const::bool)
}
