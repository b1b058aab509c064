//! Numbers that change by a constant from one iteration of a loop to the next.
//!
//! Inside loops that are described by one iteration, a number is an affine form `base + Σ slope·k` over the iteration numbers
//! `k` of the loops around it, outermost first. A [`Nest`] has the range of each iteration number, and decides comparisons for all
//! iterations at once: a comparison that is true in some iterations and false in others is an error ([`Undecided`]), so that what
//! follows from the decisions holds in every iteration. The outermost range may be *open*: then a comparison limits it to the
//! iterations in which it has the outcome of the first.

/// Limit of nested loops.
pub const DEPTH: usize = 6;

/// Limit of iterations of a loop.
pub const MOST_ITERATIONS: i64 = 1 << 30;

/// A comparison does not have the same outcome in all iterations, or an operation gives no affine form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided;

/// An integer, or a truth value (0 or 1), that depends on iteration numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value in the first iteration of all loops.
    pub base: i64,
    /// Gain per iteration, by loop, outermost first.
    pub slopes: [i64; DEPTH],
    /// All slopes from this one on are zero.
    pub level: u8,
}

impl Value {
    /// A value that is the same in all iterations.
    pub const fn constant(base: i64) -> Self {
        Value { base, slopes: [0; DEPTH], level: 0 }
    }

    /// The value, if it is the same in all iterations.
    pub fn as_constant(&self) -> Option<i64> {
        (self.level == 0).then_some(self.base)
    }

    /// The same value with another slope in one loop.
    pub fn with_slope(mut self, depth: usize, slope: i64) -> Self {
        self.slopes[depth] = slope;
        self.levelled()
    }

    fn levelled(mut self) -> Self {
        self.level = (0..DEPTH).rev().find(|&d| self.slopes[d] != 0).map_or(0, |d| d as u8 + 1);
        self
    }

    fn combined(self, other: Self, f: impl Fn(i64, i64) -> Option<i64>) -> Result<Self, Undecided> {
        let mut result = Value::constant(f(self.base, other.base).ok_or(Undecided)?);
        let level = self.level.max(other.level);
        for d in 0..usize::from(level) {
            result.slopes[d] = f(self.slopes[d], other.slopes[d]).ok_or(Undecided)?;
        }
        if level == 0 {
            return Ok(result);
        }
        // Then no iteration exceeds 64 bits, since there are at most `MOST_ITERATIONS` per loop.
        let fits = |number: i64, bits: u32| number.unsigned_abs() >> bits == 0;
        if !fits(result.base, 60) || !result.slopes.iter().all(|&slope| fits(slope, 28)) {
            return Err(Undecided);
        }
        result.level = level;
        Ok(result.levelled())
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Result<Self, Undecided> {
        self.combined(other, i64::checked_add)
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Result<Self, Undecided> {
        self.combined(other, i64::checked_sub)
    }

    /// The product with a number.
    pub fn times(self, factor: i64) -> Result<Self, Undecided> {
        self.combined(Value::constant(0), |a, _| a.checked_mul(factor))
    }

    /// The value some iterations of one loop later, as a function of the same iteration numbers.
    pub fn after(self, depth: usize, iterations: i64) -> Result<Self, Undecided> {
        let gain = self.slopes[depth].checked_mul(iterations).ok_or(Undecided)?;
        let base = self.base.checked_add(gain).ok_or(Undecided)?;
        Ok(Value { base, ..self })
    }
}

/// The iteration numbers of the loops around a piece of a path.
#[derive(Clone, Debug)]
pub struct Nest {
    low: [i64; DEPTH],
    high: [i64; DEPTH],
    /// Whether the outermost range is open.
    is_open: bool,
    /// If the range is open: the last iteration of the outermost loop in which all comparisons so far agree
    /// with those of the first.
    pub limit: i64,
}

impl Nest {
    /// Outside of loops.
    pub fn none() -> Self {
        Nest { low: [0; DEPTH], high: [0; DEPTH], is_open: false, limit: MOST_ITERATIONS }
    }

    /// Inside one loop whose number of iterations is to be determined.
    pub fn open() -> Self {
        Nest { is_open: true, ..Nest::none() }
    }

    /// Sets the range of a loop's iteration number.
    pub fn set(&mut self, depth: usize, low: i64, high: i64) {
        (self.low[depth], self.high[depth]) = (low, high);
    }

    /// The least and the greatest value over the loops with known ranges.
    fn range(&self, value: &Value) -> (i128, i128) {
        let (mut least, mut greatest) = (i128::from(value.base), i128::from(value.base));
        for d in usize::from(self.is_open)..usize::from(value.level) {
            let slope = i128::from(value.slopes[d]);
            let ends = [slope * i128::from(self.low[d]), slope * i128::from(self.high[d])];
            least += ends[0].min(ends[1]);
            greatest += ends[0].max(ends[1]);
        }
        (least, greatest)
    }

    fn open_slope(&self, value: &Value) -> i128 {
        if self.is_open { i128::from(value.slopes[0]) } else { 0 }
    }

    fn keep_up_to(&mut self, last: i128) {
        self.limit = self.limit.min(i64::try_from(last).unwrap_or(MOST_ITERATIONS));
    }

    /// Whether a value is negative, in all iterations.
    pub fn is_negative(&mut self, value: &Value) -> Result<bool, Undecided> {
        let (least, greatest) = self.range(value);
        let slope = self.open_slope(value);
        if greatest < 0 {
            if slope > 0 {
                self.keep_up_to((-1 - greatest) / slope);
            }
            return Ok(true);
        }
        if least >= 0 {
            if slope < 0 {
                self.keep_up_to(least / -slope);
            }
            return Ok(false);
        }
        Err(Undecided)
    }

    /// Whether a value is zero, in all iterations.
    pub fn is_zero(&mut self, value: &Value) -> Result<bool, Undecided> {
        let (least, greatest) = self.range(value);
        let slope = self.open_slope(value);
        if least == 0 && greatest == 0 {
            if slope != 0 {
                self.keep_up_to(0);
            }
            return Ok(true);
        }
        if greatest < 0 {
            if slope > 0 {
                self.keep_up_to((-1 - greatest) / slope);
            }
            return Ok(false);
        }
        if least > 0 {
            if slope < 0 {
                self.keep_up_to((least - 1) / -slope);
            }
            return Ok(false);
        }
        Err(Undecided)
    }

    /// Whether `a < b`, in all iterations.
    pub fn is_less(&mut self, a: &Value, b: &Value) -> Result<bool, Undecided> {
        if a.level == 0 && b.level == 0 {
            return Ok(a.base < b.base);
        }
        self.is_negative(&a.minus(*b)?)
    }

    /// Whether `a = b`, in all iterations.
    pub fn are_equal(&mut self, a: &Value, b: &Value) -> Result<bool, Undecided> {
        if a.level == 0 && b.level == 0 {
            return Ok(a.base == b.base);
        }
        self.is_zero(&a.minus(*b)?)
    }
}
