//! The Hermite integrator with block steps.

use crate::devices::same_everywhere;
use crate::support::{cube, distance, ellipse, later, norm, plummer, processors};
use std::f64::consts::TAU;
use volvelle_control::{Cancel, Control, Stop};
use volvelle_nbody::{Bodies, Integrator, Physics, Simulation, Trouble};

fn physics(softening: f64, accuracy: f64, largest_step: f64) -> Physics {
    let smallest_step = 2.0_f64.powi(-40);
    let integrator = Integrator::Hermite { accuracy, largest_step, smallest_step };
    Physics { integrator, ..Physics::direct(softening, 1.0) }
}

/// With the same step for all, which the criterion never asks to be shorter.
#[test]
fn hermite_is_of_fourth_order() {
    let bodies = ellipse(0.3, 0.5);
    let end = 6.25;
    let exact = later(&processors(), &bodies, &physics(0.0, 1e30, 1.0 / 4096.0), end);
    let errors: Vec<f64> = [64.0, 128.0, 256.0, 512.0]
        .iter()
        .map(|steps| {
            let found = later(&processors(), &bodies, &physics(0.0, 1e30, 1.0 / steps), end);
            distance(&found.positions[0], &exact.positions[0])
        })
        .collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 4.0).abs() < 0.3, "{order} of {errors:?}");
    }
}

#[test]
fn an_eccentric_orbit_comes_back() {
    let bodies = ellipse(0.9, 0.25);
    let simulate = |accuracy: f64| {
        let mut simulation = Simulation::new(&processors(), &bodies, &physics(0.0, accuracy, 0.125)).unwrap();
        let before = simulation.totals().unwrap();
        let advanced = simulation.advance(10.0 * TAU, &Control::unlimited()).unwrap();
        let (after, found) = (simulation.totals().unwrap(), simulation.bodies().unwrap());
        assert_eq!(found.time, 10.0 * TAU);
        let energy = (after.energy / before.energy - 1.0).abs();
        (energy, distance(&found.positions[1], &bodies.positions[1]), advanced.steps)
    };
    let (coarse, _, few) = simulate(0.02);
    let (fine, way, many) = simulate(0.0002);
    // Ten times as many steps, with errors of fourth order.
    assert!((5..20).contains(&(many / few)), "{few} {many}");
    assert!(coarse < 1e-3 && fine < 1e-3 * coarse, "{coarse} {fine}");
    assert!(way < 1e-4, "{way}");
}

#[test]
fn a_cluster_conserves_energy_with_steps_of_its_own_for_each_body() {
    let bodies = plummer(128, 51);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics(0.01, 0.01, 0.0625)).unwrap();
    let before = simulation.totals().unwrap();
    assert!((before.energy + 0.25).abs() < 0.05 && (before.virial_ratio - 0.5).abs() < 0.06, "{before:?}");
    let advanced = simulation.advance(1.0, &Control::unlimited()).unwrap();
    let after = simulation.totals().unwrap();
    let error = (after.energy / before.energy - 1.0).abs();
    assert!(error < 1e-6, "{error}");
    assert!(norm(&after.momentum) < 1e-7, "{:?}", after.momentum);
    // Blocks are a part of all bodies on average.
    let share = advanced.forces as f64 / advanced.steps as f64 / 128.0;
    assert!(share < 0.7, "{share}");
}

#[test]
fn orbits_do_not_depend_on_outputs() {
    let bodies = plummer(40, 52);
    let physics = physics(0.05, 0.02, 0.125);
    let expected = later(&processors(), &bodies, &physics, 1.0);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    for until in [0.01, 0.1, 0.3, 0.77, 1.0] {
        simulation.advance(until, &Control::unlimited()).unwrap();
        assert_eq!(simulation.time(), until);
    }
    assert_eq!(simulation.bodies().unwrap(), expected);
    // Between steps as well, bodies are where they would be.
    let between = later(&processors(), &bodies, &physics, 0.3);
    let fine = Physics { integrator: Integrator::Leapfrog { step: 0.3 / 4096.0 }, ..physics };
    let direct = later(&processors(), &bodies, &fine, 0.3);
    for (found, expected) in between.positions.iter().zip(&direct.positions) {
        assert!(distance(found, expected) < 1e-5, "{found:?} {expected:?}");
    }
}

#[test]
fn block_steps_give_the_same_bits_everywhere() {
    for (count, softening) in [(0, 0.0), (1, 0.0), (12, 0.0)] {
        let bodies = cube(count, 53);
        same_everywhere(|context| later(context, &bodies, &physics(softening, 0.05, 0.125), 0.125));
    }
}

#[test]
fn bodies_at_rest_begin_to_fall() {
    let mut bodies = cube(10, 54);
    bodies.velocities = vec![[0.0; 3]; 10];
    let found = later(&processors(), &bodies, &physics(0.1, 0.01, 1.0), 0.25);
    let fine = Physics::direct(0.1, 0.25 / 1024.0);
    let expected = later(&processors(), &bodies, &fine, 0.25);
    for (found, expected) in found.positions.iter().zip(&expected.positions) {
        assert!(distance(found, expected) < 1e-5, "{found:?} {expected:?}");
    }
}

#[test]
fn steps_that_are_too_large_are_told_of() {
    let bodies = ellipse(0.999, 0.5);
    let integrator = Integrator::Hermite { accuracy: 0.01, largest_step: 0.125, smallest_step: 0.01 };
    let physics = Physics { integrator, ..Physics::direct(0.0, 1.0) };
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let found = simulation.advance(TAU, &Control::unlimited());
    let Err(Trouble::StepTooLarge { body: 0, time, step, enough }) = found else { panic!("{found:?}") };
    assert!(step == 1.0 / 128.0 && enough < step && time > 1.0 && time < TAU, "{time} {step} {enough}");
    assert_eq!(simulation.bodies().unwrap().time, time);
}

#[test]
fn bodies_that_meet_are_told_of() {
    let bodies = Bodies {
        ids: vec![7, 8],
        masses: vec![0.0, 0.0],
        positions: vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        velocities: vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
        ..Bodies::default()
    };
    let mut simulation = Simulation::new(&processors(), &bodies, &physics(0.0, 0.01, 0.5)).unwrap();
    let found = simulation.advance(3.0, &Control::unlimited());
    assert_eq!(found, Err(Trouble::Coincident { first: 7, second: 8, time: 1.0 }));
}

#[test]
fn a_run_that_is_stopped_goes_on() {
    let bodies = plummer(20, 55);
    let physics = physics(0.05, 0.02, 0.125);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = simulation.advance(0.5, &Control { cancel: &cancel, ..Control::unlimited() }).unwrap();
    assert_eq!((stopped.time, stopped.steps, stopped.stopped), (0.0, 0, Some(Stop::Cancelled)));
    simulation.advance(0.5, &Control::unlimited()).unwrap();
    assert_eq!(simulation.bodies().unwrap(), later(&processors(), &bodies, &physics, 0.5));
}
