//! Platforms: the machine on which the model runs a kernel, described in TOML.
//!
//! The terms are those of OpenCL and of Garanina, Staroletov and Gorlatch ("Auto-Tuning High-Performance
//! Programs Using Model Checking in Promela"): a host has devices (ND), a device compute units (NU), a unit
//! processing elements (NP). A unit of model time is one access to local memory on the paper's platform; its
//! length in seconds does not affect which configuration is optimal. Coefficients in nanoseconds are what
//! `volvelle calibrate` measures: for a graphics card, one for each feature of a configuration
//! (`[nanoseconds]`, [`crate::features::NAMES`]); for a processor, a table of kinds of work by sizes of
//! work-groups (`[processor]`, [`crate::processor::KINDS`]).

mod costs;
mod form;
mod read;
mod read_processor;
mod reader;

pub use costs::{COEFFICIENTS, Costs, Nanoseconds, Platform};
pub use form::PLATFORM;

use crate::processor::{Cache, KINDS};
use std::fmt::Write as _;
use volvelle_diagnostics::{Diagnostic, FileId};

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
