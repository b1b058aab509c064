//! The keys of configurations, and what they say.

use volvelle_declarations::form::{ANY, Entry, Form, Shape};

/// Files of runs of bodies.
pub static CONFIGURATION: Form = Form {
    name: "bodies",
    marks: &["[initial]", "[physics]"],
    enough: 1,
    entries: &[
        Entry::new(
            "initial",
            Shape::Table(INITIAL),
            "The bodies at the start: those of a file, or of a model.",
        ),
        Entry::new("physics", Shape::Table(PHYSICS), "The law of motion, and the methods that follow it."),
        Entry::new("run", Shape::Table(RUN), "When the run ends, and when it reports."),
        Entry::new("output", Shape::Table(OUTPUT), "Which files the run writes."),
    ],
};

/// More bodies have no numbers of their own in files.
const MOST_BODIES: u64 = u32::MAX as u64;

/// Models of bodies.
pub(super) const MODELS: &[&str] = &["plummer", "hernquist", "king", "cold_collapse", "encounter"];

/// A galaxy of an encounter is one of these.
pub(super) const GALAXIES: &[&str] = &["plummer", "hernquist", "king", "cold_collapse"];

/// Ways to sum forces.
pub(super) const SOLVERS: &[&str] = &["direct", "tree"];

/// Ways to go on in time.
pub(super) const INTEGRATORS: &[&str] = &["leapfrog", "hermite"];

/// Which bits results have.
pub(super) const ARITHMETICS: &[&str] = &["portable", "fastest"];

/// Names of the formats, in the order of [`crate::files::Format::ALL`].
pub(super) const FORMATS: &[&str] = &["csv", "nemo", "gadget"];

const W0: &str = "Of `king`: the depth of the potential at the centre, from 0.1 to 16.";
const VIRIAL_RATIO: &str = "Of `cold_collapse`: from 0 to below 1; 0, which is at rest, if nothing is said.";

pub(super) const INITIAL: &[Entry] = &[
    Entry::new(
        "file",
        Shape::File,
        "A snapshot with the bodies, beside the configuration; instead of all other keys.",
    ),
    Entry::new("model", Shape::Words(MODELS), "From which the bodies are drawn."),
    Entry::new("bodies", Shape::Whole(1, MOST_BODIES), "How many bodies."),
    Entry::new("seed", Shape::Whole(0, i64::MAX as u64), "Of the random numbers; 1, if nothing is said."),
    Entry::new("w0", Shape::Number, W0),
    Entry::new("virial_ratio", Shape::Number, VIRIAL_RATIO),
    Entry::new("first", Shape::Table(GALAXY), "Of `encounter`: the first galaxy."),
    Entry::new("second", Shape::Table(GALAXY), "Of `encounter`: the second galaxy."),
    Entry::new(
        "mass_ratio",
        Shape::Number,
        "Of `encounter`: mass of the second galaxy by that of the first; 1, if nothing is said.",
    ),
    Entry::new("pericentre", Shape::Number, "Of `encounter`: the smallest distance on the orbit, above 0."),
    Entry::new(
        "eccentricity",
        Shape::Number,
        "Of `encounter`: at least 0; 1, which is a parabola, if nothing is said.",
    ),
    Entry::new("separation", Shape::Number, "Of `encounter`: the distance at the start, above 0."),
];

pub(super) const GALAXY: &[Entry] = &[
    Entry::new("model", Shape::Words(GALAXIES), "From which the bodies are drawn."),
    Entry::new("w0", Shape::Number, W0),
    Entry::new("virial_ratio", Shape::Number, VIRIAL_RATIO),
    Entry::new("size", Shape::Number, "Multiplies all lengths; 1, if nothing is said."),
    Entry::new("tilt", Shape::Number, "The turn around the x axis, in degrees; 0, if nothing is said."),
];

pub(super) const PHYSICS: &[Entry] = &[
    Entry::new(
        "softening",
        Shape::Number,
        "The length of Plummer's softening; 0, which is none, if nothing is said.",
    ),
    Entry::new(
        "solver",
        Shape::Words(SOLVERS),
        "`direct` sums all pairs, `tree` takes far groups of bodies as a whole; `direct`, if nothing is said.",
    ),
    Entry::new(
        "opening_angle",
        Shape::Number,
        "Of `tree`: a cell is taken as a whole where its edge is less than this many distances, from 0 to 1; 0.5, if nothing is said.",
    ),
    Entry::new(
        "quadrupole",
        Shape::Flag,
        "Of `tree`: whether cells have quadrupole moments; `true`, if nothing is said.",
    ),
    Entry::new(
        "integrator",
        Shape::Words(INTEGRATORS),
        "`leapfrog`: second order, one step for all; `hermite`: fourth order, a step for each body, direct \
         sums only. `leapfrog`, if nothing is said.",
    ),
    Entry::new("step", Shape::Number, "Of `leapfrog`: the longest step; 0.01, if nothing is said."),
    Entry::new("accuracy", Shape::Number, "Of `hermite`: Aarseth's η; 0.01, if nothing is said."),
    Entry::new("largest_step", Shape::Number, "Of `hermite`: no step is longer; 0.125, if nothing is said."),
    Entry::new(
        "smallest_step",
        Shape::Number,
        "Of `hermite`: no step may be shorter; 2⁻⁴⁰ of the largest, if nothing is said.",
    ),
    Entry::new(
        "arithmetic",
        Shape::Words(ARITHMETICS),
        "`portable`: the same bits on all devices; `fastest`: kernels written for a technology, direct sums \
         with the leapfrog only. `portable`, if nothing is said.",
    ),
    Entry::new("force", Shape::File, "The file of a force law of one's own; Newton's, if nothing is said."),
    Entry::new("force_numbers", Shape::Table(NUMBERS), "The numbers that the force law names."),
];

const NUMBERS: &[Entry] = &[Entry::new(ANY, Shape::Number, "A number of the force law.")];

pub(super) const RUN: &[Entry] = &[
    Entry::new("end", Shape::Number, "The time at which the run ends."),
    Entry::new("report", Shape::Number, "The time between reports; a tenth of the end, if nothing is said."),
    Entry::new(
        "largest_drift",
        Shape::Number,
        "By how much of its value the energy may change without a warning; 0.01, if nothing is said.",
    ),
];

pub(super) const OUTPUT: &[Entry] = &[
    Entry::new(
        "folder",
        Shape::Text,
        "The folder for snapshots; that of the name of the configuration, if nothing is said.",
    ),
    Entry::new(
        "snapshots",
        Shape::Number,
        "The time between numbered snapshots; none but the last, if nothing is said.",
    ),
    Entry::new("format", Shape::Words(FORMATS), "The format of snapshots; `csv`, if nothing is said."),
];
