//! The section `[initial]`.

use super::entries::{Bound, Section, word};
use super::form::{GALAXIES, GALAXY, MODELS};
use crate::bodies::Bodies;
use crate::initial::{Encounter, Model, Refused, bodies};
use volvelle_declarations::{Reader, Value};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// The initial state of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// With the bodies of a file.
    File {
        /// Its path, as the configuration has it.
        path: String,
    },
    /// With bodies that are drawn.
    Model {
        /// The model.
        model: Model,
        /// Number of bodies.
        bodies: u64,
        /// The seed of the random numbers.
        seed: u64,
        /// Place in the configuration.
        span: Span,
    },
}

impl Initial {
    /// The drawn bodies; `None` if they are in a file.
    ///
    /// # Errors
    /// There are no such bodies; the diagnostic has its place in the configuration.
    pub fn drawn(&self) -> Result<Option<Bodies>, Diagnostic> {
        match self {
            Initial::File { .. } => Ok(None),
            Initial::Model { model, bodies: count, seed, span } => {
                let told = |refused: Refused| {
                    Diagnostic::error(codes::NBODY_VALUE, refused.to_string()).at(*span, "drawn here")
                };
                bodies(model, *count, *seed).map(Some).map_err(told)
            }
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>, mut section: Section<'_>) -> Option<Initial> {
    if let Some(value) = section.take("file") {
        let path = reader.string("file", value, "`file = \"start.csv\"`");
        let why = "the bodies are those of `file`: leave one of them out";
        section.finish(reader, &["model", "bodies", "seed"].map(|key| (key, why)));
        return path.map(|path| Initial::File { path });
    }
    let head = reader.span(section.head());
    let model = section.value(reader, "model", "\"plummer\"`, or `file = \"start.csv\"");
    let name = model.and_then(|value| word(reader, "model", value, MODELS));
    let count = section.value(reader, "bodies", "1000");
    let count = count.and_then(|value| section.whole(reader, "bodies", value));
    let seed = match section.take("seed") {
        Some(value) => section.whole(reader, "seed", value),
        None => Some(1),
    };
    // Which other entries belong here depends on the model.
    let name = name?;
    let found = match MODELS[name] {
        "encounter" => encounter(reader, &mut section).map(Model::Encounter),
        name => sphere(reader, &mut section, name),
    };
    let king = ("w0", "it belongs to `model = \"king\"`");
    let collapse = ("virial_ratio", "it belongs to `model = \"cold_collapse\"`");
    let orbit = "it belongs to `model = \"encounter\"`";
    let orbits =
        ["first", "second", "mass_ratio", "pericentre", "eccentricity", "separation"].map(|key| (key, orbit));
    let elsewhere = [&[king, collapse][..], &orbits].concat();
    section.finish(reader, &elsewhere);
    Some(Initial::Model { model: found?, bodies: count?, seed: seed?, span: head })
}

/// A single sphere.
fn sphere(reader: &mut Reader<'_>, section: &mut Section<'_>, name: &str) -> Option<Model> {
    match name {
        "hernquist" => Some(Model::Hernquist),
        "king" => Some(Model::King { w0: section.needed(reader, "w0", Bound::Positive, "6.0")? }),
        "cold_collapse" => {
            let virial_ratio = section.number(reader, "virial_ratio", Bound::Part).unwrap_or(0.0);
            Some(Model::ColdCollapse { virial_ratio })
        }
        _ => Some(Model::Plummer),
    }
}

/// Two galaxies on an orbit.
fn encounter(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<Encounter> {
    let mut galaxy = |key: &'static str| {
        let value = section.value(reader, key, "{ model = \"plummer\" }")?;
        galaxy(reader, key, value)
    };
    let (first, second) = (galaxy("first"), galaxy("second"));
    let mass_ratio = section.number(reader, "mass_ratio", Bound::Positive).unwrap_or(1.0);
    let eccentricity = section.number(reader, "eccentricity", Bound::NotNegative).unwrap_or(1.0);
    let pericentre = section.needed(reader, "pericentre", Bound::Positive, "1.0");
    let separation = section.needed(reader, "separation", Bound::Positive, "8.0");
    let ((one, size, tilt), (other, other_size, other_tilt)) = (first?, second?);
    Some(Encounter {
        galaxies: Box::new([one, other]),
        mass_ratio,
        sizes: [size, other_size],
        tilts: [tilt, other_tilt],
        pericentre: pericentre?,
        eccentricity,
        separation: separation?,
    })
}

/// A galaxy with its size and tilt.
fn galaxy(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<(Model, f64, f64)> {
    let table = reader.table(key, value, &format!("`{key} = {{ model = \"plummer\" }}`"))?;
    let mut section = Section::new(key, value.span(), table, GALAXY);
    let name = section.value(reader, "model", "\"plummer\"");
    let name = name.and_then(|value| word(reader, "model", value, GALAXIES))?;
    let model = sphere(reader, &mut section, GALAXIES[name]);
    let size = section.number(reader, "size", Bound::Positive).unwrap_or(1.0);
    let tilt = section.number(reader, "tilt", Bound::Finite).unwrap_or(0.0);
    section.finish(reader, &[]);
    Some((model?, size, tilt))
}
