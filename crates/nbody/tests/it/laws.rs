//! Force laws as kernels of one's own.

use crate::devices::same_everywhere;
use crate::support::{cube, later, processors};
use std::collections::BTreeMap;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, codes};
use volvelle_nbody::{Force, Integrator, Law, Physics, Simulation, Solver, Trouble};

/// Attraction that falls off beyond a range: the potential `-m exp(-r / range) / r`, where `r^2` includes the square of the softening.
const YUKAWA: &str = "
    kernel acceleration(lane: u64, first: u64, bodies: u64, softening: f64, range: f64) {
        buffer position: read f64;
        buffer acceleration: write f64;
        local j: u64; local x: f64; local y: f64; local z: f64; local r: f64; local pull: f64;
        local ax: f64; local ay: f64; local az: f64;
        for j in 0u64..bodies {
            x = position[j * 4u64] - position[lane * 4u64];
            y = position[j * 4u64 + 1u64] - position[lane * 4u64 + 1u64];
            z = position[j * 4u64 + 2u64] - position[lane * 4u64 + 2u64];
            r = sqrt(x * x + y * y + z * z + softening * softening);
            pull = position[j * 4u64 + 3u64] * exp(-(r / range)) * (1.0f64 / r + 1.0f64 / range) / (r * r);
            if j == lane { pull = 0.0f64; }
            ax = ax + x * pull; ay = ay + y * pull; az = az + z * pull;
        }
        acceleration[(lane - first) * 3u64] = ax;
        acceleration[(lane - first) * 3u64 + 1u64] = ay;
        acceleration[(lane - first) * 3u64 + 2u64] = az;
    }
    kernel potential(lane: u64, first: u64, bodies: u64, softening: f64, range: f64) {
        buffer position: read f64;
        buffer potential: write f64;
        local j: u64; local x: f64; local y: f64; local z: f64; local r: f64; local sum: f64;
        for j in 0u64..bodies {
            x = position[j * 4u64] - position[lane * 4u64];
            y = position[j * 4u64 + 1u64] - position[lane * 4u64 + 1u64];
            z = position[j * 4u64 + 2u64] - position[lane * 4u64 + 2u64];
            r = sqrt(x * x + y * y + z * z + softening * softening);
            if j != lane { sum = sum - position[j * 4u64 + 3u64] * exp(-(r / range)) / r; }
        }
        potential[lane - first] = sum;
    }";

fn read(text: &str, numbers: &[(&str, f64)]) -> Result<Law, Vec<Diagnostic>> {
    let numbers: BTreeMap<String, f64> =
        numbers.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    Law::read(FileId(0), text, &numbers)
}

fn physics(range: f64) -> Physics {
    let law = read(YUKAWA, &[("range", range)]).unwrap();
    Physics { force: Force::Law(Arc::new(law)), ..Physics::direct(0.1, 1.0 / 64.0) }
}

#[test]
fn a_law_that_reaches_far_is_newtons() {
    let bodies = cube(50, 31);
    let accelerations = |physics: &Physics| {
        let mut simulation = Simulation::new(&processors(), &bodies, physics).unwrap();
        (simulation.accelerations().unwrap(), simulation.totals().unwrap().potential)
    };
    let (newton, newtons_energy) = accelerations(&Physics::direct(0.1, 0.1));
    let (far, energy) = accelerations(&physics(1e9));
    for (found, expected) in far.iter().flatten().zip(newton.iter().flatten()) {
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
    }
    assert!((energy / newtons_energy - 1.0).abs() < 1e-7);
    // With a range of a third of the cube's edge, attraction is much weaker.
    let (_, energy) = accelerations(&physics(0.3));
    assert!(energy > 0.5 * newtons_energy, "{energy} {newtons_energy}");
}

