//! Bodies of one sphere, and their common centre of mass.

use super::model::Refused;
use crate::bodies::Bodies;
use volvelle_streams::Generator;
use volvelle_streams::plain::PlainStream;

/// Place and velocity.
pub type Orbit = ([f64; 3], [f64; 3]);

/// A distribution of bodies, in its own units, with the gravitational constant 1.
pub trait Sphere {
    /// The total mass of the drawn part, and its energy, which is negative.
    fn mass_and_energy(&self) -> [f64; 2];

    /// Draws a body.
    fn draw(&self, stream: &mut PlainStream) -> Orbit;
}

/// `count` bodies of a sphere in N-body units; the body `i` draws from the stream `first + i`. They have no ids yet.
pub fn sample(sphere: &dyn Sphere, count: u64, first: u64, seed: u64) -> Result<Bodies, Refused> {
    if count == 0 {
        return Err(Refused::new("count", "there must be a body"));
    }
    let mut bodies = Bodies::default();
    let many = usize::try_from(count).unwrap_or(usize::MAX);
    let memory =
        bodies.masses.try_reserve_exact(many).and_then(|()| bodies.positions.try_reserve_exact(many));
    if memory.and_then(|()| bodies.velocities.try_reserve_exact(many)).is_err() {
        return Err(Refused::new("count", format!("the memory does not hold {count} bodies")));
    }
    // The units are such that the mass is 1 and the energy -1/4.
    let [mass, energy] = sphere.mass_and_energy();
    let length = mass * mass / (-4.0 * energy);
    let speed = (mass / length).sqrt();
    for body in 0..count {
        let mut stream = PlainStream::new(Generator::Philox4x32, seed, first.wrapping_add(body));
        let (position, velocity) = sphere.draw(&mut stream);
        bodies.positions.push(position.map(|x| x / length));
        bodies.velocities.push(velocity.map(|v| v / speed));
    }
    bodies.masses.resize(many, 1.0 / count as f64);
    Ok(bodies)
}

/// Moves bodies so that their centre of mass is at rest in the origin.
pub fn centre(bodies: &mut Bodies) {
    let mass: f64 = bodies.masses.iter().sum();
    for vectors in [&mut bodies.positions, &mut bodies.velocities] {
        let mut mean = [0.0; 3];
        for (vector, m) in vectors.iter().zip(&bodies.masses) {
            (0..3).for_each(|k| mean[k] += m * vector[k]);
        }
        let mean = mean.map(|x| x / mass);
        vectors.iter_mut().for_each(|vector| (0..3).for_each(|k| vector[k] -= mean[k]));
    }
}
