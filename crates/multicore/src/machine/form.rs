//! The keys of machines, and what they say.

use super::Machine;
use crate::caches::CacheShape;
use crate::limits::{MOST_CORES, MOST_IN_FLIGHT};
use std::ops::RangeInclusive;
use volvelle_declarations::form::{Entry, Form, Shape, find};

/// Files of machines.
pub static MACHINE: Form = Form {
    name: "machine",
    marks: &[
        "cores",
        "tasks_per_core",
        "task_length",
        "selection",
        "width",
        "alus",
        "load_store",
        "caches",
        "base",
        "mode",
        "placement",
        "reorder_buffer",
        "training",
        "memory_order",
        "protocol",
        "[core]",
        "[l1d]",
        "[l1i]",
        "[l2]",
        "[latency]",
    ],
    enough: 2,
    entries: ENTRIES,
};

const COST: Shape = Shape::Whole(0, 10_000);
const UNITS: Shape = Shape::Whole(1, 64);
const LATENCY: Shape = Shape::Whole(1, 10_000);

/// The keys of a machine; the first three are those that cannot be set by name.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry::new(
        "core",
        Shape::Tables(CORE),
        "Cores that are declared one by one, in place of those of the base.",
    ),
    Entry::new("name", Shape::Text, "The name of the machine."),
    Entry::new(
        "base",
        Shape::Listed(Machine::presets),
        "The machine whose keys count where this one says nothing; `paper`, if nothing is said.",
    ),
    Entry::new(
        "cores",
        Shape::Whole(1, MOST_CORES as u64),
        "The number of cores, all like the first; 1, if nothing is said.",
    ),
    Entry::new(
        "tasks_per_core",
        Shape::Whole(1, 16),
        "Tasks that a core takes at once; 1, if nothing is said.",
    ),
    Entry::new(
        "task_length",
        Shape::Whole(1, 256),
        "Instructions of a task, at most; 4, if nothing is said.",
    ),
    Entry::new(
        "selection",
        Shape::Either(&[Shape::Words(&["first-branch", "length", "loop", "postdominator"]), Shape::Text]),
        "Where tasks end; also `span-1` to `span-64`. `first-branch`, if nothing is said.",
    ),
    Entry::new(
        "width",
        UNITS,
        "Instructions that a core fetches, issues and retires per cycle; 2, if nothing is said.",
    ),
    Entry::new(
        "alus",
        UNITS,
        "Units of a core for instructions that do not access memory; 2, if nothing is said.",
    ),
    Entry::new("load_store", UNITS, "Units of a core for those that do; 1, if nothing is said."),
    Entry::new(
        "caches",
        Shape::Words(&["perfect", "real"]),
        "Whether accesses and fetches can miss; `perfect`, if nothing is said.",
    ),
    Entry::new("miss", COST, "Cycles of a miss, in both caches; 10, if nothing is said."),
    Entry::new(
        "upgrade",
        COST,
        "Cycles until a block may be written that others hold, too; 0, if nothing is said.",
    ),
    Entry::new("forward", COST, "Cycles that a register takes to another core; 0, if nothing is said."),
    Entry::new(
        "squash",
        COST,
        "Cycles that a misprediction costs besides the lost tasks; 0, if nothing is said.",
    ),
    Entry::new("group", Shape::Whole(1, 1024), "Predictions made at once; 1, if nothing is said."),
    Entry::new(
        "protocol",
        Shape::Either(&[Shape::Words(&["msi", "mesi", "moesi", "mesif", "a", "b"]), Shape::File]),
        "The protocol of the data caches: its name, or a file. `mesi`, if nothing is said.",
    ),
    Entry::new(
        "mode",
        Shape::Words(&["rounds", "rolling", "optimistic"]),
        "When cores get tasks; `rounds`, if nothing is said.",
    ),
    Entry::new(
        "targets",
        Shape::Words(&["cache", "ittage"]),
        "What predicts targets; `cache`, if nothing is said.",
    ),
    Entry::new(
        "returns",
        Shape::Words(&["cache", "stack"]),
        "Whether returns come from a stack of 32 entries; `cache`, if nothing is said.",
    ),
    Entry::new(
        "wrong_targets",
        Shape::Words(&["counted", "squash"]),
        "Whether a wrong target is only counted, or ends a round; `counted`, if nothing is said.",
    ),
    Entry::new(
        "placement",
        Shape::Words(&["usual", "round-robin", "first-free"]),
        "Which core takes the next task; `usual`, if nothing is said.",
    ),
    Entry::new(
        "reorder_buffer",
        Shape::Whole(0, MOST_IN_FLIGHT as u64),
        "Limit of instructions of a core between fetch and retirement; 0, if nothing is said: as many as its tasks have.",
    ),
    Entry::new(
        "forward_bus",
        Shape::Whole(0, 64),
        "Limit of values of registers sent to other cores per cycle; 0, if nothing is said: none.",
    ),
    Entry::new(
        "training",
        Shape::Words(&["at-once", "resolve", "commit"]),
        "When predictors learn; `at-once`, if nothing is said.",
    ),
    Entry::new(
        "history",
        Shape::Words(&["repaired", "unrepaired"]),
        "Whether a mispredicted outcome enters the history as it really was; `repaired`, if nothing is said.",
    ),
    Entry::new(
        "wrong_path",
        Shape::Flag,
        "Whether tasks behind a misprediction are executed until it is found out; `false`, if nothing is said.",
    ),
    Entry::new(
        "younger",
        Shape::Words(&["squashed", "kept"]),
        "What a misprediction does to tasks behind it on other cores; `squashed`, if nothing is said.",
    ),
    Entry::new(
        "memory_order",
        Shape::Words(&["exact", "after-stores", "free"]),
        "Which accesses to the same bytes are ordered; `exact`, if nothing is said.",
    ),
    Entry::new("l1d", Shape::Table(L1), "The cache of each core for data."),
    Entry::new("l1i", Shape::Table(L1), "The cache of each core for instructions."),
    Entry::new("l2", Shape::Table(L2), "A second cache, which all cores share."),
    Entry::new(
        "latency",
        Shape::Table(LATENCIES),
        "Cycles from issue to completion, by class of instructions.",
    ),
];

