//! Doubles and rationals, as far as converting a model needs arithmetic.

use crate::model::{Number, Numbers};
use dashu_ratio::RBig;
use volvelle_space::{Ratios, RatiosBuilder, Values, ValuesBuilder};

/// A number of one arithmetic.
pub trait Weight: Clone + Sized {
    /// Gathers numbers.
    type Builder: Collect<Self> + Default;

    /// 0.
    fn zero() -> Self;

    /// 1.
    fn one() -> Self;

    /// The number at a position; intervals and expressions were refused before.
    fn of(numbers: &Numbers, position: usize) -> Self;

    /// All numbers, if none of them is 0; otherwise they are asked for one by one.
    fn all(numbers: &Numbers) -> Option<<Self::Builder as Collect<Self>>::Done>;

    /// Whether it is 0.
    fn is_zero(&self) -> bool;

    /// Adds another one.
    fn add(&mut self, other: &Self);

    /// The product.
    fn times(&self, other: &Self) -> Self;

    /// The nearest double.
    fn to_f64(&self) -> f64;
}

/// Numbers by position under construction.
pub trait Collect<W> {
    /// Numbers by position.
    type Done;

    /// Appends numbers.
    fn extend(&mut self, numbers: impl Iterator<Item = W>);

    /// The numbers.
    fn finish(self) -> Self::Done;
}

impl Weight for f64 {
    type Builder = ValuesBuilder;

    fn zero() -> Self {
        0.0
    }

    fn one() -> Self {
        1.0
    }

    #[inline]
    fn of(numbers: &Numbers, position: usize) -> Self {
        match numbers {
            Numbers::Double(values) => values[position],
            _ => numbers.get(position).to_f64().unwrap_or(0.0),
        }
    }

    fn all(numbers: &Numbers) -> Option<Values> {
        let Numbers::Double(values) = numbers else { return None };
        if values.contains(&0.0) {
            return None;
        }
        let mut builder = ValuesBuilder::new();
        builder.extend(values);
        Some(builder.finish())
    }

    fn is_zero(&self) -> bool {
        *self == 0.0
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn times(&self, other: &Self) -> Self {
        let product = self * other;
        // What is positive stays so.
        if product == 0.0 && *self != 0.0 && *other != 0.0 {
            f64::from_bits(1).copysign(product)
        } else {
            product
        }
    }

    fn to_f64(&self) -> f64 {
        *self
    }
}

impl Collect<f64> for ValuesBuilder {
    type Done = Values;

    fn extend(&mut self, numbers: impl Iterator<Item = f64>) {
        numbers.for_each(|number| self.push(number));
    }

    fn finish(self) -> Values {
        ValuesBuilder::finish(self)
    }
}

impl Weight for RBig {
    type Builder = RatiosBuilder;

    fn zero() -> Self {
        RBig::ZERO
    }

    fn one() -> Self {
        RBig::ONE
    }

    fn of(numbers: &Numbers, position: usize) -> Self {
        match numbers.get(position) {
            Number::Exact(value) => value.clone(),
            // Every finite double is a rational; others were refused before.
            number => number.to_f64().and_then(|value| RBig::try_from(value).ok()).unwrap_or(RBig::ZERO),
        }
    }

    fn all(numbers: &Numbers) -> Option<Ratios> {
        let Numbers::Exact(values) = numbers else { return None };
        (!values.distinct().contains(&RBig::ZERO)).then(|| values.clone())
    }

    fn is_zero(&self) -> bool {
        RBig::is_zero(self)
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn to_f64(&self) -> f64 {
        let nearest = RBig::to_f64(self).value();
        // What is positive stays so.
        let smallest = if *self > RBig::ZERO { f64::from_bits(1) } else { -f64::from_bits(1) };
        if nearest == 0.0 && !RBig::is_zero(self) { smallest } else { nearest }
    }
}

impl Collect<RBig> for RatiosBuilder {
    type Done = Ratios;

    fn extend(&mut self, numbers: impl Iterator<Item = RBig>) {
        numbers.for_each(|number| self.push(number));
    }

    fn finish(self) -> Ratios {
        RatiosBuilder::finish(self)
    }
}
