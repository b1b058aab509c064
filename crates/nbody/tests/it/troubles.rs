//! What ends a simulation, and what stops it.

use crate::support::{cube, devices, processors};
use std::sync::Arc;
use volvelle_control::{Cancel, Control, Stop};
use volvelle_nbody::{Bodies, Integrator, Physics, Simulation, Solver, Trouble};
use volvelle_runtime::Context;
use volvelle_runtime::network::{Network, ThreadsAsRanks};
use volvelle_runtime::testing::{Faults, Faulty};

fn started(bodies: &Bodies, physics: &Physics) -> Result<(), Trouble> {
    Simulation::new(&processors(), bodies, physics).map(|_| ())
}

#[test]
fn bodies_that_do_not_fit_together() {
    let good = cube(5, 1);
    let physics = Physics::direct(0.0, 0.1);
    assert_eq!(started(&good, &physics), Ok(()));
    let bad = Bodies { ids: vec![1, 2, 3, 4, 2], ..good.clone() };
    assert_eq!(started(&bad, &physics), Err(Trouble::Bodies("two bodies have the id 2".to_owned())));
    let bad = Bodies { positions: good.positions[..4].to_vec(), ..good.clone() };
    assert_eq!(
        started(&bad, &physics),
        Err(Trouble::Bodies("there are 5 masses, but 4 positions".to_owned()))
    );
    let mut bad = good.clone();
    bad.masses[3] = -1.0;
    assert_eq!(started(&bad, &physics), Err(Trouble::Bodies("body 103 has the negative mass -1".to_owned())));
    let mut bad = good.clone();
    bad.velocities[2][1] = f64::NAN;
    assert_eq!(started(&bad, &physics), Err(Trouble::NotANumber { body: 102, time: 0.0 }));
    let mut bad = good.clone();
    bad.positions[4] = bad.positions[1];
    let coincident = Trouble::Coincident { first: 101, second: 104, time: 0.0 };
    assert_eq!(started(&bad, &physics), Err(coincident));
    // Softened, they do not harm each other.
    let softened = Physics::direct(0.1, 0.1);
    assert_eq!(started(&bad, &softened), Ok(()));
    let mut simulation = Simulation::new(&processors(), &bad, &softened).unwrap();
    simulation.advance(0.1, &Control::unlimited()).unwrap();
}

#[test]
fn physics_out_of_range() {
    let bodies = cube(3, 1);
    for softening in [-1.0, f64::NAN, f64::INFINITY, 1e-200] {
        assert!(matches!(started(&bodies, &Physics::direct(softening, 0.1)), Err(Trouble::Physics(_))));
    }
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(started(&bodies, &Physics::direct(0.0, step)), Err(Trouble::Physics(_))));
    }
    let tree = Solver::Tree { opening_angle: 1.5, quadrupole: true };
    assert!(matches!(
        started(&bodies, &Physics { solver: tree, ..Physics::direct(0.0, 0.1) }),
        Err(Trouble::Physics(_))
    ));
    let hermite = Integrator::Hermite { accuracy: 0.01, largest_step: 0.1, smallest_step: 0.2 };
    assert!(matches!(
        started(&bodies, &Physics { integrator: hermite, ..Physics::direct(0.0, 0.1) }),
        Err(Trouble::Physics(_))
    ));
    let mut simulation = Simulation::new(&processors(), &bodies, &Physics::direct(0.0, 0.1)).unwrap();
    for until in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(simulation.advance(until, &Control::unlimited()), Err(Trouble::Physics(_))));
    }
}

/// Two bodies that meet at the origin after a step of 1, and a third one far away.
fn collision() -> Bodies {
    Bodies {
        time: 0.0,
        ids: vec![7, 8, 9],
        masses: vec![0.0, 0.0, 1.0],
        positions: vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1e100, 0.0]],
        velocities: vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0; 3]],
        ..Bodies::default()
    }
}

