//! How long a process takes at least until it executes one of some statements, whatever the others do.
//!
//! The process is followed alone, as an abstract state: its location, its variables, and the clock. What
//! other processes write is unknown: guards on it may hold, and values computed from it are unknown in turn.
//! Times are stored as distances from the clock, which may tick at any time. Dijkstra's algorithm finds the
//! cheapest way through the abstract states, which is a lower bound for all runs.

use super::Statics;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_kernel::{Block, Const, ExprId, Node, Stmt, Type, interp};
use volvelle_model::{FieldId, LocationId, Place, Program, TemporaryId};

/// Limit of abstract states of one process.
const STATES: usize = 1 << 11;

/// The abstract state of a process: its location, and its scalar fields, `None` where unknown.
pub type Own = (u32, Vec<Option<i64>>);

/// Follows processes of a program alone.
pub struct Alone<'s> {
    pub program: &'s Program,
    pub statics: &'s Statics,
    /// The least and greatest cost of the states for which bounds are wanted.
    pub costs: (i64, i64),
    /// By expression: all its nodes, operands first.
    needed: FxHashMap<ExprId, Vec<ExprId>>,
    /// Results by set of statements and abstract state.
    known: FxHashMap<(usize, Own), i64>,
}

/// The state of an evaluation.
struct Values {
    /// The fields of the process.
    own: Vec<Option<i64>>,
    /// The clock, which is 0 at first.
    clock: Option<i64>,
    temporaries: FxHashMap<TemporaryId, Option<Const>>,
}

