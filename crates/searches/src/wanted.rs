//! What to search for, and the names under which reports tell of it.

/// The errors to search for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Assertions and end states only.
    pub safety: bool,
    /// Claims by name, or formulas. Without any, all claims of the model.
    pub claims: Vec<String>,
    /// Runs that pass accepting locations without end are errors.
    pub acceptance: bool,
    /// Runs without end that pass progress locations finitely often only are errors.
    pub progress: bool,
    /// Only runs in which every process that can move for ever moves again and again.
    pub weak_fairness: bool,
}

/// The name under which assertions and end states are reported.
pub const SAFETY: &str = "safety";

/// The name under which cycles through accepting locations are reported.
pub const ACCEPTANCE: &str = "acceptance";
/// The name under which cycles without progress are reported.
pub const PROGRESS: &str = "progress";
