//! Options of network kernels, and marks in what they emit.

/// Set in steps after which a process has exclusive control.
pub const TRANSIENT: u32 = 1 << 31;

/// Observation bit: some process is at an accepting location.
pub const ACCEPTING: u64 = 1 << 62;

/// Observation bit: some process is at a progress location.
pub const PROGRESS: u64 = 1 << 63;

/// Alternative number of the step by which a process that cannot continue gives up exclusive control.
pub const RELEASE: u32 = 0xffff;

/// Options of the kernel.
#[derive(Clone, Debug, Default)]
pub struct NetworkOptions {
    /// Labels of the program, in the order of their observation bits; at most 62.
    pub labels: Vec<usize>,
    /// Whether accepting and progress locations are observed.
    pub marks: bool,
    /// Whether consecutive steps of an atomic sequence without a choice are taken at once, which leaves fewer
    /// states inside of it. A step has the number of the first. If such a step fails at a site, the kernel
    /// without this option tells which statement it was.
    pub fused: bool,
    /// Like `fused`, but also reports the number of steps to each successor, for the lengths of runs.
    pub counted: bool,
    /// Whether to expand a state in parts: the steps of one process at a time, from the last slot down or
    /// from the first up. A process whose transitions use only its own resources comes first. Not with
    /// priority classes.
    pub ordered: bool,
}
