//! The keys of studies, and what they say.

use crate::machine::SETTABLE;
use volvelle_declarations::form::{Entry, Form, Shape};

/// Files of studies.
pub static STUDY: Form =
    Form { name: "multicore", marks: &["machines", "predictors"], enough: 1, entries: ENTRIES };

const ENTRIES: &[Entry] = &[
    Entry::new("title", Shape::Text, "The question that is studied."),
    Entry::new("machines", Shape::Defines, "Machines: presets, or files beside the study."),
    Entry::new("predictors", Shape::Defines, "Predictors: names, or files beside the study."),
    Entry::new("base", Shape::Names("predictors"), "The predictor over which gains are told."),
    Entry::new("set", Shape::Table(SETTABLE), "Keys of all machines."),
    Entry::new("sweep", Shape::Table(SETTABLE), "Keys of machines that take several values, each a list."),
    Entry::new("program", Shape::Tables(PROGRAM), "The programs, at least one."),
    Entry::new("reading", Shape::Tables(READING), "The same again with other settings."),
    Entry::new("expected", Shape::Tables(EXPECTED), "A mean over all programs, from elsewhere."),
];

pub(super) const PROGRAM: &[Entry] = &[
    Entry::new("file", Shape::File, "The file of the program, beside the study."),
    Entry::new("name", Shape::Text, "Its name in answers; that of the file, if nothing is said."),
    Entry::new("arguments", Shape::List(&Shape::Text), "Its arguments."),
    Entry::new("input", Shape::File, "The file of its standard input."),
];

pub(super) const READING: &[Entry] = &[
    Entry::new("name", Shape::Text, "The name of the reading."),
    Entry::new("set", Shape::Table(SETTABLE), "Keys of all machines."),
    Entry::new("predictors", Shape::List(&Shape::Text), "Predictors in place of those of the study."),
];

pub(super) const EXPECTED: &[Entry] = &[
    Entry::new("machine", Shape::Names("machines"), "The machine."),
    Entry::new("predictor", Shape::Names("predictors"), "The predictor."),
    Entry::new("ipc", Shape::Number, "Instructions per cycle: the geometric mean over all programs."),
];
