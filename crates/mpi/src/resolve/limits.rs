//! Limits of programs.

/// Largest absolute value of variables and locals.
pub(super) const MOST_VALUE: i64 = 1 << 31;

/// How many processes there are at most.
pub(super) const MOST_PROCESSES: u32 = 256;

/// How many variables and channels there are at most.
pub(super) const MOST_VARIABLES: usize = 1 << 16;

/// How many steps a process has at most.
pub(super) const MOST_NODES: usize = 200_000;

/// How many statements and expressions are written out at most, in all processes.
pub(super) const MOST_WORK: u32 = 2_000_000;

/// How deep statements, expressions and calls are nested at most, together.
pub(super) const MOST_DEPTH: u32 = 480;
