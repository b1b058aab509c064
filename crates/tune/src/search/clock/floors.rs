//! Floors: how far in the past times must be distinguished.
//!
//! In: a program with the degrees of its fields. Out: for each field that moves with the clock, a distance
//! from the clock below which all values are alike, if there is one. A time that is only compared with the
//! clock (plus a constant) stops mattering once the clock has passed it: `time >= until` stays true. So a
//! process that is two ticks late is equivalent to one that is one tick late. Timed automata extrapolate
//! clocks from the greatest constants of comparisons in the same way (C. Daws, S. Tripakis, *Model checking
//! of real-time reachability properties using abstractions*, TACAS 1998); here, times are absolute. This
//! relies on a clock that never goes back; going back is a separate error.

use super::degrees::{Degrees, wrapped};
use rustc_hash::FxHashSet;
use volvelle_kernel::{BinaryOp, ExprId, Node};
use volvelle_model::{FieldId, Place, Program};

/// By field: the least distance that matters. `None` if all do; `i64::MAX` for a value that is never read.
pub type Floors = Vec<Option<i64>>;

/// Greatest constants and values in comparisons for which a floor is worthwhile.
const MOST: i64 = 1 << 16;

/// The floors of a program whose clock is one global variable. `roots` are all expressions that are
/// evaluated.
pub fn floors(program: &Program, degrees: &Degrees, cost: ExprId, roots: Vec<ExprId>) -> Floors {
    let none = vec![None; program.fields.len()];
    let Node::Local(clock, _) = program.exprs.node(cost) else { return none };
    let Place::Field(clock) = program.place(clock) else { return none };
    if degrees.fields[clock.index()] != 1 {
        return none;
    }
    let floors = degrees.fields.iter().map(|&degree| (degree == 1).then_some(i64::MAX)).collect();
    let mut reading = Reading { program, degrees, clock, floors };
    let (mut stack, mut seen) = (roots, FxHashSet::default());
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = program.exprs.node(id);
        if let Node::Binary { op, lhs, rhs } = node
            && op.is_comparison()
            && reading.compares(op, lhs, rhs, &mut stack)
        {
            continue;
        }
        if let Some(field) = program.place_read(&node).and_then(Place::field)
            && field != clock
        {
            reading.floors[field.index()] = None;
        }
        program.each_operand(&node, |operand| stack.push(operand));
    }
    reading.floors
}

struct Reading<'a> {
    program: &'a Program,
    degrees: &'a Degrees,
    clock: FieldId,
    floors: Floors,
}

/// A sum of the clock, a time, and something within bounds.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    clock: i8,
    time: Option<(FieldId, i8)>,
    lo: i64,
    hi: i64,
}

impl Reading<'_> {
    /// Whether a comparison relates the clock to a time and something bounded; if so, updates the floor.
    /// Operands still to be examined go to `stack`.
    fn compares(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, stack: &mut Vec<ExprId>) -> bool {
        let before = stack.len();
        let sides = [(lhs, 1), (rhs, -1)];
        let mut sum = Sum::default();
        let is_sum = sides.into_iter().all(|(side, sign)| self.add(side, sign, &mut sum, stack));
        let (Some((field, sign)), true) = (sum.time, is_sum) else {
            stack.truncate(before);
            return false;
        };
        if sum.clock + sign != 0 || sum.clock.abs() != 1 {
            stack.truncate(before);
            return false;
        }
        // The clock is compared with the time plus an offset of at most this.
        let most = if sign < 0 { -sum.lo } else { sum.hi };
        // Whether the outcome is final as soon as both are equal; otherwise it is from the next value on.
        let is_late = match op {
            BinaryOp::Ge | BinaryOp::Lt => sum.clock == 1,
            BinaryOp::Le | BinaryOp::Gt => sum.clock == -1,
            _ => false,
        };
        let floor = if is_late { -most } else { -most - 1 };
        let known = &mut self.floors[field.index()];
        *known = known.map(|known| known.min(floor));
        true
    }

    /// Adds an expression to a sum. Returns false if it does not have that form. An explicit stack follows
    /// deep chains of sums.
    fn add(&self, root: ExprId, sign: i8, sum: &mut Sum, stack: &mut Vec<ExprId>) -> bool {
        let exprs = &self.program.exprs;
        let mut open = vec![(root, sign)];
        while let Some((id, sign)) = open.pop() {
            if let Some(inner) = wrapped(exprs, id) {
                open.push((inner, sign));
                continue;
            }
            let node = exprs.node(id);
            let place = self.program.place_read(&node);
            match node {
                Node::Binary { op: BinaryOp::Add, lhs, rhs } => open.extend([(lhs, sign), (rhs, sign)]),
                Node::Binary { op: BinaryOp::Sub, lhs, rhs } => open.extend([(lhs, sign), (rhs, -sign)]),
                Node::Const(value) => {
                    let Some(value) = value.as_i64() else { return false };
                    if value.abs() > MOST {
                        return false;
                    }
                    let value = i64::from(sign) * value;
                    (sum.lo, sum.hi) = (sum.lo + value, sum.hi + value);
                }
                Node::Local(..) | Node::Load { .. } => {
                    let Some(field) = place.and_then(Place::field) else { return false };
                    self.program.each_operand(&node, |operand| stack.push(operand));
                    if field == self.clock {
                        sum.clock += sign;
                    } else if self.degrees.fields[field.index()] == 0 {
                        let (lo, hi) = self.program.fields[field.index()].domain.bounds();
                        if lo < -MOST || hi > MOST {
                            return false;
                        }
                        let (lo, hi) = if sign > 0 { (lo, hi) } else { (-hi, -lo) };
                        (sum.lo, sum.hi) = (sum.lo + lo, sum.hi + hi);
                    } else if sum.time.is_some() {
                        return false;
                    } else {
                        sum.time = Some((field, sign));
                    }
                }
                _ => return false,
            }
            if open.len() > 64 {
                return false;
            }
        }
        true
    }
}
