//! The keys of predictors, and what they say.

use super::history::History;
use super::name::MOST_BITS;
use volvelle_declarations::form::{Entry, Form, Shape};

/// Files of predictors.
pub static PREDICTOR: Form = Form {
    name: "predictor",
    marks: &[
        "kind",
        "bits",
        "history",
        "vectors",
        "weight_bits",
        "by_address",
        "threshold",
        "lengths",
        "table_bits",
        "tag_bits",
        "base_bits",
    ],
    enough: 2,
    entries: ENTRIES,
};

/// Kinds of predictors.
pub(super) const KINDS: &[&str] =
    &["bimodal", "gag", "gshare", "pag", "tournament", "perceptron", "hashed", "tage"];

const ENTRIES: &[Entry] = &[
    Entry::new("kind", Shape::Words(KINDS), "The rule of the predictor, which tells the other keys."),
    Entry::new("name", Shape::Text, "The name of the predictor."),
    Entry::new(
        "bits",
        Shape::Whole(1, MOST_BITS),
        "Of `bimodal`, `gag`, `gshare`, `pag` and `tournament`: bits of the index of a table.",
    ),
    Entry::new(
        "history",
        Shape::Whole(1, 64),
        "Of `perceptron`: outcomes of the history; 8, if nothing is said.",
    ),
    Entry::new("vectors", Shape::Whole(1, 1 << MOST_BITS), "Of `perceptron`: vectors of weights."),
    Entry::new(
        "weight_bits",
        Shape::Whole(2, 8),
        "Of `perceptron` and `hashed`: bits of a weight; 8, if nothing is said.",
    ),
    Entry::new("by_address", Shape::Flag, "Of `perceptron`: whether the address alone chooses a vector."),
    Entry::new(
        "threshold",
        Shape::Whole(0, 10_000),
        "Of `perceptron` and `hashed`: sums up to this are trained, too.",
    ),
    Entry::new(
        "lengths",
        Shape::List(&Shape::Whole(0, History::LENGTH as u64)),
        "Of `hashed` and `tage`: lengths of histories, growing.",
    ),
    Entry::new("table_bits", Shape::Whole(1, 20), "Of `hashed` and `tage`: bits of the index of a table."),
    Entry::new("tag_bits", Shape::Whole(2, 16), "Of `tage`: bits of a tag; 8, if nothing is said."),
    Entry::new(
        "base_bits",
        Shape::Whole(1, MOST_BITS),
        "Of `tage`: bits of the index of its first table; 12, if nothing is said.",
    ),
];
