//! Reasons for which work ends early.

use serde::{Deserialize, Serialize};

/// Why work ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The time limit passed.
    Timeout,
    /// The memory limit would be passed.
    Memory,
    /// The limit on the number of states was reached.
    States,
    /// The user asked to stop.
    Cancelled,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Timeout => "time limit",
            Stop::Memory => "memory limit",
            Stop::States => "state limit",
            Stop::Cancelled => "cancelled",
        })
    }
}
