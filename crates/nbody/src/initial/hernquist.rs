//! Hernquist's sphere (1990) with isotropic velocities. Mass and scale length are 1.

use super::arithmetic::arc_sine;
use super::draw::{by_rejection, direction, share};
use super::sphere::{Orbit, Sphere};
use volvelle_streams::plain::PlainStream;

/// The fraction of the mass that is drawn. Beyond 200 scale lengths nothing is drawn: otherwise the radius of
/// the outermost of N bodies would grow as N.
const DRAWN: f64 = 0.99;

pub struct Hernquist;

impl Sphere for Hernquist {
    /// The energy is that of the whole sphere: the part left out has less than 2 10^-4 of it.
    fn mass_and_energy(&self) -> [f64; 2] {
        [DRAWN, -1.0 / 12.0]
    }

    fn draw(&self, stream: &mut PlainStream) -> Orbit {
        // The mass inside the radius r is r^2 / (1 + r)^2, and the potential -1 / (1 + r).
        let root = (DRAWN * share(stream)).sqrt();
        let depth = 1.0 - root;
        let radius = root / depth;
        let density = |q: f64| speed_density(depth, q);
        let speed = by_rejection(stream, largest(density), density);
        (direction(stream, radius), direction(stream, speed * (2.0 * depth).sqrt()))
    }
}

/// Density of the speed, as a share of the escape speed, where the potential is `-depth`; up to a factor.
fn speed_density(depth: f64, share: f64) -> f64 {
    share * share * phase_space_density(depth * (1.0 - share * share))
}

/// The density in phase space of bodies with a binding energy, up to a factor (Hernquist's equation 17).
fn phase_space_density(binding: f64) -> f64 {
    let (square, rest) = (binding, 1.0 - binding);
    let q = square.sqrt();
    let bracket = 3.0 * arc_sine(q)
        + q * rest.sqrt() * (1.0 - 2.0 * square) * (8.0 * square * square - 8.0 * square - 3.0);
    // All that is left of small energies is rounding.
    (bracket / (rest * rest * rest.sqrt())).max(0.0)
}

/// An upper bound of a function with a single maximum between 0 and 1: its largest value found by golden
/// sections, plus 1 per cent.
fn largest(function: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (0.0, 1.0);
    let (mut a, mut b) = (1.0 - SECTION, SECTION);
    let (mut at_a, mut at_b) = (function(a), function(b));
    // The value depends little on the place near a maximum: the place is accurate to 2 per cent even at 0.01.
    for _ in 0..20 {
        if at_a < at_b {
            (low, a, at_a) = (a, b, at_b);
            b = low + SECTION * (high - low);
            at_b = function(b);
        } else {
            (high, b, at_b) = (b, a, at_a);
            a = high - SECTION * (high - low);
            at_a = function(a);
        }
    }
    1.01 * at_a.max(at_b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_is_above_the_density_of_speeds_at_all_radii() {
        for exponent in -60..=25 {
            let radius = 10.0_f64.powf(f64::from(exponent) / 10.0);
            let depth = 1.0 / (1.0 + radius);
            let bound = largest(|q| speed_density(depth, q));
            let values = (0..20_000).map(|i| speed_density(depth, f64::from(i) / 20_000.0));
            let most = values.fold(0.0, f64::max);
            assert!(most <= bound, "{radius}: {most} > {bound}");
        }
    }

    #[test]
    fn speeds_are_those_of_the_equation_of_jeans() {
        // Hernquist's equation 10: the dispersion in one direction.
        for radius in [0.01_f64, 0.1, 1.0, 10.0, 100.0] {
            let depth = 1.0 / (1.0 + radius);
            let (mut sum, mut squares) = (0.0, 0.0);
            for i in 0..100_000 {
                let q = (f64::from(i) + 0.5) / 100_000.0;
                let density = speed_density(depth, q);
                sum += density;
                squares += density * q * q * 2.0 * depth;
            }
            let outer = 12.0 * radius * (1.0 + radius).powi(3) * ((1.0 + radius) / radius).ln();
            let inner = radius / (1.0 + radius)
                * (25.0 + 52.0 * radius + 42.0 * radius * radius + 12.0 * radius * radius * radius);
            let dispersion = (outer - inner) / 12.0;
            assert!((squares / sum / 3.0 / dispersion - 1.0).abs() < 1e-3, "{radius}");
        }
    }
}
