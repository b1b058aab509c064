//! The section `[physics]`.

use super::entries::{Bound, Section, number};
use super::form::{ARITHMETICS, INTEGRATORS, SOLVERS};
use crate::physics::{Arithmetic, Force, Integrator, Physics, Solver};
use std::collections::BTreeMap;
use volvelle_declarations::{Reader, entries};
use volvelle_diagnostics::codes;

/// A force law in a separate file.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceFile {
    /// Its path, as the configuration has it.
    pub path: String,
    /// The numbers of the law.
    pub numbers: BTreeMap<String, f64>,
}

/// Default of the smallest step of the Hermite integrator, as a fraction of the largest one.
const SMALLEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// The physics of a section, or the usual ones.
pub(super) fn read(
    reader: &mut Reader<'_>,
    section: Option<Section<'_>>,
) -> Option<(Physics, Option<ForceFile>)> {
    let Some(mut section) = section else { return Some((Physics::direct(0.0, 0.01), None)) };
    let before = reader.found.len();
    let softening = section.number(reader, "softening", Bound::NotNegative).unwrap_or(0.0);
    let mut elsewhere: Vec<(&str, &str)> = Vec::new();
    let solver = match section.word(reader, "solver", SOLVERS) {
        Some(1) => Solver::Tree {
            opening_angle: section.number(reader, "opening_angle", Bound::Part).unwrap_or(0.5),
            quadrupole: section.take("quadrupole").is_none_or(|value| reader.flag("quadrupole", value)),
        },
        _ => {
            let tree = "it belongs to `solver = \"tree\"`";
            elsewhere.extend([("opening_angle", tree), ("quadrupole", tree)]);
            Solver::Direct
        }
    };
    let integrator = match section.word(reader, "integrator", INTEGRATORS) {
        Some(1) => {
            elsewhere.push(("step", "the Hermite integrator chooses its steps: `accuracy`, `largest_step`"));
            let largest_step = section.number(reader, "largest_step", Bound::Positive).unwrap_or(0.125);
            let smallest_step = section.number(reader, "smallest_step", Bound::Positive);
            Integrator::Hermite {
                accuracy: section.number(reader, "accuracy", Bound::Positive).unwrap_or(0.01),
                largest_step,
                smallest_step: smallest_step.unwrap_or(largest_step * SMALLEST),
            }
        }
        _ => {
            let hermite = "it belongs to `integrator = \"hermite\"`";
            elsewhere.extend(["accuracy", "largest_step", "smallest_step"].map(|key| (key, hermite)));
            Integrator::Leapfrog { step: section.number(reader, "step", Bound::Positive).unwrap_or(0.01) }
        }
    };
    let arithmetic = match section.word(reader, "arithmetic", ARITHMETICS) {
        Some(1) => Arithmetic::Fastest,
        _ => Arithmetic::Portable,
    };
    let force = force(reader, &mut section);
    let head = section.head();
    section.finish(reader, &elsewhere);
    let physics = Physics { softening, solver, integrator, arithmetic, force: Force::Newton };
    if reader.found.len() > before {
        return None;
    }
    let is_plain = matches!((solver, integrator), (Solver::Direct, Integrator::Leapfrog { .. }));
    if force.is_some() && !is_plain {
        let message = "a force law of one's own is for direct sums with the leapfrog";
        reader.report(codes::NBODY_VALUE, message, head, "leave `solver` and `integrator` out");
        return None;
    }
    if let Err(trouble) = physics.check() {
        reader.report(codes::NBODY_VALUE, trouble.to_string(), head, "");
        return None;
    }
    Some((physics, force))
}

/// The file of a force law, with its numbers.
fn force(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<ForceFile> {
    let path =
        section.take("force").map(|value| reader.string("force", value, "`force = \"yukawa.kernel\"`"));
    let numbers = section.take("force_numbers");
    let Some(path) = path else {
        if let Some(value) = numbers {
            let message = "`force_numbers` has no meaning without `force`";
            reader.report(codes::NBODY_KEY, message, value.span(), "add `force = \"FILE\"`");
        }
        return None;
    };
    let mut found = BTreeMap::new();
    if let Some(table) =
        numbers.and_then(|v| reader.table("force_numbers", v, "`force_numbers = { range = 0.3 }`"))
    {
        for (key, value) in entries(table) {
            let name: &str = key.get_ref();
            found.extend(number(reader, name, value, Bound::Finite).map(|number| (name.to_owned(), number)));
        }
    }
    Some(ForceFile { path: path?, numbers: found })
}
