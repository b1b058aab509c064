//! Vectors of three numbers.

use super::{Number, Writer};
use std::ops::{Add, Mul, Sub};
use volvelle_kernel::{Local, Type};

/// A vector that a kernel computes.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'w>(pub(crate) [Number<'w>; 3]);

impl<'w> Vector<'w> {
    fn zip(self, other: Self, f: impl Fn(Number<'w>, Number<'w>) -> Number<'w>) -> Self {
        Vector(std::array::from_fn(|axis| f(self.0[axis], other.0[axis])))
    }

    /// The scalar product with another, and a number more.
    pub(crate) fn dot_plus(self, other: Self, more: Number<'w>) -> Number<'w> {
        let products = self.0.into_iter().zip(other.0);
        products.fold(more, |sum, (a, b)| a.mul_add(b, sum))
    }

    /// The vector times a number, and another vector more.
    pub(crate) fn mul_add(self, factor: Number<'w>, more: Self) -> Self {
        self.zip(more, |a, b| a.mul_add(factor, b))
    }
}

impl Add for Vector<'_> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Vector<'_> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<'w> Mul<Number<'w>> for Vector<'w> {
    type Output = Self;

    fn mul(self, factor: Number<'w>) -> Self {
        Vector(self.0.map(|a| a * factor))
    }
}

/// A running sum of vectors, from zero on.
pub(crate) struct Sum<'w> {
    writer: &'w Writer,
    locals: [Local; 3],
}

impl<'w> Sum<'w> {
    /// Zero.
    pub(crate) fn new(writer: &'w Writer) -> Self {
        Sum { writer, locals: [(); 3].map(|()| writer.local(Type::F64)) }
    }

    /// Resets it to zero, for kernels that sum up several times.
    pub(crate) fn clear(&self) {
        let zero = self.writer.constant(0.0);
        self.locals.into_iter().for_each(|local| self.writer.set(local, zero.id));
    }

    /// The sum so far.
    pub(crate) fn value(&self) -> Vector<'w> {
        Vector(self.locals.map(|local| Number::new(self.writer, self.writer.read(local, Type::F64))))
    }

    /// Adds a vector times a number.
    pub(crate) fn add_times(&self, vector: Vector<'w>, factor: Number<'w>) {
        let value = vector.mul_add(factor, self.value());
        for (local, component) in self.locals.into_iter().zip(value.0) {
            self.writer.set(local, component.id);
        }
    }
}
