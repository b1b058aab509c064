//! The devices of this node, and the architectures that find them.

/// A device as an architecture finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Name of the architecture: `CPU`, `GPU`.
    pub architecture: String,
    /// Its vendor, if known.
    pub vendor: String,
    /// Its name.
    pub name: String,
    /// Its location, which distinguishes it from others of its kind on this node.
    pub place: Place,
    /// Bytes of its memory.
    pub memory_bytes: Option<u64>,
    /// Number of cores or multiprocessors.
    pub compute_units: Option<u32>,
}

/// The location of a device on its node: all technologies report the same place for the same device.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The processors that run this program.
    Host,
    /// A device on the bus: domain, bus, device and function as in `0000:3b:00.0`.
    Pci(String),
    /// A device that only a technology reports, under this name.
    Other(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Host => f.write_str("host"),
            Place::Pci(address) => write!(f, "pci {address}"),
            Place::Other(name) => f.write_str(name),
        }
    }
}

/// A kind of devices: finds the devices of this kind on the node. Technologies report how they can use them.
pub trait Architecture: Send + Sync {
    /// `CPU`, `GPU`.
    fn name(&self) -> &str;

    /// The devices of this kind on this node.
    fn find(&self) -> Vec<Device>;
}
