//! The keys of studies, and what they say.

use volvelle_declarations::form::{ANY, Entry, Form, Shape};

/// Files of studies.
pub static STUDY: Form = Form {
    name: "mpi",
    marks: &["program", "[processes]", "[latencies]", "[contention]", "[homes]"],
    enough: 1,
    entries: KEYS,
};

pub(super) const ACCESSES: &[&str] = &["atomic", "split", "raced"];

/// Parameters in braces stand for numbers, too.
const NUMBER: Shape = Shape::Either(&[Shape::Number, Shape::Text]);
const BY_DISTANCE: Shape = Shape::Either(&[Shape::Number, Shape::List(&Shape::Number)]);

const KEYS: &[Entry] = &[
    Entry::new("title", Shape::Text, "A title."),
    Entry::new("program", Shape::File, "The file of the program, beside the study."),
    Entry::new(
        "protocol",
        Shape::Either(&[Shape::Listed(protocols), Shape::File]),
        "The protocol of the caches: its name, or a file.",
    ),
    Entry::new(
        "access",
        Shape::Words(ACCESSES),
        "When caches change: at the beginning of an access (`atomic`), in its middle (`split`), or in its \
         middle as it was decided at the beginning (`raced`). `atomic`, if nothing is said.",
    ),
    Entry::new(
        "parameters",
        Shape::Table(PARAMETERS),
        "Names with a value or a list of values: all combinations are configurations. `{name}` in a text stands for the value.",
    ),
    Entry::new("topology", Shape::Table(TOPOLOGY), "Places, and how far they are from each other."),
    Entry::new(
        "processes",
        Shape::Table(PROCESSES),
        "For each process its place; `\"*\"` is for all that have no entry.",
    ),
    Entry::new("homes", Shape::Table(HOMES), "Homes of variables, in place of those of the program."),
    Entry::new("latencies", Shape::Table(LATENCIES), "For each transfer its mean time, by distance."),
    Entry::new("contention", Shape::Table(CONTENTION), "Memories and links that transfers share."),
    Entry::new("measure", Shape::Table(MEASURE), "Which rounds are counted, and what they have."),
];

fn protocols() -> Vec<String> {
    volvelle_coherence::SHIPPED.iter().map(|(name, _)| (*name).to_owned()).collect()
}

const PARAMETERS: &[Entry] = &[Entry::new(
    ANY,
    Shape::Either(&[Shape::Number, Shape::Text, Shape::List(&Shape::Number), Shape::List(&Shape::Text)]),
    "A parameter. A constant of the program with its name has its value.",
)];

pub(super) const TOPOLOGY: &[Entry] = &[
    Entry::new(
        "shape",
        Shape::List(&NUMBER),
        "A tree of modules with nodes with processors: the number of each. Places are `0.1.0`.",
    ),
    Entry::new("places", Shape::Defines, "Names of places."),
    Entry::new(
        "distances",
        Shape::List(&Shape::List(&NUMBER)),
        "A row for each place, with its distance from each.",
    ),
];

const PROCESSES: &[Entry] = &[Entry::new(
    ANY,
    Shape::Either(&[
        Shape::Words(&["compact", "spread"]),
        Shape::Names("places"),
        Shape::Text,
        Shape::Table(FROM),
    ]),
    "The place of a process: `0.1.0`, `compact` (the first that is free), `spread` (as far from others as \
     possible), or that of another process with a distance.",
)];

pub(super) const FROM: &[Entry] = &[
    Entry::new("from", Shape::Names("processes"), "Another process."),
    Entry::new("distance", NUMBER, "How far from the place of that process."),
];

const HOMES: &[Entry] = &[Entry::new(
    ANY,
    Shape::Either(&[Shape::Names("processes"), Shape::List(&Shape::Names("processes"))]),
    "The home of a variable, an array or an element: a process or a place; of an array perhaps one for each element.",
)];

pub(super) const LATENCIES: &[Entry] = &[
    Entry::new("unit", Shape::Text, "The unit of all times; `ns`, if nothing is said."),
    Entry::new("erlang", NUMBER, "Of all that say nothing else: the number of equal exponential stages."),
    Entry::new("variation", NUMBER, "Of all that say nothing else: the coefficient of variation."),
    Entry::new(
        ANY,
        Shape::Either(&[Shape::Number, Shape::List(&Shape::Number), Shape::Text, Shape::Table(LATENCY)]),
        "The mean time of a transfer by distance; the last one holds for all that are farther.",
    ),
];

pub(super) const LATENCY: &[Entry] = &[
    Entry::new("mean", BY_DISTANCE, "The mean time by distance."),
    Entry::new("erlang", NUMBER, "The number of equal exponential stages."),
    Entry::new("variation", BY_DISTANCE, "The coefficient of variation, by distance."),
    Entry::new("deviation", BY_DISTANCE, "The standard deviation, by distance."),
];

pub(super) const CONTENTION: &[Entry] = &[
    Entry::new("memory", NUMBER, "Mean time that the memory at a home serves a transfer."),
    Entry::new(
        "memory_servers",
        NUMBER,
        "How many transfers a memory serves at full speed; 1, if nothing is said.",
    ),
    Entry::new("link", NUMBER, "Mean time that a link between levels of the tree serves a transfer."),
    Entry::new(
        "link_servers",
        NUMBER,
        "How many transfers a link serves at full speed; 1, if nothing is said.",
    ),
];

pub(super) const MEASURE: &[Entry] = &[
    Entry::new("mark", Shape::Text, "The mark at which a round begins; the first one, if nothing is said."),
    Entry::new(
        "process",
        Shape::Names("processes"),
        "The process whose rounds are counted; the first that passes the mark, if nothing is said.",
    ),
    Entry::new("per_round", NUMBER, "How many messages a round has; 1, if nothing is said."),
    Entry::new("what", Shape::Text, "What they are called; `message`, if nothing is said."),
    Entry::new("bytes", NUMBER, "Bytes of each, for the bandwidth."),
];
