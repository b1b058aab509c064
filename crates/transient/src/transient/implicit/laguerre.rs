//! Laguerre polynomials on `[0, LONGEST]`: values accurate to nearly all digits, variations, integrals of moduli.
//!
//! The sum of the series of an implicit step has these polynomials as its coefficients, and the bounds of its error their
//! variations (see the parent module).

/// The highest degree.
pub const HIGHEST: usize = 48;

/// The largest argument.
pub const LONGEST: f64 = 8.0;

/// Tabulated arguments.
const PLACES: usize = 256;

/// Arguments at which polynomials are evaluated, between two that are tabulated.
const FINE: usize = 16;

/// A sum of two doubles, the second far below the first: some 106 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twofold {
    /// Leading part.
    pub high: f64,
    /// What rounding left out of it.
    pub low: f64,
}

impl Twofold {
    /// A double.
    pub fn of(value: f64) -> Self {
        Twofold { high: value, low: 0.0 }
    }

    /// `a + b` (Knuth).
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let back = high - a;
        Twofold { high, low: (a - (high - back)) + (b - back) }
    }

    /// The sum of two.
    pub fn plus(self, other: Twofold) -> Self {
        let Twofold { high, low } = Twofold::sum(self.high, other.high);
        Twofold::sum(high, low + (self.low + other.low))
    }

    /// The product with a double.
    pub fn times(self, factor: f64) -> Self {
        let high = self.high * factor;
        let low = self.high.mul_add(factor, -high) + self.low * factor;
        Twofold::sum(high, low)
    }

    /// The product of two.
    pub fn product(self, other: Twofold) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + (self.high * other.low + self.low * other.high);
        Twofold::sum(high, low)
    }

    /// The quotient by a double.
    pub fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        let rest = (-high).mul_add(divisor, self.high) + self.low;
        Twofold::sum(high, rest / divisor)
    }

    /// The quotient of two.
    pub fn divided(self, other: Twofold) -> Self {
        let high = self.high / other.high;
        let rest = self.plus(other.times(-high));
        Twofold::sum(high, rest.value() / other.high)
    }

    /// The nearest double.
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

/// `L_0(x), …, L_HIGHEST(x)` for `0 <= x <= LONGEST`.
///
/// The recurrence loses at most a factor `exp(2 sqrt(k x)) < 1e17` (the solution of the same recurrence without
/// cancellation), and is evaluated with 106 bits.
pub fn values(x: Twofold) -> [f64; HIGHEST + 1] {
    let mut values = [1.0; HIGHEST + 1];
    let (mut before, mut now) = (Twofold::of(0.0), Twofold::of(1.0));
    for k in 0..HIGHEST {
        let factor = Twofold::of((2 * k + 1) as f64).plus(x.times(-1.0));
        let next = factor.product(now).plus(before.times(-(k as f64))).over((k + 1) as f64);
        (before, now) = (now, next);
        values[k + 1] = now.value();
    }
    values
}

/// Upper bounds of variations and integrals.
#[derive(Debug)]
pub struct Table {
    /// By degree and place: the total variation of `L_k` on `[0, x]`.
    variation: Vec<[f64; HIGHEST + 1]>,
    /// The integral of `|L_k|` on `[0, x]`.
    area: Vec<[f64; HIGHEST + 1]>,
}

impl Table {
    /// Tabulates both. Between two zeros of its derivative a polynomial varies by the difference of its values; where
    /// the derivative changes sign within a cell, its moduli at both ends, times the cell's length, bound what that
    /// misses, as cells are short against the distances of zeros. The integral is the variation of the antiderivative
    /// `L_k - L_(k+1)`, whose derivative is `L_k`; the derivative of `L_k` is `-(L_0 + … + L_(k-1))`.
    pub fn new() -> Self {
        let length = LONGEST / (PLACES * FINE) as f64;
        let mut table = Table {
            variation: vec![[0.0; HIGHEST + 1]; PLACES + 1],
            area: vec![[0.0; HIGHEST + 1]; PLACES + 1],
        };
        let (mut variation, mut area) = ([0.0; HIGHEST + 1], [0.0; HIGHEST + 1]);
        let mut left = doubles(0.0);
        for cell in 1..=PLACES * FINE {
            let right = doubles(cell as f64 * length);
            let (mut slope_left, mut slope_right) = (0.0, 0.0);
            for k in 0..=HIGHEST {
                let step = |turns: bool, a: f64, b: f64, change: f64| {
                    change.abs() + if turns { length * (a.abs() + b.abs()) } else { 0.0 }
                };
                let turns = slope_left * slope_right <= 0.0 && k > 0;
                variation[k] += step(turns, slope_left, slope_right, right[k] - left[k]);
                let change = (right[k] - right[k + 1]) - (left[k] - left[k + 1]);
                area[k] += step(left[k] * right[k] <= 0.0, left[k], right[k], change);
                slope_left -= left[k];
                slope_right -= right[k];
            }
            if cell % FINE == 0 {
                // Far above what rounding can have cost.
                table.variation[cell / FINE] = variation.map(|v| v * (1.0 + 1e-9));
                table.area[cell / FINE] = area.map(|v| v * (1.0 + 1e-9));
            }
            left = right;
        }
        table
    }

