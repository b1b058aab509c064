//! Sums using a tree, against sums over all pairs.

use crate::devices::same_everywhere;
use crate::support::{accelerations, cube, distance, norm, plummer, processors};
use volvelle_control::Control;
use volvelle_nbody::{Bodies, Integrator, Physics, Simulation, Solver, Trouble};

fn physics(opening_angle: f64, quadrupole: bool, softening: f64) -> Physics {
    Physics { solver: Solver::Tree { opening_angle, quadrupole }, ..Physics::direct(softening, 0.01) }
}

/// The mean and the largest error of the accelerations, relative to their mean magnitude.
fn errors(bodies: &Bodies, expected: &[[f64; 3]], physics: &Physics) -> [f64; 2] {
    let found = Simulation::new(&processors(), bodies, physics).unwrap().accelerations().unwrap();
    let count = bodies.len() as f64;
    let mean = expected.iter().map(norm).sum::<f64>() / count;
    let errors: Vec<f64> = found.iter().zip(expected).map(|(a, b)| distance(a, b) / mean).collect();
    [errors.iter().sum::<f64>() / count, errors.into_iter().fold(0.0, f64::max)]
}

#[test]
fn a_tree_that_opens_all_cells_is_the_direct_sum() {
    for (count, softening) in [(0, 0.0), (1, 0.0), (2, 0.0), (9, 0.0), (200, 0.0), (200, 0.1)] {
        let bodies = cube(count, 41);
        let expected = accelerations(&bodies, softening);
        for quadrupole in [false, true] {
            let [_, worst] = errors(&bodies, &expected, &physics(0.0, quadrupole, softening));
            assert!(worst < 1e-12 || count == 0, "{count} bodies: {worst}");
        }
    }
}

/// L. Hernquist, *Performance characteristics of tree codes*, ApJS 64, 1987, finds errors of about one per cent at an opening angle of 1.
#[test]
fn errors_grow_with_the_angle_and_stay_below_published_ones() {
    let bodies = plummer(3000, 42);
    for softening in [0.0, 0.05] {
        let expected = accelerations(&bodies, softening);
        let angles = [0.2, 0.4, 0.6, 0.8, 1.0];
        let of = |quadrupole: bool| {
            angles.map(|angle| errors(&bodies, &expected, &physics(angle, quadrupole, softening))[0])
        };
        let (monopole, quadrupole) = (of(false), of(true));
        for errors in [monopole, quadrupole] {
            assert!(errors.windows(2).all(|pair| pair[0] < pair[1]), "{errors:?}");
        }
        for i in 0..angles.len() {
            assert!(quadrupole[i] < 0.7 * monopole[i], "{} {}", quadrupole[i], monopole[i]);
        }
        assert!(monopole[4] < 0.03 && monopole[2] < 0.01, "{monopole:?}");
        assert!(quadrupole[4] < 0.01 && quadrupole[2] < 0.002, "{quadrupole:?}");
    }
}

#[test]
fn trees_give_the_same_bits_everywhere() {
    for (count, quadrupole) in [(0, true), (1, false), (60, false), (60, true)] {
        let bodies = cube(count, 43);
        same_everywhere(|context| {
            let mut simulation = Simulation::new(context, &bodies, &physics(0.8, quadrupole, 0.0)).unwrap();
            simulation.advance(0.03, &Control::unlimited()).unwrap();
            simulation.bodies().unwrap()
        });
    }
}

#[test]
fn energy_is_nearly_conserved_with_a_tree() {
    let bodies = plummer(500, 44);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics(0.5, true, 0.05)).unwrap();
    let before = simulation.totals().unwrap();
    simulation.advance(1.0, &Control::unlimited()).unwrap();
    let after = simulation.totals().unwrap();
    let error = (after.energy - before.energy).abs() / before.energy.abs();
    assert!(error < 1e-3, "{error}");
    // A sphere in equilibrium stays one.
    assert!((before.virial_ratio - 0.5).abs() < 0.05 && (after.virial_ratio - 0.5).abs() < 0.05);
}

#[test]
fn bodies_in_one_leaf_at_the_same_place_are_told_of() {
    let mut bodies = cube(30, 45);
    bodies.positions[3] = [0.25, 0.0, 0.0];
    bodies.positions[4] = [-0.25, 0.0, 0.0];
    bodies.velocities[3] = [-16.0, 0.0, 0.0];
    bodies.velocities[4] = [16.0, 0.0, 0.0];
    bodies.masses = vec![0.0; 30];
    let integrator = Integrator::Leapfrog { step: 1.0 / 64.0 };
    let physics = Physics { integrator, ..physics(0.5, false, 0.0) };
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let found = simulation.advance(0.125, &Control::unlimited());
    assert_eq!(found, Err(Trouble::Coincident { first: 103, second: 104, time: 1.0 / 64.0 }));
}
