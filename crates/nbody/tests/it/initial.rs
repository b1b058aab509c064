//! Initial conditions against analytic profiles, the virial theorem and published numbers.

use crate::support::{distance, norm, potentials};
use volvelle_nbody::initial::{Encounter, Model, bodies, concentration};
use volvelle_nbody::{Bodies, Totals};

/// The models of single spheres.
fn spheres() -> Vec<Model> {
    vec![
        Model::Plummer,
        Model::Hernquist,
        Model::King { w0: 1.0 },
        Model::King { w0: 6.0 },
        Model::King { w0: 9.0 },
        Model::ColdCollapse { virial_ratio: 0.0 },
        Model::ColdCollapse { virial_ratio: 0.3 },
    ]
}

fn encounter(eccentricity: f64) -> Encounter {
    Encounter {
        galaxies: Box::new([Model::Plummer, Model::King { w0: 5.0 }]),
        mass_ratio: 0.5,
        sizes: [1.0, 0.7],
        tilts: [0.0, 60.0],
        pericentre: 2.0,
        eccentricity,
        separation: 8.0,
    }
}

/// The largest difference between the share of the mass within a radius and its analytic value (A. Kolmogorov, N. Smirnov).
fn largest_difference(bodies: &Bodies, share_within: impl Fn(f64) -> f64) -> f64 {
    let mut radii: Vec<f64> = bodies.positions.iter().map(norm).collect();
    radii.sort_by(f64::total_cmp);
    let count = radii.len() as f64;
    let differences = radii.iter().enumerate().map(|(i, &radius)| {
        let expected = share_within(radius);
        (expected - i as f64 / count).abs().max((expected - (i + 1) as f64 / count).abs())
    });
    differences.fold(0.0, f64::max)
}

fn half_mass_radius(bodies: &Bodies) -> f64 {
    let mut radii: Vec<f64> = bodies.positions.iter().map(norm).collect();
    radii.sort_by(f64::total_cmp);
    radii[radii.len() / 2]
}

#[test]
fn mass_profiles_are_the_analytic_ones() {
    // A true distribution exceeds 1.95 / sqrt(N) once in a thousand samples. Radii are seen from the centre of mass, whose error is no larger
    // than that.
    let count = 20_000;
    let bound = 1.95 / (count as f64).sqrt();
    let of = |model: Model| bodies(&model, count, 3).unwrap();

    // Lengths in units of the scale: for the mass M that is drawn and the energy E of the model, M^2 / 4|E| of them are a unit.
    let unit = 0.999 * 0.999 * 16.0 / (3.0 * std::f64::consts::PI);
    let plummer = |r: f64| {
        let r = r * unit;
        (r * r / (1.0 + r * r)).powf(1.5) / 0.999
    };
    assert!(largest_difference(&of(Model::Plummer), plummer) < bound);
    let unit = 0.99 * 0.99 * 3.0;
    let hernquist = |r: f64| {
        let r = r * unit;
        (r / (1.0 + r)).powi(2) / 0.99
    };
    assert!(largest_difference(&of(Model::Hernquist), hernquist) < bound);
    let homogeneous = |r: f64| (r / 2.4).powi(3).min(1.0);
    assert!(largest_difference(&of(Model::ColdCollapse { virial_ratio: 0.0 }), homogeneous) < bound);
    // It would be found if a model had the profile of another one.
    assert!(largest_difference(&of(Model::Hernquist), plummer) > 10.0 * bound);
}

#[test]
fn half_of_the_mass_is_within_the_published_radii() {
    let of = |model: Model| half_mass_radius(&bodies(&model, 20_000, 11).unwrap());
    // 1.305 scale lengths of 3 pi / 16 (D. Heggie and P. Hut, The Gravitational Million-Body Problem, table 8.1).
    assert!((of(Model::Plummer) - 0.769).abs() < 0.015);
    // 1 + sqrt 2 scale lengths of 1/3, for the whole mass; 0.99 of it is drawn, so that half of that is within 2.3745 of 0.3401.
    assert!((of(Model::Hernquist) - 0.8076).abs() < 0.025);
    assert!((of(Model::ColdCollapse { virial_ratio: 0.0 }) - 2.4 * 0.5_f64.cbrt()).abs() < 0.02);
}

