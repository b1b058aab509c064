//! Conserved quantities: energy, momentum, angular momentum.

use crate::bodies::Bodies;

/// Sums over all bodies at one time. They are added in the order of the bodies, with compensation, so they
/// are the same on all devices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The time.
    pub time: f64,
    /// Mass.
    pub mass: f64,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, softened as the forces are.
    pub potential: f64,
    /// Their sum.
    pub energy: f64,
    /// Momentum.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin.
    pub angular_momentum: [f64; 3],
    /// Centre of mass; the origin if there is no mass.
    pub centre_of_mass: [f64; 3],
    /// Kinetic energy over the absolute value of the potential one: 1/2 in equilibrium without softening. 0 if both are 0.
    pub virial_ratio: f64,
}

impl Totals {
    /// The sums over bodies with these potentials (energy per mass).
    ///
    /// # Panics
    /// If the lists differ in length.
    pub fn of(bodies: &Bodies, potentials: &[f64]) -> Self {
        assert_eq!(potentials.len(), bodies.len(), "a potential for each body");
        let sum = |of: &dyn Fn(usize) -> f64| sum((0..bodies.len()).map(of));
        let (m, x, v) = (&bodies.masses, &bodies.positions, &bodies.velocities);
        let mass = sum(&|i| m[i]);
        let kinetic = sum(&|i| 0.5 * m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]));
        // Each pair is in the potentials of both.
        let potential = sum(&|i| 0.5 * m[i] * potentials[i]);
        let cross = |i: usize, a: usize| {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            m[i] * (x[i][b] * v[i][c] - x[i][c] * v[i][b])
        };
        let centre = [0, 1, 2].map(|a| sum(&|i| m[i] * x[i][a]) / mass);
        let ratio = kinetic / potential.abs();
        Totals {
            time: bodies.time,
            mass,
            kinetic,
            potential,
            energy: kinetic + potential,
            momentum: [0, 1, 2].map(|a| sum(&|i| m[i] * v[i][a])),
            angular_momentum: [0, 1, 2].map(|a| sum(&|i| cross(i, a))),
            centre_of_mass: if mass == 0.0 { [0.0; 3] } else { centre },
            virial_ratio: if ratio.is_nan() { 0.0 } else { ratio },
        }
    }
}

impl Totals {
    /// The first sum that is no finite number.
    pub fn beyond_doubles(&self) -> Option<&'static str> {
        let vector = |v: &[f64; 3]| v.iter().sum::<f64>();
        let sums = [
            ("mass", self.mass),
            ("kinetic energy", self.kinetic),
            ("potential energy", self.potential),
            ("energy", self.energy),
            ("momentum", vector(&self.momentum)),
            ("angular momentum", vector(&self.angular_momentum)),
            ("centre of mass", vector(&self.centre_of_mass)),
        ];
        sums.into_iter().find(|(_, sum)| !sum.is_finite()).map(|(what, _)| what)
    }
}

/// A sum with compensation (A. Neumaier, *Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen*, ZAMM 54, 1974).
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_lose_nothing() {
        assert_eq!(sum([1.0, 1e100, 1.0, -1e100].into_iter()), 2.0);
        assert_eq!(sum(std::iter::empty()), 0.0);
    }

    #[test]
    fn two_bodies() {
        let bodies = Bodies {
            time: 3.0,
            ids: vec![1, 2],
            masses: vec![1.0, 3.0],
            positions: vec![[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            velocities: vec![[0.0, 3.0, 0.0], [0.0, 0.0, 1.0]],
            ..Bodies::default()
        };
        let found = Totals::of(&bodies, &[-6.0, -2.0]);
        let expected = Totals {
            time: 3.0,
            mass: 4.0,
            kinetic: 6.0,
            potential: -6.0,
            energy: 0.0,
            momentum: [0.0, 3.0, 3.0],
            angular_momentum: [6.0, 0.0, 6.0],
            centre_of_mass: [0.5, 1.5, 0.0],
            virial_ratio: 1.0,
        };
        assert_eq!(found, expected);
        assert_eq!(Totals::of(&Bodies::default(), &[]), Totals::default());
    }
}
