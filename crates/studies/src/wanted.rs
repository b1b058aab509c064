//! What is wanted of a study.

/// What is wanted of a study.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Values of parameters in place of those of the study.
    pub parameters: Vec<(String, Vec<String>)>,
    /// Leave the verification out.
    pub without_verification: bool,
    /// Leave the numbers out.
    pub without_performance: bool,
    /// Leave the influence of latencies out.
    pub without_influence: bool,
    /// Rounds that are simulated beside the computation.
    pub simulated_rounds: Option<u64>,
    /// Whether latencies are not random in simulations.
    pub deterministic: bool,
    /// The seed of simulations.
    pub seed: u64,
    /// The relative precision of times; `None`: as the size of the chain allows.
    pub precision: Option<f64>,
}
