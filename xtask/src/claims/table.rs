//! The claims of the README.

/// A cell of the README's comparison.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// As the command line names it.
    pub name: &'static str,
    /// The words of README.md.
    pub says: &'static str,
    /// The words of docs/performance.md that have the figures of a full run.
    pub shown: &'static str,
    /// The figures of `says` that are measured: ratios, of which more is better, or milliseconds.
    pub figures: &'static [f64],
    /// What measures them.
    pub measure: Measure,
}

/// What measures a claim.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// A benchmark, whose output has each figure behind some words, of which `...` leaves some out. The argument `$PROGRAM` is the
    /// program that is measured.
    Benchmark {
        /// A Python script of the repository.
        script: &'static str,
        /// Its arguments.
        arguments: &'static [&'static str],
        /// The words before each figure.
        before: &'static [&'static str],
    },
    /// The median time of the whole process for these arguments of the program.
    Milliseconds(&'static [&'static str]),
}

/// Large models, and small ones, where starting and compiling count.
const BUILDING: &str =
    "15 x ours, at least 7.6 x (50 models of 100,000 states and more); 9.8 x, at least 3.0 x, below";

/// All of them, in the order of the README.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "building",
        says: BUILDING,
        shown: "geometric mean of 50 instances: CPU time on one thread 15.5 (least: 7.6)",
        figures: &[15.0, 7.6],
        measure: Measure::Benchmark {
            script: "benches/storm/run.py",
            // The first half of the models, since the others take an hour.
            arguments: &["--runs", "1", "--least", "1e5", "--most", "4e5", "--binary", "$PROGRAM"],
            before: &["CPU time on one thread ", "(least: "],
        },
    },
    Claim {
        name: "small",
        says: BUILDING,
        shown: "From 10,000 to 160,000 states the geometric mean of 33 instances is 9.8 (least: 3.0)",
        figures: &[9.8, 3.0],
        measure: Measure::Benchmark {
            script: "benches/storm/run.py",
            arguments: &["--quick", "--binary", "$PROGRAM"],
            before: &["CPU time on one thread ", "(least: "],
        },
    },
    Claim {
        name: "answers",
        says: "5.5 x ours, 5.6 x for its sound methods, at least 0.90 x (101 questions)",
        shown: "| sound (98 cases) | 5.6 | 0.90 |",
        figures: &[5.5, 5.6],
        measure: Measure::Benchmark {
            script: "benches/storm/check.py",
            arguments: &["--least", "20000", "--most", "2e5", "--budget", "240", "--binary", "$PROGRAM"],
            before: &["| classical (... cases) | ", "| sound (... cases) | "],
        },
    },
    Claim {
        name: "searching",
        says: "1.5 to 3.8 x ours on models with more than a million states",
        shown: "2.4 to 3.8 times SPIN's on the five models written for this benchmark",
        figures: &[1.5],
        measure: Measure::Benchmark {
            script: "benches/spin/models.py",
            arguments: &["--volvelle", "$PROGRAM"],
            before: &["SPIN's CPU time over ours: "],
        },
    },
    Claim {
        name: "sampling",
        says: "396 x ours",
        shown: "The geometric mean of the ratios to PRISM's simulator is 396.",
        figures: &[396.0],
        measure: Measure::Benchmark {
            script: "benches/simulation/run.py",
            arguments: &["../shared/corpus/prism", "--binary", "$PROGRAM", "--seconds", "1"],
            before: &["geometric mean "],
        },
    },
    Claim {
        name: "compiler",
        says: "1 s or more, for the C compiler",
        shown: "the last column has the time of `spin -a` and `gcc`",
        figures: &[1.0],
        measure: Measure::Benchmark {
            script: "benches/spin/models.py",
            arguments: &["--volvelle", "$PROGRAM"],
            before: &["`spin -a` and `gcc` take at least "],
        },
    },
    Claim {
        name: "start",
        says: "10 ms",
        shown: "`examples/promela/handover.pml` in 9 ms beside other work",
        figures: &[10.0],
        measure: Measure::Milliseconds(&["check", "examples/promela/handover.pml"]),
    },
];