#[test]
fn a_law_conserves_the_energy_of_its_potential() {
    let bodies = cube(60, 32);
    let error = |step: f64| {
        let physics = Physics { integrator: Integrator::Leapfrog { step }, ..physics(0.3) };
        let mut simulation = Simulation::new(&processors(), &bodies, &physics).unwrap();
        let before = simulation.totals().unwrap();
        simulation.advance(1.0, &Control::unlimited()).unwrap();
        let after = simulation.totals().unwrap();
        assert!((after.kinetic / before.kinetic - 1.0).abs() > 0.1, "it moves");
        (after.energy - before.energy).abs() / before.potential.abs()
    };
    let (coarse, fine) = (error(1.0 / 32.0), error(1.0 / 128.0));
    // Of second order: a sixteenth.
    assert!(fine < 1e-4 && fine < coarse / 10.0, "{coarse} {fine}");
}

#[test]
fn a_law_gives_the_same_bits_everywhere() {
    let bodies = cube(19, 33);
    same_everywhere(|context| later(context, &bodies, &physics(0.3), 0.1));
}

#[test]
fn laws_that_break_the_contract() {
    let messages = |text: &str, numbers: &[(&str, f64)]| {
        let found = read(text, numbers).unwrap_err();
        assert!(found.iter().all(|d| d.primary.is_some()));
        found.into_iter().map(|d| (d.code, d.message)).collect::<Vec<_>>()
    };
    let expect = |text: &str, numbers: &[(&str, f64)], expected: &[&str]| {
        let expected: Vec<_> =
            expected.iter().map(|message| (codes::KERNEL_INVALID, (*message).to_owned())).collect();
        assert_eq!(messages(text, numbers), expected);
    };
    let found = messages("kernel acceleration(lane: u64) { x = 5; }", &[]);
    assert_eq!(found[0].0, codes::KERNEL_SYNTAX);
    let range: &[(&str, f64)] = &[("range", 1.0)];
    let potential = YUKAWA.find("kernel potential").unwrap();
    expect(&YUKAWA[..potential], range, &["a force law has a kernel `potential`, which is not here"]);
    expect(
        YUKAWA,
        &[],
        &[
            "kernel `acceleration`: there is no value for the parameter `range`",
            "kernel `potential`: there is no value for the parameter `range`",
        ],
    );
    expect(
        YUKAWA,
        &[("range", 1.0), ("rnage", 1.0)],
        &["no kernel of the force law has a parameter `rnage`"],
    );
    expect(
        &YUKAWA.replace("bodies: u64, ", "").replace("..bodies", "..5u64"),
        range,
        &[
            "kernel `acceleration`: parameter number 3 must be `bodies: u64`",
            "kernel `acceleration`: parameter number 4 must be `softening: f64`",
            "kernel `potential`: parameter number 3 must be `bodies: u64`",
            "kernel `potential`: parameter number 4 must be `softening: f64`",
        ],
    );
    expect(
        &YUKAWA.replace("potential: write", "potential: read").replace("potential[lane - first] = sum;", ""),
        range,
        &["kernel `potential`: buffer number 2 must be `potential: write f64`"],
    );
    let more = format!("{YUKAWA} kernel other(lane: u64) {{ return; }}");
    expect(&more, range, &["kernel `other` is not a part of a force law"]);
}

#[test]
fn laws_fit_direct_sums_with_the_leapfrog_only() {
    let tree = Solver::Tree { opening_angle: 0.5, quadrupole: false };
    let physics = Physics { solver: tree, ..physics(1.0) };
    let found = Simulation::new(&processors(), &cube(3, 1), &physics).map(|_| ());
    assert!(matches!(found, Err(Trouble::Physics(_))));
}

#[test]
fn a_law_that_leaves_its_buffers_is_told_of() {
    let text = YUKAWA.replace("potential[lane - first]", "potential[lane + 1u64]");
    let law = read(&text, &[("range", 1.0)]).unwrap();
    let physics = Physics { force: Force::Law(Arc::new(law)), ..Physics::direct(0.1, 0.1) };
    let simulation = Simulation::new(&processors(), &cube(3, 1), &physics).unwrap();
    let expected =
        Trouble::Kernel { name: "potential".to_owned(), why: "leaves its buffer `potential`".to_owned() };
    assert_eq!(simulation.totals(), Err(expected));
}
