//! The Plummer sphere, as S. J. Aarseth, M. Hénon and R. Wielen (1974) draw it. Mass and scale length are 1.

use super::arithmetic::power;
use super::draw::{by_rejection, direction, share};
use super::sphere::{Orbit, Sphere};
use std::f64::consts::PI;
use volvelle_streams::plain::PlainStream;

/// The fraction of the mass that is drawn. Beyond 39 scale lengths nothing is drawn, since single distant
/// bodies widen every tree.
const DRAWN: f64 = 0.999;

pub struct Plummer;

impl Sphere for Plummer {
    /// The energy is that of the whole sphere: the part left out has less than 10^-4 of it.
    fn mass_and_energy(&self) -> [f64; 2] {
        [DRAWN, -3.0 * PI / 64.0]
    }

    fn draw(&self, stream: &mut PlainStream) -> Orbit {
        // The mass inside the radius r is (1 + r^-2)^(-3/2).
        let inside = DRAWN * share(stream);
        let radius = 1.0 / (power(inside, -2.0 / 3.0) - 1.0).sqrt();
        // The density of the speed, as a share q of the escape speed, is proportional to q^2 (1 - q^2)^(7/2), at most 0.0925.
        let speed = by_rejection(stream, 0.1, |q| {
            let rest = 1.0 - q * q;
            q * q * rest * rest * rest * rest.sqrt()
        });
        let escape = (2.0 / (1.0 + radius * radius).sqrt()).sqrt();
        (direction(stream, radius), direction(stream, speed * escape))
    }
}