#[test]
fn bodies_that_meet_later_are_told_of_on_all_ranks() {
    let found = ThreadsAsRanks::run(3, |network: Arc<dyn Network>| {
        let context = Context::among(devices(1), network).unwrap();
        let mut simulation = Simulation::new(&context, &collision(), &Physics::direct(0.0, 1.0)).unwrap();
        simulation.advance(3.0, &Control::unlimited())
    });
    for found in found {
        assert_eq!(found, Err(Trouble::Coincident { first: 7, second: 8, time: 1.0 }));
    }
}

#[test]
fn bodies_that_leave_all_bounds() {
    let mut bodies = cube(4, 2);
    bodies.velocities[2] = [1e308; 3];
    let mut simulation = Simulation::new(&processors(), &bodies, &Physics::direct(0.1, 1.0)).unwrap();
    let found = simulation.advance(10.0, &Control::unlimited());
    assert!(matches!(found, Err(Trouble::NotANumber { .. })), "{found:?}");
}

#[test]
fn sums_beyond_the_range_of_doubles() {
    let totals = |bodies: &Bodies, softening| {
        Simulation::new(&processors(), bodies, &Physics::direct(softening, 0.1)).unwrap().totals()
    };
    let overflow = |what| Err(Trouble::Overflow { what, time: 0.0 });
    let mut heavy = cube(4, 2);
    heavy.masses.fill(1e200);
    assert_eq!(totals(&heavy, 0.1), overflow("potential energy"));
    let mut quick = cube(4, 2);
    quick.velocities[1] = [1e160, 0.0, 0.0];
    assert_eq!(totals(&quick, 0.1), overflow("kinetic energy"));
    let mut whole = cube(4, 2);
    whole.masses.fill(1e308);
    assert_eq!(totals(&whole, 0.1), overflow("mass"));
}

#[test]
fn a_simulation_that_is_stopped_goes_on_later() {
    let bodies = cube(9, 6);
    let physics = Physics::direct(0.1, 0.125);
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = Control { cancel: &cancel, ..Control::unlimited() };
    // Only one rank is asked to stop, but all stop.
    let found = ThreadsAsRanks::run(2, |network: Arc<dyn Network>| {
        let control = if network.rank() == 1 { cancelled } else { Control::unlimited() };
        let context = Context::among(devices(1), network).unwrap();
        let mut simulation = Simulation::new(&context, &bodies, &physics).unwrap();
        let first = simulation.advance(1.0, &control).unwrap();
        assert_eq!((first.time, first.steps, first.stopped), (0.0, 0, Some(Stop::Cancelled)));
        let second = simulation.advance(1.0, &Control::unlimited()).unwrap();
        assert_eq!((second.time, second.steps, second.stopped), (1.0, 8, None));
        simulation.bodies().unwrap()
    });
    assert_eq!(found[0], crate::support::later(&processors(), &bodies, &physics, 1.0));
    assert_eq!(found[1], found[0]);
}

#[test]
fn devices_that_fail_are_errors_and_lose_no_memory() {
    let bodies = cube(6, 6);
    let direct = Physics::direct(0.1, 0.5);
    let tree = Solver::Tree { opening_angle: 0.5, quadrupole: true };
    let hermite = Integrator::Hermite { accuracy: 0.1, largest_step: 0.5, smallest_step: 1e-6 };
    let all = [
        Physics { solver: tree, ..direct.clone() },
        Physics { integrator: hermite, ..direct.clone() },
        direct,
    ];
    for physics in all {
        let run = |faults: &Arc<Faults>| -> Result<Bodies, Trouble> {
            let context = Context::of(vec![Faulty::executor(devices(1).remove(0), faults.clone())])?;
            let mut simulation = Simulation::new(&context, &bodies, &physics)?;
            simulation.advance(1.0, &Control::unlimited())?;
            simulation.totals()?;
            simulation.bodies()
        };
        let faults = Faults::none();
        run(&faults).unwrap();
        for call in 0..faults.calls() {
            let faults = Faults::from(call);
            assert!(matches!(run(&faults), Err(Trouble::Runtime(_))), "call {call}");
            assert_eq!(faults.live(), 0, "call {call}");
        }
    }
}
