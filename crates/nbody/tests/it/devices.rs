//! The same bits on any devices and ranks.

use crate::support::{accelerations, cube, devices, distance, later, norm, potentials, processors};
use std::sync::Arc;
use volvelle_nbody::{Bodies, Physics, Simulation, Totals};
use volvelle_runtime::Context;
use volvelle_runtime::network::{Network, ThreadsAsRanks};

/// Devices of each rank: alone, several, several ranks, more than there are bodies.
const SHAPES: [&[usize]; 7] = [&[1], &[2], &[3], &[1, 1], &[2, 1], &[1, 3, 2], &[9, 8]];

/// Runs a job on contexts of all shapes, and compares the results of all ranks with the first.
pub fn same_everywhere<T: PartialEq + std::fmt::Debug + Send>(job: impl Fn(&Arc<Context>) -> T + Sync) -> T {
    let expected = job(&processors());
    // The interpreter alone.
    assert_eq!(job(&Context::of(devices(2).split_off(1)).unwrap()), expected, "interpreter");
    for shape in SHAPES {
        let found = ThreadsAsRanks::run(shape.len(), |network: Arc<dyn Network>| {
            job(&Context::among(devices(shape[network.rank()]), network).unwrap())
        });
        for found in found {
            assert_eq!(found, expected, "{shape:?}");
        }
    }
    expected
}

#[test]
fn leapfrog_is_the_same_on_any_devices() {
    for (count, softening) in [(1, 0.0), (2, 0.1), (17, 0.0), (40, 0.05)] {
        let bodies = cube(count, 5);
        same_everywhere(|context| -> (Bodies, Totals) {
            let mut simulation =
                Simulation::new(context, &bodies, &Physics::direct(softening, 0.01)).unwrap();
            simulation.advance(0.045, &volvelle_control::Control::unlimited()).unwrap();
            (simulation.bodies().unwrap(), simulation.totals().unwrap())
        });
    }
}

#[test]
fn nothing_at_all_moves() {
    let nothing = Bodies { time: 1.0, ..Bodies::default() };
    let found = same_everywhere(|context| later(context, &nothing, &Physics::direct(0.0, 0.1), 2.0));
    assert_eq!(found, Bodies { time: 2.0, ..nothing });
}

#[test]
fn accelerations_and_potentials_are_those_of_the_formula() {
    for (count, softening) in [(2, 0.0), (33, 0.0), (150, 0.0), (150, 0.02), (64, 3.0)] {
        let bodies = cube(count, 8);
        let mut simulation =
            Simulation::new(&processors(), &bodies, &Physics::direct(softening, 0.01)).unwrap();
        let found = simulation.accelerations().unwrap();
        for (found, expected) in found.iter().zip(&accelerations(&bodies, softening)) {
            assert!(distance(found, expected) <= 1e-12 * norm(expected), "{found:?}, not {expected:?}");
        }
        let expected = Totals::of(&bodies, &potentials(&bodies, softening));
        let found = simulation.totals().unwrap();
        assert!((found.energy - expected.energy).abs() <= 1e-13 * expected.potential.abs());
        assert_eq!(
            Totals { potential: 0.0, energy: 0.0, virial_ratio: 0.0, ..found },
            Totals { potential: 0.0, energy: 0.0, virial_ratio: 0.0, ..expected }
        );
    }
}

/// A leapfrog in plain Rust, with the accelerations of the formula.
fn plain_leapfrog(bodies: &Bodies, softening: f64, step: f64, steps: usize) -> Bodies {
    let mut bodies = bodies.clone();
    for _ in 0..steps {
        for half in 0..2 {
            let a = accelerations(&bodies, softening);
            let drift = if half == 0 { step } else { 0.0 };
            for (i, a) in a.iter().enumerate() {
                for (k, a) in a.iter().enumerate() {
                    bodies.velocities[i][k] += a * 0.5 * step;
                    bodies.positions[i][k] += bodies.velocities[i][k] * drift;
                }
            }
        }
    }
    bodies
}

#[test]
fn leapfrog_moves_as_a_plain_one() {
    let bodies = cube(30, 11);
    let expected = plain_leapfrog(&bodies, 0.1, 0.02, 25);
    let found = later(&processors(), &bodies, &Physics::direct(0.1, 0.02), 0.5);
    for i in 0..bodies.len() {
        assert!(distance(&found.positions[i], &expected.positions[i]) < 1e-12);
        assert!(distance(&found.velocities[i], &expected.velocities[i]) < 1e-12);
    }
    assert!((found.time - 0.5).abs() == 0.0 && found.ids == bodies.ids && found.masses == bodies.masses);
}
