//! Limits that were reached, as diagnostics.

use std::time::Duration;
pub use volvelle_control::amounts::{bytes, count, counted};
use volvelle_control::{Limits, Stop};
use volvelle_diagnostics::{Code, Diagnostic, codes};

/// Whether a code says that a limit ended the work (or the user did).
pub fn is_limit(code: Code) -> bool {
    const LIMITS: [Code; 7] = [
        codes::DEPTH_LIMIT,
        codes::STATE_LIMIT,
        codes::MEMORY_LIMIT,
        codes::TIME_LIMIT,
        codes::CANCELLED,
        codes::PRECISION_NOT_REACHED,
        codes::MORE_PATHS_NEEDED,
    ];
    LIMITS.contains(&code)
}

/// Limits that the user set, for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowance {
    /// `--max-states`.
    pub states: Option<u64>,
    /// `--max-memory`, or the memory that was free at the start.
    pub memory_bytes: Option<u64>,
    /// Whether the memory limit is what the machine has, rather than what the user said.
    pub memory_is_default: bool,
    /// Bytes that the process held before it did anything: they count towards the limit.
    pub held_at_start: u64,
    /// `--timeout`.
    pub timeout: Option<Duration>,
}

impl Allowance {
    /// The limits of a run that starts now.
    pub fn starting_at(self, start: std::time::Instant) -> Limits {
        Limits {
            memory_bytes: self.memory_bytes.map(|limit| limit.saturating_sub(self.held_at_start)),
            states: self.states,
            deadline: self.timeout.and_then(|t| start.checked_add(t)),
        }
    }
}

/// The diagnostic about a property on which work had not begun when the run was stopped.
pub fn not_begun(stop: Stop, allowance: &Allowance) -> Diagnostic {
    let mut diagnostic = stopped(stop, allowance);
    diagnostic.message = format!("not started: {}", diagnostic.message);
    // Others took the time.
    if stop == Stop::Timeout { diagnostic.help("or select fewer properties: --prop") } else { diagnostic }
}

/// The diagnostic about a stop, without saying how far the work came.
pub fn stopped(stop: Stop, allowance: &Allowance) -> Diagnostic {
    match stop {
        Stop::States => {
            let limit =
                allowance.states.map_or(String::new(), |n| format!(": more than {} states", count(n)));
            Diagnostic::error(codes::STATE_LIMIT, format!("the state limit was reached{limit}"))
                .help("raise --max-states, or make the model smaller")
        }
        Stop::Memory => {
            let limit = allowance.memory_bytes.map_or(String::new(), |n| format!(": more than {}", bytes(n)));
            let help = if allowance.memory_is_default {
                "this is nearly all the free memory of this machine: make the model smaller, or set --max-memory"
            } else {
                "raise --max-memory, or make the model smaller"
            };
            Diagnostic::error(codes::MEMORY_LIMIT, format!("the memory limit was reached{limit}")).help(help)
        }
        Stop::Timeout => {
            let limit = allowance.timeout.map_or(String::new(), |t| format!(": {} s", t.as_secs_f64()));
            Diagnostic::error(codes::TIME_LIMIT, format!("the time limit was reached{limit}"))
                .help("raise --timeout")
        }
        Stop::Cancelled => Diagnostic::error(codes::CANCELLED, "cancelled"),
    }
}
