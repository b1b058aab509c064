//! Dimensions that may grow faster, each with the reason.

/// Language, name of the dimension, and why.
pub const REVIEWED: &[(&str, &str, &str)] = &[
    (
        "PRISM",
        "choices of a state",
        "code for n choices of one state is one path of n blocks, which register allocation dislikes",
    ),
    ("PRISM", "updates of a command", "the same"),
    (
        "LOTOS",
        "interruptions",
        "each of n states has a step of every operand that may interrupt: n^2 transitions",
    ),
    (
        "Promela",
        "processes",
        "n steps of n processes: as many states as processes, each of which has all their places",
    ),
    ("systems", "components in step, reduced", "the next two of n operands are chosen among all pairs"),
    (
        "systems",
        "mistakes of a pipeline",
        "each unknown name is compared with all known ones, to say which was meant",
    ),
];
