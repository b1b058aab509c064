//! Bounds of values: which numbers an expression can take, from the ranges of the variables.
//!
//! Computed with every expression as it is lowered, and used to leave out checks that cannot fail and to
//! decide comparisons that have one answer. Both ends are doubles: integers of PRISM have 32 bits, so they
//! are exact; rounding to nearest is monotone, so the ends of a sum, product or quotient of doubles are the
//! rounded sums, products, quotients of ends. `None` stands for *unknown*, and for values that may be NaN.

/// All values lie in `lo..=hi` and none is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest possible value.
    pub lo: f64,
    /// Largest possible value.
    pub hi: f64,
}

/// The integers of PRISM.
pub const INT: Bounds = Bounds { lo: i32::MIN as f64, hi: i32::MAX as f64 };

impl Bounds {
    /// One value.
    pub fn point(value: f64) -> Option<Self> {
        Self::of([value])
    }

    /// The hull of some values; nothing if one is NaN.
    pub fn of<const N: usize>(values: [f64; N]) -> Option<Self> {
        let mut bounds = Bounds { lo: f64::INFINITY, hi: f64::NEG_INFINITY };
        for value in values {
            if value.is_nan() {
                return None;
            }
            bounds = Bounds { lo: bounds.lo.min(value), hi: bounds.hi.max(value) };
        }
        Some(bounds)
    }

    /// Whether all values are integers of PRISM, if they are integers.
    pub fn fits_int(self) -> bool {
        INT.lo <= self.lo && self.hi <= INT.hi
    }

    /// Whether zero is among them.
    pub fn has_zero(self) -> bool {
        self.lo <= 0.0 && 0.0 <= self.hi
    }

    /// Values of either.
    pub fn hull(self, other: Bounds) -> Bounds {
        Bounds { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// `-x`
    pub fn negated(self) -> Bounds {
        Bounds { lo: -self.hi, hi: -self.lo }
    }

    /// `x + y`
    pub fn plus(self, other: Bounds) -> Option<Bounds> {
        self.corners(other, |x, y| x + y)
    }

    /// `x - y`
    pub fn minus(self, other: Bounds) -> Option<Bounds> {
        self.corners(other, |x, y| x - y)
    }

    /// `x * y`; unknown where zero can meet infinity.
    pub fn times(self, other: Bounds) -> Option<Bounds> {
        let undefined = |a: Bounds, b: Bounds| a.has_zero() && (b.lo.is_infinite() || b.hi.is_infinite());
        if undefined(self, other) || undefined(other, self) {
            return None;
        }
        self.corners(other, |x, y| x * y)
    }

    /// `x / y`; unknown where the divisor can be zero.
    pub fn divided(self, other: Bounds) -> Option<Bounds> {
        if other.has_zero() { None } else { self.corners(other, |x, y| x / y) }
    }

    /// The smaller of two.
    pub fn min(self, other: Bounds) -> Bounds {
        Bounds { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// The larger of two.
    pub fn max(self, other: Bounds) -> Bounds {
        Bounds { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    /// `f(x)` for a monotone `f`.
    pub fn monotone(self, f: impl Fn(f64) -> f64) -> Option<Bounds> {
        Bounds::of([f(self.lo), f(self.hi)])
    }

    /// Values of an operation that fails beyond the integers of PRISM.
    pub fn checked_int(self) -> Bounds {
        let (lo, hi) = (self.lo.max(INT.lo), self.hi.min(INT.hi));
        if lo <= hi { Bounds { lo, hi } } else { INT }
    }

    fn corners(self, other: Bounds, f: impl Fn(f64, f64) -> f64) -> Option<Bounds> {
        Bounds::of([f(self.lo, other.lo), f(self.lo, other.hi), f(self.hi, other.lo), f(self.hi, other.hi)])
    }
}

/// Whether `x < y` always (`Some(true)`), never (`Some(false)`) or sometimes.
pub fn less(x: Bounds, y: Bounds) -> Option<bool> {
    if x.hi < y.lo {
        Some(true)
    } else if x.lo >= y.hi {
        Some(false)
    } else {
        None
    }
}

/// Whether `x = y` always, never or sometimes.
pub fn equal(x: Bounds, y: Bounds) -> Option<bool> {
    if x.hi < y.lo || y.hi < x.lo {
        Some(false)
    } else if x.lo == x.hi && y.lo == y.hi {
        Some(x.lo == y.lo)
    } else {
        None
    }
}
