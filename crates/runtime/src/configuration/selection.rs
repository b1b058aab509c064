//! Configurations: devices and how work is distributed among them.

use std::collections::BTreeMap;
use volvelle_diagnostics::Span;

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
