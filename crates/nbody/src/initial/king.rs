//! King's model (1966). The unit of length is the core radius of King, that of speed the velocity parameter; 4 pi G times the central density is 9.

use super::arithmetic::{e_to, power};
use super::draw::{by_rejection, direction, share};
use super::model::Refused;
use super::sphere::{Orbit, Sphere};
use volvelle_streams::plain::PlainStream;

/// A shell of the solution of Poisson's equation.
#[derive(Clone, Copy, Debug)]
struct Shell {
    radius: f64,
    /// Depth below the potential at the edge.
    depth: f64,
    /// Integral of the density, by that at the centre, times the square of the radius.
    inside: f64,
    /// Integral of `inside` by the radius over `inside`.
    binding: f64,
}

/// The solution, from the centre to the edge.
pub struct King {
    shells: Vec<Shell>,
}

/// The logarithm to the base 10 of edge divided by core radius, for the model with a given central depth.
///
/// # Errors
/// The depth is not from 0.1 to 16.
pub fn concentration(w0: f64) -> Result<f64, Refused> {
    Ok(King::new(w0)?.edge().radius.log10())
}

/// Steps by which the logarithm of the radius grows by 1.
const STEPS: f64 = 256.0;

impl King {
    /// The model with a central depth.
    pub fn new(w0: f64) -> Result<King, Refused> {
        if !(0.1..=16.0).contains(&w0) {
            return Err(Refused::new("w0", format!("{w0} is not from 0.1 to 16")));
        }
        let central = density(w0);
        // Derivatives by the logarithm of the radius.
        let slope = |radius: f64, [depth, inside, _]: [f64; 3]| {
            let shell = density(depth) / central * radius * radius * radius;
            [-9.0 * inside / radius, shell, shell * inside / radius]
        };
        // Near the centre the density is constant.
        let first = 1.0 / 4096.0;
        let cube = first * first * first;
        let mut state = [w0 - 1.5 * first * first, cube / 3.0, cube * first * first / 15.0];
        let mut shells = vec![Shell { radius: 0.0, depth: w0, inside: 0.0, binding: 0.0 }];
        let (mut radius, step) = (first, 1.0 / STEPS);
        let (half, whole) = (e_to(step / 2.0), e_to(step));
        while state[0] > 0.0 {
            shells.push(Shell { radius, depth: state[0], inside: state[1], binding: state[2] });
            let along = |slope: [f64; 3], step: f64| std::array::from_fn(|k| state[k] + step * slope[k]);
            let a = slope(radius, state);
            let b = slope(radius * half, along(a, step / 2.0));
            let c = slope(radius * half, along(b, step / 2.0));
            let d = slope(radius * whole, along(c, step));
            (0..3).for_each(|k| state[k] += step / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
            radius *= whole;
        }
        // Outside of the edge the potential is that of a point.
        let [depth, inside, binding] = state;
        let edge = 1.0 / (1.0 / radius - depth / (9.0 * inside));
        shells.push(Shell { radius: edge, depth: 0.0, inside, binding });
        Ok(King { shells })
    }

    fn edge(&self) -> Shell {
        self.shells.last().copied().unwrap_or(Shell { radius: 0.0, depth: 0.0, inside: 0.0, binding: 0.0 })
    }

    /// Radius and depth that enclose a share of the mass.
    fn at(&self, share: f64) -> [f64; 2] {
        let inside = share * self.edge().inside;
        let next = self.shells.partition_point(|shell| shell.inside < inside).clamp(1, self.shells.len() - 1);
        let (inner, outer) = (self.shells[next - 1], self.shells[next]);
        // Between two shells the density is constant.
        let part = ((inside - inner.inside) / (outer.inside - inner.inside)).clamp(0.0, 1.0);
        let cube = |x: f64| x * x * x;
        let cubed = cube(inner.radius) + part * (cube(outer.radius) - cube(inner.radius));
        let radius = if cubed > 0.0 { power(cubed, 1.0 / 3.0) } else { 0.0 };
        let part = ((radius - inner.radius) / (outer.radius - inner.radius)).clamp(0.0, 1.0);
        [radius, inner.depth + part * (outer.depth - inner.depth)]
    }
}

impl Sphere for King {
    fn mass_and_energy(&self) -> [f64; 2] {
        // Half of the potential energy, as it is in equilibrium.
        let edge = self.edge();
        [9.0 * edge.inside, -40.5 * edge.binding]
    }

    fn draw(&self, stream: &mut PlainStream) -> Orbit {
        let [radius, depth] = self.at(share(stream));
        // The density of the speed, as a share q of the escape speed, is proportional to q^2 (e^(W (1 - q^2)) - 1). Bounds of it: since
        // e^x - 1 <= x e^x, and where W >= 1 the maximum of the first summand.
        let bound = 0.25 * depth * e_to(depth);
        let bound = if depth > 1.0 { bound.min(e_to(depth - 1.0) / depth) } else { bound };
        let speed = match depth > 1e-12 {
            true => by_rejection(stream, bound, |q| q * q * (e_to(depth * (1.0 - q * q)) - 1.0)),
            false => 0.0,
        };
        (direction(stream, radius), direction(stream, speed * (2.0 * depth).sqrt()))
    }
}

/// The density at the depth `w`, up to a factor: e^w erf(sqrt w) - sqrt(4 w / pi) (1 + 2 w / 3). The series
/// of its first summand avoids the cancellation.
fn density(w: f64) -> f64 {
    if w <= 0.0 {
        return 0.0;
    }
    // The term of w^(n + 1/2) is 2^n / (2n + 1)!!; the subtracted terms are the first two.
    let mut term = w * w * w.sqrt() * 4.0 / 15.0;
    let mut sum = term;
    let mut n = 2.0;
    while term > sum * 1e-17 {
        n += 1.0;
        term *= 2.0 * w / (2.0 * n + 1.0);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concentrations_are_those_of_the_literature() {
        // J. Binney and S. Tremaine, Galactic Dynamics, figure 4.10, and King's table.
        for (w0, expected) in [(3.0, 0.672), (6.0, 1.255), (9.0, 2.120)] {
            assert!((concentration(w0).unwrap() - expected).abs() < 0.0015, "{w0}: {:?}", concentration(w0));
        }
    }

    #[test]
    fn density_is_that_of_the_integral_over_speeds() {
        for w in [0.01, 0.5, 3.0, 9.0] {
            // 4 pi v^2 (e^(w - v^2/2) - 1) / (2 pi)^(3/2), by the rule of midpoints.
            let (steps, most) = (100_000, (2.0_f64 * w).sqrt());
            let width = most / f64::from(steps);
            let sum: f64 = (0..steps)
                .map(|i| (f64::from(i) + 0.5) * width)
                .map(|v| v * v * ((w - v * v / 2.0).exp() - 1.0) * width)
                .sum();
            let expected = sum * (2.0 / std::f64::consts::PI).sqrt();
            let found = density(w) * 2.0 / std::f64::consts::PI.sqrt();
            assert!((found / expected - 1.0).abs() < 1e-6, "{w}: {found} {expected}");
        }
    }
}
