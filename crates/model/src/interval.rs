//! Interval analysis of integer expressions.
//!
//! Answers one question: can this value leave that range, given the domains of the fields and a guard that
//! holds? The answer allows to omit checks that cannot fail. It is sound, not complete: `None` means
//! *unknown*. The work per question is bounded, so that programs with many large expressions compile quickly.

use crate::program::Program;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, Exprs, Local, Node, Type, UnaryOp};

/// `lo..=hi`, not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Smallest possible value.
    pub lo: i64,
    /// Largest possible value.
    pub hi: i64,
}

impl Interval {
    /// `lo..=hi` if that is not empty.
    pub fn new(lo: i64, hi: i64) -> Option<Self> {
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// Whether every value lies in `lo..=hi`.
    pub fn within(self, lo: i64, hi: i64) -> bool {
        lo <= self.lo && self.hi <= hi
    }

    /// The smallest interval that contains both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// Bounds on the values of fields: their domains, narrowed by assumptions.
#[derive(Clone, Debug)]
pub struct Env {
    fields: Vec<Interval>,
}

/// Limit of nodes per question.
const BUDGET: u32 = 400;
/// Limit of depth per question.
const DEPTH: u32 = 60;

impl Env {
    /// The domains of a program's fields.
    pub fn new(program: &Program) -> Self {
        let interval = |f: &crate::Field| {
            let (lo, hi) = f.domain.bounds();
            Interval { lo, hi }
        };
        Env { fields: program.fields.iter().map(interval).collect() }
    }

    /// Forgets the bounds of a field: any 32-bit integer.
    pub fn unbound(&mut self, field: usize) {
        self.fields[field] = Interval { lo: i32::MIN.into(), hi: i32::MAX.into() };
    }

    /// Bounds on the value of a field.
    pub fn field(&self, field: crate::FieldId) -> Interval {
        self.fields[field.index()]
    }

    /// Narrows by the conjuncts of `guard` that compare a field with a constant. If the guard cannot hold,
    /// the result may be any intervals, since nothing happens under it.
    #[must_use]
    pub fn assume(mut self, exprs: &Exprs, guard: ExprId) -> Self {
        let mut conjuncts = vec![guard];
        let mut budget = BUDGET;
        while let Some(id) = conjuncts.pop() {
            budget = budget.saturating_sub(1);
            if budget == 0 {
                break;
            }
            match exprs.node(id) {
                Node::And { lhs, rhs } => conjuncts.extend([lhs, rhs]),
                Node::Binary { op, lhs, rhs } => self.compare(exprs, op, lhs, rhs),
                Node::Unary { op: UnaryOp::Not, arg } => {
                    if let Node::Binary { op, lhs, rhs } = exprs.node(arg)
                        && let Some(op) = negated(op)
                    {
                        self.compare(exprs, op, lhs, rhs);
                    }
                }
                _ => {}
            }
        }
        self
    }

    fn compare(&mut self, exprs: &Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) {
        if exprs.ty(lhs) != Type::I64 {
            return;
        }
        let (Some(a), Some(b)) = (of(exprs, lhs, self), of(exprs, rhs, self)) else {
            return;
        };
        if let Node::Local(field, _) = exprs.node(lhs) {
            self.narrow(field, op, b);
        }
        if let (Node::Local(field, _), Some(op)) = (exprs.node(rhs), mirrored(op)) {
            self.narrow(field, op, a);
        }
    }

    /// Narrows a field by `field op some value in other`.
    fn narrow(&mut self, field: Local, op: BinaryOp, other: Interval) {
        let Some(known) = self.fields.get_mut(field.index()) else {
            return;
        };
        let (mut lo, mut hi) = (known.lo, known.hi);
        match op {
            BinaryOp::Lt => hi = hi.min(other.hi.saturating_sub(1)),
            BinaryOp::Le => hi = hi.min(other.hi),
            BinaryOp::Gt => lo = lo.max(other.lo.saturating_add(1)),
            BinaryOp::Ge => lo = lo.max(other.lo),
            BinaryOp::Eq => (lo, hi) = (lo.max(other.lo), hi.min(other.hi)),
            BinaryOp::Ne if other.lo == other.hi && lo == other.lo => lo = lo.saturating_add(1),
            BinaryOp::Ne if other.lo == other.hi && hi == other.lo => hi = hi.saturating_sub(1),
            _ => {}
        }
        if let Some(narrowed) = Interval::new(lo, hi) {
            *known = narrowed;
        }
    }
}

fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne => op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

/// The values that an `i64` expression can take when its evaluation does not fail; `None` if unknown.
pub fn of(exprs: &Exprs, id: ExprId, env: &Env) -> Option<Interval> {
    let mut budget = BUDGET;
    eval(exprs, id, env, DEPTH, &mut budget)
}

fn eval(exprs: &Exprs, id: ExprId, env: &Env, depth: u32, budget: &mut u32) -> Option<Interval> {
    if depth == 0 || *budget == 0 {
        return None;
    }
    *budget -= 1;
    let mut at = |id| eval(exprs, id, env, depth - 1, budget);
    match exprs.node(id) {
        Node::Const(c) if c.ty == Type::I64 => Const::as_i64(c).map(|v| Interval { lo: v, hi: v }),
        Node::Local(local, Type::I64) => env.fields.get(local.index()).copied(),
        Node::Convert { to: Type::I64, arg } if exprs.ty(arg) == Type::Bool => Interval::new(0, 1),
        Node::Unary { op: UnaryOp::Neg, arg } if exprs.ty(id) == Type::I64 => {
            let a = at(arg)?;
            Interval::new(a.hi.checked_neg()?, a.lo.checked_neg()?)
        }
        Node::Binary { op, lhs, rhs } if exprs.ty(id) == Type::I64 => arithmetic(op, at(lhs)?, at(rhs)?),
        Node::Checked { op, lhs, rhs, .. } if exprs.ty(id) == Type::I64 => match op {
            CheckedOp::Add => arithmetic(BinaryOp::Add, at(lhs)?, at(rhs)?),
            CheckedOp::Sub => arithmetic(BinaryOp::Sub, at(lhs)?, at(rhs)?),
            CheckedOp::Mul => arithmetic(BinaryOp::Mul, at(lhs)?, at(rhs)?),
            CheckedOp::Mod => {
                let divisor = at(rhs)?;
                let largest = divisor.hi.checked_sub(1)?;
                if divisor.lo <= 0 {
                    return None;
                }
                match at(lhs) {
                    Some(a) if a.lo >= 0 => Interval::new(0, a.hi.min(largest)),
                    _ => Interval::new(0, largest),
                }
            }
            _ => None,
        },
        Node::Range { arg, lo, hi, .. } if exprs.ty(id) == Type::I64 => match at(arg) {
            Some(a) => Interval::new(a.lo.max(lo), a.hi.min(hi)).or(Interval::new(lo, hi)),
            None => Interval::new(lo, hi),
        },
        Node::Select { yes, no, .. } if exprs.ty(id) == Type::I64 => Some(at(yes)?.hull(at(no)?)),
        _ => None,
    }
}

/// The values of an operation on integers; `None` if unknown, or if it may overflow.
pub fn arithmetic(op: BinaryOp, a: Interval, b: Interval) -> Option<Interval> {
    match op {
        BinaryOp::Add => Interval::new(a.lo.checked_add(b.lo)?, a.hi.checked_add(b.hi)?),
        BinaryOp::Sub => Interval::new(a.lo.checked_sub(b.hi)?, a.hi.checked_sub(b.lo)?),
        BinaryOp::Mul => {
            let corners = [
                a.lo.checked_mul(b.lo)?,
                a.lo.checked_mul(b.hi)?,
                a.hi.checked_mul(b.lo)?,
                a.hi.checked_mul(b.hi)?,
            ];
            Interval::new(*corners.iter().min()?, *corners.iter().max()?)
        }
        BinaryOp::Min => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        BinaryOp::Max => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        _ => None,
    }
}
