//! Platforms: their sizes and times.

use crate::processor::Processor;

/// The names of the coefficients of `[nanoseconds]`, in the order of the features of a configuration.
///
/// All features are counted along the critical path of one unit: the groups of the busiest unit, and their
/// items. `launch`: launches of the kernel. `group`: work-groups. `item`: work-items. `operation`: arithmetic
/// operations. `iteration`: iterations of loops. `global_coalesced`, `global_strided`: accesses of items to
/// global memory; coalesced if neighbours access the same or adjacent elements. `local`: accesses to local
/// memory. `barrier`: barriers, once for each group. `idle`: lanes that have nothing to do, in times of one
/// item.
pub const COEFFICIENTS: [&str; 10] = [
    "launch",
    "group",
    "item",
    "operation",
    "iteration",
    "global_coalesced",
    "global_strided",
    "local",
    "barrier",
    "idle",
];

/// Coefficients of the linear model of run time, in nanoseconds for one of each; see [`COEFFICIENTS`].
#[derive(Clone, Debug, PartialEq)]
pub struct Nanoseconds(pub [f64; COEFFICIENTS.len()]);

impl Nanoseconds {
    /// The predicted time in nanoseconds of a configuration with these features.
    pub fn predict(&self, features: &[f64]) -> f64 {
        self.0.iter().zip(features).map(|(coefficient, feature)| coefficient * feature).sum()
    }
}

/// How long things take, in units of model time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// One access to global memory; of a warp, one transaction.
    pub global: u32,
    /// One access to local memory.
    pub local: u32,
    /// One access to a private array. Private scalars are registers and cost nothing.
    pub private: u32,
    /// One arithmetic operation or comparison on data. Computing addresses and counting loops is not charged.
    pub operation: u32,
    /// Launching a kernel, once.
    pub launch: u32,
    /// Starting a work-group on a unit.
    pub group: u32,
    /// A barrier of a work-group, once all its items have arrived.
    pub barrier: u32,
    /// What each item (or warp) pays in addition for the work between two barriers.
    pub phase: u32,
    /// A message between host and device: a start or an end.
    pub message_host: u32,
    /// A message between device and unit: a work-group assigned, or finished.
    pub message_unit: u32,
}

/// A machine with a host and one or more equal devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    /// Its name.
    pub name: String,
    /// Number of devices (ND).
    pub devices: u32,
    /// Compute units of a device (NU).
    pub units: u32,
    /// Processing elements of a unit (NP).
    pub elements: u32,
    /// Lanes that step together: 1 if each element steps on its own.
    pub warp: u32,
    /// Bytes of local memory that a work-group may use.
    pub local_memory_bytes: u64,
    /// Limit of work-items in a group.
    pub work_group_max: u32,
    /// Bytes of global memory that one transaction of a warp transfers.
    pub segment_bytes: u32,
    /// Whether loads at the start of a phase proceed during the phase before it.
    pub prefetch: bool,
    /// How long things take in the model.
    pub costs: Costs,
    /// Calibrated coefficients, if known.
    pub nanoseconds: Option<Nanoseconds>,
    /// Costs of work if the device is a processor and was calibrated; takes precedence over `nanoseconds`.
    pub processor: Option<Processor>,
}
