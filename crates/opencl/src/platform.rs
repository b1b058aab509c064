//! Platforms: the machine on which the model runs a kernel, described in TOML.
//!
//! The terms are those of OpenCL and of Garanina, Staroletov and Gorlatch ("Auto-Tuning High-Performance
//! Programs Using Model Checking in Promela"): a host has devices (ND), a device compute units (NU), a unit
//! processing elements (NP). A unit of model time is one access to local memory on the paper's platform; its
//! length in seconds does not affect which configuration is optimal. Coefficients in nanoseconds are what
//! `volvelle calibrate` measures: for a graphics card, one for each feature of a configuration
//! (`[nanoseconds]`, [`crate::features::NAMES`]); for a processor, a table of kinds of work by sizes of
//! work-groups (`[processor]`, [`crate::processor::KINDS`]).

mod read;
mod read_processor;
mod reader;

use crate::processor::{Cache, KINDS, Processor};
use std::fmt::Write as _;
use volvelle_diagnostics::{Diagnostic, FileId};

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

impl Default for Platform {
    /// One device with one unit of one element, where only accesses to memory take time.
    fn default() -> Self {
        Platform {
            name: String::new(),
            devices: 1,
            units: 1,
            elements: 1,
            warp: 1,
            local_memory_bytes: 32 << 10,
            work_group_max: 1024,
            segment_bytes: 128,
            prefetch: false,
            costs: Costs {
                global: 4,
                local: 1,
                private: 0,
                operation: 0,
                launch: 0,
                group: 0,
                barrier: 0,
                phase: 0,
                message_host: 0,
                message_unit: 0,
            },
            nanoseconds: None,
            processor: None,
        }
    }
}

impl Platform {
    /// Reads a description. The platform is usable only if no diagnostic is an error.
    pub fn read(file: FileId, text: &str) -> (Platform, Vec<Diagnostic>) {
        read::read(file, text)
    }

    /// The same platform with elements that step on their own.
    #[must_use]
    pub fn without_warps(&self) -> Platform {
        Platform { warp: 1, ..self.clone() }
    }

    /// Whether times in nanoseconds can be predicted.
    pub fn is_calibrated(&self) -> bool {
        self.nanoseconds.is_some() || self.processor.is_some()
    }

    /// Warps that a unit runs at the same time, at least one.
    pub fn slots(&self) -> u32 {
        (self.elements / self.warp).max(1)
    }

    /// The description as a file that [`Platform::read`] reads.
    pub fn write(&self) -> String {
        let mut out = String::new();
        let c = &self.costs;
        let _ = writeln!(out, "name = {}\n", toml_string(&self.name));
        let _ = writeln!(out, "[device]");
        let rows: [(&str, u64, &str); 7] = [
            ("devices", self.devices.into(), "equal devices of the host"),
            ("units", self.units.into(), "compute units of a device"),
            ("elements", self.elements.into(), "processing elements of a unit"),
            ("warp", self.warp.into(), "lanes that step together; 1: each on its own"),
            ("local_memory", self.local_memory_bytes, "bytes for a work-group"),
            ("work_group_max", self.work_group_max.into(), "work-items"),
            ("segment", self.segment_bytes.into(), "bytes of one transaction of a warp with global memory"),
        ];
        for (key, value, comment) in rows {
            let _ = writeln!(out, "{:<24} # {comment}", format!("{key} = {value}"));
        }
        let comment = "loads at the start of a phase proceed during the phase before it";
        let _ = writeln!(out, "{:<24} # {comment}", format!("prefetch = {}", self.prefetch));
        let _ = writeln!(out, "\n[time] # in units of model time");
        let rows: [(&str, u32, &str); 10] = [
            ("global", c.global, "an access to global memory"),
            ("local", c.local, "an access to local memory"),
            ("private", c.private, "an access to a private array"),
            ("operation", c.operation, "an arithmetic operation on data"),
            ("launch", c.launch, "launching a kernel"),
            ("group", c.group, "starting a work-group on a unit"),
            ("barrier", c.barrier, "a barrier, once all have arrived"),
            ("phase", c.phase, "what an item pays for the work between two barriers, in addition"),
            ("message_host", c.message_host, "a message between host and device"),
            ("message_unit", c.message_unit, "a message between device and unit"),
        ];
        for (key, value, comment) in rows {
            let _ = writeln!(out, "{:<24} # {comment}", format!("{key} = {value}"));
        }
        if let Some(Nanoseconds(values)) = &self.nanoseconds {
            let _ = writeln!(out, "\n[nanoseconds] # calibrated, for one of each on the busiest unit");
            for (name, value) in COEFFICIENTS.iter().zip(values) {
                let _ = writeln!(out, "{name} = {value:?}");
            }
        }
        if let Some(processor) = &self.processor {
            let _ =
                writeln!(out, "\n[processor] # calibrated, in nanoseconds, for work-groups of these sizes");
            let list = |numbers: &[String]| format!("[{}]", numbers.join(", "));
            let groups: Vec<String> = processor.groups.iter().map(u32::to_string).collect();
            let _ = writeln!(out, "groups = {}", list(&groups));
            let cache = |c: &Cache| format!("[{}, {}, {}]", c.bytes, c.ways, c.line);
            let caches: Vec<String> = processor.caches.iter().map(cache).collect();
            let _ = writeln!(out, "caches = {} # of each unit: bytes, ways, bytes of a line", list(&caches));
            for (place, name) in KINDS.iter().enumerate() {
                let costs: Vec<String> =
                    processor.costs.iter().map(|row| format!("{:?}", row[place])).collect();
                let _ = writeln!(out, "{name} = {}", list(&costs));
            }
        }
        out
    }
}

fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