/// Radii of a King model and the share of the mass within each, in N-body units: Poisson's equation in small steps of the radius, with the
/// density as a sum over speeds.
fn slow_king(w0: f64) -> Vec<(f64, f64)> {
    let density = |w: f64| {
        let width = (2.0 * w.max(0.0)).sqrt() / 200.0;
        let speeds = (0..200).map(|i| (f64::from(i) + 0.5) * width);
        speeds.map(|v| v * v * ((w - v * v / 2.0).exp() - 1.0) * width).sum::<f64>()
    };
    let central = density(w0);
    let step = 10.0_f64.powf(concentration(w0).unwrap()) / 20_000.0;
    let (mut w, mut mass, mut radius, mut energy) = (w0, 0.0, 0.0, 0.0);
    let mut profile = Vec::new();
    while w > 0.0 {
        let middle = radius + step / 2.0;
        let shell = density(w) / central * middle * middle * step;
        let within = mass + shell / 2.0;
        energy += within * shell / middle;
        w -= 9.0 * within / (middle * middle) * step;
        mass += shell;
        radius += step;
        profile.push((radius, mass));
    }
    let unit = mass * mass / (2.0 * energy);
    profile.into_iter().map(|(radius, within)| (radius / unit, within / mass)).collect()
}

#[test]
fn king_models_have_the_profile_of_a_slow_solution() {
    for w0 in [1.0, 3.0, 6.0] {
        let profile = slow_king(w0);
        let within =
            |r: f64| profile[profile.partition_point(|(radius, _)| *radius < r).min(profile.len() - 1)].1;
        let bodies = bodies(&Model::King { w0 }, 20_000, 6).unwrap();
        assert!(largest_difference(&bodies, within) < 1.95 / 20_000_f64.sqrt() + 0.001, "{w0}");
    }
}

#[test]
fn king_models_are_as_concentrated_as_published() {
    for (w0, expected) in [(3.0, 0.672), (6.0, 1.255), (9.0, 2.120)] {
        assert!((concentration(w0).unwrap() - expected).abs() < 0.0015, "{w0}");
    }
    // No body is outside of the edge: 10^c core radii, which the half-mass radius measures.
    let bodies = bodies(&Model::King { w0: 6.0 }, 20_000, 4).unwrap();
    let largest = bodies.positions.iter().map(norm).fold(0.0, f64::max);
    let ratio = largest / half_mass_radius(&bodies);
    assert!(ratio > 4.0 && ratio < 7.5, "{ratio}");
}

#[test]
fn energy_is_a_quarter_and_the_virial_theorem_holds() {
    for model in spheres() {
        let bodies = bodies(&model, 3000, 5).unwrap();
        let totals = Totals::of(&bodies, &potentials(&bodies, 0.0));
        let expected = if let Model::ColdCollapse { virial_ratio } = model { virial_ratio } else { 0.5 };
        // The errors of both sums are about 1 / sqrt(N), which is 0.018.
        assert!((totals.virial_ratio - expected).abs() < 0.03, "{model:?}: {totals:?}");
        assert!((totals.energy + 0.25).abs() < 0.015, "{model:?}: {totals:?}");
        assert!((totals.mass - 1.0).abs() < 1e-12);
        assert!(norm(&totals.centre_of_mass) < 1e-14 && norm(&totals.momentum) < 1e-14, "{totals:?}");
    }
}

