//! Orbits of two bodies, and what is conserved.

use crate::support::{cube, distance, ellipse, later, norm, plummer, processors};
use std::f64::consts::TAU;
use volvelle_control::Control;
use volvelle_nbody::{Bodies, Physics, Simulation};

#[test]
fn a_thousand_ellipses() {
    let bodies = ellipse(0.5, 0.25);
    let steps_per_period = 200.0;
    let physics = Physics::direct(0.0, TAU / steps_per_period);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let start = simulation.totals().unwrap();
    assert!((start.energy + 0.5 * 0.75 * 0.25).abs() < 1e-15);
    let mut worst = 0.0_f64;
    let mut worst_early = 0.0_f64;
    for period in 1..=1000 {
        simulation.advance(f64::from(period) * TAU, &Control::unlimited()).unwrap();
        // The error of a symplectic integrator changes along the orbit, and comes back.
        if period % 50 == 1 {
            for tenth in 1..10 {
                let time = (f64::from(period) + f64::from(tenth) / 10.0) * TAU;
                let mut copy =
                    Simulation::new(&processors(), &simulation.bodies().unwrap(), &physics).unwrap();
                copy.advance(time, &Control::unlimited()).unwrap();
                let error = (copy.totals().unwrap().energy / start.energy - 1.0).abs();
                worst = worst.max(error);
                if period == 1 {
                    worst_early = worst_early.max(error);
                }
            }
        }
    }
    let end = simulation.totals().unwrap();
    assert!(worst_early > 1e-5 && worst < 4e-3, "{worst_early} {worst}");
    assert!(worst < 1.5 * worst_early, "the error of the energy grows: {worst_early} to {worst}");
    let momentum = norm(&end.momentum);
    assert!(momentum < 1e-13, "{momentum}");
    let spin = (end.angular_momentum[2] / start.angular_momentum[2] - 1.0).abs();
    assert!(spin < 1e-12, "{spin}");
}

/// On a circle of radius 1, the steps of the leapfrog are `x[n + 1] - 2 x[n] + x[n - 1] = -h^2 x[n]`. If it
/// begins with the right speed, it turns by `2 asin(h / 2)` in each step, while the exact orbit turns by `h`.
#[test]
fn phases_run_ahead_as_theory_says() {
    let steps = 100_000;
    let step = TAU / 100.0;
    let turn = 2.0 * (0.5 * step).asin();
    let speed = turn.sin() / step;
    let mut bodies = ellipse(0.0, 0.5);
    bodies.velocities = vec![[0.0, -0.5 * speed, 0.0], [0.0, 0.5 * speed, 0.0]];
    let found = later(&processors(), &bodies, &Physics::direct(0.0, step), f64::from(steps) * step);
    let phase = f64::from(steps) * turn;
    assert!((phase / (f64::from(steps) * step) - 1.0 - step * step / 24.0).abs() < 1e-6);
    let expected = [0.5 * phase.cos(), 0.5 * phase.sin(), 0.0];
    let error = distance(&found.positions[1], &expected);
    assert!(error < 1e-6, "{error}");
}

/// The error after a time, for a step.
fn error(step: f64) -> f64 {
    let bodies = ellipse(0.3, 0.5);
    // After a whole period they are back.
    let found = later(&processors(), &bodies, &Physics::direct(0.0, step), TAU);
    distance(&found.positions[0], &bodies.positions[0])
}

#[test]
fn leapfrog_is_of_second_order() {
    let errors: Vec<f64> = [200.0, 400.0, 800.0, 1600.0].map(|n| error(TAU / n)).to_vec();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.05, "{order} of {errors:?}");
    }
}

#[test]
fn leapfrog_goes_back_where_it_came_from() {
    let bodies = cube(20, 3);
    let physics = Physics::direct(0.1, 1.0 / 64.0);
    let mut there = later(&processors(), &bodies, &physics, 2.0);
    there.velocities.iter_mut().flatten().for_each(|v| *v = -*v);
    let back = later(&processors(), &there, &physics, 4.0);
    for (found, expected) in back.positions.iter().zip(&bodies.positions) {
        assert!(distance(found, expected) < 1e-10);
    }
}

#[test]
fn momentum_is_conserved_to_rounding() {
    let bodies = cube(100, 4);
    let physics = Physics::direct(0.01, 0.01);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let before = simulation.totals().unwrap();
    simulation.advance(1.0, &Control::unlimited()).unwrap();
    let after = simulation.totals().unwrap();
    assert!(distance(&before.momentum, &after.momentum) < 1e-14);
    assert!(distance(&before.angular_momentum, &after.angular_momentum) < 1e-13);
    // The centre of mass moves on a line.
    let expected: [f64; 3] =
        std::array::from_fn(|k| before.centre_of_mass[k] + before.momentum[k] / before.mass);
    assert!(distance(&after.centre_of_mass, &expected) < 1e-14);
}

/// The radius around the origin with half of the bodies.
fn half_mass_radius(bodies: &Bodies) -> f64 {
    let mut radii: Vec<f64> = bodies.positions.iter().map(norm).collect();
    radii.sort_by(f64::total_cmp);
    radii[radii.len() / 2]
}

#[test]
fn a_plummer_sphere_stays_as_it_is() {
    let bodies = plummer(600, 12);
    let physics = Physics::direct(0.02, 1.0 / 128.0);
    let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
    let start = simulation.totals().unwrap();
    // A Plummer sphere of mass 1 and virial radius 1 has the energy -1/4, and half of its mass within 0.77.
    assert!((start.energy + 0.25).abs() < 0.02 && (start.virial_ratio - 0.5).abs() < 0.03, "{start:?}");
    assert!((half_mass_radius(&bodies) - 0.77).abs() < 0.06, "{}", half_mass_radius(&bodies));
    for time in [1.0, 2.0, 3.0] {
        simulation.advance(time, &Control::unlimited()).unwrap();
        let now = simulation.totals().unwrap();
        assert!((now.energy / start.energy - 1.0).abs() < 1e-4, "{now:?}");
        assert!((now.virial_ratio - 0.5).abs() < 0.04, "{now:?}");
        let radius = half_mass_radius(&simulation.bodies().unwrap());
        assert!((radius - 0.77).abs() < 0.08, "{radius} at {time}");
    }
}
