//! Interval arithmetic on expressions whose fields lie in intervals: the abstraction behind projections.
//!
//! In: expressions of a program, and an interval for every field. Out: for each expression, a set that
//! contains all its possible values. Integers that may leave 64 bits, and floats that may be NaN, are
//! unknown.

use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, Exprs, Node, Type, UnaryOp};
use volvelle_model::interval::Interval;

/// A set of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Truth values: whether it may be false, and whether it may be true.
    Bool {
        /// May be false.
        no: bool,
        /// May be true.
        yes: bool,
    },
    /// Integers.
    Int(Interval),
    /// Floats in an interval; both ends are infinite if nothing is known, which includes NaN.
    Float(f64, f64),
}

/// Any integer.
const ALL: Interval = Interval { lo: i64::MIN, hi: i64::MAX };

impl Values {
    /// Everything a type has.
    fn all(ty: Type) -> Self {
        match ty {
            Type::Bool => Values::Bool { no: true, yes: true },
            ty if ty.is_float() => Values::Float(f64::NEG_INFINITY, f64::INFINITY),
            _ => Values::Int(ALL),
        }
    }

    fn of_bool(truth: bool) -> Self {
        Values::Bool { no: !truth, yes: truth }
    }

    fn float(lo: f64, hi: f64) -> Self {
        if lo <= hi { Values::Float(lo, hi) } else { Values::all(Type::F64) }
    }

    /// Whether it may be true.
    pub fn may_hold(self) -> bool {
        matches!(self, Values::Bool { yes: true, .. })
    }

    /// Whether it is true for certain.
    pub fn holds(self) -> bool {
        matches!(self, Values::Bool { no: false, yes: true })
    }

    /// The interval, if the values are integers; truth values are 0 and 1.
    pub fn integers(self) -> Option<Interval> {
        match self {
            Values::Int(interval) => Some(interval),
            Values::Bool { no, yes } => Interval::new(i64::from(!no), i64::from(yes)),
            Values::Float(..) => None,
        }
    }

    /// Smallest and greatest, as floats.
    pub fn range(self) -> (f64, f64) {
        match self {
            Values::Int(v) => (v.lo as f64, v.hi as f64),
            Values::Bool { no, yes } => (f64::from(u8::from(!no)), f64::from(u8::from(yes))),
            Values::Float(lo, hi) => (lo, hi),
        }
    }

    fn hull(self, other: Self) -> Self {
        match (self, other) {
            (Values::Bool { no: a, yes: b }, Values::Bool { no: c, yes: d }) => {
                Values::Bool { no: a || c, yes: b || d }
            }
            (Values::Int(a), Values::Int(b)) => Values::Int(a.hull(b)),
            (Values::Float(a, b), Values::Float(c, d)) => Values::float(a.min(c), b.max(d)),
            _ => self,
        }
    }
}

/// Evaluates a fixed set of expressions repeatedly.
pub struct Evaluator {
    /// The needed nodes, operands first.
    nodes: Vec<(ExprId, Node, Type)>,
    /// By index of the expression.
    values: Vec<Values>,
}

impl Evaluator {
    /// For these expressions.
    pub fn new(exprs: &Exprs, roots: &[ExprId]) -> Self {
        let needed = exprs.needed(roots.iter().copied()).into_iter();
        let nodes = needed.map(|id| (id, exprs.node(id), exprs.ty(id)));
        Evaluator { nodes: nodes.collect(), values: vec![Values::of_bool(false); exprs.len()] }
    }

    /// Evaluates all, given the values of the fields.
    pub fn evaluate(&mut self, fields: &[Interval]) {
        for i in 0..self.nodes.len() {
            let (id, node, ty) = self.nodes[i];
            self.values[id.index()] = self.node(fields, node, ty);
        }
    }

    /// The result for one of them.
    pub fn value(&self, id: ExprId) -> Values {
        self.values[id.index()]
    }

