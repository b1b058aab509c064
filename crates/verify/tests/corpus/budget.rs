//! How much of everything a run may take.

use std::time::{Duration, Instant};
use volvelle_control::Limits;

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When the run ends.
    pub end: Instant,
    /// For one row.
    pub case: Duration,
    /// For states and numbers.
    pub memory_bytes: u64,
    /// Instances with more states are left out.
    pub states: u64,
    /// Whether to compute with fractions.
    pub exact: bool,
}

impl Budget {
    /// What the variables say.
    pub fn from_environment() -> Result<Self, String> {
        let seconds = amount("VOLVELLE_CORPUS_SECONDS", "300")?;
        let case = amount("VOLVELLE_CORPUS_CASE_SECONDS", "20")?;
        Ok(Budget {
            end: Instant::now() + Duration::from_secs_f64(seconds),
            case: Duration::from_secs_f64(case),
            memory_bytes: amount("VOLVELLE_CORPUS_MEMORY", "4G")? as u64,
            states: amount("VOLVELLE_CORPUS_STATES", "1e6")? as u64,
            exact: std::env::var_os("VOLVELLE_CORPUS_EXACT").is_some(),
        })
    }

    /// Whether time is left.
    pub fn is_left(&self) -> bool {
        Instant::now() < self.end
    }

    /// Limits for work on one row that starts now. One state more than listed may be found before exploration is
    /// ended: then the count is wrong, and there is no need to see how wrong.
    pub fn limits(&self, listed: Option<u64>) -> Limits {
        Limits {
            memory_bytes: Some(self.memory_bytes),
            states: Some(listed.map_or(self.states, |n| n + 1)),
            deadline: Some(self.end.min(Instant::now() + self.case)),
        }
    }
}

/// A number such as `300`, `1e6`, `4G`.
fn amount(variable: &str, default: &str) -> Result<f64, String> {
    let text = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    let (digits, factor) = match text.trim().char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 1024.0),
        Some((at, 'M' | 'm')) => (&text[..at], 1024.0 * 1024.0),
        Some((at, 'G' | 'g')) => (&text[..at], 1024.0 * 1024.0 * 1024.0),
        _ => (text.as_str(), 1.0),
    };
    match digits.trim().parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 => Ok(n * factor),
        _ => Err(format!("{variable}={text}: a positive number is needed")),
    }
}
