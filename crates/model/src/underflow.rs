//! Weights below the range of doubles: an outcome that is possible in the text stays possible.
//!
//! A product of positive numbers may be too small for a double, and would be taken for zero. In: an
//! expression for a weight. Out: an expression with the same value if no operation leaves the normal range.
//! If a product, quotient or power of positive numbers does, the value is [`SMALLEST`]: known to be positive,
//! but no more. The smallest positive magnitude of each operand decides which operations may leave the range;
//! expressions of usual models stay as they are. Readers of weights treat doubles below the normal range, and
//! the largest double, as numbers without a bound of the relative error ([`is_vague`]).
//!
//! The added expressions compare `x 2^-53` with zero. This holds for a double below the normal range, but for
//! no positive rational; so in rational arithmetic ([`crate::exact`]) they have the value of the text.

use crate::program::Program;
use crate::rounding::{Estimate, Estimates, Surroundings};
use crate::steps::{Group, Participant, Weight};
use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, CheckedOp, ExprId, MathFn, Node, Type, UnaryOp};

/// The smallest positive double.
pub const SMALLEST: f64 = f64::from_bits(1);

/// Products that stay above this are safe.
const SAFE: f64 = 1e-300;

/// Products that stay below this are safe.
const SAFE_ABOVE: f64 = 1e300;

/// The smallest positive magnitude assumed for expressions that are not analysed.
const UNKNOWN: f64 = 1e-20;

/// Whether a weight stands for any number as small (or as large) as this.
pub fn is_vague(weight: f64) -> bool {
    weight < f64::MIN_POSITIVE && weight > 0.0 || weight >= f64::MAX
}

/// The double for a positive number, which is never zero or infinite.
pub fn positive(nearest: f64) -> f64 {
    nearest.clamp(SMALLEST, f64::MAX)
}

/// The smallest positive magnitudes of expressions.
struct Least<'p> {
    program: &'p Program,
    estimates: &'p Estimates,
    of: FxHashMap<ExprId, f64>,
}

impl<'p> Least<'p> {
    fn new(program: &'p Program, estimates: &'p Estimates, roots: &[ExprId]) -> Self {
        let mut least = Least { program, estimates, of: FxHashMap::default() };
        for id in program.exprs.needed(roots.iter().copied()) {
            if program.exprs.ty(id) == Type::F64 {
                let value = least.number(id);
                least.of.insert(id, if value.is_nan() { 0.0 } else { value });
            }
        }
        least
    }

    fn get(&self, id: ExprId) -> f64 {
        self.of.get(&id).copied().unwrap_or(UNKNOWN)
    }

    fn number(&self, id: ExprId) -> f64 {
        let estimate = |id: ExprId| self.estimates.get(id);
        match self.program.exprs.node(id) {
            Node::Const(c) => match c.as_f64() {
                Some(value) if value != 0.0 => value.abs(),
                _ => f64::INFINITY,
            },
            Node::Convert { .. } => 1.0,
            Node::Unary { op: UnaryOp::Neg | UnaryOp::Abs, arg } => self.get(arg),
            Node::Unary { op: UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc, .. } => 1.0,
            Node::Unary { op: UnaryOp::Sqrt, arg } => self.get(arg).sqrt(),
            Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                // Differences of doubles are multiples of the last digit of the smaller one.
                self.get(lhs).min(self.get(rhs)) * f64::EPSILON * 0.25
            }
            Node::Binary { op: BinaryOp::Mul, lhs, rhs } => self.get(lhs) * self.get(rhs),
            Node::Binary { op: BinaryOp::Div, lhs, rhs }
            | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => self.get(lhs) / estimate(rhs).magnitude(),
            Node::Binary { op: BinaryOp::Min | BinaryOp::Max, lhs, rhs } => self.get(lhs).min(self.get(rhs)),
            Node::Select { yes, no, .. } => self.get(yes).min(self.get(no)),
            Node::Math { f: MathFn::Pow, args: [base, exponent] } => {
                let (b, e) = (estimate(base), estimate(exponent));
                let bases = [self.get(base), b.magnitude()];
                let powers = bases.iter().flat_map(|b| [b.powf(e.lo), b.powf(e.hi)]);
                powers.fold(f64::INFINITY, |least, power| if power < least { power } else { least })
            }
            Node::Math { f: MathFn::Exp, args } => estimate(args[0]).lo.exp(),
            _ => UNKNOWN,
        }
    }
}

