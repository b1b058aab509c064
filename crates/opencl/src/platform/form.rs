//! The keys of platforms, and what they say.

use super::costs::COEFFICIENTS;
use crate::processor::{KIND_COUNT, KINDS};
use volvelle_declarations::form::{Entry, Form, Shape};

/// Files of platforms.
pub static PLATFORM: Form = Form {
    name: "platform",
    marks: &["[device]"],
    enough: 1,
    entries: &[
        Entry::new("name", Shape::Text, "The name of the platform."),
        Entry::new("device", Shape::Table(DEVICE), "The parts of the machine, and their sizes."),
        Entry::new("time", Shape::Table(TIME), "How long things take, in units of model time."),
        Entry::new(
            "nanoseconds",
            Shape::Table(&NANOSECONDS),
            "Calibrated times: nanoseconds for one of each on the busiest unit.",
        ),
        Entry::new(
            "processor",
            Shape::Table(&PROCESSOR),
            "Calibrated times of a processor, in nanoseconds, by size of work-groups.",
        ),
    ],
};

/// Larger times and counts are rejected: products of them could overflow 64 bits.
pub(super) const LARGEST: u64 = 1 << 30;

pub(super) const DEVICE: &[Entry] = &[
    Entry::new("devices", Shape::Whole(1, 256), "Equal devices of the host."),
    Entry::new("units", Shape::Whole(1, LARGEST), "Compute units of a device."),
    Entry::new("elements", Shape::Whole(1, LARGEST), "Processing elements of a unit."),
    Entry::new("warp", Shape::Whole(1, 1024), "Lanes that step together; 1: each on its own."),
    Entry::new("local_memory", Shape::Whole(0, 1 << 40), "Bytes of local memory that a work-group may use."),
    Entry::new("work_group_max", Shape::Whole(1, LARGEST), "Work-items of a group, at most."),
    Entry::new("segment", Shape::Whole(1, 1 << 16), "Bytes of one transaction of a warp with global memory."),
    Entry::new(
        "prefetch",
        Shape::Flag,
        "Whether loads at the start of a phase proceed during the phase before it.",
    ),
];

const COST: Shape = Shape::Whole(0, LARGEST);

pub(super) const TIME: &[Entry] = &[
    Entry::new("global", COST, "An access to global memory; of a warp, a transaction."),
    Entry::new("local", COST, "An access to local memory."),
    Entry::new("private", COST, "An access to a private array."),
    Entry::new("operation", COST, "An arithmetic operation on data."),
    Entry::new("launch", COST, "Launching a kernel."),
    Entry::new("group", COST, "Starting a work-group on a unit."),
    Entry::new("barrier", COST, "A barrier, once all have arrived."),
    Entry::new("phase", COST, "What an item pays for the work between two barriers, in addition."),
    Entry::new("message_host", COST, "A message between host and device."),
    Entry::new("message_unit", COST, "A message between device and unit."),
];

pub(super) static NANOSECONDS: [Entry; COEFFICIENTS.len()] = {
    let mut all = [Entry::new("", Shape::Number, "Nanoseconds for one, at least 0."); COEFFICIENTS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at].name = COEFFICIENTS[at];
        at += 1;
    }
    all
};

pub(super) static PROCESSOR: [Entry; KIND_COUNT + 2] = {
    let says = "Nanoseconds for one, for each of the sizes of `groups`.";
    let mut all = [Entry::new("", Shape::List(&Shape::Number), says); KIND_COUNT + 2];
    all[0] = Entry::new(
        "groups",
        Shape::List(&SIZE),
        "The sizes of work-groups for which costs are known, rising.",
    );
    all[1] = Entry::new(
        "caches",
        Shape::List(&Shape::List(&SIZE)),
        "Caches of each unit: bytes, ways, bytes of a line.",
    );
    let mut at = 0;
    while at < KIND_COUNT {
        all[at + 2].name = KINDS[at];
        at += 1;
    }
    all
};

pub(super) const SIZE: Shape = Shape::Whole(1, LARGEST);
