//! Rows of probabilities whose sums, as written, are not one.
//!
//! *The meaning.* Every probability of an alternative is divided by the sum of all in the text: they are
//! shares. So all engines see rows that sum to one, and agree on them. A sum that is one in the text stays
//! unchanged, whatever its doubles add up to.
//!
//! In: the outcomes of an alternative, some of whose probabilities depend on the state. Out: the same,
//! divided by their sum, unless that is one in every state. This is decided by arithmetic modulo a prime.
//! Expressions are rational functions of variables: of the state, and of everything that is not arithmetic,
//! such as a condition or a logarithm. If the difference of two of them is zero at a random point, it is zero
//! everywhere, with an error probability of its degree in 2^61 (J. Schwartz, *Fast probabilistic algorithms
//! for verification of polynomial identities*, J. ACM 27, 1980); at two points, in 2^122. The points are the
//! same on every run.

use crate::domain::Domain;
use crate::prime_field::{PRIME, inverse, minus, plus, power, residue, times};
use crate::program::Program;
use crate::row_sum::RowSum;
use crate::steps::{Outcome, Weight};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, MathFn, Node, Site, Type, UnaryOp, interp};

/// Sums farther from one than this deserve a warning. Smaller distances come from the last digits of printed
/// doubles.
pub const NOTEWORTHY: f64 = 2e-13;

/// Divides probabilities by their sum, unless that is one; returns the sum. It fails at `site` if it is not
/// accepted.
pub fn normalise(
    program: &mut Program,
    outcomes: &mut [Outcome],
    site: Site,
    is_free: bool,
) -> Option<RowSum> {
    if is_one(program, outcomes.iter().map(|outcome| &outcome.weight)) {
        return None;
    }
    let weights: Vec<ExprId> = outcomes.iter().map(|outcome| as_expr(program, &outcome.weight)).collect();
    let exprs = &mut program.exprs;
    let expr = weights.iter().copied().reduce(|sum, weight| exprs.binary(BinaryOp::Add, sum, weight))?;
    for (outcome, weight) in outcomes.iter_mut().zip(weights) {
        let mut divided = exprs.binary(BinaryOp::Div, weight, expr);
        if is_free {
            // If the sum is zero, nothing happens.
            let zero = exprs.f64(0.0);
            let is_positive = exprs.binary(BinaryOp::Gt, expr, zero);
            divided = exprs.select(is_positive, divided, weight);
        }
        let fails_at = match outcome.weight {
            Weight::Expr { site, .. } => site,
            Weight::Constant { .. } => site,
        };
        let share = std::mem::replace(&mut outcome.weight, Weight::Expr { expr: divided, site: fails_at });
        outcome.share = Some(share);
    }
    Some(RowSum { expr, site, is_free })
}

/// The site of the sum that is farthest from one in a state, among alternatives whose guards hold.
pub fn farthest(program: &Program, state: &[i64]) -> Option<Site> {
    let locals: Vec<Const> = program
        .fields
        .iter()
        .zip(state)
        .map(|(field, &value)| match field.domain {
            Domain::Bool => Const::bool(value != 0),
            _ => Const::i64(value),
        })
        .collect();
    let participants = program.groups.iter().flat_map(|group| &group.participants);
    let mut farthest = None;
    for alternative in participants.flat_map(|participant| &participant.alternatives) {
        let Some(sum) = alternative.sum else { continue };
        let value = |expr: ExprId| interp::eval(&program.exprs, expr, &locals).ok();
        let holds = value(alternative.guard).and_then(Const::as_bool) == Some(true);
        let Some(off) = value(sum.expr).and_then(Const::as_f64).map(|sum| (sum - 1.0).abs()) else {
            continue;
        };
        if holds && farthest.is_none_or(|(most, _)| off > most) {
            farthest = Some((off, sum.site));
        }
    }
    farthest.map(|(_, site)| site)
}

/// Exponents up to this are multiplied out.
const LARGEST_POWER: u64 = 64;

/// Whether weights sum to one in every state, as rational functions.
fn is_one<'w>(program: &Program, weights: impl Iterator<Item = &'w Weight> + Clone) -> bool {
    let roots = weights.clone().filter_map(|weight| match weight {
        Weight::Expr { expr, .. } => Some(*expr),
        Weight::Constant { .. } => None,
    });
    let ids = program.exprs.needed(roots);
    [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03].into_iter().all(|seed| {
        let mut point = Point { program, seed, known: FxHashMap::default() };
        for &id in &ids {
            let value = point.of(id);
            point.known.insert(id, value);
        }
        let of = |weight: &Weight| match weight {
            Weight::Expr { expr, .. } => point.get(*expr),
            Weight::Constant { value, exact } => match exact.as_ref().and_then(residue) {
                Some(residue) => residue,
                None => mixed(seed ^ value.to_bits()) % PRIME,
            },
        };
        weights.clone().fold(0, |sum, weight| plus(sum, of(weight))) == 1
    })
}