#[test]
fn bodies_are_bound_and_velocities_have_no_direction() {
    for model in [Model::Plummer, Model::Hernquist, Model::King { w0: 7.0 }] {
        let bodies = bodies(&model, 3000, 9).unwrap();
        let wells = potentials(&bodies, 0.0);
        let unbound =
            (0..bodies.len()).filter(|&i| norm(&bodies.velocities[i]).powi(2) / 2.0 + wells[i] > 0.0);
        assert!(unbound.count() < 30, "{model:?}");
        // As much motion along the radius as in each direction across it.
        let (mut along, mut all) = (0.0, 0.0);
        for (x, v) in bodies.positions.iter().zip(&bodies.velocities) {
            let radial: f64 = (0..3).map(|k| x[k] * v[k]).sum::<f64>() / norm(x);
            along += radial * radial;
            all += norm(v).powi(2);
        }
        assert!((along / all - 1.0 / 3.0).abs() < 0.03, "{model:?}: {}", along / all);
    }
}

#[test]
fn galaxies_are_on_the_orbit() {
    for eccentricity in [0.7, 1.0, 1.4] {
        let encounter = encounter(eccentricity);
        let bodies = bodies(&Model::Encounter(encounter.clone()), 3000, 2).unwrap();
        assert_eq!(bodies.len(), 3000);
        let totals = Totals::of(&bodies, &potentials(&bodies, 0.0));
        assert!((totals.mass - 1.0).abs() < 1e-12 && norm(&totals.centre_of_mass) < 1e-14);
        let mean = |vectors: &[[f64; 3]]| -> [f64; 3] {
            std::array::from_fn(|k| vectors.iter().map(|v| v[k]).sum::<f64>() / vectors.len() as f64)
        };
        let split = |vectors: &[[f64; 3]]| {
            let (first, second) = (mean(&vectors[..2000]), mean(&vectors[2000..]));
            std::array::from_fn::<f64, 3, _>(|k| second[k] - first[k])
        };
        let (x, v) = (split(&bodies.positions), split(&bodies.velocities));
        assert!((norm(&x) - 8.0).abs() < 1e-12);
        // Energy and angular momentum of the orbit of a reduced mass around the mass 1.
        let energy = norm(&v).powi(2) / 2.0 - 1.0 / norm(&x);
        assert!((energy - (eccentricity - 1.0) / 4.0).abs() < 1e-12);
        let momentum = x[0] * v[1] - x[1] * v[0];
        assert!((momentum * momentum - 2.0 * (1.0 + eccentricity)).abs() < 1e-12);
        assert!(x[0] * v[0] + x[1] * v[1] < 0.0, "they approach each other");
        // The galaxies are as in equilibrium: the virial ratio of the second one alone.
        let second = Bodies {
            time: 0.0,
            ids: bodies.ids[2000..].to_vec(),
            masses: bodies.masses[2000..].to_vec(),
            positions: bodies.positions[2000..].to_vec(),
            velocities: bodies.velocities[2000..]
                .iter()
                .map(|u| [0, 1, 2].map(|k| u[k] - 2.0 / 3.0 * v[k]))
                .collect(),
            ..Bodies::default()
        };
        let totals = Totals::of(&second, &potentials(&second, 0.0));
        assert!((totals.mass - 1.0 / 3.0).abs() < 1e-12);
        assert!((totals.virial_ratio - 0.5).abs() < 0.04, "{totals:?}");
        assert!((totals.energy / (-0.25 / 9.0 / 0.7) - 1.0).abs() < 0.1, "{totals:?}");
    }
}

#[test]
fn a_tilt_turns_a_galaxy() {
    let turned = |degrees: f64| {
        let encounter = Encounter { tilts: [0.0, degrees], ..encounter(1.0) };
        bodies(&Model::Encounter(encounter), 300, 2).unwrap()
    };
    let (flat, turned) = (turned(0.0), turned(90.0));
    let centre =
        flat.positions[200..].iter().fold([0.0; 3], |sum, x| [0, 1, 2].map(|k| sum[k] + x[k] / 100.0));
    for body in 0..300 {
        let expected = match body < 200 {
            true => flat.positions[body],
            false => {
                let [x, y, z] = [0, 1, 2].map(|k| flat.positions[body][k] - centre[k]);
                [centre[0] + x, centre[1] - z, centre[2] + y]
            }
        };
        assert!(distance(&expected, &turned.positions[body]) < 1e-12);
    }
}

