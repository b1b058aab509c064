//! Systems of bodies, contexts, and a slow and obvious second opinion.

use std::num::NonZeroUsize;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_nbody::{Bodies, Physics, Simulation};
use volvelle_random::Random;
use volvelle_runtime::{Context, Executor, Technology};
use volvelle_technologies::{Interpreter, Threads};

/// A number from 0 to 1.
pub fn unit(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Bodies in a unit cube, with small velocities.
pub fn cube(count: usize, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let mut vector = |scale: f64| [(); 3].map(|()| (unit(&mut random) - 0.5) * scale);
    Bodies {
        time: 0.0,
        ids: (0..count as u64).map(|i| 100 + i).collect(),
        positions: (0..count).map(|_| vector(1.0)).collect(),
        velocities: (0..count).map(|_| vector(0.1)).collect(),
        masses: (0..count).map(|i| (1.0 + (i % 3) as f64) / count as f64).collect(),
        ..Bodies::default()
    }
}

/// Two bodies of total mass 1 on an ellipse with the semi-major axis 1 (so the period is 2 pi), at their apocentre, around the origin.
pub fn ellipse(eccentricity: f64, share: f64) -> Bodies {
    let (distance, speed) = (1.0 + eccentricity, ((1.0 - eccentricity) / (1.0 + eccentricity)).sqrt());
    let masses = vec![1.0 - share, share];
    Bodies {
        time: 0.0,
        ids: vec![0, 1],
        positions: vec![[-share * distance, 0.0, 0.0], [(1.0 - share) * distance, 0.0, 0.0]],
        velocities: vec![[0.0, -share * speed, 0.0], [0.0, (1.0 - share) * speed, 0.0]],
        masses,
        ..Bodies::default()
    }
}

/// `count` devices, of two technologies in turn.
pub fn devices(count: usize) -> Vec<Arc<dyn Executor>> {
    let technologies: [Arc<dyn Technology>; 2] =
        [Arc::new(Threads::new(NonZeroUsize::new(2).unwrap())), Arc::new(Interpreter)];
    (0..count).map(|i| technologies[i % 2].open(0).unwrap()).collect()
}

/// A context of the processors.
pub fn processors() -> Arc<Context> {
    Context::of(devices(1)).unwrap()
}

/// Bodies at a later time.
pub fn later(context: &Arc<Context>, bodies: &Bodies, physics: &Physics, until: f64) -> Bodies {
    let mut simulation = Simulation::new(context, bodies, physics).unwrap();
    simulation.advance(until, &Control::unlimited()).unwrap();
    simulation.bodies().unwrap()
}

/// Accelerations, by the formula.
pub fn accelerations(bodies: &Bodies, softening: f64) -> Vec<[f64; 3]> {
    let pull = |i: usize| {
        let mut sum = [0.0; 3];
        for j in (0..bodies.len()).filter(|&j| j != i) {
            let d: [f64; 3] = std::array::from_fn(|k| bodies.positions[j][k] - bodies.positions[i][k]);
            let square: f64 = d.iter().map(|d| d * d).sum::<f64>() + softening * softening;
            (0..3).for_each(|k| sum[k] += bodies.masses[j] * d[k] / square.powf(1.5));
        }
        sum
    };
    (0..bodies.len()).map(pull).collect()
}

/// Potentials, by the formula.
pub fn potentials(bodies: &Bodies, softening: f64) -> Vec<f64> {
    let well = |i: usize| -> f64 {
        let others = (0..bodies.len()).filter(|&j| j != i);
        let depth = |j: usize| {
            let d = (0..3).map(|k| bodies.positions[j][k] - bodies.positions[i][k]);
            bodies.masses[j] / (d.map(|d| d * d).sum::<f64>() + softening * softening).sqrt()
        };
        -others.map(depth).sum::<f64>()
    };
    (0..bodies.len()).map(well).collect()
}

pub fn norm(vector: &[f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    norm(&std::array::from_fn(|k| a[k] - b[k]))
}

/// A Plummer sphere in equilibrium, of mass 1 and virial radius 1 (S. J. Aarseth, M. Hénon and R. Wielen, *A comparison of numerical methods for
/// the study of star cluster dynamics*, 1974), with its centre of mass at rest in the origin.
pub fn plummer(count: usize, seed: u64) -> Bodies {
    let mut random = Random(seed);
    let direction = |length: f64, random: &mut Random| {
        let z = 2.0 * unit(random) - 1.0;
        let (around, across) = (std::f64::consts::TAU * unit(random), (1.0 - z * z).sqrt());
        [length * across * around.cos(), length * across * around.sin(), length * z]
    };
    // The virial radius is 16 / (3 pi) scale lengths.
    let scale = 3.0 * std::f64::consts::PI / 16.0;
    let mut bodies = Bodies { ids: (0..count as u64).collect(), ..Bodies::default() };
    for _ in 0..count {
        // Without the outermost thousandth of the mass.
        let radius = ((0.999 * unit(&mut random)).max(1e-10).powf(-2.0 / 3.0) - 1.0).powf(-0.5);
        let share = loop {
            let (q, g) = (unit(&mut random), 0.1 * unit(&mut random));
            if g < q * q * (1.0 - q * q).powf(3.5) {
                break q;
            }
        };
        let speed = share * 2.0_f64.sqrt() * (1.0 + radius * radius).powf(-0.25);
        bodies.masses.push(1.0 / count as f64);
        bodies.positions.push(direction(radius * scale, &mut random));
        bodies.velocities.push(direction(speed / scale.sqrt(), &mut random));
    }
    for vectors in [&mut bodies.positions, &mut bodies.velocities] {
        let mean: [f64; 3] =
            std::array::from_fn(|k| vectors.iter().map(|v| v[k]).sum::<f64>() / count as f64);
        vectors.iter_mut().for_each(|v| (0..3).for_each(|k| v[k] -= mean[k]));
    }
    bodies
}