/// A weight that is positive wherever it is in the text.
pub fn kept(program: &mut Program, surroundings: &Surroundings, root: ExprId) -> ExprId {
    let estimates = Estimates::within(surroundings, program, [root]);
    let least = Least::new(program, &estimates, &[root]).of;
    if least.values().all(|&least| least > SAFE) {
        return root;
    }
    let mut now: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for id in program.exprs.needed([root]) {
        if program.exprs.ty(id) != Type::F64 {
            continue;
        }
        let rebuilt = rebuilt(program, &now, id);
        let small = least.get(&id).is_some_and(|&least| least <= SAFE);
        let rebuilt = match small {
            true => guarded(program, &estimates, &now, id, rebuilt),
            false => rebuilt,
        };
        now.insert(id, rebuilt);
    }
    now.get(&root).copied().unwrap_or(root)
}

/// An operation with its operands replaced.
fn rebuilt(program: &mut Program, now: &FxHashMap<ExprId, ExprId>, id: ExprId) -> ExprId {
    let new = |id: ExprId| now.get(&id).copied().unwrap_or(id);
    let exprs = &mut program.exprs;
    let node = exprs.node(id);
    let changed = match node {
        Node::Unary { op, arg } => Node::Unary { op, arg: new(arg) },
        Node::Binary { op, lhs, rhs } => Node::Binary { op, lhs: new(lhs), rhs: new(rhs) },
        Node::Checked { op, lhs, rhs, site } => Node::Checked { op, lhs: new(lhs), rhs: new(rhs), site },
        Node::Select { cond, yes, no } => Node::Select { cond, yes: new(yes), no: new(no) },
        Node::Math { f, args } => Node::Math { f, args: args.map(new) },
        _ => node,
    };
    if changed == node { id } else { exprs.add(changed) }
}

/// A product, quotient or power that is [`SMALLEST`] if positive operands or their result leave the normal
/// range.
fn guarded(
    program: &mut Program,
    estimates: &Estimates,
    now: &FxHashMap<ExprId, ExprId>,
    id: ExprId,
    value: ExprId,
) -> ExprId {
    let node = program.exprs.node(id);
    let operands = match node {
        Node::Binary { op: BinaryOp::Mul | BinaryOp::Div, lhs, rhs }
        | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => vec![lhs, rhs],
        Node::Math { f: MathFn::Pow, args: [base, _] } => vec![base],
        Node::Math { f: MathFn::Exp, .. } => Vec::new(),
        _ => return value,
    };
    let positive_operand = |id: &ExprId| estimates.get(*id).lo >= -f64::MIN_POSITIVE;
    if !operands.iter().all(positive_operand) {
        return value;
    }
    let operands: Vec<ExprId> = operands.iter().map(|id| now.get(id).copied().unwrap_or(*id)).collect();
    let exprs = &mut program.exprs;
    let (zero, smallest, shift) = (exprs.f64(0.0), exprs.f64(SMALLEST), exprs.f64(f64::EPSILON / 2.0));
    let mut positive = exprs.bool(true);
    let mut least = value;
    for operand in operands {
        let is_positive = exprs.binary(BinaryOp::Gt, operand, zero);
        positive = exprs.and(positive, is_positive);
        least = exprs.binary(BinaryOp::Min, operand, least);
    }
    let shifted = exprs.binary(BinaryOp::Mul, least, shift);
    let leaves = exprs.binary(BinaryOp::Eq, shifted, zero);
    let cond = exprs.and(positive, leaves);
    exprs.select(cond, smallest, value)
}

/// Whether products of the weights of a group's participants may leave the normal range.
pub fn may_leave(program: &Program, surroundings: &Surroundings, group: &Group) -> bool {
    if group.participants.len() < 2 {
        return false;
    }
    let exprs: Vec<ExprId> = weights(&group.participants)
        .filter_map(|weight| match weight {
            Weight::Expr { expr, .. } => Some(*expr),
            Weight::Constant { .. } => None,
        })
        .collect();
    let estimates = Estimates::within(surroundings, program, exprs.iter().copied());
    let least = Least::new(program, &estimates, &exprs);
    let range = |weight: &Weight| match weight {
        Weight::Constant { value, .. } => (*value, *value),
        Weight::Expr { expr, .. } => (least.get(*expr), largest(estimates.get(*expr))),
    };
    let (mut lo, mut hi) = (1.0, 1.0);
    for participant in &group.participants {
        let ranges = weights(std::slice::from_ref(participant)).map(range);
        let (l, h) = ranges.fold((1.0f64, 1.0f64), |(lo, hi), (l, h)| (lo.min(l), hi.max(h)));
        (lo, hi) = (lo * l, hi * h);
    }
    lo < SAFE || hi.is_nan() || hi > SAFE_ABOVE
}

/// An unknown number is not assumed to be huge.
fn largest(estimate: Estimate) -> f64 {
    if estimate.hi.is_finite() { estimate.hi } else { 1.0 }
}

fn weights(participants: &[Participant]) -> impl Iterator<Item = &Weight> {
    participants.iter().flat_map(|p| &p.alternatives).flat_map(|a| &a.outcomes).map(|outcome| &outcome.weight)
}
