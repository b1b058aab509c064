//! Configurations: which devices a program uses, and the sizes of launches. Changing the text needs no
//! rebuild.
//!
//! ```toml
//! network = "single"
//!
//! [context]
//! skip = true              # ignore devices that none of these technologies serves
//! CPU = "threads"
//! GPU = ["cuda", "opencl"] # the first that serves the device
//!
//! [distribution.default]
//! CPU = { size = 4096, block = 16 }
//! GPU = { size = 1048576, block = 256 }
//! "opencl:1" = { block = 64 }
//! ```
//!
//! Instead of architectures, `[context]` may name devices: `devices = "opencl:0,threads"`. An entry of a
//! distribution is for an architecture, for a device (`opencl:1`) or for all devices of a technology
//! (`opencl`); the last two take precedence. Reading reports all errors at once and skips wrong entries.
//! [`crate::Context::open`] knows the machine and checks names.

mod read;
mod selection;

pub use selection::{Configuration, Distribution, Placed, Selection, Sizes};

use volvelle_diagnostics::{Diagnostic, FileId};

impl Configuration {
    /// Reads a text. Wrong entries are left out and reported.
    pub fn read(file: FileId, text: &str) -> (Self, Vec<Diagnostic>) {
        read::read(file, text)
    }
}

impl Distribution {
    /// The sizes for a device of an architecture: those for the device; if absent, those for its technology;
    /// if absent, those for the architecture.
    pub fn sizes(&self, device: &str, architecture: &str) -> Sizes {
        let named =
            |name: &str| self.entries.iter().find(|(entry, _)| entry.it == name).map(|(_, sizes)| *sizes);
        let technology = device.split(':').next().unwrap_or_default();
        named(device).or_else(|| named(technology)).or_else(|| named(architecture)).unwrap_or_default()
    }
}
