//! Weights as integers: rates and probabilities that rational arithmetic can scale are drawn without
//! rounding.
//!
//! `0.05 * clients` is `clients` times 1/20; `min(idle, 2 * waiting)` is an integer anyway. Weights that are
//! added up share one scale. If their sum certainly stays below 2^31, or 2^62, integers are drawn below it;
//! otherwise everything is `f64`.

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, Exprs, Node, Type, UnaryOp};
use volvelle_model::exact::Constants;
use volvelle_model::interval::{self, Env};
use volvelle_model::{Program, Weight, underflow};

/// The arithmetic of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Integers with a sum below 2^31.
    Exact32,
    /// Integers with a sum below 2^62.
    Exact64,
    /// Doubles.
    Float,
}

/// Weights that are added up and drawn from.
#[derive(Clone, Debug)]
pub struct Weights {
    /// How.
    pub arithmetic: Arithmetic,
    /// Each weight, in the arena of the program: `i64` if exact, else `f64`. Bad weights fail at their sites.
    pub values: Vec<ExprId>,
    /// The value of a unit; 1 for doubles.
    pub unit: f64,
}

/// Weights under their guards: each the product of some factors.
pub fn weigh(program: &mut Program, weights: &[(Vec<ExprId>, Vec<Weight>)]) -> Weights {
    exact(program, weights).unwrap_or_else(|| Weights {
        arithmetic: Arithmetic::Float,
        values: weights.iter().map(|(_, factors)| float_product(&mut program.exprs, factors)).collect(),
        unit: 1.0,
    })
}

fn exact(program: &mut Program, weights: &[(Vec<ExprId>, Vec<Weight>)]) -> Option<Weights> {
    let env = Env::new(program);
    let mut scaled = Vec::with_capacity(weights.len());
    for (guards, factors) in weights {
        let env = guards.iter().fold(env.clone(), |env, &guard| env.assume(&program.exprs, guard));
        scaled.push(product(program, &env, factors)?);
    }
    let unit = scaled.iter().map(|s| s.unit.clone()).reduce(|a, b| common(&a, &b))?;
    let mut total: i64 = 0;
    let mut values = Vec::with_capacity(scaled.len());
    for (s, (guards, _)) in scaled.iter().zip(weights) {
        let value = s.in_units(&mut program.exprs, &unit)?;
        let env = guards.iter().fold(env.clone(), |env, &guard| env.assume(&program.exprs, guard));
        let most = interval::of(&program.exprs, value, &env)?.hi.max(0);
        total = total.checked_add(most).filter(|&t| t < 1 << 62)?;
        values.push(value);
    }
    let arithmetic = if total < 1 << 31 { Arithmetic::Exact32 } else { Arithmetic::Exact64 };
    let unit = unit.to_f64().value();
    // Shares are drawn from integers even if no double is as small as the unit.
    Some(Weights { arithmetic, values, unit: underflow::positive(unit) })
}

fn product(program: &mut Program, env: &Env, factors: &[Weight]) -> Option<Scaled> {
    let one = program.exprs.i64(1);
    let mut result = Scaled { value: one, unit: RBig::ONE };
    for factor in factors {
        let factor = match factor {
            Weight::Constant { value, exact } => {
                let exact = exact.clone().or_else(|| RBig::try_from(*value).ok())?;
                Scaled { value: one, unit: exact }
            }
            Weight::Expr { expr, site } => {
                let mut factor = scale(&mut program.exprs, &program.exact, *expr)?;
                let known = interval::of(&program.exprs, factor.value, env)?;
                if known.lo < 0 {
                    let check = Node::Range { arg: factor.value, lo: 0, hi: known.hi.max(0), site: *site };
                    factor.value = program.exprs.add(check);
                }
                factor
            }
        };
        result = result.times(&mut program.exprs, &factor);
    }
    Some(result)
}

/// The product as a double; factors that are negative, infinite or NaN fail.
fn float_product(exprs: &mut Exprs, factors: &[Weight]) -> ExprId {
    let mut result: Option<ExprId> = None;
    for factor in factors {
        let factor = match *factor {
            Weight::Constant { value, .. } => exprs.f64(value),
            Weight::Expr { expr, site } => {
                let (zero, infinity) = (exprs.f64(0.0), exprs.f64(f64::INFINITY));
                let not_negative = exprs.binary(BinaryOp::Ge, expr, zero);
                let finite = exprs.binary(BinaryOp::Lt, expr, infinity);
                let good = exprs.and(not_negative, finite);
                let bad = failing(exprs, site);
                exprs.select(good, expr, bad)
            }
        };
        result = Some(match result {
            Some(result) => exprs.binary(BinaryOp::Mul, result, factor),
            None => factor,
        });
    }
    result.unwrap_or_else(|| exprs.f64(1.0))
}

/// An `f64` expression that always fails.
pub fn failing(exprs: &mut Exprs, site: volvelle_kernel::Site) -> ExprId {
    let one = exprs.i64(1);
    let check = exprs.add(Node::Range { arg: one, lo: 0, hi: 0, site });
    exprs.convert(Type::F64, check)
}

/// An expression that is an integer times a positive rational.
#[derive(Clone, Debug)]
struct Scaled {
    /// `i64`.
    value: ExprId,
    /// Positive.
    unit: RBig,
}

