//! The memory that reading a file may take, and checks for cancellation and the deadline.
//!
//! Counts in headers are not trusted. Readers compare them with the number of bytes in the file, then ask the allowance,
//! then allocate.

use crate::finding::Finding;
use std::cell::Cell;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::codes;

/// Keeps account of the memory of one reader.
pub struct Allowance<'a> {
    control: &'a Control<'a>,
    used: Cell<u64>,
}

impl<'a> Allowance<'a> {
    /// Nothing used yet.
    pub fn new(control: &'a Control<'a>) -> Self {
        Allowance { control, used: Cell::new(0) }
    }

    /// The control that limits come from.
    pub fn control(&self) -> &'a Control<'a> {
        self.control
    }

    /// Bytes that may still be taken; `u64::MAX` where there is no limit.
    pub fn left_bytes(&self) -> u64 {
        match self.control.limits.memory_bytes {
            Some(limit) => limit.saturating_sub(self.used.get()),
            None => u64::MAX,
        }
    }

    /// Takes bytes, or refuses.
    pub fn take(&self, bytes: u64) -> Result<(), Finding> {
        let used = self.used.get().saturating_add(bytes);
        self.control.check_memory(used).map_err(stopped)?;
        self.used.set(used);
        Ok(())
    }

    /// Gives bytes back that were taken.
    pub fn give_back(&self, bytes: u64) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }

    /// An empty vector with room for `count` entries, within the allowance and within what the machine has.
    pub fn vec<T>(&self, count: usize) -> Result<Vec<T>, Finding> {
        self.take((count as u64).saturating_mul(size_of::<T>() as u64))?;
        let mut vector = Vec::new();
        vector.try_reserve_exact(count).map_err(|_| stopped(Stop::Memory))?;
        Ok(vector)
    }

    /// Whether to go on. Costs a clock read: ask per some thousand lines.
    pub fn check(&self) -> Result<(), Finding> {
        self.control.check().map_err(stopped)
    }
}

/// The finding for a limit that was reached.
pub fn stopped(stop: Stop) -> Finding {
    match stop {
        Stop::Memory => {
            Finding::error(codes::MEMORY_LIMIT, "reading the file takes more memory than allowed")
                .help("raise the limit with `--max-memory`")
        }
        Stop::Timeout => {
            Finding::error(codes::TIME_LIMIT, "the time limit was reached while reading the file")
                .help("raise the limit with `--timeout`")
        }
        Stop::States => Finding::error(codes::STATE_LIMIT, "the file has more states than allowed")
            .help("raise the limit with `--max-states`"),
        Stop::Cancelled => Finding::error(codes::CANCELLED, "reading was cancelled"),
    }
}
