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

use std::collections::BTreeMap;
use volvelle_diagnostics::{Diagnostic, FileId, Span};

/// The settings of a configuration text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The network by its name.
    pub network: Option<Placed<String>>,
    /// Whether devices without a technology are ignored.
    pub skip: bool,
    /// The devices; by default all of them, by the preferred technology.
    pub selection: Selection,
    /// Named distributions.
    pub distributions: BTreeMap<String, Distribution>,
}

/// Something with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub it: T,
    /// Its place in the text.
    pub span: Span,
}

/// Which devices a context has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All, by the technology that is preferred.
    #[default]
    Automatic,
    /// A list of names, such as `opencl:0,threads`.
    Devices(Placed<String>),
    /// For each architecture, the technologies that may serve it. The first that serves a device is used.
    Architectures(Vec<(Placed<String>, Vec<Placed<String>>)>),
}

/// How the lanes of a launch are cut on each device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// For architectures or devices, by their names.
    pub entries: Vec<(Placed<String>, Sizes)>,
}

/// Sizes of launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Limit of lanes in one launch; by default all at once.
    pub size: Option<u64>,
    /// Lanes of a block; by default the technology chooses.
    pub block: Option<u32>,
}

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