impl<'s> Alone<'s> {
    pub fn new(program: &'s Program, statics: &'s Statics, costs: (i64, i64)) -> Self {
        Alone { program, statics, costs, needed: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// The least cost before the process executes a statement of a set; `i64::MAX` if it never does.
    pub fn until(&mut self, set: usize, own: Own) -> i64 {
        let key = (set, own);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let least = self.search(set, key.1.clone());
        self.known.insert(key, least);
        least
    }

    fn search(&mut self, set: usize, first: Own) -> i64 {
        let (statics, program) = (self.statics, self.program);
        let mut best: FxHashMap<Own, i64> = FxHashMap::default();
        let mut open = BinaryHeap::new();
        best.insert(first.clone(), 0);
        open.push(Reverse((0, first)));
        while let Some(Reverse((cost, state))) = open.pop() {
            if best.get(&state).is_some_and(|&known| known < cost) {
                continue;
            }
            if best.len() > STATES {
                return cost;
            }
            let location = LocationId(state.0);
            if !statics.reaches(set, location) {
                continue;
            }
            let mut next: Vec<(i64, Own)> = Vec::new();
            let ticked = self.ticked(&state);
            if ticked != state {
                next.push((1, ticked));
            }
            let number = statics.first_alternatives[location.index()];
            for (number, alternative) in
                (number..).zip(program.network.locations[location.index()].alternatives())
            {
                let mut values =
                    Values { own: state.1.clone(), clock: Some(0), temporaries: FxHashMap::default() };
                let guard = self.value(alternative.guard, location, &values);
                if guard.and_then(|guard| guard.as_bool()) == Some(false) {
                    continue;
                }
                if statics.sets[set].contains(&number) {
                    return cost;
                }
                if alternative.target() == LocationId::NOWHERE {
                    continue;
                }
                self.execute(alternative.effect(), location, &mut values);
                let more = values.clock.unwrap_or(0).max(0);
                let own = self.moved(location, alternative.target(), values);
                next.push((more, (alternative.target().0, own)));
            }
            for (more, state) in next {
                let cost = cost.saturating_add(more);
                let known = best.entry(state.clone()).or_insert(i64::MAX);
                if cost < *known {
                    *known = cost;
                    open.push(Reverse((cost, state)));
                }
            }
        }
        i64::MAX
    }

    /// The state one tick later.
    fn ticked(&self, (location, own): &Own) -> Own {
        let fields = self.statics.fields_at(LocationId(*location));
        let tick = |(&field, &value): (&FieldId, &Option<i64>)| match value {
            Some(value) if self.statics.degrees[field.index()] == 1 => self.floored(field, value - 1),
            value => value,
        };
        (*location, fields.iter().zip(own).map(tick).collect())
    }

    /// A distance, clamped to the floor of its field. `None` (unknown) if it falls too low without a floor.
    fn floored(&self, field: FieldId, distance: i64) -> Option<i64> {
        match self.statics.floors[field.index()] {
            Some(floor) => Some(distance.max(floor)),
            // Without this, ticking would give new states forever.
            None if distance < -self.costs.1.abs() => None,
            None => Some(distance),
        }
    }

    /// The fields after a step, as distances from the clock after the step.
    fn moved(&self, from: LocationId, to: LocationId, values: Values) -> Vec<Option<i64>> {
        let fields = self.statics.fields_at(from);
        let later = |(&field, value): (&FieldId, Option<i64>)| {
            if !self.statics.may_be_read(field, to) {
                return None;
            }
            match self.statics.degrees[field.index()] {
                0 => value,
                1 => self.floored(field, value? - values.clock?.max(0)),
                _ => None,
            }
        };
        fields.iter().zip(values.own).map(later).collect()
    }

    /// Executes statements as far as values are known. Recursion is as deep as blocks nest, which front ends
    /// limit.
    fn execute(&mut self, block: &Block, location: LocationId, values: &mut Values) {
        for statement in block {
            match statement {
                Stmt::Set { local, value } => {
                    let value = self.value(*value, location, values);
                    self.store(self.program.place(*local), value, location, values);
                }
                Stmt::If { cond, then, otherwise } => {
                    match self.value(*cond, location, values).and_then(|cond| cond.as_bool()) {
                        Some(true) => self.execute(then, location, values),
                        Some(false) => self.execute(otherwise, location, values),
                        None => {
                            self.forget(then, location, values);
                            self.forget(otherwise, location, values);
                        }
                    }
                }
                other => self.forget(std::slice::from_ref(other), location, values),
            }
        }
    }

    fn store(&self, place: Place, value: Option<Const>, location: LocationId, values: &mut Values) {
        match place {
            Place::Field(field) if field == self.statics.clock => {
                values.clock = value.and_then(|value| value.as_i64());
            }
            Place::Field(field) => {
                let at = self.statics.fields_at(location).iter().position(|&own| own == field);
                if let Some(at) = at {
                    let number = |value: Const| match value.ty {
                        Type::Bool => value.as_bool().map(i64::from),
                        _ => value.as_i64(),
                    };
                    values.own[at] = value.and_then(number);
                }
            }
            Place::Temporary(temporary) => _ = values.temporaries.insert(temporary, value),
            _ => {}
        }
    }

    /// Makes everything unknown that statements may write.
    fn forget(&self, block: &[Stmt], location: LocationId, values: &mut Values) {
        volvelle_model::places::each_write(&block.to_vec(), &mut |place, _| {
            self.store(self.program.place(place), None, location, values);
        });
    }

    fn value(&mut self, root: ExprId, location: LocationId, values: &Values) -> Option<Const> {
        let program = self.program;
        let needed = self.needed.entry(root).or_insert_with(|| program.needed([root]));
        let needed = std::mem::take(needed);
        let mut found: Vec<Option<Const>> = Vec::with_capacity(needed.len());
        for &id in &needed {
            let at = |id: ExprId| needed.binary_search(&id).ok().and_then(|at| found[at]);
            let value = self.node(program.exprs.node(id), &at, location, values);
            found.push(value);
        }
        let value = found.last().copied().flatten();
        self.needed.insert(root, needed);
        value
    }

    fn node(
        &self,
        node: Node,
        at: &impl Fn(ExprId) -> Option<Const>,
        location: LocationId,
        values: &Values,
    ) -> Option<Const> {
        let truth = |id: ExprId| at(id).and_then(|value| value.as_bool());
        match node {
            Node::Const(value) => Some(value),
            Node::Local(local, ty) => {
                let value = match self.program.place(local) {
                    Place::Field(field) if field == self.statics.clock => values.clock,
                    Place::Field(field) => {
                        let own = self.statics.fields_at(location).iter().position(|&own| own == field);
                        own.and_then(|own| values.own[own])
                    }
                    Place::Temporary(temporary) => return values.temporaries.get(&temporary).copied()?,
                    _ => None,
                }?;
                Some(if ty == Type::Bool { Const::bool(value != 0) } else { Const::int(ty, value) })
            }
            Node::Load { .. } | Node::Len(_) => None,
            Node::Unary { op, arg } => Some(interp::unary(op, at(arg)?)),
            Node::Binary { op, lhs, rhs } => Some(interp::binary(op, at(lhs)?, at(rhs)?)),
            Node::Checked { op, lhs, rhs, .. } => interp::checked(op, at(lhs)?, at(rhs)?),
            Node::Convert { to, arg } => Some(interp::convert(to, at(arg)?)),
            Node::Reinterpret { to, arg } => Some(interp::reinterpret(to, at(arg)?)),
            Node::CheckedConvert { to, arg, .. } => interp::checked_convert(to, at(arg)?),
            // A time with a check for the margin: unknown if it may fail at some cost of `self.costs`.
            Node::Range { arg, lo, hi, site } if Some(site) == self.statics.site => {
                let distance = at(arg)?.as_i64()?;
                let (least, most) =
                    (distance.checked_add(self.costs.0)?, distance.checked_add(self.costs.1)?);
                (least >= lo && most <= hi).then_some(at(arg)).flatten()
            }
            Node::Range { arg, lo, hi, .. } => at(arg).filter(|&value| interp::in_range(value, lo, hi)),
            Node::Select { cond, yes, no } => at(if truth(cond)? { yes } else { no }),
            Node::And { lhs, rhs } => match (truth(lhs), truth(rhs)) {
                (Some(false), _) | (_, Some(false)) => Some(Const::bool(false)),
                (Some(true), Some(true)) => Some(Const::bool(true)),
                _ => None,
            },
            Node::Or { lhs, rhs } => match (truth(lhs), truth(rhs)) {
                (Some(true), _) | (_, Some(true)) => Some(Const::bool(true)),
                (Some(false), Some(false)) => Some(Const::bool(false)),
                _ => None,
            },
            Node::Math { f, args } => Some(interp::math(f, at(args[0])?, at(args[1])?)),
            Node::MulAdd { args: [x, y, z] } => Some(interp::mul_add(at(x)?, at(y)?, at(z)?)),
        }
    }
}
