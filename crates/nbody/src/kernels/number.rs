//! Numbers and indices of a kernel.

use super::{Condition, Writer};
use std::ops::{Add, Div, Mul, Neg, Sub};
use volvelle_kernel::{BinaryOp, ExprId, Type, UnaryOp};

/// A number (`f64`) that a kernel computes.
#[derive(Clone, Copy)]
pub(crate) struct Number<'w> {
    pub(super) writer: &'w Writer,
    pub(super) id: ExprId,
}

/// An index (`u64`) that a kernel computes; sums and products wrap.
#[derive(Clone, Copy)]
pub(crate) struct Index<'w> {
    pub(super) writer: &'w Writer,
    pub(super) id: ExprId,
}

impl<'w> Number<'w> {
    pub(super) fn new(writer: &'w Writer, id: ExprId) -> Self {
        Number { writer, id }
    }

    fn binary(self, op: BinaryOp, other: Self) -> ExprId {
        self.writer.inner.borrow_mut().kernel.exprs.binary(op, self.id, other.id)
    }

    /// `self * factor + summand`, rounded once.
    pub(crate) fn mul_add(self, factor: Self, summand: Self) -> Self {
        let id = self.writer.inner.borrow_mut().kernel.exprs.mul_add(self.id, factor.id, summand.id);
        Number { id, ..self }
    }

    /// A polynomial of this number by Horner's rule; coefficients start with the constant one.
    pub(crate) fn polynomial(self, coefficients: &[f64]) -> Self {
        let constant = |c: f64| self.writer.constant(c);
        let mut from_highest = coefficients.iter().rev();
        let highest = constant(from_highest.next().copied().unwrap_or(0.0));
        from_highest.fold(highest, |sum, &c| self.mul_add(sum, constant(c)))
    }

    /// The larger one.
    pub(crate) fn max(self, other: Self) -> Self {
        Number { id: self.binary(BinaryOp::Max, other), ..self }
    }

    /// Whether it is less than another.
    pub(crate) fn is_below(self, other: Self) -> Condition<'w> {
        Condition { writer: self.writer, id: self.binary(BinaryOp::Lt, other) }
    }

    /// Whether it differs from another; NaN differs from everything.
    pub(crate) fn differs(self, other: Self) -> Condition<'w> {
        Condition { writer: self.writer, id: self.binary(BinaryOp::Ne, other) }
    }

    /// Its bits.
    pub(crate) fn bits(self) -> Index<'w> {
        let id = self.writer.inner.borrow_mut().kernel.exprs.reinterpret(Type::U64, self.id);
        Index { writer: self.writer, id }
    }
}

impl<'w> Index<'w> {
    pub(super) fn new(writer: &'w Writer, id: ExprId) -> Self {
        Index { writer, id }
    }

    fn binary(self, op: BinaryOp, other: Self) -> ExprId {
        self.writer.inner.borrow_mut().kernel.exprs.binary(op, self.id, other.id)
    }

    /// Without its lowest bits.
    pub(crate) fn shifted_right(self, bits: u64) -> Self {
        Index { id: self.binary(BinaryOp::Shr, self.writer.count(bits)), ..self }
    }

    /// The number with these bits.
    pub(crate) fn as_bits(self) -> Number<'w> {
        let id = self.writer.inner.borrow_mut().kernel.exprs.reinterpret(Type::F64, self.id);
        Number { writer: self.writer, id }
    }

    /// Whether it is less than another.
    pub(crate) fn is_below(self, other: Self) -> Condition<'w> {
        Condition { writer: self.writer, id: self.binary(BinaryOp::Lt, other) }
    }

    /// Whether it is another.
    pub(crate) fn is(self, other: Self) -> Condition<'w> {
        Condition { writer: self.writer, id: self.binary(BinaryOp::Eq, other) }
    }
}

macro_rules! operators {
    ($($kind:ident: $($operator:ident $method:ident),*;)*) => { $($(
        impl<'w> $operator for $kind<'w> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                $kind { id: self.binary(BinaryOp::$operator, other), ..self }
            }
        }
    )*)* };
}

operators! {
    Number: Add add, Sub sub, Mul mul, Div div;
    Index: Add add, Sub sub, Mul mul;
}

impl Mul<f64> for Number<'_> {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        self * self.writer.constant(factor)
    }
}

impl Add<u64> for Index<'_> {
    type Output = Self;

    fn add(self, count: u64) -> Self {
        self + self.writer.count(count)
    }
}

impl Mul<u64> for Index<'_> {
    type Output = Self;

    fn mul(self, count: u64) -> Self {
        self * self.writer.count(count)
    }
}

impl Neg for Number<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        let id = self.writer.inner.borrow_mut().kernel.exprs.unary(UnaryOp::Neg, self.id);
        Number { id, ..self }
    }
}