/// The keys that studies set for all machines.
pub(crate) const SETTABLE: &[Entry] = ENTRIES.split_at(3).1;

pub(super) const CORE: &[Entry] = &[
    Entry::new("width", UNITS, "Instructions that the core fetches, issues and retires per cycle."),
    Entry::new("alus", UNITS, "Units for instructions that do not access memory."),
    Entry::new("load_store", UNITS, "Units for those that do."),
];

const WAYS: Entry = Entry::new("ways", Shape::Whole(1, CacheShape::MOST_WAYS), "Blocks of a set.");
const BLOCK: Entry =
    Entry::new("block", Shape::Whole(1, CacheShape::LARGEST_BLOCK), "Bytes of a block, a power of two.");
const POLICY: Entry = Entry::new(
    "policy",
    Shape::Words(&["lru", "fifo", "random"]),
    "Which block goes; `lru`, if nothing is said.",
);

const L1: &[Entry] = &[
    Entry::new("size", Shape::Whole(1, CacheShape::LARGEST_BYTES), "Bytes of the cache, a power of two."),
    WAYS,
    BLOCK,
    POLICY,
];

const L2: &[Entry] = &[
    Entry::new(
        "size",
        Shape::Whole(0, CacheShape::LARGEST_BYTES),
        "Bytes of the cache, a power of two; 0: it always hits.",
    ),
    WAYS,
    BLOCK,
    POLICY,
    Entry::new("memory", COST, "Cycles of a miss in it, more than `miss`; 100, if nothing is said."),
];

const LATENCIES: &[Entry] = &[
    Entry::new("alu", LATENCY, "Of arithmetic; 1, if nothing is said."),
    Entry::new("mul", LATENCY, "Of multiplications; 3, if nothing is said."),
    Entry::new("div", LATENCY, "Of divisions; 20, if nothing is said."),
    Entry::new("fp", LATENCY, "Of floating point; 4, if nothing is said."),
    Entry::new("load", LATENCY, "Of loads and atomic operations; 1, if nothing is said."),
    Entry::new("store", LATENCY, "Of stores; 1, if nothing is said."),
    Entry::new("branch", LATENCY, "Of branches; 1, if nothing is said."),
    Entry::new("jump", LATENCY, "Of jumps; 1, if nothing is said."),
];

/// The range of a key of machines, such as `l1d.size`.
pub(super) fn range(key: &str) -> RangeInclusive<u64> {
    let entry = match key.split_once('.') {
        Some((part, name)) => find(ENTRIES, part).and_then(|part| find(part.shape.entries()?, name)),
        None => find(ENTRIES, key),
    };
    entry.and_then(Entry::range).unwrap_or(0..=u64::from(u32::MAX))
}
