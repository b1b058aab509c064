//! A homogeneous sphere of radius and mass 1 that collapses.

use super::arithmetic::power;
use super::draw::{direction, normal, share};
use super::model::Refused;
use super::sphere::{Orbit, Sphere};
use volvelle_streams::plain::PlainStream;

pub struct Collapse {
    virial_ratio: f64,
}

/// The absolute value of the potential energy.
const POTENTIAL: f64 = 3.0 / 5.0;

impl Collapse {
    pub fn new(virial_ratio: f64) -> Result<Collapse, Refused> {
        match (0.0..1.0).contains(&virial_ratio) {
            true => Ok(Collapse { virial_ratio }),
            false => Err(Refused::new("virial_ratio", format!("{virial_ratio} is not from 0 to below 1"))),
        }
    }
}

impl Sphere for Collapse {
    fn mass_and_energy(&self) -> [f64; 2] {
        [1.0, -POTENTIAL * (1.0 - self.virial_ratio)]
    }

    fn draw(&self, stream: &mut PlainStream) -> Orbit {
        let radius = power(share(stream), 1.0 / 3.0);
        let position = direction(stream, radius);
        if self.virial_ratio == 0.0 {
            return (position, [0.0; 3]);
        }
        let dispersion = (2.0 * self.virial_ratio * POTENTIAL / 3.0).sqrt();
        (position, normal(stream).map(|v| v * dispersion))
    }
}