/// FNV-1a over the bits of all numbers.
fn print_of(bodies: &Bodies) -> u64 {
    let vectors = bodies.positions.iter().chain(&bodies.velocities).flatten();
    let bits = vectors.chain(&bodies.masses).flat_map(|x| x.to_bits().to_le_bytes());
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn a_seed_gives_the_same_bits() {
    let mut models = spheres();
    models.push(Model::Encounter(encounter(1.0)));
    let prints: Vec<u64> = models.iter().map(|model| print_of(&bodies(model, 500, 77).unwrap())).collect();
    for (model, print) in models.iter().zip(&prints) {
        assert_eq!(print_of(&bodies(model, 500, 77).unwrap()), *print, "{model:?}");
        assert_ne!(print_of(&bodies(model, 500, 78).unwrap()), *print, "{model:?}");
    }
    // On every machine.
    assert_eq!(prints, EXPECTED.to_vec(), "{prints:#x?}");
}

const EXPECTED: [u64; 8] = [
    0x412a726dab1f1ba,
    0x75a8e7fc483a00c5,
    0x1d492a48fcff35e5,
    0x29e5f89bec3cdbfe,
    0x22ba491e25fc7005,
    0x79d2e41712d88bda,
    0xef829ca420e9d486,
    0xdae64a5c2b3a1a70,
];

#[test]
fn values_out_of_range_are_refused() {
    let refused = |model: Model, count: u64| bodies(&model, count, 0).unwrap_err().value;
    for w0 in [0.0, -1.0, f64::NAN, f64::INFINITY, 17.0] {
        assert_eq!(refused(Model::King { w0 }, 10), "w0");
    }
    for virial_ratio in [1.0, -0.1, f64::NAN] {
        assert_eq!(refused(Model::ColdCollapse { virial_ratio }, 10), "virial_ratio");
    }
    assert_eq!(refused(Model::Plummer, 0), "count");
    assert_eq!(refused(Model::Plummer, u64::MAX), "count");
    let bad = |change: &dyn Fn(&mut Encounter)| {
        let mut encounter = encounter(0.5);
        encounter.separation = 3.0;
        assert!(bodies(&Model::Encounter(encounter.clone()), 10, 0).is_ok());
        change(&mut encounter);
        refused(Model::Encounter(encounter), 10)
    };
    assert_eq!(bad(&|e| e.mass_ratio = 0.0), "mass_ratio");
    assert_eq!(bad(&|e| e.sizes[1] = -1.0), "sizes");
    assert_eq!(bad(&|e| e.tilts[0] = f64::NAN), "tilts");
    assert_eq!(bad(&|e| e.pericentre = f64::INFINITY), "pericentre");
    assert_eq!(bad(&|e| e.eccentricity = -0.1), "eccentricity");
    assert_eq!(bad(&|e| e.separation = 1.9), "separation");
    assert_eq!(bad(&|e| e.separation = 6.1), "separation");
    let nested = encounter(1.0);
    assert_eq!(bad(&|e| e.galaxies[0] = Model::Encounter(nested.clone())), "galaxies");
}

#[test]
fn few_bodies_are_no_trouble() {
    for model in spheres() {
        for count in 1..4 {
            let bodies = bodies(&model, count, 1).unwrap();
            assert_eq!(bodies.ids, (0..count).collect::<Vec<_>>());
            assert!(bodies.positions.iter().chain(&bodies.velocities).flatten().all(|x| x.is_finite()));
        }
    }
    let two = bodies(&Model::Encounter(encounter(1.0)), 2, 1).unwrap();
    assert!((two.masses[0] - 2.0 / 3.0).abs() < 1e-15 && (two.masses[1] - 1.0 / 3.0).abs() < 1e-15);
}
