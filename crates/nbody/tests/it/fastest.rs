//! Kernels that were written for one technology, against the one for all.

use crate::support::{accelerations, cube, devices, distance, norm, processors};
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_nbody::{Arithmetic, Bodies, Physics, Simulation, Trouble};
use volvelle_runtime::{Context, Executor};
use volvelle_technologies::testing::first_device;
use volvelle_technologies::{Cache, OpenCl};

fn fastest(softening: f64) -> Physics {
    Physics { arithmetic: Arithmetic::Fastest, ..Physics::direct(softening, 0.125) }
}

fn opencl() -> Option<Arc<dyn Executor>> {
    first_device(&OpenCl::new(Cache::none()))
}

fn found(context: &Arc<Context>, bodies: &Bodies, physics: &Physics) -> Vec<[f64; 3]> {
    Simulation::new(context, bodies, physics).unwrap().accelerations().unwrap()
}

#[test]
fn forces_are_as_accurate_as_documented() {
    let mut contexts = vec![processors(), Context::of(devices(3)).unwrap()];
    if let Some(device) = opencl() {
        let mut all = devices(2);
        all.push(device.clone());
        contexts.extend([Context::of(vec![device]).unwrap(), Context::of(all).unwrap()]);
    }
    for (count, softening) in [(1, 0.1), (2, 0.0), (33, 0.0), (64, 0.5), (300, 0.01)] {
        let bodies = cube(count, 21);
        let expected = accelerations(&bodies, softening);
        for context in &contexts {
            let found = found(context, &bodies, &fastest(softening));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(distance(found, expected) <= 1e-12 * norm(expected), "{found:?}, not {expected:?}");
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_devices_of_a_technology() {
    let bodies = cube(101, 22);
    let expected = found(&processors(), &bodies, &fastest(0.01));
    let threads = || devices(1).remove(0);
    let several = Context::of(vec![threads(), threads(), threads()]).unwrap();
    assert_eq!(found(&several, &bodies, &fastest(0.01)), expected);
}

#[test]
fn the_kernel_for_all_gives_opencl_the_bits_of_processors() {
    let Some(device) = opencl() else { return };
    let context = Context::of(vec![device]).unwrap();
    for softening in [0.0, 0.01] {
        let (bodies, physics) = (cube(90, 23), Physics::direct(softening, 0.125));
        assert_eq!(found(&context, &bodies, &physics), found(&processors(), &bodies, &physics));
    }
}

#[test]
fn bodies_at_the_same_place_are_found_by_all() {
    let mut bodies = cube(40, 24);
    // They meet after a step.
    bodies.positions[7] = [1.0, 0.0, 0.0];
    bodies.positions[31] = [-1.0, 0.0, 0.0];
    bodies.masses = vec![0.0; 40];
    bodies.velocities[7] = [-8.0, 0.0, 0.0];
    bodies.velocities[31] = [8.0, 0.0, 0.0];
    let mut contexts = vec![processors()];
    contexts.extend(opencl().map(|device| Context::of(vec![device]).unwrap()));
    for context in contexts {
        for physics in [fastest(0.0), Physics::direct(0.0, 0.125)] {
            let mut simulation = Simulation::new(&context, &bodies, &physics).unwrap();
            let found = simulation.advance(1.0, &Control::unlimited());
            assert_eq!(found, Err(Trouble::Coincident { first: 107, second: 131, time: 0.125 }));
        }
    }
}
