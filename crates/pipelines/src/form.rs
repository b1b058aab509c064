//! The keys of pipelines, and what they say.

use volvelle_declarations::form::{ANY, Entry, Form, Shape};
use volvelle_lts::Relation;

/// Files of pipelines.
pub static PIPELINE: Form = Form {
    name: "pipeline",
    marks: &["[step]"],
    enough: 1,
    entries: &[
        Entry::new("constants", Shape::Table(CONSTANTS), "Constants with their values, which steps name."),
        Entry::new("step", Shape::Table(STEPS), "Steps, each a table with a name of its own."),
    ],
};

const CONSTANTS: &[Entry] = &[Entry::new(
    ANY,
    VALUE,
    "A constant: a value, a list of values, or a range with the step in the middle. All values are combined.",
)];

const VALUE: Shape = Shape::Either(&[Shape::Number, Shape::Text, Shape::List(&Shape::Number)]);

const STEPS: &[Entry] =
    &[Entry::new(ANY, Shape::Table(STEP), "A step: a system, and at most one question about it.")];

const RELATION: Shape = Shape::Listed(|| Relation::ALL.map(|relation| relation.name().to_owned()).to_vec());

const NAMES: Shape = Shape::Either(&[Shape::Names("constants"), Shape::List(&Shape::Names("constants"))]);

/// The keys of a step, in the order in which they act.
pub(crate) const STEP: &[Entry] = &[
    Entry::new("model", Shape::File, "A model in any language, beside the file of the pipeline."),
    Entry::new("constants", NAMES, "What the model is given: constants of the pipeline, or `K=4`."),
    Entry::new("define", NAMES, "Macros of a Promela model: constants of the pipeline, or `SAFE=1`."),
    Entry::new("from", Shape::Names("step"), "In place of `model`: the system of another step."),
    Entry::new("rename", TEXTS, "Rules that rename labels: `/PATTERN/LABEL/`."),
    Entry::new("hide", Shape::Text, "Labels that are hidden: `A, B`, or `all but A, B`."),
    Entry::new("reduce", RELATION, "The equivalence modulo which the system becomes smaller."),
    Entry::new(
        "rounding",
        Shape::Number,
        "With a stochastic equivalence, sums of rates are rounded: a positive number.",
    ),
    Entry::new(
        "write",
        Shape::Text,
        "The file that the system is written to; a constant in braces stands for its value.",
    ),
    Entry::new("check", Shape::Text, "A formula of the mu-calculus, or the name of its file."),
    Entry::new(
        "compare",
        Shape::Either(&[Shape::Names("step"), Shape::File]),
        "A step or a file: whether both systems are equivalent.",
    ),
    Entry::new("relation", RELATION, "The equivalence of `compare`; `branching`, if nothing is said."),
    Entry::new("steady", Shape::Table(STEADY), "Throughputs in the long run."),
    Entry::new(
        "transient",
        Shape::Table(TRANSIENT),
        "Throughputs or counts over time, or the time of a first passage.",
    ),
    Entry::new(
        "expect",
        Shape::Flag,
        "The verdict of `check` or `compare` that is expected; without it, the verdict is only shown.",
    ),
    Entry::new("csv", Shape::Text, "The file for the numbers of `steady` or `transient`."),
];

const TEXTS: Shape = Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]);
const ACTIONS: &str = "The actions that count; all, if nothing is said.";
const SENSITIVITY: &str = "Whether derivatives by the constants are computed, too.";
const BOUNDS: &str = "Whether the least and the greatest number over all schedulers are computed.";

/// The keys of a question about the long run.
pub(crate) const STEADY: &[Entry] = &[
    Entry::new("throughput", Shape::Flag, "How often each action happens per unit of time: always computed."),
    Entry::new("actions", TEXTS, ACTIONS),
    Entry::new("sensitivity", Shape::Flag, SENSITIVITY),
    Entry::new("bounds", Shape::Flag, BOUNDS),
];

/// The keys of a question over time.
pub(crate) const TRANSIENT: &[Entry] = &[
    Entry::new(
        "times",
        Shape::Text,
        "When: `2.5`, `1,2,5`, or a range with the step in the middle, `0:0.1:10`.",
    ),
    Entry::new("counts", Shape::Flag, "Whether actions are counted from the start, in place of throughputs."),
    Entry::new("first_passage", TEXTS, "Actions of which the first ends the passage."),
    Entry::new("actions", TEXTS, ACTIONS),
    Entry::new("sensitivity", Shape::Flag, SENSITIVITY),
    Entry::new("bounds", Shape::Flag, BOUNDS),
];