    /// A bound of the variation of `L_degree` on `[0, x]`.
    pub fn variation(&self, degree: usize, x: f64) -> f64 {
        self.variation[place(x)][degree]
    }

    /// A bound of the integral of `|L_degree|` on `[0, x]`.
    pub fn area(&self, degree: usize, x: f64) -> f64 {
        self.area[place(x)][degree]
    }
}

/// The first tabulated argument that is not below `x`.
fn place(x: f64) -> usize {
    ((x * (PLACES as f64 / LONGEST) * (1.0 + 1e-12)).ceil() as usize).min(PLACES)
}

/// The recurrence in doubles, good to some ten digits.
fn doubles(x: f64) -> [f64; HIGHEST + 2] {
    let mut values = [1.0; HIGHEST + 2];
    values[1] = 1.0 - x;
    for k in 1..=HIGHEST {
        let n = k as f64;
        values[k + 1] = ((2.0 * n + 1.0 - x) * values[k] - n * values[k - 1]) / (n + 1.0);
    }
    values
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use volvelle_reference::exact;

    use super::*;

    fn exactly(x: f64) -> Vec<RBig> {
        let x = exact(x);
        let mut values = vec![exact(1.0), exact(1.0) - &x];
        for k in 1..HIGHEST {
            let n = exact(k as f64);
            let next =
                ((exact(2.0) * &n + exact(1.0) - &x) * &values[k] - &n * &values[k - 1]) / (n + exact(1.0));
            values.push(next);
        }
        values
    }

    #[test]
    fn values_have_all_digits() {
        for x in [0.0, 0.3, 1.7, 5.0, 7.999] {
            for (k, (found, truth)) in values(Twofold::of(x)).into_iter().zip(exactly(x)).enumerate() {
                let error = (exact(found) - &truth).to_f64().value().abs();
                assert!(error <= 2e-16 * found.abs() + 1e-15, "L_{k}({x}): {error:e}");
            }
        }
    }

    #[test]
    fn the_table_counts_every_turn() {
        // Orthogonal polynomials are a Sturm sequence: as many zeros of L_k lie in (0, x) as signs change in
        // L_0(x), …, L_k(x). As many changes of sign are found between tabulated arguments, so none is missed.
        let length = LONGEST / (PLACES * FINE) as f64;
        let cells: Vec<_> = (0..=PLACES * FINE).map(|c| doubles(c as f64 * length)).collect();
        let slopes = |values: &[f64], k: usize| -> f64 { values[..k].iter().sum() };
        let turns = |all: &mut dyn Iterator<Item = f64>| {
            let signs: Vec<bool> = all.filter(|&v| v != 0.0).map(|v| v > 0.0).collect();
            signs.windows(2).filter(|w| w[0] != w[1]).count()
        };
        let last = &cells[PLACES * FINE];
        for k in 1..=HIGHEST {
            let zeros = last[..=k].windows(2).filter(|w| w[0] * w[1] < 0.0).count();
            let found = turns(&mut cells.iter().map(|values| values[k]));
            assert_eq!(zeros, found, "L_{k}");
            // The derivatives belong to another weight, and are a Sturm sequence as well.
            let sums: Vec<f64> = (1..=k).map(|k| slopes(last, k)).collect();
            let zeros = sums.windows(2).filter(|w| w[0] * w[1] < 0.0).count();
            let found = turns(&mut cells.iter().map(|values| slopes(values, k)));
            assert_eq!(zeros, found, "the derivative of L_{k}");
        }
    }

    #[test]
    fn variations_and_areas_are_bounds() {
        let table = Table::new();
        for degree in [0, 1, 2, 7, 20, HIGHEST] {
            for x in [0.1, 1.0, 4.0, LONGEST] {
                // Sums over a mesh of another width stay below both by little.
                let mesh = 3001;
                let at: Vec<f64> = (0..=mesh).map(|i| doubles(x * i as f64 / mesh as f64)[degree]).collect();
                let variation: f64 = at.windows(2).map(|w| (w[1] - w[0]).abs()).sum();
                let area: f64 = at.windows(2).map(|w| 0.5 * (w[0].abs() + w[1].abs())).sum();
                let area = area * x / mesh as f64;
                let bounds = [(table.variation(degree, x), variation), (table.area(degree, x), area)];
                for (bound, sum) in bounds {
                    assert!(bound >= sum * (1.0 - 1e-5), "{degree} {x}: {bound} {sum}");
                    assert!(bound <= sum * 1.4 + 0.1, "{degree} {x}: {bound} {sum}");
                }
            }
        }
    }
}