    fn node(&self, fields: &[Interval], node: Node, ty: Type) -> Values {
        let of = |id: ExprId| self.values[id.index()];
        match node {
            Node::Const(c) => constant(c),
            Node::Local(local, _) => match (fields.get(local.index()), ty) {
                (Some(v), Type::Bool) => {
                    Values::Bool { no: v.lo <= 0 && v.hi >= 0, yes: v.lo != 0 || v.hi != 0 }
                }
                (Some(&v), _) => Values::Int(v),
                (None, _) => Values::all(ty),
            },
            Node::Unary { op, arg } => unary(op, of(arg), ty),
            Node::Binary { op, lhs, rhs } => binary(op, of(lhs), of(rhs), ty),
            Node::Checked { op, lhs, rhs, .. } => checked(op, of(lhs), of(rhs), ty),
            Node::Convert { to, arg } => convert(to, of(arg)),
            Node::CheckedConvert { to, arg, .. } => match (of(arg), to) {
                (Values::Float(lo, hi), Type::I64) => {
                    Values::Int(Interval::new(lo.trunc() as i64, hi.trunc() as i64).unwrap_or(ALL))
                }
                (v, _) => convert(to, v),
            },
            Node::Range { arg, lo, hi, .. } => match of(arg) {
                Values::Int(v) => {
                    let within = Interval::new(v.lo.max(lo), v.hi.min(hi));
                    Values::Int(within.or(Interval::new(lo, hi)).unwrap_or(ALL))
                }
                other => other,
            },
            Node::Select { cond, yes, no } => match of(cond) {
                cond if cond.holds() => of(yes),
                cond if !cond.may_hold() => of(no),
                _ => of(yes).hull(of(no)),
            },
            Node::And { lhs, rhs } => logic(of(lhs), of(rhs), |a, b| a && b),
            Node::Or { lhs, rhs } => logic(of(lhs), of(rhs), |a, b| a || b),
            _ => Values::all(ty),
        }
    }
}

fn constant(c: Const) -> Values {
    match (c.as_bool(), c.as_i64(), c.as_f64()) {
        (Some(truth), ..) if c.ty == Type::Bool => Values::of_bool(truth),
        (_, Some(value), _) if !c.ty.is_float() => Values::Int(Interval { lo: value, hi: value }),
        (.., Some(value)) => Values::float(value, value),
        _ => Values::all(c.ty),
    }
}

fn logic(a: Values, b: Values, op: fn(bool, bool) -> bool) -> Values {
    let (Values::Bool { no: a0, yes: a1 }, Values::Bool { no: b0, yes: b1 }) = (a, b) else {
        return Values::all(Type::Bool);
    };
    let mut result = (false, false);
    for x in [false, true].into_iter().filter(|&x| if x { a1 } else { a0 }) {
        for y in [false, true].into_iter().filter(|&y| if y { b1 } else { b0 }) {
            if op(x, y) { result.1 = true } else { result.0 = true }
        }
    }
    Values::Bool { no: result.0, yes: result.1 }
}

fn unary(op: UnaryOp, a: Values, ty: Type) -> Values {
    match (op, a) {
        (UnaryOp::Not, Values::Bool { no, yes }) => Values::Bool { no: yes, yes: no },
        (UnaryOp::Neg, Values::Int(v)) => corners(&[-i128::from(v.lo), -i128::from(v.hi)]),
        (UnaryOp::Neg, Values::Float(lo, hi)) => Values::float(-hi, -lo),
        (UnaryOp::Abs, Values::Int(v)) => {
            let (lo, hi) = (i128::from(v.lo).abs(), i128::from(v.hi).abs());
            let least = if v.lo <= 0 && v.hi >= 0 { 0 } else { lo.min(hi) };
            corners(&[least, lo.max(hi)])
        }
        (UnaryOp::Floor, Values::Float(lo, hi)) => Values::float(lo.floor(), hi.floor()),
        (UnaryOp::Ceil, Values::Float(lo, hi)) => Values::float(lo.ceil(), hi.ceil()),
        (UnaryOp::Trunc, Values::Float(lo, hi)) => Values::float(lo.trunc(), hi.trunc()),
        _ => Values::all(ty),
    }
}

/// The hull of some integers; unknown if they leave 64 bits.
fn corners(values: &[i128]) -> Values {
    let (lo, hi) = (values.iter().min(), values.iter().max());
    let both = lo.zip(hi).and_then(|(&lo, &hi)| Some((i64::try_from(lo).ok()?, i64::try_from(hi).ok()?)));
    Values::Int(both.and_then(|(lo, hi)| Interval::new(lo, hi)).unwrap_or(ALL))
}