/// A weight as an expression. A constant gets a double that stands for no other number.
fn as_expr(program: &mut Program, weight: &Weight) -> ExprId {
    let (mut double, exact) = match weight {
        Weight::Expr { expr, .. } => return *expr,
        Weight::Constant { value, exact } => (*value, exact.as_ref()),
    };
    let start = double;
    loop {
        let constant = program.exprs.f64(double);
        match (program.exact.get(constant), exact) {
            (None, Some(_)) => program.exact.note(constant, double, exact),
            (Some(known), Some(_)) if known == exact => {}
            (None, None) => {
                let moved = (double - start).abs();
                program.exact.note_rounded(constant, double, double * program.exact.weight_error() + moved);
            }
            _ => {
                double = double.next_up();
                continue;
            }
        }
        return constant;
    }
}

/// The values of expressions at a random point.
struct Point<'p> {
    program: &'p Program,
    seed: u64,
    known: FxHashMap<ExprId, u64>,
}

impl Point<'_> {
    fn get(&self, id: ExprId) -> u64 {
        self.known.get(&id).copied().unwrap_or_else(|| self.variable(id))
    }

    /// The value of an expression that is not arithmetic.
    fn variable(&self, id: ExprId) -> u64 {
        mixed(mixed(self.seed ^ id.index() as u64) ^ self.seed.rotate_left(32)) % PRIME
    }

    fn of(&self, id: ExprId) -> u64 {
        let exprs = &self.program.exprs;
        let (ty, is_number) = (exprs.ty(id), |id| matches!(exprs.ty(id), Type::F64 | Type::I64));
        if !is_number(id) {
            return self.variable(id);
        }
        match exprs.node(id) {
            Node::Const(c) => self.constant(id, c).unwrap_or_else(|| self.variable(id)),
            Node::Convert { arg, .. } if ty == Type::F64 && is_number(arg) => self.get(arg),
            Node::Range { arg, .. } => self.get(arg),
            Node::Unary { op: UnaryOp::Neg, arg } => minus(0, self.get(arg)),
            Node::Binary { op: BinaryOp::Add, lhs, rhs }
            | Node::Checked { op: CheckedOp::Add, lhs, rhs, .. } => plus(self.get(lhs), self.get(rhs)),
            Node::Binary { op: BinaryOp::Sub, lhs, rhs }
            | Node::Checked { op: CheckedOp::Sub, lhs, rhs, .. } => minus(self.get(lhs), self.get(rhs)),
            Node::Binary { op: BinaryOp::Mul, lhs, rhs }
            | Node::Checked { op: CheckedOp::Mul, lhs, rhs, .. } => times(self.get(lhs), self.get(rhs)),
            Node::Binary { op: BinaryOp::Div, lhs, rhs }
            | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. }
                if ty == Type::F64 =>
            {
                match self.get(rhs) {
                    0 => self.variable(id),
                    divisor => times(self.get(lhs), inverse(divisor)),
                }
            }
            Node::Math { f: MathFn::Pow, args: [base, exponent] } => match self.exponent(exponent) {
                Some(exponent) => power(self.get(base), exponent),
                None => self.variable(id),
            },
            // Linear in the condition, which is 0 or 1.
            Node::Select { cond, yes, no } => {
                let (cond, no) = (self.variable(cond), self.get(no));
                plus(no, times(cond, minus(self.get(yes), no)))
            }
            _ => self.variable(id),
        }
    }

    fn constant(&self, id: ExprId, c: Const) -> Option<u64> {
        match (c.as_f64(), self.program.exact.get(id)) {
            (Some(_), Some(known)) => residue(known?),
            (Some(double), None) => residue(&RBig::try_from(double).ok()?),
            (None, _) => residue(&RBig::from(c.as_i64()?)),
        }
    }

    /// The value of a small whole exponent.
    fn exponent(&self, id: ExprId) -> Option<u64> {
        let value = self.program.exprs.as_const(id)?.as_f64()?;
        (value >= 0.0 && value.fract() == 0.0 && value <= LARGEST_POWER as f64).then_some(value as u64)
    }
}

/// Finaliser of splitmix64.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
