//! Bodies that attract each other: positions are synchronised, masses and velocities are not.

use super::{function, same_everywhere};
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_random::Random;
use volvelle_runtime::configuration::{Configuration, Distribution};
use volvelle_runtime::contents::Layout;
use volvelle_runtime::{Argument, Context, Database, Kernel};

/// Velocities after a step, from the attraction of all others (Plummer's softening).
const KICK: &str = "
    kernel kick(lane: u64, first: u64, step: f64, softening: f64) {
        buffer position: read f64;
        buffer velocity: write f64;
        local j: u64; local k: u64; local own: u64;
        local x: f64; local y: f64; local z: f64; local square: f64; local pull: f64;
        local ax: f64; local ay: f64; local az: f64;
        own = lane * 4u64;
        for j in 0u64..len(position) >> 2u64 {
            k = j * 4u64;
            x = position[k] - position[own];
            y = position[k + 1u64] - position[own + 1u64];
            z = position[k + 2u64] - position[own + 2u64];
            square = x * x + y * y + z * z + softening * softening;
            pull = position[k + 3u64] / (square * sqrt(square));
            ax = ax + x * pull; ay = ay + y * pull; az = az + z * pull;
        }
        own = (lane - first) * 3u64;
        velocity[own] = velocity[own] + ax * step;
        velocity[own + 1u64] = velocity[own + 1u64] + ay * step;
        velocity[own + 2u64] = velocity[own + 2u64] + az * step;
    }";

/// Positions after a step.
const DRIFT: &str = "
    kernel drift(lane: u64, first: u64, step: f64) {
        buffer position: write f64;
        buffer velocity: read f64;
        local i: u64;
        for i in 0u64..3u64 {
            position[lane * 4u64 + i] = position[lane * 4u64 + i] + velocity[(lane - first) * 3u64 + i] * step;
        }
    }";

/// Positions and masses, side by side.
fn bodies(count: usize) -> Vec<[f64; 4]> {
    let mut random = Random(9);
    let mut unit = || (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    (0..count).map(|_| [unit(), unit(), unit(), unit()]).collect()
}

/// The same, slowly and obviously.
fn simulated(count: usize, steps: usize) -> Vec<f64> {
    let mut position = bodies(count);
    let mut velocity = vec![[0.0; 3]; count];
    for _ in 0..steps {
        for (own, velocity) in position.iter().zip(&mut velocity) {
            let mut a = [0.0; 3];
            for other in &position {
                let d = [other[0] - own[0], other[1] - own[1], other[2] - own[2]];
                let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.1 * 0.1;
                let pull = other[3] / (square * square.sqrt());
                (0..3).for_each(|i| a[i] += d[i] * pull);
            }
            (0..3).for_each(|i| velocity[i] += a[i] * 0.01);
        }
        for (position, velocity) in position.iter_mut().zip(&velocity) {
            (0..3).for_each(|i| position[i] += velocity[i] * 0.01);
        }
    }
    position.into_iter().flatten().collect()
}

pub fn run(
    context: &Arc<Context>,
    count: usize,
    steps: usize,
    distribution: Option<&Distribution>,
) -> Vec<u64> {
    let mut database = Database::new(context);
    let position = database.synced_array("position", Layout::several(Type::F64, 4), count as u64).unwrap();
    let velocity = database.array("velocity", Layout::several(Type::F64, 3), count as u64).unwrap();
    position.fill(bodies(count).as_flattened()).unwrap();
    let mut kick = Kernel::new(context, function(KICK)).unwrap();
    kick.set("first", Argument::First).unwrap();
    kick.set("step", 0.01).unwrap();
    kick.set(2, 0.1).unwrap();
    kick.set("position", position.clone()).unwrap();
    kick.set(4, velocity.clone()).unwrap();
    let mut drift = Kernel::new(context, function(DRIFT)).unwrap();
    drift.set("first", Argument::Start(velocity.clone())).unwrap();
    drift.set("step", 0.01).unwrap();
    drift.set("position", position.clone()).unwrap();
    drift.set("velocity", velocity).unwrap();
    for _ in 0..steps {
        assert_eq!(kick.start(count as u64, distribution), Ok(()));
        assert_eq!(drift.start(count as u64, distribution), Ok(()));
        position.synchronize().unwrap();
    }
    position.values::<f64>().unwrap().into_iter().map(f64::to_bits).collect()
}

#[test]
fn orbits_are_the_same_on_any_devices() {
    for count in [1, 2, 15, 40] {
        let found = same_everywhere(|context| run(context, count, 4, None));
        let expected: Vec<u64> = simulated(count, 4).into_iter().map(f64::to_bits).collect();
        assert_eq!(found, expected, "{count} bodies");
    }
}

#[test]
fn orbits_are_the_same_however_launches_are_cut() {
    let text = "[distribution.small]\nCPU = { size = 3, block = 2 }\ninterpreter.size = 1\n\
                [distribution.large]\nthreads = { size = 1000, block = 1000 }\n";
    let (configuration, found) = Configuration::read(volvelle_diagnostics::FileId(0), text);
    assert_eq!(found, []);
    let expected = same_everywhere(|context| run(context, 20, 2, None));
    for name in ["small", "large"] {
        let found = same_everywhere(|context| run(context, 20, 2, Some(&configuration.distributions[name])));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn nothing_at_all() {
    assert!(same_everywhere(|context| run(context, 0, 2, None)).is_empty());
}
