//! Attraction using an octree, walked by kernels on every device.

use super::{function, same_everywhere};
use std::sync::Arc;
use volvelle_kernel::Type;
use volvelle_random::Random;
use volvelle_runtime::contents::{Field, Layout, Tree};
use volvelle_runtime::{Argument, Context, Database, Kernel};

/// The potential at each body. A distant node (its size is less than `angle` times the distance) counts as a
/// whole, any other by its contents.
const POTENTIAL: &str = "
    kernel potential(lane: u64, first: u64, angle: f64) {
        buffer position: read f64;
        buffer mass: read f64;
        buffer centre: read f64;
        buffer size: read f64;
        buffer children: read u32;
        buffer next: read u32;
        buffer bodies: read u32;
        buffer order: read u32;
        buffer out: write f64;
        local node: u64; local turn: u64; local i: u64; local child: u64; local body: u64;
        local x: f64; local y: f64; local z: f64; local distance: f64; local sum: f64; local is_leaf: bool;
        for turn in 0u64..len(next) {
            if node >= len(next) { break; }
            x = centre[node * 4u64] - position[lane * 3u64];
            y = centre[node * 4u64 + 1u64] - position[lane * 3u64 + 1u64];
            z = centre[node * 4u64 + 2u64] - position[lane * 3u64 + 2u64];
            distance = sqrt(x * x + y * y + z * z);
            if size[node] < angle * distance {
                sum = sum + centre[node * 4u64 + 3u64] / (distance + 0.01f64);
                node = next[node] as u64;
            } else {
                is_leaf = true;
                for child in 0u64..8u64 { if children[node * 8u64 + child] != 0u32 { is_leaf = false; } }
                if is_leaf {
                    for i in 0u64..(bodies[node * 2u64 + 1u64] as u64) {
                        body = order[(bodies[node * 2u64] as u64) + i] as u64;
                        x = position[body * 3u64] - position[lane * 3u64];
                        y = position[body * 3u64 + 1u64] - position[lane * 3u64 + 1u64];
                        z = position[body * 3u64 + 2u64] - position[lane * 3u64 + 2u64];
                        distance = sqrt(x * x + y * y + z * z);
                        sum = sum + mass[body] / (distance + 0.01f64);
                    }
                    node = next[node] as u64;
                } else {
                    node = node + 1u64;
                }
            }
        }
        out[lane - first] = sum;
    }";

fn bodies(count: usize) -> (Vec<[f64; 3]>, Vec<f64>) {
    let mut random = Random(31);
    let mut unit = || (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    ((0..count).map(|_| [unit(), unit(), unit()]).collect(), (0..count).map(|_| 1.0 + unit()).collect())
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] - b[i]).map(|d| d * d).sum::<f64>().sqrt()
}

pub fn run(context: &Arc<Context>, count: usize, angle: f64) -> Vec<u64> {
    let (positions, masses) = bodies(count);
    let mut database = Database::new(context);
    let position = database.synced_array("position", Layout::several(Type::F64, 3), count as u64).unwrap();
    let mass = database.synced_array("mass", Layout::of(Type::F64), count as u64).unwrap();
    let out = database.array("out", Layout::of(Type::F64), count as u64).unwrap();
    position.fill(positions.as_flattened()).unwrap();
    mass.fill(&masses).unwrap();
    let tree = database.octree("tree").unwrap();
    let mut kernel = Kernel::new(context, function(POTENTIAL)).unwrap();
    kernel.set("first", Argument::First).unwrap();
    kernel.set("angle", angle).unwrap();
    kernel.set("position", position.clone()).unwrap();
    kernel.set("mass", mass).unwrap();
    kernel.set("out", out.clone()).unwrap();
    for field in Field::ALL {
        kernel.set(field.name(), database.content(&format!("tree.{}", field.name())).unwrap()).unwrap();
    }
    // A small tree first: it grows without another argument being set.
    tree.set(&Tree::of(&positions[..1], &masses[..1], 1).unwrap()).unwrap();
    assert_eq!(kernel.start(count as u64, None), Ok(()));
    tree.set(&Tree::of(&positions, &masses, 3).unwrap()).unwrap();
    assert_eq!(kernel.start(count as u64, None), Ok(()));
    out.values::<f64>().unwrap().into_iter().map(f64::to_bits).collect()
}

#[test]
fn potentials_are_the_same_on_any_devices_and_near_the_direct_sum() {
    let count = 150;
    let (positions, masses) = bodies(count);
    let direct: Vec<f64> = positions
        .iter()
        .map(|&own| {
            positions.iter().zip(&masses).map(|(&other, mass)| mass / (distance(own, other) + 0.01)).sum()
        })
        .collect();
    // Where no node is far enough away, every leaf is opened.
    for (angle, error) in [(0.0, 1e-13), (0.5, 0.01)] {
        let found = same_everywhere(|context| run(context, count, angle));
        for (bits, direct) in found.into_iter().zip(&direct) {
            let found = f64::from_bits(bits);
            assert!((found / direct - 1.0).abs() <= error, "{found} instead of {direct}");
        }
    }
}