impl Scaled {
    fn number(exprs: &mut Exprs, number: &RBig) -> Option<Self> {
        let sign = i64::from(number > &RBig::ZERO) - i64::from(number < &RBig::ZERO);
        let unit = if sign == 0 { RBig::ONE } else { RBig::from(sign) * number };
        Some(Scaled { value: exprs.i64(sign), unit })
    }

    fn times(&self, exprs: &mut Exprs, other: &Scaled) -> Scaled {
        let is_one = |e: &Exprs, id| e.as_const(id).and_then(Const::as_i64) == Some(1);
        let value = match (is_one(exprs, self.value), is_one(exprs, other.value)) {
            (true, _) => other.value,
            (_, true) => self.value,
            _ => exprs.binary(BinaryOp::Mul, self.value, other.value),
        };
        Scaled { value, unit: &self.unit * &other.unit }
    }

    /// The integer in smaller units: `unit` divides the own one.
    fn in_units(&self, exprs: &mut Exprs, unit: &RBig) -> Option<ExprId> {
        if exprs.as_const(self.value).and_then(Const::as_i64) == Some(0) {
            return Some(self.value);
        }
        let factor = &self.unit / unit;
        debug_assert!(factor.denominator() == &UBig::ONE);
        let factor = i64::try_from(factor.numerator()).ok().filter(|&f| f < 1 << 62)?;
        if factor == 1 {
            return Some(self.value);
        }
        let factor = exprs.i64(factor);
        // A folded product may have wrapped; a product that is not folded is judged by its interval.
        if let (Some(a), Some(b)) = (exprs.as_const(self.value), exprs.as_const(factor)) {
            a.as_i64()?.checked_mul(b.as_i64()?)?;
        }
        Some(exprs.binary(BinaryOp::Mul, self.value, factor))
    }
}

/// The greatest rational of which both are multiples.
fn common(a: &RBig, b: &RBig) -> RBig {
    let numerator = |x: &RBig| -> UBig { IBig::try_into(x.numerator().clone()).unwrap_or(UBig::ONE) };
    let top = (numerator(a) * b.denominator()).gcd(numerator(b) * a.denominator());
    RBig::from_parts(top.into(), a.denominator() * b.denominator())
}

/// Limit of examined nodes of an expression.
const BUDGET: usize = 2000;

/// An `f64` expression as an integer in units; `None` if it is not known to be one.
fn scale(exprs: &mut Exprs, exact: &Constants, root: ExprId) -> Option<Scaled> {
    let nodes = exprs.needed([root]);
    if nodes.len() > BUDGET {
        return None;
    }
    let mut found: rustc_hash::FxHashMap<ExprId, Scaled> = rustc_hash::FxHashMap::default();
    for id in nodes {
        if exprs.ty(id) == Type::F64
            && let Some(scaled) = scale_node(exprs, exact, id, &found)
        {
            found.insert(id, scaled);
        }
    }
    found.remove(&root)
}

fn scale_node(
    exprs: &mut Exprs,
    exact: &Constants,
    id: ExprId,
    found: &rustc_hash::FxHashMap<ExprId, Scaled>,
) -> Option<Scaled> {
    let of = |id: ExprId| found.get(&id).cloned();
    match exprs.node(id) {
        Node::Const(c) => {
            let number = match exact.get(id) {
                Some(known) => known?.clone(),
                None => RBig::try_from(c.as_f64()?).ok()?,
            };
            Scaled::number(exprs, &number)
        }
        Node::Convert { arg, .. } if matches!(exprs.ty(arg), Type::I64 | Type::Bool) => {
            Some(Scaled { value: exprs.convert(Type::I64, arg), unit: RBig::ONE })
        }
        Node::Unary { op: UnaryOp::Neg, arg } => {
            let arg = of(arg)?;
            Some(Scaled { value: exprs.unary(UnaryOp::Neg, arg.value), unit: arg.unit })
        }
        Node::Binary { op: BinaryOp::Mul, lhs, rhs } => Some(of(lhs)?.times(exprs, &of(rhs)?)),
        Node::Binary { op: BinaryOp::Div, lhs, rhs } | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => {
            let (lhs, rhs) = (of(lhs)?, of(rhs)?);
            // By a constant only, and not by zero.
            let sign = exprs.as_const(rhs.value).and_then(Const::as_i64)?;
            let inverse = Scaled { value: exprs.i64(sign), unit: RBig::ONE / rhs.unit };
            (sign != 0 && sign.abs() == 1).then(|| lhs.times(exprs, &inverse))
        }
        Node::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Min | BinaryOp::Max),
            lhs,
            rhs,
        } => together(exprs, &of(lhs)?, &of(rhs)?, |e, a, b| e.binary(op, a, b)),
        Node::Select { cond, yes, no } => {
            together(exprs, &of(yes)?, &of(no)?, |e, a, b| e.select(cond, a, b))
        }
        _ => None,
    }
}

fn together(
    exprs: &mut Exprs,
    a: &Scaled,
    b: &Scaled,
    make: impl FnOnce(&mut Exprs, ExprId, ExprId) -> ExprId,
) -> Option<Scaled> {
    let zero = |e: &Exprs, s: &Scaled| e.as_const(s.value).and_then(Const::as_i64) == Some(0);
    let unit = match (zero(exprs, a), zero(exprs, b)) {
        (true, _) => b.unit.clone(),
        (_, true) => a.unit.clone(),
        _ => common(&a.unit, &b.unit),
    };
    let (x, y) = (a.in_units(exprs, &unit)?, b.in_units(exprs, &unit)?);
    Some(Scaled { value: make(exprs, x, y), unit })
}
