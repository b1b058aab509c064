//! The first steps of the Hermite integrator, where derivatives vanish: symmetric systems, bodies at rest, bodies alone.

use crate::support::{accelerations, cube, distance, later, norm, processors, unit};
use volvelle_control::Control;
use volvelle_nbody::{Bodies, Integrator, Physics, Simulation};
use volvelle_random::{Random, attack_cases};

fn physics(softening: f64, accuracy: f64) -> Physics {
    let integrator = Integrator::Hermite { accuracy, largest_step: 0.125, smallest_step: 2.0_f64.powi(-44) };
    Physics { integrator, ..Physics::direct(softening, 1.0) }
}

/// Bodies at a later time by the classical method of Runge and Kutta, with many steps.
fn slowly(bodies: &Bodies, softening: f64, until: f64, steps: u32) -> Bodies {
    let h = until / f64::from(steps);
    let mut at = bodies.clone();
    let moved = |from: &Bodies, v: &[[f64; 3]], a: &[[f64; 3]], h: f64| {
        let mut to = from.clone();
        for i in 0..from.len() {
            for k in 0..3 {
                to.positions[i][k] += h * v[i][k];
                to.velocities[i][k] += h * a[i][k];
            }
        }
        to
    };
    for _ in 0..steps {
        let rate = |b: &Bodies| (b.velocities.clone(), accelerations(b, softening));
        let one = rate(&at);
        let two = rate(&moved(&at, &one.0, &one.1, 0.5 * h));
        let three = rate(&moved(&at, &two.0, &two.1, 0.5 * h));
        let four = rate(&moved(&at, &three.0, &three.1, h));
        let mean = |a: &[[f64; 3]], b: &[[f64; 3]], c: &[[f64; 3]], d: &[[f64; 3]]| -> Vec<[f64; 3]> {
            let of = |i: usize, k: usize| (a[i][k] + 2.0 * (b[i][k] + c[i][k]) + d[i][k]) / 6.0;
            (0..a.len()).map(|i| std::array::from_fn(|k| of(i, k))).collect()
        };
        let (v, a) = (mean(&one.0, &two.0, &three.0, &four.0), mean(&one.1, &two.1, &three.1, &four.1));
        at = moved(&at, &v, &a, h);
    }
    Bodies { time: until, ..at }
}

/// The orbit of three equal bodies on one curve (A. Chenciner and R. Montgomery 2000): at the start, acceleration and snap of the one in the
/// middle are zero.
fn figure_eight() -> Bodies {
    let (x, v) = ([0.97000436, -0.24308753, 0.0], [0.466203685, 0.43236573, 0.0]);
    Bodies {
        time: 0.0,
        ids: vec![0, 1, 2],
        masses: vec![1.0; 3],
        positions: vec![x, x.map(|x| -x), [0.0; 3]],
        velocities: vec![v, v, v.map(|v| -2.0 * v)],
        ..Bodies::default()
    }
}

#[test]
fn accuracy_counts_from_the_first_step_on_where_snap_is_zero() {
    let drift = |accuracy: f64| {
        let mut simulation =
            Simulation::new(&processors(), &figure_eight(), &physics(0.0, accuracy)).unwrap();
        let before = simulation.totals().unwrap().energy;
        simulation.advance(6.32591398, &Control::unlimited()).unwrap();
        (simulation.totals().unwrap().energy / before - 1.0).abs()
    };
    let (coarse, fine) = (drift(0.01), drift(0.0001));
    assert!(coarse < 1e-6 && fine < 5e-11, "{coarse:e} {fine:e}");
}

/// A ring of equal bodies around one in the centre, in some direction; at rest, or on circles.
fn ring(random: &mut Random) -> Bodies {
    let count = 2 + random.below(5);
    let speed = [0.0, 0.7, 1.3][random.below(3)];
    let centre = [0.0, 0.5, 2.0][random.below(3)];
    let (a, b) = (std::f64::consts::TAU * unit(random), std::f64::consts::TAU * unit(random));
    let turned = |[x, y, z]: [f64; 3]| {
        let (x, y) = (x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos());
        [x, y * b.cos() - z * b.sin(), y * b.sin() + z * b.cos()]
    };
    let mut bodies = Bodies { ids: (0..=count as u64).collect(), ..Bodies::default() };
    for i in 0..count {
        let angle = std::f64::consts::TAU * i as f64 / count as f64;
        bodies.masses.push(0.2);
        bodies.positions.push(turned([angle.cos(), angle.sin(), 0.0]));
        bodies.velocities.push(turned([-speed * angle.sin(), speed * angle.cos(), 0.0]));
    }
    bodies.masses.push(centre);
    bodies.positions.push([0.0; 3]);
    bodies.velocities.push(if random.below(2) == 0 { [0.0; 3] } else { turned([0.0, 0.0, 0.5]) });
    bodies
}

#[test]
fn attack_starts_of_symmetric_systems() {
    for case in attack_cases(24) {
        let mut random = Random(900 + case);
        let bodies = ring(&mut random);
        let softening = [0.05, 0.3][random.below(2)];
        let until = 0.35;
        let expected = slowly(&bodies, softening, until, 1500);
        let found = later(&processors(), &bodies, &physics(softening, 1e-4), until);
        for (found, expected) in found.positions.iter().zip(&expected.positions) {
            let error = distance(found, expected);
            assert!(error < 1e-9, "case {case}: {error:e} {bodies:?}");
        }
    }
}

/// What is seen within the first step uses all derivatives up to the third: its error is of sixth order.
#[test]
fn the_first_step_knows_three_derivatives() {
    let mut bodies = cube(6, 77);
    bodies.velocities.iter_mut().flatten().for_each(|v| *v *= 5.0);
    let error = |until: f64| {
        let expected = slowly(&bodies, 0.5, until, 400);
        let found = later(&processors(), &bodies, &physics(0.5, 1e9), until);
        let errors = found.positions.iter().zip(&expected.positions).map(|(a, b)| distance(a, b));
        errors.fold(0.0, f64::max)
    };
    let (whole, half) = (error(0.12), error(0.06));
    let order = (whole / half).log2();
    assert!((5.6..6.6).contains(&order), "{order}: {whole:e} {half:e}");
}

#[test]
fn bodies_alone_move_on_lines() {
    let bodies = Bodies {
        ids: vec![3],
        masses: vec![2.0],
        positions: vec![[1.0, 2.0, 3.0]],
        velocities: vec![[0.5, -0.25, 4.0]],
        ..Bodies::default()
    };
    let found = later(&processors(), &bodies, &physics(0.0, 1e-4), 8.0);
    assert!(norm(&std::array::from_fn(|k| found.positions[0][k] - [5.0, 0.0, 35.0][k])) < 1e-12);
}