fn binary(op: BinaryOp, a: Values, b: Values, ty: Type) -> Values {
    if op.is_comparison() {
        return compare(op, a, b);
    }
    match (a, b) {
        (Values::Int(x), Values::Int(y)) => {
            let wide = [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)]
                .map(|(a, b)| (i128::from(a), i128::from(b)));
            match op {
                BinaryOp::Add => corners(&wide.map(|(a, b)| a + b)),
                BinaryOp::Sub => corners(&wide.map(|(a, b)| a - b)),
                BinaryOp::Mul => corners(&wide.map(|(a, b)| a * b)),
                BinaryOp::Min => corners(&wide.map(|(a, b)| a.min(b))),
                BinaryOp::Max => corners(&wide.map(|(a, b)| a.max(b))),
                _ => Values::all(ty),
            }
        }
        (Values::Float(a, b), Values::Float(c, d)) => {
            let of = |f: fn(f64, f64) -> f64| {
                let corners = [f(a, c), f(a, d), f(b, c), f(b, d)];
                if corners.iter().any(|x| x.is_nan()) {
                    return Values::all(Type::F64);
                }
                let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
                Values::float(least, corners.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            };
            match op {
                BinaryOp::Add => of(|a, b| a + b),
                BinaryOp::Sub => of(|a, b| a - b),
                BinaryOp::Mul => of(|a, b| a * b),
                BinaryOp::Div if c > 0.0 || d < 0.0 => of(|a, b| a / b),
                // NaN stays unknown.
                BinaryOp::Min | BinaryOp::Max if ![a, b, c, d].iter().all(|x| x.is_finite()) => {
                    Values::all(ty)
                }
                BinaryOp::Min => of(f64::min),
                BinaryOp::Max => of(f64::max),
                _ => Values::all(ty),
            }
        }
        (Values::Bool { .. }, Values::Bool { .. }) => match op {
            BinaryOp::BitAnd => logic(a, b, |a, b| a && b),
            BinaryOp::BitOr => logic(a, b, |a, b| a || b),
            BinaryOp::BitXor => logic(a, b, |a, b| a != b),
            _ => Values::all(ty),
        },
        _ => Values::all(ty),
    }
}

fn compare(op: BinaryOp, a: Values, b: Values) -> Values {
    // Compared as integers if they are, since large ones do not fit floats.
    let (less, equal, greater) = match (a.integers(), b.integers()) {
        (Some(x), Some(y)) => (x.lo < y.hi, x.lo <= y.hi && y.lo <= x.hi, x.hi > y.lo),
        _ => {
            let ((a, b), (c, d)) = (a.range(), b.range());
            if [a, b, c, d].iter().any(|x| x.is_infinite()) {
                return Values::all(Type::Bool);
            }
            (a < d, a <= d && c <= b, b > c)
        }
    };
    let (yes, no) = match op {
        BinaryOp::Lt => (less, equal || greater),
        BinaryOp::Le => (less || equal, greater),
        BinaryOp::Gt => (greater, equal || less),
        BinaryOp::Ge => (greater || equal, less),
        BinaryOp::Eq => (equal, less || greater),
        _ => (less || greater, equal),
    };
    Values::Bool { no, yes }
}

fn checked(op: CheckedOp, a: Values, b: Values, ty: Type) -> Values {
    let total = match op {
        CheckedOp::Add => BinaryOp::Add,
        CheckedOp::Sub => BinaryOp::Sub,
        CheckedOp::Mul => BinaryOp::Mul,
        CheckedOp::Div if ty.is_float() => BinaryOp::Div,
        CheckedOp::Div => {
            let (Some(x), Some(y)) = (a.integers(), b.integers()) else { return Values::all(ty) };
            if y.lo <= 0 && y.hi >= 0 {
                return Values::all(ty);
            }
            let wide = [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)];
            return corners(&wide.map(|(a, b)| i128::from(a) / i128::from(b)));
        }
        CheckedOp::Mod | CheckedOp::Rem => {
            let (Some(x), Some(y)) = (a.integers(), b.integers()) else { return Values::all(ty) };
            return match (x.lo == x.hi && y.lo == y.hi, y.lo > 0 && x.lo >= 0) {
                (true, true) => corners(&[i128::from(x.lo % y.lo)]),
                (_, true) => corners(&[0, i128::from(x.hi.min(y.hi - 1))]),
                _ => Values::all(ty),
            };
        }
        CheckedOp::Pow => return Values::all(ty),
    };
    binary(total, a, b, ty)
}

fn convert(to: Type, a: Values) -> Values {
    match (to, a) {
        (Type::F64, a) => {
            let (lo, hi) = a.range();
            Values::float(lo, hi)
        }
        (Type::I64, Values::Bool { .. } | Values::Int(_)) => Values::Int(a.integers().unwrap_or(ALL)),
        (Type::Bool, Values::Int(v)) => {
            Values::Bool { no: v.lo <= 0 && v.hi >= 0, yes: v.lo != 0 || v.hi != 0 }
        }
        (Type::Bool, Values::Bool { .. }) => a,
        _ => Values::all(to),
    }
}
